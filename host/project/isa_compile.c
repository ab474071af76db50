/* isa_compile.c - changes a kernel's instruction counts to those of the target's instruction set by
 * assembling its PTX with ptxas for both; see isa_compile.h. ptx_kernels.c makes programs of the
 * kernels of --ptx, which project.c asks; unit tests call isa_compile(). Runs on the thread that
 * calls it. A struct compiled owns its code, lines and blocks (clear()); out of memory ends the
 * process. Functions that return heddle_err explain an error in *diag.
 *
 * The mark of a special function is MUFU: all divisions, roots and transcendental functions have
 * one. Subroutines are slow paths; their blocks are left out. */
#include "project/isa_compile.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "project/ptx_assemble.h"
#include "project/sass_lines.h"

/* A basic block: instructions begin to end - 1. */
struct block {
    uint32_t begin, end;
    struct sass_counts counts;
};
/* A kernel's code for one compute capability; all is owned. */
struct compiled {
    struct sass_code code;
    uint32_t *lines;       /* of the PTX, by instruction; 0: of none */
    struct block *special; /* blocks with MUFU, in order */
    size_t count, capacity;
};

/* Frees code, lines and blocks, and empties *c. */
static void clear(struct compiled *c) {
    sass_free(&c->code);
    free(c->lines);
    free(c->special);
    *c = (struct compiled){0};
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Marks in own[] each instruction that can run from i on without entering a subroutine. own[] has
 * room for every instruction; marks that are set end the search. */
static void mark_own(const struct sass_code *code, bool *own, uint32_t i) {
    while (i < code->count && !own[i]) {
        const struct sass_instruction *s = &code->at[i];
        own[i] = true;
        if (s->flow == SASS_BRANCH) mark_own(code, own, s->target);
        bool ends = s->flow == SASS_BRANCH || s->flow == SASS_EXIT || s->flow == SASS_RETURN;
        if (ends && !s->predicated) return;
        i++;
    }
}

/* Marks in leader[] the first instruction of each basic block. leader[] has room for one
 * instruction more than the code. */
static void mark_leaders(const struct sass_code *code, bool *leader) {
    leader[0] = true;
    for (uint32_t i = 0; i < code->count; i++) {
        const struct sass_instruction *s = &code->at[i];
        if (s->flow == SASS_NEXT) continue;
        leader[i + 1] = true;
        if (s->flow == SASS_BRANCH || s->flow == SASS_CALL) leader[s->target] = true;
    }
}

/* @return whether an instruction from begin to end - 1 is a MUFU, the mark of a special
 * function. */
static bool has_mufu(const struct sass_code *code, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; i++)
        if (code->at[i].kind == SASS_MUFU) return true;
    return false;
}

/* Appends the block of instructions begin to end - 1 to c->special, counted as on the fast way:
 * guarded instructions are SASS_OTHER. @return HEDDLE_ERR_PTX_UNSUPPORTED: an instruction is not in
 * the table of operations. */
static heddle_err add_block(struct compiled *c, uint32_t begin, uint32_t end,
                            struct heddle_diag *diag) {
    struct block b = {begin, end, {{0}}};
    for (uint32_t i = begin; i < end; i++) {
        heddle_err e = sass_add(&b.counts, &c->code, i, c->code.at[i].predicated, diag);
        if (e) return e;
    }
    c->special = heddle_grow(c->special, &c->capacity, c->count + 1, sizeof b, "blocks");
    c->special[c->count++] = b;
    return HEDDLE_OK;
}

/* Fills c->special with the blocks of the kernel itself, without subroutines, that hold a MUFU.
 * c->code is read. @return the error of add_block(). */
static heddle_err find_special(struct compiled *c, struct heddle_diag *diag) {
    const struct sass_code *code = &c->code;
    bool *own = heddle_alloc_array(code->count + 1, sizeof *own, "blocks");
    bool *leader = heddle_alloc_array(code->count + 1, sizeof *leader, "blocks");
    heddle_err e = HEDDLE_OK;
    mark_own(code, own, 0);
    mark_leaders(code, leader);
    for (uint32_t begin = 0, end; begin < code->count && !e; begin = end) {
        for (end = begin + 1; end < code->count && !leader[end];) end++;
        if (own[begin] && has_mufu(code, begin, end)) e = add_block(c, begin, end, diag);
    }
    free(own);
    free(leader);
    return e;
}

