/* report_code.c - what each instruction of the kernels did (instructions.csv), and the code that
 * this refers to (code.txt.zst): the PTX of the modules, the source files, and the machine code.
 * With both, host/annotate shows a run's kernels line by line, later and elsewhere.
 *
 * report_write() calls it on the main thread of `heddle run`. The form of code.txt.zst stands in
 * docs/report.md; annotate/code_file.c reads it. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/crc32c.h"
#include "common/memory.h"
#include "report/report_internal.h"

static const char WHAT[] = "the code of a run";
enum {
    MOST_SOURCE = 1 << 20,   /* bytes of a source file that is kept */
    MOST_SOURCES = 16 << 20, /* of all of them */
};

void report_counted_list(const struct report *r, struct report_counted *list) {
    const struct report_launches *l = r->launches;
    *list = (struct report_counted){heddle_alloc_array(l->num_groups, sizeof *list->of, WHAT),
                                    heddle_alloc_array(l->num_groups, sizeof *list->device, WHAT),
                                    0};
    for (size_t i = 0; i < l->num_groups; i++) {
        const struct gpu_kernel_record *k = &l->group[i].sum;
        size_t at = 0;
        if (!k->code || !k->code->launches) continue;
        while (at < list->count && list->of[at] != k->code) at++;
        if (at < list->count) continue;
        list->device[list->count] = k->device;
        list->of[list->count++] = k->code;
    }
}

void report_counted_free(struct report_counted *list) {
    free(list->of);
    free(list->device);
}

json_t *report_code_number(const struct report_counted *list, const struct gpu_kernel_record *k) {
    size_t at = 0;
    while (at < list->count && list->of[at] != k->code) at++;
    return at < list->count ? report_integer(at) : json_null();
}

/* ---- instructions.csv */

static void write_profile(const struct code_profile *p, uint32_t device, FILE *f) {
    for (uint32_t i = 0; i < p->num_inst; i++) {
        const struct code_place *at = &p->place[i];
        fprintf(f, "%u,", device);
        report_csv_name(p->name, f);
        fprintf(f, ",%u,%s,", i, mir_op_name((mir_op)at->op));
        if (at->file) report_csv_name(at->file, f);
        fprintf(f, ",%u,%u", at->line, at->ptx_line);
        for (unsigned s = 0; s < CODE_SPOTS; s++)
            fprintf(f, ",%llu", (unsigned long long)code_count_of(&p->count[i], (enum code_spot)s));
        fputc('\n', f);
    }
}

/* Whether the cores told of issues. */
static bool has_issues(const struct report_counted *list) {
    for (size_t i = 0; i < list->count; i++)
        for (uint32_t n = 0; n < list->of[i]->num_inst; n++)
            if (list->of[i]->count[n].issued) return true;
    return false;
}

bool report_tells_issues(const struct report *r) {
    struct report_counted list;
    report_counted_list(r, &list);
    const bool tells = !list.count || has_issues(&list);
    report_counted_free(&list);
    return tells;
}

static void write_instructions(const struct report_counted *list, FILE *f) {
    fputs("device,kernel,instruction,operation,file,line,ptx_line", f);
    for (unsigned s = 0; s < CODE_SPOTS; s++) fprintf(f, ",%s", code_count_rows[s].name);
    fputc('\n', f);
    for (size_t i = 0; i < list->count; i++) write_profile(list->of[i], list->device[i], f);
}

void report_instructions_write(const struct report_counted *list, FILE *f,
                               struct report_instructions *out) {
    char *text = NULL; /* glibc leaves it so, and succeeds, if memory is out at the first write */
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (memory) write_instructions(list, memory);
    if (!memory || fclose(memory) || !text) heddle_out_of_memory(WHAT, 0);
    *out = (struct report_instructions){.issues = has_issues(list), .file = {.ended = true}};
    for (size_t i = 0; i < list->count; i++) out->file.rows += list->of[i]->num_inst;
    out->file.sum = crc32c(0, text, bytes);
    fwrite(text, 1, bytes, f);
    free(text);
}

/* ---- code.txt.zst */

static void put(struct packed_writer *w, const char *text) {
    packed_writer_put(w, text, strlen(text));
}

static uint32_t lines_of(const char *text, size_t bytes) {
    uint32_t n = bytes && text[bytes - 1] != '\n';
    for (size_t i = 0; i < bytes; i++) n += text[i] == '\n';
    return n;
}

/* A text, with a newline behind each line. */
static void put_text(struct packed_writer *w, const char *text, size_t bytes) {
    packed_writer_put(w, text, bytes);
    if (bytes && text[bytes - 1] != '\n') packed_writer_put(w, "\n", 1);
}

/* The first kernel of the list whose module has the same text. */
static size_t first_of_module(const struct report_counted *list, size_t i) {
    const struct mir_text *own = list->of[i]->ptx;
    for (size_t k = 0; k < i; k++) {
        const struct mir_text *other = list->of[k]->ptx;
        if (other == own) return k;
        if (own && other && own->bytes == other->bytes &&
            !memcmp(own->text, other->text, own->bytes))
            return k;
    }
    return i;
}

