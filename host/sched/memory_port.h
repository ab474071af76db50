/* memory_port.h - device memory as a component of the fabric: carries requests of the L2 slices to
 * a memory back end (models/hbm) and its answers back.
 *
 * It receives DRAM_READ and DRAM_WRITE from SM groups and sends DRAM_DATA and DRAM_WRITTEN to the
 * group of the slice. DRAM_COPY, from the scheduler, says that a copy begins, which takes its share
 * of the bandwidth. FILL and FLUSH, from the scheduler, only tell the emulation of other caches
 * (cache_curve.h) what copies left in L2, and when L2 is emptied. Reads of managed memory that is
 * not on the GPU send FAULT to the scheduler and wait for its BLOCKS. It carries timing only: data
 * lie in exec/memory/device_memory.h. Threads: the fabric calls memory_port_ops (receive and
 * advance in a window); all else is called between windows on the driving thread. */
#ifndef HEDDLE_SCHED_MEMORY_PORT_H
#define HEDDLE_SCHED_MEMORY_PORT_H

#include "fabric/fabric.h"
#include "models/hbm/hbm.h"
#include "sched/absent_reads.h"
#include "sched/cache_curve.h"
#include "sched/copy_traffic.h"
#include "timing/group.h"

struct memory_port;
/* `model`: a name of models/hbm/hbm_models.def. `curve`: emulates larger caches; the port owns it,
 * also after an error. Requests and answers travel `half_lookahead` core
 * cycles each way, as part of the back end's latency. @return HEDDLE_ERR_CONFIG when its latency
 * is no longer than that, or the back end's error. */
heddle_err memory_port_create(struct memory_port **out, const char *model,
                              const struct hbm_config *config, uint64_t khz,
                              uint64_t half_lookahead, const struct l2_layout *l2_layout,
                              const struct timing_wiring *wiring, struct cache_curve *curve,
                              struct heddle_diag *diag);
/* Before the first window: managed memory, so many blocks from a line on, migrates. */
void memory_port_migrate(struct memory_port *p, uint64_t first_line, uint32_t blocks);
void memory_port_free(struct memory_port *p); /* accepts NULL */
/* Counts of the back end since creation. */
void memory_port_stats(const struct memory_port *p, struct hbm_stats *out);
/* What larger caches would have passed on, since creation. */
void memory_port_curve(const struct memory_port *p, struct cache_curve_counts *out);
extern const struct fabric_ops memory_port_ops;

#endif
