/* event.c - the list of events of a program, and the records that processes share; see event.h.
 *
 * Runs in the server, on its thread, for handlers of calls and for the end of a program. Changes
 * lists only: program.events and server.shared_events. stream_mark() issues the operation that an
 * event records. */
#include "cuda/object/event.h"

#include "cuda/base/handle.h"

/* The living event with this handle, or NULL. */
struct event *event_find(const struct program *p, uint64_t handle) {
    size_t i = handle_index(handle, p->events->len);
    struct event *e = i < p->events->len ? g_ptr_array_index(p->events, i) : NULL;
    return e && e->live ? e : NULL;
}

/* Makes an event of this device (no operation recorded) in the first free place of program.events,
 * which owns it, so a handle may name a new event later. @return the event; *handle names it. */
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

/* Gives a new event a record, with one holder, in server.shared_events, which owns it. */
void event_share(struct server *s, struct event *e, unsigned node) {
    struct shared_event *shared = g_new(struct shared_event, 1);
    *shared = (struct shared_event){.next = s->shared_events,
                                    .number = ++s->num_shared,
                                    .node = node,
                                    .holders = 1,
                                    .device = e->device};
    s->shared_events = shared;
    e->shared = shared;
}

/* The shared record with this number, or NULL: its last holder has gone. */
struct shared_event *event_find_shared(const struct server *s, uint64_t number) {
    struct shared_event *shared = s->shared_events;
    while (shared && shared->number != number) shared = shared->next;
    return shared;
}

/* Makes a new event use the record, and counts it as a holder. */
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

/* Makes the event's place in program.events free and lets go of its shared record, which the last
 * holder frees. An event that has ended stays so. */
void event_end(struct server *s, struct event *e) {
    if (e->live && e->shared) leave_shared(s, e->shared);
    e->live = false;
    e->shared = NULL;
}

/* Frees the memory of an event, a struct event *, that event_end() has ended: the free function of
 * program.events. */
void event_free(void *event) {
    struct event *e = event;
    if (e->nodes) g_array_unref(e->nodes);
    g_free(e);
}
