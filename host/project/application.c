/* application.c - projects the whole application to the targets: its kernels, copies and the gaps
 * between them; see application.h. project_all() calls application_project() once, and simulated.c
 * calls application_span(), on the main thread of `heddle project`. Times are microseconds. A
 * plan's arrays belong to the plan (plan_free()); out of memory ends the process.
 *
 * The order of the steps is the program's, and it stays: a step begins when the step before it in
 * its stream has ended, and no sooner after the step that ended last before it than on the source.
 * That step is the one that the program, an event or the copy engine waited for. The gap between
 * the two is the program's own time on the CPU, so it takes as long on the target. Steps that
 * overlap on the source overlap on the target as well, each with its own time. */
#include "project/application.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory.h"

enum { NO_STEP = -1 };

/* The steps in order of their begin, with what each waits for. */
struct plan {
    const struct project_step *step; /* the profile's */
    size_t count;
    const struct project_step **order; /* by begin */
    ptrdiff_t *in_stream;              /* the step before it in its stream; NO_STEP: none */
    ptrdiff_t *last;                   /* the step that ended last before it began */
    double *end;                       /* us on the target, while a target is worked out */
};

/* Comparisons of pointers to steps of one list; of equal ones, its order decides. */
static int by_place(const struct project_step *a, const struct project_step *b) {
    return (a > b) - (a < b);
}
/* Order for qsort(): by begin on the source. */
static int by_begin(const void *x, const void *y) {
    const struct project_step *a = *(const struct project_step *const *)x;
    const struct project_step *b = *(const struct project_step *const *)y;
    if (a->begin_us != b->begin_us) return a->begin_us < b->begin_us ? -1 : 1;
    return by_place(a, b);
}
/* Order for qsort(): by end on the source. */
static int by_end(const void *x, const void *y) {
    const struct project_step *a = *(const struct project_step *const *)x;
    const struct project_step *b = *(const struct project_step *const *)y;
    if (a->end_us != b->end_us) return a->end_us < b->end_us ? -1 : 1;
    return by_place(a, b);
}
/* By device and stream, then by begin. */
static int by_stream(const void *x, const void *y) {
    const struct project_step *a = *(const struct project_step *const *)x;
    const struct project_step *b = *(const struct project_step *const *)y;
    if (a->device != b->device) return a->device < b->device ? -1 : 1;
    if (a->stream != b->stream) return a->stream < b->stream ? -1 : 1;
    return by_begin(x, y);
}

/* Fills p->in_stream and p->last from the source's times. `order`: scratch room for p->count steps.
 * Needs p->order sorted by begin. */
static void find_waits(struct plan *p, const struct project_step **order) {
    size_t ended = 0;
    for (size_t i = 0; i < p->count; i++) p->in_stream[i] = p->last[i] = NO_STEP;
    for (size_t i = 0; i < p->count; i++) order[i] = &p->step[i];
    qsort(order, p->count, sizeof *order, by_stream);
    for (size_t i = 1; i < p->count; i++)
        if (order[i]->device == order[i - 1]->device && order[i]->stream == order[i - 1]->stream)
            p->in_stream[order[i] - p->step] = order[i - 1] - p->step;
    qsort(order, p->count, sizeof *order, by_end);
    for (size_t i = 0; i < p->count; i++) {
        const struct project_step *s = p->order[i];
        while (ended < p->count && order[ended]->end_us <= s->begin_us) ended++;
        /* A step of no length may end as it begins: it does not wait for itself. */
        size_t last = ended;
        while (last && order[last - 1] == s) last--;
        if (last) p->last[s - p->step] = order[last - 1] - p->step;
    }
}

/* Makes the plan of a timeline that has at least one step: sorts the steps by begin and finds what
 * each waits for. p->end has room for each step, but no times. Allocates; plan_free() frees. */
