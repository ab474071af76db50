/* test_compare.c - matching of kernels, changes, parts and counters; the lines of the table, the
 * members of the JSON, and what --fail-above finds. */
#define _GNU_SOURCE
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run_text.h"
#include "runs/compare.h"

/* Two runs and their comparison, for done(). */
struct pair {
    const char *directory[2];
    struct run_file run[2];
    struct comparison c;
};

/* Compares two lists of groups; `more` are further members of each report. */
static struct pair *make(const char *a, const char *b, const char *more_a, const char *more_b) {
    struct pair *p = calloc(1, sizeof *p);
    p->directory[0] = run_text_write("", a, more_a);
    p->directory[1] = run_text_write("", b, more_b);
    for (unsigned s = 0; s < 2; s++) p->run[s] = run_text_load(p->directory[s]);
    compare_make(&p->c, &p->run[0], &p->run[1], 0.05);
    return p;
}

static void done(struct pair *p) {
    compare_clear(&p->c);
    for (unsigned s = 0; s < 2; s++) {
        run_file_clear(&p->run[s]);
        run_text_remove(p->directory[s]);
    }
    free(p);
}

static const struct compare_kernel *kernel(const struct pair *p, guint i) {
    cr_assert_lt(i, p->c.kernels->len);
    return p->c.kernels->pdata[i];
}

/* The figure of a name. */
static const struct compare_figure *find(const GArray *list, const char *name) {
    for (guint i = 0; i < list->len; i++) {
        const struct compare_figure *f = &g_array_index(list, struct compare_figure, i);
        if (!strcmp(f->name, name)) return f;
    }
    return NULL;
}

/* What the table prints; the caller frees it. */
static char *table(const struct comparison *c, unsigned width) {
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    compare_print(c, width, f);
    fclose(f);
    return text;
}

Test(compare, cycles_and_parts) {
    struct pair *p = make(run_text_group("k", 4, 2, 1100, 200, ""),
                          run_text_group("k", 4, 2, 1600, 400, ""), "", "");
    const struct compare_kernel *k = kernel(p, 0);
    cr_expect_eq(k->cycles[0], 1100);
    cr_expect_eq(k->cycles[1], 1600);
    cr_expect_float_eq(k->change, 500.0 / 1100, 1e-12);
    /* executions of 1000 and 1500 cycles: half issued, and 0.2 and 0.4 of them wait for memory */
    const struct compare_figure *memory = find(k->parts, "memory");
    cr_assert(memory);
    cr_expect_float_eq(memory->of[0], 200, 1e-9);
    cr_expect_float_eq(memory->of[1], 600, 1e-9);
    cr_expect_float_eq(find(k->parts, "launch")->of[1], 100, 1e-9);
    for (unsigned s = 0; s < 2; s++) {
        double sum = 0;
        for (guint i = 0; i < k->parts->len; i++)
            sum += g_array_index(k->parts, struct compare_figure, i).of[s];
        cr_expect_float_eq(sum, k->cycles[s], 1e-9);
    }
    cr_expect_eq(p->c.cycles[0], 2200);
    cr_expect_float_eq(p->c.change, 500.0 / 1100, 1e-12);
    char *text = table(&p->c, 80);
    cr_expect(strstr(text, "k  4 x 256                                   2        1100        1600"
                           "   +45.5 %\n    cycles went to  memory +400  issued +250"),
              "%s", text);
    free(text);
    done(p);
}

Test(compare, same_run) {
    const char *group = run_text_group("k", 4, 1, 1100, 200, ",\"l1_hit_rate\":0.5");
    struct pair *p = make(group, group, "", "");
    cr_expect_eq(kernel(p, 0)->change, 0);
    cr_expect_eq(kernel(p, 0)->counters->len, 0u);
    cr_expect_eq(p->c.facts->len, 0u);
    cr_expect_eq(compare_slower(&p->c, 0, stdout), 0u);
    char *text = table(&p->c, 80);
    cr_expect(strstr(text, "Same program, GPU, parameters and Heddle."), "%s", text);
    cr_expect(!strstr(text, "cycles went to"), "%s", text);
    free(text);
    done(p);
}

