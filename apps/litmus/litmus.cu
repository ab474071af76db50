// litmus: small tests that pass only if memory, fences, atomics and barriers work.
//
// Each checks values and termination; some print the cycles that the kernel measured. "litmus" runs
// all tests, "litmus NAME..." those named.
#include <cuda_runtime.h>

#define APP_NAME "litmus"
#include "../common/app.h"

#include "atomics.cuh"
#include "between_ctas.cuh"
#include "library.cuh"
#include "sleep.cuh"
#include "within_cta.cuh"

// A test: its name, a description for --help, and its function.
struct test {
    const char *name;
    const char *what;
    bool (*run)(trial &trial);
};

static const test tests[] = {
    {"message_passing", "plain data, release flag, CTAs that spin", run_message_passing},
    {"last_block", "plain partial sums, fence, counter", run_last_block},
    {"lock_handover", "64 warps, one lock, plain store to unlock", run_lock_handover},
    {"ldcg_spin", "a flag read past L1", run_ldcg_spin},
    {"grid_barrier", "all CTAs meet at a counter", run_grid_barrier},
    {"shared_flags", "volatile flags in shared memory between warps", run_shared_flags},
    {"named_barriers", "producer and consumer warps", run_named_barriers},
    {"red_then_load", "a thread sees its own reductions", run_red_then_load},
    {"float_atomics", "float and double additions, CAS loop", run_float_atomics},
    {"integer_atomics", "every operation, old values", run_integer_atomics},
    {"grid_sync", "a cooperative grid that meets five times", run_grid_sync},
    {"lookback_scan", "a scan in one pass, status and value in one access", run_lookback_scan},
    {"warp_reduction", "volatile shared memory, no barrier inside a warp", run_warp_reduction},
    {"printf_order", "lines of a thread and of a warp in their order", run_printf_order},
    {"device_heap", "malloc in one kernel, free in another", run_device_heap},
    {"sleep", "what clocks say around nanosleep", run_sleep},
    {"backoff", "a lock whose waiters sleep longer and longer", run_backoff},
};

static void print_help() {
    printf("Usage: litmus [-s SPINS] [NAME...]\n"
           "Runs the named tests, or all of them.\n\n"
           "  -s SPINS  tries after which a spinning thread gives up (default 200000)\n"
           "  --help\n\n");
    for (const test &test : tests) printf("  %-16s %s\n", test.name, test.what);
}

static const test *find(const char *name) {
    for (const test &test : tests) {
        if (strcmp(test.name, name) == 0) return &test;
    }
    return nullptr;
}

int main(int argc, char **argv) {
    long limit = 200000;
    const app_option spins = {"-s", "", &limit, 1, 1L << 30};
    std::vector<const test *> chosen;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            print_help();
            return 0;
        }
        if (strcmp(argv[i], "-s") == 0) {
            if (i + 1 < argc && app_read_value(argv[++i], &spins)) continue;
            fprintf(stderr, APP_NAME ": option -s takes a number from 1\n");
            return 2;
        }
        const test *test = find(argv[i]);
        if (!test) {
            fprintf(stderr, APP_NAME ": no test is called '%s' (see --help)\n", argv[i]);
            return 2;
        }
        chosen.push_back(test);
    }
    if (chosen.empty()) {
        for (const test &test : tests) chosen.push_back(&test);
    }

    int failed = 0;
    for (const test *test : chosen) {
        trial trial(test->name, (unsigned)limit);
        if (test->run(trial)) {
            printf(APP_NAME ": %s passed\n", test->name);
        } else {
            failed++;
        }
    }
    if (failed) return app_fail("%d of %zu tests", failed, chosen.size());
    return app_pass("%zu of %zu tests", chosen.size(), chosen.size());
}
