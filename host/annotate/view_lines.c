/* view_lines.c - makes the lines of a kernel of its instructions: sums, and which are hottest.
 * source_view_read() calls it when all files are read. */
#include <stdlib.h>
#include <string.h>

#include "annotate/view_internal.h"
#include "common/memory.h"

/* An instruction by its line, for sorting. */
struct entry {
    uint32_t file, line, inst;
};

/* By file, line and number; those of no line come last. */
static int compare_entries(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->file != y->file) return x->file < y->file ? -1 : 1;
    if (x->line != y->line) return x->line < y->line ? -1 : 1;
    return x->inst < y->inst ? -1 : 1;
}

static void add(struct source_counts *sum, const struct source_counts *c) {
#define CODE_COUNT(member, unit, meaning) sum->member += c->member;
#include "tables/code_counts.def"
}

/* A line, with what it is sorted by. */
struct heat {
    uint64_t cycles, warps;
    uint32_t line;
};

static int compare_heat(const void *a, const void *b) {
    const struct heat *x = a, *y = b;
    if (x->cycles != y->cycles) return x->cycles > y->cycles ? -1 : 1;
    if (x->warps != y->warps) return x->warps > y->warps ? -1 : 1;
    return x->line < y->line ? -1 : 1;
}

static void find_hottest(struct source_view *v, struct source_kernel *k) {
    struct heat *heat = heddle_alloc_array(k->num_lines, sizeof *heat, "lines of a kernel");
    for (uint32_t i = 0; i < k->num_lines; i++)
        heat[i] = (struct heat){source_cycles(&k->line[i].count), k->line[i].count.warps, i};
    qsort(heat, k->num_lines, sizeof *heat, compare_heat);
    k->hottest = ARENA_ARRAY(v->arena, uint32_t, k->num_lines);
    for (uint32_t i = 0; i < k->num_lines; i++) k->hottest[i] = heat[i].line;
    free(heat);
}

void view_make_lines(struct source_view *v, struct source_kernel *k) {
    struct entry *list = heddle_alloc_array(k->num_inst, sizeof *list, "lines of a kernel");
    uint32_t *inst = ARENA_ARRAY(v->arena, uint32_t, k->num_inst);
    for (uint32_t i = 0; i < k->num_inst; i++)
        list[i] = (struct entry){k->inst[i].file, k->inst[i].line, i};
    qsort(list, k->num_inst, sizeof *list, compare_entries);
    k->line = ARENA_ARRAY(v->arena, struct source_line, k->num_inst);
    for (uint32_t i = 0; i < k->num_inst; i++) {
        const struct entry *e = &list[i];
        struct source_line *l = k->num_lines ? &k->line[k->num_lines - 1] : NULL;
        if (!l || l->file != e->file || l->line != e->line) {
            l = &k->line[k->num_lines++];
            *l = (struct source_line){.file = e->file, .line = e->line, .inst = inst + i};
        }
        inst[i] = e->inst;
        l->num_inst++;
        k->inst[e->inst].of_line = k->num_lines - 1;
        add(&l->count, &k->inst[e->inst].count);
        add(&k->count, &k->inst[e->inst].count);
    }
    free(list);
    find_hottest(v, k);
}
