/* copy_engine.c - when a copy or fill begins and ends, and the call that moves its bytes; see
 * copy_engine.h. scheduler.c calls it inside its advance(), on the worker thread of the window,
 * when a copy starts and ends. The server's thread drives the window and handles no call
 * meanwhile. */
#include "sched/copy_engine.h"

#include <stddef.h>

#include "timing/group.h"

enum { LINE = 128 }; /* bytes */

/* Whether an address is memory of a peer. */
static bool is_at_peer(const struct copy_engines *e, uint64_t address) {
    const uint64_t offset = address - e->config.memory_base;
    return offset < e->config.memory_bytes &&
           group_is_outside(e->outside, (uint32_t)(offset / LINE));
}

/* The engine of a copy between devices, or within this one. */
static enum copy_engine engine_between(const struct copy_engines *e, const struct gpu_copy *copy) {
    const bool own_link = e->peer != e->link;
    if (is_at_peer(e, copy->device_address)) return own_link ? ENGINE_TO_PEER : ENGINE_TO_HOST;
    if (is_at_peer(e, copy->source_address)) return own_link ? ENGINE_FROM_PEER : ENGINE_TO_DEVICE;
    return ENGINE_DEVICE;
}

static enum copy_engine engine_of(const struct copy_engines *e, const struct op *op) {
    switch (op->copy.kind) {
    case GPU_COPY_HOST_TO_DEVICE: return ENGINE_TO_DEVICE;
    case GPU_COPY_DEVICE_TO_HOST: return ENGINE_TO_HOST;
    case GPU_COPY_DEVICE_TO_DEVICE: return engine_between(e, &op->copy);
    case GPU_MEMSET: return ENGINE_DEVICE;
    case GPU_COPY_HOST_TO_HOST: /* the host copies */
    case GPU_WRITE: break;      /* the GPU's front end writes */
    }
    return ENGINE_NONE;
}

/* An engine's link and its direction. @return NULL: it does not use any. */
static struct packet_link *link_of(const struct copy_engines *e, unsigned engine,
                                   enum link_way *way) {
    *way = engine == ENGINE_TO_DEVICE || engine == ENGINE_FROM_PEER ? LINK_BACK : LINK_AWAY;
    switch (engine) {
    case ENGINE_TO_DEVICE:
    case ENGINE_TO_HOST: return e->link;
    case ENGINE_FROM_PEER:
    case ENGINE_TO_PEER: return e->peer;
    default: return NULL;
    }
}

/* Of a copy over a link. */
static uint64_t latency_of(const struct copy_engines *e, const struct gpu_copy *copy) {
    return copy->kind == GPU_COPY_DEVICE_TO_DEVICE ? e->config.peer_latency_ps
                                                   : e->config.link_latency_ps;
}

/* A copy begins at at_ps and reads or writes `bytes` from `address` on in a time that begins
 * `delay` later. Says so if that is device memory. A copy within the device, which alone takes all
 * of the bandwidth, gets half of it beside a kernel: half of its lines come. */
static void tell(const struct copy_engines *e, enum copy_stream_kind kind, uint64_t address,
                 uint64_t bytes, uint64_t at_ps, uint64_t delay, uint64_t time_ps) {
    const struct copy_config *c = &e->config;
    const uint64_t offset = address - c->memory_base;
    if (!bytes || offset >= c->memory_bytes || bytes > c->memory_bytes - offset) return;
    const bool within = kind == COPY_WITHIN_FROM || kind == COPY_WITHIN_TO;
    const uint64_t all = (offset % LINE + bytes + LINE - 1) / LINE;
    const uint64_t lines = within ? (all + 1) / 2 : all, step = time_ps / lines;
    e->traffic(e->user, at_ps,
               &(struct message_dram_copy){.stream = (uint8_t)kind,
                                           .write = kind == COPY_TO_DEVICE ||
                                                    kind == COPY_FROM_PEER ||
                                                    kind == COPY_WITHIN_TO,
                                           .line = (uint32_t)(offset / LINE),
                                           .lines = (uint32_t)lines,
                                           .delay = delay,
                                           .step = step ? step : 1});
}

