/* copy_engine.h - the GPU's copy engines: when a copy or fill begins and ends.
 *
 * One engine per direction of the CPU-GPU link and one for copies within the device serve copies in
 * order. Streams are handled by the caller. Owner: the scheduler, which calls on its thread. */
#ifndef HEDDLE_SCHED_COPY_ENGINE_H
#define HEDDLE_SCHED_COPY_ENGINE_H

#include <stdint.h>

#include "sched/ops.h"

/* Latency and bandwidths of copies. */
struct copy_config {
    uint64_t link_latency_ps, link_bytes_per_s;
    uint64_t link_page;        /* bytes: copies over the link are rounded up to whole pages */
    uint64_t dram_bytes_per_s; /* copies within the device, and fills */
};

enum copy_engine { ENGINE_TO_DEVICE, ENGINE_TO_HOST, ENGINE_DEVICE, NUM_ENGINES };
/* The engines of a GPU; zeros but for `config` at first. */
struct copy_engines {
    struct copy_config config;
    uint64_t free_ps[NUM_ENGINES]; /* when the engine has served its last copy, target time */
    uint64_t to_device, to_host;   /* bytes copied over the link so far */
};

/* Gives a ready copy (op->ready_ps) to its engine. Sets op->start_ps and op->end_ps. */
void copy_engines_start(struct copy_engines *e, struct op *op);
/* Ends a copy: calls its `perform`, which moves the bytes, and counts them. */
void copy_engines_end(struct copy_engines *e, const struct op *op);

#endif
