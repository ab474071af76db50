/* topology.h - a picture of the simulated node: its components and the connections between them. */
#ifndef HEDDLE_REPORT_TOPOLOGY_H
#define HEDDLE_REPORT_TOPOLOGY_H

#include "common/config.h"
#include "common/error.h"
#include "sched/gpu.h"

/* Draws a node of `devices` timed GPUs of one kind into the SVG file `path`: components as built,
 * connections with their latencies, and parameters. @return HEDDLE_ERR_IO. */
heddle_err topology_write(const struct config *config, struct gpu *const *gpus, unsigned devices,
                          const char *path, struct heddle_diag *diag);

#endif