/* By name and shape first; then by name, all shapes together; then none. */
Test(compare, matching) {
    char a[4000], b[4000];
    snprintf(a, sizeof a, "%s,%s,%s,%s", run_text_group("k", 4, 1, 1000, 0, ""),
             run_text_group("k", 8, 1, 2000, 0, ""), run_text_group("k", 9, 3, 4000, 0, ""),
             run_text_group("gone", 1, 1, 10000, 0, ""));
    snprintf(b, sizeof b, "%s,%s,%s", run_text_group("k", 16, 2, 7000, 0, ""),
             run_text_group("k", 4, 1, 1100, 0, ""), run_text_group("new<int>", 1, 5, 300, 0, ""));
    struct pair *p = make(a, b, "", "");
    cr_assert_eq(p->c.kernels->len, 2u);
    const struct compare_kernel *joined = kernel(p, 0), *same = kernel(p, 1);
    cr_expect_str_eq(same->shape[0], "4 x 256");
    cr_expect_str_eq(same->shape[1], "4 x 256");
    cr_expect_float_eq(same->change, 0.1, 1e-12);
    cr_expect_str_eq(joined->shape[0], "2 shapes");
    cr_expect_str_eq(joined->shape[1], "16 x 256");
    cr_expect_eq(joined->launches[0], 4u);
    cr_expect_float_eq(joined->cycles[0], 3500, 1e-9);
    cr_expect_float_eq(joined->change, 1, 1e-12);
    cr_assert_eq(p->c.only[0]->len, 1u);
    cr_assert_eq(p->c.only[1]->len, 1u);
    char *text = table(&p->c, 80);
    cr_expect(strstr(text, "Only in A: gone (1 x 256, 1 launch)\n"), "%s", text);
    cr_expect(strstr(text, "Only in B: new<int> (1 x 256, 5 launches)\n"), "%s", text);
    cr_expect(strstr(text, "k  2 shapes | 16 x 256"), "%s", text);
    free(text);
    done(p);
}

/* Counts are means of a launch; ratios are compared as they are; host time is no counter. */
Test(compare, counters) {
    struct pair *p = make(
        run_text_group("k", 4, 2, 1000, 0,
                       ",\"l1_hit_rate\":0.5,\"dram_read_bytes\":2000,\"wall_s\":1.0,"
                       "\"accesses\":{\"global_load\":{\"sectors\":80}},\"ipc\":1.0,"
                       "\"occupancy\":{\"achieved\":0.5,\"limiter\":\"warps\"}"),
        run_text_group("k", 4, 4, 1000, 0,
                       ",\"l1_hit_rate\":0.25,\"dram_read_bytes\":4000,\"wall_s\":9.0,"
                       "\"accesses\":{\"global_load\":{\"sectors\":320}},\"ipc\":1.04,"
                       "\"occupancy\":{\"achieved\":0.4,\"limiter\":\"warps\"}"),
        "", "");
    const GArray *list = kernel(p, 0)->counters;
    const struct compare_figure *hits = find(list, "l1_hit_rate");
    const struct compare_figure *sectors = find(list, "accesses.global_load.sectors");
    cr_assert(hits && sectors && find(list, "occupancy.achieved"));
    cr_expect_eq(hits->of[0], 0.5);
    cr_expect_eq(hits->of[1], 0.25);
    cr_expect_str_eq(hits->unit, "ratio");
    cr_expect_eq(sectors->of[0], 40);
    cr_expect_eq(sectors->of[1], 80);
    cr_expect(!find(list, "dram_read_bytes"), "a launch reads as much in both");
    cr_expect(!find(list, "wall_s"));
    cr_expect(!find(list, "ipc"), "4 % are less than 5 %");
    cr_expect_eq(list->len, 3u);
    cr_expect_str_eq(g_array_index(list, struct compare_figure, 2).name, "occupancy.achieved",
                     "what moved least comes last");
    done(p);
}

/* Counters that moved as the execution's cycles did, or their inverse, come behind the others, and
 * only JSON has them. The execution of 1000 cycles takes twice as long. */
