/* run_options.h - the options of `heddle run`. */
#ifndef HEDDLE_CLI_RUN_OPTIONS_H
#define HEDDLE_CLI_RUN_OPTIONS_H

#include <glib.h>
#include <stdbool.h>
#include <string.h>

#include "cli/cards.h"
#include "cli/options.h"
#include "node/cluster.h"

/* The options as given, and values derived from them. A text is NULL where its option is missing.
 */
struct run_options {
#define OPTION CLI_MEMBER
#include "tables/options/run.def"
    gchar **given;     /* the options given, as "--NAME=VALUE", in the order of the table */
    bool auto_groups;  /* sm_groups is our choice, where the GPU allows it */
    unsigned checks;   /* EXEC_CHECK_*, from --memcheck */
    bool guard, leaks; /* --memcheck free, leak */
    bool stop;         /* kernels stop at the first finding (--memcheck stop) */
    unsigned cards[CARDS_MAX], num_cards; /* from --card: one for each SM group of each GPU */
    bool one_thread; /* the checks allow only one thread, and --threads asked for more */
    gint sm_groups, threads;
    gint nodes;                   /* --nodes, 0: not given; each has `devices` GPUs */
    enum node_design service;     /* from --design */
    double timeout_s, timeout_ps; /* wall time of the run, target time of a kernel; 0: no limit */
    gint monitor_port;            /* --monitor */
    gint timeline_mb;             /* --timeline-limit */
    double interval_ps;           /* --timeline-interval, whole; 0: not given */
};

/* Reads and checks the options, and prints errors. Whatever the result, run_options_clear() frees
 * *o. @return false: nothing to run (an error, or --help); *status is the exit status. */
bool run_options_read(struct run_options *o, int argc, char **argv, int *status);
void run_options_clear(struct run_options *o);

/* Whether the run times kernels, on the timing core or on the reference model; the latter alone. */
static inline bool run_is_timed(const struct run_options *o) {
    return !o->timing || strcmp(o->timing, "none") != 0;
}
static inline bool run_is_reference(const struct run_options *o) {
    return o->timing && !strcmp(o->timing, "reference");
}

/* The GPUs of all nodes. */
static inline unsigned run_gpus(const struct run_options *o) {
    return (unsigned)(o->devices * (o->nodes ? o->nodes : 1));
}

/* Directory of the report (--out). */
static inline const char *run_directory(const struct run_options *o) {
    return o->out ? o->out : "heddle-out";
}

#endif
