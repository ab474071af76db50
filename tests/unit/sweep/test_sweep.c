/* test_sweep.c - host/sweep: axes, points, records and the picture of a sweep. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep.h"
#include "sweep/sweep_output.h"
#include "sweep/sweep_ranges.h"
#include "sweep/sweep_record.h"

static struct sweep *make(const char *gpus, const char *const *axes, unsigned count, bool around) {
    struct sweep *s = NULL;
    struct heddle_diag diag = {0};
    cr_assert_eq(sweep_create(&s, gpus, axes, count, around, &diag), HEDDLE_OK, "%s", diag.text);
    return s;
}

Test(sweep, cross_product_in_order) {
    const char *axes[] = {"a=1,2", "fixed=7", "b:c=x:y, z:w"};
    struct sweep *s = make("v100,h200", axes, 3, false);
    cr_assert_eq(s->num_points, 8);
    cr_expect_str_eq(s->points[0].name, "gpu=v100,a=1,b=x,c=y");
    cr_expect_str_eq(s->points[1].name, "gpu=v100,a=1,b=z,c=w");
    cr_expect_str_eq(s->points[2].name, "gpu=v100,a=2,b=x,c=y");
    cr_expect_str_eq(s->points[7].name, "gpu=h200,a=2,b=z,c=w");
    cr_expect_str_eq(s->points[7].gpu, "h200");
    const char *sets[] = {"a=2", "fixed=7", "b=z", "c=w"};
    for (unsigned i = 0; i < 4; i++) cr_expect_str_eq(s->points[7].sets[i], sets[i]);
    cr_expect_null(s->points[7].sets[4]);
    sweep_free(s);
}

Test(sweep, one_axis_at_a_time) {
    const char *axes[] = {"a=1,2,3", "fixed=7", "b:c=x:y, z:w"};
    struct sweep *s = make(NULL, axes, 3, true);
    const char *names[] = {"base", "a=2", "a=3", "b=z,c=w"};
    const char *sets[][4] = {{"a=1", "fixed=7", "b=x", "c=y"},
                             {"a=2", "fixed=7", "b=x", "c=y"},
                             {"a=3", "fixed=7", "b=x", "c=y"},
                             {"a=1", "fixed=7", "b=z", "c=w"}};
    char label[40];
    cr_assert_eq(s->num_points, 4);
    for (unsigned p = 0; p < 4; p++) {
        cr_expect_str_eq(s->points[p].name, names[p]);
        for (unsigned i = 0; i < 4; i++) cr_expect_str_eq(s->points[p].sets[i], sets[p][i]);
    }
    sweep_label(s, &s->points[0], 0, 3, true, label, sizeof label);
    cr_expect_str_eq(label, "base");
    sweep_label(s, &s->points[3], 0, 3, true, label, sizeof label);
    cr_expect_str_eq(label, "b=z, c=w");
    sweep_free(s);
}

Test(sweep, names_are_file_names) {
    char longer[700] = "a=";
    for (unsigned i = 0; i < 300; i++) strcat(longer, "b");
    strcat(longer, ",");
    for (unsigned i = 0; i < 300; i++) strcat(longer, "b");
    strcat(longer, "c");
    const char *axes[] = {"gpu=models/x.ini,../y.ini"}, *lengths[] = {longer};
    struct sweep *s = make(NULL, axes, 1, false);
    cr_expect_str_eq(s->points[0].name, "gpu=models_x.ini");
    cr_expect_str_eq(s->points[1].name, "gpu=.._y.ini");
    sweep_free(s);
    s = make(NULL, lengths, 1, false);
    cr_expect_lt(strlen(s->points[0].name), 200u);
    cr_expect_str_neq(s->points[0].name, s->points[1].name);
    sweep_free(s);
}

Test(sweep, names_that_meet_are_refused) {
    struct sweep *s;
    struct heddle_diag diag = {0};
    const char *axes[] = {"gpu=a/b,a_b"};
    cr_expect_eq(sweep_create(&s, NULL, axes, 1, false, &diag), HEDDLE_ERR_ARGUMENT);
    cr_expect_str_eq(diag.text, "two points would be called gpu=a_b: values may not differ in '/' "
                                "and blanks alone");
    const char *many[] = {"a=1,2,3,4,5,6,7,8,9,10", "b=1,2,3,4,5,6,7,8,9,10",
                          "c=1,2,3,4,5,6,7,8,9,10", "d=1,2,3,4,5,6,7,8,9,10",
                          "e=1,2,3,4,5,6,7,8,9,10", "f=1,2"};
    cr_expect_eq(sweep_create(&s, NULL, many, 6, false, &diag), HEDDLE_ERR_ARGUMENT);
    cr_expect_str_eq(diag.text, "more than 100000 points");
}

/* ---- records */

/* Writes a file. */
static void put(const char *directory, const char *name, const char *text) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    fputs(text, f);
    fclose(f);
}

