/* project.c - projects every kernel of a profile to every target GPU and adds the times up;
 * contracts in project.h. cmd_project.c calls it on the main thread of `heddle project`. Results
 * borrow the profile and the GPUs; out of memory ends the process. */
#include "project/project.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "project/application.h"
#include "project/capability_clock.h"
#include "project/isa_compile.h"

/* The models and their functions, by enum project_model. */
static const struct {
    const char *name;
    heddle_err (*project)(const struct project_kernel *k, const struct project_kernel *on_target,
                          const struct capability *source, const struct capability *target,
                          const struct project_terms *terms, struct projection *out,
                          struct heddle_diag *diag);
} models[] = {
    [MODEL_PAPER] = {"paper", project_paper},
    [MODEL_HEDDLE] = {"heddle", project_heddle},
};
enum { NUM_MODELS = sizeof models / sizeof *models };

/* @return "paper" or "heddle": static text. */
const char *project_model_name(enum project_model m) {
    return models[m].name;
}

/* *out: the model of that name ("paper", "heddle"). @return false: there is none; *out is then
 * untouched. */
bool project_model_find(const char *name, enum project_model *out) {
    for (int m = 0; m < NUM_MODELS; m++) {
        if (strcmp(models[m].name, name)) continue;
        *out = (enum project_model)m;
        return true;
    }
    return false;
}

/* @return the source GPU at the clock of kernel i: r->source, or a copy in *room. */
const struct capability *project_source(struct capability *room, const struct project_results *r,
                                        size_t kernel) {
    return capability_at_clock(room, r->source, &r->kernels->at[kernel]);
}

/* Fills *there: kernel `k` as target t executes it. The two are the same where the profile does not
 * count special operations, or the term is off. @return an error of isa.h. */
static heddle_err convert(const struct project_results *r, const struct project_kernel *k, size_t t,
                          struct project_kernel *there, struct heddle_diag *diag) {
    unsigned capability, from = k->special_from ? k->special_from : ISA_HEDDLE;
    *there = *k;
    if (!k->num_special || r->terms.off[TERM_ISA]) return HEDDLE_OK;
    heddle_err e = isa_of(&capability, r->targets[t], diag);
    if (e) return e;
    if (k->program && isa_program_has(k->program, capability))
        return isa_program_on_target(there, k, k->program, k->special_lines, k->num_special_lines,
                                     capability, diag);
    return isa_on_target(there, k, k->special, k->num_special, from, capability, diag);
}

/* Projects kernel i to every target and adds its times to the sums of *r. If one target's
 * projection fails, the kernel is refused: it keeps that message in r->refused[i] and counts in no
 * sum. */
static void project_kernel(struct project_results *r, size_t i) {
    const struct project_kernel *k = &r->kernels->at[i];
    struct projection *p = &r->at[i * r->num_targets];
    struct capability room;
    const struct capability *source = project_source(&room, r, i);
    for (size_t t = 0; t < r->num_targets; t++) {
        struct project_kernel there;
        heddle_err e = convert(r, k, t, &there, &r->refused[i]);
        if (!e)
            e = models[r->model].project(k, &there, source, r->targets[t], &r->terms, &p[t],
                                         &r->refused[i]);
        if (e) {
            r->num_refused++;
            return;
        }
        p[t].warp_inst = there.of[METRIC_WARP_INST];
        p[t].thread_inst = there.of[METRIC_THREAD_INST];
    }
    r->measured_us += k->of[METRIC_TIME];
    for (size_t t = 0; t < r->num_targets; t++) {
        r->total[t].low_us += p[t].low_us;
        r->total[t].centre_us += p[t].centre_us;
        r->total[t].high_us += p[t].high_us;
    }
}

/* Fills *out: projects every kernel to every target by `model`, whose switched-off terms are in
 * *terms. Allocates the projections, messages and sums, which project_results_clear() frees.
 * Kernels that cannot be projected are counted in out->num_refused; there is no other error. */
void project_all(struct project_results *out, enum project_model model,
                 const struct project_terms *terms, const struct project_kernels *kernels,
                 const struct capability *source, const struct capability *const *targets,
                 size_t num_targets) {
    *out = (struct project_results){
        .model = model,
        .terms = *terms,
        .kernels = kernels,
        .source = source,
        .targets = targets,
        .num_targets = num_targets,
        .at = heddle_alloc_array(kernels->count * num_targets, sizeof *out->at, "projections"),
        .refused = heddle_alloc_array(kernels->count, sizeof *out->refused, "messages"),
        .total = heddle_alloc_array(num_targets, sizeof *out->total, "sums of projections"),
        .application = heddle_alloc_array(num_targets, sizeof *out->application, "applications"),
    };
    for (size_t i = 0; i < kernels->count; i++) project_kernel(out, i);
    application_project(out);
}

/* Frees what project_all() allocated and the times of read_measured(), and zeroes *r. Profile and
 * GPUs stay. */
void project_results_clear(struct project_results *r) {
    free(r->at);
    free(r->refused);
    free(r->total);
    free(r->application);
    free(r->measured_target);
    *r = (struct project_results){0};
}
