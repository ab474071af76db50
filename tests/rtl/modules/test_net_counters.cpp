/* test_net_counters.cpp - rtl/l2/net_counters.sv: sums of random inputs, the hash of services, as
 * docs/timing-model.md defines it, and how long pins have lasted. */
#include <deque>

#include "Vnet_counters.h"
#include "module_bench.h"

int main() {
    for (uint32_t seed = 1; seed <= 5; seed++) {
        ModuleBench<Vnet_counters> b(seed);
        uint64_t others = 0, other_hits = 0, pins = 0, refused = 0, ended = 0;
        uint64_t reached = b.bits(34) % 3 ? 0xfffff000 : 0; /* 64 bits of it */
        std::deque<uint64_t> begun;
        uint64_t accesses = 0, hits = 0, reads = 0, writes = 0, hash = 0;
        for (int i = 0; i < 5000; i++) {
            b.v.accesses_i = b.bits(4);
            b.v.hits_i = b.bits(4) & b.v.accesses_i;
            b.v.reads_i = b.bits(4);
            b.v.writes_i = b.bits(4);
            b.v.served_i = b.pick(2);
            if (b.pick(20) == 0) reached += b.pick(50) ? b.pick(3000) : b.pick(1u << 31);
            if (b.v.reached_i != (uint32_t)reached) { /* between windows */
                b.v.reached_i = (uint32_t)reached;
                b.v.accesses_i = b.v.hits_i = b.v.reads_i = b.v.writes_i = 0;
                b.v.served_i = b.v.told_i = b.v.ended_i = 0;
                b.tick();
                continue;
            }
            uint64_t now = reached;
            if (b.v.served_i) now += b.pick(1000);
            b.v.served_at_i = (uint32_t)now;
            b.v.told_i = b.v.served_i && b.pick(2) ? b.bits(4) : 0;
            b.v.ended_i = (uint8_t)(b.pick(4) ? 0 : b.v.served_i ? !begun.empty() : b.pick(17));
            if (b.v.ended_i > begun.size()) b.v.ended_i = (uint8_t)begun.size();
            others += b.v.told_i >> 3 & 1;
            other_hits += b.v.told_i >> 2 & 1;
            pins += b.v.told_i >> 1 & 1;
            refused += b.v.told_i & 1;
            for (unsigned i = 0; i < b.v.ended_i; i++, begun.pop_front())
                ended += now - begun.front();
            if (b.v.told_i >> 1 & 1) begun.push_back(now);
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
            if (b.v.others_o != others || b.v.other_hits_o != other_hits || b.v.pins_o != pins ||
                b.v.refused_o != refused)
                b.fail("a counter of customers is wrong");
        }
        b.v.served_i = b.v.told_i = b.v.ended_i = 0;
        for (unsigned i = 0; i < 3; i++) b.tick();
        for (uint64_t at : begun) ended += reached - at;
        b.expect("cycles of pins", b.v.pinned_o, ended);
    }
    printf("net_counters: passed\n");
    return 0;
}
