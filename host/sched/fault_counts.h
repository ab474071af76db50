/* fault_counts.h - what the driver has done for page faults on managed memory (fault_service.h). */
#ifndef HEDDLE_SCHED_FAULT_COUNTS_H
#define HEDDLE_SCHED_FAULT_COUNTS_H

#include <stdint.h>

struct fault_counts {
    uint64_t faults, batches; /* blocks that accesses found elsewhere, and batches of them */
    uint64_t in_bytes;        /* migrated to the GPU for faults, without those filled with zeros */
    uint64_t zero_bytes;      /* filled with zeros */
    uint64_t out_bytes;       /* gone to the host, because it touched them */
    uint64_t open_ps;         /* in which a fault was open */
};

static inline void fault_counts_add(struct fault_counts *sum, const struct fault_counts *c) {
    sum->faults += c->faults;
    sum->batches += c->batches;
    sum->in_bytes += c->in_bytes;
    sum->zero_bytes += c->zero_bytes;
    sum->out_bytes += c->out_bytes;
    sum->open_ps += c->open_ps;
}

#endif
