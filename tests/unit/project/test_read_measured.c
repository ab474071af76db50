/* test_read_measured.c - times measured on targets: the file, what it does to table, JSON and CSV,
 * and each message for a wrong file. */
#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "project/project_output.h"
#include "project/read_measured.h"
#include "worked_results.h"

#define HEADER "name,launch,gpu,us\n"

static struct worked_results w;
static struct measured_others others;
static struct heddle_diag diag;
static char path[] = "/tmp/heddle-measured-XXXXXX";

/* Kernels 0 and 1 are launches 3 and 5 of one name, kernel 2 has another. All are projected to
 * "target" and "other". */
static void set_up(void) {
    worked_begin(&w);
    worked_add(&w, "f<1, 2>(\"q\")", 3, 4000);
    worked_add(&w, "f<1, 2>(\"q\")", 5, 4000);
    worked_add(&w, "g", 6, 4000);
    worked_project(&w, 2);
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
}
static void tear_down(void) {
    unlink(path);
    worked_end(&w);
}
TestSuite(read_measured, .init = set_up, .fini = tear_down);

static heddle_err read_bytes(const char *text, size_t size) {
    FILE *f = fopen(path, "w");
    cr_assert_not_null(f);
    cr_assert_eq(fwrite(text, 1, size, f), size);
    fclose(f);
    return read_measured(&w.results, path, &others, &diag);
}

static void read_good(const char *text) {
    cr_assert_eq(read_bytes(text, strlen(text)), HEDDLE_OK, "%s", diag.text);
}

/* The message follows the path of the file. */
static void refuse(const char *text, const char *message) {
    cr_expect_eq(read_bytes(text, strlen(text)), HEDDLE_ERR_ARGUMENT);
    cr_assert_eq(strncmp(diag.text, path, strlen(path)), 0, "%s", diag.text);
    cr_expect_str_eq(diag.text + strlen(path), message);
    cr_expect_null(w.results.measured_target);
}

static void print(FILE *f, const struct project_results *r) {
    project_print(r, f);
}
static void write_csv(FILE *f, const struct project_results *r) {
    project_write_csv(r, f);
}
static void write_json(FILE *f, const struct project_results *r) {
    cr_expect(project_write_json(r, f));
}

Test(read_measured, a_row_of_a_launch_goes_before_one_of_all_launches) {
    read_good("# from a real GPU\r\n\n" HEADER "\"f<1, 2>(\"\"q\"\")\",5,target,1500\r\n"
              "\"f<1, 2>(\"\"q\"\")\",,target,1.7e3\n"
              "g,6,other,12.5\ng,,elsewhere,1\ng,,\"else, far\",2\n");
    static const double want[] = {1700, 0, 1500, 0, 0, 12.5};
    for (size_t k = 0; k < 3; k++)
        for (size_t t = 0; t < 2; t++)
            cr_expect_eq(project_measured(&w.results, k, t), want[2 * k + t], "%zu %zu", k, t);
    cr_expect_eq(w.results.total[0].measured_target_us, 0); /* g has no time there */
    cr_expect_eq(others.rows, 2);
    cr_expect_eq(others.line, 7);
    cr_expect_str_eq(others.gpu, "elsewhere");
}

Test(read_measured, the_total_is_that_of_all_kernels) {
    read_good(HEADER "\"f<1, 2>(\"\"q\"\")\",,target,1500\ng,,target,1000");
    cr_expect_eq(w.results.total[0].measured_target_us, 4000);
    cr_expect_eq(w.results.total[1].measured_target_us, 0);
    cr_expect_eq(others.rows, 0);
}

Test(read_measured, table_and_csv_have_times_and_errors) {
    read_good(HEADER "g,,target,2000\n");
    char *text = worked_text(write_csv, &w.results);
    cr_expect(strstr(text, ",confidence,measured_target_us,error_percent\n"), "%s", text);
    cr_expect(strstr(text, ",source,other,paper,4000,1600,1800,2000,L1,L1,0.8,,\n"), "%s", text);
    cr_expect(
        strstr(text, "\n6,\"g\",source,target,paper,4000,1600,1800,2000,L1,L1,0.8,2000,-10\n"),
        "%s", text);
    free(text);
    text = worked_text(print, &w.results);
    cr_expect(strstr(text, "  speedup    on target  error %  bound"), "%s", text);
    cr_expect(strstr(text, "     2.22      2000.00    -10.0  L1 -> L1"), "%s", text);
    cr_expect(strstr(text, "     2.22            -        -  L1 -> L1"), "%s", text);
    free(text);
}