static void plan_make(struct plan *p, const struct project_kernels *kernels) {
    static const char what[] = "the application's timeline";
    *p = (struct plan){.step = kernels->steps, .count = kernels->num_steps};
    p->order = heddle_alloc_array(p->count, sizeof *p->order, what);
    p->in_stream = heddle_alloc_array(p->count, sizeof *p->in_stream, what);
    p->last = heddle_alloc_array(p->count, sizeof *p->last, what);
    p->end = heddle_alloc_array(p->count, sizeof *p->end, what);
    const struct project_step **room = heddle_alloc_array(p->count, sizeof *room, what);
    for (size_t i = 0; i < p->count; i++) p->order[i] = &p->step[i];
    qsort(p->order, p->count, sizeof *p->order, by_begin);
    find_waits(p, room);
    free(room);
}

/* Frees the arrays of the plan; the steps belong to the profile. */
static void plan_free(struct plan *p) {
    free(p->order);
    free(p->in_stream);
    free(p->last);
    free(p->end);
}

/* The time of a copy or fill on the target, us. A transfer's bytes take the link's bandwidth; the
 * rest of it is latency, which stays. Copies and fills within the device follow its memory's
 * bandwidth. Where a rate of one GPU is not known, the source's time stays. */
static double copy_us(const struct project_step *s, const struct capability *source,
                      const struct capability *target) {
    double us = s->end_us - s->begin_us;
    if (s->kind == STEP_DEVICE || s->kind == STEP_FILL) {
        enum capability_origin origin;
        double from = capability_rate(source, source, RATE_DRAM, &origin);
        double to = capability_rate(target, source, RATE_DRAM, &origin);
        return from > 0 && to > 0 ? us * from / to : us;
    }
    double from = capability_property(source, GPU_LINK, 0);
    double to = capability_property(target, GPU_LINK, 0);
    if (from <= 0 || to <= 0) return us;
    double transfer = fmin(us, s->bytes / from * 1e-3); /* GB/s are bytes/ns */
    return us - transfer + transfer * from / to;
}

/* One of the three times of a projection. */
enum time_of { TIME_LOW, TIME_CENTRE, TIME_HIGH };
static double time_of(const struct projection *p, enum time_of which) {
    return which == TIME_LOW ? p->low_us : which == TIME_HIGH ? p->high_us : p->centre_us;
}

/* The span of the application on a target when each kernel takes its time `which`, us. Overwrites
 * p->end with the ends of the steps there. Every kernel must have been projected. */
static double span_on(struct plan *p, const struct project_results *r, size_t target,
                      enum time_of which) {
    double first = INFINITY, end = 0;
    for (size_t i = 0; i < p->count; i++) {
        const struct project_step *step = p->order[i];
        ptrdiff_t s = step - p->step;
        ptrdiff_t before = p->in_stream[s], last = p->last[s];
        double begin = step->begin_us;
        if (last != NO_STEP) begin = p->end[last] + (step->begin_us - p->step[last].end_us);
        if (before != NO_STEP) begin = fmax(begin, p->end[before]);
        double us = step->kind == STEP_KERNEL
                        ? time_of(project_result(r, step->kernel, target), which)
                        : copy_us(step, r->source, r->targets[target]);
        p->end[s] = begin + us;
        first = fmin(first, begin);
        end = fmax(end, p->end[s]);
    }
    return end - first;
}

/* @return begin of the first step to end of the last one on the source, us; 0: no step. */
double application_span(const struct project_kernels *kernels) {
    double first = INFINITY, end = 0;
    for (size_t i = 0; i < kernels->num_steps; i++) {
        first = fmin(first, kernels->steps[i].begin_us);
        end = fmax(end, kernels->steps[i].end_us);
    }
    return kernels->num_steps ? end - first : 0;
}

/* Fills r->application_us (on the source) and the low, centre and high times of r->application[],
 * us. The kernels' projections are in r->at. Leaves both untouched, thus 0, without a timeline or
 * when a kernel was refused. Allocates a plan and frees it. */
void application_project(struct project_results *r) {
    struct plan p;
    if (!r->kernels->num_steps || r->num_refused) return;
    plan_make(&p, r->kernels);
    r->application_us = application_span(r->kernels);
    for (size_t t = 0; t < r->num_targets; t++) {
        r->application[t].low_us = span_on(&p, r, t, TIME_LOW);
        r->application[t].centre_us = span_on(&p, r, t, TIME_CENTRE);
        r->application[t].high_us = span_on(&p, r, t, TIME_HIGH);
    }
    plan_free(&p);
}
