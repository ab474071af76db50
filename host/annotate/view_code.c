/* view_code.c - reads code.txt.zst: the code of the kernels that a run counted (docs/report.md;
 * report/report_code.c writes it). source_view_read() calls it. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "annotate/view_internal.h"
#include "common/memory.h"
#include "common/packed_lines.h"

/* A file that is being read. */
struct code_file {
    struct source_view *view;
    struct packed_reader *reader;
    char *path, *line;
    uint64_t number; /* of the line */
    size_t cap_kernels, cap_modules, cap_files;
    struct stat st;
    struct heddle_diag *diag;
};

static heddle_err refuse(const struct code_file *c, const char *what) {
    return heddle_fail(c->diag, HEDDLE_ERR_IO, "%s, line %llu: %s", c->path,
                       (unsigned long long)c->number, what);
}

/* The next line; at the end c->line is NULL. */
static heddle_err next(struct code_file *c) {
    heddle_err e = packed_reader_line(c->reader, &c->line, c->diag);
    if (!e && c->line) c->number++;
    return e;
}

/* The next line, which must be there. */
static heddle_err need(struct code_file *c) {
    heddle_err e = next(c);
    if (e || c->line) return e;
    return heddle_fail(c->diag, HEDDLE_ERR_IO, "%s ends behind line %llu, in the middle of a text",
                       c->path, (unsigned long long)c->number);
}

/* Reads a number and the blank behind it. */
static bool take(char **at, uint32_t *out) {
    char *end;
    errno = 0;
    const unsigned long n = strtoul(*at, &end, 10);
    if (end == *at || errno || n >= SOURCE_NOWHERE || (*end && *end != ' ')) return false;
    *out = (uint32_t)n;
    *at = *end ? end + 1 : end;
    return true;
}

/* Reads `count` lines of text. The list grows with the lines: a damaged number takes no memory. */
static heddle_err read_text(struct code_file *c, uint32_t count, struct source_text *out) {
    char **line = NULL;
    size_t capacity = 0;
    heddle_err e = HEDDLE_OK;
    *out = (struct source_text){0};
    for (uint32_t i = 0; i < count && !(e = need(c)); i++) {
        line = heddle_grow(line, &capacity, i + 1, sizeof *line, "lines of code");
        line[i] = view_text(c->view, c->line);
    }
    if (!e && count) {
        out->line = arena_alloc(c->view->arena, count * sizeof *line);
        memcpy(out->line, line, count * sizeof *line);
        out->count = count;
    }
    free(line);
    return e;
}

static heddle_err read_module(struct code_file *c, char *at) {
    struct source_view *v = c->view;
    uint32_t lines;
    if (!take(&at, &lines) || *at) return refuse(c, "a module without a number of lines");
    v->module = heddle_grow(v->module, &c->cap_modules, v->num_modules + 1, sizeof *v->module,
                            "modules");
    return read_text(c, lines, &v->module[v->num_modules++].ptx);
}

/* A file that the run left out is as the run had it if it was not changed since. */
static void read_left_out(struct code_file *c, struct source_file *f) {
    struct stat st;
    char *text = NULL;
    size_t room = 0, count = 0, capacity = 0;
    FILE *in = fopen(f->path, "re");
    if (!in || fstat(fileno(in), &st) || !S_ISREG(st.st_mode)) {
        if (in) fclose(in);
        return;
    }
    if (st.st_mtim.tv_sec > c->st.st_mtim.tv_sec) {
        f->state = SOURCE_NEWER;
        fclose(in);
        return;
    }
    char **line = NULL;
    ssize_t n;
    while ((n = getline(&text, &room, in)) >= 0) {
        if (n && text[n - 1] == '\n') text[n - 1] = 0;
        line = heddle_grow(line, &capacity, count + 1, sizeof *line, "lines of a source");
        line[count++] = view_text(c->view, text);
    }
    f->text.line = arena_alloc(c->view->arena, (count + 1) * sizeof *line);
    if (count) memcpy(f->text.line, line, count * sizeof *line);
    f->text.count = (uint32_t)count;
    f->state = SOURCE_THERE;
    free(line);
    free(text);
    fclose(in);
}

