/* test_page_timeline.c - trace.json on the page: rows, CTAs, counters, what does not fit, and files
 * that are none. */
#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "run_text.h"
#include "runs/page_timeline.h"

#define HEAD "{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":[\n"
#define END "{\"ph\":\"i\",\"name\":\"end of the run\",\"pid\":10,\"tid\":0,\"ts\":9.000000}\n]}\n"
#define PROCESS(pid, name)                                                                        \
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":" #pid ",\"args\":{\"name\":\"" name "\"}}," \
    "\n"
#define SPAN(pid, tid, ts, dur, name)                                              \
    "{\"ph\":\"X\",\"pid\":" #pid ",\"tid\":" #tid ",\"ts\":" #ts ",\"dur\":" #dur \
    ",\"name\":\"" name "\",\"args\":{\"launch\":4,\"cta\":7}},\n"

/* The page of a run with this trace.json (NULL: none), for json_decref(). */
static json_t *page_of(const char *trace) {
    const char *directory = run_text_write("", "", "");
    struct run_file run = run_text_load(directory);
    json_t *page = json_object();
    if (trace) run_text_put(directory, "trace.json", trace);
    page_add_timeline(&run, page);
    run_file_clear(&run);
    run_text_remove(directory);
    return page;
}

static const json_t *timeline_of(const json_t *page) {
    const json_t *t = json_object_get(page, "timeline");
    cr_assert(json_is_object(t), "%s", run_text(page, "timeline_note"));
    return t;
}
static const json_t *item(const json_t *t, const char *list, size_t i) {
    return json_array_get(json_object_get(t, list), i);
}
static double number(const json_t *o, const char *list, size_t i) {
    return json_number_value(item(o, list, i));
}

Test(page_timeline, whole) {
    json_t *page = page_of(
        HEAD PROCESS(11, "GPU 0: kernels") PROCESS(13, "GPU 0: CTAs by SM")
            PROCESS(10, "GPU 0: counters") SPAN(11, 64, 1.000001, 2, "a<i>")
                SPAN(11, 64, 4, 1.5, "b") SPAN(13, 33, 2, 2, "a")
                    SPAN(13, 0, 2, 1,
                         "a") "{\"ph\":\"C\",\"pid\":10,\"ts\":1.5,\"name\":\"IPC\",\"args\":"
                              "{\"per cycle\":2.5}},\n" END);
    const json_t *t = timeline_of(page), *row = item(t, "rows", 0), *sms = item(t, "sms", 0);
    cr_expect(json_is_null(json_object_get(page, "timeline_note")));
    cr_expect_str_eq(run_text(row, "group"), "GPU 0: kernels");
    cr_expect_eq(json_array_size(json_object_get(t, "rows")), 1);
    static const double spans[] = {1000001, 2000000, 0, 999999, 1500000, 1};
    for (size_t i = 0; i < 6; i++) cr_expect_eq(number(row, "spans", i), spans[i]);
    cr_expect_str_eq(json_string_value(item(t, "names", 0)), "a<i>");

    /* SM 0, then SM 1 with slot 1: begin, duration, SM, lane, launch, CTA, name */
    static const double ctas[] = {2000000, 1000000, 0, 0, 4, 7, 2, 2000000, 2000000, 1, 1, 4, 7, 2};
    cr_expect_eq(json_array_size(json_object_get(sms, "ctas")), 14);
    for (size_t i = 0; i < 14; i++) cr_expect_eq(number(sms, "ctas", i), ctas[i]);
    cr_expect_eq(run_number(sms, "from"), 2000000);
    cr_expect_eq(run_number(sms, "to"), 4000000);
    /* SM 0 has a CTA in the first half of the time, SM 1 in all of it */
    const char *first = json_string_value(item(sms, "heat", 0));
    const char *second = json_string_value(item(sms, "heat", 1));
    cr_assert_eq(strlen(first), strlen(second));
    cr_expect_eq(first[strlen(first) / 2 + 1], '0');
    cr_expect_eq(first[0], second[0]);
    cr_expect_eq(second[0], second[strlen(second) - 1]);

    const json_t *counter = item(t, "counters", 0);
    cr_expect_str_eq(run_text(counter, "unit"), "per cycle");
    cr_expect_eq(number(counter, "points", 0), 1500000);
    cr_expect_eq(number(counter, "points", 1), 2.5);
    json_decref(page);
}

