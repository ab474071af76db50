/* fabric.h - components joined by links: conservative parallel simulation in target time.
 *
 * Everything with a notion of time is a component. Components talk only by messages over links; a
 * link has a least latency. The fabric advances components in windows that are no longer than the
 * smallest latency of any link, so inside a window no component can hear of what another does in
 * it, and the components of a window may run on any threads in any order. Windows without work are
 * skipped. Messages are delivered in the order (time, source, sequence number): results do not
 * depend on threads or placement.
 *
 * Components that links join, directly or through others, form an island, which has a clock of its
 * own: islands are advanced one at a time (`member` names one by any of its components). Several
 * GPUs are islands of one fabric until a link joins them. A driver is a component that acts between
 * windows only, such as the CPU, which runs the program: links to it do not join islands and do not
 * shorten windows.
 *
 * Time is picoseconds of target time. Threads: build and drive a fabric from one thread;
 * callbacks of a component are called from one thread at a time. */
#ifndef HEDDLE_FABRIC_FABRIC_H
#define HEDDLE_FABRIC_FABRIC_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

#define FABRIC_NEVER UINT64_MAX

enum { FABRIC_MESSAGE_WORDS = 6 };
/* A message: when it arrives, between whom, and what it says (the receiver knows the format). */
struct fabric_message {
    uint64_t at;       /* ps, arrival */
    uint32_t from, to; /* component numbers */
    uint64_t sequence; /* set by the fabric: per sender, in order of sending */
    uint32_t kind;     /* meaning is the receiver's */
    uint32_t pad;
    uint64_t word[FABRIC_MESSAGE_WORDS];
};

/* What a component does. All are called with the `self` given to fabric_add. */
struct fabric_ops {
    /* Takes a message; messages come in order and before advance() reaches their time. */
    void (*receive)(void *self, const struct fabric_message *message);
    /* Simulates all that happens before `until`, given all messages that arrive before it. */
    heddle_err (*advance)(void *self, uint64_t until, struct heddle_diag *diag);
    /* The earliest time at which something may happen without a further message, or
     * FABRIC_NEVER. Never earlier than what has been simulated. */
    uint64_t (*next)(void *self);
};

struct fabric;

/* `threads` >= 1: components are spread over so many threads, the caller's included. They begin
 * with the first window. */
struct fabric *fabric_create(unsigned threads);
void fabric_free(struct fabric *fabric);

/* Adds a component; `placement` picks the thread (modulo the number of threads) that runs it unless
 * that one is late (worker_pool.h). `name` is borrowed. `self` NULL: nobody is attached, nothing
 * happens there (a driver needs no more). @return its number. */
uint32_t fabric_add(struct fabric *fabric, const char *name, const struct fabric_ops *ops,
                    void *self, unsigned placement);
/* Gives a place its component; between windows. Detaching forgets its messages and errors, and when
 * the last component of an island is detached its clock goes back to 0. */
void fabric_attach(struct fabric *fabric, uint32_t component, void *self);
void fabric_detach(struct fabric *fabric, uint32_t component);
/* Joins two components (both ways) by a link of the given least latency in ps, > 0. */
heddle_err fabric_link(struct fabric *fabric, uint32_t a, uint32_t b, uint64_t latency_ps,
                       struct heddle_diag *diag);
/* Joins a driver to a component: what it sends takes `latency_ps`, which the sender adds. */
void fabric_link_driver(struct fabric *fabric, uint32_t driver, uint32_t b, uint64_t latency_ps);

/* What has been added and joined, in that order, for pictures. Indices from 0; @return false: there
 * is none of that number. */
struct fabric_place {
    const char *name;
    unsigned thread;
};
struct fabric_join {
    uint32_t a, b;
    uint64_t latency_ps;
};
bool fabric_get_place(const struct fabric *fabric, uint32_t index, struct fabric_place *out);
bool fabric_get_join(const struct fabric *fabric, uint32_t index, struct fabric_join *out);

/* Sends from within a callback of component `from`: `at` must be at least the window's begin + the
 * link's latency (checked), the receiver on the same island. Or from outside, between windows: what
 * would arrive in the past arrives now. The message is copied. */
void fabric_send(struct fabric *fabric, struct fabric_message *message);

/* Runs one window of an island, at the earliest time at which anything can happen there but not
 * beyond `limit`. @return HEDDLE_OK; *idle = true when nothing can happen before `limit`. */
heddle_err fabric_step(struct fabric *fabric, uint32_t member, uint64_t limit, bool *idle,
                       struct heddle_diag *diag);

/* The earliest time at which anything can happen on the island, or FABRIC_NEVER. */
uint64_t fabric_next(const struct fabric *fabric, uint32_t member);
/* Everything before this time has been simulated on the island. */
uint64_t fabric_now(const struct fabric *fabric, uint32_t member);
/* Length of its windows in ps: the smallest link latency, or what fabric_limit_window set if less.
 */
uint64_t fabric_window(const struct fabric *fabric, uint32_t member);
void fabric_limit_window(struct fabric *fabric, uint64_t ps);

#endif
