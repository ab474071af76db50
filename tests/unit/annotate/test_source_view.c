/* test_source_view.c - annotate/source_view.h: a view has the kernels, lines and sums of the run's
 * files; kernels are found by what people call them; each missing or damaged file is named. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/source_view.h"
#include "made_run.h"

static struct source_view *read_run(const char *directory) {
    struct heddle_diag diag = {0};
    struct source_view *v;
    cr_assert_eq(source_view_read(&v, directory, &diag), HEDDLE_OK, "%s", diag.text);
    return v;
}

Test(source_view, kernels_and_lines) {
    char *directory = made_run_write(&(struct made_run){0});
    struct source_view *v = read_run(directory);
    cr_expect_str_eq(v->program, "./p");
    cr_expect_str_eq(v->gpu, "GPU");
    cr_expect(v->has_waits);
    cr_assert_eq(v->num_kernels, 2);
    const struct source_kernel *k = &v->kernel[0]; /* most time first */
    cr_expect_str_eq(k->name, "second");
    cr_expect_str_eq(k->symbol, "_Z6secondIfEvPi");
    cr_expect_eq(k->of_code, 1);
    cr_expect_eq(k->launches, 3, "without those that were not timed");
    cr_expect_eq(k->cycles, 400);
    cr_expect_eq(k->time_ps, 9000);
    cr_expect_eq(k->sub_core_cycles, 200);
    cr_expect_float_eq(k->occupancy, 0.40, 1e-9, "%g: by cycles", k->occupancy);
    cr_expect_float_eq(k->theoretical_occupancy, 0.5, 1e-9);
    cr_expect(k->shapes);
    cr_expect_eq(k->grid[0], 5);
    cr_expect_eq(source_cycles(&k->count), 120);
    cr_expect_eq(k->count.issued, 35);
    cr_assert_eq(k->num_inst, 4);
    cr_expect_str_eq(k->inst[1].text, "B0-----:R-:W-:-:S04  IADD3 R1, R1, 0x1, RZ");
    cr_expect_str_eq(k->inst[1].op, "IADD3");
    cr_expect_eq(k->inst[1].count.wait_memory, 60);
    cr_expect_str_eq(v->module[k->module].ptx.line[k->inst[1].ptx_line - 1],
                     "\tadd.s32 %r2, %r1, 1;");
    /* two lines: 2, and none */
    cr_assert_eq(k->num_lines, 2);
    const struct source_line *l = &k->line[k->hottest[0]];
    cr_expect_eq(l->line, 2);
    cr_expect_eq(l->num_inst, 3);
    cr_expect_eq(source_cycles(&l->count), 95);
    cr_expect_str_eq(source_wait_name(source_top_wait(&l->count)), "memory");
    cr_expect_float_eq(source_lanes(&l->count), 800.0 / 30, 1e-9);
    cr_expect_float_eq(source_sectors_per_request(&l->count), 4, 1e-9);
    cr_expect_float_eq(source_l1_hit_rate(&l->count), 0.25, 1e-9);
    cr_expect(isnan(source_conflicts(&l->count)));
    cr_expect_str_eq(v->file[l->file].text.line[l->line - 1], "    p[0]++;");
    const struct source_line *none = &k->line[1];
    cr_expect_eq(none->file, SOURCE_NOWHERE);
    cr_expect_eq(none->inst[0], 3);
    cr_expect_eq(k->inst[3].of_line, 1);
    /* the file that was missing is named */
    k = &v->kernel[1];
    cr_expect_str_eq(k->name, "first");
    cr_expect_eq(v->file[k->inst[0].file].state, SOURCE_MISSING);
    cr_expect_str_eq(source_state_text(SOURCE_MISSING), "the run could not read it");
    cr_expect_eq(source_top_wait(&k->count), SOURCE_NOWHERE);
    source_view_free(v);
    source_view_free(NULL);
    made_run_remove(directory);
}

