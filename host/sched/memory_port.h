/* memory_port.h - device memory as a component of the fabric: carries requests of the L2 slices to
 * a memory back end (models/hbm) and its answers back.
 *
 * It receives DRAM_READ and DRAM_WRITE from SM groups and sends DRAM_DATA and DRAM_WRITTEN to the
 * group of the slice. It carries timing only: data lie in exec/memory/device_memory.h. Threads: the
 * fabric calls memory_port_ops (receive and advance in a window); all else is called between
 * windows on the driving thread. */
#ifndef HEDDLE_SCHED_MEMORY_PORT_H
#define HEDDLE_SCHED_MEMORY_PORT_H

#include "fabric/fabric.h"
#include "models/hbm/hbm.h"
#include "timing/group.h"

struct memory_port;
/* `model`: a name of models/hbm/hbm_models.def. Requests and answers travel `half_lookahead` core
 * cycles each way, as part of the back end's latency. @return HEDDLE_ERR_CONFIG when its latency
 * is no longer than that, or the back end's error. */
heddle_err memory_port_create(struct memory_port **out, const char *model,
                              const struct hbm_config *config, uint64_t khz,
                              uint64_t half_lookahead, const struct timing_wiring *wiring,
                              struct heddle_diag *diag);
void memory_port_free(struct memory_port *p); /* accepts NULL */
/* Counts of the back end since creation. */
void memory_port_stats(const struct memory_port *p, struct hbm_stats *out);
extern const struct fabric_ops memory_port_ops;

#endif
