/* test_gpu_outside.c - host/sched/gpu_outside.c: which lines are outside a GPU, where local memory
 * lies beside them, and what is refused. GPUS: the folder of the GPUs' files. */
#include <criterion/criterion.h>
#include <string.h>

#include "common/config.h"
#include "sched/gpu_internal.h"

#define GIB (UINT64_C(1) << 30)
#define BASE UINT64_C(0x7e8000000000)
enum { PIECE = 1 << GROUP_PIECE_BITS };

/* One of some devices of so many GiB each, with host memory behind them and as many addresses for
 * mappings. */
struct rig {
    struct gpu gpu;
    struct exec_memory memory;
    struct config *config;
    struct heddle_diag diag;
};

static heddle_err set_up(struct rig *r, uint32_t devices, uint64_t gib, uint32_t device,
                         uint64_t host_gib, const char *set) {
    memset(r, 0, sizeof *r);
    cr_assert_eq(config_load(&r->config, "v100", GPUS, set ? &set : NULL, set != NULL, &r->diag),
                 HEDDLE_OK, "%s", r->diag.text);
    r->memory.base = BASE;
    r->memory.devices = devices;
    r->memory.stride = devices > 1 ? gib * GIB : 0;
    r->gpu.options = (struct gpu_options){
        .config = r->config,
        .memory = &r->memory,
        .device = device,
        .host = {BASE + (devices + 1) * gib * GIB, host_gib * GIB}};
    r->gpu.timing.khz = 1380000;
    r->gpu.timing.lookahead = 128;
    r->gpu.scheduling.dispatch.half_lookahead = 64;
    return gpu_set_up_outside(&r->gpu, &r->diag);
}

static bool outside(const struct rig *r, uint64_t gib) {
    return group_is_outside(r->gpu.timing.outside, (uint32_t)(gib * PIECE));
}

Test(gpu_outside, one_device) {
    struct rig r;
    cr_assert_eq(set_up(&r, 1, 16, 0, 16, NULL), HEDDLE_OK);
    for (unsigned i = 0; i < GROUP_PIECES; i++)
        cr_assert_eq(outside(&r, i), i >= 32 && i < 48, "%u GiB", i);
    cr_assert_eq(r.gpu.timing.local_line, GROUP_LOCAL_LINES);
    cr_assert_eq(r.gpu.timing.local_end, TIMING_CODE_BASE);
    cr_assert(r.gpu.scheduling.outside.host_first == 32 * PIECE &&
              r.gpu.scheduling.outside.host_end == 48 * PIECE);
    config_free(r.config);
}

Test(gpu_outside, the_second_of_three) {
    struct rig r;
    cr_assert_eq(set_up(&r, 3, 16, 1, 8, NULL), HEDDLE_OK);
    for (unsigned i = 0; i < GROUP_PIECES; i++)
        cr_assert_eq(outside(&r, i), i < 16 || (i >= 32 && i < 48) || (i >= 64 && i < 72), "%u", i);
    config_free(r.config);
}

Test(gpu_outside, no_host_memory) {
    struct rig r;
    cr_assert_eq(set_up(&r, 1, 16, 0, 0, NULL), HEDDLE_OK);
    for (unsigned i = 0; i < GROUP_PIECES; i++) cr_assert_not(outside(&r, i));
    config_free(r.config);
}

/* Local memory keeps its lines while a few pieces there are free, and moves otherwise. */
Test(gpu_outside, local_memory_is_never_outside) {
    struct rig r;
    cr_assert_eq(set_up(&r, 1, 141, 0, 16, NULL), HEDDLE_OK); /* host from 282 on */
    cr_assert_eq(r.gpu.timing.local_line, GROUP_LOCAL_LINES);
    cr_assert_eq(r.gpu.timing.local_end, 282u * PIECE);
    config_free(r.config);
    cr_assert_eq(set_up(&r, 2, 80, 0, 32, NULL), HEDDLE_OK); /* host from 240 on */
    cr_assert_eq(r.gpu.timing.local_line, 272u * PIECE);
    cr_assert_eq(r.gpu.timing.local_end, TIMING_CODE_BASE);
    config_free(r.config);
}

Test(gpu_outside, more_than_the_core_can_tell_apart) {
    struct rig r;
    cr_assert_eq(set_up(&r, 8, 80, 0, 16, NULL), HEDDLE_ERR_CONFIG);
    cr_assert_str_eq(r.diag.text,
                     "devices and host have addresses for 736 GiB of memory, and the timing core "
                     "can tell 511 GiB apart: give each device less, such as --set "
                     "dram.size=54760833024");
    config_free(r.config);
}

Test(gpu_outside, peers_have_a_link_of_their_own_or_the_hosts) {
    struct rig r;
    cr_assert_eq(set_up(&r, 2, 16, 0, 16, NULL), HEDDLE_OK);
    const struct outside_memory *m = r.gpu.scheduling.outside.of;
    cr_assert_eq(r.gpu.scheduling.peer_link.bytes_per_s, 0);
    cr_assert_eq(m[OUTSIDE_PEER].latency_ps, 2 * m[OUTSIDE_HOST].latency_ps);
    config_free(r.config);
    cr_assert_eq(set_up(&r, 2, 16, 0, 16, "peer.bandwidth=25"), HEDDLE_OK);
    cr_assert_eq(r.gpu.scheduling.peer_link.bytes_per_s, UINT64_C(25000000000));
    cr_assert_eq(m[OUTSIDE_PEER].latency_ps, r.config->peer_latency * 1000);
    config_free(r.config);
}
