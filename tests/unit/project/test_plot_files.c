/* test_plot_files.c - the pictures of a projection as files: names, what is said, errors. */
#include <criterion/criterion.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "project/plot_files.h"
#include "svg_reader.h"
#include "worked_results.h"

static struct worked_results w;
static struct heddle_diag diag;
static char directory[] = "/tmp/heddle-plot-XXXXXX";

static void set_up(void) {
    worked_begin(&w);
    cr_assert_not_null(mkdtemp(directory));
}
static void tear_down(void) {
    char command[100];
    worked_end(&w);
    snprintf(command, sizeof command, "rm -r %s", directory);
    cr_expect_eq(system(command), 0);
}
TestSuite(plot_files, .init = set_up, .fini = tear_down);

/* Writes the pictures into `name` of the directory. @return what was said; the caller frees it. */
static char *write_to(const char *name, heddle_err want) {
    char path[100], *said = NULL;
    size_t size;
    snprintf(path, sizeof path, "%s%s", directory, name);
    FILE *f = open_memstream(&said, &size);
    cr_expect_eq(plot_files_write(&w.results, path, f, &diag), want, "%s", diag.text);
    fclose(f);
    return said;
}

static unsigned count_files(const char *name) {
    char path[100];
    unsigned count = 0;
    snprintf(path, sizeof path, "%s%s", directory, name);
    DIR *d = opendir(path);
    cr_assert_not_null(d);
    for (const struct dirent *e; (e = readdir(d));) count += e->d_name[0] != '.';
    closedir(d);
    return count;
}

static void expect_picture(const char *name, const char *text) {
    char path[160], *content = NULL;
    size_t room = 0;
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *f = fopen(path, "r");
    cr_assert(f, "%s", path);
    cr_assert_gt(getdelim(&content, &room, '\0', f), 0);
    fclose(f);
    GPtrArray *picture = svg_read(content);
    cr_expect_eq(svg_texts(picture, text), 1, "%s lacks %s", name, text);
    g_ptr_array_unref(picture);
    free(content);
}

Test(plot_files, a_picture_for_each_kernel_and_target) {
    char want[300];
    worked_add(&w, "short", 0, 10);
    worked_add(&w, "long", 1, 4000);
    worked_add(&w, "long", 2, 5000);
    worked_project(&w, 2);
    char *said = write_to("/new", HEDDLE_OK);
    snprintf(want, sizeof want,
             "\nPictures in %s/new: intervals.svg, and roofline-N-GPU.svg where N is\n"
             "   1  long (launch 2, the longest of 2)\n   2  short\n",
             directory);
    cr_expect_str_eq(said, want);
    free(said);
    cr_expect_eq(count_files("/new"), 5); /* none is left under another name */
    expect_picture("new/intervals.svg", "long (2 launches)");
    expect_picture("new/roofline-1-target.svg",
                   "launch 2; model paper; bound by L1 on source, by L1 on target");
    expect_picture("new/roofline-1-other.svg",
                   "launch 2; model paper; bound by L1 on source, by L1 on other");
    expect_picture("new/roofline-2-target.svg", "short");
    expect_picture("new/roofline-2-other.svg", "short");
    free(write_to("/new", HEDDLE_OK)); /* over the old ones */
    cr_expect_eq(count_files("/new"), 5);
}

Test(plot_files, says_which_kernels_are_left_out) {
    char name[20];
    for (unsigned i = 0; i < 34; i++) {
        snprintf(name, sizeof name, "kernel %u", i);
        worked_add(&w, name, i, 1000 - i);
    }
    worked_project(&w, 1);
    char *said = write_to("", HEDDLE_OK);
    cr_expect(strstr(said, "  12  kernel 11\n"
                           "Without rooflines, because other kernels took more time:\n"
                           "      kernel 12\n"),
              "%s", said);
    cr_expect(strstr(said, "      kernel 31\n      and 2 more kernels\n"), "%s", said);
    cr_expect_eq(count_files(""), 13);
    free(said);
}

Test(plot_files, without_a_projected_kernel_there_is_no_picture) {
    worked_add(&w, "no time", 0, 0);
    worked_project(&w, 1);
    char *said = write_to("", HEDDLE_OK);
    cr_expect_str_eq(said, "\nNo pictures: no kernel was projected\n");
    cr_expect_eq(count_files(""), 0);
    free(said);
}

Test(plot_files, names_what_cannot_be_written) {
    char path[100], want[200];
    worked_add(&w, "a", 0, 4000);
    worked_project(&w, 2);
    free(write_to("/no/where", HEDDLE_ERR_IO));
    snprintf(want, sizeof want, "cannot make the directory %s/no/where: No such file or directory",
             directory);
    cr_expect_str_eq(diag.text, want);
    snprintf(path, sizeof path, "%s/roofline-1-other.svg", directory);
    cr_assert_eq(mkdir(path, 0777), 0);
    free(write_to("", HEDDLE_ERR_IO));
    snprintf(want, sizeof want, "cannot write %s: Is a directory", path);
    cr_expect_str_eq(diag.text, want);
    cr_expect_eq(count_files(""), 3); /* intervals, the target's, the directory */
}

Test(plot_files, refuses_two_targets_of_one_name) {
    strcpy(w.other.name, "target");
    worked_add(&w, "a", 0, 4000);
    worked_project(&w, 2);
    free(write_to("", HEDDLE_ERR_ARGUMENT));
    cr_expect_str_eq(diag.text,
                     "two targets are called target: their pictures would have one name");
    cr_expect_eq(count_files(""), 0);
}
