/* run_options.c - reads the options of `heddle run` and checks them against each other. cmd_run.c
 * calls it on the main thread. Functions that return bool return false after printing an error. */
#include "cli/run_options.h"

#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/options.h"
#include "common/processors.h"
#include "common/units.h"
#include "cuda/base/address_space.h"
#include "sched/gpu.h"

enum {
    MOST_THREADS = 1024,
    MOST_DEVICES = 16,    /* of a node */
    MOST_CORES = 16,      /* the emulation's, which the groups of all GPUs need */
    MOST_AUTO_GROUPS = 4, /* chosen by themselves: each takes some 50 ms to set up */
};
/* --inject-latency was not given. */
#define NO_LATENCY (-HUGE_VAL)

/* Sets o->checks (EXEC_CHECK_*), o->guard, o->leaks and o->stop from the list of --memcheck. An
 * empty list or an unknown name is an error. */
static bool parse_checks(struct run_options *o) {
    static const struct {
        const char *name;
        unsigned checks;
        bool guard, leaks, stop;
    } known[] = {{"init", EXEC_CHECK_INIT, false, false, false},
                 {"race", EXEC_CHECK_RACE, false, false, false},
                 {"sync", EXEC_CHECK_SYNC, false, false, false},
                 {"global", EXEC_CHECK_GLOBAL, false, false, false},
                 {"free", 0, true, false, false},
                 {"leak", 0, false, true, false},
                 {"stop", 0, false, false, true},
                 {"all", EXEC_CHECK_ACCESSES | EXEC_CHECK_SYNC, true, false, false}};
    gchar **list = g_strsplit(o->memcheck, ",", -1);
    bool good = list[0] != NULL;
    for (gchar **name = list; *name && good; name++) {
        unsigned i = 0;
        while (i < G_N_ELEMENTS(known) && strcmp(known[i].name, *name)) i++;
        good = i < G_N_ELEMENTS(known);
        if (!good) break;
        o->checks |= known[i].checks;
        o->guard |= known[i].guard;
        o->leaks |= known[i].leaks;
        o->stop |= known[i].stop;
    }
    g_strfreev(list);
    if (!good)
        cli_error("--memcheck %s: a list of init, race, sync, global, free, leak, stop, or all",
                  o->memcheck);
    return good;
}

/* Reads a time such as 90, 90s or 20us of an option, in its unit, into *out. NULL: 0. */
static bool parse_time(const char *option, const char *text, const char *unit, double *out) {
    char units[64], *end;
    *out = 0;
    if (!text) return true;
    *out = g_ascii_strtod(text, &end);
    const bool number = end != text && (!*end || units_convert(out, end, unit));
    if (number && *out > 0 && *out < 1e18) return true;
    units_list(unit, units, sizeof units);
    cli_error("%s %s: a time above 0, such as 90%s (%s)", option, text, unit, units);
    return false;
}

/* Reads --timeout and --timeout-target. */
static bool parse_timeouts(struct run_options *o) {
    if (o->timeout_target && o->timing && !strcmp(o->timing, "none")) {
        cli_error(
            "--timing none leaves out all that has a time: --timeout-target would never end a "
            "kernel (--timeout counts wall time)");
        return false;
    }
    if (!parse_time("--timeout", o->timeout, "s", &o->timeout_s) ||
        !parse_time("--timeout-target", o->timeout_target, "us", &o->timeout_ps))
        return false;
    o->timeout_ps *= 1e6;
    return true;
}

/* Callback of GLib's parser, inside cli_options(), for the option --sample, whose value is
 * optional: stores it in the struct run_options `user`, or an empty text. */
static gboolean read_sample(const gchar *name, const gchar *value, gpointer user, GError **error) {
    struct run_options *o = user;
    (void)name;
    (void)error;
    g_free(o->sample);
    o->sample = g_strdup(value ? value : "");
    return TRUE;
}

/* Checks that --sample and --compare do not stand with options that exclude kernel sampling. The
 * list of --sample is read later (sampling.c). */
