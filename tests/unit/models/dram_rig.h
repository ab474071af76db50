/* dram_rig.h - a memory back end with the checker on its commands, and streams of requests for it.
 * Used by tests and by bench/dram_speed. */
#ifndef HEDDLE_TESTS_DRAM_RIG_H
#define HEDDLE_TESTS_DRAM_RIG_H

#include "common/config.h"
#include "models/hbm/dram_check.h"
#include "models/hbm/hbm.h"

enum dram_stream {
    STREAM_RANDOM,
    STREAM_LINEAR,
    STREAM_MIXED,
    STREAM_BURSTS,
    STREAM_READS,
    NUM_STREAMS
};

struct dram_rig {
    struct dram_spec spec;
    const struct hbm_ops *ops;
    void *hbm;
    struct dram_watch watch;
    uint64_t random;
    uint64_t now_ps, submitted, reads_done, writes_done, last_done_ps, total_latency_ps;
    uint64_t hash;        /* over every answer in order */
    uint64_t outstanding; /* requests in flight, at most */
};

/* `sets`: "key=value" strings. `watched`: with the checker. @return HEDDLE_OK, or the error,
 * described in diag */
heddle_err dram_rig_create(struct dram_rig *rig, const char *gpus, const char *model,
                           const char *const *sets, size_t num_sets, bool watched,
                           struct heddle_diag *diag);
void dram_rig_free(struct dram_rig *rig);
/* Submits `requests` requests of the stream at now_ps. */
void dram_rig_submit(struct dram_rig *rig, enum dram_stream stream, uint64_t requests);
/* Runs `requests` requests of the stream to the end, with a limited number in flight at a time.
 * `advance_ps`: advance() is called at least that often; 0: only when needed. */
void dram_rig_run(struct dram_rig *rig, enum dram_stream stream, uint64_t requests,
                  uint64_t advance_ps);

#endif
