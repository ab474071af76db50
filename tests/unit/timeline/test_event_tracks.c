/* test_event_tracks.c - rows, lanes of events that overlap, and names. */
#include <criterion/criterion.h>

#include "timeline/event_tracks.h"
#include "trace_text.h"

static const struct event_row stream = {"stream", 11, 3, 3},
                              copies = {"fill", 12, 0, EVENT_NO_NUMBER};

/* Events that overlap get lanes of their own; one that begins where another ends, its lane. */
Test(event_tracks, lanes) {
    struct event_tracks *t = event_tracks_create();
    cr_expect_eq(event_tracks_take(t, &stream, 0, 10).thread, 3 * EVENT_LANES);
    cr_expect_eq(event_tracks_take(t, &stream, 10, 20).thread, 3 * EVENT_LANES);
    cr_expect_eq(event_tracks_take(t, &stream, 15, 17).thread, 3 * EVENT_LANES + 1);
    cr_expect_eq(event_tracks_take(t, &stream, 16, 30).thread, 3 * EVENT_LANES + 2);
    cr_expect_eq(event_tracks_take(t, &stream, 17, 18).thread, 3 * EVENT_LANES + 1);
    cr_expect_eq(event_tracks_take(t, &copies, 0, 5).thread, 0);
    cr_expect_eq(event_tracks_take(t, &copies, 0, 5).process, 12);
    event_tracks_free(t);
}

/* More than there are lanes: the last one has them. */
Test(event_tracks, full) {
    struct event_tracks *t = event_tracks_create();
    for (unsigned i = 0; i < EVENT_LANES; i++)
        cr_expect_eq(event_tracks_take(t, &copies, 0, 5).thread, i);
    cr_expect_eq(event_tracks_take(t, &copies, 1, 6).thread, EVENT_LANES - 1);
    event_tracks_free(t);
}

Test(event_tracks, names) {
    char *directory = trace_directory(), path[200];
    struct heddle_diag diag = {0};
    struct event_part p, *parts = &p;
    struct event_tracks *t = event_tracks_create();
    event_tracks_lane(t, &stream, 1);
    event_tracks_take(t, &copies, 0, 1);
    event_tracks_lane(t, &stream, 0);
    cr_assert_eq(event_part_open(&p, directory, "names", UINT64_MAX, &diag), HEDDLE_OK);
    event_tracks_name(t, &p);
    snprintf(path, sizeof path, "%s/trace.json", directory);
    cr_assert_eq(event_file_write(path, &parts, 1, 0, "", &diag), HEDDLE_OK);
    event_part_close(&p);
    json_t *events = trace_load(directory);
    static const char *const names[] = {"stream 3", "stream 3 (2)", "fill"};
    cr_expect_eq(trace_count(events, "M", "thread_name"), 3);
    for (unsigned i = 0; i < 3; i++)
        cr_expect_str_eq(
            trace_text(json_object_get(trace_event(events, "M", "thread_name", i), "args"), "name"),
            names[i]);
    json_decref(events);
    event_tracks_free(t);
    trace_remove(directory);
}
