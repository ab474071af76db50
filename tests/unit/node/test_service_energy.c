/* test_service_energy.c - the energy of service threads, and the time of work on the CPU, by
 * hand. */
#include <criterion/criterion.h>

#include "node/node_work.h"
#include "node/service_energy.h"

static double sum_of(const struct service_energy *e) {
    double sum = 0;
#define ENERGY(member, meaning) sum += e->member;
#include "tables/service_energy.def"
    return sum;
}

Test(service_energy, by_hand) {
    const struct node_config c = {.energy_cp_leakage = 0.5,
                                  .energy_cp_active = 0.25,
                                  .energy_cp_instruction = 2,
                                  .energy_cpu_leakage = 3,
                                  .energy_cpu_active = 1,
                                  .energy_cpu_instruction = 4,
                                  .energy_l2 = 7,
                                  .energy_last_level = 11,
                                  .energy_tlp = 100};
    const struct command_processor_counters n = {.awake_ps = 1000000, /* 1 us */
                                                 .instructions = 10,
                                                 .loads = 5,
                                                 .stores = 3,
                                                 .completions = 2};
    const struct service_energy cp = service_energy_of(&c, DESIGN_COMPNET, &n);
    cr_expect_float_eq(cp.leakage, 500, 1e-9);
    cr_expect_float_eq(cp.active, 250, 1e-9);
    cr_expect_float_eq(cp.instructions, 20, 1e-9);
    cr_expect_float_eq(cp.caches, 8 * 7, 1e-9);
    cr_expect_float_eq(cp.link, 0, 1e-9);
    cr_expect_float_eq(sum_of(&cp), 500 + 250 + 20 + 56, 1e-9);
    const struct service_energy apu = service_energy_of(&c, DESIGN_APU, &n);
    cr_expect_float_eq(sum_of(&apu), 3000 + 1000 + 40 + 8 * (7 + 11) + 2 * 11, 1e-9);
    const struct service_energy dgpu = service_energy_of(&c, DESIGN_DGPU, &n);
    cr_expect_float_eq(dgpu.link, (2 * 5 + 3) * 100, 1e-9);
    cr_expect_float_eq(sum_of(&dgpu), 3000 + 1000 + 40 + 8 * 7 + 2 * 11 + 1300, 1e-9);
}

/* The work of a CPU: the larger of operations and bytes, behind the beginning of a region. */
Test(node_work, roofline) {
    const struct node_config c = {.cpu_cores = 4,
                                  .cpu_clock = 2000,
                                  .cpu_flops = 2, /* 16 operations a ns */
                                  .cpu_fork = 100,
                                  .cpu_memory_rate = 8,
                                  .cpu_cache_size = 1000,
                                  .cpu_cache_rate = 80};
    cr_expect_eq(node_work_ps(&c, 0, 0, 0), 100000);
    cr_expect_eq(node_work_ps(&c, 16000, 80, 2000), 1100000);
    cr_expect_eq(node_work_ps(&c, 16, 8000, 1001), 1100000);
    cr_expect_eq(node_work_ps(&c, 16, 8000, 1000), 200000);
    cr_expect_eq(node_work_ps(&c, UINT64_MAX, 0, 0), NODE_WORK_NEVER);
}
