/* test_net_parameters.cpp - rtl/l2/net_parameters.sv: each parameter has its default, then the
 * value that it was given last, with what follows from it; values out of range are a fault. */
#include <map>

#include "Vnet_parameters.h"
#include "net_bench.h"

using Bench = ModuleBench<Vnet_parameters>;

enum { SLICES_KIND, SETS_KIND, INSTANCES_KIND }; /* reciprocals */

/* Parameters that the network has: default, least and greatest value that is allowed. */
struct Parameter {
    unsigned id;
    uint32_t value, least, most;
};

static std::map<unsigned, Parameter> defaults() {
    const uint32_t any = 0xffffffff;
    const Parameter list[] = {{CORE_PARAM_NUM_SLICES, 64, 1, 96},
                              {CORE_PARAM_INSTANCES, 1, 1, 96},
                              {CORE_PARAM_INSTANCE, 0, 0, 95},
                              {CORE_PARAM_L2_SETS, 48, 1, 1023},
                              {CORE_PARAM_HASH, 1, 0, 1},
                              {CORE_PARAM_INTERLEAVE, 1, 1, 4},
                              {CORE_PARAM_PARTITIONS, 1, 1, 2},
                              {CORE_PARAM_NET_REQUEST, 70, 0, any},
                              {CORE_PARAM_NET_REPLY, 70, 0, any},
                              {CORE_PARAM_NET_CROSS, 40, 0, any},
                              {CORE_PARAM_L2_LATENCY, 30, 0, any},
                              {CORE_PARAM_L2_MISS, 20, 0, any},
                              {CORE_PARAM_L2_FILL, 20, 0, any},
                              {CORE_PARAM_FLIT_SECTORS, 1, 1, 4},
                              {CORE_PARAM_FLIT_TIME, 256, 256, 65535},
                              {CORE_PARAM_L2_FETCH, 1, 1, 4},
                              {CORE_PARAM_L2_DIRTY_WAYS, 0, 0, 16},
                              {CORE_PARAM_L2_PINNED_WAYS, 8, 0, 15},
                              {CORE_PARAM_DRAM_ENTRIES, 96, 2, 1023},
                              {CORE_PARAM_ATOMIC_TIME, 256, 0, 65535},
                              {CORE_PARAM_SCRUB, 0, 0, any}};
    std::map<unsigned, Parameter> all;
    for (const Parameter &p : list) all[p.id] = p;
    return all;
}

static unsigned log2_of(uint32_t value) {
    return (unsigned)__builtin_ctz(value);
}

static void check(Bench &b, std::map<unsigned, Parameter> &p) {
    auto is = [&](unsigned id) { return p[id].value; };
    const Slices s = {is(CORE_PARAM_NUM_SLICES), 0, 1, 1, 0};
    const uint32_t most = 1u << 29, period = is(CORE_PARAM_SCRUB);
    b.expect("slices", b.v.num_slices_o, s.number);
    b.expect("half", b.v.half_o, s.half());
    b.expect("twos", b.v.twos_o, s.twos());
    b.expect("odd", b.v.odd_o, s.odd());
    b.expect("field", 4 + b.v.field_bits_o, s.twos() > 4 ? s.twos() : 4);
    b.expect("instances", b.v.instances_o, is(CORE_PARAM_INSTANCES));
    b.expect("instance", b.v.instance_o, is(CORE_PARAM_INSTANCE));
    b.expect("sets", b.v.sets_o, is(CORE_PARAM_L2_SETS));
    b.expect("hash", b.v.fold_o, is(CORE_PARAM_HASH));
    b.expect("interleave", b.v.interleave_o, log2_of(is(CORE_PARAM_INTERLEAVE)));
    b.expect("partitions", b.v.two_o, is(CORE_PARAM_PARTITIONS) == 2);
    b.expect("atomic time", b.v.atomic_time_o, is(CORE_PARAM_ATOMIC_TIME));
    b.expect("net_request", b.v.net_request_o, is(CORE_PARAM_NET_REQUEST));
    b.expect("net_reply", b.v.net_reply_o, is(CORE_PARAM_NET_REPLY));
    b.expect("net_cross", b.v.net_cross_o, is(CORE_PARAM_NET_CROSS));
    b.expect("l2_latency", b.v.l2_latency_o, is(CORE_PARAM_L2_LATENCY));
    b.expect("l2_miss", b.v.l2_miss_o, is(CORE_PARAM_L2_MISS));
    b.expect("l2_fill", b.v.l2_fill_o, is(CORE_PARAM_L2_FILL));
    b.expect("flit", b.v.flit_shift_o, log2_of(is(CORE_PARAM_FLIT_SECTORS)));
    b.expect("flit_time", b.v.flit_time_o, is(CORE_PARAM_FLIT_TIME));
    b.expect("entries", b.v.entries_o, is(CORE_PARAM_DRAM_ENTRIES));
    b.expect("fetch", b.v.fetch_o, log2_of(is(CORE_PARAM_L2_FETCH)));
    b.expect("dirty ways", b.v.dirty_ways_o, is(CORE_PARAM_L2_DIRTY_WAYS) % 16);
    b.expect("pinned ways", b.v.pinned_ways_o, is(CORE_PARAM_L2_PINNED_WAYS));
    b.expect("scrub", b.v.scrub_period_o, period && period < most ? period : most);
}

