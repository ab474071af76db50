/* test_timeline.c - the events of calls, launches, copies, CTAs and counters, and that the file
 * does not depend on how far GPUs and programs go ahead of each other. */
#include <criterion/criterion.h>
#include <string.h>

#include "timeline/timeline.h"
#include "trace_text.h"

static struct timeline *begin(const char *directory, uint64_t most_bytes, uint32_t nodes) {
    struct timeline *t;
    struct heddle_diag diag = {0};
    const struct timeline_options options = {.directory = directory,
                                             .most_bytes = most_bytes,
                                             .interval_ps = 1000000,
                                             .gpus = 2,
                                             .nodes = nodes,
                                             .core_khz = 1000000};
    cr_assert_eq(timeline_open(&t, &options, &diag), HEDDLE_OK, "%s", diag.text);
    return t;
}

static json_t *end(struct timeline *t, const char *directory) {
    struct heddle_diag diag = {0};
    cr_assert_eq(timeline_write(t, 99000000, "1.0", &diag), HEDDLE_OK, "%s", diag.text);
    timeline_free(t);
    return trace_load(directory);
}

static void add_call(struct timeline *t, uint32_t program, const char *name, uint64_t begin_ps) {
    timeline_add_call(t, &(struct timeline_call){.name = name,
                                                 .result = "cudaSuccess",
                                                 .program_name = "app",
                                                 .program = program,
                                                 .thread = 2,
                                                 .begin_ps = begin_ps,
                                                 .end_ps = begin_ps + 2000000});
}

static void add_kernel(struct timeline *t, uint32_t device, uint64_t launch) {
    timeline_add_kernel(t, &(struct gpu_kernel_record){.name = "void scale<int>(int *)",
                                                       .launch = launch,
                                                       .device = device,
                                                       .stream = 7,
                                                       .grid = {4, 2, 1},
                                                       .block = {32, 1, 1},
                                                       .cycles = 4000,
                                                       .start_ps = launch * 5000000,
                                                       .end_ps = launch * 5000000 + 4000000});
}

static void add_cta(struct timeline *t, uint32_t device, uint64_t number) {
    timeline_add_cta(t, &(struct gpu_cta){.kernel = "void scale<int>(int *)",
                                          .launch = 1,
                                          .number = number,
                                          .device = device,
                                          .sm = 3,
                                          .slot = (uint32_t)number % 2,
                                          .begin_ps = 5000000 + number,
                                          .end_ps = 6000000 + number});
}

static void add_interval(struct timeline *t, uint32_t device, uint64_t number, uint64_t issued) {
    struct gpu_interval i = {.device = device, .number = number};
    i.counted[CORE_COUNTER_ISSUED] = issued;
    i.counted[CORE_COUNTER_CLOCKS] = 12345 + number; /* of the core itself: not shown */
    i.counted[CORE_COUNTER_L2_ACCESSES] = 8 * issued;
    i.counted[CORE_COUNTER_L2_HITS] = 2 * issued;
    i.counted[CORE_COUNTER_DRAM_READS] = issued;
    timeline_add_interval(t, &i);
}

Test(timeline, events) {
    char *directory = trace_directory(), text[500];
    struct timeline *t = begin(directory, 1000000, 0);
    add_call(t, 1, "cudaMalloc", 4000000);
    timeline_add_call(t, &(struct timeline_call){.program_name = "app",
                                                 .program = 1,
                                                 .thread = 1,
                                                 .begin_ps = 0,
                                                 .end_ps = 4000000,
                                                 .local = 2});
    add_kernel(t, 1, 1);
    timeline_add_copy(t, &(struct gpu_copy_record){.kind = GPU_COPY_DEVICE_TO_HOST,
                                                   .device = 0,
                                                   .stream = 7,
                                                   .bytes = 4096,
                                                   .start_ps = 20000000,
                                                   .end_ps = 23000000});
    add_cta(t, 1, 1);
    add_interval(t, 1, 5, 2000);
    add_interval(t, 1, 9, 0);
    add_interval(t, 1, 10, 500);
    cr_expect_not(timeline_left_out(t, text, sizeof text));
    json_t *events = end(t, directory);

    const json_t *e = trace_event(events, "X", "cudaMalloc", 0);
    cr_expect_eq(trace_number(e, "ts"), 4);
    cr_expect_eq(trace_number(e, "dur"), 2);
    cr_expect_str_eq(trace_text(json_object_get(e, "args"), "result"), "cudaSuccess");
    const double program = trace_number(e, "pid");
    e = trace_event(events, "X", "answered in the program", 0);
    cr_expect_eq(trace_argument(e, "calls"), 2);
    cr_expect_eq(trace_number(e, "pid"), program);

    e = trace_event(events, "X", "void scale<int>(int *)", 0);
    const double kernels = trace_number(e, "pid");
    cr_expect_eq(trace_number(e, "ts"), 5);
    cr_expect_eq(trace_number(e, "dur"), 4);
    cr_expect_eq(trace_argument(e, "cycles"), 4000);
    cr_expect_str_eq(trace_text(json_object_get(e, "args"), "grid"), "4x2x1");

    e = trace_event(events, "X", "device to host", 0);
    cr_expect_eq(trace_argument(e, "bytes"), 4096);
    cr_expect_eq(trace_argument(e, "stream"), 7);

    e = trace_event(events, "X", "scale", 0);
    cr_assert(e);
    cr_expect_eq(trace_argument(e, "cta"), 1);
    cr_expect_neq(trace_number(e, "pid"), kernels);

    /* 2,000 in an interval of 1,000 cycles; then nothing from 6 us on; 500 from 10 us on,
     * and nothing from 11 us on */
    static const double ts[] = {5, 6, 10, 11}, ipc[] = {2, 0, 0.5, 0}, hits[] = {25, 0, 25, 0};
    cr_expect_eq(trace_count(events, "C", "IPC"), 4);
    for (unsigned i = 0; i < 4; i++) {
        e = trace_event(events, "C", "IPC", i);
        cr_expect_eq(trace_number(e, "ts"), ts[i]);
        cr_expect_eq(trace_argument(e, "warp instructions per cycle"), ipc[i]);
        cr_expect_eq(trace_argument(trace_event(events, "C", "L2 hits", i), "%"), hits[i]);
    }
    cr_expect_eq(trace_argument(trace_event(events, "C", "DRAM reads", 0), "GB/s"), 64);
    json_decref(events);
    trace_remove(directory);
}

