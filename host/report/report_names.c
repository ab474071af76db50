/* report_names.c - sums of launches with the same kernel name, and the output of a name in tables
 * and CSV. The other files of host/report call it on the main thread of `heddle run`. Out of memory
 * ends the process. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "report/report_internal.h"

static const char SUMS[] = "sums of launches";

/* Groups the launches by kernel name, in the order of their first launches, and calls `each` for
 * every group, on this thread: with a report that has the group's launches alone, and their sum;
 * both are valid during the call. */
void report_each_name(const struct report *r, report_name_fn *each, void *user) {
    unsigned char *done = heddle_alloc_array(r->num_kernels, 1, SUMS);
    struct gpu_kernel_record *same = heddle_alloc_array(r->num_kernels, sizeof *same, SUMS), sum;
    for (size_t i = 0; i < r->num_kernels; i++) {
        struct report part = *r;
        if (done[i]) continue;
        part.kernels = same;
        part.num_kernels = 0;
        for (size_t j = i; j < r->num_kernels; j++) {
            if (done[j] || strcmp(r->kernels[j].name, r->kernels[i].name)) continue;
            done[j] = 1;
            same[part.num_kernels++] = r->kernels[j];
        }
        report_sum(&part, &sum);
        sum.name = same[0].name;
        each(user, &part, &sum);
    }
    free(same);
    free(done);
}

/* A report_name_fn of report_sums(): appends the sum to the struct report_sums `user`, which has
 * room. */
static void add_sum(void *user, const struct report *same, const struct gpu_kernel_record *sum) {
    struct report_sums *list = user;
    (void)same;
    list->k[list->count++] = *sum;
}

/* Allocates list->k with the sum of every kernel name, in the order of their first launches; the
 * caller frees it. */
void report_sums(const struct report *r, struct report_sums *list) {
    *list = (struct report_sums){heddle_alloc_array(r->num_kernels, sizeof *list->k, SUMS), 0};
    report_each_name(r, add_sum, list);
}

/* Prints a name padded or cut to REPORT_NAME characters. */
void report_print_name(const char *name, FILE *out) {
    bool cut = strlen(name) > REPORT_NAME;
    int width = cut ? REPORT_NAME - 2 : REPORT_NAME;
    fprintf(out, "%-*.*s%s", width, width, name, cut ? ".." : "");
}

/* Writes a name in quotes. */
void report_csv_name(const char *name, FILE *f) {
    fputc('"', f);
    for (const char *c = name; *c; c++) fprintf(f, *c == '"' ? "\"\"" : "%c", *c);
    fputc('"', f);
}
