/* hbm.h - memory back ends: what lies behind the L2 slices, in C, behind one struct of functions.
 *
 * A back end is told of every request in order of arrival and says when its data is there. Times
 * are ps of target time at the memory controller. Back ends: `simple` (fixed latency, bandwidth cap
 * per channel). Not thread-safe: one component owns one. */
#ifndef HEDDLE_MODELS_HBM_H
#define HEDDLE_MODELS_HBM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"

struct hbm_request {
    uint64_t at_ps;  /* arrival at the controller */
    uint64_t line;   /* 128-byte line number */
    uint32_t slice;  /* L2 slice: slices are dealt to channels in order */
    uint8_t sectors; /* mask of 32-byte sectors */
    bool write;
    uint64_t user; /* given back */
};

struct hbm_stats {
    uint64_t reads, writes; /* requests */
    uint64_t read_bytes, write_bytes;
    uint64_t busy_ps; /* sum over channels of data-bus time */
};

typedef void (*hbm_done_fn)(void *user, const struct hbm_request *request, uint64_t done_ps);

struct hbm_ops {
    /* Takes a request; requests come in order of at_ps. */
    void (*submit)(void *self, const struct hbm_request *request);
    /* Calls `done` for every read whose completion is decided given requests before `to_ps`. */
    void (*advance)(void *self, uint64_t to_ps);
    /* The earliest time at which advance() would do something, UINT64_MAX: never. */
    uint64_t (*next)(void *self);
    void (*stats)(void *self, struct hbm_stats *out);
    void (*free)(void *self);
};

struct hbm_config {
    uint32_t num_channels, num_slices;
    uint64_t latency_ps;          /* request at the controller to data, unloaded */
    uint64_t channel_bytes_per_s; /* data rate of a channel, efficiency included */
};

/* Creates the back end `simple`. `done` is called from submit() or advance(). */
heddle_err hbm_simple_create(const struct hbm_ops **ops, void **self,
                             const struct hbm_config *config, hbm_done_fn done, void *user);

#endif
