/* test_config.c - GPU files (common/config.c): correct files are read; an error names the file, the
 * line and the key. */
#include <glob.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/config.h"

/* Writes a temporary GPU file with `text` and stores its name in `path`. The caller unlinks it. */
static void write_gpu(char *path, const char *text) {
    strcpy(path, "/tmp/heddle-config-XXXXXX.ini");
    int fd = mkstemps(path, 4);
    cr_assert(fd >= 0);
    cr_assert_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

/* Loads a temporary GPU file with `text`; its name stays in `path` for messages. @return
 * config_load()'s result */
static heddle_err load_text(const char *text, struct heddle_diag *diag, char *path) {
    struct config *c = NULL;
    write_gpu(path, text);
    heddle_err e = config_load(&c, path, GPUS, NULL, 0, diag);
    cr_expect_eq(c == NULL, e != HEDDLE_OK);
    config_free(c);
    unlink(path);
    return e;
}

/* Expects the error "<path>:<line>: <rest>". */
static void expect_error(const char *text, int line, const char *rest) {
    char path[64], want[512];
    struct heddle_diag diag = {0};
    cr_expect_eq(load_text(text, &diag, path), HEDDLE_ERR_CONFIG);
    snprintf(want, sizeof want, "%s:%d: %s", path, line, rest);
    cr_expect_str_eq(diag.text, want);
}

Test(config, shipped_v100) {
    struct config *c;
    struct heddle_diag diag = {0};
    cr_assert_eq(config_load(&c, "v100", GPUS, NULL, 0, &diag), HEDDLE_OK, "%s", diag.text);
    cr_expect_eq(c->sm_count, 80);
    cr_expect_eq(c->dram_bytes, 17179869184u);
    cr_expect_float_eq(c->clock_core_mhz, 1380, 0);
    cr_expect_eq(c->link_latency, 23840);
    cr_expect_eq(c->cpu_api_cost, 2000);
    cr_expect_str_eq(c->l2_hash, "ipoly");
    config_free(c);
}

/* Expects that every value that the GPU's file gives has a status and a source. */
static void expect_sources(const char *gpu) {
    struct config *c;
    struct heddle_diag diag = {0};
    unsigned from_file = 0;
    cr_assert_eq(config_load(&c, gpu, GPUS, NULL, 0, &diag), HEDDLE_OK, "%s", diag.text);
    for (unsigned i = 0; i < CONFIG_NUM_PARAMS; i++) {
        if (!strcmp(c->origin[i].where, "default")) continue;
        if (!*c->origin[i].where) continue; /* of no use to this GPU */
        from_file++;
        cr_expect(*c->origin[i].status, "%s: %s has no status", gpu, config_rows[i].key);
        cr_expect(*c->origin[i].source, "%s: %s has no source", gpu, config_rows[i].key);
    }
    cr_expect_gt(from_file, 50u);
    config_free(c);
}

Test(config, every_shipped_figure_has_a_source) {
    glob_t files;
    cr_assert_eq(glob(GPUS "/*.ini", 0, NULL, &files), 0);
    cr_expect_geq(files.gl_pathc, 8u);
    for (size_t i = 0; i < files.gl_pathc; i++) expect_sources(files.gl_pathv[i]);
    globfree(&files);
}

Test(config, base_and_overrides) {
    char path[64];
    struct config *c;
    struct heddle_diag diag = {0};
    const char *sets[] = {"sm.count=2", "dram.bandwidth = 100.5"};
    write_gpu(path, "base = v100\n[sm]\ncount = 84 ; SMs | guessed | the paper's table\n");
    cr_assert_eq(config_load(&c, path, GPUS, NULL, 0, &diag), HEDDLE_OK, "%s", diag.text);
    cr_expect_eq(c->sm_count, 84);
    cr_expect_eq(c->sm_warps, 64);
    config_free(c);
    cr_assert_eq(config_load(&c, path, GPUS, sets, 2, &diag), HEDDLE_OK, "%s", diag.text);
    cr_expect_eq(c->sm_count, 2);
    cr_expect_float_eq(c->dram_bandwidth, 100.5, 0);
    cr_expect_str_eq(c->origin[CONFIG_ID_sm_count].where, "--set");
    config_free(c);
    unlink(path);
}

Test(config, errors_name_file_line_and_key) {
    expect_error("base = v100\n\n[sm]\ncuont = 80\n", 4,
                 "unknown key 'sm.cuont', did you mean 'sm.count'?");
    expect_error("base = v100\ncount = 1\n", 2, "unknown key 'count', did you mean 'sm.count'?");
    expect_error("base = v100\n[sm]\ncount = many\n", 3, "sm.count = many is not a number");
    expect_error("base = v100\n[sm]\ncount = 1.5\n", 3, "sm.count = 1.5 must be a whole number");
    expect_error("base = v100\n[sm]\ncount = 0\n", 3, "sm.count = 0 is out of range: 1 to 144 SMs");
    expect_error("base = v100\n[l2]\nways = 8\n", 3,
                 "l2.ways = 8: the timing core is built for 16 ways");
    expect_error("base = v100\n[pipe.shared]\ninterval = 2\n", 3,
                 "unknown key 'pipe.shared.interval', did you mean 'pipe.sreg.interval'?");
    expect_error("base = v100\n[sm\n", 2, "'[sm' is not a section");
    expect_error("base = v100\n[sm]\ncount\n", 3, "'name = value' expected, not 'count'");
    expect_error("base = v100\n[sm]\ncount = 80 ; SMs\n", 3,
                 "sm.count: the remark must read '; unit | status | source'");
    expect_error("base = v100\n[sm]\ncount = 80 ; MHz | vendor | x\n", 3,
                 "sm.count is in SMs, not in 'MHz'");
    expect_error("base = v100\n[sm]\ncount = 80 ; SMs | rumour | x\n", 3,
                 "sm.count: status 'rumour' is none of vendor, measured, fitted, derived, guessed");
}

Test(config, values_with_units) {
    struct config *c;
    struct heddle_diag diag = {0};
    const char *sets[] = {"clock.core=1.312GHz",    "link.latency = 23.84 ns", "l2.size=6MiB",
                          "dram.bandwidth=0.9TB/s", "network.clock=500000kHz", "sm.count=4SMs"};
    cr_assert_eq(config_load(&c, "v100", GPUS, sets, 6, &diag), HEDDLE_OK, "%s", diag.text);
    cr_expect_float_eq(c->clock_core_mhz, 1312, 0);
    cr_expect_eq(c->link_latency, 23840);
    cr_expect_eq(c->l2_bytes, 6291456);
    cr_expect_float_eq(c->dram_bandwidth, 900, 0);
    cr_expect_float_eq(c->network_clock_mhz, 500, 0);
    cr_expect_eq(c->sm_count, 4);
    config_free(c);
    expect_error("base = v100\n[clock]\ncore = 500MB\n", 3,
                 "clock.core = 500MB: 'MB' is no unit of it, there are: Hz, kHz, MHz, GHz");
    expect_error("base = v100\n[sm]\ncount = 80x\n", 3,
                 "sm.count = 80x: 'x' is no unit of it, there are: SMs");
    expect_error("base = v100\n[link]\nlatency = 0.0005ns\n", 3,
                 "link.latency = 0.0005ns is out of range: 1 to 1000000000 ps");
}

Test(config, missing_things) {
    struct config *c;
    struct heddle_diag diag = {0};
    char path[64], want[256];
    cr_expect_eq(config_load(&c, "v1000", GPUS, NULL, 0, &diag), HEDDLE_ERR_CONFIG);
    const char *begin = "GPU 'v1000': cannot open " GPUS "/v1000.ini: No such file or directory, "
                        "there are: ";
    cr_expect(!strncmp(diag.text, begin, strlen(begin)), "%s", diag.text);
    cr_expect(strstr(diag.text + strlen(begin), "gv100-ncu"), "%s", diag.text);
    cr_expect_eq(load_text("[sm]\ncount = 80\n", &diag, path), HEDDLE_ERR_CONFIG);
    snprintf(want, sizeof want, "%s: 'gpu.name' is missing (name that programs are told, in text)",
             path);
    cr_expect_str_eq(diag.text, want);
}

Test(config, sets_are_checked) {
    struct config *c;
    struct heddle_diag diag = {0};
    const char *unknown[] = {"sm.cont=3"}, *shapeless[] = {"sm.count"};
    cr_expect_eq(config_load(&c, "v100", GPUS, unknown, 1, &diag), HEDDLE_ERR_CONFIG);
    cr_expect_str_eq(diag.text, "--set: unknown key 'sm.cont', did you mean 'sm.count'?");
    cr_expect_eq(config_load(&c, "v100", GPUS, shapeless, 1, &diag), HEDDLE_ERR_CONFIG);
    cr_expect_str_eq(diag.text, "--set sm.count: KEY=VALUE expected");
}

/* Rules that concern several values together. */
Test(config, values_that_do_not_fit_each_other) {
    static const struct {
        const char *set, *says;
    } cases[] = {
        {"l2.size=6300000", "l2.size (6300000) must be a multiple of l2.slices * l2.ways * l1.line "
                            "(131072)"},
        {"network.reply_width=80", "network.reply_width (80) must be a multiple of l1.sector (32)"},
        {"sm.shared=131073", "sm.shared (131073) is more than sm.unified (131072)"},
        {"sm.warps=30", "sm.warps (30) does not divide among sm.subcores (4)"},
        {"sm.subcores=3", "sm.subcores (3) must be 2 or 4"},
        {"icache.sets=40", "icache.sets (40) must be 32 or 64"},
        {"ccache.sets=5", "ccache.sets (5) must be 4 or 8"},
        {"sm.subcores=8", "sm.subcores = 8 is out of range: 2 to 4 sub-cores"},
        {"sm.scheduler=first", "sm.scheduler = 'first' is none of cggty, gto, lrr"},
        {"sm.carveout=least", "sm.carveout = 'least' is none of auto, max"},
        {"sm.shared_sizes=8/4", "sm.shared_sizes = '8/4' must be none, or at most 15 ascending "
                                "sizes in KiB with slashes between"},
        {"l2.hash=random", "l2.hash = 'random' is none of ipoly, linear"},
        {"pipe.branch.latency=16", "pipe.branch.latency (16) must be at most 15"},
        {"l2.interleave=384", "l2.interleave (384) must be 128, 256 or 512"},
        {"dram.model=banks", "--set: dram.model = 'banks' is none of simple, simple_dram, "
                             "timing_dram, hbm"},
        {"dram.pause=3900", "dram.pause (3900 ns) leaves nothing of dram.pause_interval (3900 ns)"},
        {"dram.refresh=often", "dram.refresh = 'often' is none of per_bank, all_bank, none"},
        {"dram.write_low=16", "dram.write_low (16) must be less than dram.write_high (16), and "
                              "that no more than dram.write_queue (32)"},
        {"dram.preset=ddr9", "memory preset 'ddr9': cannot open " GPUS "/../memory/ddr9.ini: No "
                             "such file or directory, there are: hbm2, hbm2e, hbm3, hbm3e"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct config *c;
        struct heddle_diag diag = {0};
        cr_expect_eq(config_load(&c, "v100", GPUS, &cases[i].set, 1, &diag), HEDDLE_ERR_CONFIG);
        cr_expect(strstr(diag.text, cases[i].says), "%s", diag.text);
    }
}

/* A GPU's file overrides its preset, and --set overrides both. A preset that --set chooses
 * overrides the GPU's file. Without a preset, models that need a device report that it is
 * missing. */
Test(config, memory_presets) {
    static const struct {
        const char *set[2];
        double clock, atom;
    } cases[] = {
        {{"dram.model=hbm", "dram.channels=32"}, 877, 32},
        {{"dram.preset=hbm2", "dram.channels=32"}, 1000, 32},
        {{"dram.preset=hbm3", "hbm.atom=64"}, 1600, 64},
        {{"hbm.clock=500", "dram.preset=hbm2e"}, 500, 32},
    };
    struct config *c;
    struct heddle_diag diag = {0};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_assert_eq(config_load(&c, "v100", GPUS, cases[i].set, 2, &diag), HEDDLE_OK, "%s",
                     diag.text);
        cr_expect_float_eq(c->hbm_clock, cases[i].clock, 0);
        cr_expect_float_eq((double)c->hbm_atom, cases[i].atom, 0);
        config_free(c);
    }
    const char *none[] = {"dram.preset=none", "dram.model=simple"};
    cr_expect_eq(config_load(&c, "v100", GPUS, none, 2, &diag), HEDDLE_OK);
    config_free(c);
    none[1] = "dram.model=hbm";
    cr_expect_eq(config_load(&c, "v100", GPUS, none, 2, &diag), HEDDLE_ERR_CONFIG);
    cr_expect(strstr(diag.text, "'hbm.channels' is missing (of a stack, in channels)"), "%s",
              diag.text);
}

Test(config, every_figure_of_a_memory_has_a_source) {
    static const char *const presets[] = {"dram.preset=hbm2", "dram.preset=hbm2e",
                                          "dram.preset=hbm3", "dram.preset=hbm3e"};
    for (unsigned p = 0; p < 4; p++) {
        struct config *c;
        struct heddle_diag diag = {0};
        cr_assert_eq(config_load(&c, "v100", GPUS, &presets[p], 1, &diag), HEDDLE_OK, "%s",
                     diag.text);
        for (unsigned i = CONFIG_ID_hbm_clock; i <= CONFIG_ID_hbm_refi; i++) {
            cr_expect(strstr(c->origin[i].where, "/memory/"), "%s", config_rows[i].key);
            cr_expect(*c->origin[i].status && *c->origin[i].source, "%s", config_rows[i].key);
        }
        config_free(c);
    }
}

Test(config, base_in_a_circle) {
    char path[64], text[128];
    struct heddle_diag diag = {0};
    struct config *c;
    write_gpu(path, "");
    FILE *f = fopen(path, "w");
    snprintf(text, sizeof text, "base = %s\n", path);
    fputs(text, f);
    fclose(f);
    cr_expect_eq(config_load(&c, path, GPUS, NULL, 0, &diag), HEDDLE_ERR_CONFIG);
    cr_expect(strstr(diag.text, "goes in a circle"), "%s", diag.text);
    unlink(path);
}
