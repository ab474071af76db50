/* copy_engine.c - when a copy or fill begins and ends, and the call that moves its bytes; see
 * copy_engine.h. scheduler.c calls it inside its advance(), on the worker thread of the window,
 * when a copy starts and ends. The server's thread drives the window and handles no call
 * meanwhile. */
#include "sched/copy_engine.h"

#include <stddef.h>

static enum copy_engine engine_of(const struct op *op) {
    switch (op->copy.kind) {
    case GPU_COPY_HOST_TO_DEVICE: return ENGINE_TO_DEVICE;
    case GPU_COPY_DEVICE_TO_HOST: return ENGINE_TO_HOST;
    case GPU_COPY_DEVICE_TO_DEVICE:
    case GPU_MEMSET: return ENGINE_DEVICE;
    case GPU_COPY_HOST_TO_HOST: /* the host copies */
    case GPU_WRITE: break;      /* the GPU's front end writes */
    }
    return ENGINE_NONE;
}

/* The link's direction of an engine. @return false: it does not use the link. */
static bool way_of(enum copy_engine engine, enum link_way *way) {
    *way = engine == ENGINE_TO_DEVICE ? LINK_BACK : LINK_AWAY;
    return engine == ENGINE_TO_DEVICE || engine == ENGINE_TO_HOST;
}

/* The engine's first copy begins at at_ps; moves no bytes. Host copies travel over the link in
 * whole pages. Device copies are limited by the bandwidth of the memory, which a copy both reads
 * and writes. */
static void begin(struct copy_engines *e, enum copy_engine engine, uint64_t at_ps) {
    const struct copy_config *c = &e->config;
    struct op *op = e->first[engine];
    const uint64_t bytes = op->copy.bytes, pages = (bytes + c->link_page - 1) / c->link_page;
    enum link_way way;
    op->start_ps = op->end_ps = at_ps;
    if (way_of(engine, &way))
        packet_link_copy(e->link, way, at_ps, pages * c->link_page);
    else if (engine == ENGINE_DEVICE)
        op->end_ps += packet_link_transfer_ps(op->copy.kind == GPU_MEMSET ? bytes : 2 * bytes,
                                              c->dram_bytes_per_s);
}

void copy_engines_start(struct copy_engines *e, struct op *op) {
    const enum copy_engine engine = engine_of(op);
    op->next_ready = NULL;
    if (e->first[engine]) {
        e->last[engine]->next_ready = op;
        e->last[engine] = op;
        return;
    }
    e->first[engine] = e->last[engine] = op;
    begin(e, engine, op->ready_ps);
}

struct op *copy_engines_next(struct copy_engines *e) {
    struct op *next = NULL;
    for (unsigned i = 0; i < NUM_ENGINES; i++) {
        struct op *op = e->first[i];
        enum link_way way;
        if (!op) continue;
        if (way_of(i, &way)) op->end_ps = e->link->way[way].copy_ps + e->config.link_latency_ps;
        if (!next || op->end_ps < next->end_ps ||
            (op->end_ps == next->end_ps && op->ticket < next->ticket))
            next = op;
    }
    return next;
}

/* Performs the copy at its end: calls op->copy.perform (may be NULL), which moves the bytes now, on
 * this thread. Counts bytes that crossed the link in e->to_device or e->to_host. */
void copy_engines_end(struct copy_engines *e, struct op *op) {
    const enum copy_engine engine = engine_of(op);
    enum link_way way;
    if (way_of(engine, &way)) packet_link_copy_end(e->link, way);
    if (op->copy.perform) op->copy.perform(op->copy.user);
    if (engine == ENGINE_TO_DEVICE) e->to_device += op->copy.bytes;
    if (engine == ENGINE_TO_HOST) e->to_host += op->copy.bytes;
    e->first[engine] = op->next_ready;
    if (!e->first[engine]) return;
    const uint64_t ready_ps = e->first[engine]->ready_ps;
    begin(e, engine, ready_ps > op->end_ps ? ready_ps : op->end_ps);
}