Test(sweep, a_record_is_read_as_it_was_written) {
    char directory[] = "/tmp/heddle-sweep-XXXXXX", command[200];
    struct heddle_diag diag = {0};
    struct sweep_result made = {0}, read = {0};
    struct sweep_more more = {.count = 0};
    cr_expect_eq(sweep_more_find(&more, "ipc"), SWEEP_NUM_COLUMNS);
    cr_expect_eq(sweep_more_find(&more, "host_calls"), SWEEP_NUM_COLUMNS + 1);
    cr_expect_eq(sweep_more_find(&more, "branches"), SWEEP_NUM_COLUMNS + 2);
    cr_expect_eq(sweep_more_find(&more, "l1_hits"), SWEEP_NUM_COLUMNS + 3);
    cr_expect_eq(sweep_more_find(&more, "host_calls"), SWEEP_NUM_COLUMNS + 1, "once");
    cr_expect_eq(sweep_more_find(&more, "cycles"), SWEEP_CYCLES);
    cr_expect_eq(sweep_more_find(&more, "registers"), SWEEP_NO_COLUMN, "no sum over launches");
    cr_assert_not_null(mkdtemp(directory));
    json_t *inputs = json_pack("{s:s, s:{s:i, s:i}}", "program", "p", "parameters", "a", 1, "b", 2);
    json_t *other = json_pack("{s:s, s:{s:i, s:i}}", "program", "p", "parameters", "a", 1, "b", 3);
    cr_expect_eq(sweep_record_read(directory, inputs, &more, &read, &diag), HEDDLE_OK);
    cr_expect_eq(read.state, SWEEP_WAITING);
    cr_expect_eq(sweep_record_make(directory, inputs, &more, &made, &diag), HEDDLE_ERR_IO);
    put(directory, "report.json",
        "{\"kernel_groups\": [{\"cycles\": 10, \"launch_cycles\": 2, \"launches\": 1,"
        "\"time_ps\": 20, \"timed\": true, \"warp_instructions\": 4, \"branches\": 3},"
        "{\"cycles\": 7, \"launches\": 1, \"time_ps\": 1, \"timed\": false, \"branches\": 1,"
        "\"warp_instructions\": 50}],"
        "\"statistics\": [{\"name\": \"host_time\", \"value\": 99},"
        "{\"name\": \"host_calls\", \"value\": 12}]}");
    cr_expect_eq(sweep_record_make(directory, inputs, &more, &made, &diag), HEDDLE_OK, "%s",
                 diag.text);
    cr_expect_eq(made.value[SWEEP_KERNELS], 2);
    cr_expect_eq(made.value[SWEEP_CYCLES], 17);
    cr_expect_eq(made.value[SWEEP_KERNEL_TIME], 21);
    cr_expect_eq(made.value[SWEEP_TARGET_TIME], 99);
    cr_expect_eq(sweep_record_read(directory, inputs, &more, &read, &diag), HEDDLE_OK);
    cr_expect_eq(read.state, SWEEP_DONE);
    cr_expect_arr_eq(read.value, made.value, sizeof made.value);
    for (unsigned i = 0; i < 2; i++) { /* as the point has ended, and of one that was done before */
        const struct sweep_result *r = i ? &read : &made;
        cr_expect_float_eq(sweep_result_value(r, SWEEP_NUM_COLUMNS), 0.5, 1e-12, "timed alone");
        cr_expect_float_eq(sweep_result_value(r, SWEEP_NUM_COLUMNS + 1), 12, 0);
        cr_expect_float_eq(sweep_result_value(r, SWEEP_NUM_COLUMNS + 2), 4, 0);
        cr_expect(isnan(sweep_result_value(r, SWEEP_NUM_COLUMNS + 3)), "not in the report");
        cr_expect_float_eq(sweep_result_value(r, SWEEP_CYCLES), 17, 0);
    }
    cr_expect_eq(sweep_record_read(directory, other, &more, &read, &diag), HEDDLE_ERR_ARGUMENT);
    cr_expect_not_null(strstr(diag.text, "'b' is not the same"), "%s", diag.text);
    /* cannot be Heddle's: Heddle writes the file whole and renames it */
    put(directory, "point.json", "{\"inputs\": {\"prog");
    cr_expect_eq(sweep_record_read(directory, inputs, &more, &read, &diag), HEDDLE_ERR_IO);
    cr_expect_eq(read.state, SWEEP_WAITING);
    snprintf(command, sizeof command,
             "%s/point.json is damaged: its checksum is wrong; remove it, and the sweep runs the "
             "point again",
             directory);
    cr_expect_str_eq(diag.text, command);
    json_decref(inputs);
    json_decref(other);
    snprintf(command, sizeof command, "rm -r %s", directory);
    cr_expect_eq(system(command), 0);
}

/* ---- picture */

