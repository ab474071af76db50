/* ptx_weights.c - bounds how often the blocks of a kernel ran by a linear program; see
 * ptx_weights.h. ptx_kernels.c calls ptx_weights_find() for each kernel of a profile, on the main
 * thread of `heddle project`. Out of memory ends the process.
 *
 * Columns of the program are the ways between blocks: how often a thread takes each. A block runs
 * as often as the ways into it, and block 0 once more. Rows are the conditions of ptx_weights.h. */
#include "project/ptx_weights.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "project/linear_program.h"

/* Larger kernels would take too long. */
enum { MOST_WAYS = 400 };
/* How far counts of PTX may be off those of the machine code, for which ptxas merges and moves
 * operations; the least one that works is taken. */
static const double tolerances[] = {1e-6, 0.01, 0.02, 0.05, 0.1};
/* Added to it to find out whether executions are known. */
static const double doubt = 0.05;
/* The part of the kernel's instructions that its counts may be off by. */
static const double narrow = 0.01;

/* What the blocks of a kernel do in one execution by a thread; each list has one number a block. */
enum sums {
    SUM_FLOP32,
    SUM_FLOP64,
    SUM_MUFU,   /* special functions of single precision */
    SUM_INST,   /* instructions of special operations */
    SUM_EFFECT, /* instructions by which special operations differ between capabilities */
    NUM_SUMS
};

/* A kernel while its weights are found. */
struct finding {
    const struct ptx_flow *flow;
    const struct project_kernel *k;
    double each;          /* threads that enter */
    double *of[NUM_SUMS]; /* [sum][block] */
    struct linear_program lp;
};

/* ---- what blocks do -------------------------------------------------------------------------- */

static double all_of(const struct sass_counts *c) {
    double sum = 0;
    for (int i = 0; i < SASS_KINDS; i++) sum += c->of[i];
    return sum;
}

/* The most that two capabilities differ by in a form: instructions of all kinds. */
static double effect_of(const char *form, unsigned source) {
    const struct isa_expansion *own = isa_find(form, source, SASS_FAST);
    double most = 0;
    for (size_t i = 0; own && i < isa_expansions_count; i++) {
        const struct isa_expansion *other = &isa_expansions[i];
        double sum = 0;
        if (other->way != SASS_FAST || strcmp(other->form, form) != 0) continue;
        for (int kind = 0; kind < SASS_KINDS; kind++)
            sum += fabs((double)other->counts.of[kind] - own->counts.of[kind]);
        most = fmax(most, sum);
    }
    return most;
}

/* Adds a special operation to the sums of its block. */
static void add_special(struct finding *f, const struct ptx_special *s, unsigned source) {
    const struct isa_expansion *row = isa_find(s->form, source, SASS_FAST);
    if (!row) return;
    const int32_t *of = row->counts.of;
    size_t length = strlen(s->form);
    bool single = length > 4 && !strcmp(s->form + length - 4, ".f32");
    f->of[SUM_FLOP32][s->block] += of[SASS_FP32_ADD] + of[SASS_FP32_MUL] + 2.0 * of[SASS_FP32_FMA];
    f->of[SUM_FLOP64][s->block] += of[SASS_FP64_ADD] + of[SASS_FP64_MUL] + 2.0 * of[SASS_FP64_FMA];
    f->of[SUM_MUFU][s->block] += single ? of[SASS_MUFU] : 0;
    f->of[SUM_INST][s->block] += all_of(&row->counts);
    f->of[SUM_EFFECT][s->block] += effect_of(s->form, source);
}

/* Fills f->of, which it allocates. */
static void add_up(struct finding *f, unsigned source) {
    for (int s = 0; s < NUM_SUMS; s++)
        f->of[s] = heddle_alloc_array(f->flow->num_blocks, sizeof(double), "a kernel's blocks");
    for (size_t b = 0; b < f->flow->num_blocks; b++) {
        f->of[SUM_FLOP32][b] = f->flow->block[b].flop32;
        f->of[SUM_FLOP64][b] = f->flow->block[b].flop64;
    }
    for (size_t i = 0; i < f->flow->num_specials; i++) add_special(f, &f->flow->special[i], source);
}

/* ---- conditions ------------------------------------------------------------------------------ */

