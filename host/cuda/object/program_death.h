/* program_death.h - programs that die: what they have on the GPUs ends with them, and nobody else
 * waits for it or loses anything. */
#ifndef HEDDLE_CUDA_OBJECT_PROGRAM_DEATH_H
#define HEDDLE_CUDA_OBJECT_PROGRAM_DEATH_H

#include "cuda/base/context.h"

/* During a wait: looks which programs have closed all their connections without a goodbye, which
 * the server learns from their sockets only when it serves again, and cancels what they have on the
 * GPUs (program_cancel()). On the server's thread, or on the one that it waits for. @return
 * whether there was one. */
bool program_look_for_deaths(struct server *s);
/* Cancels all launches of a program that has died, and counts them in p->dropped; its waits for
 * values end. Nothing happens the second time. */
void program_cancel(struct server *s, struct program *p);

#endif
