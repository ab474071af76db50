/* event_heap.c - a heap with four children per node; contracts in event_heap.h.
 *
 * Four children halve the depth of a binary heap: a level costs a cache miss once the events
 * outgrow the cache, and three comparisons in a line or two are cheaper than that. Events are moved
 * into a hole rather than swapped. */
#include "common/event_heap.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

enum { CHILDREN = 4 };

/* Sequences wrap: those that compete are less than 2^31 apart. */
static inline bool is_before(const struct event *x, const struct event *y) {
    if (x->at != y->at) return x->at < y->at;
    if (x->key != y->key) return x->key < y->key;
    return (int32_t)(x->sequence - y->sequence) < 0;
}

void event_heap_add(struct event_heap *heap, struct event event) {
    if (heap->count == heap->capacity)
        heap->event = heddle_grow(heap->event, &heap->capacity, heap->count + 1,
                                  sizeof *heap->event, "pending events");
    size_t hole = heap->count++;
    while (hole > 0) {
        size_t parent = (hole - 1) / CHILDREN;
        if (!is_before(&event, &heap->event[parent])) break;
        heap->event[hole] = heap->event[parent];
        hole = parent;
    }
    heap->event[hole] = event;
}

struct event event_heap_take(struct event_heap *heap) {
    assert(heap->count > 0);
    const struct event first = heap->event[0], last = heap->event[--heap->count];
    size_t hole = 0, n = heap->count;
    for (;;) {
        size_t child = hole * CHILDREN + 1, end = child + CHILDREN;
        if (child >= n) break;
        if (end > n) end = n;
        size_t best = child;
        while (++child < end)
            if (is_before(&heap->event[child], &heap->event[best])) best = child;
        if (!is_before(&heap->event[best], &last)) break;
        heap->event[hole] = heap->event[best];
        hole = best;
    }
    heap->event[hole] = last; /* of an empty heap: a place that no one reads */
    return first;
}

void event_heap_clear(struct event_heap *heap) {
    free(heap->event);
    memset(heap, 0, sizeof *heap);
}
