/* kernel_groups.h - the distinct kernels of a profile, for pictures: launches of one name are a
 * group. Launches that were not projected are in none. */
#ifndef HEDDLE_PROJECT_KERNEL_GROUPS_H
#define HEDDLE_PROJECT_KERNEL_GROUPS_H

#include "project/project.h"

/* The launches of one kernel. */
struct kernel_group {
    const char *name;   /* of the profile */
    size_t count;       /* launches */
    size_t longest;     /* index of the launch with most time; the first of several */
    double measured_us; /* sum on the source */
};

/* Most time first; of equal times, the kernel that was launched first. */
struct kernel_groups {
    struct kernel_group *at;
    size_t count;
    size_t *of; /* [kernel of the profile]: its group, or NO_GROUP */
};
#define NO_GROUP SIZE_MAX

/* Borrows names from `r`. The caller frees the groups with kernel_groups_clear(). */
void kernel_groups_make(struct kernel_groups *out, const struct project_results *r);
void kernel_groups_clear(struct kernel_groups *g);

#endif
