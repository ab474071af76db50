/* cmd_dram.c - `heddle dram`: runs a trace of addresses on a memory model without a GPU, and prints
 * bandwidth, latencies and row-buffer behaviour. dram_run.c drives the model; this file has the
 * options, the set-up and the output. main() calls cli_dram() on the main thread of `heddle`; all
 * the rest serves that. */
#include <errno.h>
#include <glib.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/dram_run.h"
#include "common/config.h"
#include "common/cycles.h"
#include "common/output_file.h"

/* The command line; texts are NULL, numbers 0 where an option is missing. */
struct dram_options {
#define OPTION CLI_MEMBER
#include "tables/options/dram.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct dram_options, __VA_ARGS__)
#include "tables/options/dram.def"
};

/* ---- the device */

/* Adds "KEY=VALUE" for an option that was given. */
static void add_set(GPtrArray *sets, const char *key, const char *value) {
    if (value) g_ptr_array_add(sets, g_strdup_printf("%s=%s", key, value));
}

/* Loads the configuration from the options: that of --gpu, or one of the preset and the number of
 * stacks. The caller frees *config. @return HEDDLE_ERR_IO or CONFIG, with text in diag. */
static heddle_err load(const struct dram_options *o, struct config **config,
                       struct heddle_diag *diag) {
    struct cli_paths paths;
    if (!cli_find_paths(&paths))
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot find out where Heddle is installed");
    GPtrArray *sets = g_ptr_array_new_with_free_func(g_free);
    if (!o->gpu) add_set(sets, "dram.preset", o->preset ? o->preset : "hbm2");
    add_set(sets, "dram.model", o->model ? o->model : "hbm");
    add_set(sets, "dram.mapping", o->mapping);
    add_set(sets, "dram.refresh", o->refresh);
    for (gchar **s = o->sets; s && *s; s++) g_ptr_array_add(sets, g_strdup(*s));
    const char *gpu = o->gpu ? o->gpu : "v100";
    heddle_err e = config_load(config, gpu, paths.gpus, (const char *const *)sets->pdata, sets->len,
                               diag);
    if (!e && !o->gpu) { /* --stacks of the preset, not the GPU's channels */
        (*config)->dram_channels = (uint64_t)(o->stacks ? o->stacks : 1) * (*config)->hbm_channels;
    }
    g_ptr_array_free(sets, TRUE);
    return e;
}

/* Peak bandwidth of all data buses, bytes/s. */
static double peak(const struct dram_spec *s) {
    return (double)s->channels * s->pcs * s->atom * (double)s->khz * 1000 / s->bl;
}

/* Fills the input members of `run` (dram_run.h) from the options and the configuration. @return the
 * error of dram_spec_create(), with text in diag. */
static heddle_err set_up(const struct dram_options *o, const struct config *c, struct dram_run *run,
                         struct heddle_diag *diag) {
    heddle_err e = dram_spec_create(&run->spec, c, diag);
    const struct dram_spec *s = &run->spec;
    if (e) return e;
    run->model = c->dram_model;
    run->check = !o->no_check && strncmp(c->dram_model, "simple", 6);
    run->outstanding = o->outstanding ? (uint64_t)o->outstanding : 64ull * s->channels * s->pcs;
    /* a GPU's latency includes the path from L2 to memory; a device alone has only its own */
    run->latency_ps = o->gpu ? (uint64_t)llround(c->dram_latency * 1000)
                             : clock_ps(s->rcdrd + s->cl + s->bl, s->khz);
    double rate = o->gpu ? c->dram_bandwidth * 1e9 : peak(s);
    run->channel_bytes_per_s = (uint64_t)(rate / s->channels);
    return HEDDLE_OK;
}

/* ---- results */

/* part / all in percent, 0 if there is nothing. */
static double percent(uint64_t part, uint64_t all) {
    return all ? 100.0 * (double)part / (double)all : 0;
}

/* Bandwidth of the run. */
static double rate(const struct dram_run *run) { /* bytes/s */
    uint64_t bytes = run->stats.read_bytes + run->stats.write_bytes;
    return run->end_ps ? (double)bytes * 1e12 / (double)run->end_ps : 0;
}

/* Prints the result on standard output: requests, bandwidth, rows, read latencies, use of the
 * channels, commands, broken rules; parts that the model does not count are left out. `name`: of
 * the trace. */
