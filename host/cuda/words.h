/* words.h - streams that wait for words of memory (cuStreamWaitValue), and what becomes of a call
 * that waits for such a stream while nothing on its GPU can happen.
 *
 * The word may be written by another GPU, by another call, or by the program itself, where it can
 * reach the memory. So: other GPUs are driven on; a call that only waits is set aside, while other
 * threads make theirs, and is tried again after each of them and every millisecond; a call that has
 * done something already waits where it is, and so do the other threads. A wait that nobody can end
 * any more, or does not end for long, is an error that names the word. */
#ifndef HEDDLE_CUDA_WORDS_H
#define HEDDLE_CUDA_WORDS_H

#include "cuda/call.h"

enum {
    CALL_SET_ASIDE = -1, /* instead of a cudaError_t: the call is to be repeated */
    WORDS_RETRY_MS = 1,
};

/* Operations as CUstreamBatchMemOpParams, `bytes` of them. first_form: of the calls without _v2.
 * @return cudaError_t. */
int words_check(const struct call *call, const uint8_t *operations, uint64_t bytes,
                bool first_form);
/* Puts those that have been checked on the stream. *ticket: a point behind them. */
int words_issue(struct call *call, const struct stream_ref *ref, const uint8_t *operations,
                uint64_t bytes, gpu_ticket *ticket);

/* Nothing happens on the GPU until a word is written. @return true: try again; false: the call has
 * to be set aside (call->repeatable), or its program has died. */
bool words_wait(struct call *call, struct gpu *gpu);
/* A call has been served that was not one tried again. */
void words_note_call(struct server *s);
/* A program leaves while streams wait: what is behind is given up, and a line says so. */
void words_abandon(struct call *call);
/* A program has gone: its waits go too, with what is behind them. */
void words_program_ended(struct server *s, const struct program *p);
/* Those of a GPU, NULL: all. */
void words_drop(struct server *s, const struct gpu *gpu);

#endif
