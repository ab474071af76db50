/* test_net_counters.cpp - rtl/l2/net_counters.sv: sums of random inputs, and the hash of services,
 * as docs/timing-model.md defines it. */
#include "Vnet_counters.h"
#include "module_bench.h"

int main() {
    for (uint32_t seed = 1; seed <= 5; seed++) {
        ModuleBench<Vnet_counters> b(seed);
        uint64_t accesses = 0, hits = 0, reads = 0, writes = 0, hash = 0;
        for (int i = 0; i < 5000; i++) {
            b.v.accesses_i = b.bits(4);
            b.v.hits_i = b.bits(4) & b.v.accesses_i;
            b.v.reads_i = b.bits(4);
            b.v.writes_i = b.bits(4);
            b.v.served_i = b.pick(2);
            b.v.served_at_i = (uint32_t)b.bits(32);
            b.v.served_line_i = (uint32_t)b.bits(32);
            b.v.outcome_i = b.bits(23);
            accesses += (unsigned)__builtin_popcount(b.v.accesses_i);
            hits += (unsigned)__builtin_popcount(b.v.hits_i);
            reads += (unsigned)__builtin_popcount(b.v.reads_i);
            writes += (unsigned)__builtin_popcount(b.v.writes_i);
            const uint64_t at = b.v.served_at_i, v = at << 32 | b.v.served_line_i;
            if (b.v.served_i) hash += (v ^ v >> 29) * b.v.outcome_i;
            b.tick();
            if (b.v.accesses_o != accesses || b.v.hits_o != hits || b.v.reads_o != reads ||
                b.v.writes_o != writes || b.v.hash_o != hash)
                b.fail("a counter is wrong");
        }
    }
    printf("net_counters: passed\n");
    return 0;
}