/* The same, in two orders of GPUs and calls. */
static json_t *in_order(bool gpus_first) {
    char *directory = trace_directory();
    struct timeline *t = begin(directory, 1000000, 0);
    for (unsigned turn = 0; turn < 2; turn++) {
        const bool gpu = (turn == 0) == gpus_first;
        for (uint64_t i = 1; i < 20 && !gpu; i++) add_call(t, 1, "cudaLaunchKernel", i * 3000000);
        for (uint32_t device = 0; device < 2 && gpu; device++)
            for (uint64_t i = 1; i < 20; i++) {
                const uint32_t which = gpus_first ? device : 1 - device;
                add_kernel(t, which, i);
                add_cta(t, which, i);
                add_interval(t, which, i, 10 * i);
            }
    }
    json_t *events = end(t, directory);
    trace_remove(directory);
    return events;
}

Test(timeline, order_of_parts) {
    json_t *events[2] = {in_order(true), in_order(false)};
    static const char *const kinds[] = {"X", "C", "i", "M"};
    for (unsigned k = 0; k < 4; k++) {
        const unsigned n = trace_count(events[0], kinds[k], NULL);
        cr_expect_gt(n, 0);
        cr_expect_eq(trace_count(events[1], kinds[k], NULL), n);
        for (unsigned i = 0; i < n; i++)
            cr_expect(json_equal(trace_event(events[0], kinds[k], NULL, i),
                                 trace_event(events[1], kinds[k], NULL, i)));
    }
    json_decref(events[0]);
    json_decref(events[1]);
}

/* CTAs that have no room do not take the room of launches. */
Test(timeline, full) {
    char *directory = trace_directory(), text[500];
    struct timeline *t = begin(directory, 20000, 0);
    for (uint64_t i = 0; i < 1000; i++) add_cta(t, 0, i);
    add_kernel(t, 0, 1);
    cr_expect(timeline_left_out(t, text, sizeof text));
    cr_expect(strstr(text, "(--timeline-limit) and leaves out: 9"), "%s", text);
    cr_expect(strstr(text, " CTAs from 5.000 us on"), "%s", text);
    json_t *events = end(t, directory);
    cr_expect_eq(trace_count(events, "X", "void scale<int>(int *)"), 1);
    cr_expect_gt(trace_count(events, "X", "scale"), 20);
    cr_expect_lt(trace_count(events, "X", "scale"), 100);
    json_decref(events);
    trace_remove(directory);
}

/* What nodes count is told as sums since the beginning. */
Test(timeline, nodes) {
    char *directory = trace_directory();
    struct timeline *t = begin(directory, 1000000, 2);
    uint64_t counted[TIMELINE_NUM_NODE_COUNTERS] = {0};
    counted[TIMELINE_NODE_nic_bytes_sent] = 4000;
    timeline_add_node(t, 1, 3, counted);
    counted[TIMELINE_NODE_nic_bytes_sent] = 5000;
    counted[TIMELINE_NODE_nic_packets] = 6;
    timeline_add_node(t, 1, 4, counted);
    json_t *events = end(t, directory);
    cr_expect_eq(trace_argument(trace_event(events, "C", "NIC sends", 0), "GB/s"), 4);
    cr_expect_eq(trace_argument(trace_event(events, "C", "NIC sends", 1), "GB/s"), 1);
    cr_expect_eq(trace_argument(trace_event(events, "C", "NIC packets", 1), "per us"), 6);
    json_decref(events);
    trace_remove(directory);
}

Test(timeline, no_directory) {
    struct timeline *t;
    struct heddle_diag diag = {0};
    const struct timeline_options options = {.directory = "/nonexistent",
                                             .most_bytes = 1000,
                                             .interval_ps = 1,
                                             .gpus = 1,
                                             .core_khz = 1};
    cr_expect_eq(timeline_open(&t, &options, &diag), HEDDLE_ERR_IO);
    cr_expect_null(t);
}
