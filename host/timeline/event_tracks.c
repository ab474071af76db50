/* event_tracks.c - see event_tracks.h. Tracks are found by process and thread in a hash table. */
#include "timeline/event_tracks.h"

#include <glib.h>
#include <stdlib.h>

#include "common/memory.h"

static const char WHAT[] = "the tracks of a timeline";

struct known_track {
    struct event_track track;
    struct event_row row;
    uint64_t end_ps; /* of what it has */
};

struct event_tracks {
    GHashTable *index; /* by process and thread: place in the list, from 1 */
    struct known_track *list;
    size_t count, capacity;
    size_t last; /* the one that was used last, from 1; 0: none */
};

struct event_tracks *event_tracks_create(void) {
    struct event_tracks *t = heddle_alloc(sizeof *t, WHAT);
    t->index = g_hash_table_new_full(g_int64_hash, g_int64_equal, g_free, NULL);
    return t;
}

void event_tracks_free(struct event_tracks *t) {
    if (!t) return;
    g_hash_table_unref(t->index);
    free(t->list);
    free(t);
}

static struct known_track *find(struct event_tracks *t, const struct event_row *row,
                                unsigned lane) {
    const struct event_track track = {row->process, row->place * EVENT_LANES + lane};
    const gint64 key = (gint64)((uint64_t)track.process << 32 | track.thread);
    if (t->last) {
        struct known_track *k = &t->list[t->last - 1];
        if (k->track.process == track.process && k->track.thread == track.thread) return k;
    }
    t->last = GPOINTER_TO_SIZE(g_hash_table_lookup(t->index, &key));
    if (!t->last) {
        t->list = heddle_grow(t->list, &t->capacity, t->count + 1, sizeof *t->list, WHAT);
        t->list[t->count++] = (struct known_track){.track = track, .row = *row};
        t->last = t->count;
        gint64 *own = g_new(gint64, 1);
        *own = key;
        g_hash_table_insert(t->index, own, GSIZE_TO_POINTER(t->last));
    }
    return &t->list[t->last - 1];
}

struct event_track event_tracks_take(struct event_tracks *t, const struct event_row *row,
                                     uint64_t begin_ps, uint64_t end_ps) {
    struct known_track *k = NULL;
    for (unsigned lane = 0; lane < EVENT_LANES; lane++) {
        k = find(t, row, lane);
        if (begin_ps >= k->end_ps) break;
    }
    if (end_ps > k->end_ps) k->end_ps = end_ps;
    return k->track;
}

struct event_track event_tracks_lane(struct event_tracks *t, const struct event_row *row,
                                     unsigned lane) {
    return find(t, row, lane)->track;
}

static int by_place(const void *x, const void *y) {
    const struct event_track *a = &((const struct known_track *)x)->track;
    const struct event_track *b = &((const struct known_track *)y)->track;
    if (a->process != b->process) return a->process < b->process ? -1 : 1;
    return (a->thread > b->thread) - (a->thread < b->thread);
}

void event_tracks_name(struct event_tracks *t, struct event_part *p) {
    if (t->count) qsort(t->list, t->count, sizeof *t->list, by_place);
    g_hash_table_remove_all(t->index); /* of places that are no longer so */
    t->last = 0;
    for (size_t i = 0; i < t->count; i++) {
        const struct known_track *k = &t->list[i];
        const unsigned lane = k->track.thread % EVENT_LANES;
        char name[200], number[20] = "", more[20] = "";
        if (k->row.number != EVENT_NO_NUMBER) snprintf(number, sizeof number, " %u", k->row.number);
        if (lane) snprintf(more, sizeof more, " (%u)", lane + 1);
        snprintf(name, sizeof name, "%s%s%s", k->row.name, number, more);
        event_name_track(p, k->track, name, k->track.thread);
    }
}
