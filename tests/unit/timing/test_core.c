/* test_core.c - timing/core.c and core_run.c on the emulation: rings, runs and errors of one core
 * instance. The stand-in for the SM engine (tests/rtl/top/standin) answers a Launch, when its time
 * comes, with `warps` events whose addr counts up; a Launch with cta 31 parks until a Packets
 * command has come. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "timing/core.h"
#include "timing/xrt.h"

enum { PARKS = 31 };

/* Creates a core with rings of these numbers of beats, in host memory or on the card. */
static struct core *make_core(unsigned device, uint32_t commands, uint32_t events, bool on_card) {
    struct core_options options = {.library = EMULATION,
                                   .sub_cores = 4,
                                   .device = device,
                                   .command_beats = commands,
                                   .event_beats = events,
                                   .rings = on_card ? CORE_RINGS_ON_CARD : CORE_RINGS_IN_HOST};
    struct core *core;
    struct heddle_diag diag;
    cr_assert_eq(core_create(&core, &options, &diag), HEDDLE_OK, "%s", diag.text);
    return core;
}

/* Gives a Launch to the stand-in: `events` events from time `at` on. */
static void launch(struct core *core, uint32_t at, unsigned events, unsigned warp, unsigned cta) {
    uint64_t *beat = core_command(core, 1);
    memset(beat, 0, 64);
    core_command_set_kind(beat, CORE_CMD_LAUNCH);
    core_command_set_warp(beat, warp);
    core_command_set_cta(beat, cta);
    core_command_set_warps(beat, events);
    core_command_set_at(beat, at);
}

static struct core_status run(struct core *core, uint32_t until) {
    struct core_status status;
    cr_assert_eq(core_run(core, until, &status), HEDDLE_OK, "%s", core_error(core));
    return status;
}

/* Checks that the events of the last run count up from *next. @return their number */
static size_t check_events(struct core *core, uint32_t *next) {
    size_t count;
    const uint64_t *ev = core_events(core, &count);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(core_event_kind(ev + 2 * i), CORE_EV_PERFORM);
        cr_assert_eq(core_event_addr(ev + 2 * i), (*next)++);
        if (i) cr_assert_leq(core_event_at(ev + 2 * i - 2), core_event_at(ev + 2 * i));
    }
    return count;
}

static void use_memory(const char *latency, const char *stall) {
    struct xrt xrt;
    cr_assert_eq(xrt_load(&xrt, EMULATION, NULL), HEDDLE_OK);
    xrt.xrtIniStringSet("heddle.latency", latency);
    xrt.xrtIniStringSet("heddle.stall", stall);
    /* the library stays loaded: the setting belongs to it */
}

Test(core, identity) {
    struct core *core = make_core(0, 0, 0, false);
    const struct core_info *info = core_info(core);
    cr_assert_eq(info->version, CORE_VERSION);
    cr_assert_eq(info->build_id, CORE_BUILD_ID);
    cr_assert_geq(info->max_sms, 80);
    cr_assert_eq(info->sub_cores, 4);
    cr_assert_geq(info->max_slices, 64);
    core_free(core);
    core_free(NULL);
}

Test(core, nothing_to_do) {
    struct core *core = make_core(0, 0, 0, false);
    struct core_status status = run(core, 1000);
    cr_assert_eq(status.stop, CORE_STOP_REACHED);
    cr_assert_eq(status.reached, 1000);
    cr_assert_eq(status.next, CORE_NEVER);
    core_free(core);
}

/* Each launch begins after the previous one; runs stop between them and wake at the right time. */
Test(core, stops_where_it_is_told) {
    struct core *core = make_core(0, 0, 0, false);
    uint32_t next = 0;
    launch(core, 100, 3, 0, 0);
    launch(core, 500, 1, 0, 0);
    struct core_status status = run(core, 100);
    cr_assert_eq(check_events(core, &next), 0);
    cr_assert_eq(status.next, 100);
    status = run(core, 101);
    cr_assert_eq(check_events(core, &next), 3);
    cr_assert_eq(status.reached, 101);
    cr_assert_eq(status.next, 500);
    run(core, 500);
    cr_assert_eq(check_events(core, &next), 0);
    status = run(core, 501);
    cr_assert_eq(check_events(core, &next), 1);
    cr_assert_eq(status.next, CORE_NEVER);
    core_free(core);
}