/* The sum of a list over all blocks, each times its executions. */
static double weighted(const struct finding *f, enum sums s, const double *executions) {
    double sum = 0;
    for (size_t b = 0; b < f->flow->num_blocks; b++) sum += f->of[s][b] * executions[b];
    return sum;
}

/* Adds a row: the sum of a list over all executions of a thread is at most `most`, or with sign -1
 * at least that. Rows are scaled to numbers about 1. */
static void add_row(struct finding *f, enum sums s, double sign, double most) {
    struct linear_program *p = &f->lp;
    double scale = sign / fmax(1, most);
    for (size_t w = 0; w < p->columns; w++) {
        uint32_t to = f->flow->way[w].to;
        if (to < f->flow->num_blocks) p->factor[p->rows * p->columns + w] = scale * f->of[s][to];
    }
    p->limit[p->rows] = scale * (most - f->of[s][0]);
    p->sense[p->rows++] = LINEAR_AT_MOST;
}

/* FLOP of a thread by the profile, NAN: not known. */
static double counted(const struct finding *f, enum project_metric add, enum project_metric mul,
                      enum project_metric fma) {
    const struct project_kernel *k = f->k;
    if (!k->known[add] || !k->known[mul] || !k->known[fma]) return NAN;
    return (k->of[add] + k->of[mul] + 2 * k->of[fma]) / f->each;
}

/* Adds what the profile counted, up to a tolerance. */
static void add_counts(struct finding *f, double tolerance) {
    const struct project_kernel *k = f->k;
    const double of[] = {
        [SUM_FLOP32] = counted(f, METRIC_FP32_ADD, METRIC_FP32_MUL, METRIC_FP32_FMA),
        [SUM_FLOP64] = counted(f, METRIC_FP64_ADD, METRIC_FP64_MUL, METRIC_FP64_FMA),
        [SUM_MUFU] = k->known[METRIC_SPECIAL] ? k->of[METRIC_SPECIAL] / f->each : NAN,
    };
    for (enum sums s = SUM_FLOP32; s <= SUM_MUFU; s++) {
        if (isnan(of[s])) continue;
        add_row(f, s, 1, of[s] * (1 + tolerance));
        /* The units may also run special functions of other precisions. */
        if (s != SUM_MUFU) add_row(f, s, -1, of[s] * (1 - tolerance));
    }
    add_row(f, SUM_INST, 1, k->of[METRIC_THREAD_INST] / f->each);
}

/* Makes the program: as many threads leave a block as enter it, and `tolerance` of the counts. */
static void make_program(struct finding *f, double tolerance) {
    struct linear_program *p = &f->lp;
    for (size_t b = 0; b < f->flow->num_blocks; b++) {
        double *row = p->factor + b * p->columns;
        memset(row, 0, p->columns * sizeof *row);
        for (size_t w = 0; w < p->columns; w++)
            row[w] = (double)(f->flow->way[w].from == b) - (double)(f->flow->way[w].to == b);
        p->limit[b] = b == 0;
        p->sense[b] = LINEAR_EQUAL;
    }
    p->rows = f->flow->num_blocks;
    size_t rest = p->columns * 2 * NUM_SUMS;
    memset(p->factor + p->rows * p->columns, 0, rest * sizeof *p->factor);
    add_counts(f, tolerance);
}

/* executions[block] of a thread, from how often it takes each way. */
static void executions_of(const struct finding *f, const double *taken, double *executions) {
    for (size_t b = 0; b < f->flow->num_blocks; b++) executions[b] = b == 0;
    for (size_t w = 0; w < f->flow->num_ways; w++)
        if (f->flow->way[w].to < f->flow->num_blocks) executions[f->flow->way[w].to] += taken[w];
}

/* The executions with the least (sign 1) or greatest (sign -1) effect of special operations. */
static enum linear_result extreme(struct finding *f, double sign, double *executions) {
    static const char what[] = "a kernel's ways";
    double *cost = heddle_alloc_array(f->lp.columns, sizeof *cost, what);
    double *taken = heddle_alloc_array(f->lp.columns, sizeof *taken, what);
    for (size_t w = 0; w < f->lp.columns; w++) {
        uint32_t to = f->flow->way[w].to;
        cost[w] = to < f->flow->num_blocks ? sign * f->of[SUM_EFFECT][to] : 0;
    }
    enum linear_result result = linear_minimum(&f->lp, cost, taken);
    if (result == LINEAR_FOUND) executions_of(f, taken, executions);
    free(cost);
    free(taken);
    return result;
}

