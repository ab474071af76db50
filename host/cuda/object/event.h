/* event.h - events. An event records an operation of a stream. An interprocess event keeps it in a
 * record that its processes share (server.shared_events). */
#ifndef HEDDLE_CUDA_OBJECT_EVENT_H
#define HEDDLE_CUDA_OBJECT_EVENT_H

#include "cuda/base/context.h"

enum { EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4 };

/* The part of an interprocess event that its processes share. */
struct shared_event {
    struct shared_event *next;
    uint64_t number;          /* 1 for the first of the run */
    unsigned node;            /* of its processes */
    unsigned holders, device; /* events that point here; device of the stream recorded last */
    gpu_ticket ticket;        /* the operation recorded last */
};

/* An event of a program. */
struct event {
    bool live;                   /* false: destroyed, its place is free */
    struct shared_event *shared; /* interprocess: holds the ticket; else NULL */
    uint32_t flags;
    unsigned device;         /* whose streams may record it */
    gpu_ticket ticket;       /* recorded operation; 0: not recorded yet */
    struct capture *capture; /* recorded in a captured stream, or NULL */
    GArray *nodes;           /* then: uint64_t handles of the nodes it stands for */
};

/* NULL: no such event. */
struct event *event_find(const struct program *p, uint64_t handle);
/* Adds an event to program.events. `device`: only streams of this device may record it. */
struct event *event_create(struct program *p, unsigned device, uint32_t flags, uint64_t *handle);
/* Invalidates the handle. The last process that has a shared event frees the shared record. */
void event_end(struct server *s, struct event *e);
/* Frees the record of one that has ended; `event` is a struct event *. */
void event_free(void *event);

/* Makes the event interprocess: adds a record to server.shared_events. `node`: of the
 * program. */
void event_share(struct server *s, struct event *e, unsigned node);
/* An interprocess event by its number, or NULL. */
struct shared_event *event_find_shared(const struct server *s, uint64_t number);
/* Makes a new event share the record of another process's event, and counts the holder. */
void event_join_shared(struct event *e, struct shared_event *shared);

/* The recorded operation, and the device of its stream. */
static inline gpu_ticket *event_ticket(struct event *e) {
    return e->shared ? &e->shared->ticket : &e->ticket;
}
static inline unsigned event_device(const struct event *e) {
    return e->shared ? e->shared->device : e->device;
}
/* Records an operation of a stream of that device; the event leaves any capture. */
static inline void event_set(struct event *e, unsigned device, gpu_ticket ticket) {
    e->capture = NULL;
    if (e->shared) e->shared->device = device;
    *event_ticket(e) = ticket;
}

#endif
