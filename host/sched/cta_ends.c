/* cta_ends.c - see cta_ends.h. */
#include "sched/cta_ends.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

void cta_ends_clear(struct cta_ends *e) {
    for (uint32_t i = 0; i < e->num_waiting; i++) free(e->waiting[i].accessed);
    free(e->done);
    free(e->waiting);
    free(e->accessed);
    *e = (struct cta_ends){0};
}

static void keep_accessed(struct cta_ends *e, const struct message_accessed *m) {
    e->accessed = heddle_grow(e->accessed, &e->cap_accessed, e->num_accessed + 1,
                              sizeof *e->accessed, "blocks that a CTA has accessed");
    e->accessed[e->num_accessed++] = *m;
}

void cta_ends_receive(struct cta_ends *e, struct fault_service *s,
                      const struct fabric_message *in) {
    if (in->kind == MESSAGE_ACCESSED) {
        const struct message_accessed m = message_read_accessed(in);
        keep_accessed(e, &m);
    } else if (in->kind == MESSAGE_FAULT) {
        fault_service_report(s, message_read_fault(in).block, in->at);
    } else {
        const struct message_host_touch m = message_read_host_touch(in);
        fault_service_touch(s, m.first, m.mask, m.births, in->at);
    }
}

struct cta_end cta_end_of(const struct message_cta_done *m, struct kernel *kernel, uint64_t heard) {
    return (struct cta_end){.cycle_heard = heard,
                            .cycle_ended = m->ended,
                            .cycle_left = m->left,
                            .warp_inst = m->warp_inst,
                            .kernel = kernel,
                            .place = {.sm = m->place / TIMING_MAX_CTAS,
                                      .cta = m->place % TIMING_MAX_CTAS,
                                      .warps = {.slots = m->warps}}};
}

/* Whether a CTA is taken behind another one that ended in the same cycle. */
static bool comes_later(const struct cta_end *a, const struct cta_end *b) {
    if (a->kernel != b->kernel) return a->kernel->number > b->kernel->number;
    if (a->place.sm != b->place.sm) return a->place.sm > b->place.sm;
    return a->place.cta > b->place.cta;
}

/* Messages come in order of time. At equal times CTAs are taken in order of launch, SM and slot,
 * whichever SM group reported first. */
void cta_ends_add(struct cta_ends *e, const struct cta_end *d) {
    e->done = heddle_grow(e->done, &e->cap_done, e->num_done + 1, sizeof *e->done,
                          "CTAs that have ended");
    uint32_t i = e->num_done++;
    while (i && e->done[i - 1].cycle_heard == d->cycle_heard && comes_later(&e->done[i - 1], d)) {
        e->done[i] = e->done[i - 1];
        i--;
    }
    e->done[i] = *d;
    e->done[i].accessed = NULL;
    e->done[i].first_accessed = e->num_owned;
    e->done[i].num_accessed = e->num_accessed - e->num_owned;
    e->num_owned = e->num_accessed;
}

const struct cta_end *cta_ends_next(const struct cta_ends *e) {
    return e->heard < e->num_done ? &e->done[e->heard] : NULL;
}

/* Whether all that a CTA has accessed is here; what is not faults. */
static bool has_all(const struct message_accessed *accessed, uint32_t n, struct fault_service *s,
                    uint64_t at_ps) {
    bool all = true;
    for (uint32_t i = 0; s && i < n; i++)
        all &= fault_service_need(s, accessed[i].first, accessed[i].mask, at_ps);
    return all;
}

bool cta_ends_take(struct cta_ends *e, struct fault_service *s, uint64_t at_ps, struct cta_end *d) {
    *d = e->done[e->heard++];
    if (!d->num_accessed) return true;
    const struct message_accessed *accessed = e->accessed + d->first_accessed;
    if (has_all(accessed, d->num_accessed, s, at_ps)) return true;
    d->accessed = heddle_alloc_array(d->num_accessed, sizeof *accessed,
                                     "blocks that a CTA has accessed");
    memcpy(d->accessed, accessed, d->num_accessed * sizeof *accessed);
    e->waiting = heddle_grow(e->waiting, &e->cap_waiting, e->num_waiting + 1, sizeof *e->waiting,
                             "CTAs that wait for managed memory");
    e->waiting[e->num_waiting++] = *d;
    return false;
}

void cta_ends_finish(struct cta_ends *e) {
    e->num_done = e->heard = 0;
    e->num_accessed = e->num_owned = 0;
}

bool cta_ends_wake(struct cta_ends *e, struct fault_service *s, uint64_t at_ps, struct cta_end *d) {
    while (e->next < e->num_waiting) {
        *d = e->waiting[e->next++];
        if (has_all(d->accessed, d->num_accessed, s, at_ps)) {
            free(d->accessed);
            return true;
        }
        e->waiting[e->num_kept++] = *d;
    }
    e->num_waiting = e->num_kept;
    e->next = e->num_kept = 0;
    return false;
}