Test(compare, followers) {
    struct pair *p = make(run_text_group("k", 4, 1, 1100, 0,
                                         ",\"ipc\":2.0,\"warp_cycles\":100,\"l1_hit_rate\":0.4,"
                                         "\"l2_accesses\":100"),
                          run_text_group("k", 4, 1, 2100, 0,
                                         ",\"ipc\":1.0,\"warp_cycles\":201,\"l1_hit_rate\":0.3,"
                                         "\"l2_accesses\":120"),
                          "", "");
    const GArray *list = kernel(p, 0)->counters;
    cr_assert_eq(list->len, 4u);
    cr_expect_str_eq(g_array_index(list, struct compare_figure, 0).name, "l1_hit_rate");
    cr_expect_str_eq(g_array_index(list, struct compare_figure, 1).name, "l2_accesses");
    cr_expect(find(list, "ipc")->follows && find(list, "warp_cycles")->follows);
    cr_expect(!find(list, "l1_hit_rate")->follows);
    char *text = table(&p->c, 80);
    cr_expect(strstr(text, "    counters        l1_hit_rate 0.4 -> 0.3  l2_accesses 100 -> 120\n"
                           "                    (2 more: --json)\n"),
              "%s", text);
    free(text);
    done(p);
}

/* Of a small grid, no_warp takes most; what its few warps wait for is shown behind it. */
Test(compare, small_grid) {
    struct pair *p = make(
        run_text_group("k", 1, 1, 10100, 0,
                       ",\"sub_core_cycles\":100000,\"cpi_stack\":{\"issued\":10,\"memory\":5,"
                       "\"no_warp\":99985}"),
        run_text_group("k", 1, 1, 12100, 0,
                       ",\"sub_core_cycles\":120000,\"cpi_stack\":{\"issued\":10,\"memory\":25,"
                       "\"no_warp\":119965}"),
        "", "");
    char *text = table(&p->c, 80);
    cr_expect(strstr(text, "    cycles went to  no_warp +1998  memory +2\n"), "%s", text);
    free(text);
    done(p);
}

/* A ratio of several groups is only known if they agree. */
Test(compare, ratios_of_groups) {
    char a[4000];
    snprintf(a, sizeof a, "%s,%s",
             run_text_group("k", 4, 1, 1000, 0, ",\"registers\":32,\"l1_hit_rate\":0.5"),
             run_text_group("k", 4, 1, 1000, 0, ",\"registers\":40,\"l1_hit_rate\":0.5"));
    struct pair *p = make(
        a, run_text_group("k", 4, 2, 1000, 0, ",\"registers\":99,\"l1_hit_rate\":0.1"), "", "");
    cr_assert_eq(p->c.kernels->len, 1u);
    cr_expect(find(kernel(p, 0)->counters, "l1_hit_rate"));
    cr_expect(!find(kernel(p, 0)->counters, "registers"));
    done(p);
}

#define PARAMETERS(count, clock)                                                                 \
    ",\"peaks\":{\"core_hz\":" clock "},\"parameters\":[{\"name\":\"sm.count\",\"value\":" count \
    ",\"unit\":\"SMs\"},{\"name\":\"clock.core\",\"value\":1.5,\"unit\":\"MHz\"},"               \
    "{\"name\":\"gpu.name\",\"value\":\"G\",\"unit\":\"text\"}"

Test(compare, parameters) {
    const char *group = run_text_group("k", 4, 1, 1000, 0, "");
    struct pair *p = make(group, group, PARAMETERS("80", "1e9") "]",
                          PARAMETERS("40", "1e9") ",{\"name\":\"l1.new\",\"value\":1}]");
    cr_assert_eq(p->c.facts->len, 2u);
    const struct compare_fact *f = (const struct compare_fact *)(void *)p->c.facts->data;
    cr_expect_str_eq(f[0].name, "sm.count");
    cr_expect_str_eq(f[0].of[0], "80");
    cr_expect_str_eq(f[0].of[1], "40");
    cr_expect_str_eq(f[1].name, "l1.new");
    cr_expect_str_eq(f[1].of[0], "-");
    cr_expect(!p->c.by_time);
    char *text = table(&p->c, 80);
    cr_expect(strstr(text, "Different sm.count: 80 -> 40 SMs\n          l1.new: - -> 1\n"), "%s",
              text);
    free(text);
    done(p);
}

