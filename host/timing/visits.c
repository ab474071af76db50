/* visits.c - see visits.h. Operations of other SM groups' warps at this group's slices, in a linked
 * list per warp, because a warp has few operations at one group at a time.
 *
 * Only group_remote.c of the owning group calls these functions, on the thread that simulates the
 * group. They touch the `v` that they get and nothing else. Visits come from blocks of PER_BLOCK
 * and return to a free list; visits_free() frees the blocks. Without memory for a block the process
 * ends (common/memory.h). */
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

struct visits {
    struct visit **of;    /* [SMs of the GPU][TIMING_MAX_WARPS]: lists, NULL: empty */
    struct visit *unused; /* free list */
    struct block *blocks; /* all blocks, newest first */
};

/* Allocates the lists, all empty. */
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

/* Finds the visit or adds one at the end of the warp's list. */
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

/* NULL where the operation is not here. */
struct exec_visit *visits_find(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot) {
    struct visit *x = *link_of(v, sm, warp, slot);
    return x ? &x->visit : NULL;
}

/* Removes lanes; a visit without lanes goes to the free list. */
void visits_leave(struct visits *v, uint32_t sm, uint8_t warp, uint8_t slot, uint32_t lanes) {
    struct visit **link = link_of(v, sm, warp, slot), *x = *link;
    if (!x) return;
    x->visit.lanes &= ~lanes;
    if (x->visit.lanes) return;
    *link = x->next;
    x->next = v->unused;
    v->unused = x;
}
