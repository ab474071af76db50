/* hbm.h - memory back ends: models of the device memory behind the L2 slices, behind one struct of
 * functions.
 *
 * A back end receives every request in order of arrival and reports when its data arrive. It models
 * time only and holds no data. hbm_models.def lists the back ends; docs/memory.md explains them.
 *
 * Units: times are ps of target time at the memory controller; the models that simulate commands
 * round an arrival up to a clock of the device and answer in ps again. A line is 128 bytes, a
 * sector 32. Results depend on the requests and their times alone, not on how often or how far
 * advance() is called. Ownership: the configuration and its spec are copied; `user` and
 * `command_user` are borrowed until free(). Threads: one at a time for a back end. Its owner is the
 * memory port (host/sched/memory_port.h), which calls it on the thread that simulates device
 * memory; `heddle dram` and tests have their own. Errors: only creation fails. Room for requests in
 * flight grows; without memory the process ends (common/memory.h), since submit() cannot refuse a
 * request. */
#ifndef HEDDLE_MODELS_HBM_H
#define HEDDLE_MODELS_HBM_H

#include <stdbool.h>
#include <stdint.h>

#include "common/error.h"
#include "models/hbm/dram_spec.h"

/* A read or write of sectors of one line. */
struct hbm_request {
    uint64_t at_ps;  /* arrival at the controller */
    uint64_t line;   /* 128-byte line number */
    uint32_t slice;  /* L2 slice; slices share channels, or channels share slices, in order */
    uint8_t sectors; /* mask of 32-byte sectors */
    bool write;
    uint64_t user; /* the caller's, returned with the answer */
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

/* Called with a request and the time of its data. */
typedef void (*hbm_done_fn)(void *user, const struct hbm_request *request, uint64_t done_ps);

/* The functions of a back end; `self` is what hbm_create() returned. */
struct hbm_ops {
    /* Takes a request; requests come in order of at_ps, and not before the last advance(). */
    void (*submit)(void *self, const struct hbm_request *request);
    /* Simulates up to `to_ps`, before which all requests have been submitted. Calls `done` for
     * every read, and `written` for every write, whose completion that decides. */
    void (*advance)(void *self, uint64_t to_ps);
    /* @return the earliest time at which advance() would do something, UINT64_MAX: never. */
    uint64_t (*next)(void *self);
    void (*stats)(void *self, struct hbm_stats *out);
    /* Counts of one channel, 0 to num_channels - 1. */
    void (*channel_stats)(void *self, uint32_t channel, struct hbm_stats *out);
    /* @return ps. No read's data come sooner than this after its arrival, nor sooner after the time
     * of the advance() that decides it. */
    uint64_t (*least_latency)(void *self);
    void (*free)(void *self);
};

/* The parameters of a back end; docs/memory.md explains those of `simple`. */
struct hbm_config {
    uint32_t num_channels;
    uint32_t num_slices;          /* 0: lines choose their channel by dram.mapping */
    uint64_t latency_ps;          /* request at the controller to data, unloaded, bank closed */
    uint64_t channel_bytes_per_s; /* `simple`: data rate of a channel, efficiency included */
    uint64_t channel_write_bytes_per_s; /* the same of writes; 0: the same as of reads */
    double turnaround; /* `simple`: bus time lost for each pair of a written and a read sector, in
                        * times of a written sector */
    uint32_t drain_sectors; /* `simple`: written sectors of a batch; 0: each write alone */
    uint64_t pause_ps, pause_interval_ps; /* `simple`: a channel's pause and its period; 0: never */
    const struct dram_spec *spec;         /* the device, for all models but `simple` */
    dram_command_fn command; /* called with every command, in order for each channel; or NULL */
    void *command_user;
    hbm_done_fn written; /* called when a write's data have been taken; or NULL */
};

/* Creates a back end by its name. submit() and advance() call `done` with the request and the time
 * of its data; `user` is the argument of `done` and `written`. @return HEDDLE_ERR_CONFIG,
 * HEDDLE_ERR_NOMEM: nothing has been created. */
heddle_err hbm_create(const char *model, const struct hbm_ops **ops, void **self,
                      const struct hbm_config *config, hbm_done_fn done, void *user,
                      struct heddle_diag *diag);

typedef heddle_err (*hbm_create_fn)(const struct hbm_ops **ops, void **self,
                                    const struct hbm_config *config, hbm_done_fn done, void *user,
                                    struct heddle_diag *diag);
/* The creating function of each model. */
#define MODEL(name, create, text)                                                               \
    heddle_err create(const struct hbm_ops **ops, void **self, const struct hbm_config *config, \
                      hbm_done_fn done, void *user, struct heddle_diag *diag);
#include "models/hbm/hbm_models.def"

/* Adds b to a. */
void hbm_stats_add(struct hbm_stats *a, const struct hbm_stats *b);

#endif