Test(source_view, run_is_a_directory_or_its_report) {
    char *directory = made_run_write(&(struct made_run){0}), path[200];
    snprintf(path, sizeof path, "%s/report.json", directory);
    struct source_view *v = read_run(path);
    cr_expect_str_eq(v->directory, directory);
    source_view_free(v);
    snprintf(path, sizeof path, "%s//", directory);
    v = read_run(path);
    cr_expect_str_eq(v->directory, directory);
    source_view_free(v);
    made_run_remove(directory);
}

Test(source_view, kernels_by_name) {
    char *directory = made_run_write(&(struct made_run){0});
    struct source_view *v = read_run(directory);
    static const struct {
        const char *name;
        uint32_t count, first;
    } cases[] = {{"second", 1, 0},
                 {"first", 1, 1},
                 {"_Z6secondIfEvPi", 1, 0},
                 {"second(int *)", 1, 0},
                 {"sec", 1, 0},
                 {"s", 2, 0},
                 {"0", 1, 0},
                 {"1", 1, 1},
                 {"2", 0, 0},
                 {"third", 0, 0},
                 {"firs(int)", 1, 1},
                 {"_Z5", 1, 1},
                 {"", 0, 0},
                 {"99999999999999999999", 0, 0}};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t found[2] = {9, 9};
        cr_expect_eq(source_view_find(v, cases[i].name, found), cases[i].count, "%s",
                     cases[i].name);
        if (cases[i].count) cr_expect_eq(found[0], cases[i].first, "%s", cases[i].name);
    }
    source_view_free(v);
    made_run_remove(directory);
}

Test(source_view, json) {
    char *directory = made_run_write(&(struct made_run){0});
    struct source_view *v = read_run(directory);
    const uint32_t second = 0;
    json_t *root = source_view_json(v, &second, 1);
    const json_t *k = json_array_get(json_object_get(root, "kernels"), 0);
    cr_expect_eq(json_array_size(json_object_get(root, "kernels")), 1);
    cr_expect_eq(json_array_size(json_object_get(root, "counts")), SOURCE_COUNTS);
    cr_expect(json_is_true(json_object_get(root, "issues")));
    cr_expect_str_eq(json_string_value(json_object_get(k, "symbol")), "_Z6secondIfEvPi");
    const json_t *line = json_array_get(json_object_get(k, "lines"), 0);
    cr_expect_eq(json_integer_value(json_object_get(line, "cycles")), 95);
    cr_expect_eq(json_array_size(json_object_get(line, "instructions")), 3);
    const json_t *counts = json_object_get(line, "counts");
    cr_expect_eq(json_integer_value(json_object_get(counts, "wait_memory")), 60);
    cr_expect_null(json_object_get(counts, "wait_sleep"), "0 is left out");
    const json_t *none = json_array_get(json_object_get(k, "lines"), 1);
    cr_expect(json_is_null(json_object_get(none, "file")));
    const json_t *file = json_array_get(json_object_get(root, "files"), 1);
    cr_expect_str_eq(json_string_value(json_object_get(file, "missing")),
                     "the run could not read it");
    json_decref(root);
    source_view_free(v);
    made_run_remove(directory);
}

