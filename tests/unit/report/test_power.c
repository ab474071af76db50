/* test_power.c - host/report/power.h: the energy of a launch, worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "report/power.h"

/* Round coefficients, at 1 GHz; those not named are 0. */
static const char *const round_values[] = {"clock.core=1000",
                                           "network.clock=1000",
                                           "sm.count=80",
                                           "power.clock=1000",
                                           "power.voltage_slope=0",
                                           "power.constant=10",
                                           "power.idle_sm=0.1",
                                           "power.static_first=0.2",
                                           "power.static_lane=0.01",
                                           "power.static_tensor=0.5",
                                           "power.issue=100",
                                           "power.register_read=2",
                                           "power.register_write=3",
                                           "power.int=5",
                                           "power.fp16_add=7",
                                           "power.fp16_mul=3",
                                           "power.fp32_add=10",
                                           "power.fp32_mul=4",
                                           "power.fp64_add=15",
                                           "power.fp64_mul=6",
                                           "power.special=8",
                                           "power.tensor=1",
                                           "power.tensor_fp64=2",
                                           "power.shared=110",
                                           "power.l1_hit=500",
                                           "power.l1_miss=300",
                                           "power.l1_store=400",
                                           "power.network=170",
                                           "power.l2_read=70",
                                           "power.l2_write=200",
                                           "power.dram_read=2000",
                                           "power.dram_write=1000",
                                           "power.link=50"};
enum { ROUND = sizeof round_values / sizeof *round_values };

/* A GPU with these coefficients, and up to two other values. */
static struct config *gpu(const char *a, const char *b) {
    const char *sets[ROUND + 2];
    size_t n = ROUND;
    struct heddle_diag diag = {0};
    struct config *c;
    memcpy(sets, round_values, sizeof round_values);
    if (a) sets[n++] = a;
    if (b) sets[n++] = b;
    cr_assert_eq(config_load(&c, "v100", GPUS, sets, n, &diag), HEDDLE_OK, "%s", diag.text);
    return c;
}

/* A millisecond in which half of the SMs have CTAs, whose warps have 16 active lanes. */
static const struct gpu_kernel_record launch = {
    .cycles = 1000000,
    .launch_cycles = 1000,
    .sm_cycles = 40000000,
    .warp_inst = 1000000,
    .thread_inst = {[MIR_KIND_FP32_ADD] = 8000000,
                    [MIR_KIND_FP32_FMA] = 3000000,
                    [MIR_KIND_SELECT] = 500000,
                    [MIR_KIND_FP16X2_ADD] = 100000,
                    [MIR_KIND_FP16X2_FMA] = 400000,
                    [MIR_KIND_FP64_MUL] = 1000000,
                    [MIR_KIND_INT] = 1000000,
                    [MIR_KIND_MISC] = 500000,
                    [MIR_KIND_SPECIAL] = 500000,
                    [MIR_KIND_MEMORY] = 1000000},
    .register_reads = 20000000,
    .register_writes = 10000000,
    .shared_passes = 10000,
    .l1_accesses = 100000,
    .l1_hits = 40000,
    .access_sectors = {[EXEC_ACCESS_GLOBAL_LOAD] = 100000, [EXEC_ACCESS_GLOBAL_STORE] = 20000},
    .l2_accesses = 80000,
    .dram_read_bytes = 32 * 50000,
    .dram_write_bytes = 32 * 10000,
    .host_read_bytes = 1000,
};

static void expect(const struct power *p, enum power_unit unit, double nj) {
    cr_expect_eq((double)p->unit_nj[unit], nj, "%s: %llu nJ, expected %g",
                 power_unit_rows[unit].name, (unsigned long long)p->unit_nj[unit], nj);
}

Test(power, by_hand) {
    struct config *c = gpu(NULL, NULL);
    struct power p;
    cr_assert(power_of(c, &launch, &p));
    expect(&p, POWER_UNIT_CONSTANT, 10e6);               /* 10 W for 1 ms */
    expect(&p, POWER_UNIT_STATIC, 40 * 0.35e6 + 4e6);    /* 0.2 + 15 * 0.01 W; 40 idle SMs */
    expect(&p, POWER_UNIT_ISSUE, 100e3);                 /* nJ: 1e6 * 100 pJ */
    expect(&p, POWER_UNIT_REGISTERS, 40e3 + 30e3);       /* 20e6 * 2, 10e6 * 3 */
    expect(&p, POWER_UNIT_INT, 7500);                    /* 1.5e6 * 5 */
    expect(&p, POWER_UNIT_FP, 85e3 + 12e3 + 700 + 1200); /* 8.5e6 * 10, 3e6 * 4, 1e5 * 7, 4e5 * 3 */
    expect(&p, POWER_UNIT_FP64, 6000);                   /* 1e6 * 6 */
    expect(&p, POWER_UNIT_SPECIAL, 4000);                /* 0.5e6 * 8 */
    expect(&p, POWER_UNIT_TENSOR, 0);
    expect(&p, POWER_UNIT_SHARED, 1100);          /* 10e3 * 110 */
    expect(&p, POWER_UNIT_L1, 20e3 + 18e3 + 8e3); /* 40e3 * 500, 60e3 * 300, 20e3 * 400 */
    expect(&p, POWER_UNIT_NETWORK, 13600);        /* 80e3 * 170 */
    expect(&p, POWER_UNIT_L2, 4200 + 4000);       /* 60e3 * 70, 20e3 * 200 */
    expect(&p, POWER_UNIT_DRAM, 100e3 + 10e3);    /* 50e3 * 2000, 10e3 * 1000 */
    expect(&p, POWER_UNIT_LINK, 50);              /* 1000 * 50 */
    uint64_t sum = 0;
    for (unsigned u = 0; u < POWER_UNITS; u++) sum += p.unit_nj[u];
    cr_expect_eq(p.energy_nj, sum);
    cr_expect_float_eq(p.seconds, 1e-3, 1e-15);
    cr_expect_float_eq(power_watts(&p), (double)sum * 1e-6, 1e-9);
    cr_expect_float_eq(power_idle_watts(c), 10 + 80 * 0.1, 1e-12);
    config_free(c);
}

