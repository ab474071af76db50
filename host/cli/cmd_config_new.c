/* cmd_config_new.c - `heddle config new`: writes a GPU's file from its main figures. The file is
 * based on another GPU's and has a line for each figure given and for what follows from it. main()
 * calls cli_config_new() on the main thread of `heddle`. */
#include <errno.h>
#include <glib.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/gpu_text.h"
#include "common/config.h"
#include "common/output_file.h"
#include "common/units.h"
#include "models/hbm/dram_spec.h"

struct new_options {
#define OPTION CLI_MEMBER
#include "tables/options/config_new.def"
};
static const size_t places[] = {
#define OPTION(...) CLI_PLACE(struct new_options, __VA_ARGS__)
#include "tables/options/config_new.def"
};

/* The file that is made. */
struct making {
    const struct new_options *o;
    const char *name, *base_name;
    struct cli_paths paths;
    struct config *base;   /* the GPU that it is like */
    struct config *memory; /* the same with the kind of memory given; NULL: none was */
    GString *text;
};

/* ---- lines */

/* Appends a line for the parameter `row`. `value`: in the row's unit. */
static void put(struct making *m, unsigned row, const char *value, const char *status,
                const char *source, ...) __attribute__((format(printf, 5, 6)));
static void put(struct making *m, unsigned row, const char *value, const char *status,
                const char *source, ...) {
    va_list args;
    va_start(args, source);
    gchar *from = g_strdup_vprintf(source, args);
    va_end(args);
    g_string_append_printf(m->text, "%s = %s ; %s | %s | %s\n", config_rows[row].key, value,
                           config_rows[row].unit, status, from);
    g_free(from);
}

static void put_number(struct making *m, unsigned row, double value, const char *status,
                       const char *source) {
    char text[40];
    snprintf(text, sizeof text, "%.10g", value);
    put(m, row, text, status, "%s", source);
}

/* A figure that the user gives: nobody can tell what it rests on. */
static void put_given(struct making *m, unsigned row, double value, const char *option) {
    char text[40];
    snprintf(text, sizeof text, "%.15g", value);
    put(m, row, text, "guessed", "given to heddle config new as --%s", option);
}

/* Reads an option's number, with or without a unit, in the parameter's unit; NAN: it was not given.
 * @return HEDDLE_ERR_ARGUMENT. */
static heddle_err read_figure(const char *option, const char *text, unsigned row, double *out,
                              struct heddle_diag *diag) {
    char units[100], *end;
    *out = NAN;
    if (!text) return HEDDLE_OK;
    *out = g_ascii_strtod(text, &end);
    while (g_ascii_isspace(*end)) end++;
    const char *unit = config_rows[row].unit;
    if (end != text && isfinite(*out) && *out > 0 && (!*end || units_convert(out, end, unit)))
        return HEDDLE_OK;
    units_list(unit, units, sizeof units);
    return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "--%s %s: a number above 0 is wanted, in %s",
                       option, text, units);
}

/* ---- what follows from the figures */

/* Peak bandwidth of the memory device of a configuration, bytes/s. */
static heddle_err peak(const struct config *c, double *out, struct heddle_diag *diag) {
    struct dram_spec s;
    heddle_err e = dram_spec_create(&s, c, diag);
    if (!e) *out = (double)s.channels * s.pcs * s.atom * (double)s.khz * 1000 / s.bl;
    return e;
}

/* The clocks of the SMs and of the memory, and L2's, which follows that of the SMs. */
static void put_clocks(struct making *m, double mhz) {
    if (!isnan(mhz)) put_given(m, CONFIG_ID_clock_core_mhz, mhz, "clock");
    if (m->memory)
        put_number(m, CONFIG_ID_clock_memory_mhz, m->memory->hbm_clock, "derived",
                   "the kind of memory");
    if (isnan(mhz)) return;
    put_number(m, CONFIG_ID_network_clock_mhz,
               m->base->network_clock_mhz * mhz / m->base->clock_core_mhz, "derived",
               "the base's, by the clocks of the SMs");
}

/* The size of L2, in whole sets of the base's slices. */
static void put_l2(struct making *m, double bytes) {
    const struct config *b = m->base;
    const double row = (double)(b->l2_slices * b->l2_ways * b->l1_line_bytes);
    if (isnan(bytes)) return;
    const double whole = fmax(1, round(bytes / row)) * row;
    if (whole == bytes)
        put_given(m, CONFIG_ID_l2_bytes, bytes, "l2");
    else
        put_number(m, CONFIG_ID_l2_bytes, whole, "guessed",
                   "given to heddle config new as --l2, in whole sets of the slices");
}

/* Size and bandwidth of the memory; `by`: of the peaks of the new and the base's kind. */
static void put_dram(struct making *m, double size, double bandwidth, double by) {
    const struct config *b = m->base;
    if (!isnan(size)) put_given(m, CONFIG_ID_dram_bytes, size, "memory-size");
    if (!isnan(bandwidth)) {
        put_given(m, CONFIG_ID_dram_bandwidth, bandwidth, "bandwidth");
        by = bandwidth / b->dram_bandwidth;
    } else if (by != 1) {
        put_number(m, CONFIG_ID_dram_bandwidth, b->dram_bandwidth * by, "derived",
                   "the base's, by the peaks of the two kinds of memory");
    }
    if (by != 1)
        put_number(m, CONFIG_ID_dram_write_bandwidth, b->dram_write_bandwidth * by, "derived",
                   "the base's, as the bandwidth of reads");
    if (!m->memory) return;
    put(m, CONFIG_ID_dram_preset, m->o->memory, "guessed",
        "given to heddle config new as --memory");
    if (m->memory->dram_channels != b->dram_channels)
        put_number(m, CONFIG_ID_dram_channels, (double)m->memory->dram_channels, "derived",
                   "as many stacks as the base has");
}

