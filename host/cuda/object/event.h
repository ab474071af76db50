/* event.h - events: points of streams. One that several processes have (cudaEventInterprocess)
 * keeps its point in a record that they share. */
#ifndef HEDDLE_CUDA_OBJECT_EVENT_H
#define HEDDLE_CUDA_OBJECT_EVENT_H

#include "cuda/base/context.h"

enum { EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4 };

struct shared_event {
    struct shared_event *next;
    uint64_t number;          /* 1 for the first of the run */
    unsigned holders, device; /* device: of the stream that it was recorded in last */
    gpu_ticket ticket;
};

struct event {
    bool live;
    struct shared_event *shared; /* of several processes: has the ticket; else NULL */
    uint32_t flags;
    unsigned device;
    gpu_ticket ticket;       /* 0: not recorded yet */
    struct capture *capture; /* recorded in a captured stream, or NULL */
    GArray *nodes;           /* then: handles of the nodes that it stands for */
};

/* NULL: no such event. */
struct event *event_find(const struct program *p, uint64_t handle);
/* A new event of the program, for the device in whose streams it may be recorded. */
struct event *event_create(struct program *p, unsigned device, uint32_t flags, uint64_t *handle);
/* It ends for its program, of which it may be the last. */
void event_end(struct server *s, struct event *e);
/* Frees the record of one that has ended; `event` is a struct event *. */
void event_free(void *event);

/* Makes the event one that other processes can open. */
void event_share(struct server *s, struct event *e);
/* One that another process has made so, by its number; NULL: there is none. */
struct shared_event *event_find_shared(const struct server *s, uint64_t number);
/* The event stands for that one. */
void event_join_shared(struct event *e, struct shared_event *shared);

/* The point that the event stands for, and the device whose stream it is of. */
static inline gpu_ticket *event_ticket(struct event *e) {
    return e->shared ? &e->shared->ticket : &e->ticket;
}
static inline unsigned event_device(const struct event *e) {
    return e->shared ? e->shared->device : e->device;
}
/* A point of a stream of that device is now the event's; it stands for no captured nodes. */
static inline void event_set(struct event *e, unsigned device, gpu_ticket ticket) {
    e->capture = NULL;
    if (e->shared) e->shared->device = device;
    *event_ticket(e) = ticket;
}

#endif
