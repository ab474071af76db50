/* standstill_story.h - says what each PE of a run waits for. Server's thread. */
#ifndef HEDDLE_CUDA_SERVER_STANDSTILL_STORY_H
#define HEDDLE_CUDA_SERVER_STANDSTILL_STORY_H

#include "cuda/base/context.h"

/* What the thread's suspended call waits for, in words that follow "waits". */
void standstill_call_story(const struct server *s, const struct host_thread *t, char *text,
                           size_t size);
/* Several nodes: a program dies while its thread waits in a call. Keeps what it waits for, for the
 * report (server_waits()). */
void standstill_keep(struct server *s, const struct host_thread *t);
/* Writes lines of errors: the call in which each thread of each PE waits, the warps of kernels that
 * run, and messages that are under way. */
void standstill_story(struct server *s);

#endif
