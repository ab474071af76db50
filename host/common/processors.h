/* processors.h - how many processors of this machine a run may keep busy. No result depends on it.
 *
 * Threads: any. */
#ifndef HEDDLE_COMMON_PROCESSORS_H
#define HEDDLE_COMMON_PROCESSORS_H

#include <stddef.h>

/* The variable of the environment that says how many. */
#define PROCESSORS_VARIABLE "HEDDLE_PROCESSORS"

/* @return PROCESSORS_VARIABLE, 0 if it is not a number of 1 to 1024; without it, the processors
 * that this process may use: those of its affinity, at most what the quotas of its cgroups (version
 * 2) allow, at least 1. */
unsigned processors(void);

/* @return the processors that a quota allows, rounded up, by the text of a cgroup's cpu.max ("MAX
 * PERIOD" in us); 0: no limit, or not such a text. */
unsigned processors_of_quota(const char *text);

#endif
