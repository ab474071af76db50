/* pe_order.h - the order in which the calls of several nodes are served: that of target time.
 *
 * Each host thread has a clock (host_thread.now_ps). A server of several nodes serves nobody before
 * each thread of each node waits in a call, has left, or sleeps. Then it simulates up to the least
 * clock of a call that is still to be served, plus the latency of the CPU-GPU link: earlier than
 * that nothing can reach a GPU. A wait that ends there is answered first. Else the call with the
 * least clock is served; of equal ones that of the lower PE, then of the older program, then of the
 * lower thread. So results do not depend on when messages arrive.
 *
 * A thread that computes outside of calls is waited for, however long. One that sleeps there does
 * not hold the others up: without a notice when only another thread of its program can wake it
 * (a lock, a join), else after PE_SLEEPS_MS of wall time, with one notice in a run, since the order
 * then depends on the machine.
 *
 * With timing off the order is the same, by clocks that only calls move; a wait then simulates when
 * it is served.
 *
 * Server's thread. */
#ifndef HEDDLE_CUDA_SERVER_PE_ORDER_H
#define HEDDLE_CUDA_SERVER_PE_ORDER_H

#include <stdbool.h>

#include "cuda/base/context.h"
#include "cuda/server/server.h"

enum { PE_SLEEPS_MS = 50 };

struct pe_order;

/* `child`: the processes that were started, one for each node, borrowed. Sets s->in_order. The
 * caller owns the order, and frees it with pe_order_free(), which accepts NULL. */
struct pe_order *pe_order_create(struct server *s, const struct server_child *child);
void pe_order_free(struct pe_order *o);
/* The process of a node has ended. */
void pe_order_ended(struct pe_order *o, unsigned node);

/* A connection has a message: takes it, to be served in its turn. @return false: the connection has
 * ended, and the caller closes it. */
bool pe_order_take(struct server *s, struct host_thread *t);
/* Serves what is next, if its turn has come. @return how long to wait for messages before the next
 * step, in ms; 0: there is more to do; -1: until one comes. */
int pe_order_step(struct server *s, struct pe_order *o);

#endif
