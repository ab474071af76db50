/* copy_engine.c - when a copy or fill begins and ends, and the call that moves its bytes; see
 * copy_engine.h. scheduler.c calls it inside its advance(), on the worker thread of the window,
 * when a copy starts and ends. The server's thread drives the window and handles no call
 * meanwhile. */
#include "sched/copy_engine.h"

#include <stddef.h>

#include "timing/clock.h"

/* Time of a transfer at a bandwidth, ps. */
static uint64_t transfer_ps(uint64_t bytes, uint64_t bytes_per_s) {
    return (uint64_t)((clock_u128)bytes * 1000000000000u / bytes_per_s);
}

/* Sets op->start_ps and op->end_ps from op->ready_ps and op->copy, and e->free_ps of its engine;
 * moves no bytes. Host copies travel over the link in whole pages. Device copies are limited by the
 * bandwidth of the memory, which a copy both reads and writes. GPU_COPY_HOST_TO_HOST and GPU_WRITE
 * take no time and no engine. */
void copy_engines_start(struct copy_engines *e, struct op *op) {
    const struct copy_config *c = &e->config;
    uint64_t bytes = op->copy.bytes, pages = (bytes + c->link_page - 1) / c->link_page;
    uint64_t duration = 0, *free_ps = &e->free_ps[ENGINE_DEVICE];
    switch (op->copy.kind) {
    case GPU_COPY_HOST_TO_DEVICE:
    case GPU_COPY_DEVICE_TO_HOST:
        free_ps = &e->free_ps[op->copy.kind == GPU_COPY_HOST_TO_DEVICE ? ENGINE_TO_DEVICE
                                                                       : ENGINE_TO_HOST];
        duration = c->link_latency_ps + transfer_ps(pages * c->link_page, c->link_bytes_per_s);
        break;
    case GPU_COPY_DEVICE_TO_DEVICE: duration = transfer_ps(2 * bytes, c->dram_bytes_per_s); break;
    case GPU_MEMSET: duration = transfer_ps(bytes, c->dram_bytes_per_s); break;
    case GPU_COPY_HOST_TO_HOST: /* the host copies */
    case GPU_WRITE:             /* the GPU's front end writes */
        free_ps = NULL;         /* no engine, no time */
        break;
    }
    op->start_ps = op->ready_ps;
    if (free_ps && *free_ps > op->start_ps) op->start_ps = *free_ps;
    op->end_ps = op->start_ps + duration;
    if (free_ps) *free_ps = op->end_ps;
}

/* Performs a copy at its end: calls op->copy.perform (may be NULL), which moves the bytes now, on
 * this thread. Counts bytes that crossed the link in e->to_device or e->to_host. */
void copy_engines_end(struct copy_engines *e, const struct op *op) {
    if (op->copy.perform) op->copy.perform(op->copy.user);
    if (op->copy.kind == GPU_COPY_HOST_TO_DEVICE) e->to_device += op->copy.bytes;
    if (op->copy.kind == GPU_COPY_DEVICE_TO_HOST) e->to_host += op->copy.bytes;
}
