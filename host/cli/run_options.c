/* run_options.c - reads the options of `heddle run` and checks them against each other. cmd_run.c
 * calls it on the main thread. Functions that return bool return false after printing an error. */
#include "cli/run_options.h"

#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "common/processors.h"
#include "common/units.h"
#include "cuda/base/address_space.h"
#include "sched/gpu.h"

enum {
    MOST_THREADS = 1024,
    MOST_DEVICES = 16,    /* of a node */
    MOST_CORES = 16,      /* the emulation's, which the groups of all GPUs need */
    MOST_AUTO_GROUPS = 4, /* chosen by themselves: each takes some 50 ms to set up */
    LEAST_INTERVAL_PS = 10000,
    DEFAULT_TIMELINE_MB = 200,
    MOST_TIMELINE_MB = 100000,
};
/* --inject-latency was not given. */
#define NO_LATENCY (-HUGE_VAL)

static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct run_options, __VA_ARGS__)
#include "tables/options/run.def"
};

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
    if (o->timeout_target && !run_is_timed(o)) {
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

/* Checks that --sample and --compare do not stand with options that exclude kernel sampling. The
 * list of --sample is read later (sampling.c). */
static bool parse_sample(const struct run_options *o) {
    if (o->compare && !o->sample) {
        cli_error("--compare DIR says how far --sample is off: there is no --sample");
        return false;
    }
    if (!o->sample) return true;
    if (!run_is_timed(o)) {
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

/* Checks --timeline, and reads what goes with it. */
static bool parse_timeline(struct run_options *o) {
    if (!o->timeline && (o->timeline_interval || o->timeline_limit)) {
        cli_error("--timeline-%s says how to write a timeline: there is no --timeline",
                  o->timeline_interval ? "interval" : "limit");
        return false;
    }
    if (!o->timeline) return true;
    if (o->timing && !strcmp(o->timing, "none")) {
        cli_error("--timing none leaves out all that has a time: --timeline would show nothing");
        return false;
    }
    if (!parse_time("--timeline-interval", o->timeline_interval, "ns", &o->interval_ps))
        return false;
    o->interval_ps = round(o->interval_ps * 1000);
    if (o->timeline_interval && !(o->interval_ps >= LEAST_INTERVAL_PS)) {
        cli_error("--timeline-interval %s: at least %d ns", o->timeline_interval,
                  LEAST_INTERVAL_PS / 1000);
        return false;
    }
    return parse_number("--timeline-limit", o->timeline_limit, MOST_TIMELINE_MB, "1 to 100000 MB",
                        DEFAULT_TIMELINE_MB, &o->timeline_mb);
}

/* Reads --monitor. It is no part of what the run is made from: another one has another address. */
static bool parse_monitor(struct run_options *o) {
    char *end;
    if (!o->monitor) return true;
    const gint64 port = g_ascii_strtoll(o->monitor, &end, 10);
    if (end == o->monitor || *end || port < 0 || port > 65535) {
        cli_error("--monitor %s: a port, 1 to 65535, or 0 for one that is free", o->monitor);
        return false;
    }
    if (!o->program || !o->program[0]) {
        cli_error("--monitor %s looks at a program that runs: there is none", o->monitor);
        return false;
    }
    o->monitor_port = (gint)port;
    gchar **to = o->given;
    for (gchar **from = o->given; *from; from++)
        if (g_str_has_prefix(*from, "--monitor="))
            g_free(*from);
        else
            *to++ = *from;
    *to = NULL;
    return true;
}

/* Sets o->threads and o->sm_groups. By themselves, there are as many threads as processors, and a
 * group for each thread. Cards, a given library and --inject-latency simulate one group on one
 * core unless told otherwise; a search for races takes one thread, so that the race reported is
 * always the same. */
static bool parse_placement(struct run_options *o) {
    const bool one = o->checks & EXEC_CHECK_GLOBAL, timed = run_is_timed(o);
    const bool whole = run_is_reference(o); /* the model is a whole GPU */
    const gint all = one ? 1 : (gint)processors();
    if (!parse_number("--threads", o->threads_text, MOST_THREADS, "1 to 1024", all, &o->threads))
        return false;
    const gint gpus = (gint)run_gpus(o);
    gint groups = MIN(MIN(o->threads, MOST_AUTO_GROUPS), MAX(MOST_CORES / gpus, 1));
    if (one || !timed || whole || o->backend || o->inject_latency != NO_LATENCY) groups = 1;
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
    if (whole && o->sm_groups > 1) {
        cli_error("--timing reference: the model is a whole GPU: --sm-groups %d must be 1",
                  o->sm_groups);
        return false;
    }
    if (o->card && o->num_cards != (gint64)gpus * o->sm_groups) {
        cli_error("--card %s: each of %d SM groups of %d GPUs needs a card of its own", o->card,
                  o->sm_groups, gpus);
        return false;
    }
    return true;
}

/* Checks --timing, and options that have no meaning for the reference model. */
static bool parse_timing(const struct run_options *o) {
    if (o->timing && strcmp(o->timing, "rtl") && strcmp(o->timing, "none") &&
        strcmp(o->timing, "reference")) {
        cli_error("--timing %s: rtl, reference or none", o->timing);
        return false;
    }
    if (o->plugins && !run_is_reference(o)) {
        cli_error("--plugin %s: policies are plug-ins of the reference model: say --timing "
                  "reference (docs/how-to changes those of the RTL)",
                  o->plugins[0]);
        return false;
    }
    const char *other = o->backend                        ? "--backend"
                        : o->card                         ? "--card"
                        : o->inject_latency != NO_LATENCY ? "--inject-latency"
                                                          : NULL;
    if (run_is_reference(o) && other) {
        cli_error("--timing reference is a model of its own, and no card: %s goes with --timing "
                  "rtl",
                  other);
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
        if (!run_is_timed(o)) {
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
    const char *other = !run_is_timed(o)       ? "--timing none"
                        : o->sample            ? "--sample"
                        : o->kernels           ? "--kernels"
                        : o->launches          ? "--launches"
                        : o->devices > 1       ? "--devices"
                        : o->nodes             ? "--nodes"
                        : o->card && !o->image ? "--card without --image"
                        : o->plugins           ? "--plugin"
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

/* Reads --nodes into o->nodes, and checks --network. Without it: 0. */
static bool parse_nodes(struct run_options *o) {
    const char *text = o->nodes_text;
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
    static const struct run_options initial = {.devices = 1, .inject_latency = NO_LATENCY};
    *o = initial;
    if (!cli_options(CLI(run), places, o, &argc, &argv, status)) return false;
    o->given = cli_options_given(CLI(run), places, o, &initial);
    *status = EXIT_HEDDLE;
    if (!parse_nodes(o)) return false;
    if ((!o->program || !o->program[0]) && !o->topology) {
        cli_error("no program: heddle run [OPTIONS] -- PROGRAM [ARGUMENTS]");
        return false;
    }
    if (!parse_timing(o)) return false;
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
        !parse_placement(o) || !parse_timeline(o) || !parse_monitor(o))
        return false;
    if (o->inject_latency != NO_LATENCY && !(o->inject_latency >= 0 && o->inject_latency <= 1000)) {
        cli_error("--inject-latency must be 0 to 1000 us");
        return false;
    }
    if (!run_is_timed(o) && o->inject_latency >= 0) {
        cli_error("--timing none leaves out the timing core: --inject-latency would say nothing");
        return false;
    }
    if (!run_is_timed(o) && o->topology) {
        cli_error("--timing none leaves out all that has a time: --topology would draw nothing");
        return false;
    }
    return true;
}

/* Frees the texts of *o, which run_options_read() has filled in, all or a part. */
void run_options_clear(struct run_options *o) {
    cli_options_free(CLI(run), places, o);
    g_strfreev(o->given);
    o->given = NULL;
}
