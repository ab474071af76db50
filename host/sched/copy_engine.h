/* copy_engine.h - the GPU's copy engines: when a copy or fill begins and ends.
 *
 * One engine per direction of the CPU-GPU link, one per direction of the link to peers if they have
 * one of their own, and one for copies within the device serve copies in order. A copy over a link
 * shares it with the accesses of kernels (packet_link.h), so its end may move until it comes.
 * Streams are handled by the caller. Owner: the scheduler, which calls on its thread. */
#ifndef HEDDLE_SCHED_COPY_ENGINE_H
#define HEDDLE_SCHED_COPY_ENGINE_H

#include <stdint.h>

#include "sched/copy_traffic.h"
#include "sched/fault_service.h"
#include "sched/ops.h"
#include "sched/packet_link.h"
#include "timing/message.h"

/* Latency and bandwidths of copies. */
struct copy_config {
    uint64_t link_latency_ps, peer_latency_ps;
    uint64_t link_page;        /* bytes: copies over the link are rounded up to whole pages */
    uint64_t dram_bytes_per_s; /* copies within the device, and fills */
    uint64_t memory_base, memory_bytes; /* device memory */
};

/* A copy begins at at_ps that reads or writes device memory (copy_traffic.h). */
typedef void (*copy_traffic_fn)(void *user, uint64_t at_ps, const struct message_dram_copy *copy);

/* ENGINE_NONE: copies that take no time. */
enum copy_engine {
    ENGINE_TO_DEVICE,
    ENGINE_TO_HOST,
    ENGINE_FROM_PEER,
    ENGINE_TO_PEER,
    ENGINE_DEVICE,
    ENGINE_NONE,
    NUM_ENGINES
};
/* The engines of a GPU; zeros but for the first members at first. */
struct copy_engines {
    struct copy_config config;
    struct packet_link *link, *peer; /* borrowed; peers may have the link of the host */
    const uint64_t *outside;         /* pieces of memory that are not this GPU's (timing/group.h) */
    struct fault_service *managed;   /* borrowed: hears where managed memory goes; or NULL */
    copy_traffic_fn traffic;
    void *user;
    struct op *first[NUM_ENGINES],
        *last[NUM_ENGINES];      /* the first one is under way; by next_ready */
    uint64_t to_device, to_host; /* bytes copied over the link */
};

/* Gives a ready copy (op->ready_ps) to its engine. Sets op->start_ps when it begins. */
void copy_engines_start(struct copy_engines *e, struct op *op);
/* The copy that ends first, of equal ones that of the lowest ticket, with the op->end_ps that it
 * has if nothing else uses the link; NULL: there is none. */
struct op *copy_engines_next(struct copy_engines *e);
/* Ends this copy: calls its `perform`, which moves the bytes, and counts them. Its engine begins
 * the next one. */
void copy_engines_end(struct copy_engines *e, struct op *op);

#endif