/* A source that the run left out is read from its path, unless it has changed since. */
Test(source_view, left_out) {
    char source[] = "/tmp/heddle-source-XXXXXX", code[1200];
    const int fd = mkstemp(source);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, "one\ntwo", 7), 7);
    close(fd);
    snprintf(code, sizeof code,
             "heddle-code 1\nmodule 0\nsource left-out 0 %s\nsource left-out 0 /src/gone.cu\n"
             "source left-out 0 /src/a.cu\n"
             "kernel 0 0 1 _Z5firstv first\nEXIT\n"
             "kernel 0 0 4 _Z6secondIfEvPi second\nA\nB\nC\nD\n",
             source);
    char *directory = made_run_write(&(struct made_run){.code = code});
    struct source_view *v = read_run(directory);
    cr_expect_eq(v->file[0].state, SOURCE_THERE);
    cr_assert_eq(v->file[0].text.count, 2);
    cr_expect_str_eq(v->file[0].text.line[1], "two");
    cr_expect_eq(v->file[1].state, SOURCE_LEFT_OUT);
    source_view_free(v);
    char command[300];
    snprintf(command, sizeof command, "touch -d '+1 hour' %s", source);
    cr_assert_eq(system(command), 0);
    v = read_run(directory);
    cr_expect_eq(v->file[0].state, SOURCE_NEWER);
    cr_expect_eq(v->file[0].text.count, 0);
    source_view_free(v);
    unlink(source);
    made_run_remove(directory);
}

/* ---- what cannot be read */

/* Reading the run fails with the text, in which DIR stands for the directory. */
static void refused(const struct made_run *m, const char *missing, const char *text) {
    char *directory = made_run_write(m), path[200], expected[1024] = "";
    struct heddle_diag diag = {0};
    struct source_view *v;
    if (missing) {
        snprintf(path, sizeof path, "%s/%s", directory, missing);
        cr_assert_eq(unlink(path), 0);
    }
    for (const char *s = text; *s;) {
        const bool is_directory = !strncmp(s, "DIR", 3);
        strncat(expected, is_directory ? directory : s, is_directory ? 200 : 1);
        s += is_directory ? 3 : 1;
    }
    cr_expect_eq(source_view_read(&v, directory, &diag), HEDDLE_ERR_IO, "%s", text);
    cr_expect_null(v);
    cr_expect_str_eq(diag.text, expected);
    made_run_remove(directory);
}

Test(source_view, report_missing_or_damaged) {
    refused(&(struct made_run){0}, "report.json",
            "cannot read DIR/report.json: No such file or directory; give the report directory of "
            "a `heddle run`");
    refused(&(struct made_run){.report = "{\n\"run\": "}, NULL,
            "DIR/report.json is damaged: line 2: unexpected token near end of file");
    refused(&(struct made_run){.report = "{\"a\": 1}"}, NULL,
            "DIR/report.json is not the report of a `heddle run`");
    refused(&(struct made_run){.report = "{\"run\": {\"program\": \"p\", \"gpu\": \"g\"}, "
                                         "\"kernel_groups\": []}"},
            NULL,
            "DIR/report.json has no code_file and instructions_file: an older Heddle wrote it; run "
            "the program again");
}

Test(source_view, nothing_counted) {
    refused(&(struct made_run){.no_rows = true, .timing = "none"}, NULL,
            "DIR: the run was not timed (--timing none): nothing of its instructions is known");
    refused(&(struct made_run){.no_rows = true}, NULL,
            "DIR: the run counted no instructions: it had --no-instruction-counts or checkpoints, "
            "or timed no kernel");
}

Test(source_view, files_missing) {
    refused(&(struct made_run){0}, "code.txt.zst",
            "cannot read DIR/code.txt.zst: No such file or directory");
    refused(&(struct made_run){0}, "instructions.csv",
            "cannot read DIR/instructions.csv: No such file or directory");
}

/* One of the files is of another run. */
Test(source_view, files_of_another_run) {
    char *directory = made_run_write(&(struct made_run){.other_code = true}), text[300];
    struct heddle_diag diag = {0};
    struct source_view *v;
    cr_expect_eq(source_view_read(&v, directory, &diag), HEDDLE_ERR_IO);
    snprintf(text, sizeof text, "%s/code.txt.zst is not the file that report.json refers to (CRC",
             directory);
    cr_expect_eq(strncmp(diag.text, text, strlen(text)), 0, "%s", diag.text);
    cr_expect(strstr(diag.text, "): it is of another run"), "%s", diag.text);
    made_run_remove(directory);
    directory = made_run_write(&(struct made_run){.other_instructions = true});
    cr_expect_eq(source_view_read(&v, directory, &diag), HEDDLE_ERR_IO);
    snprintf(text, sizeof text, "%s/instructions.csv is not the file that report.json refers to",
             directory);
    cr_expect_eq(strncmp(diag.text, text, strlen(text)), 0, "%s", diag.text);
    made_run_remove(directory);
}

