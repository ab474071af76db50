/* annotate_head.c - what is above the lines of a kernel, and its hottest lines; contracts in
 * annotate.h. `heddle annotate` calls it on its main thread. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotate_internal.h"

enum { LEAST_TEXT = 34, INDENT = 8 }; /* columns: a narrower text goes into a line of its own */

/* ---- the head */

static uint64_t time_of_all(const struct source_view *v) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < v->num_kernels; i++) sum += v->kernel[i].time_ps;
    return sum;
}

static bool on_several(const struct source_view *v) {
    for (uint32_t i = 0; i < v->num_kernels; i++)
        if (v->kernel[i].device) return true;
    return false;
}

static void print_head(const struct annotate_page *p) {
    const struct source_kernel *k = p->k;
    const uint64_t all = time_of_all(p->v);
    fprintf(p->out, "%s", k->name);
    if (on_several(p->v)) fprintf(p->out, " on GPU %u", k->device);
    fprintf(p->out, ": %llu launch%s, grid %u x %u x %u, block %u x %u x %u%s\n",
            (unsigned long long)k->launches, k->launches == 1 ? "" : "es", k->grid[0], k->grid[1],
            k->grid[2], k->block[0], k->block[1], k->block[2], k->shapes ? " and others" : "");
    if (k->stopped)
        fprintf(p->out, "  %llu of them stopped before the end, at CTA %llu of %llu\n",
                (unsigned long long)k->stopped, (unsigned long long)k->ctas_done,
                (unsigned long long)k->ctas);
    fprintf(p->out, "  %.2f us, %.1f %% of the kernels' time, %llu cycles",
            (double)k->time_ps * 1e-6, annotate_share(k->time_ps, all),
            (unsigned long long)k->cycles);
    if (isfinite(k->occupancy) && isfinite(k->theoretical_occupancy))
        fprintf(p->out, "\n  occupancy %.1f of %.1f %%", 100 * k->occupancy,
                100 * k->theoretical_occupancy);
    if (p->has.waits && k->sub_core_cycles)
        fprintf(p->out, "; sub-cores had a warp in %.1f %% of their cycles",
                annotate_share(p->all, k->sub_core_cycles));
    fputc('\n', p->out);
    if (!p->has.waits)
        fprintf(p->out, "  The timing core told of no issues: shares are of executions, and there "
                        "are no waits\n");
}

/* ---- the hottest lines */

/* The instruction of a line with the most weight. */
static const struct source_inst *hottest_inst(const struct annotate_page *p,
                                              const struct source_line *l) {
    const struct source_inst *best = &p->k->inst[l->inst[0]];
    for (uint32_t i = 1; i < l->num_inst; i++) {
        const struct source_inst *inst = &p->k->inst[l->inst[i]];
        if (annotate_weight(p, &inst->count) > annotate_weight(p, &best->count)) best = inst;
    }
    return best;
}

/* Whether the kernel's lines are in several files. */
static bool in_several_files(const struct source_kernel *k) {
    for (uint32_t i = 0; i < k->num_lines; i++)
        if (k->line[i].file != k->line[0].file && k->line[i].file != SOURCE_NOWHERE) return true;
    return false;
}

/* Prints where a row is: "12", "a.cu:12", "ptx 61". @return its columns. */
static unsigned print_place(const struct annotate_page *p, uint32_t file, uint32_t line,
                            uint32_t ptx_line, bool several) {
    int n;
    if (file == SOURCE_NOWHERE && !ptx_line)
        n = fprintf(p->out, "no line ");
    else if (file == SOURCE_NOWHERE)
        n = fprintf(p->out, "ptx %u ", ptx_line);
    else if (several)
        n = fprintf(p->out, "%s:%u ", annotate_name(p->v->file[file].path), line);
    else
        n = fprintf(p->out, "%5u ", line);
    return n > 0 ? (unsigned)n : 0;
}

