/* report_names.c - launches by the name of their kernel, and how a name is written. */
#include <stdlib.h>
#include <string.h>

#include "report/report_internal.h"

bool report_each_name(const struct report *r, report_name_fn *each, void *user) {
    unsigned char *done = calloc(r->num_kernels + 1, 1);
    struct gpu_kernel_record *same = malloc((r->num_kernels + 1) * sizeof *same), sum;
    bool room = done && same;
    for (size_t i = 0; room && i < r->num_kernels; i++) {
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
    return room;
}

static void add_sum(void *user, const struct report *same, const struct gpu_kernel_record *sum) {
    struct report_sums *list = user;
    (void)same;
    list->k[list->count++] = *sum;
}

bool report_sums(const struct report *r, struct report_sums *list, FILE *out) {
    *list = (struct report_sums){calloc(r->num_kernels + 1, sizeof *list->k), 0};
    if (list->k && report_each_name(r, add_sum, list)) return true;
    fprintf(out, "No memory for the sums of %zu launches.\n", r->num_kernels);
    free(list->k);
    return false;
}

void report_print_name(const char *name, FILE *out) {
    bool cut = strlen(name) > REPORT_NAME;
    int width = cut ? REPORT_NAME - 2 : REPORT_NAME;
    fprintf(out, "%-*.*s%s", width, width, name, cut ? ".." : "");
}

void report_csv_name(const char *name, FILE *f) {
    fputc('"', f);
    for (const char *c = name; *c; c++) fprintf(f, *c == '"' ? "\"\"" : "%c", *c);
    fputc('"', f);
}
