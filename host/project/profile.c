/* profile.c - the list of kernels of a profile, and the names of metrics
 * (tables/project_metrics.def); contracts in profile.h. The readers (read_*.c) fill lists,
 * cmd_project.c frees them, on the main thread of `heddle project`. Out of memory ends the
 * process. */
#include "project/profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

const struct project_metric_row project_metric_rows[NUM_PROJECT_METRICS] = {
#define METRIC(id, name, unit, need, meaning) {name, unit, meaning, NEED_##need},
#include "tables/project_metrics.def"
};

/* Adds a kernel without metrics at the end of the list, which may move; copies the name. @return
 * the kernel, valid until the next one is added. */
struct project_kernel *project_kernels_add(struct project_kernels *list, const char *name,
                                           uint64_t launch) {
    list->at = heddle_grow(list->at, &list->capacity, list->count + 1, sizeof *list->at,
                           "kernels of a profile");
    struct project_kernel *k = &list->at[list->count++];
    memset(k, 0, sizeof *k);
    k->name = heddle_copy_text(name, "a kernel's name");
    k->launch = launch;
    return k;
}

/* Copies the step to the end of the list's steps. */
void project_steps_add(struct project_kernels *list, const struct project_step *step) {
    list->steps = heddle_grow(list->steps, &list->step_capacity, list->num_steps + 1,
                              sizeof *list->steps, "the application's timeline");
    list->steps[list->num_steps++] = *step;
}

/* Frees names, curves, special operations, steps and the list, and leaves it empty. */
void project_kernels_clear(struct project_kernels *list) {
    for (size_t i = 0; i < list->count; i++) {
        free(list->at[i].name);
        free(list->at[i].l2);
        free(list->at[i].l1);
        free(list->at[i].special);
        free(list->at[i].special_lines);
    }
    free(list->at);
    free(list->steps);
    *list = (struct project_kernels){0};
}

/* @return the metric (enum project_metric) of that name, -1: there is none. */
int project_metric_find(const char *name) {
    for (int i = 0; i < NUM_PROJECT_METRICS; i++)
        if (!strcmp(project_metric_rows[i].name, name)) return i;
    return -1;
}
