/* event_tracks.h - the tracks of a timeline: which process and thread of the file an event gets,
 * and their names.
 *
 * A process has rows, such as its streams; a row has lanes, so that events which overlap do not
 * share a track. Threads: one at a time per set. Out of memory ends the process. */
#ifndef HEDDLE_TIMELINE_EVENT_TRACKS_H
#define HEDDLE_TIMELINE_EVENT_TRACKS_H

#include "timeline/event_file.h"

enum { EVENT_LANES = 32 }; /* of a row */
#define EVENT_NO_NUMBER UINT32_MAX

/* A row: `name` is a constant, behind which its number stands if it has one. */
struct event_row {
    const char *name;
    uint32_t process, place; /* place: the order of the rows of a process, below 2^26 */
    uint32_t number;         /* EVENT_NO_NUMBER: none */
};

struct event_tracks;
struct event_tracks *event_tracks_create(void);
void event_tracks_free(struct event_tracks *t); /* accepts NULL */

/* The first lane of the row in which nothing ends behind begin_ps; it is taken until end_ps. With
 * all lanes taken, the last one. */
struct event_track event_tracks_take(struct event_tracks *t, const struct event_row *row,
                                     uint64_t begin_ps, uint64_t end_ps);
/* Lane `lane` of the row, whatever it has. */
struct event_track event_tracks_lane(struct event_tracks *t, const struct event_row *row,
                                     unsigned lane);
/* Writes the names of all tracks that have events, by process and thread. Nothing is added behind
 * that. */
void event_tracks_name(struct event_tracks *t, struct event_part *p);

#endif
