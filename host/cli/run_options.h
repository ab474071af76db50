/* run_options.h - the options of `heddle run`. */
#ifndef HEDDLE_CLI_RUN_OPTIONS_H
#define HEDDLE_CLI_RUN_OPTIONS_H

#include <glib.h>
#include <stdbool.h>

#include "cli/cards.h"
#include "node/cluster.h"

/* The options as given, and values derived from them. A text is NULL where its option is
 * missing. */
struct run_options {
    gchar *gpu, *timing, *out, *backend, *card, *image;
    gchar *sm_groups_text, *threads_text; /* --sm-groups, --threads */
    bool auto_groups;                     /* sm_groups is our choice, where the GPU allows it */
    gchar *memcheck, *kernels, *launches, *topology, *sample, *compare, *checkpoint, *resume,
        **sets, **program;
    unsigned checks;                      /* EXEC_CHECK_*, from --memcheck */
    bool guard, leaks;                    /* --memcheck free, leak */
    bool stop;                            /* kernels stop at the first finding (--memcheck stop) */
    unsigned cards[CARDS_MAX], num_cards; /* from --card: one for each SM group of each GPU */
    bool one_thread; /* the checks allow only one thread, and --threads asked for more */
    gint devices, sm_groups, threads, every; /* every: launches between checkpoints */
    gint nodes;                              /* --nodes, 0: not given; each has `devices` GPUs */
    gchar *network, *node, *design, **node_sets;
    enum node_design service; /* from --design */
    gdouble inject_latency;   /* us of a round trip to a card; negative: not given */
    gchar *timeout, *timeout_target;
    double timeout_s, timeout_ps; /* wall time of the run, target time of a kernel; 0: no limit */
    gboolean strict_target, trace_api, no_code_counts, no_sources, quiet;
};

/* Reads and checks the options, and prints errors. Whatever the result, run_options_clear() frees
 * *o. @return false: nothing to run (an error, or --help); *status is the exit status. */
bool run_options_read(struct run_options *o, int argc, char **argv, int *status);
void run_options_clear(struct run_options *o);

/* The GPUs of all nodes. */
static inline unsigned run_gpus(const struct run_options *o) {
    return (unsigned)(o->devices * (o->nodes ? o->nodes : 1));
}

/* Directory of the report (--out). */
static inline const char *run_directory(const struct run_options *o) {
    return o->out ? o->out : "heddle-out";
}

#endif
