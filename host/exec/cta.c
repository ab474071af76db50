/* cta.c - resident CTAs: creates and releases them, and answers questions about their warps.
 *
 * The SM group (timing/group.c) or immediate.c calls the functions on the thread that the CTA
 * belongs to.
 *
 * A CTA is one block of memory: the struct, its warps, their convergence barriers and registers,
 * shared memory and its sector states, local memory, counts of special operations. Everything
 * starts as zero, so that a program that reads what it never wrote behaves the same every time. */
#include <stdlib.h>
#include <string.h>

#include "exec/check/global_race.h"
#include "exec/check/shadow.h"
#include "exec/warp/cta_pool.h"
#include "exec/warp/special_count.h"

enum { ALIGN = 64 }; /* of blocks of CTAs, bytes */

/* n rounded up to a multiple of ALIGN. */
static size_t aligned(size_t n) {
    return (n + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

/* Where the parts of a CTA lie in its block, in bytes from its start. */
struct layout {
    size_t warps, meet, regs, shared, shared_state, local, special, bytes;
    size_t meet_warp, regs_warp, local_warp; /* bytes of one warp */
};

/* The layout of all CTAs of a prepared launch. */
static struct layout layout_of(const struct exec_launch *launch) {
    const struct exec_program *p = launch->program;
    struct layout l;
    l.meet_warp = p->num_convergence * sizeof(warp_reg);
    l.regs_warp = (p->num_regs + SPARE_REGS) * sizeof(warp_reg);
    l.local_warp = ((size_t)launch->function->local_bytes + 3) / 4 * sizeof(warp_reg);
    l.warps = aligned(sizeof(struct exec_cta));
    l.meet = l.warps + aligned(p->num_warps * sizeof(struct exec_warp));
    l.regs = l.meet + p->num_warps * l.meet_warp;
    l.shared = l.regs + p->num_warps * l.regs_warp;
    l.shared_state = l.shared + aligned(launch->shared_bytes + EXEC_SECTOR);
    l.local = l.shared_state + aligned(launch->shared_bytes / EXEC_SECTOR + 1);
    l.special = l.local + p->num_warps * l.local_warp;
    l.bytes = l.special + aligned(exec_special_bytes(launch));
    return l;
}

/* Initialises warp `index` of the CTA, which is all zeros but for the places of its parts: all its
 * threads are at the first instruction. */
static void init_warp(struct exec_warp *w, struct exec_cta *cta, uint32_t index) {
    const struct exec_program *p = cta->program;
    uint32_t first = index * MIR_WARP_SIZE, lanes = p->num_threads - first;
    w->base[BASE_CONSTS] = (const char *)p->consts;
    w->code = p->code;
    w->cta = cta;
    w->index = w->slot = index;
    w->live = lanes >= MIR_WARP_SIZE ? UINT32_MAX : (UINT32_C(1) << lanes) - 1;
    w->active = w->live;
    w->status = EXEC_RAN;
    for (unsigned i = 0; i < MIR_PT; i++) w->p[i + P_COMPLEMENT] = UINT32_MAX;
    w->p[MIR_PT] = UINT32_MAX;
}

/* Makes CTA `index` (x fastest) of a prepared launch resident on SM `sm`: takes a block from the
 * pool, clears and lays it out, and makes the CTA known to the launch's checks. The launch must
 * outlive it. @return HEDDLE_OK with *out set; HEDDLE_ERR_ARGUMENT: not prepared, or no such CTA;
 * HEDDLE_ERR_NOMEM. *out is set on success only. */
heddle_err exec_cta_create(struct exec_cta **out, struct exec_pool *pool,
                           const struct exec_launch *launch, uint64_t index, uint32_t sm) {
    const struct exec_program *p = launch->program;
    if (!p || index >= p->num_ctas) return HEDDLE_ERR_ARGUMENT;
    struct layout l = layout_of(launch);
    struct exec_cta *c = exec_pool_cta(pool, l.bytes);
    if (!c) return HEDDLE_ERR_NOMEM;
    size_t bytes = c->bytes;
    char *base = (char *)c;
    memset(c, 0, l.bytes);
    c->bytes = bytes;
    c->launch = launch;
    c->program = p;
    c->pool = pool;
    c->id[0] = (uint32_t)(index % launch->grid[0]);
    c->id[1] = (uint32_t)(index / launch->grid[0] % launch->grid[1]);
    c->id[2] = (uint32_t)(index / launch->grid[0] / launch->grid[1]);
    c->sm = sm;
    c->num_warps = c->live_warps = p->num_warps;
    c->shared = (uint8_t *)base + l.shared;
    c->shared_state = (uint8_t *)base + l.shared_state;
    c->warp = (struct exec_warp *)(void *)(base + l.warps);
    if (p->tagged) c->special = (struct exec_special *)(void *)(base + l.special);
    for (uint32_t i = 0; i < p->num_warps; i++) {
        struct exec_warp *w = &c->warp[i];
        w->base[BASE_REGS] = base + l.regs + i * l.regs_warp;
        w->meet = (warp_reg *)(void *)(base + l.meet + i * l.meet_warp);
        w->local = (uint8_t *)base + l.local + i * l.local_warp;
        init_warp(w, c, i);
    }
    if (launch->checks & (EXEC_CHECK_INIT | EXEC_CHECK_RACE)) {
        heddle_err e = exec_shadow_create(&c->shadow, launch);
        if (e) {
            exec_cta_release(pool, c);
            return e;
        }
    }
    if (p->race) {
        heddle_err e = exec_race_enter(&c->race, p->race, index);
        if (e) {
            exec_cta_release(pool, c);
            return e;
        }
    }
    *out = c;
    return HEDDLE_OK;
}

/* Returns the CTA, its operations in flight and sets of sectors to the pool it came from; drops
 * text of unfinished printfs from the launch's io; adds its counts of special operations to the
 * launch's; frees what the checks know of the CTA and of its
 * accesses. Operations are still in flight only when the launch has failed. Accepts NULL. */
void exec_cta_release(struct exec_pool *pool, struct exec_cta *cta) {
    if (!cta) return;
    exec_special_add(cta);
    for (uint32_t i = 0; i < cta->num_warps; i++) {
        struct exec_warp *w = &cta->warp[i];
        EACH_SET(s, w->inflight_all) {
            struct exec_inflight *inflight = w->inflight[s];
            if (inflight->text) exec_io_drop(cta->launch->io, inflight->text);
            if (inflight->check) exec_race_unfollow(cta, inflight->check, false);
            exec_pool_inflight_free(pool, w->inflight[s]);
        }
        if (w->sectors) exec_pool_sectors_free(pool, w->sectors);
    }
    exec_shadow_free(cta->shadow);
    cta->shadow = NULL;
    exec_race_leave(cta->race);
    cta->race = NULL;
    exec_pool_cta_free(pool, cta);
}

unsigned exec_cta_warps(const struct exec_cta *cta) {
    return cta->num_warps;
}
struct exec_warp *exec_cta_warp(struct exec_cta *cta, unsigned index) {
    return &cta->warp[index];
}
void exec_warp_set_slot(struct exec_warp *warp, uint32_t slot) {
    warp->slot = slot;
}
/* @return the fault after EXEC_FAULT, valid until the CTA is released; NULL: none. */
const struct exec_fault *exec_cta_fault(const struct exec_cta *cta) {
    return cta->fault.err ? &cta->fault : NULL;
}

/* The fault is the CTA's, for one of its warps at a time; the warp exits with its next step. */
void exec_warp_forgive(struct exec_warp *w) {
    w->cta->fault.err = HEDDLE_OK;
    w->leaves = true;
    if (w->status == EXEC_FAULT) w->status = EXEC_RAN;
}

const struct exec_fault *exec_cta_end(struct exec_cta *cta) {
    if (cta->race) exec_race_end(cta);
    return exec_cta_fault(cta);
}

/* Adds every field of `counts` to *sum. */
void exec_counts_add(struct exec_counts *sum, const struct exec_counts *counts) {
    sum->warp_inst += counts->warp_inst;
    sum->ptx_warp_inst += counts->ptx_warp_inst;
    sum->ctas += counts->ctas;
    uint64_t *fed = (uint64_t *)&sum->fed;
    const uint64_t *more = (const uint64_t *)&counts->fed;
    for (size_t i = 0; i < sizeof sum->fed / sizeof *fed; i++) fed[i] += more[i];
    for (unsigned k = 0; k < MIR_KIND_COUNT; k++) sum->thread_inst[k] += counts->thread_inst[k];
}

void exec_cta_counts(const struct exec_cta *cta, struct exec_counts *out) {
    *out = cta->counts;
}

/* @return whether the warp can run: it waits for nothing, or its operations in flight say that its
 * wait is over. False for a warp that has exited, failed, or waits at a CTA barrier (the last warp
 * to arrive sets the others' status to EXEC_RAN). Reads only. */
bool exec_warp_ready(const struct exec_warp *w) {
    switch (w->status) {
    case EXEC_RAN: return true;
    case EXEC_WAIT_INFLIGHT:
        return w->wait_all ? !(w->inflight_all & w->wait_inflight)
                           : (w->inflight_all & w->wait_inflight) != w->wait_inflight;
    case EXEC_WAIT_DRAIN: return !(w->inflight_all & ~w->inflight_pending);
    default: return false;
    }
}

/* The CTA's warps that exec_warp_ready() accepts, a bit each. */
uint32_t exec_cta_ready(const struct exec_cta *cta) {
    uint32_t ready = 0;
    for (uint32_t i = 0; i < cta->num_warps; i++)
        ready |= (uint32_t)exec_warp_ready(&cta->warp[i]) << i;
    return ready;
}

/* @return the wait bits (dependency barriers, EXEC_WAIT_POSTED) of the instruction that the warp
 * could not execute; in_flight.c sets them. Meaningful after EXEC_WAIT_INFLIGHT and
 * EXEC_WAIT_DRAIN. */
uint8_t exec_warp_wait(const struct exec_warp *w) {
    return w->hold;
}
