/* config.c - the parameters of a simulated GPU: loads them from files and --set, checks and prints
 * them; contracts in config.h. The commands of `heddle` load a configuration when they start, on
 * their main thread; once loaded it is const and any thread may read it.
 *
 * The static functions serve config_load(). Those that return heddle_err return HEDDLE_ERR_CONFIG,
 * with text in diag. */
#include "common/config.h"

#include <stdlib.h>
#include <string.h>

#include "common/carveout.h"
#include "common/ini_file.h"
#include "common/memory.h"
#include "common/warp_slots.h"

const struct parameter_row config_rows[CONFIG_NUM_PARAMS] = {
#define PARAM(field, key, type, unit, initial, min, max, meaning) \
    {key, unit, meaning, initial, PARAMETER_##type, min, max, offsetof(struct config, field)},
#include "tables/gpu_params.def"
};

/* The table with the values of *c, which is only written while it is loaded. */
static struct parameters parameters_of(const struct config *c) {
    struct config *values = (struct config *)(uintptr_t)c;
    return (struct parameters){.row = config_rows,
                               .count = CONFIG_NUM_PARAMS,
                               .values = values,
                               .origin = values->origin,
                               .built_for = "the timing core is built for"};
}

/* ---- all of a GPU */

/* The arguments of config_load(). */
struct load {
    const char *gpu, *directory;
    const char *const *sets;
    size_t num_sets;
};

/* Fills *c in one pass. Later values replace earlier ones: defaults, the memory's preset (`preset`,
 * NULL: none), the GPU's file, --set. A preset that --set chooses (preset_last) comes after the
 * GPU's file, whose rows of the memory device describe its own memory. On an error *c is partly
 * filled. */
static heddle_err load_once(struct config *c, const struct load *l, const char *preset,
                            bool preset_last, struct heddle_diag *diag) {
    char memory[512];
    const struct ini_kind gpus = {"GPU", l->directory, &c->files},
                          memories = {"memory preset", memory, &c->files};
    heddle_err e;
    memset(c, 0, sizeof *c);
    struct parameters p = parameters_of(c);
    snprintf(memory, sizeof memory, "%.490s/../memory", l->directory);
    e = parameters_set_defaults(&p, diag);
    if (e == HEDDLE_OK && preset && !preset_last)
        e = ini_read(preset, &memories, parameters_take_line, &p, diag);
    if (e == HEDDLE_OK) e = ini_read(l->gpu, &gpus, parameters_take_line, &p, diag);
    if (e == HEDDLE_OK && preset && preset_last)
        e = ini_read(preset, &memories, parameters_take_line, &p, diag);
    if (e == HEDDLE_OK) e = parameters_apply(&p, l->sets, l->num_sets, diag);
    ini_path(c->file, sizeof c->file, l->gpu, &gpus);
    return e;
}

/* Fills *c. The first pass finds the memory's preset ("none": there is none); the second one loads
 * it in its place. */
static heddle_err load_all(struct config *c, const struct load *l, struct heddle_diag *diag) {
    heddle_err e = load_once(c, l, NULL, false, diag);
    if (e || strcmp(c->dram_preset, "none") == 0) return e;
    char preset[sizeof c->dram_preset];
    snprintf(preset, sizeof preset, "%s", c->dram_preset);
    bool by_set = strcmp(c->origin[CONFIG_ID_dram_preset].where, "--set") == 0;
    return load_once(c, l, preset, by_set, diag);
}

/* ---- checks that involve several values */

/* True if the parameter must have a value. The memory device's rows (hbm.*) must have one only for
 * the memory models that simulate its commands, those of power only for a model of it. */
static bool is_wanted(const struct config *c, unsigned row) {
    const char *key = config_rows[row].key;
    if (!strncmp(key, "power.", 6)) return strcmp(c->power_model, "none") != 0;
    return strncmp(key, "hbm.", 4) || strcmp(c->dram_model, "simple");
}

/* Checks the names and the queue limits of the parameters of device memory. */
static heddle_err check_dram(const struct config *c, struct heddle_diag *diag) {
    static const char *const models[] = {"simple", "simple_dram", "timing_dram", "hbm", NULL},
                             *const refreshes[] = {"per_bank", "all_bank", "none", NULL};
    const struct parameters p = parameters_of(c);
    heddle_err e = parameters_check_name(&p, CONFIG_ID_dram_model, models, diag);
    if (!e) e = parameters_check_name(&p, CONFIG_ID_dram_refresh, refreshes, diag);
    if (!e && (c->dram_write_low >= c->dram_write_high || c->dram_write_high > c->dram_write_queue))
        e = heddle_fail(diag, HEDDLE_ERR_CONFIG,
                        "%s: dram.write_low (%llu) must be less than dram.write_high (%llu), and "
                        "that no more than dram.write_queue (%llu)",
                        c->file, (unsigned long long)c->dram_write_low,
                        (unsigned long long)c->dram_write_high,
                        (unsigned long long)c->dram_write_queue);
    return e;
}

/* Checks the text of sm.shared_sizes. @return HEDDLE_ERR_CONFIG, with text. */
static heddle_err check_shared_sizes(const struct config *c, struct heddle_diag *diag) {
    struct carveout_sizes s;
    if (carveout_read_sizes(c->sm_shared_sizes, &s)) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                       "%s: sm.shared_sizes = '%s' must be none, or at most %d ascending sizes in "
                       "KiB with slashes between",
                       c->file, c->sm_shared_sizes, CARVEOUT_MOST_SIZES - 1);
}

