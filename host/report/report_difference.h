/* report_difference.h - compares the results of two runs: their reports, but for what tells of the
 * host (tables/host_members.def). One thread; out of memory ends the process. */
#ifndef HEDDLE_REPORT_REPORT_DIFFERENCE_H
#define HEDDLE_REPORT_REPORT_DIFFERENCE_H

#include <stdint.h>

#include "common/error.h"

struct json_t;

/* What differs. */
struct report_difference {
    uint64_t members;      /* scalars of report.json that were compared */
    uint64_t different;    /* of them; a member that one lacks counts once */
    struct json_t *list;   /* array of the first REPORT_DIFFERENCES: {member, before, after} */
    unsigned files;        /* other files that were compared */
    struct json_t *others; /* array of the names of those that differ, or that one lacks */
};
enum { REPORT_DIFFERENCES = 1000 };

/* Reads DIRECTORY/report.json; the caller frees it with json_decref(). @return HEDDLE_ERR_IO. */
heddle_err report_read(struct json_t **out, const char *directory, struct heddle_diag *diag);

/* Compares two reports and the other files of results in their directories, byte by byte.
 * `compared` and `with` are borrowed. report_difference_clear() frees *out. @return HEDDLE_ERR_IO:
 * a file cannot be read. */
heddle_err report_compare(struct report_difference *out, const struct json_t *before,
                          const struct json_t *after, const char *directory_before,
                          const char *directory_after, struct heddle_diag *diag);
void report_difference_clear(struct report_difference *d);

#endif
