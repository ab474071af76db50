/* resume.h - `heddle run --checkpoint DIR [--every N]` and `--resume DIR`: identifies the run
 * that a directory of checkpoints (sched/checkpoint.h) belongs to, so that no other run resumes
 * from it. */
#ifndef HEDDLE_CLI_RESUME_H
#define HEDDLE_CLI_RESUME_H

#include "cli/cli.h"
#include "common/config.h"
#include "common/error.h"
#include "cuda/base/address_space.h"
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
    struct address_space *space;
};
/* Makes the directory, or checks that it belongs to this run. *every: launches from one
 * checkpoint to the next. *out is the caller's (checkpoint_free()). @return an error, explained
 * in diag. */
heddle_err resume_open(struct checkpoint **out, const struct resume_run *run, unsigned *every,
                       struct heddle_diag *diag);

#endif