/* Checks that nothing is missing, that names are known, and values against each other. @return the
 * first error; changes nothing. */
static heddle_err check(const struct config *c, struct heddle_diag *diag) {
    static const char *const placements[] = {"breadth", "depth", NULL},
                             *const powers[] = {"none", "events", NULL},
                             *const carveouts[] = {"auto", "max", NULL},
                             *const schedulers[] = {"cggty", "gto", "lrr", NULL},
                             *const hashes[] = {"ipoly", "linear", NULL};
    const struct parameters p = parameters_of(c);
    heddle_err e = check_dram(c, diag);
    if (!e) e = parameters_check_name(&p, CONFIG_ID_power_model, powers, diag);
    if (!e) e = parameters_check_name(&p, CONFIG_ID_sched_placement, placements, diag);
    for (unsigned i = 0; i < CONFIG_NUM_PARAMS && !e; i++)
        if (is_wanted(c, i)) e = parameters_check_there(&p, i, c->file, diag);
    if (e) return e;
    if (c->sm_shared_bytes > c->sm_unified_bytes)
        return heddle_fail(
            diag, HEDDLE_ERR_CONFIG, "%s: sm.shared (%llu) is more than sm.unified (%llu)", c->file,
            (unsigned long long)c->sm_shared_bytes, (unsigned long long)c->sm_unified_bytes);
    e = check_shared_sizes(c, diag);
    if (!e) e = parameters_check_name(&p, CONFIG_ID_sm_carveout, carveouts, diag);
    if (e) return e;
    uint64_t l2_row = c->l2_slices * c->l2_ways * c->l1_line_bytes;
    if (c->l2_bytes % l2_row)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: l2.size (%llu) must be a multiple of l2.slices * l2.ways * l1.line "
                           "(%llu)",
                           c->file, (unsigned long long)c->l2_bytes, (unsigned long long)l2_row);
    if (c->l2_slice_bytes & (c->l2_slice_bytes - 1))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: l2.slice_width (%llu) must be 32, 64 or 128", c->file,
                           (unsigned long long)c->l2_slice_bytes);
    if (c->l2_fetch_bytes & (c->l2_fetch_bytes - 1))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: l2.fetch (%llu) must be 32, 64 or 128",
                           c->file, (unsigned long long)c->l2_fetch_bytes);
    if (c->l2_interleave & (c->l2_interleave - 1))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: l2.interleave (%llu) must be 128, 256 or 512", c->file,
                           (unsigned long long)c->l2_interleave);
    if (c->pipe_branch_latency > 15) /* of a packet's stall count */
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: pipe.branch.latency (%llu) must be at most 15", c->file,
                           (unsigned long long)c->pipe_branch_latency);
    if (c->network_request_bytes & (c->network_request_bytes - 1))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: network.request_width (%llu) must be 8, 16 or 32", c->file,
                           (unsigned long long)c->network_request_bytes);
    if (c->network_clock_mhz > c->clock_core_mhz || 200 * c->network_clock_mhz < c->clock_core_mhz)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: network.clock (%g MHz) must be between clock.core (%g MHz) and a "
                           "two-hundredth of it",
                           c->file, c->network_clock_mhz, c->clock_core_mhz);
    if ((double)c->l2_atomic_interval * c->clock_core_mhz >= 256 * c->network_clock_mhz)
        return heddle_fail(
            diag, HEDDLE_ERR_CONFIG,
            "%s: l2.atomic_interval (%llu) takes 256 cycles of clock.core (%g MHz) or "
            "more at network.clock (%g MHz)",
            c->file, (unsigned long long)c->l2_atomic_interval, c->clock_core_mhz,
            c->network_clock_mhz);
    if (c->l2_partitions == 2 && c->l2_slices % 2)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: l2.slices (%llu) do not divide between two partitions", c->file,
                           (unsigned long long)c->l2_slices);
    if (c->l1_sets & (c->l1_sets - 1))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: l1.sets (%llu) must be 128 or 256",
                           c->file, (unsigned long long)c->l1_sets);
    if (c->icache_sets & (c->icache_sets - 1))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: icache.sets (%llu) must be 32 or 64",
                           c->file, (unsigned long long)c->icache_sets);
    if (c->ccache_sets & (c->ccache_sets - 1))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: ccache.sets (%llu) must be 4 or 8",
                           c->file, (unsigned long long)c->ccache_sets);
    if (c->network_reply_bytes % c->l1_sector_bytes)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: network.reply_width (%llu) must be a multiple of l1.sector (%llu)",
                           c->file, (unsigned long long)c->network_reply_bytes,
                           (unsigned long long)c->l1_sector_bytes);
    if (c->sm_subcores & (c->sm_subcores - 1))
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%s: sm.subcores (%llu) must be 2 or 4",
                           c->file, (unsigned long long)c->sm_subcores);
    if (c->sm_warps % c->sm_subcores)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: sm.warps (%llu) does not divide among sm.subcores (%llu)", c->file,
                           (unsigned long long)c->sm_warps, (unsigned long long)c->sm_subcores);
    if (c->dram_pause >= c->dram_pause_interval)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s: dram.pause (%g ns) leaves nothing of dram.pause_interval (%g ns)",
                           c->file, c->dram_pause, c->dram_pause_interval);
    e = parameters_check_name(&p, CONFIG_ID_sm_scheduler, schedulers, diag);
    if (!e) e = parameters_check_name(&p, CONFIG_ID_sm_warp_placement, warp_placement_names, diag);
    if (!e) e = parameters_check_name(&p, CONFIG_ID_l2_hash, hashes, diag);
    return e;
}

