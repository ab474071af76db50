/* coroutine.h - functions that stop in the middle and go on there later, for what a processor does
 * between loads and stores.
 *
 * Such a function has the form
 *
 *   static void run(struct thread *t) {
 *       COROUTINE_BEGIN(t);
 *       ...
 *       COROUTINE_WAIT(t);    returns; the next call goes on behind it
 *       ...
 *       COROUTINE_END(t);     the next call begins anew
 *   }
 *
 * What has to live across a wait is in *t, which also has `int at`, 0 at first. No other `switch`
 * stands around a wait. */
#ifndef HEDDLE_NODE_COROUTINE_H
#define HEDDLE_NODE_COROUTINE_H

/* clang-format off */
#define COROUTINE_BEGIN(t) switch ((t)->at) { case 0:
#define COROUTINE_WAIT(t) COROUTINE_WAIT_AT(t, __COUNTER__ + 1)
#define COROUTINE_WAIT_AT(t, place) \
    do { (t)->at = (place); return; case (place):; } while (0)
#define COROUTINE_END(t) } (t)->at = 0
/* clang-format on */

#endif
