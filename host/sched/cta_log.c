/* cta_log.c - see cta_log.h. */
#include "sched/cta_log.h"

#include <stdlib.h>

#include "common/memory.h"
#include "timing/group.h"

static const char WHAT[] = "the CTAs of a timeline";

struct cta_log *cta_log_create(uint32_t num_sms) {
    struct cta_log *log = heddle_alloc(sizeof *log, WHAT);
    log->begun = heddle_alloc_array((size_t)num_sms * TIMING_MAX_CTAS, sizeof *log->begun, WHAT);
    return log;
}

void cta_log_free(struct cta_log *log) {
    if (!log) return;
    free(log->ended);
    free(log->begun);
    free(log);
}

/* The CTA slot of the GPU. */
static struct cta_begun *begun_at(struct cta_log *log, const struct occupancy_table_place *place) {
    return &log->begun[place->sm * TIMING_MAX_CTAS + place->cta];
}

void cta_log_begin(struct cta_log *log, const struct occupancy_table_place *place, uint64_t number,
                   uint64_t cycle) {
    *begun_at(log, place) = (struct cta_begun){number, cycle};
}

void cta_log_end(struct cta_log *log, const struct kernel *k,
                 const struct occupancy_table_place *place, uint64_t cycle) {
    const struct cta_begun *b = begun_at(log, place);
    log->ended = heddle_grow(log->ended, &log->cap_ended, log->num_ended + 1, sizeof *log->ended,
                             WHAT);
    log->ended[log->num_ended++] = (struct cta_span){.kernel = k,
                                                     .number = b->number,
                                                     .begin_cycle = b->cycle,
                                                     .end_cycle = cycle,
                                                     .sm = place->sm,
                                                     .slot = place->cta};
}
