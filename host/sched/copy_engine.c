/* copy_engine.c - see copy_engine.h. scheduler.c calls it when a copy starts and ends. */
#include "sched/copy_engine.h"

#include <stddef.h>

#include "timing/clock.h"

/* Time of a transfer at a bandwidth, ps. */
static uint64_t transfer_ps(uint64_t bytes, uint64_t bytes_per_s) {
    return (uint64_t)((clock_u128)bytes * 1000000000000u / bytes_per_s);
}

/* Sets the copy's start and end, and when its engine is free again; moves no bytes. Host copies
 * travel over the link in whole pages. Device copies are limited by the bandwidth of the memory,
 * which a copy both reads and writes. */
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

/* Performs a copy at its end: the bytes move now, on this thread. */
void copy_engines_end(struct copy_engines *e, const struct op *op) {
    if (op->copy.perform) op->copy.perform(op->copy.user);
    if (op->copy.kind == GPU_COPY_HOST_TO_DEVICE) e->to_device += op->copy.bytes;
    if (op->copy.kind == GPU_COPY_DEVICE_TO_HOST) e->to_host += op->copy.bytes;
}
