/* resume.h - `heddle run --checkpoint DIR [--every N]` and `--resume DIR`: what a directory of
 * checkpoints (sched/checkpoint.h) was made from, so that no other run goes on from it. */
#ifndef HEDDLE_CLI_RESUME_H
#define HEDDLE_CLI_RESUME_H

#include "cli/cli.h"
#include "common/config.h"
#include "common/error.h"
#include "cuda/space.h"
#include "sched/checkpoint.h"

struct resume_run {
    const char *directory;
    bool resume;
    unsigned every;       /* launches; of a resumed run that of the directory counts */
    char *const *program; /* with arguments, NULL at the end */
    const char *found;    /* the program's file */
    const char *library;  /* of the timing core */
    const char *memcheck; /* that option, or NULL */
    const struct config *config;
    struct space *space;
};
/* Makes the directory, or finds out whether it is of this run. *every: launches between two. */
heddle_err resume_open(struct checkpoint **out, const struct resume_run *run, unsigned *every,
                       struct heddle_diag *diag);

#endif
