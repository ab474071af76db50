/* test_run_load.c - reports that are there, missing, damaged or old: values and exact messages. */
#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run_text.h"

/* Writes report.json; expects the error, in which "%s" stands for the file's path. */
static void expect_error(const char *text, heddle_err want, const char *message) {
    const char *directory = run_text_write("", "", "");
    struct run_file r;
    struct heddle_diag diag = {0};
    char *path = g_strdup_printf("%s/report.json", directory);
    GString *expected = g_string_new(message);
    g_string_replace(expected, "%s", path, 0);
    run_text_put(directory, "report.json", text);
    cr_expect_eq(run_file_load(&r, directory, &diag), want, "%s", text);
    cr_expect_str_eq(diag.text, expected->str);
    g_string_free(expected, TRUE);
    g_free(path);
    run_text_remove(directory);
}

Test(run_load, by_directory_or_file) {
    const char *directory = run_text_write("", run_text_group("k", 4, 2, 500, 300, ""), "");
    char *file = g_strdup_printf("%s/report.json", directory);
    char *slashes = g_strdup_printf("%s//", directory);
    const char *const names[] = {directory, file, slashes};
    for (unsigned i = 0; i < 3; i++) {
        struct run_file r = run_text_load(names[i]);
        cr_expect_str_eq(r.path, file);
        cr_expect_str_eq(r.directory, directory);
        cr_expect_str_eq(run_text(r.run, "gpu"), "G");
        cr_expect_str_eq(run_text(r.run, "nothing"), "");
        const json_t *group = json_array_get(r.groups, 0);
        cr_expect(run_is_timed(group));
        cr_expect_eq(run_number(group, "cycles"), 1000);
        cr_expect(isnan(run_number(group, "nothing")));
        run_file_clear(&r);
    }
    g_free(file);
    g_free(slashes);
    run_text_remove(directory);
}

Test(run_load, shapes) {
    static const struct {
        const char *group, *shape;
    } cases[] = {{"{\"grid\":[640,1,1],\"block\":[256,1,1]}", "640 x 256"},
                 {"{\"grid\":[1,1,1],\"block\":[1,1,1]}", "1 x 1"},
                 {"{\"grid\":[8,4,1],\"block\":[16,1,2]}", "8x4 x 16x1x2"}};
    for (unsigned i = 0; i < 3; i++) {
        json_t *group = json_loads(cases[i].group, 0, NULL);
        char *shape = run_shape(group);
        cr_expect_str_eq(shape, cases[i].shape);
        g_free(shape);
        json_decref(group);
    }
}

Test(run_load, missing) {
    struct run_file r;
    struct heddle_diag diag = {0};
    cr_expect_eq(run_file_load(&r, "/nothing/here", &diag), HEDDLE_ERR_IO);
    cr_expect_str_eq(diag.text, "/nothing/here/report.json: a report of heddle run is expected: No "
                                "such file or directory");
}

Test(run_load, damaged) {
    expect_error("{\n\"run\": {", HEDDLE_ERR_IO, "%s:2: string or '}' expected near end of file");
    expect_error("[]", HEDDLE_ERR_ARGUMENT, "%s is no report of heddle run");
    expect_error("{\"run\":{\"gpu\":\"G\"},\"kernel_groups\":[]}", HEDDLE_ERR_ARGUMENT,
                 "%s is no report of heddle run");
    expect_error(
        "{\"run\":{\"gpu\":\"G\",\"timing\":\"rtl\"}}", HEDDLE_ERR_ARGUMENT,
        "%s: 'kernel_groups' is missing: the report is of an older Heddle, run the program "
        "again");
#define RUN "{\"run\":{\"gpu\":\"G\",\"timing\":\"rtl\"},\"kernel_groups\":["
    expect_error(RUN "{}]}", HEDDLE_ERR_ARGUMENT, "%s: kernel_groups[0].name: a text is expected");
    expect_error(RUN "7]}", HEDDLE_ERR_ARGUMENT, "%s: kernel_groups[0].name: a text is expected");
    expect_error(RUN "{\"name\":\"k\",\"grid\":[1,1]}]}", HEDDLE_ERR_ARGUMENT,
                 "%s: kernel_groups[0].grid: three sizes are expected");
    expect_error(RUN "{\"name\":\"k\",\"grid\":[1,1,1],\"block\":[1,0,1]}]}", HEDDLE_ERR_ARGUMENT,
                 "%s: kernel_groups[0].block: three sizes are expected");
    expect_error(RUN "{\"name\":\"k\",\"grid\":[1,1,1],\"block\":[1,1,1],\"launches\":0}]}",
                 HEDDLE_ERR_ARGUMENT,
                 "%s: kernel_groups[0].launches: a number from 1 on is expected");
}