static bool parse_sample(const struct run_options *o) {
    if (o->compare && !o->sample) {
        cli_error("--compare DIR says how far --sample is off: there is no --sample");
        return false;
    }
    if (!o->sample) return true;
    if (o->timing && !strcmp(o->timing, "none")) {
        cli_error("--timing none times no kernel: --sample would have nothing to estimate from");
        return false;
    }
    if (o->kernels || o->launches) {
        cli_error("--sample chooses which kernels are timed, and so does %s: one of them",
                  o->kernels ? "--kernels" : "--launches");
        return false;
    }
    if (o->checks) {
        cli_error("--memcheck looks at every access and --sample at few: run the program twice");
        return false;
    }
    return true;
}

/* Reads a number of 1 to `most` (the option's words for others: `range`), or "auto" or nothing:
 * then *out becomes `automatic`. */
static bool parse_number(const char *option, const char *text, gint64 most, const char *range,
                         gint automatic, gint *out) {
    char *end;
    *out = automatic;
    if (!text || !strcmp(text, "auto")) return true;
    const gint64 n = g_ascii_strtoll(text, &end, 10);
    const bool number = end != text && !*end;
    if (number && n >= 1 && n <= most) {
        *out = (gint)n;
        return true;
    }
    if (number)
        cli_error("%s must be %s", option, range);
    else
        cli_error("%s %s: a number, or auto", option, text);
    return false;
}

/* Sets o->threads and o->sm_groups. By themselves, there are as many threads as processors, and a
 * group for each thread. Cards, a given library and --inject-latency simulate one group on one
 * core unless told otherwise; a search for races takes one thread, so that the race reported is
 * always the same. */
static bool parse_placement(struct run_options *o) {
    const bool one = o->checks & EXEC_CHECK_GLOBAL, timed = !o->timing || !strcmp(o->timing, "rtl");
    const gint all = one ? 1 : (gint)processors();
    if (!parse_number("--threads", o->threads_text, MOST_THREADS, "1 to 1024", all, &o->threads))
        return false;
    const gint gpus = (gint)run_gpus(o);
    gint groups = MIN(MIN(o->threads, MOST_AUTO_GROUPS), MAX(MOST_CORES / gpus, 1));
    if (one || !timed || o->backend || o->inject_latency != NO_LATENCY) groups = 1;
    if (o->card) groups = o->num_cards % (unsigned)gpus == 0 ? (gint)o->num_cards / gpus : 1;
    if (!parse_number("--sm-groups", o->sm_groups_text, G_MAXINT, "at least 1", groups,
                      &o->sm_groups))
        return false;
    o->auto_groups = !o->sm_groups_text || !strcmp(o->sm_groups_text, "auto");
    o->one_thread = one && o->threads > 1;
    if (o->one_thread) o->threads = 1;
    if (!timed && (o->backend || o->sm_groups > 1)) {
        cli_error("--timing none leaves out the timing core: %s would have no effect",
                  o->backend ? "--backend" : "--sm-groups");
        return false;
    }
    if (o->card && o->num_cards != (gint64)gpus * o->sm_groups) {
        cli_error("--card %s: each of %d SM groups of %d GPUs needs a card of its own", o->card,
                  o->sm_groups, gpus);
        return false;
    }
    return true;
}

/* Reads --card and checks it and --image against the other options. */
static bool parse_cards(struct run_options *o) {
    if (o->image && !o->card) {
        cli_error("--image FILE goes with --card N: the emulation loads no image");
        return false;
    }
    if (o->card) {
        if (o->timing && !strcmp(o->timing, "none")) {
            cli_error("--timing none leaves out the timing core: --card would have no effect");
            return false;
        }
        if (!cards_read(o->card, o->cards, &o->num_cards)) return false;
    }
    return true;
}

/* Checks --checkpoint, --every and --resume against options that exclude checkpoints; sets the
 * default of --every. */