/* Prints a row: counts, place and text; the text goes into a line of its own if room is short. */
static void print_row(const struct annotate_page *p, const struct source_counts *c, uint32_t file,
                      uint32_t line, const struct source_inst *inst, bool several) {
    char cells[CELLS];
    const char *text = annotate_source(p, file, line), *kind = "";
    if (!text) {
        text = annotate_ptx(p, inst->ptx_line);
        kind = file == SOURCE_NOWHERE ? "" : "ptx: ";
    }
    if (!text) text = inst->text;
    text += strspn(text, " \t");
    annotate_colour(p, annotate_weight(p, c));
    unsigned used = annotate_cells(p, c, false, cells);
    fputs(cells, p->out);
    annotate_plain(p);
    used += print_place(p, file, line, inst->ptx_line, several);
    if (used + LEAST_TEXT > p->o->width) {
        fprintf(p->out, "\n%*s", INDENT, "");
        used = INDENT;
    }
    fputs(kind, p->out);
    used += (unsigned)strlen(kind);
    annotate_text(p, text, p->o->width > used ? p->o->width - used : 0);
    fputc('\n', p->out);
}

/* The instructions with the most weight, for a kernel without lines. */
static void print_instructions(const struct annotate_page *p) {
    bool *done = calloc(p->k->num_inst + 1, sizeof *done);
    for (unsigned n = 0; done && n < p->o->top; n++) {
        uint32_t best = SOURCE_NOWHERE;
        for (uint32_t i = 0; i < p->k->num_inst; i++) {
            const uint64_t w = annotate_weight(p, &p->k->inst[i].count);
            if (w && !done[i] &&
                (best == SOURCE_NOWHERE || w > annotate_weight(p, &p->k->inst[best].count)))
                best = i;
        }
        if (best == SOURCE_NOWHERE) break;
        done[best] = true;
        const struct source_inst *inst = &p->k->inst[best];
        print_row(p, &inst->count, SOURCE_NOWHERE, 0, inst, false);
    }
    free(done);
}

static void print_hottest(const struct annotate_page *p) {
    const struct source_kernel *k = p->k;
    char heads[CELLS];
    const bool lines = k->num_lines > 1 || k->line[0].file != SOURCE_NOWHERE;
    const bool several = lines && in_several_files(k);
    annotate_heads(p, false, heads);
    if (!lines)
        fprintf(p->out, "The program was compiled without -lineinfo: lines of its PTX\n");
    else if (!several)
        fprintf(p->out, "Hottest lines of %s\n", p->v->file[k->line[0].file].path);
    annotate_missing(p);
    fprintf(p->out, "%s%s\n", heads, !lines ? "place" : several ? "line" : " line");
    if (!lines) {
        print_instructions(p);
        return;
    }
    uint32_t n = 0;
    for (; n < k->num_lines && n < p->o->top; n++) {
        const struct source_line *l = &k->line[k->hottest[n]];
        if (!annotate_weight(p, &l->count)) break;
        print_row(p, &l->count, l->file, l->line, hottest_inst(p, l), several);
    }
    if (n < k->num_lines && n == p->o->top)
        fprintf(p->out, "  and %u more line%s (--top, --lines)\n", k->num_lines - n,
                k->num_lines - n == 1 ? "" : "s");
}

void annotate_print(const struct source_view *v, uint32_t kernel, const struct annotate_options *o,
                    FILE *out) {
    struct annotate_options options = *o;
    if (options.width < 60) options.width = 60;
    struct annotate_page p = {.v = v, .k = &v->kernel[kernel], .o = &options, .out = out};
    const struct source_counts *c = &p.k->count;
    p.has = (struct annotate_columns){.waits = v->has_waits,
                                      .sectors = c->requests != 0,
                                      .conflicts = c->shared_passes != 0,
                                      .l1 = c->l1_sectors != 0};
    p.all = annotate_weight(&p, c);
    print_head(&p);
    if (o->lines || o->ptx || o->mir)
        annotate_all_lines(&p);
    else
        print_hottest(&p);
}

void annotate_list(const struct source_view *v, FILE *out) {
    const uint64_t all = time_of_all(v);
    const bool several = on_several(v);
    for (uint32_t i = 0; i < v->num_kernels; i++) {
        const struct source_kernel *k = &v->kernel[i];
        fprintf(out, "  %3u  %5.1f %%  %s", i, annotate_share(k->time_ps, all), k->name);
        if (several) fprintf(out, " on GPU %u", k->device);
        if (strcmp(k->symbol, k->name)) fprintf(out, " (%s)", k->symbol);
        fputc('\n', out);
    }
}