static void print_text(const struct dram_run *run, const struct config *c, const char *name) {
    const struct dram_spec *s = &run->spec;
    const struct hbm_stats *t = &run->stats;
    const struct latencies *l = &run->reads;
    uint64_t rows = t->row_hits + t->row_misses + t->row_conflicts, least = UINT64_MAX, most = 0;
    printf("heddle dram: %s, model %s, memory %s: %u channels of %u pseudo-channels at %g MHz, "
           "mapping %s, refresh %s\n",
           name, run->model, c->dram_preset, s->channels, s->pcs, (double)s->khz / 1000,
           c->dram_mapping, c->dram_refresh);
    printf("requests   %llu reads, %llu writes; %.3f MB in %.3f us\n", (unsigned long long)t->reads,
           (unsigned long long)t->writes, (double)(t->read_bytes + t->write_bytes) / 1e6,
           (double)run->end_ps / 1e6);
    printf("bandwidth  %.2f GB/s, %.1f %% of %.1f GB/s\n", rate(run) / 1e9,
           100 * rate(run) / peak(s), peak(s) / 1e9);
    if (rows)
        printf("rows       %.1f %% hits, %.1f %% closed, %.1f %% conflicts; %llu reads out of "
               "waiting writes\n",
               percent(t->row_hits, rows), percent(t->row_misses, rows),
               percent(t->row_conflicts, rows), (unsigned long long)t->forwarded);
    if (l->count)
        printf("latency    of reads, ns: least %.1f, mean %.1f, 50 %% %.1f, 90 %% %.1f, 99 %% "
               "%.1f, most %.1f\n",
               (double)l->least / 1e3, (double)l->sum / 1e3 / (double)l->count,
               (double)latencies_percentile(l, 50) / 1e3, (double)latencies_percentile(l, 90) / 1e3,
               (double)latencies_percentile(l, 99) / 1e3, (double)l->most / 1e3);
    for (uint32_t i = 0; i < s->channels; i++) {
        least = MIN(least, run->channel[i].busy_ps);
        most = MAX(most, run->channel[i].busy_ps);
    }
    printf("channels   data bus busy %.1f %% on average, %.1f %% of the idlest, %.1f %% of the "
           "busiest\n",
           percent(t->busy_ps, run->end_ps * s->channels * s->pcs),
           percent(least, run->end_ps * s->pcs), percent(most, run->end_ps * s->pcs));
    if (t->activates)
        printf("commands   %llu ACT, %llu refreshes, %llu turn-arounds\n",
               (unsigned long long)t->activates, (unsigned long long)t->refreshes,
               (unsigned long long)t->turn_arounds);
    if (run->check)
        printf("rules      %llu of %llu commands break one\n",
               (unsigned long long)run->watch.violations, (unsigned long long)run->watch.commands);
}

/* The members of struct hbm_stats, as names in JSON and CSV. */
#define COUNTERS(X)  \
    X(reads)         \
    X(writes)        \
    X(read_bytes)    \
    X(write_bytes)   \
    X(busy_ps)       \
    X(row_hits)      \
    X(row_misses)    \
    X(row_conflicts) \
    X(forwarded)     \
    X(activates)     \
    X(refreshes)     \
    X(turn_arounds)

/* The statistics as a new JSON object, which the caller owns. */
static json_t *json_stats(const struct hbm_stats *t) {
    json_t *o = json_object();
#define X(name) json_object_set_new(o, #name, json_integer((json_int_t)t->name));
    COUNTERS(X)
#undef X
    return o;
}

/* Writes the result as JSON to f. */
static void write_json(const struct dram_run *run, const struct config *c, const char *trace,
                       FILE *f) {
    const struct latencies *l = &run->reads;
    json_t *channels = json_array();
    for (uint32_t i = 0; i < run->spec.channels; i++)
        json_array_append_new(channels, json_stats(&run->channel[i]));
    json_t *o = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:I, s:f, s:f, s:{s:I, s:f, s:I, s:I, s:I, s:I}, s:o, s:o, "
        "s:I, s:I}",
        "trace", trace, "model", run->model, "preset", c->dram_preset, "mapping", c->dram_mapping,
        "refresh", c->dram_refresh, "time_ps", (json_int_t)run->end_ps, "bytes_per_s", rate(run),
        "peak_bytes_per_s", peak(&run->spec), "read_latency_ps", "least", (json_int_t)l->least,
        "mean", l->count ? (double)l->sum / (double)l->count : 0.0, "p50",
        (json_int_t)latencies_percentile(l, 50), "p90", (json_int_t)latencies_percentile(l, 90),
        "p99", (json_int_t)latencies_percentile(l, 99), "most", (json_int_t)l->most, "total",
        json_stats(&run->stats), "channels", channels, "commands_checked",
        (json_int_t)run->watch.commands, "rules_broken", (json_int_t)run->watch.violations);
    json_dumpf(o, f, JSON_INDENT(2));
    json_decref(o);
}

/* Writes a row for each channel to f. */
static void write_csv(const struct dram_run *run, FILE *f) {
    fprintf(f, "channel");
#define X(name) fprintf(f, "," #name);
    COUNTERS(X)
#undef X
    fprintf(f, "\n");
    for (uint32_t i = 0; i < run->spec.channels; i++) {
        const struct hbm_stats *t = &run->channel[i];
        fprintf(f, "%u", i);
#define X(name) fprintf(f, ",%llu", (unsigned long long)t->name);
        COUNTERS(X)
#undef X
        fprintf(f, "\n");
    }
}