static bool parse_checkpoint(struct run_options *o) {
    const char *option = o->resume ? "--resume" : "--checkpoint";
    const char *other = o->timing && !strcmp(o->timing, "none") ? "--timing none"
                        : o->sample                             ? "--sample"
                        : o->kernels                            ? "--kernels"
                        : o->launches                           ? "--launches"
                        : o->devices > 1                        ? "--devices"
                        : o->nodes                              ? "--nodes"
                        : o->card && !o->image                  ? "--card without --image"
                                                                : NULL;
    if (o->every && !o->checkpoint) {
        cli_error("--every N goes with --checkpoint DIR%s",
                  o->resume ? "; a resumed run keeps what it was" : "");
        return false;
    }
    if (o->every < 0 || (o->checkpoint && o->resume)) {
        cli_error(o->every < 0 ? "--every must be at least 1"
                               : "--resume goes on writing checkpoints: without --checkpoint");
        return false;
    }
    if ((o->checkpoint || o->resume) && other) {
        cli_error("%s is for a run of one GPU in full detail: not with %s", option, other);
        return false;
    }
    if (!o->every) o->every = 100;
    return true;
}

/* Reads --design. */
static bool parse_design(struct run_options *o) {
    static const struct {
        const char *name;
        enum node_design design;
    } designs[] = {{"compnet", DESIGN_COMPNET},
                   {"apu", DESIGN_APU},
                   {"dgpu", DESIGN_DGPU},
                   {"inter-kernel", DESIGN_INTER_KERNEL},
                   {"cpu", DESIGN_CPU}};
    for (unsigned i = 0; i < G_N_ELEMENTS(designs); i++)
        if (!o->design || !strcmp(o->design, designs[i].name)) {
            o->service = designs[i].design;
            return true;
        }
    cli_error("--design %s: compnet, apu, dgpu, inter-kernel or cpu", o->design);
    return false;
}

/* Reads --nodes into o->nodes, and checks --network. NULL: 0. */
static bool parse_nodes(struct run_options *o, const char *text) {
    char *end = NULL;
    const gint64 n = text ? g_ascii_strtoll(text, &end, 10) : 0;
    if (!text && o->network) {
        cli_error("--network %s goes with --nodes N: one node has no network", o->network);
        return false;
    }
    if (!text && (o->design || o->node_sets)) {
        cli_error("%s goes with --nodes N", o->design ? "--design" : "--set-node");
        return false;
    }
    if (!parse_design(o)) return false;
    if (!text) return true;
    if (end == text || *end || n < 1 || n > ADDRESS_SPACE_MAX_DEVICES) {
        cli_error("--nodes %s: a number of 1 to %d", text, ADDRESS_SPACE_MAX_DEVICES);
        return false;
    }
    o->nodes = (gint)n;
    return true;
}

/* Fills *o from argv and checks it: texts as given, o->checks, o->one_thread and defaults. Prints
 * errors. Whatever the result, run_options_clear() frees *o. @return false: nothing to run (an
 * error, or --help); *status is the exit status. */
