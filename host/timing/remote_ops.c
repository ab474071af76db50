/* remote_ops.c - operations of other SM groups' warps that wait at this group's slices; contracts
 * in remote_ops.h. A linked list per warp, because a warp has few operations at one group at a
 * time.
 *
 * group.c creates and frees the remote operations on the driving thread. Only group_remote.c of the
 * owning group calls the other functions, on the thread that simulates the group. `sm` is the
 * number on the GPU, `slot` the number of the operation among its warp's operations in flight.
 * Functions touch the `v` that they get and nothing else. Remote operations come from blocks of
 * PER_BLOCK and return to a free list; remote_ops_free() frees the blocks. Without memory for a
 * block the process ends (common/memory.h). */
#include "timing/remote_ops.h"

#include <stdlib.h>

#include "common/memory.h"
#include "timing/group.h"

enum { PER_BLOCK = 16 };

/* One remote operation, in the list of its warp or in the free list. */
struct remote_op {
    struct remote_op *next;
    uint8_t slot; /* number of the operation among its warp's operations in flight */
    struct exec_remote_op op;
};
/* Remote operations allocated together. */
struct block {
    struct block *next;
    struct remote_op op[PER_BLOCK];
};

/* The remote operations of a group. */
struct remote_ops {
    struct remote_op **of; /* [SMs, then other customers][TIMING_MAX_WARPS]: lists, NULL: empty */
    uint32_t num_sms;
    struct remote_op *unused; /* free list */
    struct block *blocks;     /* all blocks, newest first */
};

/* Allocates the lists, all empty, for the warps of `num_sms` SMs of the GPU, and for customers that
 * are no SMs. @return HEDDLE_ERR_NOMEM, with *out NULL. */
heddle_err remote_ops_create(struct remote_ops **out, uint32_t num_sms) {
    struct remote_ops *v = *out = heddle_alloc(sizeof *v, "operations of other SM groups");
    v->num_sms = num_sms;
    v->of = calloc((size_t)(num_sms + TIMING_CUSTOMERS) * TIMING_MAX_WARPS, sizeof(*v->of));
    if (v->of) return HEDDLE_OK;
    free(v);
    *out = NULL;
    return HEDDLE_ERR_NOMEM;
}

/* Frees all blocks, with the remote operations that are still here. */
void remote_ops_free(struct remote_ops *v) {
    if (!v) return;
    while (v->blocks) {
        struct block *next = v->blocks->next;
        free(v->blocks);
        v->blocks = next;
    }
    free(v->of);
    free(v);
}

/* @return the pointer that points to the remote operation: *result is the remote operation, or NULL
 * at the end of the warp's list when there is none. */
static struct remote_op **link_of(struct remote_ops *v, uint32_t sm, uint8_t warp, uint8_t slot) {
    if (sm >= CORE_FIRST_CUSTOMER) sm += v->num_sms - CORE_FIRST_CUSTOMER;
    struct remote_op **link = &v->of[sm * TIMING_MAX_WARPS + warp];
    while (*link && (*link)->slot != slot) link = &(*link)->next;
    return link;
}

/* Adds a block of remote operations to the free list. */
static void more(struct remote_ops *v) {
    struct block *b = heddle_alloc(sizeof *b, "operations of other SM groups");
    b->next = v->blocks;
    v->blocks = b;
    for (unsigned i = 0; i < PER_BLOCK; i++) {
        b->op[i].next = v->unused;
        v->unused = &b->op[i];
    }
}

/* @return the entry of an operation, if it is here, else a new one without lanes at the end of the
 * warp's list, of which the caller fills in launch, operation and lanes. Valid until
 * remote_ops_leave() ends it. May allocate a block. */
struct exec_remote_op *remote_ops_enter(struct remote_ops *v, uint32_t sm, uint8_t warp,
                                        uint8_t slot) {
    struct remote_op **link = link_of(v, sm, warp, slot);
    if (*link) return &(*link)->op;
    if (!v->unused) more(v);
    struct remote_op *x = *link = v->unused;
    v->unused = x->next;
    x->next = NULL;
    x->slot = slot;
    x->op.lanes = 0;
    return &x->op;
}

/* @return the entry of an operation, NULL: it is not here. Changes nothing. */
struct exec_remote_op *remote_ops_find(struct remote_ops *v, uint32_t sm, uint8_t warp,
                                       uint8_t slot) {
    struct remote_op *x = *link_of(v, sm, warp, slot);
    return x ? &x->op : NULL;
}

/* Removes lanes that have been performed from the remote operation. With its last lane the remote
 * operation ends: it goes to the free list, and a later operation may use the number. Does nothing
 * for an operation that is not here. */
void remote_ops_leave(struct remote_ops *v, uint32_t sm, uint8_t warp, uint8_t slot,
                      uint32_t lanes) {
    struct remote_op **link = link_of(v, sm, warp, slot), *x = *link;
    if (!x) return;
    x->op.lanes &= ~lanes;
    if (x->op.lanes) return;
    *link = x->next;
    x->next = v->unused;
    v->unused = x;
}
