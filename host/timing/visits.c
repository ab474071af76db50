/* visits.c - operations of other SM groups' warps that wait at this group's slices; contracts in
 * visits.h. A linked list per warp, because a warp has few operations at one group at a time.
 *
 * group.c creates and frees the visits on the driving thread. Only group_remote.c of the owning
 * group calls the other functions, on the thread that simulates the group. `sm` is the number on
 * the GPU, `slot` the number of the operation among its warp's operations in flight. Functions
 * touch the `v` that they get and nothing else. Visits come from blocks of PER_BLOCK and return to
 * a free list; visits_free() frees the blocks. Without memory for a block the process ends
 * (common/memory.h). */
#include "timing/visits.h"

#include <stdlib.h>

#include "common/memory.h"
#include "timing/group.h"

enum { PER_BLOCK = 16 };

/* One visit, in the list of its warp or in the free list. */
struct visit {
    struct visit *next;
    uint8_t slot; /* number of the operation among its warp's operations in flight */
    struct exec_visit visit;
};
/* Visits allocated together. */
struct block {
    struct block *next;
    struct visit visit[PER_BLOCK];
};

/* The visits of a group. */
struct visits {
    struct visit **of;    /* [SMs of the GPU][TIMING_MAX_WARPS]: lists, NULL: empty */
    struct visit *unused; /* free list */
    struct block *blocks; /* all blocks, newest first */
};

/* Allocates the lists, all empty, for the warps of `num_sms` SMs of the GPU. @return
 * HEDDLE_ERR_NOMEM, with *out NULL. */
heddle_err visits_create(struct visits **out, uint32_t num_sms) {
    struct visits *v = *out = heddle_alloc(sizeof *v, "operations of other SM groups");
    v->of = calloc((size_t)num_sms * TIMING_MAX_WARPS, sizeof(*v->of));
    if (v->of) return HEDDLE_OK;
    free(v);
    *out = NULL;
    return HEDDLE_ERR_NOMEM;
}

/* Frees all blocks, with the visits that are still here. */
void visits_free(struct visits *v) {
    if (!v) return;
    while (v->blocks) {
        struct block *next = v->blocks->next;
        free(v->blocks);
        v->blocks = next;
    }
    free(v->of);
    free(v);
}

/* @return the pointer that points to the visit: *result is the visit, or NULL at the end of the
 * warp's list when there is none. */
static struct visit **link_of(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot) {
    struct visit **link = &v->of[sm * TIMING_MAX_WARPS + warp];
    while (*link && (*link)->slot != slot) link = &(*link)->next;
    return link;
}

/* Adds a block of visits to the free list. */
static void more(struct visits *v) {
    struct block *b = heddle_alloc(sizeof *b, "operations of other SM groups");
    b->next = v->blocks;
    v->blocks = b;
    for (unsigned i = 0; i < PER_BLOCK; i++) {
        b->visit[i].next = v->unused;
        v->unused = &b->visit[i];
    }
}

/* @return the visit of an operation, if it is here, else a new one without lanes at the end of the
 * warp's list, of which the caller fills in launch, operation and lanes. Valid until visits_leave()
 * ends it. May allocate a block. */
struct exec_visit *visits_enter(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot) {
    struct visit **link = link_of(v, sm, warp, slot);
    if (*link) return &(*link)->visit;
    if (!v->unused) more(v);
    struct visit *x = *link = v->unused;
    v->unused = x->next;
    x->next = NULL;
    x->slot = slot;
    x->visit.lanes = 0;
    return &x->visit;
}

/* @return the visit of an operation, NULL: it is not here. Changes nothing. */
struct exec_visit *visits_find(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot) {
    struct visit *x = *link_of(v, sm, warp, slot);
    return x ? &x->visit : NULL;
}

/* Removes lanes that have been performed from the visit. With its last lane the visit ends: it goes
 * to the free list, and a later operation may use the number. Does nothing for an operation that is
 * not here. */
void visits_leave(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot, uint32_t lanes) {
    struct visit **link = link_of(v, sm, warp, slot), *x = *link;
    if (!x) return;
    x->visit.lanes &= ~lanes;
    if (x->visit.lanes) return;
    *link = x->next;
    x->next = v->unused;
    v->unused = x;
}
