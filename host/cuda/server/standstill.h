/* standstill.h - finds out that a run of several nodes has come to a standstill: nothing that any
 * thread, kernel or message waits for will ever come.
 *
 * Two ways to know it, both only while every host thread of every PE waits in a call, or for
 * another thread of its program (standstill_may()):
 *
 *   - Kernels run, but all they do is to look at memory that nobody changes (exec/check/look.h), no
 *     message is under way, and nothing else can happen.
 *   - No kernel runs, and nothing can happen at all: PEs wait for each other in collective calls or
 *     for messages.
 *
 * Then an error says what each PE waits for, and server_options.give_up ends the run. Server's
 * thread. */
#ifndef HEDDLE_CUDA_SERVER_STANDSTILL_H
#define HEDDLE_CUDA_SERVER_STANDSTILL_H

#include "cuda/base/context.h"

struct standstill;
struct standstill *standstill_create(struct server *s);
void standstill_free(struct standstill *w); /* accepts NULL */

/* Whether the run may be at a standstill, from now on. `may` is false while a call waits to be
 * served, and when a thread sleeps that may wake by itself. */
void standstill_may(struct standstill *w, bool may);
/* A call has been served or has ended. */
void standstill_moved(struct standstill *w);
/* Between two windows that end at multiples of a step: everything before until_ps is simulated.
 * @return true: the run is at a standstill. */
bool standstill_look(struct standstill *w, uint64_t until_ps);
/* The same without timing, between turns of the kernels. */
bool standstill_look_untimed(struct standstill *w);
/* Nothing is left to happen. @return true: that has been so for long enough, and no kernel runs. */
bool standstill_idle(struct standstill *w);
/* Says what each PE waits for, and ends the run. Once. */
void standstill_tell(struct standstill *w);

#endif
