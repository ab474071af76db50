/* value_wait.h - streams that wait for a value in memory (cuStreamWaitValue), and calls that wait
 * for such a stream while nothing else can happen on its GPU.
 *
 * Another GPU, another call or the program itself may write the value. Therefore the server drives
 * the other GPUs. It suspends a call that only waits, serves other threads, and retries the call
 * after each of their calls and every millisecond. A call with effects cannot be suspended: it
 * blocks the server. A wait that nobody can end, or that lasts too long, becomes an error that
 * names the memory.
 *
 * All waits are in server.value_waits. server.quiet_since is the wall time of the last progress. */
#ifndef HEDDLE_CUDA_OBJECT_VALUE_WAIT_H
#define HEDDLE_CUDA_OBJECT_VALUE_WAIT_H

#include "cuda/object/stream.h"

enum { VALUE_WAIT_RETRY_MS = 1 };
enum value_comparison { WAIT_GEQ, WAIT_EQ, WAIT_AND, WAIT_NOR }; /* CUstreamWaitValue_flags */

/* Issues a wait on the stream: the stream goes on when the word of 4 or 8 bytes at the address
 * meets the comparison with the value. The simulator polls the memory at fixed target times
 * (gpu.h). Adds the wait to server.value_waits. @return cudaError_t. */
int value_wait_issue(struct call *call, const struct stream_ref *ref, uint64_t address,
                     uint64_t value, unsigned bytes, enum value_comparison comparison);

/* For a wait that HEDDLE_ERR_WAITING has ended: the GPU is idle until a value is written, or paused
 * for other threads. Drives the other GPUs, or sleeps briefly; after a long silence writes a
 * notice, or stops the GPU. @return true: try again; false: suspend the call (call->repeatable), or
 * its program has died. */
bool value_wait_go_on(struct call *call, struct gpu *gpu);
/* Notes progress in server.quiet_since: a call was served, other than a retried one. */
void value_wait_note_call(struct server *s);
/* A program leaves while its streams wait: cancels the work behind the waits, and writes a
 * notice. */
void value_wait_abandon(struct call *call);
/* Frees the waits of a GPU that was reset (NULL: all). */
void value_wait_drop(struct server *s, const struct gpu *gpu);

#endif