bool run_options_read(struct run_options *o, int argc, char **argv, int *status) {
    /* GLib takes the callback as a data pointer, which ISO C does not convert a function pointer
     * to. */
    const union {
        GOptionArgFunc function;
        gpointer pointer;
    } sample = {read_sample};
    *o = (struct run_options){.devices = 1, .inject_latency = NO_LATENCY};
    gchar *nodes = NULL;
    GOptionEntry entries[] = {
        {"gpu", 0, 0, G_OPTION_ARG_STRING, &o->gpu, "GPU by name, or its file (default: v100)",
         "GPU"},
        {"devices", 0, 0, G_OPTION_ARG_INT, &o->devices,
         "GPUs of this kind (default: 1), of each node", "N"},
        {"nodes", 0, 0, G_OPTION_ARG_STRING, &nodes,
         "start N copies of the program, each on a node of its own (docs/networking.md)", "N"},
        {"network", 0, 0, G_OPTION_ARG_FILENAME, &o->network,
         "with --nodes: the network between them by name, or its file (default: star-100g)",
         "NETWORK"},
        {"node", 0, 0, G_OPTION_ARG_FILENAME, &o->node,
         "with --nodes: what each has besides its GPU, by name, or a file (default: modern)",
         "NODE"},
        {"design", 0, 0, G_OPTION_ARG_STRING, &o->design,
         "with --nodes: who carries out the messages of kernels: compnet (the GPU's command "
         "processor, default), apu or dgpu (the CPU, near the GPU or across the link), "
         "inter-kernel or "
         "cpu (nobody)",
         "DESIGN"},
        {"set-node", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->node_sets,
         "with --nodes: another value for a node's parameter (docs/node-parameters.md); repeatable",
         "KEY=VALUE"},
        {"kernels", 0, 0, G_OPTION_ARG_STRING, &o->kernels,
         "time these kernels only (names with * and ?, separated by commas)", "PATTERN"},
        {"launches", 0, 0, G_OPTION_ARG_STRING, &o->launches,
         "time these launches only (such as 0,3,10-19,100-)", "LIST"},
        {"sample", 0, G_OPTION_FLAG_OPTIONAL_ARG, G_OPTION_ARG_CALLBACK, sample.pointer,
         "time some launches of each kernel and estimate the others (docs/sampling.md); OPTIONS is "
         "a "
         "list of first=N, gap=N, tolerance=X, warm=0|1",
         "OPTIONS"},
        {"compare", 0, 0, G_OPTION_ARG_FILENAME, &o->compare,
         "with --sample: say how far off it is, by the report of a run in full detail", "DIR"},
        {"checkpoint", 0, 0, G_OPTION_ARG_FILENAME, &o->checkpoint,
         "leave there what --resume needs, should the run be interrupted (docs/checkpoints.md); "
         "caches "
         "are emptied at each checkpoint",
         "DIR"},
        {"every", 0, 0, G_OPTION_ARG_INT, &o->every,
         "with --checkpoint: launches from one to the next (default: 100)", "N"},
        {"resume", 0, 0, G_OPTION_ARG_FILENAME, &o->resume,
         "go on from the last checkpoint of a run that was interrupted", "DIR"},
        {"sm-groups", 0, 0, G_OPTION_ARG_STRING, &o->sm_groups_text,
         "parts that the SMs are split into (default: auto, one for each thread)", "N|auto"},
        {"threads", 0, 0, G_OPTION_ARG_STRING, &o->threads_text,
         "threads that simulate (default: auto, the processors there are)", "N|auto"},
        {"timing", 0, 0, G_OPTION_ARG_STRING, &o->timing,
         "rtl: the timing core (default); none: results only", "rtl|none"},
        {"set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &o->sets, "override a parameter of the GPU",
         "KEY=VALUE"},
        {"out", 0, 0, G_OPTION_ARG_FILENAME, &o->out,
         "directory of the report (default: heddle-out)", "DIR"},
        {"backend", 0, 0, G_OPTION_ARG_FILENAME, &o->backend,
         "library with the XRT calls (default: the emulation; with --card, XRT's)", "FILE"},
        {"card", 0, 0, G_OPTION_ARG_STRING, &o->card,
         "FPGA cards that simulate, an SM group each (docs/card.md)", "N[,N...]"},
        {"image", 0, 0, G_OPTION_ARG_FILENAME, &o->image,
         "with --card: load this image first (default: what the cards hold)", "FILE.xclbin"},
        {"inject-latency", 0, 0, G_OPTION_ARG_DOUBLE, &o->inject_latency,
         "say how much of its clocks a card of 250 MHz would wait, if each round trip between host "
         "and card took so long",
         "US"},
        {"timeout", 0, 0, G_OPTION_ARG_STRING, &o->timeout,
         "stop the program when the run has taken so long in wall time, and say what its kernels "
         "were doing; exit status 124",
         "SECONDS"},
        {"timeout-target", 0, 0, G_OPTION_ARG_STRING, &o->timeout_target,
         "stop a kernel that runs longer in target time: its program gets cudaErrorLaunchTimeout",
         "US"},
        {"memcheck", 0, 0, G_OPTION_ARG_STRING, &o->memcheck,
         "more checks of kernels, a list of: init (memory is written before it is read), "
         "race (on shared memory), sync (threads of a warp at different barriers; always on), "
         "global "
         "(races on global memory between CTAs), free (freed memory is not allocated again); or "
         "all; leak: tell what was not freed; stop: a kernel ends at the first finding",
         "LIST"},
        {"strict-target", 0, 0, G_OPTION_ARG_NONE, &o->strict_target,
         "refuse PTX for a newer compute capability than the GPU's", NULL},
        {"trace-api", 0, 0, G_OPTION_ARG_NONE, &o->trace_api,
         "write every CUDA call with arguments, result and target time into api.txt and api.json "
         "of the report's directory",
         NULL},
        {"no-instruction-counts", 0, 0, G_OPTION_ARG_NONE, &o->no_code_counts,
         "do not count each instruction: no rows in instructions.csv, no lines in diagnoses", NULL},
        {"no-sources", 0, 0, G_OPTION_ARG_NONE, &o->no_sources,
         "leave the text of source files out of the report (heddle annotate reads them from their "
         "paths then)",
         NULL},
        {"topology", 0, 0, G_OPTION_ARG_FILENAME, &o->topology,
         "draw the components of the node and the links between them; no program is needed then",
         "FILE.svg"},
        {"quiet", 'q', 0, G_OPTION_ARG_NONE, &o->quiet, "no table at the end", NULL},
        {G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o->program, NULL, NULL},
        {NULL, 0, 0, 0, NULL, NULL, NULL}};
    const struct cli_command command = {.name = "heddle run",
                                        .arguments = "-- PROGRAM [ARGUMENTS]",
                                        .summary = "Runs a CUDA program on the simulated GPU.",
                                        .user = o,
                                        .options_first = true};
    const bool read = cli_options(&command, entries, &argc, &argv, status);
    const bool counted = !read || parse_nodes(o, nodes);
    g_free(nodes);
    if (!read) return false;
    *status = EXIT_HEDDLE;
    if (!counted) return false;
    gchar **p = o->program;
    cli_drop_dashes(p);
    if ((!p || !p[0]) && !o->topology) {
        cli_error("no program: heddle run [OPTIONS] -- PROGRAM [ARGUMENTS]");
        return false;
    }
    if (o->timing && strcmp(o->timing, "rtl") && strcmp(o->timing, "none")) {
        cli_error("--timing %s: rtl or none", o->timing);
        return false;
    }
    if (o->devices < 1 || o->devices > MOST_DEVICES) {
        cli_error("--devices must be 1 to %d", MOST_DEVICES);
        return false;
    }
    if (run_gpus(o) > ADDRESS_SPACE_MAX_DEVICES) {
        cli_error("--nodes %d with --devices %d are %u GPUs: at most %d", o->nodes, o->devices,
                  run_gpus(o), ADDRESS_SPACE_MAX_DEVICES);
        return false;
    }
    if (o->memcheck && !parse_checks(o)) return false;
    if (!parse_sample(o) || !parse_checkpoint(o) || !parse_cards(o) || !parse_timeouts(o) ||
        !parse_placement(o))
        return false;
    if (o->inject_latency != NO_LATENCY && !(o->inject_latency >= 0 && o->inject_latency <= 1000)) {
        cli_error("--inject-latency must be 0 to 1000 us");
        return false;
    }
    if (o->timing && !strcmp(o->timing, "none") && o->inject_latency >= 0) {
        cli_error("--timing none leaves out the timing core: --inject-latency would say nothing");
        return false;
    }
    if (o->timing && !strcmp(o->timing, "none") && o->topology) {
        cli_error("--timing none leaves out all that has a time: --topology would draw nothing");
        return false;
    }
    return true;
}

/* Frees the texts of *o, which run_options_read() has filled in, all or a part. */
void run_options_clear(struct run_options *o) {
    g_free(o->gpu);
    g_free(o->timing);
    g_free(o->out);
    g_free(o->backend);
    g_free(o->card);
    g_free(o->sm_groups_text);
    g_free(o->threads_text);
    g_free(o->image);
    g_free(o->kernels);
    g_free(o->launches);
    g_free(o->sample);
    g_free(o->compare);
    g_free(o->checkpoint);
    g_free(o->resume);
    g_free(o->topology);
    g_free(o->network);
    g_free(o->node);
    g_free(o->design);
    g_strfreev(o->node_sets);
    g_free(o->memcheck);
    g_free(o->timeout);
    g_free(o->timeout_target);
    g_strfreev(o->sets);
    g_strfreev(o->program);
}
