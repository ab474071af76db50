/* kernel_groups.c - puts the launches of a profile that have one name into a group, most time
 * first, for the pictures; see kernel_groups.h. plot_files.c and interval_plot.c call it on the
 * main thread of `heddle project`. Functions only read the results, whose names the groups borrow;
 * what they allocate, kernel_groups_clear() frees. */
#include "project/kernel_groups.h"

#include <glib.h>
#include <stdlib.h>

#include "common/memory.h"

/* A group and its number by first launch, while groups are sorted. */
struct place {
    struct kernel_group group;
    size_t number;
};

/* Order of groups: most time first; of equal times, the one that was launched first. */
static int compare(const void *a, const void *b) {
    const struct place *x = a, *y = b;
    if (x->group.measured_us != y->group.measured_us)
        return x->group.measured_us > y->group.measured_us ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Adds launch i of the kernels `at` to a group: count, time, and whether it is the longest. */
static void add(struct kernel_group *g, const struct project_kernel *at, size_t i) {
    if (g->count++ == 0) g->longest = i;
    g->name = at[i].name;
    g->measured_us += at[i].of[METRIC_TIME];
    if (at[i].of[METRIC_TIME] > at[g->longest].of[METRIC_TIME]) g->longest = i;
}

/* Sorts the out->count places into out->at, and changes the numbers in out->of (`kernels` launches)
 * to those of the sorted groups. */
static void sort(struct kernel_groups *out, struct place *places, size_t kernels) {
    size_t *rank = heddle_alloc_array(out->count, sizeof *rank, "ranks of kernels");
    qsort(places, out->count, sizeof *places, compare);
    for (size_t g = 0; g < out->count; g++) {
        out->at[g] = places[g].group;
        rank[places[g].number] = g;
    }
    for (size_t i = 0; i < kernels; i++)
        if (out->of[i] != NO_GROUP) out->of[i] = rank[out->of[i]];
    free(rank);
}

/* Fills *out with the groups of the launches that were projected; refused ones get NO_GROUP in
 * out->of. Without any, out->count is 0. */
void kernel_groups_make(struct kernel_groups *out, const struct project_results *r) {
    size_t kernels = r->kernels->count;
    struct place *places = heddle_alloc_array(kernels, sizeof *places, "kernels of a profile");
    GHashTable *numbers = g_hash_table_new(g_str_hash, g_str_equal); /* of names, plus 1 */
    *out = (struct kernel_groups){
        .at = heddle_alloc_array(kernels, sizeof *out->at, "kernels of a profile"),
        .of = heddle_alloc_array(kernels, sizeof *out->of, "groups of launches")};
    for (size_t i = 0; i < kernels; i++) {
        char *name = r->kernels->at[i].name;
        out->of[i] = NO_GROUP;
        if (r->refused[i].err) continue;
        size_t number = GPOINTER_TO_SIZE(g_hash_table_lookup(numbers, name));
        if (!number) {
            number = ++out->count;
            g_hash_table_insert(numbers, name, GSIZE_TO_POINTER(number));
            places[number - 1].number = number - 1;
        }
        out->of[i] = number - 1;
        add(&places[number - 1].group, r->kernels->at, i);
    }
    sort(out, places, kernels);
    g_hash_table_destroy(numbers);
    free(places);
}

/* Frees the lists, not the borrowed names, and empties *g. */
void kernel_groups_clear(struct kernel_groups *g) {
    free(g->at);
    free(g->of);
    *g = (struct kernel_groups){0};
}
