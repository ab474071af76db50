/* test_page_calls.c - times of CUDA calls from api.json, and why there are none. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "run_text.h"
#include "runs/page_calls.h"

#define CALLS                                                                         \
    ",\"cuda_calls\":[{\"name\":\"cudaMalloc\",\"count\":2,\"scheduler\":0,\"sm\":0," \
    "\"supported\":"                                                                  \
    "true},{\"name\":\"cudaFree\",\"count\":1,\"scheduler\":0,\"sm\":0,\"supported\":true}]"

/* The calls of a run whose api.json has these events (NULL: there is none), and the note; for
 * json_decref(). */
static json_t *calls_of(const char *trace) {
    const char *directory = run_text_write("", "", CALLS);
    struct run_file run = run_text_load(directory);
    json_t *page = json_object();
    char text[1000];
    snprintf(text, sizeof text, "{\"traceEvents\":%s}", trace ? trace : "");
    if (trace) run_text_put(directory, "api.json", text);
    page_add_calls(&run, page);
    run_file_clear(&run);
    run_text_remove(directory);
    return page;
}

static double cell(const json_t *page, size_t row, size_t column) {
    return json_number_value(
        json_array_get(json_array_get(json_object_get(page, "calls"), row), column));
}

Test(page_calls, times) {
    json_t *page = calls_of("[{\"dur\":0.000020,\"name\":\"cudaMalloc\"},"
                            "{\"dur\":0.000005,\"name\":\"cudaMalloc\"},"
                            "{\"dur\":0.000000,\"name\":\"cudaFree\"}]");
    cr_expect(json_is_null(json_object_get(page, "calls_note")));
    cr_expect_eq(cell(page, 0, 1), 2);
    cr_expect_eq(cell(page, 0, 5), 25);
    cr_expect_eq(cell(page, 0, 6), 20);
    cr_expect_eq(cell(page, 1, 5), 0);
    json_decref(page);
}

/* Expects no times, and the note. */
static void expect_note(const char *trace, const char *note) {
    json_t *page = calls_of(trace);
    cr_expect_str_eq(run_text(page, "calls_note"), note);
    cr_expect_eq(cell(page, 0, 1), 2);
    cr_expect(json_is_null(json_array_get(json_array_get(json_object_get(page, "calls"), 0), 5)));
    json_decref(page);
}

Test(page_calls, none) {
    expect_note(NULL, "The run did not record the times of calls: heddle run --trace-api");
    expect_note("[{\"begin_ps\":1", "api.json is damaged");
    expect_note("{}", "api.json is damaged");
    expect_note("[{\"dur\":-1,\"name\":\"cudaFree\"}]", "api.json is damaged");
    static const char other[] = "api.json is of another run: it has other calls than report.json";
    expect_note("[{\"dur\":0.000002,\"name\":\"cudaFree\"}]", other);
    expect_note("[{\"dur\":0.000002,\"name\":\"cudaFree\"},{\"dur\":0.000002,"
                "\"name\":\"cudaMalloc\"},{\"dur\":0.000002,\"name\":"
                "\"cudaMalloc\"},{\"dur\":0.000002,\"name\":\"cudaMemset\"}]",
                other);
}

/* A call of several messages has an entry for each. */
Test(page_calls, several_messages) {
    json_t *page = calls_of("[{\"dur\":0.000020,\"name\":\"cudaMalloc\"},"
                            "{\"dur\":0.000005,\"name\":\"cudaMalloc\"},"
                            "{\"dur\":0.000001,\"name\":\"cudaMalloc\"},"
                            "{\"dur\":0.000000,\"name\":\"cudaFree\"}]");
    cr_expect(json_is_null(json_object_get(page, "calls_note")));
    cr_expect_eq(cell(page, 0, 5), 26);
    json_decref(page);
}

/* Calls that the trace counts without their names may be any. */
Test(page_calls, unnamed) {
    json_t *page = calls_of("[{\"dur\":0.000020,\"name\":\"cudaMalloc\"},"
                            "{\"args\":{\"more_answered_in_program\":2}}]");
    cr_expect(json_is_null(json_object_get(page, "calls_note")));
    cr_expect_eq(cell(page, 0, 5), 20);
    json_decref(page);
}
