/* checkpoint.h - the files that an interruptible run writes and the run that resumes it reads.
 *
 * A checkpoint is passed at a launch: everything issued before has ended, and caches, networks and
 * device memory's banks begin afresh, in every run that has checkpoints, interrupted or not. What
 * was before it is kept in a directory:
 *
 *   launches     a struct checkpoint_launch for each launch, in order of their numbers
 *   answers      the bytes that calls brought to the program, in order: u32 count, bytes
 *   image-N      struct checkpoint_boundary after N launches, and the memory; it comes into being
 *                whole (written beside, synced, renamed); the last two are there
 *
 * The run that resumes runs the program from its start. Up to the boundary of the newest image its
 * launches are carried out functionally and take the times of the file, and what calls bring is
 * that of the file; there memory and counters become those of the image.
 *
 * Threads: one at a time. Errors on the disk: checkpoint_failed(). */
#ifndef HEDDLE_SCHED_CHECKPOINT_H
#define HEDDLE_SCHED_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "sched/gpu.h"
#include "timing/group.h"

struct checkpoint;

/* A launch that has ended. The record's name is NULL in the file; name_sum stands for it. */
struct checkpoint_launch {
    struct gpu_kernel_record record;
    uint64_t name_sum;
    uint64_t first_cycle, last_cycle, heard_cycle; /* first CTA live, last retired, known */
};

/* The state at a boundary beside launches and memory. */
struct checkpoint_boundary {
    uint64_t launches;
    struct timing_counters past;
    uint64_t to_device, to_host, floor_ps;
};

/* `every`: launches from one checkpoint to the next. `resume`: goes on from what is there, else
 * there must be nothing. */
heddle_err checkpoint_open(struct checkpoint **out, const char *directory, uint64_t every,
                           bool resume, struct heddle_diag *diag);
void checkpoint_free(struct checkpoint *c);
/* Memory that is in the images: a file, and where it is mapped. Before the first launch. */
heddle_err checkpoint_add_memory(struct checkpoint *c, int fd, void *mapping, uint64_t bytes);

/* Is a checkpoint due before the launch of this number? */
bool checkpoint_is_due(const struct checkpoint *c, uint64_t launch);
/* The checkpoint is passed. `launches`: those since the last one, in order of their numbers. When
 * the run has resumed, and this is the one that it resumes from, memory is read and *b is what was
 * known then. */
heddle_err checkpoint_pass(struct checkpoint *c, struct checkpoint_boundary *b,
                           const struct checkpoint_launch *launches, size_t count,
                           struct heddle_diag *diag);
/* What is known of a launch that begins before the checkpoint from which the run resumes; NULL:
 * it does not, or *err says that the file cannot be read. Valid until the next call. */
const struct checkpoint_launch *checkpoint_past(struct checkpoint *c, uint64_t launch,
                                                heddle_err *err);
uint64_t checkpoint_name_sum(const char *name);

/* Bytes on their way to the program: kept, or replaced by those of the run that is resumed. For
 * server_options.answer; `user` is the checkpoint. */
void checkpoint_answer(void *user, void *bytes, uint32_t count);

/* Launches before the checkpoint from which the run resumes, 0: none; checkpoints passed and
 * written; what has gone wrong, NULL: nothing. */
uint64_t checkpoint_resumed(const struct checkpoint *c);
uint64_t checkpoint_written(const struct checkpoint *c);
const char *checkpoint_failed(const struct checkpoint *c);

#endif
