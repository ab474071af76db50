/* test_copy_engine.c - host/sched/copy_engine.c: the duration of copies, and which of them wait for
 * each other. */
#include <criterion/criterion.h>

#include "sched/copy_engine.h"

/* One byte per nanosecond over the link, ten within the device. */
static const struct copy_config config = {.link_latency_ps = 500,
                                          .link_bytes_per_s = 1000000000,
                                          .link_page = 64,
                                          .dram_bytes_per_s = UINT64_C(10000000000)};

static struct op copy(struct copy_engines *e, gpu_copy_kind kind, uint64_t bytes, uint64_t ready) {
    struct op op = {.kind = OP_COPY, .ready_ps = ready, .copy = {.kind = kind, .bytes = bytes}};
    copy_engines_start(e, &op);
    return op;
}

Test(copy_engine, host_copies_take_the_link_in_whole_pages) {
    struct copy_engines e = {.config = config};
    struct op op = copy(&e, GPU_COPY_HOST_TO_DEVICE, 65, 1000);
    cr_assert(op.start_ps == 1000 && op.end_ps == 1000 + 500 + 128000);
    op = copy(&e, GPU_COPY_DEVICE_TO_HOST, 0, 7);
    cr_assert(op.start_ps == 7 && op.end_ps == 507);
}

Test(copy_engine, device_copies_read_and_write) {
    struct copy_engines e = {.config = config};
    struct op op = copy(&e, GPU_COPY_DEVICE_TO_DEVICE, 1000, 0);
    cr_assert_eq(op.end_ps, 200000);
    op = copy(&e, GPU_MEMSET, 1000, 0); /* the same engine */
    cr_assert(op.start_ps == 200000 && op.end_ps == 300000);
}

Test(copy_engine, a_direction_serves_copies_in_order) {
    struct copy_engines e = {.config = config};
    struct op first = copy(&e, GPU_COPY_HOST_TO_DEVICE, 64, 0);
    struct op second = copy(&e, GPU_COPY_HOST_TO_DEVICE, 64, 10);
    struct op other = copy(&e, GPU_COPY_DEVICE_TO_HOST, 64, 10);
    cr_assert(second.start_ps == first.end_ps && other.start_ps == 10);
    struct op none = copy(&e, GPU_WRITE, 8, 10);
    cr_assert(none.start_ps == 10 && none.end_ps == 10);
}

static void count(void *user) {
    ++*(unsigned *)user;
}

Test(copy_engine, the_end_moves_the_bytes) {
    struct copy_engines e = {.config = config};
    unsigned calls = 0;
    struct op op = copy(&e, GPU_COPY_HOST_TO_DEVICE, 65, 0);
    op.copy.perform = count;
    op.copy.user = &calls;
    cr_assert_eq(e.to_device, 0);
    copy_engines_end(&e, &op);
    cr_assert(calls == 1 && e.to_device == 65 && e.to_host == 0);
}
