/* report.h - the report of a run: a table on the terminal, and the files report.json, kernels.csv,
 * kernels.csv.zst, copies.csv.zst, statistics.csv, cpi_stack.csv, cpi_stack.svg,
 * instruction_mix.csv, instructions.csv, code.txt.zst, and sampling.csv if the run was sampled.
 *
 * A run may have millions of launches. Each goes into kernels.csv.zst as it ends, and into the sums
 * of its kernel and shape; the first and the last REPORT_KEPT of each GPU are kept for report.json.
 *
 * The input is plain data, borrowed during a call. Undefined ratios (no accesses, timing off) are
 * null in JSON and a dash in tables. Threads: any, one at a time per directory. */
#ifndef HEDDLE_REPORT_REPORT_H
#define HEDDLE_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "common/config.h"
#include "common/error.h"
#include "report/report_sample.h"
#include "sched/gpu.h"

/* The rows of tables/statistics.def, which explains their members. */
enum statistic_id {
#define STATISTIC(id, name, unit, scope, meaning) STATISTIC_##id,
#include "tables/statistics.def"
    NUM_STATISTICS
};
struct statistic_row {
    const char *name, *unit, *scope, *meaning;
};
extern const struct statistic_row statistic_rows[NUM_STATISTICS];

/* How often the program made a CUDA call. */
struct report_call {
    const char *name;
    uint64_t count;
    bool scheduler, sm, refused; /* it reaches the scheduler, the SMs; it is not supported */
};

/* A place where the checks of a kernel found something. */
struct report_finding {
    const char *kind, *kernel, *text; /* text: one line about the first example */
    uint64_t count;
};
/* The launches and copies of a run. Memory depends on the number of kernels, shapes and GPUs. */
struct report_launches;
struct report_written;
enum { REPORT_KEPT = 1000 };
/* `config` and `timing` (as in struct report) are borrowed. report_launches_free() accepts NULL,
 * and removes files that have not ended. */
struct report_launches *report_launches_create(const struct config *config, const char *timing);
void report_launches_free(struct report_launches *l);
/* Begins kernels.csv.zst and copies.csv.zst in the directory, before the first launch. @return
 * HEDDLE_ERR_IO, with text in diag. */
heddle_err report_launches_open(struct report_launches *l, const char *directory,
                                struct heddle_diag *diag);
/* gpu_options.ended and copied; `l` is the struct report_launches. Failures show at the end. */
void report_launches_add(void *l, const struct gpu_kernel_record *k);
void report_launches_copy(void *l, const struct gpu_copy_record *c);
/* Lists what was added so far, for a snapshot. */
void report_launches_list(struct report_launches *l);
/* To be called when all were added, before the report is written: ends the files, and lists all.
 * @return HEDDLE_ERR_IO, with text in diag. */
heddle_err report_launches_end(struct report_launches *l, struct heddle_diag *diag);
/* All launches that were added. */
uint64_t report_launches_count(const struct report_launches *l);

/* Launches and copies of a device that were added. */
uint64_t report_launches_on(const struct report_launches *l, uint32_t device);
uint64_t report_launches_copies_on(const struct report_launches *l, uint32_t device);

/* Rows of tables/node_statistics.def. */
struct node_statistic_row {
    const char *part, *name, *unit, *meaning;
};
enum {
#define NODE_STATISTIC(part, member, unit, meaning) NODE_STATISTIC_##part##_##member,
#include "tables/node_statistics.def"
    NUM_NODE_STATISTICS
};
extern const struct node_statistic_row node_statistic_rows[NUM_NODE_STATISTICS];

/* Rows of tables/service_energy.def. */
enum service_energy_id {
#define ENERGY(member, meaning) SERVICE_ENERGY_##member,
#include "tables/service_energy.def"
    NUM_SERVICE_ENERGIES
};
struct service_energy_row {
    const char *name, *meaning;
};
extern const struct service_energy_row service_energy_rows[NUM_SERVICE_ENERGIES];

/* A node of a run of several (--nodes), with all programs of its PE. */
struct report_node {
    const char *program; /* what was started */
    int exit_status;
    const char *ended;                       /* in words */
    uint64_t end_ps;                         /* latest target time of its host threads */
    uint64_t statistic[NUM_NODE_STATISTICS]; /* if report.has_network */
    double energy[NUM_SERVICE_ENERGIES];     /* nJ, likewise */
};

/* Everything that the report shows. Times in seconds are wall times. */
struct report {
    const char *version, *program, *timing; /* timing: "rtl" or "none" */
    const struct config *config;
    unsigned sm_groups, threads;
    double begin; /* wall_seconds() when the run began: the wall time goes on up to the moment when
                   * report.json is written; 0: it is wall_s */
    double wall_s, startup_s, simulate_s;
    int exit_status;
    const char *ended;                      /* how the program ended, "exit 0" */
    unsigned gpus;                          /* of the run */
    const struct report_node *nodes;        /* num_nodes, each with its share of the GPUs */
    unsigned num_nodes;                     /* 0: without --nodes */
    bool has_network;                       /* the nodes were joined, since time counts */
    const char *network, *node, *design;    /* their names, with --nodes */
    char *const *node_sets;                 /* --set-node, or NULL */
    const struct report_launches *launches; /* that have ended */
    const struct report_call *calls;
    size_t num_calls;
    uint64_t statistics[NUM_STATISTICS];
    const struct gpu_interruption *const *interrupted; /* kernels that were given up */
    size_t num_interrupted;
    const struct report_finding *findings;
    size_t num_findings;
    uint64_t found, found_beyond; /* findings of all places; of places that are not listed */
    const char *const *notes;     /* one line each */
    size_t num_notes;
    size_t num_said; /* the first notes, which standard error has had already when they arose */
    const struct report_sampling *sampling; /* NULL: without --sample */
    bool traced;                            /* api.txt and api.json are of this run, */
    bool has_timeline;                      /* and trace.json */
    struct timespec program_time;           /* when the program was changed last; 0: unknown */
    bool no_sources;                        /* the report is to have no source files */
    bool power_table;                       /* --power */
    const struct report_written *written;   /* report_write()'s own */
    struct json_t *inputs;                  /* what the run was made from; NULL: not said */
    struct json_t *host; /* where and when it was made, which is no result; NULL: not said */
};

/* Tests that the directory is writable, so that an error comes before hours of simulation; removes
 * the snapshots of an earlier run. @return HEDDLE_ERR_IO. */
heddle_err report_prepare(const char *directory, struct heddle_diag *diag);
/* Writes the files of the report, and removes those of an earlier run in the directory that this
 * one does not have. @return HEDDLE_ERR_IO. */
heddle_err report_write(const struct report *r, const char *directory, struct heddle_diag *diag);
/* Writes the report of a run that goes on, in the form of report.json, under another name;
 * r->launches is listed. Beside it there are no other files of the report. @return HEDDLE_ERR_IO.
 *  */
heddle_err report_write_snapshot(const struct report *r, const char *directory, const char *name,
                                 struct heddle_diag *diag);
/* Prints the report as text. `directory`: where its files are; NULL: none were written. */
void report_print(const struct report *r, const char *directory, FILE *out);
/* Prints the pages docs/statistics.md and docs/diagnosis.md. */
void report_print_page(FILE *out);
void diagnosis_print_page(FILE *out);

/* Whether the timing cores told of each issue (timing/core_watch.h), or nothing was counted;
 * r->launches has ended. */
bool report_tells_issues(const struct report *r);

/* Peak memory (resident set) of this process in bytes; 0: unknown. */
uint64_t report_peak_rss(void);

#endif