/* What the runs were made from, if both say it. */
Test(compare, inputs) {
    const char *group = run_text_group("k", 4, 1, 1000, 0, "");
#define INPUTS(hash, argument, revision)                                                    \
    ",\"inputs\":{\"program_sha256\":\"" hash "\",\"arguments\":[\"-n\",\"" argument "\"]," \
    "\"heddle\":{\"revision\":\"" revision "\"}}"
    struct pair *p = make(group, group, INPUTS("12ab", "5", "r1"), INPUTS("12ab", "6", "r2"));
    const struct compare_fact *f = (const struct compare_fact *)(void *)p->c.facts->data;
    cr_assert_eq(p->c.facts->len, 2u);
    cr_expect_str_eq(f[0].name, "arguments");
    cr_expect_str_eq(f[0].of[0], "-n 5");
    cr_expect_str_eq(f[0].of[1], "-n 6");
    cr_expect_str_eq(f[1].name, "revision");
    done(p);
    p = make(group, group, INPUTS("12ab", "5", "r1"), "");
    cr_expect_eq(p->c.facts->len, 0u, "a report of an older Heddle says nothing of it");
    done(p);
}

/* With other clocks, cycles say nothing: times are compared. */
Test(compare, clocks) {
    struct pair *p = make(run_text_group("k", 4, 1, 1000, 0, ""),
                          run_text_group("k", 4, 1, 1000, 0, ",\"time_ps\":500000"),
                          PARAMETERS("80", "1e9") "]", PARAMETERS("80", "2e9") "]");
    cr_expect(p->c.by_time);
    cr_expect_float_eq(kernel(p, 0)->change, -0.5, 1e-12);
    char *text = table(&p->c, 80);
    cr_expect(strstr(text, "changes are those of times, not of cycles."), "%s", text);
    free(text);
    done(p);
}

Test(compare, slower) {
    char a[4000], b[4000], *text = NULL;
    size_t size;
    snprintf(a, sizeof a, "%s,%s", run_text_group("k", 4, 1, 1000, 0, ""),
             run_text_group("big", 4, 1, 100000, 0, ""));
    snprintf(b, sizeof b, "%s,%s", run_text_group("k", 4, 1, 1100, 0, ""),
             run_text_group("big", 4, 1, 100000, 0, ""));
    struct pair *p = make(a, b, "", "");
    FILE *f = open_memstream(&text, &size);
    cr_expect_eq(compare_slower(&p->c, 0.05, f), 1u);
    cr_expect_eq(compare_slower(&p->c, 0.1001, f), 0u);
    fclose(f);
    cr_expect_str_eq(text, "slower by more than 5 %: k 4 x 256, +10.0 %\n");
    free(text);
    done(p);
}

Test(compare, total_is_slower) {
    char b[4000], *text = NULL;
    size_t size;
    snprintf(b, sizeof b, "%s,%s", run_text_group("k", 4, 1, 1000, 0, ""),
             run_text_group("extra", 4, 1, 1000, 0, ""));
    struct pair *p = make(run_text_group("k", 4, 1, 1000, 0, ""), b, "", "");
    FILE *f = open_memstream(&text, &size);
    cr_expect_eq(compare_slower(&p->c, 0.5, f), 1u);
    fclose(f);
    cr_expect_str_eq(text, "slower by more than 50 %: all launches together, +100.0 %\n");
    free(text);
    done(p);
}

Test(compare, untimed) {
    const char *group = run_text_group("k", 4, 1, 0, 0, ",\"timed\":false");
    struct pair *p = make(group, run_text_group("k", 4, 1, 1000, 0, ""), "", "");
    cr_expect(isnan(kernel(p, 0)->change));
    cr_expect(isnan(find(kernel(p, 0)->parts, "memory")->of[0]));
    char *text = table(&p->c, 80);
    cr_expect(strstr(text, "No launch of A was timed: there are no cycles to compare.\n"), "%s",
              text);
    cr_expect(!strstr(text, "cycles went to"), "%s", text);
    free(text);
    done(p);
}

/* Launches that were not timed take no part in the counters of those that were; kernels of which
 * one run timed none have no counters to compare. */