/* Rows of the memory device that the base's file has for its own memory. */
static void put_device(struct making *m) {
    for (unsigned i = 0; i < CONFIG_NUM_PARAMS && m->memory; i++) {
        const struct parameter_row *row = &config_rows[i];
        const void *then = (const char *)m->base + row->offset;
        const void *now = (const char *)m->memory + row->offset;
        /* the base's own line would replace the preset's value */
        const bool own = strstr(m->base->origin[i].where, "/memory/") == NULL;
        if (strncmp(row->key, "hbm.", 4) || !own || !*m->base->origin[i].where) continue;
        if (!memcmp(then, now, sizeof(double))) continue;
        put_number(m, i,
                   row->type == PARAMETER_REAL ? *(const double *)now
                                               : (double)*(const uint64_t *)now,
                   "derived", "the kind of memory");
    }
}

/* Composes the text. @return HEDDLE_ERR_ARGUMENT: a number is none. */
static heddle_err compose(struct making *m, struct heddle_diag *diag) {
    const struct new_options *o = m->o;
    double sms, clock, l2, size, bandwidth, before = 1, after = 1;
    heddle_err e = read_figure("sms", o->sms, CONFIG_ID_sm_count, &sms, diag);
    if (!e) e = read_figure("clock", o->clock, CONFIG_ID_clock_core_mhz, &clock, diag);
    if (!e) e = read_figure("l2", o->l2, CONFIG_ID_l2_bytes, &l2, diag);
    if (!e) e = read_figure("memory-size", o->memory_size, CONFIG_ID_dram_bytes, &size, diag);
    if (!e) e = read_figure("bandwidth", o->bandwidth, CONFIG_ID_dram_bandwidth, &bandwidth, diag);
    if (!e && m->memory) e = peak(m->base, &before, diag);
    if (!e && m->memory) e = peak(m->memory, &after, diag);
    if (e) return e;
    gchar *title = o->title ? g_strdup(o->title) : g_strdup_printf("%s (simulated)", m->name);
    g_string_append_printf(
        m->text,
        "# %s: a GPU like %s, but for the figures below. All others are those of "
        "its file.\nbase = %s\n",
        m->name, m->base_name, m->base_name);
    put(m, CONFIG_ID_gpu_name, title, "guessed", "given to heddle config new");
    put_clocks(m, clock);
    if (!isnan(sms)) put_given(m, CONFIG_ID_sm_count, sms, "sms");
    put_l2(m, l2);
    put_dram(m, size, bandwidth, after / before);
    put_device(m);
    g_free(title);
    return HEDDLE_OK;
}

/* ---- the command */

/* Writes the text to the file. @return HEDDLE_ERR_IO, or ARGUMENT: it is there. */
static heddle_err write_text(const struct making *m, const char *path, struct heddle_diag *diag) {
    struct output_file f;
    if (!m->o->force && access(path, F_OK) == 0)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s is there: --force replaces it", path);
    heddle_err e = output_file_open(&f, path, OUTPUT_DEVICE, diag);
    if (e) return e;
    fputs(m->text->str, f.f);
    return output_file_commit(&f, false, diag);
}

/* Makes the file. @return the error that ended it. */
static heddle_err make(struct making *m, struct heddle_diag *diag) {
    heddle_err e = config_load(&m->base, m->base_name, m->paths.gpus, NULL, 0, diag);
    if (!e && m->o->memory) {
        gchar *set = g_strconcat("dram.preset=", m->o->memory, NULL);
        const char *const sets[] = {set};
        e = config_load(&m->memory, m->base_name, m->paths.gpus, sets, 1, diag);
        g_free(set);
        if (!e) /* as many stacks, of the new kind */
            m->memory->dram_channels = m->base->dram_channels * m->memory->hbm_channels /
                                       m->base->hbm_channels;
    }
    if (!e) e = compose(m, diag);
    if (e) return e;
    struct heddle_diag bad = {0};
    e = gpu_text_check(m->text->str, m->text->len, m->paths.gpus, &bad);
    if (e) return heddle_fail(diag, e, "that is no GPU that can be simulated: %s", bad.text);
    gchar *path = m->o->out ? g_strdup(m->o->out) : g_strconcat(m->name, ".ini", NULL);
    e = write_text(m, path, diag);
    if (!e) fprintf(stderr, "heddle: written: %s, for --gpu %s\n", path, path);
    g_free(path);
    return e;
}

int cli_config_new(int argc, char **argv) {
    struct new_options o = {0};
    struct heddle_diag diag = {0};
    int status;
    if (!cli_options(CLI(config_new), places, &o, &argc, &argv, &status)) {
        /* an error or --help, already printed */
    } else if (argc != 2 || !*argv[1] || strchr(argv[1], '/')) {
        status = cli_error("one name is wanted: heddle config new NAME [OPTIONS]");
    } else if (!o.sms && !o.clock && !o.l2 && !o.memory && !o.memory_size && !o.bandwidth) {
        status = cli_error("nothing differs from %s: heddle config new %s --sms N, --clock, --l2, "
                           "--memory, --memory-size or --bandwidth",
                           o.base ? o.base : "v100", argv[1]);
    } else {
        struct making m = {.o = &o, .name = argv[1], .base_name = o.base ? o.base : "v100"};
        m.text = g_string_new(NULL);
        if (!cli_find_paths(&m.paths))
            status = cli_error("cannot find out where Heddle is installed");
        else if (make(&m, &diag))
            status = cli_error("%s", diag.text);
        config_free(m.base);
        config_free(m.memory);
        g_string_free(m.text, TRUE);
    }
    cli_options_free(CLI(config_new), places, &o);
    return status;
}