Test(core, parks_and_goes_on) {
    struct core *core = make_core(0, 0, 0, false);
    uint32_t next = 0;
    launch(core, 10, 5, 1, PARKS);
    struct core_status status = run(core, 1000);
    cr_assert_eq(status.stop, CORE_STOP_PARKED);
    cr_assert(status.parked);
    cr_assert_eq(status.reached, 10);
    status = run(core, 1000); /* nothing was delivered */
    cr_assert(status.parked);
    uint64_t *beat = core_command(core, 1);
    memset(beat, 0, 64);
    core_command_set_kind(beat, CORE_CMD_PACKETS);
    status = run(core, 1000);
    cr_assert_not(status.parked);
    cr_assert_eq(status.reached, 1000);
    cr_assert_eq(check_events(core, &next), 5);
    core_free(core);
}

/* Both rings wrap many times, with batches of all sizes; a batch larger than the command ring is
 * delivered in pieces, a run with more events than the event ring holds continues by itself. */
static void wrap_around(bool on_card) {
    struct core *core = make_core(0, 64, 64, on_card);
    uint32_t next = 0, at = 0;
    uint64_t sent = 0, seen = 0;
    srand(1);
    for (int batch = 0; batch < 400; batch++) {
        int commands = rand() % (batch % 16 == 0 ? 200 : 12);
        for (int i = 0; i < commands; i++) {
            unsigned events = (unsigned)rand() % (batch % 7 == 0 ? 60 : 4);
            at += 1 + (uint32_t)rand() % 50;
            launch(core, at, events, 0, 0);
            sent += events;
        }
        struct core_status status = run(core, at + 1);
        cr_assert_eq(status.reached, at + 1);
        seen += check_events(core, &next);
        cr_assert_eq(seen, sent);
    }
    core_free(core);
}

Test(core, rings_wrap_around) {
    wrap_around(false);
}
Test(core, rings_in_the_memory_of_the_card) {
    wrap_around(true);
}

Test(core, slow_memory) {
    use_memory("57", "0");
    wrap_around(false);
}

/* The same with two runs under way: the host looks at the events of a run when it has started the
 * next. A run that stops for a full ring goes on in that one, with its commands. */
static void two_at_once(bool on_card) {
    struct core *core = make_core(0, 64, 64, on_card);
    struct core_status status;
    uint32_t next = 0, at = 0;
    uint64_t sent = 0, seen = 0;
    unsigned full = 0;
    srand(2);
    for (int batch = 0; batch < 600; batch++) {
        const int commands = rand() % (batch % 16 == 0 ? 100 : 12);
        for (int i = 0; i < commands; i++) {
            const unsigned events = (unsigned)rand() % (batch % 7 == 0 ? 60 : 4);
            at += 1 + (uint32_t)rand() % 50;
            launch(core, at, events, 0, 0);
            sent += events;
        }
        cr_assert_eq(core_start(core, at + 1), HEDDLE_OK, "%s", core_error(core));
        cr_assert_not(core_has_commands(core));
        if (core_under_way(core) < CORE_FLIGHTS && rand() % 4) continue;
        cr_assert_eq(core_finish(core, &status), HEDDLE_OK, "%s", core_error(core));
        full += status.stop == CORE_STOP_EVENTS_FULL;
        seen += check_events(core, &next);
    }
    while (core_under_way(core)) {
        cr_assert_eq(core_finish(core, &status), HEDDLE_OK, "%s", core_error(core));
        seen += check_events(core, &next);
    }
    cr_assert_eq(status.reached, at + 1);
    cr_assert_eq(seen, sent);
    cr_assert_gt(full, 5);
    core_free(core);
}

Test(core, two_runs_under_way) {
    two_at_once(false);
}
Test(core, two_runs_under_way_with_rings_on_the_card) {
    use_memory("9", "77");
    two_at_once(true);
}

