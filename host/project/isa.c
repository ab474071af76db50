/* isa.c - changes a kernel's instruction counts to those of the target's instruction set, from the
 * table of special operations; see isa.h. project.c calls isa_of() and isa_on_target() for each
 * kernel and target, heddle_model.c isa_of(), and isa_compile.c the functions for it, on the main
 * thread of `heddle project`. Functions write only their results, the metrics of *out and the text
 * in *diag; they allocate nothing. */
#include "project/isa.h"

#include <math.h>
#include <string.h>

/* *capability: the rows of the table for the GPU, 10 * major + minor, and 75 for Volta. @return
 * HEDDLE_ERR_CONFIG: the table has none for it; *capability is set nevertheless. */
heddle_err isa_of(unsigned *capability, const struct capability *gpu, struct heddle_diag *diag) {
    unsigned major = (unsigned)gpu->property[GPU_MAJOR].value;
    unsigned minor = (unsigned)gpu->property[GPU_MINOR].value;
    *capability = major == 7 && minor < 5 ? 75 : 10 * major + minor;
    for (size_t i = 0; i < isa_expansions_count; i++)
        if (isa_expansions[i].capability == *capability) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                       "%s: tables/sass_expansions.def has no instructions of compute capability "
                       "%u.%u; add it to tools/expansions and make the table again",
                       gpu->name, major, minor);
}

/* The metric in which a kind of instruction counts; -1: in none but the totals. */
static const int metric_of[SASS_KINDS] = {METRIC_FP16_ADD, METRIC_FP16_MUL, METRIC_FP16_FMA,
                                          METRIC_FP32_ADD, METRIC_FP32_MUL, METRIC_FP32_FMA,
                                          METRIC_FP64_ADD, METRIC_FP64_MUL, METRIC_FP64_FMA,
                                          METRIC_SPECIAL,  METRIC_INTEGER,  -1};

/* Checks the numbers of an execution: none is negative, and no more lanes are slow than there are.
 * @return HEDDLE_ERR_ARGUMENT, with kernel and form in *diag. */
static heddle_err check(const struct project_kernel *k, const struct isa_execution *x,
                        struct heddle_diag *diag) {
    /* written so that a NaN fails as well */
    if (x->threads >= 0 && x->warps >= 0 && x->slow >= 0 && x->slow <= x->threads) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                       "kernel %s (launch %llu): %s: %g lanes, %g of them slow, in %g warps",
                       k->name, (unsigned long long)k->launch, x->form, x->threads, x->slow,
                       x->warps);
}

/* Finds the counts of a form for a capability and way; a form without a slow way has its fast one.
 * @return NULL: *diag says which row is missing. */
static const struct sass_counts *find(const struct project_kernel *k, const char *form,
                                      unsigned capability, enum sass_way way,
                                      struct heddle_diag *diag) {
    const struct isa_expansion *row = isa_find(form, capability, way);
    if (!row) row = isa_find(form, capability, SASS_FAST); /* it has no slow way */
    if (row) return &row->counts;
    heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                "kernel %s (launch %llu): %s: tables/sass_expansions.def does not have it for "
                "compute capability %u.%u",
                k->name, (unsigned long long)k->launch, form, capability / 10, capability % 10);
    return NULL;
}

/* Adds to a metric of *out that is known; others stay unknown. */
static void change(struct project_kernel *out, int metric, double by) {
    if (out->known[metric]) out->of[metric] += by;
}

/* Adds to the metrics of *out that are known the difference of two expansions, `to` less `from`:
 * operations and thread instructions times `threads` lanes, warp instructions times `warps`.
 * `halves`: operations of a half-precision instruction (2 for packed ones). */
void isa_add_difference(struct project_kernel *out, const struct sass_counts *from,
                        const struct sass_counts *to, double threads, double warps, int halves) {
    int instructions = 0;
    for (int kind = 0; kind < SASS_KINDS; kind++) {
        int more = to->of[kind] - from->of[kind];
        int operations = kind <= SASS_FP16_FMA ? halves : 1;
        instructions += more;
        if (metric_of[kind] >= 0) change(out, metric_of[kind], threads * more * operations);
    }
    change(out, METRIC_THREAD_INST, threads * instructions);
    change(out, METRIC_WARP_INST, warps * instructions);
}

/* Adds to *out the difference of a form's expansions from `source` to `target` for `threads` lanes
 * in `warps` warps of one way. @return HEDDLE_ERR_ARGUMENT: the table lacks the form; *out is
 * unchanged. */
static heddle_err add_way(struct project_kernel *out, const char *form, enum sass_way way,
                          double threads, double warps, unsigned source, unsigned target,
                          struct heddle_diag *diag) {
    const struct sass_counts *from = find(out, form, source, way, diag);
    const struct sass_counts *to = from ? find(out, form, target, way, diag) : NULL;
    if (!to) return HEDDLE_ERR_ARGUMENT;
    isa_add_difference(out, from, to, threads, warps, strstr(form, "16x2") ? 2 : 1);
    return HEDDLE_OK;
}

/* @return mean active lanes of the kernel's instructions; 32 where they are unknown. */
double isa_mean_lanes(const struct project_kernel *k) {
    double warps = k->of[METRIC_WARP_INST], threads = k->of[METRIC_THREAD_INST];
    return warps > 0 && threads > 0 ? threads / warps : 32;
}

/* Checks that no metric of *out that `k` knows is below 0 by more than rounding. @return
 * HEDDLE_ERR_ARGUMENT. */
heddle_err isa_check(const struct project_kernel *out, const struct project_kernel *k,
                     struct heddle_diag *diag) {
    for (int m = 0; m < NUM_PROJECT_METRICS; m++)
        if (k->known[m] && out->of[m] < -1e-9 * fabs(k->of[m]))
            return heddle_fail(
                diag, HEDDLE_ERR_ARGUMENT,
                "kernel %s (launch %llu): its special operations take %g from %s, of "
                "which the profile has %g: the list is not this kernel's",
                k->name, (unsigned long long)k->launch, k->of[m] - out->of[m],
                project_metric_rows[m].name, k->of[m]);
    return HEDDLE_OK;
}

/* Fills *out with `k` as the target's instruction set has it: adds the difference of the expansions
 * for each of the `count` executions of `list`. source, target: capabilities of the table
 * (isa_of()). @return HEDDLE_ERR_ARGUMENT, with kernel and form in *diag: a form is not in the
 * table, its numbers are wrong, or a count would become negative. *out is then incomplete. */
heddle_err isa_on_target(struct project_kernel *out, const struct project_kernel *k,
                         const struct isa_execution *list, size_t count, unsigned source,
                         unsigned target, struct heddle_diag *diag) {
    double lanes = isa_mean_lanes(k);
    *out = *k;
    for (size_t i = 0; i < count; i++) {
        const struct isa_execution *x = &list[i];
        heddle_err e = check(k, x, diag);
        if (e) return e;
        /* Warps split by operands like their lanes. */
        double warps = x->warps > 0 ? x->warps : x->threads / lanes;
        double part = x->threads > 0 ? x->slow / x->threads : 0;
        e = add_way(out, x->form, SASS_FAST, x->threads - x->slow, warps * (1 - part), source,
                    target, diag);
        if (!e) e = add_way(out, x->form, SASS_SLOW, x->slow, warps * part, source, target, diag);
        if (e) return e;
    }
    return isa_check(out, k, diag);
}
