/* fault_service.h - page faults of a GPU's kernels on managed memory, and the driver that serves
 * them: migrates blocks of 64 KiB to the GPU over the links (docs/timing-model.md, rule 17).
 *
 * Faults wait in a buffer. The driver takes them in batches: after an idle time it begins a latency
 * after the first fault, else with the end of the batch before. A batch costs a time, and each
 * block of it another; blocks go over the link of the place where they are, one after another, and
 * those that nobody has touched are filled with zeros. With the batch's end all of them are on the
 * GPU, and those that waited go on. The driver migrates more than has faulted (block_prefetch.h).
 *
 * What the host has touched goes back at the time of that touch. Prefetches and copies of the
 * program move blocks as well; their times are those of the copy engines.
 *
 * Owner: the scheduler, on whose thread all functions run; a new maximum of faults allocates. Times
 * are picoseconds of target time. Faults of equal times are served in order of blocks, so nothing
 * depends on the number of SM groups. */
#ifndef HEDDLE_SCHED_FAULT_SERVICE_H
#define HEDDLE_SCHED_FAULT_SERVICE_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/memory/managed_blocks.h"
#include "sched/fault_counts.h"
#include "sched/packet_link.h"

struct fault_config {
    uint64_t latency_ps;         /* a fault to the begin of a batch, if the driver was idle */
    uint64_t batch_ps, block_ps; /* work of the driver for a batch, and for each of its blocks */
    uint32_t batch_faults;       /* most of a batch */
    unsigned prefetch_threshold; /* percent (block_prefetch.h) */
    uint64_t link_latency_ps, peer_latency_ps;
    uint64_t fill_bytes_per_s; /* zeros */
    uint8_t place;             /* this GPU's, enum managed_place */
};

/* From at_ps on the blocks of `mask`, from number `first` on, a multiple of MANAGED_RUN, are on the
 * GPU or not. */
typedef void (*fault_tell_fn)(void *user, uint64_t at_ps, uint32_t first, uint64_t mask, bool here);

struct fault_service;
/* Copies *config; borrows table and links, of which `peer` may be `link`. @return never NULL. */
struct fault_service *fault_service_create(const struct fault_config *config,
                                           struct managed_blocks *blocks, struct packet_link *link,
                                           struct packet_link *peer, fault_tell_fn tell,
                                           void *user);
void fault_service_free(struct fault_service *s); /* accepts NULL */

/* Messages, in order of their times, which may lie ahead of the steps: an access finds that a block
 * is not on the GPU; the host touches those blocks of a mask that exist since one of the first
 * `births` allocations. */
void fault_service_report(struct fault_service *s, uint32_t block, uint64_t at_ps);
void fault_service_touch(struct fault_service *s, uint32_t first, uint64_t mask, uint32_t births,
                         uint64_t at_ps);
/* At at_ps, up to which all steps were done, blocks are needed; those that are not on the GPU
 * fault. @return whether all are there. */
bool fault_service_need(struct fault_service *s, uint32_t first, uint64_t mask, uint64_t at_ps);

/* @return when something happens here without a further call; UINT64_MAX: never. */
uint64_t fault_service_next(const struct fault_service *s);
/* Does what is first. @return true: blocks have come. */
bool fault_service_step(struct fault_service *s);

/* A kernel begins: tells of blocks that were freed, or that other GPUs have taken. */
void fault_service_begin(struct fault_service *s, uint64_t at_ps);
/* Bytes that a prefetch of the range to `place`, this GPU's or the host's or another GPU's, has to
 * move. */
uint64_t fault_service_moves(const struct fault_service *s, uint64_t address, uint64_t bytes,
                             uint8_t place);
/* The range was prefetched to `place`, where it is from at_ps on; a copy or fill has written it on
 * this GPU. */
void fault_service_moved(struct fault_service *s, uint64_t address, uint64_t bytes, uint8_t place,
                         uint64_t at_ps);
void fault_service_written(struct fault_service *s, uint64_t address, uint64_t bytes,
                           uint64_t at_ps);

/* What was served so far; valid as long as the service. */
const struct fault_counts *fault_service_counts(const struct fault_service *s);

#endif