/* The parameter is 1, 2 or 4. */
static bool is_power(unsigned id) {
    return id == CORE_PARAM_FLIT_SECTORS || id == CORE_PARAM_L2_FETCH ||
           id == CORE_PARAM_INTERLEAVE;
}

/* A value that the parameter may have; its ends often. */
static uint32_t value_of(Bench &b, const Parameter &p) {
    if (is_power(p.id)) return 1u << b.pick(3);
    if (b.chance(10)) return b.pick(2) ? p.least : p.most;
    return p.least + (uint32_t)(b.bits(32) % ((uint64_t)p.most - p.least + 1));
}

/* A value that it may not have, or none. */
static std::optional<uint32_t> wrong_of(Bench &b, const Parameter &p) {
    if (is_power(p.id) && b.pick(2)) return 3;
    if (p.most == 0xffffffff || p.most == 255 || p.id == CORE_PARAM_HASH ||
        p.id == CORE_PARAM_INSTANCE)
        return {};
    if (p.least && b.pick(2)) return p.least - 1;
    return p.most + 1 + (b.pick(2) ? b.pick(1u << 30) : 0);
}

/* What is to be said to net_reciprocal.sv, and to net_flush.sv, in the clock after. */
static void sets(Bench &b, unsigned id, uint32_t value, unsigned *divides) {
    const bool slices = id == CORE_PARAM_NUM_SLICES, of_sets = id == CORE_PARAM_L2_SETS,
               instances = id == CORE_PARAM_INSTANCES, divide = slices || of_sets || instances;
    b.expect("divide", b.v.divide_o, divide);
    b.expect("unclear", b.v.unclear_o,
             divide || id == CORE_PARAM_INSTANCE || id == CORE_PARAM_PARTITIONS);
    if (!divide) return;
    b.expect("reciprocal", b.v.divide_kind_o,
             slices    ? SLICES_KIND
             : of_sets ? SETS_KIND
                       : INSTANCES_KIND);
    b.expect("divisor", b.v.divide_by_o, slices ? value >> log2_of(value) : value);
    ++*divides;
    for (unsigned busy = b.pick(33); busy > 0; busy--) {
        b.v.divide_busy_i = 1;
        b.settle();
        b.expect("setting", b.v.setting_o, 1);
        b.tick();
        b.expect("divide once", b.v.divide_o, 0);
        b.expect("unclear once", b.v.unclear_o, 0);
    }
    b.v.divide_busy_i = 0;
}

static void run(uint32_t seed, unsigned *wrongs) {
    Bench b(seed);
    auto all = defaults();
    unsigned divides = 0;
    bool fault = false;
    b.settle();
    check(b, all);
    for (int i = 0; i < 1000; i++) {
        const unsigned id = b.chance(10) ? b.pick(1 << 16) : b.pick(60);
        const auto p = all.find(id);
        uint32_t value = p == all.end() ? (uint32_t)b.bits(32) : value_of(b, p->second);
        const auto wrong = p != all.end() && i > 900 ? wrong_of(b, p->second) : std::nullopt;
        if (wrong) value = *wrong;
        b.settle();
        while (b.v.setting_o) b.tick();
        b.v.set_i = 1;
        b.v.id_i = (uint16_t)id;
        b.v.value_i = value;
        b.tick();
        b.v.set_i = 0;
        b.v.value_i = (uint32_t)b.bits(32);
        fault = fault || wrong;
        *wrongs += (bool)wrong;
        b.expect("fault", b.v.fault_o, fault ? CORE_FAULT_PARAMETER : CORE_FAULT_NONE);
        if (wrong) { /* what it means now is not said; it gets a right value again */
            const uint32_t right = value_of(b, p->second);
            b.settle();
            while (b.v.setting_o) b.tick();
            b.v.set_i = 1;
            b.v.value_i = value = right;
            b.tick();
            b.v.set_i = 0;
        }
        if (p != all.end()) p->second.value = value;
        sets(b, id, value, &divides);
        check(b, all);
        for (unsigned k = b.pick(3); k > 0; k--) {
            b.tick();
            b.expect("unclear once", b.v.unclear_o, 0);
            check(b, all);
        }
    }
    if (divides < 20) b.fail("%u reciprocals", divides);
}

int main() {
    unsigned wrongs = 0;
    for (uint32_t seed = 1; seed <= 20; seed++) run(seed, &wrongs);
    if (wrongs < 200) return fprintf(stderr, "%u values out of range\n", wrongs), 1;
    printf("net_parameters: passed\n");
    return 0;
}