static void put_module(struct packed_writer *w, const struct mir_text *t) {
    char head[40];
    const size_t bytes = t ? t->bytes : 0;
    snprintf(head, sizeof head, "module %u\n", lines_of(t ? t->text : "", bytes));
    put(w, head);
    if (t) put_text(w, t->text, bytes);
}

/* Whether a file was changed after the program was. */
static bool is_newer(const struct stat *st, const struct timespec *program) {
    if (!program->tv_sec) return false;
    return st->st_mtim.tv_sec != program->tv_sec ? st->st_mtim.tv_sec > program->tv_sec
                                                 : st->st_mtim.tv_nsec > program->tv_nsec;
}

/* Reads a source file of which the run may keep `room` bytes. @return its state, as in the file;
 * *text, *bytes: of "there", the caller frees it. */
static const char *read_source(const struct report *r, const char *path, size_t room, char **text,
                               size_t *bytes) {
    struct stat st;
    *text = NULL;
    *bytes = 0;
    if (stat(path, &st) || !S_ISREG(st.st_mode)) return "missing";
    if (is_newer(&st, &r->program_time)) return "newer";
    if (r->no_sources) return "left-out";
    if (st.st_size > MOST_SOURCE || (size_t)st.st_size > room) return "large";
    FILE *f = fopen(path, "re");
    if (!f) return "missing";
    *text = heddle_alloc((size_t)st.st_size + 1, WHAT);
    *bytes = fread(*text, 1, (size_t)st.st_size, f);
    fclose(f);
    for (size_t i = 0; i < *bytes; i++)
        if (!(*text)[i]) (*text)[i] = ' '; /* a reader takes lines as strings */
    return "there";
}

/* Paths of the source files that instructions come from, each once. */
struct paths {
    const char **of;
    size_t count, capacity;
};

static void add_paths(struct paths *paths, const struct code_profile *p) {
    const char *last = NULL;
    for (uint32_t i = 0; i < p->num_inst; i++) {
        const char *file = p->place[i].file;
        size_t at = 0;
        if (!file || file == last) continue;
        last = file;
        while (at < paths->count && strcmp(paths->of[at], file)) at++;
        if (at < paths->count) continue;
        paths->of = heddle_grow(paths->of, &paths->capacity, at + 1, sizeof *paths->of, WHAT);
        paths->of[paths->count++] = file;
    }
}

static void put_sources(const struct report *r, struct packed_writer *w,
                        const struct report_counted *list) {
    struct paths paths = {0};
    size_t room = MOST_SOURCES;
    for (size_t i = 0; i < list->count; i++) add_paths(&paths, list->of[i]);
    for (size_t i = 0; i < paths.count; i++) {
        char *text, head[60];
        size_t bytes;
        const char *state = read_source(r, paths.of[i], room, &text, &bytes);
        snprintf(head, sizeof head, "source %s %u ", state, lines_of(text, bytes));
        put(w, head);
        put(w, paths.of[i]);
        put(w, "\n");
        put_text(w, text, bytes);
        room -= bytes;
        free(text);
    }
    free(paths.of);
}

/* A kernel: its head, and a line for each instruction. */
static void put_kernel(struct packed_writer *w, const struct code_profile *p, uint32_t device,
                       size_t module) {
    char line[600];
    snprintf(line, sizeof line, "kernel %u %zu %u ", device, module, p->num_inst);
    put(w, line);
    put(w, p->symbol);
    put(w, " ");
    put(w, p->name);
    put(w, "\n");
    for (uint32_t i = 0; i < p->num_inst; i++) {
        mir_print_inst(line, sizeof line - 1, &p->inst[i], true);
        put(w, line);
        put(w, "\n");
    }
}

heddle_err report_code_write(const struct report *r, const struct report_counted *list,
                             const char *directory, struct report_packed *out,
                             struct heddle_diag *diag) {
    char path[1200];
    snprintf(path, sizeof path, "%s/code.txt.zst", directory);
    *out = (struct report_packed){0};
    heddle_err e = packed_writer_open(&out->writer, path, diag);
    if (e) return e;
    size_t *module = heddle_alloc_array(list->count, sizeof *module, WHAT), modules = 0;
    put(out->writer, "heddle-code 1\n");
    for (size_t i = 0; i < list->count; i++) {
        const size_t first = first_of_module(list, i);
        module[i] = first < i ? module[first] : modules++;
        if (first == i) put_module(out->writer, list->of[i]->ptx);
    }
    put_sources(r, out->writer, list);
    for (size_t i = 0; i < list->count; i++)
        put_kernel(out->writer, list->of[i], list->device[i], module[i]);
    e = packed_writer_commit(out->writer, &out->rows, &out->sum, diag);
    out->writer = NULL;
    out->ended = !e;
    free(module);
    return e;
}
