/* checkpoint.h - the files that an interruptible run writes and the run that resumes it reads.
 *
 * A checkpoint is taken before a launch. The GPU waits until everything issued before has ended.
 * Then caches, networks and the banks of device memory begin afresh. Every run with checkpoints
 * does so, interrupted or not, so that a resumed run has the same times. A directory holds:
 *
 *   launches     a log (common/sealed_file.h): a struct checkpoint_launch for each launch, in order
 *                of their numbers
 *   answers      a log: the bytes that calls returned to the program, a record for each call
 *   image-N      a sealed file: struct checkpoint_boundary after N launches, how far the logs go,
 *                and the memory. The last two are kept.
 *
 * All of them carry the number of the run that wrote them and the hash of its inputs. An image
 * holds the checksums of both logs up to its boundary. So files of different runs, or of different
 * checkpoints, cannot be mixed.
 *
 * A resumed run starts the program from its beginning. Up to the boundary of the newest image, it
 * runs launches functionally, takes their times from the file, and replaces the answers by those of
 * the file. At the boundary it loads memory and counters from the image. If one of these files is
 * damaged, it does not start: the message says which, where, and what the user can do.
 *
 * Threads: one at a time: the server's thread, and the scheduler's during a window
 * (checkpoint_past()). The first failure is sticky: later calls do nothing, and checkpoint_failed()
 * has its text. */
#ifndef HEDDLE_SCHED_CHECKPOINT_H
#define HEDDLE_SCHED_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "sched/gpu.h"
#include "sched/outside_counts.h"
#include "timing/group.h"

struct checkpoint;

/* A launch that has ended. The record's name and list of special operations are NULL in the
 * file; name_sum stands for the name. */
struct checkpoint_launch {
    struct gpu_kernel_record record;
    uint64_t name_sum;
    uint64_t first_cycle, last_cycle; /* first CTA live, last retired */
    uint64_t end_cycle, heard_cycle;  /* end, and when it was known */
};

/* The state of the GPU at a boundary, without launches and memory. */
struct checkpoint_boundary {
    uint64_t launches;                     /* before the boundary */
    struct timing_counters past;           /* counts of the cores up to here */
    uint64_t to_device, to_host, floor_ps; /* bytes copied; earliest time of later operations */
    struct outside_counts outside;         /* of kernels up to here */
};

/* The run whose checkpoints they are; the directory's name is borrowed. */
struct checkpoint_run {
    const char *directory;
    uint64_t every;     /* launches from one checkpoint to the next */
    bool resume;        /* continue from the directory's files; else it must contain none */
    uint64_t number[2]; /* random; a resumed run has the number of the run that it continues */
    uint64_t inputs;    /* hash of what the results depend on */
};
/* Opens the files of a directory, and checks those that the run resumes from. @return
 * HEDDLE_ERR_IO, with text in diag; *out is then NULL. checkpoint_free() closes the files and
 * accepts NULL. */
heddle_err checkpoint_open(struct checkpoint **out, const struct checkpoint_run *run,
                           struct heddle_diag *diag);
void checkpoint_free(struct checkpoint *c);
/* Adds memory to the images: a memory file and its mapping of `bytes` bytes, borrowed. To be called
 * before the first launch. @return HEDDLE_ERR_ARGUMENT: too many. */
heddle_err checkpoint_add_memory(struct checkpoint *c, int fd, void *mapping, uint64_t bytes);

/* True if a checkpoint is due before the launch of this number. */
bool checkpoint_is_due(const struct checkpoint *c, uint64_t launch);
/* Takes a checkpoint: writes the launches since the last one, in order of their numbers, and an
 * image. If the run resumes from this checkpoint, instead loads memory from the image and sets *b
 * to its boundary. */
heddle_err checkpoint_pass(struct checkpoint *c, struct checkpoint_boundary *b,
                           const struct checkpoint_launch *launches, size_t count,
                           struct heddle_diag *diag);
/* The record of a launch that begins before the checkpoint from which the run resumes. @return
 * NULL: it begins later, or the file cannot be read (*err). Valid until the next call. */
const struct checkpoint_launch *checkpoint_past(struct checkpoint *c, uint64_t launch,
                                                heddle_err *err);
/* @return a hash of a kernel's name (FNV-1a). */
uint64_t checkpoint_name_sum(const char *name);

/* For server_options.answer; `user` is the checkpoint. Writes bytes for the program to the file or,
 * while the run replays, replaces them in place by those of the file. */
void checkpoint_answer(void *user, void *bytes, uint32_t count);

/* @return launches before the checkpoint from which the run resumes, 0: none; checkpoints written;
 * the text of the first failure, NULL: none. */
uint64_t checkpoint_resumed(const struct checkpoint *c);
uint64_t checkpoint_written(const struct checkpoint *c);
const char *checkpoint_failed(const struct checkpoint *c);
/* @return whether a resumed run has not reached its checkpoint, and nothing else has failed. */
bool checkpoint_replays(const struct checkpoint *c);

#endif
