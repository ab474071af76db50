/* value_wait.h - streams that wait for a value in memory (cuStreamWaitValue), and what becomes of a
 * call that waits for such a stream while nothing on its GPU can happen.
 *
 * The value may be written by another GPU, by another call, or by the program itself, where it can
 * reach the memory. So: other GPUs are driven on; a call that only waits is suspended, while other
 * threads make theirs, and is tried again after each of them and every millisecond; a call that has
 * done something already waits where it is, and so do the other threads. A wait that nobody can end
 * any more, or does not end for long, is an error that names the memory.
 *
 * All waits hang from server.value_waits; wall time without progress is counted in
 * server.quiet_since. */
#ifndef HEDDLE_CUDA_OBJECT_VALUE_WAIT_H
#define HEDDLE_CUDA_OBJECT_VALUE_WAIT_H

#include "cuda/object/stream.h"

enum { VALUE_WAIT_RETRY_MS = 1 };
enum value_comparison { WAIT_GEQ, WAIT_EQ, WAIT_AND, WAIT_NOR }; /* CUstreamWaitValue_flags */

/* Makes the stream wait until the 4 or 8 bytes at the address compare as said with the value. The
 * memory is looked at at fixed target times (gpu.h). @return cudaError_t. */
int value_wait_issue(struct call *call, const struct stream_ref *ref, uint64_t address,
                     uint64_t value, unsigned bytes, enum value_comparison comparison);

/* Nothing happens on the GPU until a value is written: drives the other GPUs, or sleeps for a
 * moment. @return true: try again; false: the call has to be suspended (call->repeatable), or its
 * program has died. */
bool value_wait_go_on(struct call *call, struct gpu *gpu);
/* A call has been served that was not one tried again. */
void value_wait_note_call(struct server *s);
/* A program leaves while streams wait: what is behind is given up, and a line says so. */
void value_wait_abandon(struct call *call);
/* A program has gone: its waits go too, with what is behind them. */
void value_wait_end_program(struct server *s, const struct program *p);
/* Forgets those of a GPU that has been reset, NULL: all. */
void value_wait_drop(struct server *s, const struct gpu *gpu);

#endif
