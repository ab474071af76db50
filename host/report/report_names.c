/* report_names.c - sums of launches with the same kernel name or configuration, and the output of a
 * name in tables and CSV. The other files of host/report call it on the main thread of `heddle
 * run`. Out of memory ends the process. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "report/report_internal.h"

static const char SUMS[] = "sums of launches";

/* Whether two grids or blocks differ. */
static bool differ(const uint32_t a[3], const uint32_t b[3]) {
    return memcmp(a, b, 3 * sizeof *a) != 0;
}

/* What launches of a sum have in common. */
enum sum_of { SUM_OF_NAME, SUM_OF_GPU, SUM_OF_CONFIGURATION };

/* Whether a group belongs to a sum. */
static bool belongs(const struct gpu_kernel_record *sum, const struct gpu_kernel_record *k,
                    enum sum_of of) {
    if (strcmp(sum->name, k->name) != 0) return false;
    if (of >= SUM_OF_GPU && sum->device != k->device) return false;
    return of < SUM_OF_CONFIGURATION ||
           (!differ(sum->grid, k->grid) && !differ(sum->block, k->block));
}

/* Allocates list->of with the sums, in the order of their first launches; the caller frees it. */
static void make_sums(const struct report *r, struct report_sums *list, enum sum_of of) {
    const struct report_launches *l = r->launches;
    *list = (struct report_sums){heddle_alloc_array(l->num_groups, sizeof *list->of, SUMS), 0};
    for (size_t i = 0; i < l->num_groups; i++) {
        const struct report_group *g = &l->group[i];
        size_t at = 0;
        while (at < list->count && !belongs(&list->of[at].k, &g->sum, of)) at++;
        struct report_name *name = &list->of[at];
        name->launches += g->launches;
        if (at == list->count) {
            list->count++;
            name->k = g->sum;
            continue;
        }
        name->grids = name->grids || differ(name->k.grid, g->sum.grid);
        name->blocks = name->blocks || differ(name->k.block, g->sum.block);
        report_merge(&name->k, &g->sum);
        report_add_spots(&name->k, &g->sum);
    }
}

void report_sums(const struct report *r, struct report_sums *list) {
    make_sums(r, list, SUM_OF_NAME);
}

void report_gpu_sums(const struct report *r, struct report_sums *list) {
    make_sums(r, list, SUM_OF_GPU);
}

void report_configurations(const struct report *r, struct report_sums *list) {
    make_sums(r, list, SUM_OF_CONFIGURATION);
}

void report_shape(char *out, size_t size, const uint32_t v[3]) {
    if (v[2] > 1)
        snprintf(out, size, "%ux%ux%u", v[0], v[1], v[2]);
    else if (v[1] > 1)
        snprintf(out, size, "%ux%u", v[0], v[1]);
    else
        snprintf(out, size, "%u", v[0]);
}

char *report_configuration_name(const struct report *r, const struct report_sums *list, size_t i) {
    enum { REST = 120 };
    const struct gpu_kernel_record *k = &list->of[i].k;
    const size_t size = strlen(k->name) + REST;
    char *name = heddle_alloc(size, "a name"), grid[40], block[40];
    bool several = false;
    for (size_t n = 0; n < list->count && !several; n++) {
        const struct gpu_kernel_record *o = &list->of[n].k;
        several = !strcmp(o->name, k->name) &&
                  (differ(o->grid, k->grid) || differ(o->block, k->block));
    }
    report_shape(grid, sizeof grid, k->grid);
    report_shape(block, sizeof block, k->block);
    int n = several ? snprintf(name, size, "%s %s x %s", k->name, grid, block)
                    : snprintf(name, size, "%s", k->name);
    if (r->gpus > 1) snprintf(name + n, size - (size_t)n, " GPU %u", k->device);
    return name;
}

/* Prints a name padded, or cut at its begin, to REPORT_NAME characters: names differ at their
 * ends. */
void report_print_name(const char *name, FILE *out) {
    const size_t length = strlen(name);
    if (length > REPORT_NAME)
        fprintf(out, "..%s", name + length - (REPORT_NAME - 2));
    else
        fprintf(out, "%-*s", REPORT_NAME, name);
}

void report_csv_quote(const char *name, char *out) {
    *out++ = '"';
    for (; *name; name++) {
        if (*name == '"') *out++ = '"';
        *out++ = *name;
    }
    *out++ = '"';
    *out = '\0';
}

/* Writes a name in quotes. */
void report_csv_name(const char *name, FILE *f) {
    char *text = heddle_alloc(2 * strlen(name) + 3, "a name");
    report_csv_quote(name, text);
    fputs(text, f);
    free(text);
}
