/* run_timeline.h - the timeline of a run (--timeline): hands what GPUs, server and nodes tell to
 * timeline/timeline.h. Threads: the main thread, which is the server's. */
#ifndef HEDDLE_CLI_RUN_TIMELINE_H
#define HEDDLE_CLI_RUN_TIMELINE_H

#include "cli/run_setup.h"

/* Sets what the GPUs are to tell, in run.hears, before they are created. @return it, or NULL: the
 * run has no timeline. */
const struct gpu_timeline *run_timeline_hear(struct run *r);
/* Callbacks of GPUs (gpu_options.ended, copied) and of the server (server_options.called); `user`
 * is the run. Launches and copies go to the report as well. */
void run_timeline_ended(void *user, const struct gpu_kernel_record *k);
void run_timeline_copied(void *user, const struct gpu_copy_record *c);
void run_timeline_called(void *user, const struct server_call *c);

/* Begins trace.json in the directory of the report, if --timeline was given. */
heddle_err run_timeline_open(struct run *r, struct heddle_diag *diag);
/* Writes it, for a run that ended at end_ps, when the GPUs have handed over all that they have.
 * `note` becomes what is left out, or "". @return false after an error, which it prints. */
bool run_timeline_write(const struct run *r, uint64_t end_ps, char *note, size_t size);

#endif
