/* fabric.h - components joined by links: conservative parallel simulation in target time.
 *
 * Everything with a notion of time is a component. Components communicate only by messages over
 * links; each link has a minimum latency. The fabric advances components in windows no longer than
 * the smallest latency of any link. A message sent within a window therefore arrives after it, and
 * the components of a window may run on any threads in any order. The fabric skips windows without
 * work. It delivers messages in the order (time, source, sequence number), so results do not depend
 * on threads or placement.
 *
 * Components that links join, directly or through others, form an island, which has a clock of its
 * own. Islands advance one at a time; `member` names an island by any of its components. Several
 * GPUs are islands of one fabric until a link joins them. A driver is a component that acts between
 * windows only, such as the CPU, which runs the program. Links to a driver neither join islands nor
 * shorten windows.
 *
 * Time is picoseconds of target time. Threads: one thread builds and drives a fabric. The callbacks
 * of a component run on one thread at a time, in different windows on different threads. */
#ifndef HEDDLE_FABRIC_FABRIC_H
#define HEDDLE_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

#define FABRIC_NEVER UINT64_MAX

enum { FABRIC_MESSAGE_WORDS = 6 };
/* A message: arrival, sender, receiver and content (timing/message.h has the formats). */
struct fabric_message {
    uint64_t at;       /* ps, arrival */
    uint32_t from, to; /* component numbers */
    uint64_t sequence; /* set by the fabric: per sender, in order of sending */
    uint32_t kind;     /* the receiver defines the meaning */
    uint32_t pad;
    uint64_t word[FABRIC_MESSAGE_WORDS];
};

/* The callbacks of a component. `self` is the pointer of fabric_add() or fabric_attach(). receive()
 * and advance() run on a thread of the pool during a window (the driving thread is one), next() on
 * the driving thread between windows. receive() and advance() may call fabric_send(). */
struct fabric_ops {
    /* Takes a message. Messages come in order, and each comes before advance() reaches its time. */
    void (*receive)(void *self, const struct fabric_message *message);
    /* Simulates everything before `until`, or begins to (group.c), as long as its messages still
     * arrive behind the window; all messages that arrive before `until` have been received.
     * fabric_step() returns its error after the window. */
    heddle_err (*advance)(void *self, uint64_t until, struct heddle_diag *diag);
    /* @return the earliest time in ps at which something may happen without a further message, or
     * FABRIC_NEVER. Never earlier than the time up to which the component is simulated. */
    uint64_t (*next)(void *self);
};

struct fabric;

/* Creates an empty fabric. `threads` >= 1 is the number of threads that run components, the
 * caller's included. They start with the first window. */
struct fabric *fabric_create(unsigned threads);
/* Ends the threads and frees the fabric; the components belong to their owners. Accepts NULL. */
void fabric_free(struct fabric *fabric);

/* Adds a component between windows; `placement` modulo the number of threads is its home thread,
 * which runs it unless another thread is free earlier (worker_pool.h). `name` is borrowed. `self`
 * NULL adds an empty place, in which nothing happens, as a driver needs it. @return its number. */
uint32_t fabric_add(struct fabric *fabric, const char *name, const struct fabric_ops *ops,
                    void *self, unsigned placement);
/* Attaches a component to a place, between windows. Detaching empties the place, and discards its
 * messages and errors. When the last component of an island is detached, the island's clock goes
 * back to 0. */
void fabric_attach(struct fabric *fabric, uint32_t component, void *self);
void fabric_detach(struct fabric *fabric, uint32_t component);
/* Joins two components, in both directions, by a link of the given minimum latency in ps, > 0.
 * Between windows. @return HEDDLE_ERR_CONFIG for a latency of 0. */
heddle_err fabric_link(struct fabric *fabric, uint32_t a, uint32_t b, uint64_t latency_ps,
                       struct heddle_diag *diag);
/* Joins a driver to a component. Messages of the driver take `latency_ps`, which the sender adds to
 * their times; here it is recorded for pictures only. */
void fabric_link_driver(struct fabric *fabric, uint32_t driver, uint32_t b, uint64_t latency_ps);

/* Components and links in the order in which they were added, for pictures. Indices begin at 0.
 * @return false: there is none of that number. */
struct fabric_place {
    const char *name;
    unsigned thread; /* its home thread */
};
struct fabric_join {
    uint32_t a, b; /* component numbers */
    uint64_t latency_ps;
};
bool fabric_get_place(const struct fabric *fabric, uint32_t index, struct fabric_place *out);
bool fabric_get_join(const struct fabric *fabric, uint32_t index, struct fabric_join *out);

/* Sends a message; the fabric copies it and sets its `sequence` (in *message, too). From a callback
 * of component `from`: the receiver must be on the same island, and `at` no earlier than the end of
 * the running window; an earlier one ends the process. From the driving thread between windows: a
 * message for a past time arrives now. */
void fabric_send(struct fabric *fabric, struct fabric_message *message);

/* Runs one window of an island, from the earliest time at which anything can happen there to the
 * window's length later, at most to `limit` (ps). Sets *idle to true when nothing can happen before
 * `limit`; then it only moves the clock to `limit`, unless that is FABRIC_NEVER.
 * @return the error of a component, with its text in diag, or HEDDLE_ERR_NOMEM without threads. */
heddle_err fabric_step(struct fabric *fabric, uint32_t member, uint64_t limit, bool *idle,
                       struct heddle_diag *diag);

/* Whether two components are of one island. */
bool fabric_joined(const struct fabric *fabric, uint32_t a, uint32_t b);
/* The earliest time at which anything can happen on the island, or FABRIC_NEVER. */
uint64_t fabric_next(const struct fabric *fabric, uint32_t member);
/* Everything before this time has been simulated on the island. */
uint64_t fabric_now(const struct fabric *fabric, uint32_t member);
/* Length of its windows in ps: the smallest link latency, or the limit if that is less. */
uint64_t fabric_window(const struct fabric *fabric, uint32_t member);
/* Sets the limit of the length of all windows, in ps. */
void fabric_limit_window(struct fabric *fabric, uint64_t ps);

#endif
