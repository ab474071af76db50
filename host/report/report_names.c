/* report_names.c - sums of launches with the same kernel name, and the output of a name in tables
 * and CSV. The other files of host/report call it on the main thread of `heddle run`. Out of memory
 * ends the process. */
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "report/report_internal.h"

static const char SUMS[] = "sums of launches";

/* Whether two grids or blocks differ. */
static bool differ(const uint32_t a[3], const uint32_t b[3]) {
    return memcmp(a, b, 3 * sizeof *a) != 0;
}

/* Allocates list->of with the sum of every kernel name, in the order of their first launches; the
 * caller frees it. */
void report_sums(const struct report *r, struct report_sums *list) {
    const struct report_launches *l = r->launches;
    *list = (struct report_sums){heddle_alloc_array(l->num_groups, sizeof *list->of, SUMS), 0};
    for (size_t i = 0; i < l->num_groups; i++) {
        const struct report_group *g = &l->group[i];
        size_t at = 0;
        while (at < list->count && strcmp(list->of[at].k.name, g->sum.name)) at++;
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

/* Prints a name padded or cut to REPORT_NAME characters. */
void report_print_name(const char *name, FILE *out) {
    bool cut = strlen(name) > REPORT_NAME;
    int width = cut ? REPORT_NAME - 2 : REPORT_NAME;
    fprintf(out, "%-*.*s%s", width, width, name, cut ? ".." : "");
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