static void add_span(GString *s, unsigned process, unsigned ts, double dur) {
    g_string_append_printf(s,
                           "{\"ph\":\"X\",\"pid\":%u,\"tid\":64,\"ts\":%u,\"dur\":%g,\"name\":"
                           "\"k\",\"args\":{\"launch\":4,\"cta\":7}},\n",
                           process, ts, dur);
}

/* More spans than fit: the longest are there, and it is counted what is not. */
Test(page_timeline, many) {
    GString *s = g_string_new(HEAD PROCESS(11, "GPU 0: kernels") PROCESS(13, "GPU 0: CTAs by SM"));
    for (unsigned i = 0; i < 9000; i++) add_span(s, 11, i, i % 9 ? 0.25 : 0.75);
    for (unsigned i = 0; i < 13000; i++) add_span(s, 13, i, 1);
    g_string_append(s, END);
    json_t *page = page_of(s->str);
    const json_t *t = timeline_of(page), *row = item(t, "rows", 0);
    cr_expect_eq(json_array_size(json_object_get(row, "spans")), 3 * 8000);
    cr_expect_eq(run_number(row, "left"), 1000);
    unsigned longer = 0;
    for (size_t i = 0; i < 8000; i++) longer += number(row, "spans", 3 * i + 1) == 750000;
    cr_expect_eq(longer, 1000);
    cr_expect(json_is_null(json_object_get(item(t, "sms", 0), "ctas")));
    cr_expect_eq(run_number(t, "ctas"), 13000);
    g_string_free(s, TRUE);
    json_decref(page);
}

/* Means of a counter with more values than fit. */
Test(page_timeline, many_values) {
    GString *s = g_string_new(HEAD);
    for (unsigned i = 0; i < 20000; i++)
        g_string_append_printf(s,
                               "{\"ph\":\"C\",\"pid\":10,\"ts\":%u,\"name\":\"IPC\",\"args\":"
                               "{\"x\":%u}},\n",
                               i, i % 2 ? 3 : 1);
    g_string_append(s, END);
    json_t *page = page_of(s->str);
    const json_t *points = json_object_get(item(timeline_of(page), "counters", 0), "points");
    cr_expect_eq(json_array_size(points), 20000);
    for (size_t i = 0; i < 20000; i += 2) {
        cr_expect_eq(json_number_value(json_array_get(points, i)), (double)i * 1e6);
        cr_expect_eq(json_number_value(json_array_get(points, i + 1)), 2);
    }
    g_string_free(s, TRUE);
    json_decref(page);
}

/* Expects no timeline, and why. */
static void expect_note(const char *trace, const char *note) {
    json_t *page = page_of(trace);
    cr_expect(json_is_null(json_object_get(page, "timeline")));
    cr_expect_str_eq(run_text(page, "timeline_note"), note);
    json_decref(page);
}

Test(page_timeline, none) {
    static const char damaged[] = "trace.json is damaged, or not of heddle run --timeline";
    expect_note(NULL, "The run has no timeline: heddle run --timeline");
    expect_note("", damaged);
    expect_note("[]", damaged);
    expect_note(HEAD, damaged);
    expect_note(HEAD SPAN(11, 64, 1, 2, "a"), damaged);
    expect_note(HEAD SPAN(11, 64, -1, 2, "a") END, damaged);
    expect_note(HEAD "{\"ph\":\"B\",\"pid\":1,\"ts\":1,\"name\":\"a\"},\n" END, damaged);
    expect_note(HEAD "{\"ph\":\"X\"},\n" END, damaged);
}
