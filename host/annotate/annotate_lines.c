/* annotate_lines.c - all lines of a kernel in their order, each with its instructions of PTX and
 * MIR under it; contracts in annotate_internal.h. Parts of a file without instructions of the
 * kernel are left out. */
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate_internal.h"
#include "common/memory.h"

enum {
    AROUND = 2, /* lines without instructions that are shown beside others */
    WIDE = 120, /* columns that have room for all cells, and for control information */
};

/* Prints a line of text with the counts in front; without counts: blanks. */
static void print_line(const struct annotate_page *p, const struct source_counts *c,
                       const char *place, const char *text) {
    char cells[CELLS];
    const bool brief = p->o->width < WIDE;
    unsigned used = annotate_heads(p, brief, cells);
    if (c) {
        annotate_colour(p, annotate_weight(p, c));
        used = annotate_cells(p, c, brief, cells);
        fputs(cells, p->out);
        annotate_plain(p);
    } else {
        fprintf(p->out, "%*s", (int)used, "");
    }
    fputs(place, p->out);
    used += (unsigned)strlen(place);
    annotate_text(p, text, p->o->width > used ? p->o->width - used : 0);
    fputc('\n', p->out);
}

static void add(struct source_counts *sum, const struct source_counts *c) {
#define CODE_COUNT(member, unit, meaning) sum->member += c->member;
#include "tables/code_counts.def"
}

/* An instruction by its PTX line, for sorting. */
struct by_ptx {
    uint32_t ptx_line, inst;
};
static int compare_ptx(const void *a, const void *b) {
    const struct by_ptx *x = a, *y = b;
    if (x->ptx_line != y->ptx_line) return x->ptx_line < y->ptx_line ? -1 : 1;
    return x->inst < y->inst ? -1 : 1;
}

static void print_mir(const struct annotate_page *p, uint32_t number) {
    char place[24];
    const char *text = p->k->inst[number].text, *control = strstr(text, "  ");
    if (p->o->width < WIDE && control) text = control + 2; /* without control information */
    snprintf(place, sizeof place, "%*s%5u  ", p->o->ptx ? 8 : 6, "", number);
    print_line(p, &p->k->inst[number].count, place, text);
}

/* Prints the instructions of a line by their PTX. */
static void print_ptx(const struct annotate_page *p, const struct source_line *l) {
    struct by_ptx *order = heddle_alloc_array(l->num_inst, sizeof *order, "a line's instructions");
    for (uint32_t i = 0; i < l->num_inst; i++)
        order[i] = (struct by_ptx){p->k->inst[l->inst[i]].ptx_line, l->inst[i]};
    qsort(order, l->num_inst, sizeof *order, compare_ptx);
    for (uint32_t i = 0, end; i < l->num_inst; i = end) {
        const uint32_t ptx_line = order[i].ptx_line;
        struct source_counts sum = {0};
        char place[24];
        for (end = i; end < l->num_inst && order[end].ptx_line == ptx_line; end++)
            add(&sum, &p->k->inst[order[end].inst].count);
        const char *text = annotate_ptx(p, ptx_line);
        snprintf(place, sizeof place, "%7s%5u  ", "ptx", ptx_line);
        if (ptx_line) print_line(p, &sum, place, text ? text : "(no text)");
        for (uint32_t n = i; p->o->mir && n < end; n++) print_mir(p, order[n].inst);
    }
    free(order);
}

static void print_inside(const struct annotate_page *p, const struct source_line *l) {
    if (p->o->ptx)
        print_ptx(p, l);
    else if (p->o->mir)
        for (uint32_t i = 0; i < l->num_inst; i++) print_mir(p, l->inst[i]);
}

/* Prints lines without instructions: [from, to) of a file, or what is near to others of it. */
static void print_between(const struct annotate_page *p, uint32_t file, uint32_t from, uint32_t to,
                          bool first) {
    const struct source_text *t = &p->v->file[file].text;
    const uint32_t count = to - from;
    bool dots = false;
    for (uint32_t line = from; line < to; line++) {
        char place[24];
        const bool after = !first && line - from < AROUND, before = to - line <= AROUND;
        if (count > 2 * AROUND + 2 && !after && !before) {
            if (!dots && !first) print_line(p, NULL, "  ...", "");
            dots = true;
            continue;
        }
        if (line > t->count) return;
        snprintf(place, sizeof place, "%5u  ", line);
        print_line(p, NULL, place, t->line[line - 1]);
    }
}

/* Prints the lines [from, to) of the kernel, which are of one file. */
static void print_file(const struct annotate_page *p, uint32_t from, uint32_t to) {
    const struct source_kernel *k = p->k;
    const uint32_t file = k->line[from].file;
    const bool there = file != SOURCE_NOWHERE && p->v->file[file].state == SOURCE_THERE;
    char heads[CELLS];
    uint32_t next = 1;
    annotate_heads(p, p->o->width < WIDE, heads);
    if (file == SOURCE_NOWHERE)
        fprintf(p->out, "%s line  of no source line\n", heads);
    else
        fprintf(p->out, "%s line  %s\n", heads, p->v->file[file].path);
    for (uint32_t i = from; i < to; i++) {
        const struct source_line *l = &k->line[i];
        const char *text = annotate_source(p, file, l->line);
        char place[24];
        if (there) print_between(p, file, next, l->line, i == from);
        next = l->line + 1;
        snprintf(place, sizeof place, "%5u  ", l->line);
        if (file == SOURCE_NOWHERE) snprintf(place, sizeof place, "%5s  ", "");
        print_line(p, &l->count, place, text ? text : "");
        print_inside(p, l);
    }
    if (there) {
        const uint32_t last = p->v->file[file].text.count;
        print_between(p, file, next, next + AROUND > last ? last + 1 : next + AROUND, false);
    }
}

void annotate_all_lines(const struct annotate_page *p) {
    const struct source_kernel *k = p->k;
    annotate_missing(p);
    for (uint32_t i = 0, end; i < k->num_lines; i = end) {
        for (end = i; end < k->num_lines && k->line[end].file == k->line[i].file; end++) continue;
        print_file(p, i, end);
    }
}
