/* hbm.h - memory back ends: models of the device memory behind the L2 slices, behind one struct of
 * functions.
 *
 * A back end receives every request in order of arrival and reports when its data arrives.
 * hbm_models.def lists the back ends; docs/memory.md explains them.
 *
 * Units: times are ps of target time at the memory controller; the models that know commands
 * round an arrival up to a clock of the device and answer at ps again. A line is 128 bytes, a
 * sector 32. Results depend on the requests and their times alone, not on how often or how far
 * advance() is called. Ownership: the configuration is copied, what it points to is borrowed
 * until free(). Threads: not thread-safe; one component owns one. Errors: only creation fails.
 * Room for requests in flight grows; without memory the process ends (common/memory.h), since
 * submit() has no way to refuse a request. */
#ifndef HEDDLE_MODELS_HBM_H
#define HEDDLE_MODELS_HBM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "models/hbm/dram_spec.h"

struct hbm_request {
    uint64_t at_ps;  /* arrival at the controller */
    uint64_t line;   /* 128-byte line number */
    uint32_t slice;  /* L2 slice: slices are dealt to channels in order, or channels to slices */
    uint8_t sectors; /* mask of 32-byte sectors */
    bool write;
    uint64_t user; /* given back */
};

/* Counts of the whole memory or of one channel. Models without rows leave the members from
 * `row_hits` on at 0, models without commands those from `activates` on. */
struct hbm_stats {
    uint64_t reads, writes; /* requests */
    uint64_t read_bytes, write_bytes;
    uint64_t busy_ps;                            /* sum over channels of data-bus time */
    uint64_t row_hits;                           /* requests that found their row open, */
    uint64_t row_misses;                         /* their bank closed, */
    uint64_t row_conflicts;                      /* another row open */
    uint64_t forwarded;                          /* reads answered out of waiting writes */
    uint64_t activates, refreshes, turn_arounds; /* turn-around: from reads to writes or back */
};

typedef void (*hbm_done_fn)(void *user, const struct hbm_request *request, uint64_t done_ps);

struct hbm_ops {
    /* Takes a request; requests come in order of at_ps, and not before the last advance(). */
    void (*submit)(void *self, const struct hbm_request *request);
    /* Calls `done` for every read whose completion is decided given requests before `to_ps`. */
    void (*advance)(void *self, uint64_t to_ps);
    /* The earliest time at which advance() would do something, UINT64_MAX: never. */
    uint64_t (*next)(void *self);
    void (*stats)(void *self, struct hbm_stats *out);
    /* Of one channel, 0 to num_channels - 1. */
    void (*channel_stats)(void *self, uint32_t channel, struct hbm_stats *out);
    /* No read is answered sooner than this after its arrival, nor after the advance() that decides
     * it: ps. */
    uint64_t (*least_latency)(void *self);
    void (*free)(void *self);
};

struct hbm_config {
    uint32_t num_channels;
    uint32_t num_slices;          /* 0: lines choose their channel by dram.mapping */
    uint64_t latency_ps;          /* request at the controller to data, unloaded, bank closed */
    uint64_t channel_bytes_per_s; /* `simple`: data rate of a channel, efficiency included */
    uint64_t channel_write_bytes_per_s; /* the same of writes; 0: the same as of reads */
    double turnaround; /* `simple`: sectors' time lost for each sector written beside one read */
    uint32_t drain_sectors; /* the same: so many written sectors go together; 0: each write alone */
    uint64_t pause_ps, pause_interval_ps; /* the same: a channel pauses; 0: never */
    const struct dram_spec *spec;         /* all but `simple` */
    dram_command_fn command; /* told every command in the order of each channel; NULL: none */
    void *command_user;
    hbm_done_fn written; /* told when a write's data has been taken; NULL: nobody asks */
};

/* Creates a back end by its name. `done` is called from submit() or advance(), with the request and
 * the time of its data; `user` is given to it and to `written`. @return HEDDLE_ERR_CONFIG,
 * HEDDLE_ERR_NOMEM: nothing has been created. */
heddle_err hbm_create(const char *model, const struct hbm_ops **ops, void **self,
                      const struct hbm_config *config, hbm_done_fn done, void *user,
                      struct heddle_diag *diag);

typedef heddle_err (*hbm_create_fn)(const struct hbm_ops **ops, void **self,
                                    const struct hbm_config *config, hbm_done_fn done, void *user,
                                    struct heddle_diag *diag);
#define MODEL(name, create, text)                                                               \
    heddle_err create(const struct hbm_ops **ops, void **self, const struct hbm_config *config, \
                      hbm_done_fn done, void *user, struct heddle_diag *diag);
#include "models/hbm/hbm_models.def"

/* Adds b to a. */
void hbm_stats_add(struct hbm_stats *a, const struct hbm_stats *b);

#endif