/* Fills *c with code, lines and special blocks of the kernel from a cubin of its module. @return
 * errors of sass_read() and sass_lines(); the caller clears *c in any case. */
static heddle_err read_compiled(struct compiled *c, const struct isa_ptx *ptx, const uint8_t *cubin,
                                size_t size, struct heddle_diag *diag) {
    *c = (struct compiled){0};
    heddle_err e = sass_read(&c->code, cubin, size, ptx->kernel, diag);
    if (!e) {
        c->lines = heddle_alloc_array(c->code.count + 1, sizeof *c->lines, "lines");
        e = sass_lines(c->lines, &c->code, cubin, size, ptx->kernel, diag);
    }
    return e ? e : find_special(c, diag);
}

/* ---- lines ----------------------------------------------------------------------------------- */

/* MUFU instructions of a block that come from a line of the PTX. */
static uint32_t count_mufu(const struct compiled *c, const struct block *b, uint32_t line) {
    uint32_t n = 0;
    for (uint32_t i = b->begin; i < b->end; i++)
        n += c->code.at[i].kind == SASS_MUFU && c->lines[i] == line;
    return n;
}

/* MUFU instructions that one execution of a line of the PTX runs: those of its form in the table,
 * else 1. Lines count from 1. */
static uint32_t mufu_of_line(const char *text, uint32_t line, unsigned capability) {
    char form[64];
    for (uint32_t i = 1; i < line; i++) {
        text = strchr(text, '\n');
        if (!text++) return 1;
    }
    text += strspn(text, " \t");
    if (*text == '@') { /* behind the guard */
        text += strcspn(text, " \t\n");
        text += strspn(text, " \t");
    }
    size_t length = strcspn(text, " \t\n;");
    if (length >= sizeof form) return 1;
    memcpy(form, text, length);
    form[length] = '\0';
    const struct isa_expansion *row = isa_find(form, capability, SASS_FAST);
    return row && row->counts.of[SASS_MUFU] > 0 ? (uint32_t)row->counts.of[SASS_MUFU] : 1;
}

/* Copies of a line's operation in the special blocks of the code. */
static double copies_of(const struct compiled *c, const char *text, uint32_t line,
                        unsigned capability) {
    uint32_t all = 0;
    for (size_t b = 0; b < c->count; b++) all += count_mufu(c, &c->special[b], line);
    return (double)all / mufu_of_line(text, line, capability);
}

/* ---- comparing ------------------------------------------------------------------------------- */

/* Blocks match when they hold the special functions of the same lines. */
static bool match(const struct compiled *a, const struct block *x, const struct compiled *b,
                  const struct block *y) {
    if (x->counts.of[SASS_MUFU] != y->counts.of[SASS_MUFU]) return false;
    for (uint32_t i = x->begin; i < x->end; i++)
        if (a->code.at[i].kind == SASS_MUFU &&
            count_mufu(a, x, a->lines[i]) != count_mufu(b, y, a->lines[i]))
            return false;
    return true;
}

/* Compares the special blocks of two codes one by one, in order. @return HEDDLE_ERR_ARGUMENT: they
 * differ in number or do not match. */
static heddle_err match_all(const struct compiled *a, const struct compiled *b,
                            const struct isa_ptx *ptx, unsigned source, unsigned target,
                            struct heddle_diag *diag) {
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = match(a, &a->special[i], b, &b->special[i]);
    if (same) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                       "%.200s: kernel %.200s: ptxas makes other blocks with special functions for "
                       "compute capability %u.%u than for %u.%u",
                       ptx->file, ptx->kernel, target / 10, target % 10, source / 10, source % 10);
}

/* *threads, *warps: executions of a block, the most that a line in it gives; 0 where `list` has
 * none of its lines. `lanes`: the kernel's mean, where a line's warps are not known. */
static void executions(const struct compiled *c, const struct block *b, const struct isa_ptx *ptx,
                       const struct isa_line *list, size_t count, unsigned capability, double lanes,
                       double *threads, double *warps) {
    *threads = *warps = 0;
    for (size_t i = 0; i < count; i++) {
        if (!count_mufu(c, b, list[i].line)) continue;
        double copies = copies_of(c, ptx->text, list[i].line, capability);
        if (list[i].threads / copies <= *threads) continue;
        *threads = list[i].threads / copies;
        *warps = list[i].warps > 0 ? list[i].warps / copies : *threads / lanes;
    }
}

