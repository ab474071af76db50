/* resume.h - `heddle run --checkpoint DIR [--every N]` and `--resume DIR`: opens a directory of
 * checkpoints (sched/checkpoint.h). The directory records which run it belongs to, so that no other
 * run resumes from it. */
#ifndef HEDDLE_CLI_RESUME_H
#define HEDDLE_CLI_RESUME_H

#include "cli/cli.h"
#include "common/config.h"
#include "common/error.h"
#include "cuda/base/address_space.h"
#include "sched/checkpoint.h"

/* The run, and how it uses the directory; all borrowed. */
struct resume_run {
    const char *directory;
    bool resume;          /* --resume; else --checkpoint */
    unsigned every;       /* launches between checkpoints; --resume takes it from the directory */
    char *const *program; /* name and arguments, NULL at the end */
    const char *found;    /* the program's file */
    const char *library;  /* file of the timing core */
    const char *memcheck; /* value of --memcheck, or NULL */
    const struct config *config;
    struct address_space *space;
};
/* The directory is claimed. Begins in it, or checks that it belongs to this run. *every: launches
 * from one checkpoint to the next. The caller frees *out with checkpoint_free(). @return an error,
 * explained in diag. */
heddle_err resume_open(struct checkpoint **out, const struct resume_run *run, unsigned *every,
                       struct heddle_diag *diag);

#endif
