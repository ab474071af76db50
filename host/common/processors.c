/* processors.c - how many processors a run may keep busy: the environment, the affinity, and the
 * quotas of the cgroups that the process is in. */
#define _GNU_SOURCE /* sched_getaffinity */
#include "common/processors.h"

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1024 };

unsigned processors_of_quota(const char *text) {
    unsigned long long most, period;
    if (sscanf(text, "%llu %llu", &most, &period) != 2 || !most || !period) return 0;
    const unsigned long long all = most / period + (most % period != 0);
    return all < MOST ? (unsigned)all : MOST;
}

/* Reads the first line of a file. @return false: there is none. */
static bool first_line(const char *path, char *line, size_t size) {
    FILE *f = fopen(path, "re");
    if (!f) return false;
    const bool read = fgets(line, (int)size, f) != NULL;
    fclose(f);
    line[read ? strcspn(line, "\n") : 0] = 0;
    return read;
}

/* @return the smallest quota of the process's cgroup and those above it; MOST: no limit. */
static unsigned quota(void) {
    char own[1024], path[PATH_MAX], text[64];
    unsigned least = MOST;
    if (!first_line("/proc/self/cgroup", own, sizeof own) || strncmp(own, "0::/", 4)) return MOST;
    for (char *group = own + 3, *end = group + strlen(group); end; end = strrchr(group, '/')) {
        *end = 0;
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/cpu.max", group);
        const unsigned limit = first_line(path, text, sizeof text) ? processors_of_quota(text) : 0;
        if (limit && limit < least) least = limit;
    }
    return least;
}

unsigned processors(void) {
    const char *said = getenv(PROCESSORS_VARIABLE);
    char *end;
    if (said) {
        const long number = strtol(said, &end, 10);
        return number >= 1 && number <= MOST && !*end ? (unsigned)number : 0;
    }
    cpu_set_t set;
    const int all = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    const unsigned most = quota();
    return all < 1 ? 1 : (unsigned)all < most ? (unsigned)all : most;
}