Test(read_measured, json_has_times_and_errors) {
    read_good(HEADER "\"f<1, 2>(\"\"q\"\")\",,target,1500\ng,,target,2400\n");
    char *text = worked_text(write_json, &w.results);
    json_t *root = json_loads(text, 0, NULL);
    double us, error;
    cr_assert_eq(json_unpack(root, "{s:{s:{s:{s:F, s:F}}}}", "application", "targets", "target",
                             "measured_target_us", &us, "error_percent", &error),
                 0, "%s", text);
    cr_expect_eq(us, 5400);
    cr_expect_float_eq(error, 0, 1e-9);
    const json_t *g = json_array_get(json_object_get(root, "kernels"), 2);
    const json_t *targets = json_object_get(g, "targets");
    cr_expect_float_eq(
        json_number_value(json_object_get(json_object_get(targets, "target"), "error_percent")),
        -25, 1e-9);
    cr_expect(
        json_is_null(json_object_get(json_object_get(targets, "other"), "measured_target_us")));
    json_decref(root);
    free(text);
}

Test(read_measured, without_a_file_the_json_has_no_such_members) {
    char *text = worked_text(write_json, &w.results);
    cr_expect_null(strstr(text, "measured_target_us"));
    free(text);
}

Test(read_measured, refuses_malformed_files) {
    refuse("", ": no row is of a GPU that is projected to");
    refuse("name,gpu,us\n", ":1: the first line is expected to be name,launch,gpu,us");
    refuse(HEADER "g,,target\n",
           ":2: 3 fields, 4 are expected: name,launch,gpu,us (a name with commas needs quotes)");
    refuse(HEADER "\nf<1, 2>,,target,1\n",
           ":3: 5 fields, 4 are expected: name,launch,gpu,us (a name with commas needs quotes)");
    refuse(HEADER "\"g,,target,1\n", ":2: a quote does not end, or text follows it");
    refuse(HEADER "\"g\"h,,target,1\n", ":2: a quote does not end, or text follows it");
    cr_expect_eq(read_bytes(HEADER "g\0,,target,1\n", 32), HEDDLE_ERR_ARGUMENT);
    cr_expect_str_eq(diag.text + strlen(path), ":2: a byte is 0: the file is no text");
}

Test(read_measured, refuses_wrong_values) {
    static const char *const times[] = {"", "0", "-1", "nan", "inf", "12us", "\"12,5\""};
    static const char *const shown[] = {"", "0", "-1", "nan", "inf", "12us", "12,5"};
    for (unsigned i = 0; i < sizeof times / sizeof *times; i++) {
        char row[100], message[160];
        snprintf(row, sizeof row, HEADER "g,,target,%s\n", times[i]);
        snprintf(message, sizeof message,
                 ":2: '%s' is no time: microseconds above 0 are expected, such as 12.5", shown[i]);
        refuse(row, message);
    }
    refuse(HEADER "h,,target,1\n", ":2: the profile has no kernel 'h'");
    refuse(HEADER "g,x,target,1\n",
           ":2: 'x' is no launch: a whole number is expected, or nothing for all launches");
    refuse(HEADER "g,3,target,1\n", ":2: the profile has no launch 3 of 'g'");
}

Test(read_measured, refuses_a_time_that_is_given_twice) {
    refuse(HEADER "g,,target,1\ng,6,target,1\ng,,target,2\n",
           ":4: the time of 'g' on target is given twice, first in line 2");
    refuse(HEADER "g,6,target,1\ng,6,target,1\n",
           ":3: the time of 'g' on target is given twice, first in line 2");
}

Test(read_measured, refuses_a_file_about_other_gpus) {
    refuse(HEADER "g,,elsewhere,1\n",
           ": no row is of a GPU that is projected to, the first one is of elsewhere");
}

Test(read_measured, names_a_file_that_is_not_there) {
    cr_expect_eq(read_measured(&w.results, "/nowhere/m.csv", &others, &diag), HEDDLE_ERR_IO);
    cr_expect_str_eq(diag.text, "cannot read /nowhere/m.csv: No such file or directory");
    cr_expect_eq(read_measured(&w.results, ".", &others, &diag), HEDDLE_ERR_IO);
    cr_expect_str_eq(diag.text, "cannot read .: Is a directory");
}