Test(compare, counters_of_timed) {
    char a[4000], b[4000];
    snprintf(a, sizeof a, "%s,%s,%s",
             run_text_group("k", 4, 2, 1000, 0, ",\"l2_accesses\":200,\"l2_hit_rate\":0.5"),
             run_text_group("k", 4, 8, 0, 0, ",\"timed\":false,\"l2_accesses\":0"),
             run_text_group("l", 4, 1, 0, 0, ",\"timed\":false,\"l2_accesses\":0"));
    snprintf(b, sizeof b, "%s,%s",
             run_text_group("k", 4, 1, 1000, 0, ",\"l2_accesses\":100,\"l2_hit_rate\":0.9"),
             run_text_group("l", 4, 1, 700, 0, ",\"l2_accesses\":50"));
    struct pair *p = make(a, b, "", "");
    cr_assert_eq(p->c.kernels->len, 2u);
    for (guint i = 0; i < 2; i++) {
        const struct compare_kernel *k = kernel(p, i);
        cr_expect(!find(k->counters, "l2_accesses"), "%s", k->name);
        cr_expect_eq(find(k->counters, "l2_hit_rate") != NULL, !strcmp(k->name, "k"));
    }
    done(p);
}

/* A total of some launches says so. */
Test(compare, partly_timed) {
    char a[4000], b[4000];
    const char *timed = run_text_group("k", 4, 2, 1000, 0, "");
    snprintf(a, sizeof a, "%s,%s", timed, run_text_group("l", 4, 3, 0, 0, ",\"timed\":false"));
    snprintf(b, sizeof b, "%s,%s", timed, run_text_group("l", 4, 3, 500, 0, ""));
    struct pair *p = make(a, b, "", "");
    cr_expect_eq(p->c.timed[0], 2u);
    cr_expect_eq(p->c.launches[0], 5u);
    char *text = table(&p->c, 80);
    cr_expect(strstr(text, "Timed launches: 2 of 5 in A, 5 of 5 in B; the total is theirs.\n"),
              "%s", text);
    free(text);
    done(p);
}

Test(compare, json) {
    struct pair *p = make(run_text_group("k<&>", 4, 1, 1000, 100, ",\"ipc\":1.0"),
                          run_text_group("k<&>", 4, 1, 1200, 100, ",\"ipc\":2.0"), "", "");
    json_t *o = compare_object(&p->c);
    const json_t *k = json_array_get(json_object_get(o, "kernels"), 0);
    cr_expect_str_eq(run_text(o, "changes_of"), "cycles");
    cr_expect_str_eq(run_text(k, "name"), "k<&>");
    cr_expect_float_eq(run_number(k, "change"), 0.2, 1e-12);
    cr_expect_eq(json_number_value(json_array_get(json_object_get(k, "cycles"), 1)), 1200);
    const json_t *moved = json_array_get(json_object_get(k, "counters"), 0);
    cr_expect_str_eq(run_text(moved, "name"), "ipc");
    cr_expect_eq(run_number(moved, "b"), 2);
    cr_expect_eq(json_array_size(json_object_get(o, "only_a")), 0u);
    cr_expect_float_eq(run_number(json_object_get(o, "total"), "change"), 0.2, 1e-12);
    json_decref(o);
    done(p);
}

/* No line is wider than the terminal, but for names and words that are. */
Test(compare, width) {
    struct pair *p = make(run_text_group("a_kernel_of_a_rather_long_name<float>", 4, 1, 1000, 100,
                                         ",\"ipc\":1.0,\"l1_hit_rate\":0.5,\"l2_hit_rate\":0.5,"
                                         "\"branches\":7,\"page_faults\":1,\"l1_lines\":4"),
                          run_text_group("a_kernel_of_a_rather_long_name<float>", 4, 1, 1200, 300,
                                         ",\"ipc\":2.0,\"l1_hit_rate\":0.7,\"l2_hit_rate\":0.9,"
                                         "\"branches\":9,\"page_faults\":3,\"l1_lines\":9"),
                          "", "");
    char *text = table(&p->c, 80);
    for (const char *at = text; *at; at += strcspn(at, "\n") + 1)
        cr_expect_leq(strcspn(at, "\n"), 80u, "%s", text);
    cr_expect(strstr(text, "(1 more: --json)"), "%s", text);
    free(text);
    done(p);
}
