/* test_counters.cpp - rtl/sm/sm_counters.sv: sums of random inputs, and the hash of issues as
 * docs/timing-model.md defines it. */
#include "Vsm_counters.h"
#include "module_bench.h"

enum { CAUSES = 16, CLEARING = CAUSES + 1 };

static uint64_t mix(uint64_t sm, uint64_t warp, uint64_t at) {
    uint64_t x = (sm << 38 | warp << 32 | at) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

static void expect(ModuleBench<Vsm_counters> &b, unsigned index, uint64_t value) {
    b.v.index_i = index;
    b.tick();
    if (b.v.value_o != value)
        b.fail("counter %u is %llu, not %llu", index, (unsigned long long)b.v.value_o,
               (unsigned long long)value);
}

static void run(uint32_t seed) {
    ModuleBench<Vsm_counters> b(seed);
    uint64_t issued = 0, hash = 0, sectors = 0, hits = 0, misses[2] = {0}, waits[CAUSES] = {0};
    for (int i = 0; i < CLEARING; i++) b.tick();
    for (int i = 0; i < 5000; i++) {
        b.v.issue_i = b.pick(2);
        b.v.issue_sm_i = b.bits(8);
        b.v.issue_warp_i = b.bits(6);
        b.v.issue_time_i = (uint32_t)b.bits(32);
        b.v.gap_i = b.pick(2);
        b.v.gap_cycles_i = (uint32_t)b.bits(32);
        b.v.gap_cause_i = b.bits(4);
        b.v.l1_sectors_i = b.bits(4);
        b.v.l1_hits_i = b.bits(4) & b.v.l1_sectors_i;
        b.v.fetch_miss_i = b.pick(2);
        b.v.constant_miss_i = b.pick(2);
        misses[0] += b.v.fetch_miss_i;
        misses[1] += b.v.constant_miss_i;
        if (b.v.issue_i) {
            issued++;
            hash += mix(b.v.issue_sm_i, b.v.issue_warp_i, b.v.issue_time_i);
        }
        if (b.v.gap_i) waits[b.v.gap_cause_i] += b.v.gap_cycles_i;
        sectors += (unsigned)__builtin_popcount(b.v.l1_sectors_i);
        hits += (unsigned)__builtin_popcount(b.v.l1_hits_i);
        b.tick();
    }
    b.v.issue_i = b.v.gap_i = 0;
    b.v.l1_sectors_i = b.v.l1_hits_i = 0;
    b.v.fetch_miss_i = b.v.constant_miss_i = 0;
    expect(b, 0, issued);
    expect(b, 1, hash);
    expect(b, 2, sectors);
    expect(b, 3, hits);
    expect(b, 4, misses[0]);
    expect(b, 5, misses[1]);
    for (unsigned c = 0; c < CAUSES; c++) expect(b, 16 + c, waits[c]);
    expect(b, 7, 0); /* not a counter */
}

int main() {
    for (uint32_t seed = 1; seed <= 5; seed++) run(seed);
    printf("sm_counters: passed\n");
    return 0;
}
