/* test_page.c - the data of a run's page, and that no text of a report can leave its place in the
 * HTML. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_text.h"
#include "runs/page.h"

#define EVIL "</script><script>alert(1)//&amp;\\\"'<!--"

/* The page of a run; the caller frees it. */
static char *page_of(const struct run_file *run) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    page_write_run(run, f);
    fclose(f);
    return text;
}

/* The data inside a page, parsed. */
static json_t *data_in(const char *page) {
    static const char begin[] = "<script type=\"application/json\" id=\"data\">";
    const char *from = strstr(page, begin);
    json_error_t error;
    cr_assert(from);
    from += strlen(begin);
    const char *to = strstr(from, "</script>");
    cr_assert(to);
    json_t *data = json_loadb(from, (size_t)(to - from), 0, &error);
    cr_assert(data, "%s", error.text);
    return data;
}

static unsigned count(const char *text, const char *word) {
    unsigned n = 0;
    for (; (text = strstr(text, word)); text += strlen(word)) n++;
    return n;
}

Test(page, groups_by_time) {
    char groups[4000];
    snprintf(groups, sizeof groups, "%s,%s",
             run_text_group("short", 4, 1, 1000, 100, ",\"ipc\":1.5"),
             run_text_group("long", 4, 3, 1000, 100,
                            ",\"occupancy\":{\"theoretical\":0.5,\"limiter\":\"registers\"},"
                            "\"wall_s\":2.0"));
    const char *directory = run_text_write("", groups, "");
    struct run_file run = run_text_load(directory);
    json_t *data = page_run_data(&run);
    const json_t *list = json_object_get(data, "groups"), *first = json_array_get(list, 0);
    cr_expect_eq(json_array_size(list), 2u);
    cr_expect_str_eq(run_text(first, "name"), "long");
    cr_expect_str_eq(run_text(first, "shape"), "4 x 256");
    cr_expect_str_eq(run_text(first, "limiter"), "registers");
    cr_expect_eq(json_array_size(json_object_get(first, "cpi")), 16u);
    /* columns are paths, and each group's values stand at their places */
    const json_t *columns = json_object_get(data, "columns"), *column;
    size_t i;
    bool ipc = false;
    json_array_foreach(columns, i, column) {
        const char *name = json_string_value(json_array_get(column, 0));
        const json_t *of_long = json_array_get(json_object_get(first, "values"), i);
        const json_t *of_short = json_array_get(json_object_get(json_array_get(list, 1), "values"),
                                                i);
        cr_expect_str_neq(name, "wall_s", "host time is no figure of a kernel");
        if (!strcmp(name, "ipc")) {
            cr_expect_eq(json_number_value(of_short), 1.5);
            ipc = true;
        }
        if (!strcmp(name, "occupancy.theoretical")) {
            cr_expect_eq(json_number_value(of_long), 0.5);
            cr_expect(!json_is_number(of_short));
        }
        if (!strcmp(name, "registers")) cr_expect_eq(json_integer_value(of_long), 32);
    }
    cr_expect(ipc);
    json_decref(data);
    run_file_clear(&run);
    run_text_remove(directory);
}

Test(page, launches_and_copies) {
    char launches[4000];
    snprintf(launches, sizeof launches,
             ",\"kernels\":[%s,%s],\"copies\":[{\"kind\":\"fill\",\"device\":0,\"stream\":1,"
             "\"bytes\":64,\"start_ps\":5,\"end_ps\":9}]",
             run_text_group("k", 4, 1, 1000, 100, ",\"launch\":0,\"start_ps\":1,\"end_ps\":8"),
             run_text_group("other", 4, 1, 1000, 100, ",\"launch\":1"));
    const char *directory = run_text_write("", run_text_group("k", 4, 1, 1000, 100, ""), launches);
    struct run_file run = run_text_load(directory);
    json_t *data = page_run_data(&run);
    const json_t *rows = json_object_get(data, "launches");
    cr_assert_eq(json_array_size(rows), 2u);
    const json_t *first = json_array_get(rows, 0);
    cr_expect_eq(json_integer_value(json_array_get(first, 0)), 0, "the place of its group");
    cr_expect_eq(json_integer_value(json_array_get(first, 4)), 1);
    cr_expect(json_is_null(json_array_get(json_array_get(rows, 1), 0)), "no group of its name");
    const json_t *copy = json_array_get(json_object_get(data, "copies"), 0);
    cr_expect_str_eq(json_string_value(json_array_get(copy, 0)), "fill");
    cr_expect_eq(json_integer_value(json_array_get(copy, 3)), 64);
    json_decref(data);
    run_file_clear(&run);
    run_text_remove(directory);
}