/* Both extremes under a tolerance. */
static enum linear_result bounds(struct finding *f, double tolerance, double *least, double *most) {
    make_program(f, tolerance);
    enum linear_result result = extreme(f, 1, least);
    return result == LINEAR_FOUND ? extreme(f, -1, most) : result;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* All blocks alike: as often as gives the profile's instructions. */
static void set_alike(const struct finding *f, double *executions) {
    double sum = 0;
    for (size_t b = 0; b < f->flow->num_blocks; b++)
        sum += f->flow->block[b].instructions + f->of[SUM_INST][b];
    for (size_t b = 0; b < f->flow->num_blocks; b++)
        executions[b] = f->k->of[METRIC_THREAD_INST] / f->each / fmax(1, sum);
}

/* Sets *executions, which has all blocks alike, to what lies between the two extremes and has the
 * nearest effect. */
static void place_between(const struct finding *f, double *executions, const double *least,
                          const double *most) {
    double from = weighted(f, SUM_EFFECT, least), to = weighted(f, SUM_EFFECT, most);
    double at = weighted(f, SUM_EFFECT, executions);
    double way = to > from ? fmin(1, fmax(0, (at - from) / (to - from))) : 0.5;
    for (size_t b = 0; b < f->flow->num_blocks; b++)
        executions[b] = least[b] + way * (most[b] - least[b]);
}

/* Places *executions, which has all blocks alike, within the bounds of the least tolerance under
 * which there are any. Whether they are known is asked under a larger one: a tolerance that just
 * works leaves no room, whatever is wrong. */
static enum ptx_certainty fit(struct finding *f, double *executions, double *least, double *most) {
    size_t t = 0;
    enum linear_result result = LINEAR_IMPOSSIBLE;
    for (; t < sizeof tolerances / sizeof *tolerances && result == LINEAR_IMPOSSIBLE; t++)
        result = bounds(f, tolerances[t], least, most);
    if (result == LINEAR_IMPOSSIBLE) return PTX_CONTRADICTED;
    if (result != LINEAR_FOUND) return PTX_STATIC;
    place_between(f, executions, least, most);
    if (bounds(f, tolerances[t - 1] + doubt, least, most) != LINEAR_FOUND) return PTX_STATIC;
    double spread = weighted(f, SUM_EFFECT, most) - weighted(f, SUM_EFFECT, least);
    return spread * f->each <= narrow * f->k->of[METRIC_THREAD_INST] ? PTX_IDENTIFIED : PTX_STATIC;
}

/* Allocates what fit() works with, and calls it. */
static enum ptx_certainty find_within(struct finding *f, double *executions) {
    static const char what[] = "a linear program";
    size_t rows = f->flow->num_blocks + 2 * NUM_SUMS;
    struct linear_program *p = &f->lp;
    p->columns = f->flow->num_ways;
    p->factor = heddle_alloc_array(rows * p->columns, sizeof *p->factor, what);
    p->limit = heddle_alloc_array(rows, sizeof *p->limit, what);
    p->sense = heddle_alloc_array(rows, sizeof *p->sense, what);
    double *least = heddle_alloc_array(f->flow->num_blocks, sizeof *least, what);
    double *most = heddle_alloc_array(f->flow->num_blocks, sizeof *most, what);
    enum ptx_certainty certainty = fit(f, executions, least, most);
    free(least);
    free(most);
    free(p->factor);
    free(p->limit);
    free(p->sense);
    return certainty;
}

/* Sets threads[block]; see the header. */
enum ptx_certainty ptx_weights_find(double *threads, const struct ptx_flow *flow,
                                    const struct project_kernel *k, unsigned source) {
    double entering = k->of[METRIC_CTAS] * k->of[METRIC_CTA_THREADS];
    struct finding f = {.flow = flow, .k = k, .each = entering > 0 ? entering : 1};
    enum ptx_certainty certainty = PTX_STATIC;
    add_up(&f, source);
    set_alike(&f, threads);
    if (entering > 0 && flow->num_ways <= MOST_WAYS) certainty = find_within(&f, threads);
    for (size_t b = 0; b < flow->num_blocks; b++) threads[b] *= f.each;
    for (int s = 0; s < NUM_SUMS; s++) free(f.of[s]);
    return certainty;
}
