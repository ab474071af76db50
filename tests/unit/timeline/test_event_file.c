/* test_event_file.c - events as JSON, exact times, hostile names, and full parts. */
#include <criterion/criterion.h>
#include <string.h>

#include "timeline/event_file.h"
#include "trace_text.h"

/* Writes one part as trace.json and reads it back. */
static json_t *written(const char *directory, struct event_part *part) {
    char path[200];
    struct heddle_diag diag = {0};
    snprintf(path, sizeof path, "%s/trace.json", directory);
    cr_assert_eq(event_file_write(path, &part, 1, 5000001, "9.9", &diag), HEDDLE_OK, "%s",
                 diag.text);
    event_part_close(part);
    return trace_load(directory);
}

static void open_part(struct event_part *p, const char *directory, uint64_t most) {
    struct heddle_diag diag = {0};
    cr_assert_eq(event_part_open(p, directory, "things", most, &diag), HEDDLE_OK, "%s", diag.text);
}

Test(event_file, one_of_each) {
    char *directory = trace_directory();
    struct event_part p;
    open_part(&p, directory, UINT64_MAX);
    event_name_process(&p, 7, "a process", 3);
    event_name_track(&p, (struct event_track){7, 64}, "a track", 64);
    cr_expect(event_span(&p, (struct event_track){7, 64}, "span", 1234567, 123456789012345));
    event_span_number(&p, "n", UINT64_MAX / 4);
    event_span_text(&p, "t", "words");
    event_span_end(&p);
    event_count(&p, 7, "IPC", "per cycle", 2000000, 1.25);
    json_t *events = written(directory, &p);

    const json_t *span = trace_event(events, "X", "span", 0);
    cr_assert(span);
    cr_expect_eq(trace_number(span, "pid"), 7);
    cr_expect_eq(trace_number(span, "tid"), 64);
    cr_expect_float_eq(trace_number(span, "ts"), 1.234567, 1e-9);
    cr_expect_float_eq(trace_number(span, "dur"), 123456787.777778, 1e-6);
    cr_expect_eq(trace_argument(span, "n"), (double)(UINT64_MAX / 4));
    cr_expect_str_eq(trace_text(json_object_get(span, "args"), "t"), "words");
    const json_t *count = trace_event(events, "C", "IPC", 0);
    cr_expect_eq(trace_number(count, "ts"), 2);
    cr_expect_eq(trace_argument(count, "per cycle"), 1.25);
    const json_t *name = trace_event(events, "M", "thread_name", 0);
    cr_expect_str_eq(trace_text(json_object_get(name, "args"), "name"), "a track");
    cr_expect_eq(trace_argument(trace_event(events, "M", "process_sort_index", 0), "sort_index"),
                 3);
    cr_expect_float_eq(trace_number(trace_event(events, "i", "end of the run", 0), "ts"), 5.000001,
                       1e-9);
    json_decref(events);
    trace_remove(directory);
}

Test(event_file, nothing_but_the_end) {
    char *directory = trace_directory();
    struct event_part p;
    open_part(&p, directory, UINT64_MAX);
    json_t *events = written(directory, &p);
    cr_expect_eq(json_array_size(events), 1);
    json_decref(events);
    trace_remove(directory);
}

/* What a name may hold: quotes, control characters, UTF-8 whole and cut, and more than fits. */
Test(event_file, hostile_names) {
    static const struct {
        const char *name, *read;
    } names[] = {
        {"a\"b\\c", "a\"b\\c"},
        {"line\nfeed\x01", "line\nfeed\x01"},
        {"caf\xc3\xa9", "caf\xc3\xa9"},
        {"cut\xc3", "cut?"},
        {"\xff\xfe<i>", "?"
                        "?<i>"},
        {"", ""},
    };
    char *directory = trace_directory(), many[1000], cut[201];
    struct event_part p;
    open_part(&p, directory, UINT64_MAX);
    memset(many, 'n', sizeof many - 1);
    many[sizeof many - 1] = 0;
    memset(cut, 'n', sizeof cut - 1);
    cut[sizeof cut - 1] = 0;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        event_span(&p, (struct event_track){1, 1}, names[i].name, 0, 1);
        event_span_end(&p);
    }
    event_span(&p, (struct event_track){1, 1}, many, 0, 1);
    event_span_end(&p);
    json_t *events = written(directory, &p);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect_str_eq(trace_text(trace_event(events, "X", NULL, (unsigned)i), "name"),
                         names[i].read);
    cr_expect_str_eq(trace_text(trace_event(events, "X", NULL, 6), "name"), cut);
    json_decref(events);
    trace_remove(directory);
}

/* A full part says so once, counts what is left out, and stays JSON. */
Test(event_file, full) {
    char *directory = trace_directory();
    struct event_part p;
    open_part(&p, directory, 1000);
    for (unsigned i = 0; i < 100; i++) {
        if (!event_span(&p, (struct event_track){1, 1}, "span", i * 1000000, (i + 1) * 1000000))
            continue;
        event_span_end(&p);
    }
    cr_expect_eq(p.events + p.left_out, 100);
    cr_expect_gt(p.left_out, 0);
    cr_expect_lt(p.bytes, 1400);
    cr_expect_eq(p.left_from_ps, p.events * 1000000);
    const uint64_t kept = p.events;
    json_t *events = written(directory, &p);
    cr_expect_eq(trace_count(events, "X", NULL), kept);
    const json_t *said = trace_event(
        events, "i", "truncated: things from here on are left out (--timeline-limit)", 0);
    cr_assert(said);
    cr_expect_eq(trace_number(said, "ts"), (double)kept);
    cr_expect_eq(trace_count(events, "i", NULL), 2);
    json_decref(events);
    trace_remove(directory);
}

Test(event_file, no_directory) {
    struct event_part p;
    struct heddle_diag diag = {0};
    cr_expect_eq(event_part_open(&p, "/nonexistent/x", "things", 1, &diag), HEDDLE_ERR_IO);
    cr_expect_str_eq(diag.text, "cannot write a timeline into /nonexistent/x: No such file or "
                                "directory");
    event_part_close(&p);
}
