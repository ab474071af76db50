/* dram_speed.c - memory models: violations of DRAM rules in ten million requests, requests per
 * second of wall time, and latency of reads under load.
 *
 *   dram_speed DIRECTORY_OF_GPUS [REQUESTS]
 *
 * Half of the requests are reads of one sector at random addresses; the other half are three
 * streams of lines, one of them written. Timed runs are separate, without the checker. `gpus` is
 * DIRECTORY_OF_GPUS. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "unit/models/dram_rig.h"

static const char *const presets[] = {"hbm2", "hbm2e", "hbm3", "hbm3e"};

/* Wall time in seconds. */
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Creates a rig with a memory model and preset; exits after an error. */
static void create(struct dram_rig *rig, const char *gpus, const char *model, const char *preset,
                   bool watched) {
    char set[64];
    const char *sets[] = {set, "dram.channels=32"};
    struct heddle_diag diag = {0};
    snprintf(set, sizeof set, "dram.preset=%s", preset);
    if (dram_rig_create(rig, gpus, model, sets, 2, watched, &diag)) {
        fprintf(stderr, "%s\n", diag.text);
        exit(EXIT_FAILURE);
    }
}

/* Checks and times every model and preset, and prints a table. @return the number of violations. */
static uint64_t run_checked(const char *gpus, uint64_t requests) {
    uint64_t violations = 0;
    printf("%-12s %-6s %10s %12s %10s  %14s %14s\n", "model", "memory", "requests", "commands",
           "violations", "random req/s", "stream req/s");
    for (unsigned p = 0; p < 8; p++) {
        const char *model = p < 4 ? "timing_dram" : "hbm", *preset = presets[p % 4];
        struct dram_rig rig;
        double rate[2];
        create(&rig, gpus, model, preset, true);
        dram_rig_run(&rig, STREAM_RANDOM, requests / 2, 0);
        dram_rig_run(&rig, STREAM_LINEAR, requests / 2, 0);
        uint64_t commands = rig.watch.commands, broken = rig.watch.violations;
        broken += dram_check_end(rig.watch.check, rig.watch.last_at) != 0;
        violations += broken;
        dram_rig_free(&rig);
        for (int s = 0; s < 2; s++) {
            uint64_t n = requests / 10 + 1;
            create(&rig, gpus, model, preset, false);
            double begin = seconds();
            dram_rig_run(&rig, s ? STREAM_LINEAR : STREAM_RANDOM, n, 0);
            rate[s] = (double)n / (seconds() - begin);
            dram_rig_free(&rig);
        }
        printf("%-12s %-6s %10llu %12llu %10llu  %14.0f %14.0f\n", model, preset,
               (unsigned long long)requests, (unsigned long long)commands,
               (unsigned long long)broken, rate[0], rate[1]);
        fflush(stdout);
    }
    return violations;
}

static double peak(const struct dram_spec *s) { /* bytes/s */
    return (double)s->channels * s->pcs * s->atom * (double)s->khz * 1000 / s->bl;
}

/* Mean latency (ns) of reads when requests of `bytes` bytes arrive at a share of the peak
 * bandwidth. */
static double latency_at(const char *gpus, const char *preset, enum dram_stream stream,
                         double bytes, double share) {
    struct dram_rig rig;
    create(&rig, gpus, "hbm", preset, false);
    rig.outstanding = UINT64_MAX;
    uint64_t n = 200000, chunk = 64; /* arriving at once, as from 64 slices */
    double gap = bytes * 1e12 / (peak(&rig.spec) * share) * (double)chunk, at = 0;
    for (uint64_t i = 0; i < n / chunk; i++) {
        at += gap;
        rig.ops->advance(rig.hbm, (uint64_t)at);
        rig.now_ps = (uint64_t)at;
        dram_rig_submit(&rig, stream, chunk);
    }
    dram_rig_run(&rig, stream, 0, 0);
    double latency = (double)rig.total_latency_ps / (double)rig.reads_done / 1000;
    dram_rig_free(&rig);
    return latency;
}

/* Prints tables of latency under load. */
static void print_load(const char *gpus) {
    static const double shares[] = {0.05, 0.25, 0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95};
    static const struct {
        const char *name;
        enum dram_stream stream;
        double bytes;
    } kinds[] = {{"128-byte reads in a row", STREAM_READS, 128},
                 {"two streams read, one written", STREAM_LINEAR, 128}};
    for (unsigned k = 0; k < 2; k++) {
        printf("\nmean latency of reads in ns (155 unloaded), model hbm, %s, at a share of the "
               "peak\n%-8s",
               kinds[k].name, "memory");
        for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++)
            printf(" %6.0f%%", 100 * shares[i]);
        for (unsigned p = 0; p < 4; p++) {
            printf("\n%-8s", presets[p]);
            for (unsigned i = 0; i < sizeof shares / sizeof *shares; i++)
                printf(" %7.1f",
                       latency_at(gpus, presets[p], kinds[k].stream, kinds[k].bytes, shares[i]));
        }
        printf("\n");
    }
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: dram_speed DIRECTORY_OF_GPUS [REQUESTS]\n");
        return EXIT_FAILURE;
    }
    uint64_t violations = run_checked(argv[1], argc > 2 ? strtoull(argv[2], NULL, 10) : 10000000);
    print_load(argv[1]);
    return violations ? EXIT_FAILURE : EXIT_SUCCESS;
}
