/* test_net_pool.cpp - rtl/l2/net_pool.sv: no node is given out twice at a time, each is given out,
 * and the pool is empty when all but those it shows are. */
#include <set>
#include <vector>

#include "Vnet_pool.h"
#include "module_bench.h"

enum { NODES = 256 };

using Bench = ModuleBench<Vnet_pool>;

static void run(uint32_t seed, unsigned take, unsigned give) {
    Bench b(seed);
    std::set<unsigned> out, ever;
    bool spare_taken = false, was_empty = false;
    for (int i = 0; i < 20000; i++) {
        auto gets = [&](unsigned node) {
            if (!out.insert(node).second) b.fail("node %u twice", node);
            ever.insert(node);
        };
        b.v.take_i = b.v.ok_o && b.chance(take);
        if (b.v.take_i) gets(b.v.node_o);
        b.v.spare_take_i = spare_taken; /* a clock late */
        spare_taken = b.v.spare_ok_o && !spare_taken && b.chance(take);
        if (spare_taken) gets(b.v.spare_node_o);
        b.v.free_i = 0;
        if (!out.empty() && b.chance(give) && out.size() > 1) {
            auto it = out.begin();
            std::advance(it, b.pick((uint32_t)out.size()));
            if (!(b.v.take_i && *it == b.v.node_o)) {
                b.v.free_i = 1;
                b.v.free_node_i = *it;
                out.erase(it);
            }
        }
        b.tick();
        if (b.v.empty_o) was_empty = true;
        if (b.v.empty_o && out.size() + 2 < NODES) b.fail("empty with %zu nodes out", out.size());
    }
    if (take > give && (!was_empty || ever.size() != NODES))
        b.fail("%zu nodes were used", ever.size());
}

int main() {
    run(1, 50, 40);
    run(2, 100, 100);
    run(3, 20, 60);
    run(4, 90, 10);
    printf("net_pool: passed\n");
    return 0;
}
