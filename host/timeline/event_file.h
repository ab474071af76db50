/* event_file.h - a file in the Trace Event format (JSON) that Perfetto and chrome://tracing open,
 * written while a run goes on, in constant memory.
 *
 * The file is made of parts. Each has events of one kind, in the order of target time or of calls,
 * and a share of the file's bytes of its own. So neither the order in which the kinds come nor what
 * is left out depends on how far the simulation runs ahead of the program. Parts lie in files of
 * the directory that have no name, and are put together at the end.
 *
 * An event is a line. Times are picoseconds of target time; the file has microseconds with six
 * decimals. A part that is full takes no more events, says so with an event, and counts them.
 *
 * Threads: one at a time per file. Write errors show when the file is closed. */
#ifndef HEDDLE_TIMELINE_EVENT_FILE_H
#define HEDDLE_TIMELINE_EVENT_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/error.h"

/* A part of the file. */
struct event_part {
    FILE *f;
    const char *what; /* its events, for readers: "CTAs"; borrowed */
    uint64_t bytes, most_bytes;
    uint64_t events, left_out;
    uint64_t left_from_ps; /* begin of the first one that was left out */
    bool has_arguments;    /* the event that was begun has some */
};

/* Begins a part in a file of the directory without a name. @return HEDDLE_ERR_IO, with text in
 * diag; the part is then not open. */
heddle_err event_part_open(struct event_part *p, const char *directory, const char *what,
                           uint64_t most_bytes, struct heddle_diag *diag);
void event_part_close(struct event_part *p); /* accepts one that is not open */

/* An event's place: a track of a process. */
struct event_track {
    uint32_t process, thread;
};
/* Begins a span ("X"), which the caller ends with event_span_end(), with its arguments between.
 * `name` is cut to 200 bytes. @return false: it is left out; nothing else may follow. */
bool event_span(struct event_part *p, struct event_track track, const char *name, uint64_t begin_ps,
                uint64_t end_ps);
/* A value of a counter from at_ps on; complete. */
void event_count(struct event_part *p, uint32_t process, const char *counter, const char *series,
                 uint64_t at_ps, double value);
/* Arguments of the span that was begun. */
void event_span_number(struct event_part *p, const char *name, uint64_t value);
void event_span_text(struct event_part *p, const char *name, const char *value);
void event_span_end(struct event_part *p);
/* Names of a process or of a track, and the order in which they stand; complete. */
void event_name_process(struct event_part *p, uint32_t process, const char *name, unsigned place);
void event_name_track(struct event_part *p, struct event_track track, const char *name,
                      unsigned place);

/* Puts the parts together as `path`. `end_ps`: of the run; `heddle`: its version. @return
 * HEDDLE_ERR_IO, with text in diag; there is no file then. */
heddle_err event_file_write(const char *path, struct event_part *const *parts, unsigned num_parts,
                            uint64_t end_ps, const char *heddle, struct heddle_diag *diag);

#endif