/* Texts with a right sum that are no code of a run. */
Test(source_view, code_that_is_none) {
    static const struct {
        const char *code, *text;
    } cases[] = {
        {"heddle-code 2\n", "1: not the code of a run, or of another version of Heddle"},
        {"heddle-code 1\nmodul 3\n", "2: neither a module, nor a source, nor a kernel"},
        {"heddle-code 1\nmodule x\n", "2: a module without a number of lines"},
        {"heddle-code 1\nmodule 1 2\na\n", "2: a module without a number of lines"},
        {"heddle-code 1\nsource x\n", "2: a source without a state"},
        {"heddle-code 1\nsource here 0 a\n", "2: a source without state, lines and path"},
        {"heddle-code 1\nsource there 0 \n", "2: a source without state, lines and path"},
        {"heddle-code 1\nkernel 0 0 1 a a\nx\n",
         "2: a kernel without device, module and instructions"},
        {"heddle-code 1\nmodule 0\nkernel 0 0 1 a\nx\n", "3: a kernel without a name"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        snprintf(text, sizeof text, "DIR/code.txt.zst, line %s", cases[i].text);
        refused(&(struct made_run){.code = cases[i].code}, NULL, text);
    }
    refused(&(struct made_run){.code = "heddle-code 1\nmodule 4000000000\na\n"}, NULL,
            "DIR/code.txt.zst ends behind line 3, in the middle of a text");
    refused(&(struct made_run){.code = ""}, NULL,
            "DIR/code.txt.zst ends behind line 0, in the middle of a text");
}

/* Replaces the first `from` of the usual instructions.csv by `to`, which makes it wrong so. */
static void wrong_rows(const char *from, const char *to, const char *text) {
    char *usual = made_instructions(), *at = strstr(usual, from), whole[6000], expected[300];
    cr_assert(at, "%s", from);
    snprintf(whole, sizeof whole, "%.*s%s%s", (int)(at - usual), usual, to, at + strlen(from));
    snprintf(expected, sizeof expected, "DIR/instructions.csv, line %s", text);
    refused(&(struct made_run){.instructions = whole}, NULL, expected);
    free(usual);
}

Test(source_view, instructions_that_are_none) {
    wrong_rows("ptx_line", "ptx",
               "1: other columns than this version of Heddle writes: run the program again");
    wrong_rows("0,\"first\",0", "1,\"first\",0",
               "2: not the instruction that follows in code.txt.zst");
    wrong_rows("\"second\",1", "\"second\",2",
               "4: not the instruction that follows in code.txt.zst");
    wrong_rows("/src/a.cu", "/src/b.cu", "3: a source file that code.txt.zst does not have");
    wrong_rows(",7,4,", ",seven,4,", "2: no number of a line");
    wrong_rows(",7,4,2,", ",7,4,-2,", "2: a count that is no number");
    wrong_rows(",7,4,2,", ",7,4,", "2: another number of cells");
    wrong_rows("0,\"second\",3,EXIT", "\n0,\"second\",3,EXIT", "6: another number of cells");
    char *usual = made_instructions(), more[6000];
    snprintf(more, sizeof more, "%s0,x\n", usual);
    refused(&(struct made_run){.instructions = more}, NULL,
            "DIR/instructions.csv, line 7: no kernel of code.txt.zst");
    *strstr(usual, "0,\"second\",3") = 0;
    refused(&(struct made_run){.instructions = usual}, NULL,
            "DIR/instructions.csv, line 6: the file ends too soon");
    free(usual);
}
