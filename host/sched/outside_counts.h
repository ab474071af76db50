/* outside_counts.h - what kernels have moved from and to memory outside the GPU
 * (outside_port.h). */
#ifndef HEDDLE_SCHED_OUTSIDE_COUNTS_H
#define HEDDLE_SCHED_OUTSIDE_COUNTS_H

#include <stdint.h>

/* The host's memory, and that of other GPUs. */
enum outside_kind { OUTSIDE_HOST, OUTSIDE_PEER, OUTSIDE_KINDS };

/* Bytes of data, without headers. An atomic reads and writes its word. */
struct outside_counts {
    uint64_t read_bytes[OUTSIDE_KINDS], write_bytes[OUTSIDE_KINDS];
};

static inline void outside_counts_add(struct outside_counts *sum, const struct outside_counts *c) {
    for (unsigned i = 0; i < OUTSIDE_KINDS; i++) {
        sum->read_bytes[i] += c->read_bytes[i];
        sum->write_bytes[i] += c->write_bytes[i];
    }
}

#endif