/* A third run at a time is an error. */
Test(core, no_more_than_two_runs) {
    struct core *core = make_core(0, 0, 0, false);
    cr_assert_eq(core_start(core, 10), HEDDLE_OK);
    cr_assert_eq(core_start(core, 20), HEDDLE_OK);
    cr_assert_eq(core_under_way(core), 2);
    cr_assert_eq(core_start(core, 30), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(core_error(core), "more than 2 runs at once");
    core_free(core);
}

/* The round trip of a card: hidden as long as runs take longer. */
Test(core, waits_of_a_card) {
    struct core_options options = {.library = EMULATION, .sub_cores = 4, .round_trip = 1000};
    struct core *core;
    struct core_status status;
    struct heddle_diag diag;
    cr_assert_eq(core_create(&core, &options, &diag), HEDDLE_OK, "%s", diag.text);
    for (uint32_t i = 1; i <= 10; i++) run(core, i);
    cr_assert_eq(core_waits(core), 10000); /* one run at a time: all of it */
    cr_assert_eq(core_start(core, 20), HEDDLE_OK);
    cr_assert_eq(core_start(core, 21), HEDDLE_OK);
    cr_assert_eq(core_finish(core, &status), HEDDLE_OK);
    cr_assert_eq(core_finish(core, &status), HEDDLE_OK);
    cr_assert_eq(core_waits(core), 11000); /* the second was there when the first ended */
    core_free(core);
}

Test(core, memory_that_waits_at_random) {
    use_memory("9", "12345");
    wrap_around(true);
}

/* The beats of a command are contiguous, at the end of the ring too. */
Test(core, long_commands) {
    struct core *core = make_core(0, 64, 64, false);
    for (int i = 0; i < 50; i++) {
        uint64_t *beat = core_command(core, 20);
        memset(beat, 0, 20 * 64);
        run(core, (uint32_t)i);
    }
    uint64_t *nowhere = core_command(core, 33); /* more than half a ring */
    memset(nowhere, 0, 32 * 64);
    struct core_status status;
    cr_assert_eq(core_run(core, 1000, &status), HEDDLE_ERR_ARGUMENT);
    core_free(core);
}

Test(core, short_runs_are_cheap) {
    struct core *core = make_core(0, 0, 0, false);
    const unsigned runs = 2000;
    uint64_t before = core_counter(core, CORE_COUNTER_CLOCKS);
    for (unsigned i = 1; i <= runs; i++) {
        launch(core, i * 100, 1, 0, 0);
        run(core, i * 100 + 50);
    }
    uint64_t clocks = core_counter(core, CORE_COUNTER_CLOCKS) - before;
    cr_log_info("%.1f clocks per run with one command, one window and one event",
                (double)clocks / runs);
    cr_assert_lt(clocks / runs, 50);
    cr_assert_eq(core_counter(core, CORE_COUNTER_RUNS), runs);
    cr_assert_eq(core_counter(core, CORE_COUNTER_WINDOWS), runs);
    core_free(core);
}

Test(core, two_devices) {
    struct core *a = make_core(0, 0, 0, false), *b = make_core(15, 0, 0, false);
    uint32_t next_a = 0, next_b = 0;
    launch(a, 5, 2, 0, 0);
    launch(b, 7, 3, 0, 0);
    run(a, 100);
    run(b, 100);
    cr_assert_eq(check_events(a, &next_a), 2);
    cr_assert_eq(check_events(b, &next_b), 3);
    core_free(b); /* the younger one first */
    core_free(a);
}

Test(core, unknown_command) {
    struct core *core = make_core(0, 0, 0, false);
    struct core_status status;
    uint64_t *beat = core_command(core, 1);
    memset(beat, 0, 64);
    core_command_set_kind(beat, 15);
    cr_assert_eq(core_run(core, 10, &status), HEDDLE_ERR_PROTOCOL);
    cr_assert_str_eq(core_error(core),
                     "the timing core stopped at cycle 0: a command of unknown kind");
    cr_assert_eq(core_run(core, 10, &status), HEDDLE_ERR_PROTOCOL);
    core_free(core);
}

/* With 16 bits of time nothing may lie 8,192 cycles (an eighth of the range) ahead. */
Test(core, width_of_time) {
    struct core *core = make_core(0, 0, 0, false);
    struct core_status status;
    size_t count;
    cr_assert_eq(core_info(core)->time_bits, 16);
    cr_assert_eq(core_set_class(core, 0, 1, 1, 8191, 0), HEDDLE_OK);
    cr_assert_eq(core_set_class(core, 0, 1, 1, 8192, 0), HEDDLE_ERR_CONFIG);
    cr_assert(strstr(core_error(core), "latency 8192: this timing core keeps 16 bits of a time, "
                                       "and nothing may lie 8192 cycles ahead"),
              "%s", core_error(core));
    /* unless the core has nothing else to do, before and after its first run */
    launch(core, 100000, 2, 0, 0);
    launch(core, 99900, 2, 1, 1);
    run(core, 100001);
    core_events(core, &count);
    cr_assert_eq(count, 4);
    launch(core, 3000000, 1, 0, 0);
    run(core, 2990000);
    launch(core, 3000000 - 4096, 1, 1, 1);
    run(core, 3000001);
    core_events(core, &count);
    cr_assert_eq(count, 2);
    launch(core, 3100000, 1, 0, 0);
    launch(core, 3000001 + 200000, 1, 1, 1);
    cr_assert_eq(core_run(core, 3100001, &status), HEDDLE_ERR_PROTOCOL);
    cr_assert(strstr(core_error(core), "a Launch for a time that is past, or too far ahead"), "%s",
              core_error(core));
    core_free(core);
}

Test(core, launch_for_the_past) {
    struct core *core = make_core(0, 0, 0, false);
    struct core_status status;
    run(core, 1000);
    launch(core, 999, 1, 0, 0);
    cr_assert_eq(core_run(core, 2000, &status), HEDDLE_ERR_PROTOCOL);
    cr_assert_str_eq(core_error(core), "the timing core stopped at cycle 1000: a Launch for a time "
                                       "that is past, or too far ahead");
    core_free(core);
}

Test(core, unreadable_counter) {
    struct core *core = make_core(0, 0, 0, false);
    struct core_status status;
    cr_assert_eq(core_counter(core, CORE_COUNTER_RUNS), 0);
    cr_assert_eq(core_failed(core), HEDDLE_OK);
    cr_assert_eq(core_counter(core, (enum core_counter)0x10000), 0);
    cr_assert_eq(core_failed(core), HEDDLE_ERR_BACKEND);
    cr_assert(strstr(core_error(core), "xrtKernelReadRegister of a counter failed"), "%s",
              core_error(core));
    cr_assert_eq(core_run(core, 10, &status), HEDDLE_ERR_BACKEND);
    core_free(core);
}

Test(core, refused_parameters) {
    struct core *core = make_core(0, 0, 0, false);
    cr_assert_eq(core_set_param(core, CORE_PARAM_NUM_SM, 4000), HEDDLE_ERR_CONFIG);
    cr_assert_eq(core_set_param(core, CORE_NUM_PARAMS, 1), HEDDLE_ERR_ARGUMENT);
    cr_assert_eq(core_set_class(core, 0, 16, 1, 1, 0), HEDDLE_ERR_CONFIG);
    cr_assert_eq(core_set_param(core, CORE_PARAM_NUM_SM, 80), HEDDLE_OK);
    run(core, 1);
    core_free(core);
}

Test(core, errors_have_names) {
    struct core *core, *other;
    struct heddle_diag diag;
    struct core_options options = {.library = "/nonexistent/libx.so"};
    cr_assert_eq(core_create(&core, &options, &diag), HEDDLE_ERR_BACKEND);
    cr_assert(strstr(diag.text, "could not be loaded: /nonexistent/libx.so"), "%s", diag.text);
    cr_assert_null(core);

    options.library = "libdl.so.2";
    cr_assert_eq(core_create(&core, &options, &diag), HEDDLE_ERR_BACKEND);
    cr_assert(strstr(diag.text, "libdl.so.2 has no function xrtDeviceOpen"), "%s", diag.text);

    options.library = EMULATION;
    options.device = 64;
    cr_assert_eq(core_create(&core, &options, &diag), HEDDLE_ERR_BACKEND);
    cr_assert(strstr(diag.text, "no device 64"), "%s", diag.text);

    options.device = 0;
    options.sub_cores = 2;
    cr_assert_eq(core_create(&core, &options, &diag), HEDDLE_ERR_CONFIG);
    cr_assert(strstr(diag.text, "the GPU's SMs have 2 sub-cores (sm.subcores), those of the timing "
                                "core in " EMULATION " have 4"),
              "%s", diag.text);
    options.sub_cores = 3;
    options.library = NULL;
    cr_assert_eq(core_create(&core, &options, &diag), HEDDLE_ERR_ARGUMENT);
    cr_assert_str_eq(diag.text, "there is no emulation of SMs with 3 sub-cores");

    options.library = EMULATION;
    options.sub_cores = 4;
    options.command_beats = 100;
    cr_assert_eq(core_create(&core, &options, &diag), HEDDLE_ERR_ARGUMENT);

    core = make_core(0, 0, 0, false);
    options.command_beats = 0;
    cr_assert_eq(core_create(&other, &options, &diag), HEDDLE_ERR_BACKEND);
    cr_assert(strstr(diag.text, "no device 0"), "%s", diag.text);
    core_free(core);

    setenv("XCL_EMULATION_MODE", "sw_emu", 1);
    cr_assert_eq(core_create(&core, &options, &diag), HEDDLE_ERR_BACKEND);
    cr_assert(strstr(diag.text, "XCL_EMULATION_MODE is set (sw_emu)"), "%s", diag.text);
}