/* A copy over a link has begun at at_ps. */
static void tell_of_link(const struct copy_engines *e, enum copy_engine engine,
                         const struct gpu_copy *copy, uint64_t at_ps, uint64_t time_ps) {
    const uint64_t arrives = latency_of(e, copy);
    const bool between = copy->kind == GPU_COPY_DEVICE_TO_DEVICE;
    switch (engine) {
    case ENGINE_TO_DEVICE:
        tell(e, COPY_TO_DEVICE, copy->device_address, copy->bytes, at_ps, arrives, time_ps);
        break;
    case ENGINE_FROM_PEER:
        tell(e, COPY_FROM_PEER, copy->device_address, copy->bytes, at_ps, arrives, time_ps);
        break;
    default:
        tell(e, engine == ENGINE_TO_PEER ? COPY_TO_PEER : COPY_TO_HOST,
             between ? copy->source_address : copy->device_address, copy->bytes, at_ps, 0, time_ps);
    }
}

/* The engine's first copy begins at at_ps; moves no bytes. Copies travel over a link in whole
 * pages. Copies within the device are limited by the bandwidth of its memory, which a copy both
 * reads and writes. A prefetch moves what is not there by then. */
static void begin(struct copy_engines *e, enum copy_engine engine, uint64_t at_ps) {
    const struct copy_config *c = &e->config;
    struct op *op = e->first[engine];
    const struct gpu_copy *copy = &op->copy;
    if (e->managed && copy->moves_to)
        op->copy.bytes = fault_service_moves(e->managed, copy->device_address, copy->range,
                                             copy->moves_to);
    const uint64_t bytes = copy->bytes, pages = (bytes + c->link_page - 1) / c->link_page;
    enum link_way way;
    struct packet_link *link = link_of(e, engine, &way);
    op->start_ps = op->end_ps = at_ps;
    if (link) {
        packet_link_copy(link, way, at_ps, pages * c->link_page);
        tell_of_link(e, engine, copy, at_ps, link->way[way].copy_ps - at_ps);
    } else if (engine == ENGINE_DEVICE) {
        const bool fills = copy->kind == GPU_MEMSET;
        const uint64_t time = packet_link_transfer_ps(fills ? bytes : 2 * bytes,
                                                      c->dram_bytes_per_s);
        op->end_ps += time;
        tell(e, COPY_WITHIN_TO, copy->device_address, bytes, at_ps, 0, time);
        if (!fills) tell(e, COPY_WITHIN_FROM, copy->source_address, bytes, at_ps, 0, time);
    }
}

void copy_engines_start(struct copy_engines *e, struct op *op) {
    const enum copy_engine engine = engine_of(e, op);
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
        const struct packet_link *link = link_of(e, i, &way);
        if (!op) continue;
        if (link) op->end_ps = link->way[way].copy_ps + latency_of(e, &op->copy);
        if (!next || op->end_ps < next->end_ps ||
            (op->end_ps == next->end_ps && op->ticket < next->ticket))
            next = op;
    }
    return next;
}

/* Managed memory is where a prefetch or copy has brought it, which has ended. */
static void note_moved(const struct copy_engines *e, const struct op *op) {
    const struct gpu_copy *copy = &op->copy;
    if (copy->moves_to)
        fault_service_moved(e->managed, copy->device_address, copy->range, copy->moves_to,
                            op->end_ps);
    else if (copy->kind == GPU_COPY_HOST_TO_DEVICE || copy->kind == GPU_COPY_DEVICE_TO_DEVICE ||
             copy->kind == GPU_MEMSET)
        fault_service_written(e->managed, copy->device_address, copy->bytes, op->end_ps);
}

/* Performs the copy at its end: calls op->copy.perform (may be NULL), which moves the bytes now, on
 * this thread. Counts bytes between host and device in e->to_device or e->to_host. */
void copy_engines_end(struct copy_engines *e, struct op *op) {
    const enum copy_engine engine = engine_of(e, op);
    enum link_way way;
    struct packet_link *link = link_of(e, engine, &way);
    if (link) packet_link_copy_end(link, way);
    if (op->copy.perform) op->copy.perform(op->copy.user);
    if (e->managed) note_moved(e, op);
    if (op->copy.kind == GPU_COPY_HOST_TO_DEVICE) e->to_device += op->copy.bytes;
    if (op->copy.kind == GPU_COPY_DEVICE_TO_HOST) e->to_host += op->copy.bytes;
    e->first[engine] = op->next_ready;
    if (!e->first[engine]) return;
    const uint64_t ready_ps = e->first[engine]->ready_ps;
    begin(e, engine, ready_ps > op->end_ps ? ready_ps : op->end_ps);
}