/* A file to write, or standard output for "-" (o->path is then NULL). @return HEDDLE_ERR_IO, with
 * text in diag. */
static heddle_err open_output(struct output_file *o, const char *file, struct heddle_diag *diag) {
    *o = (struct output_file){.f = stdout};
    return strcmp(file, "-") ? output_file_open(o, file, OUTPUT_DEVICE, diag) : HEDDLE_OK;
}

/* Ends what open_output() has opened; accepts what it has not. @return HEDDLE_ERR_IO, with text in
 * diag. */
static heddle_err end_output(struct output_file *o, struct heddle_diag *diag) {
    if (!o->f) return HEDDLE_OK;
    if (o->path) return output_file_commit(o, false, diag);
    return fflush(stdout) == 0 && !ferror(stdout)
               ? HEDDLE_OK
               : heddle_fail(diag, HEDDLE_ERR_IO, "cannot write -: %s", strerror(errno));
}

/* Prints the result, or writes it to the files asked for. Text is left out when a file goes to
 * standard output. @return the exit status: an error if a file cannot be written or a rule was
 * violated. */
static int tell(const struct dram_run *run, const struct config *c, const struct dram_options *o,
                const char *trace) {
    bool to_stdout = g_strcmp0(o->json, "-") == 0 || g_strcmp0(o->csv, "-") == 0;
    struct output_file file;
    struct heddle_diag diag = {0};
    heddle_err e = HEDDLE_OK;
    if (!to_stdout) print_text(run, c, trace);
    if (o->json && !(e = open_output(&file, o->json, &diag))) {
        write_json(run, c, trace, file.f);
        e = end_output(&file, &diag);
    }
    if (!e && o->csv && !(e = open_output(&file, o->csv, &diag))) {
        write_csv(run, file.f);
        e = end_output(&file, &diag);
    }
    if (e) return cli_error("%s", diag.text);
    if (!run->watch.violations) return 0;
    const struct dram_command *k = &run->watch.first;
    return cli_error("%s at clock %llu, channel %u, pseudo-channel %u, bank %u breaks: %s",
                     dram_command_name(k->kind), (unsigned long long)k->at, k->channel, k->pc,
                     k->bank,
                     dram_rule_text((enum dram_rule)__builtin_ctzll(run->watch.first_rules)));
}

/* Runs the trace file (or standard input, "-") and reports; writes the file of --commands, unless
 * the trace is at fault, and frees everything. @return the exit status: 0, or EXIT_HEDDLE after an
 * error, which it prints. */
static int run_file(const struct dram_options *o, const char *trace) {
    struct config *config = NULL;
    struct heddle_diag diag = {0};
    struct dram_run *run = g_new0(struct dram_run, 1);
    FILE *in = strcmp(trace, "-") ? fopen(trace, "re") : stdin;
    struct output_file commands = {0};
    int status = 0;
    if (!in) {
        status = cli_error("cannot open %s: %s", trace, strerror(errno));
    } else if (load(o, &config, &diag) || set_up(o, config, run, &diag) ||
               (o->commands && open_output(&commands, o->commands, &diag))) {
        status = cli_error("%s", diag.text);
    } else {
        run->commands = commands.f;
        if (dram_run_trace(run, in, trace, &diag)) {
            status = cli_error("%s", diag.text);
            if (commands.path) output_file_abandon(&commands);
        } else {
            status = tell(run, config, o, trace);
            if (end_output(&commands, &diag) && !status) status = cli_error("%s", diag.text);
        }
    }
    if (in && in != stdin) fclose(in);
    config_free(config);
    g_free(run->channel);
    g_free(run);
    return status;
}

/* Reads and checks the options, then runs the trace. @return the exit status: 0, or EXIT_HEDDLE
 * after an error, also if a command broke a rule. */
int cli_dram(int argc, char **argv) {
    struct dram_options o = {0};
    int status;
    if (!cli_options(CLI(dram), places, &o, &argc, &argv, &status)) {
        /* an error or --help, already printed */
    } else if (argc != 2) {
        status = cli_error("heddle dram takes one trace: heddle dram [OPTIONS] TRACE");
    } else if (o.gpu && (o.preset || o.stacks)) {
        status = cli_error("--gpu says the memory: --preset and --stacks do not go with it");
    } else if (o.stacks < 0 || o.stacks > 64 || o.outstanding < 0) {
        status = cli_error("--stacks is 1 to 64, --outstanding 1 or more");
    } else {
        status = run_file(&o, argv[1]);
    }
    cli_options_free(CLI(dram), places, &o);
    return status;
}