/* Of very many groups, launches and copies, the page has some, and says how many there were. */
Test(page, many) {
    GString *groups = g_string_new(NULL), *lists = g_string_new(",\"kernels\":[");
    for (unsigned i = 0; i < 3000; i++) {
        if (i < 1200)
            g_string_append_printf(groups, "%s%s", i ? "," : "",
                                   run_text_group("k", i + 1, 1, 1000 + i, 100, ""));
        g_string_append_printf(lists, "%s%s", i ? "," : "",
                               run_text_group("k", i + 1, 1, 1000 + i, 100, ",\"launch\":1"));
    }
    g_string_append(lists, "],\"copies\":[");
    for (unsigned i = 0; i < 3000; i++)
        g_string_append_printf(lists, "%s{\"kind\":\"fill\",\"bytes\":%u}", i ? "," : "", i);
    g_string_append(lists, "]");
    const char *directory = run_text_write("", groups->str, lists->str);
    struct run_file run = run_text_load(directory);
    json_t *data = page_run_data(&run);
    cr_expect_eq(json_array_size(json_object_get(data, "groups")), 800u);
    cr_expect_eq(json_integer_value(json_object_get(data, "groups_all")), 1200);
    /* those that are left out have 1000 to 1399 cycles, of 1 ns */
    cr_expect_float_eq(run_number(data, "groups_others_ps"), 400 * 1199.5 * 1000, 1);
    cr_expect_eq(json_array_size(json_object_get(data, "launches")), 2000u);
    const json_t *copies = json_object_get(data, "copies");
    cr_expect_eq(json_array_size(copies), 2000u);
    cr_expect_eq(json_integer_value(json_array_get(json_array_get(copies, 999), 3)), 999);
    cr_expect_eq(json_integer_value(json_array_get(json_array_get(copies, 1000), 3)), 2000);
    char *page = page_of(&run);
    cr_expect_lt(strlen(page), 2000000u);
    free(page);
    json_decref(data);
    run_file_clear(&run);
    run_text_remove(directory);
    g_string_free(groups, TRUE);
    g_string_free(lists, TRUE);
}

Test(page, hostile_texts) {
    const char *plain_directory = run_text_write(",\"ended\":\"exit 0\"",
                                                 run_text_group("k", 4, 1, 1000, 100, ""), "");
    const char *directory = run_text_write(",\"program\":\"" EVIL "\",\"notes\":[\"" EVIL "\"]",
                                           run_text_group(EVIL, 4, 1, 1000, 100, ""),
                                           ",\"findings\":[{\"first\":\"" EVIL "\"}]");
    struct run_file plain = run_text_load(plain_directory), run = run_text_load(directory);
    char *expected = page_of(&plain), *page = page_of(&run);
    cr_expect_eq(count(page, "<script"), count(expected, "<script"));
    cr_expect_eq(count(page, "</script"), count(expected, "</script"));
    cr_expect_eq(count(page, "<!--"), count(expected, "<!--"));
    json_t *data = data_in(page);
    const char *name = run_text(json_array_get(json_object_get(data, "groups"), 0), "name");
    cr_expect_str_eq(name, "</script><script>alert(1)//&amp;\"'<!--");
    cr_expect(strstr(page, "<title>&lt;/script&gt;&lt;script&gt;alert(1)//&amp;amp;&quot;'"
                           "&lt;!-- on G - Heddle</title>"));
    json_decref(data);
    free(expected);
    free(page);
    run_file_clear(&plain);
    run_file_clear(&run);
    run_text_remove(plain_directory);
    run_text_remove(directory);
}

/* The same report makes the same page, and no page names anything to load. */
Test(page, alone) {
    const char *directory = run_text_write("", run_text_group("k", 4, 1, 1000, 100, ""), "");
    struct run_file run = run_text_load(directory);
    char *a = page_of(&run), *b = page_of(&run);
    cr_expect_str_eq(a, b);
    static const char *const loads[] = {" src=", "url(", "@import", "<link", "fetch(", "https:"};
    for (unsigned i = 0; i < sizeof loads / sizeof *loads; i++)
        cr_expect(!strstr(a, loads[i]), "%s", loads[i]);
    cr_expect_eq(count(a, "http:"), 1u, "the name of SVG's elements alone");
    free(a);
    free(b);
    run_file_clear(&run);
    run_text_remove(directory);
}

/* The page of a comparison has the object of --json. */
Test(page, comparison) {
    const char *directory = run_text_write("", run_text_group("k", 4, 1, 1000, 100, ""), "");
    struct run_file run = run_text_load(directory);
    struct comparison c;
    char *text = NULL;
    size_t size;
    compare_make(&c, &run, &run, 0.05);
    FILE *f = open_memstream(&text, &size);
    page_write_comparison(&c, f);
    fclose(f);
    json_t *data = data_in(text), *expected = compare_object(&c);
    json_object_set_new(expected, "cpi", page_cpi_parts());
    cr_expect(json_equal(data, expected));
    json_decref(data);
    json_decref(expected);
    free(text);
    compare_clear(&c);
    run_file_clear(&run);
    run_text_remove(directory);
}

/* Without counts of instructions, the page says why it has no source. */
Test(page, no_source) {
    const char *directory = run_text_write("", run_text_group("k", 4, 1, 1000, 100, ""), "");
    struct run_file run = run_text_load(directory);
    json_t *data = page_run_data(&run);
    const json_t *source = json_object_get(data, "source");
    cr_expect(strstr(run_text(source, "note"), directory), "%s", run_text(source, "note"));
    cr_expect(!json_object_get(source, "kernels"));
    json_decref(data);
    run_file_clear(&run);
    run_text_remove(directory);
}
