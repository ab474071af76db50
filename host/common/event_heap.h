/* event_heap.h - the pending events of a simulated part, earliest first.
 *
 * Equal times are ordered by key, then by sequence, so the order in which events were added never
 * shows. Not for several threads. Without memory the process ends (common/memory.h). */
#ifndef HEDDLE_COMMON_EVENT_HEAP_H
#define HEDDLE_COMMON_EVENT_HEAP_H

#include <stddef.h>
#include <stdint.h>

#define EVENT_NEVER UINT64_MAX

struct event {
    uint64_t at;  /* ps */
    uint64_t key; /* the order at one time: event_key() */
    uint32_t sequence;
    uint32_t item; /* its user's */
};

/* A key: kind first (< 16), then two numbers below 2^30. */
static inline uint64_t event_key(unsigned kind, uint32_t a, uint32_t b) {
    return (uint64_t)kind << 60 | (uint64_t)a << 30 | b;
}
static inline unsigned event_kind(uint64_t key) {
    return (unsigned)(key >> 60);
}

/* Zeroed, it is empty. */
struct event_heap {
    struct event *event; /* a heap of four children each: event[0] is the earliest */
    size_t count, capacity;
};

void event_heap_add(struct event_heap *heap, struct event event);
/* Removes the earliest event. The heap must not be empty. */
struct event event_heap_take(struct event_heap *heap);
static inline uint64_t event_heap_next(const struct event_heap *heap) {
    return heap->count ? heap->event[0].at : EVENT_NEVER;
}
/* Frees the events, not the struct. */
void event_heap_clear(struct event_heap *heap);

#endif
