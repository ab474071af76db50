/* run_monitor.h - the monitor of a run (--monitor): joins monitor/monitor.h to GPUs, server,
 * signals and report. Threads: the main thread, but for the callbacks of GPUs. */
#ifndef HEDDLE_CLI_RUN_MONITOR_H
#define HEDDLE_CLI_RUN_MONITOR_H

#include "cli/run_setup.h"

/* gpu_options.moment of the GPUs, with the run as `user`; NULL: the run has no monitor. */
gpu_moment_fn run_monitor_hear(const struct run *r);
/* Starts the monitor, if --monitor was given, and prints its address. The run is set up. */
heddle_err run_monitor_open(struct run *r, struct heddle_diag *diag);

#endif
