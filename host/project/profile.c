/* profile.c - see profile.h */
#include "project/profile.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

const struct project_metric_row project_metric_rows[NUM_PROJECT_METRICS] = {
#define METRIC(id, name, unit, need, meaning) {name, unit, meaning, NEED_##need},
#include "tables/project_metrics.def"
};

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

void project_kernels_clear(struct project_kernels *list) {
    for (size_t i = 0; i < list->count; i++) free(list->at[i].name);
    free(list->at);
    *list = (struct project_kernels){0};
}

int project_metric_find(const char *name) {
    for (int i = 0; i < NUM_PROJECT_METRICS; i++)
        if (!strcmp(project_metric_rows[i].name, name)) return i;
    return -1;
}