/* Draws the sweep's picture into `text`. @return whether there was a value to draw */
static bool draw(const struct sweep *s, const struct sweep_result *results, char *text,
                 size_t size) {
    static const char *const none[] = {NULL};
    static const struct sweep_more no_more;
    const struct sweep_inputs inputs = {.program = "./a<b", .arguments = none, .options = none};
    const struct sweep_output o = {.sweep = s,
                                   .results = results,
                                   .inputs = &inputs,
                                   .column = SWEEP_KERNEL_TIME,
                                   .more = &no_more};
    memset(text, 0, size);
    FILE *f = fmemopen(text, size, "w");
    cr_assert_not_null(f);
    bool some = sweep_write_svg(&o, f);
    fclose(f);
    return some;
}

static unsigned count_of(const char *text, const char *what) {
    unsigned count = 0;
    for (; (text = strstr(text, what)); text++) count++;
    return count;
}

Test(sweep, a_bar_for_each_point_that_is_done) {
    static char text[65536];
    const char *axes[] = {"one=1", "a=1,2,3", "b=4,5"};
    struct sweep *s = make(NULL, axes, 3, false);
    struct sweep_result results[6] = {0};
    cr_expect_not(draw(s, results, text, sizeof text));
    cr_expect_eq(text[0], '\0');
    for (unsigned i = 0; i < 6; i++) {
        results[i].state = SWEEP_DONE;
        results[i].value[SWEEP_KERNEL_TIME] = 1000000 * (i + 1);
    }
    results[4].state = SWEEP_FAILED;
    cr_expect(draw(s, results, text, sizeof text));
    cr_expect_eq(count_of(text, "<title>"), 5);
    cr_expect_eq(count_of(text, ">x</text>"), 1); /* the failed point */
    cr_expect_not_null(strstr(text, "a=2, b=4: 3 us"));
    cr_expect_not_null(strstr(text, "./a&lt;b") ? text : strstr(text, "a&lt;b"));
    sweep_free(s);
}

Test(sweep, around_the_first_values_a_bar_and_a_line_for_each_point) {
    static char text[65536];
    const char *axes[] = {"a=1,2", "b=4,5"};
    struct sweep *s = make(NULL, axes, 2, true);
    struct sweep_result results[3] = {0};
    for (unsigned i = 0; i < 3; i++) {
        results[i].state = SWEEP_DONE;
        results[i].value[SWEEP_KERNEL_TIME] = 1000000 * (i + 1);
    }
    cr_expect(draw(s, results, text, sizeof text));
    cr_expect_eq(count_of(text, "<title>"), 3);
    cr_expect_eq(count_of(text, ">base</text>"), 1);
    cr_expect_eq(count_of(text, ">a=2</text>"), 1);
    cr_expect_eq(count_of(text, ">b=5</text>"), 1);
    cr_expect_not_null(strstr(text, "b=5: 3 us"));
    sweep_free(s);
}

/* ---- ranges */

/* Expands the value and compares with values joined by blanks. */
static void expands(const char *value, const char *want) {
    struct heddle_diag diag = {0};
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    cr_expect_eq(sweep_range_expand(list, "K=...", value, &diag), HEDDLE_OK, "%s", diag.text);
    g_ptr_array_add(list, NULL);
    gchar *all = g_strjoinv(" ", (gchar **)list->pdata);
    cr_expect_str_eq(all, want, "%s: %s", value, all);
    g_free(all);
    g_ptr_array_free(list, TRUE);
}

Test(sweep, ranges) {
    expands("1-8", "1 2 3 4 5 6 7 8");
    expands("7..9", "7 8 9");
    expands("20..80+20", "20 40 60 80");
    expands("20..70+20", "20 40 60");
    expands("1..64*2", "1 2 4 8 16 32 64");
    expands("1..100*10", "1 10 100");
    expands("0.1..0.5+0.1", "0.1 0.2 0.3 0.4 0.5");
    expands("1MiB..3MiB+1MiB", "1MiB 2MiB 3MiB");
    expands("1GHz..2GHz+0.5", "1GHz 1.5GHz 2GHz");
    expands("4..4", "4");
    /* no ranges */
    expands("h100-sxm", "h100-sxm");
    expands("../my.ini", "../my.ini");
    expands("a..b", "a..b");
    expands("1e-3", "1e-3");
    expands("-3", "-3");
}

Test(sweep, ranges_are_values_of_an_axis) {
    struct sweep *s;
    struct heddle_diag diag = {0};
    const char *const axes[] = {"sm.count=1..4*2,10-11"};
    cr_assert_eq(sweep_create(&s, NULL, axes, 1, false, &diag), HEDDLE_OK, "%s", diag.text);
    cr_expect_eq(s->num_points, 5u);
    cr_expect_str_eq(s->points[2].name, "sm.count=4");
    cr_expect_str_eq(s->points[4].sets[0], "sm.count=11");
    sweep_free(s);
    const char *const twice[] = {"sm.count=1-3,2"};
    cr_expect_eq(sweep_create(&s, NULL, twice, 1, false, &diag), HEDDLE_ERR_ARGUMENT);
    cr_expect_str_eq(diag.text, "--set sm.count=1-3,2: 2 is there twice");
}
