/* topology.h - a picture of the simulated node: what has a time, and what joins it. */
#ifndef HEDDLE_REPORT_TOPOLOGY_H
#define HEDDLE_REPORT_TOPOLOGY_H

#include "common/config.h"
#include "common/error.h"
#include "sched/gpu.h"

/* Draws the node of `devices` timed GPUs of one kind into an SVG file: components as they have been
 * built, joins with their latencies, and the parameters of what is inside. */
heddle_err topology_write(const struct config *config, struct gpu *const *gpus, unsigned devices,
                          const char *path, struct heddle_diag *diag);

#endif