/* Reads the files of the GPU and its memory preset, applies `sets`, and checks the result. `gpu`: a
 * path, or a name in `directory`. Allocates *out, which the caller frees with config_free().
 * @return HEDDLE_ERR_CONFIG, with text in diag and *out NULL. */
heddle_err config_load(struct config **out, const char *gpu, const char *directory,
                       const char *const *sets, size_t num_sets, struct heddle_diag *diag) {
    *out = NULL;
    struct config *c = heddle_alloc(sizeof *c, "the configuration");
    const struct load load = {
        .gpu = gpu, .directory = directory, .sets = sets, .num_sets = num_sets};
    heddle_err e = load_all(c, &load, diag);
    if (e == HEDDLE_OK) e = check(c, diag);
    if (e)
        config_free(c);
    else
        *out = c;
    return e;
}

void config_free(struct config *config) {
    free(config);
}

/* *out: the value of the parameter with this key, as a double. @return HEDDLE_ERR_CONFIG, without
 * text, when there is no such key or it is TEXT; *out is then untouched. */
heddle_err config_number(const struct config *config, const char *key, double *out) {
    const struct parameters p = parameters_of(config);
    const int i = parameters_find(&p, key);
    if (i < 0 || config_rows[i].type == PARAMETER_TEXT) return HEDDLE_ERR_CONFIG;
    const void *value = parameters_value(&p, (unsigned)i);
    *out = config_rows[i].type == PARAMETER_REAL ? *(const double *)value
                                                 : (double)*(const uint64_t *)value;
    return HEDDLE_OK;
}

/* Prints to `out` a heading and one line per parameter that has a value: key, value, unit, status,
 * source or meaning, and where it was set. */
void config_print(const struct config *config, FILE *out) {
    fprintf(out, "# %s\n", config->file);
    for (unsigned i = 0; i < CONFIG_NUM_PARAMS; i++) {
        const struct parameter_row *row = &config_rows[i];
        const void *value = (const char *)config + row->offset;
        char text[160];
        if (row->type == PARAMETER_TEXT)
            snprintf(text, sizeof text, "%s", (const char *)value);
        else if (row->type == PARAMETER_REAL)
            snprintf(text, sizeof text, "%.15g", *(const double *)value);
        else
            snprintf(text, sizeof text, "%llu", (unsigned long long)*(const uint64_t *)value);
        const struct parameter_origin *o = &config->origin[i];
        if (!*o->where) continue; /* of a memory device that this GPU does not describe */
        fprintf(out, "%-28s = %-14s ; %s | %s | %s [%s]\n", row->key, text, row->unit,
                *o->status ? o->status : "-", *o->source ? o->source : row->meaning, o->where);
    }
}

/* Prints docs/gpu-parameters.md, a row for each parameter of the table, to `out`; needs no
 * configuration. */
void config_print_page(FILE *out) {
    fprintf(out,
            "# Parameters of a GPU\n\n"
            "Made from `host/tables/gpu_params.def`; a test fails when page and table differ.\n"
            "A GPU is a file of them (`models/gpus/`); `--set KEY=VALUE` overrides one.\n"
            "`heddle config new` writes such a file from a GPU's main figures "
            "([commands](commands.md#heddle-config-new)).\n"
            "A value may name another unit of the same kind (`clock.core=1.2GHz`, "
            "`host/tables/units.def`).\n"
            "A parameter with one possible value is one that the timing core is built for.\n\n");
    parameters_print_table(config_rows, CONFIG_NUM_PARAMS, out);
}
