/* ptx_parse_debug.c - directives for debuggers: files, sections of DWARF data. They may stand at
 * module scope and inside bodies. Both functions read tokens from p->tok on; errors are recorded as
 * ptx_parser.h says.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/parse/ptx_parser.h"

/* INDEX "NAME" [, TIME, SIZE] behind .file; adds the file to p->module->files. */
void ptx_parse_file(struct ptx_parser *p) {
    struct ptx_file *f = ARENA_NEW(p->arena, struct ptx_file);
    f->index = ptx_parse_u32(p, "a file number");
    if (p->tok.kind != PTX_T_STRING) {
        ptx_error(p, "expected the file's name in quotes behind its number");
        return;
    }
    f->name = p->tok.word;
    ptx_advance(p);
    while (ptx_accept_punct(p, ',')) (void)ptx_parse_int(p, "time stamp or size of a file");
    f->next = p->module->files;
    p->module->files = f;
}

/* NAME { DWARF data } behind .section: only debuggers need it, so it is skipped unread. */
void ptx_parse_section(struct ptx_parser *p) {
    if (p->tok.kind == PTX_T_DOT || p->tok.kind == PTX_T_IDENT)
        ptx_advance(p);
    else
        ptx_error(p, "expected a section name like .debug_info");
    if (!ptx_is_punct(p, '{')) {
        ptx_error(p, "expected '{' here: the contents of the section are missing");
        return;
    }
    struct ptx_token open = p->tok;
    if (!ptx_lex_skip_braces(&p->lx)) {
        ptx_error_at(p, &open, "this section does not end; close it with }");
        return;
    }
    ptx_advance(p);
}