/* ---- programs -------------------------------------------------------------------------------- */

/* More than the table has. */
enum { MOST_CAPABILITIES = 16 };
struct isa_program {
    struct isa_ptx ptx;
    size_t count;
    unsigned capability[MOST_CAPABILITIES];
    struct compiled code[MOST_CAPABILITIES];
};

/* @return a program without code, which isa_program_free() frees. */
struct isa_program *isa_program_make(const struct isa_ptx *ptx) {
    struct isa_program *p = heddle_alloc(sizeof *p, "a kernel's machine code");
    p->ptx = *ptx;
    return p;
}

void isa_program_free(struct isa_program *p) {
    for (size_t i = 0; p && i < p->count; i++) clear(&p->code[i]);
    free(p);
}

/* The place of a capability's code; p->count: there is none. */
static size_t find_code(const struct isa_program *p, unsigned capability) {
    size_t i = 0;
    while (i < p->count && p->capability[i] != capability) i++;
    return i;
}

bool isa_program_has(const struct isa_program *p, unsigned capability) {
    return find_code(p, capability) < p->count;
}

/* Adds the code, if its special blocks match those of the first one. Adds none twice. */
heddle_err isa_program_add(struct isa_program *p, unsigned capability, const uint8_t *cubin,
                           size_t size, struct heddle_diag *diag) {
    struct compiled c;
    if (isa_program_has(p, capability) || p->count == MOST_CAPABILITIES) return HEDDLE_OK;
    heddle_err e = read_compiled(&c, &p->ptx, cubin, size, diag);
    if (!e && p->count) e = match_all(&p->code[0], &c, &p->ptx, p->capability[0], capability, diag);
    if (e) {
        clear(&c);
        return e;
    }
    p->capability[p->count] = capability;
    p->code[p->count++] = c;
    return HEDDLE_OK;
}

/* Fills *out with `k`, changed by the difference of the special blocks on the source and `target`
 * times their executions (`list`, `count` lines). @return HEDDLE_ERR_ARGUMENT: a count would be
 * negative. */
heddle_err isa_program_on_target(struct project_kernel *out, const struct project_kernel *k,
                                 const struct isa_program *p, const struct isa_line *list,
                                 size_t count, unsigned target, struct heddle_diag *diag) {
    const struct compiled *from = &p->code[0], *to = &p->code[find_code(p, target)];
    *out = *k;
    for (size_t i = 0; i < from->count; i++) {
        double threads, warps;
        executions(from, &from->special[i], &p->ptx, list, count, p->capability[0],
                   isa_mean_lanes(k), &threads, &warps);
        isa_add_difference(out, &from->special[i].counts, &to->special[i].counts, threads, warps,
                           2);
    }
    return isa_check(out, k, diag);
}

/* Assembles the module for a capability and adds the kernel's code. @return also errors of
 * ptx_assemble(). */
static heddle_err assemble(struct isa_program *p, unsigned capability, struct heddle_diag *diag) {
    uint8_t *cubin;
    size_t size;
    if (isa_program_has(p, capability)) return HEDDLE_OK;
    heddle_err e = ptx_assemble(&cubin, &size, p->ptx.ptxas, p->ptx.file, p->ptx.text, capability,
                                true, diag);
    if (e) return e;
    e = isa_program_add(p, capability, cubin, size, diag);
    free(cubin);
    return e;
}

/* Assembles the kernel for `source` and `target` and converts it with isa_program_on_target(). Runs
 * ptxas as a child process and frees what it made. @return HEDDLE_ERR_IO or
 * HEDDLE_ERR_PTX_UNSUPPORTED: assembling or reading failed; HEDDLE_ERR_ARGUMENT: the blocks differ,
 * or a count would be negative. */
heddle_err isa_compile(struct project_kernel *out, const struct project_kernel *k,
                       const struct isa_ptx *ptx, const struct isa_line *list, size_t count,
                       unsigned source, unsigned target, struct heddle_diag *diag) {
    struct isa_program *p = isa_program_make(ptx);
    heddle_err e = assemble(p, source, diag);
    if (!e) e = assemble(p, target, diag);
    if (e)
        *out = *k;
    else
        e = isa_program_on_target(out, k, p, list, count, target, diag);
    isa_program_free(p);
    return e;
}