static heddle_err read_source(struct code_file *c, char *at) {
    static const char *const states[] = {[SOURCE_THERE] = "there",
                                         [SOURCE_MISSING] = "missing",
                                         [SOURCE_NEWER] = "newer",
                                         [SOURCE_LARGE] = "large",
                                         [SOURCE_LEFT_OUT] = "left-out"};
    struct source_view *v = c->view;
    enum source_state state = SOURCE_THERE;
    uint32_t lines;
    char *blank = strchr(at, ' ');
    if (!blank) return refuse(c, "a source without a state");
    *blank = 0;
    while (state <= SOURCE_LEFT_OUT && strcmp(states[state], at)) state++;
    at = blank + 1;
    if (state > SOURCE_LEFT_OUT || !take(&at, &lines) || !*at)
        return refuse(c, "a source without state, lines and path");
    v->file = heddle_grow(v->file, &c->cap_files, v->num_files + 1, sizeof *v->file, "sources");
    struct source_file *f = &v->file[v->num_files++];
    *f = (struct source_file){.path = view_text(v, at), .state = state};
    heddle_err e = read_text(c, lines, &f->text);
    if (!e && state == SOURCE_LEFT_OUT) read_left_out(c, f);
    return e;
}

static heddle_err read_kernel(struct code_file *c, char *at) {
    struct source_view *v = c->view;
    struct source_kernel k = {0};
    struct source_text text;
    if (!take(&at, &k.device) || !take(&at, &k.module) || !take(&at, &k.num_inst) ||
        k.module >= v->num_modules)
        return refuse(c, "a kernel without device, module and instructions");
    char *blank = strchr(at, ' ');
    if (!blank) return refuse(c, "a kernel without a name");
    *blank = 0;
    k.symbol = view_text(v, at);
    k.name = view_text(v, blank + 1);
    heddle_err e = read_text(c, k.num_inst, &text);
    if (e) return e;
    k.inst = arena_alloc(v->arena, (k.num_inst + 1) * sizeof *k.inst);
    memset(k.inst, 0, (k.num_inst + 1) * sizeof *k.inst);
    for (uint32_t i = 0; i < k.num_inst; i++) k.inst[i].text = text.line[i];
    v->kernel = heddle_grow(v->kernel, &c->cap_kernels, v->num_kernels + 1, sizeof *v->kernel,
                            "kernels");
    v->kernel[v->num_kernels++] = k;
    return HEDDLE_OK;
}

/* Reads the head, and then the parts until the file ends. */
static heddle_err read_parts(struct code_file *c) {
    static const struct {
        const char *word;
        heddle_err (*read)(struct code_file *c, char *at);
    } parts[] = {{"module ", read_module}, {"source ", read_source}, {"kernel ", read_kernel}};
    heddle_err e = need(c);
    if (!e && strcmp(c->line, "heddle-code 1"))
        return refuse(c, "not the code of a run, or of another version of Heddle");
    while (!e && !(e = next(c)) && c->line) {
        size_t i = 0;
        while (i < 3 && strncmp(c->line, parts[i].word, strlen(parts[i].word))) i++;
        if (i == 3) return refuse(c, "neither a module, nor a source, nor a kernel");
        char *at = c->line + strlen(parts[i].word);
        e = parts[i].read(c, at);
    }
    return e;
}

heddle_err view_read_code(struct source_view *v, const struct view_expected *expected,
                          struct heddle_diag *diag) {
    struct code_file c = {.view = v, .diag = diag};
    const size_t size = strlen(v->directory) + 20;
    c.path = arena_alloc(v->arena, size);
    snprintf(c.path, size, "%s/code.txt.zst", v->directory);
    heddle_err e = packed_reader_open(&c.reader, c.path, diag);
    if (!e && stat(c.path, &c.st)) c.st = (struct stat){0};
    if (!e) e = read_parts(&c);
    if (!e && (packed_reader_sum(c.reader) != expected->sum ||
               packed_reader_lines(c.reader) != expected->rows))
        e = heddle_fail(diag, HEDDLE_ERR_IO,
                        "%s is not the file that report.json refers to (CRC-32C %08x, not %08x): "
                        "it is of another run",
                        c.path, packed_reader_sum(c.reader), expected->sum);
    packed_reader_close(c.reader);
    return e;
}
