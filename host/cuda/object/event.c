/* event.c - the list of events of a program, and the records that processes share; see event.h.
 *
 * Runs in the server, on its thread, for handlers of calls. Changes lists only: program.events and
 * server.shared_events. stream_mark() issues the operation that an event records. */
#include "cuda/object/event.h"

#include "cuda/base/handle.h"

struct event *event_find(const struct program *p, uint64_t handle) {
    size_t i = handle_index(handle, p->events->len);
    struct event *e = i < p->events->len ? g_ptr_array_index(p->events, i) : NULL;
    return e && e->live ? e : NULL;
}

/* Takes the first free place of program.events, so a handle may name a new event later. */
struct event *event_create(struct program *p, unsigned device, uint32_t flags, uint64_t *handle) {
    size_t i = 0;
    while (i < p->events->len && ((struct event *)g_ptr_array_index(p->events, i))->live) i++;
    if (i == p->events->len) g_ptr_array_add(p->events, g_new0(struct event, 1));
    struct event *e = g_ptr_array_index(p->events, i);
    if (e->nodes) g_array_unref(e->nodes);
    *e = (struct event){.live = true, .device = device, .flags = flags};
    *handle = handle_of(i);
    return e;
}

/* ---- interprocess events */

void event_share(struct server *s, struct event *e) {
    struct shared_event *shared = g_new(struct shared_event, 1);
    *shared = (struct shared_event){
        .next = s->shared_events, .number = ++s->num_shared, .holders = 1, .device = e->device};
    s->shared_events = shared;
    e->shared = shared;
}

struct shared_event *event_find_shared(const struct server *s, uint64_t number) {
    struct shared_event *shared = s->shared_events;
    while (shared && shared->number != number) shared = shared->next;
    return shared;
}

void event_join_shared(struct event *e, struct shared_event *shared) {
    shared->holders++;
    e->shared = shared;
}

/* Ends one process's hold of a shared record; the last one removes and frees it. */
static void leave_shared(struct server *s, struct shared_event *shared) {
    if (--shared->holders) return;
    struct shared_event **at = &s->shared_events;
    while (*at != shared) at = &(*at)->next;
    *at = shared->next;
    g_free(shared);
}

/* ---- end */

void event_end(struct server *s, struct event *e) {
    if (e->live && e->shared) leave_shared(s, e->shared);
    e->live = false;
    e->shared = NULL;
}

void event_free(void *event) {
    struct event *e = event;
    if (e->nodes) g_array_unref(e->nodes);
    g_free(e);
}