Test(power, tensor_units) {
    struct config *c = gpu(NULL, NULL);
    struct gpu_kernel_record k = launch;
    struct power p;
    memset(k.thread_inst, 0, sizeof k.thread_inst);
    k.thread_inst[MIR_KIND_TENSOR_FP16] = 1000000; /* 64 FLOP each */
    k.thread_inst[MIR_KIND_TENSOR_TF32] = 100000;  /* 32, which count two */
    k.thread_inst[MIR_KIND_TENSOR_FP64] = 10000;   /* 16, of 2 pJ */
    k.warp_inst = 1110000;
    k.pipe_cycles[MIR_PIPE_TENSOR] = 16000000; /* of four sub-cores: 4e6 cycles of an SM */
    cr_assert(power_of(c, &k, &p));
    expect(&p, POWER_UNIT_TENSOR, 64000 + 6400 + 320);
    expect(&p, POWER_UNIT_STATIC, 40 * 0.2e6 + 4e6 + 4 * 0.5e6);
    config_free(c);
}

Test(power, voltage_follows_the_clock) {
    struct power p, q;
    struct config *at = gpu(NULL, NULL);
    struct config *low = gpu("power.clock=2000", "power.voltage_slope=0.5");
    struct config *least = gpu("power.clock=2000", "power.voltage_slope=1");
    cr_expect_float_eq(power_voltage(at), 1, 1e-12);
    cr_expect_float_eq(power_voltage(low), 0.75, 1e-12);
    cr_expect_float_eq(power_voltage(least), least->power_voltage_least, 1e-12);
    cr_assert(power_of(at, &launch, &p) && power_of(low, &launch, &q));
    cr_expect_eq(q.unit_nj[POWER_UNIT_CONSTANT], p.unit_nj[POWER_UNIT_CONSTANT]);
    cr_expect_eq(q.unit_nj[POWER_UNIT_DRAM], p.unit_nj[POWER_UNIT_DRAM]);
    expect(&q, POWER_UNIT_STATIC, 0.75 * (double)p.unit_nj[POWER_UNIT_STATIC]);
    expect(&q, POWER_UNIT_ISSUE, 0.5625 * (double)p.unit_nj[POWER_UNIT_ISSUE]);
    config_free(at);
    config_free(low);
    config_free(least);
}

Test(power, twice_the_work) {
    struct config *c = gpu(NULL, NULL);
    struct gpu_kernel_record k = launch;
    struct power p, q;
    cr_assert(power_of(c, &launch, &p));
    k.warp_inst *= 2;
    for (unsigned i = 0; i < MIR_KIND_COUNT; i++) k.thread_inst[i] *= 2;
    k.register_reads *= 2;
    k.register_writes *= 2;
    cr_assert(power_of(c, &k, &q)); /* in the same time */
    cr_expect_eq(q.unit_nj[POWER_UNIT_STATIC], p.unit_nj[POWER_UNIT_STATIC]);
    for (unsigned u = POWER_UNIT_ISSUE; u < POWER_UNIT_SHARED; u++)
        cr_expect_eq(q.unit_nj[u], 2 * p.unit_nj[u], "%s", power_unit_rows[u].name);
    power_add(&p, &q);
    cr_expect_float_eq(p.seconds, 2e-3, 1e-15);
    cr_expect_eq(p.unit_nj[POWER_UNIT_ISSUE], 300000);
    config_free(c);
}

Test(power, more_stores_than_l2_serves) {
    struct config *c = gpu(NULL, NULL);
    struct gpu_kernel_record k = launch;
    struct power p;
    k.access_sectors[EXEC_ACCESS_GLOBAL_STORE] = 500000; /* to the host's memory */
    cr_assert(power_of(c, &k, &p));
    expect(&p, POWER_UNIT_L2, 80000 * 0.2);
    config_free(c);
}

Test(power, unknown) {
    struct config *c = gpu(NULL, NULL), *none = gpu("power.model=none", NULL);
    struct gpu_kernel_record k = launch;
    struct power p = {.energy_nj = 1};
    cr_expect_not(power_of(none, &k, &p));
    cr_expect_eq(p.energy_nj, 0);
    cr_expect_not(power_known(none));
    k.estimated = true;
    cr_expect_not(power_of(c, &k, &p));
    k = launch;
    k.untimed = true;
    cr_expect_not(power_of(c, &k, &p));
    k = launch;
    k.cycles = 0;
    cr_expect_not(power_of(c, &k, &p));
    cr_expect(isnan(power_watts(&p)));
    config_free(c);
    config_free(none);
}
