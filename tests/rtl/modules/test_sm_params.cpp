/* test_sm_params.cpp - rtl/sm/sm_params.sv: each parameter has its default, then the value that it
 * was given last, in the form that the other modules want. */
#include <functional>
#include <map>

#include "Vsm_params.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_params>;

enum : uint32_t { NEAR_BITS = TIME_BITS < 30 ? TIME_BITS : 30, SCRUB_MOST = 1u << (NEAR_BITS - 2) };
enum : uint32_t { TIME_MOST = (uint32_t)((UINT64_C(1) << TIME_BITS) - 1) };

/* A parameter: default, what the host may say, and what becomes of it. */
struct Parameter {
    unsigned id;
    uint32_t value, least, most;
    std::function<uint64_t()> is;
    std::function<uint64_t(uint32_t)> should;
    bool two_ends = false, powers = false; /* least or most only; powers of two */
};

static uint64_t same(uint32_t value) {
    return value;
}

static std::vector<Parameter> parameters(Vsm_params &v) {
    const auto shift = [](uint32_t value) { return (uint64_t)__builtin_ctz(value); };
    const auto half = [](uint32_t value) { return value / 2; };
    const auto scrub = [](uint32_t value) {
        return value && value < SCRUB_MOST ? value : (uint32_t)SCRUB_MOST;
    };
    const auto above = [](uint32_t least) { return [=](uint32_t value) { return value > least; }; };
    const auto last = [](uint32_t sms) { return (sms - 1) % SMS; };
#define IS(name) [&v] { return (uint64_t)v.name##_o; }
#define TIME(id, value, name) \
    { CORE_PARAM_##id, value, 1, TIME_MOST, IS(name), same }
    return {
        {CORE_PARAM_NUM_SM, 80, 1, SMS, IS(last_sm), last},
        {CORE_PARAM_INSTANCES, 1, 1, SMS - 1, IS(instances), same},
        {CORE_PARAM_INSTANCE, 0, 0, SMS - 1, IS(instance), same},
        {CORE_PARAM_BUFFER_PACKETS, 64, 1, 64, IS(buffer_half), half},
        {CORE_PARAM_POLICY, 0, 0, 2, IS(policy), same},
        TIME(AU_DELAY, 3, au_delay),
        TIME(AU_INTERVAL, 4, au_interval),
        TIME(AU_RELEASE, 8, au_release),
        TIME(STAGE_INTERVAL, 2, stage_interval),
        TIME(L1_LATENCY, 18, l1_latency),
        TIME(SHARED_LATENCY, 8, shared_latency),
        TIME(SHUFFLE_LATENCY, 10, shuffle_latency),
        TIME(CONST_LATENCY, 16, const_latency),
        TIME(BARRIER_LATENCY, 8, barrier_latency),
        TIME(MISS_DELAY, 4, miss_delay),
        TIME(FILL_DELAY, 4, fill_delay),
        TIME(PORT_QUEUE, 64, port_queue),
        TIME(CODE_WAY, 39, code_way),
        {CORE_PARAM_L1_WAYS, 8, 1, 8, IS(l1_ways), same},
        {CORE_PARAM_L1_SETS, 128, 128, 256, IS(l1_sets), above(128), true},
        {CORE_PARAM_PORT_CREDITS, 128, 1, 511, IS(credits), same},
        {CORE_PARAM_REPLY_RATE, 2, 1, 7, IS(reply_rate), same},
        {CORE_PARAM_PORT_TIME, 1, 1, 4, IS(port_shift), shift, false, true},
        {CORE_PARAM_CODE_WAYS, 0, 0, 4, IS(code_ways), same},
        {CORE_PARAM_CODE_SETS, 32, 32, 64, IS(code_sets), above(32), true},
        {CORE_PARAM_CODE_PREFETCH, 8, 0, 8, IS(code_prefetch), same},
        {CORE_PARAM_CODE_SHARED, 0, 0, 1, IS(code_shared), same},
        {CORE_PARAM_CODE_BASE, 0, 0, 0xffffffff, IS(code_base), same},
        {CORE_PARAM_CONST_WAYS, 0, 0, 4, IS(const_ways), same},
        {CORE_PARAM_CONST_SETS, 4, 4, 8, IS(const_sets), above(4), true},
        {CORE_PARAM_CONST_MISS, 79, 1, 4095, IS(const_miss), same},
        {CORE_PARAM_CONST_HOLD, 4, 1, 15, IS(const_hold), same},
        {CORE_PARAM_CONST_SHARED, 0, 0, 1, IS(const_shared), same},
        {CORE_PARAM_CONST_FILL, 62, 1, 4095, IS(const_fill), same},
        {CORE_PARAM_WRITE_PORTS, 0, 0, 1, IS(write_ports), same},
        {CORE_PARAM_SCRUB, 0, 0, 2 * SCRUB_MOST, IS(scrub_period), scrub},
    };
#undef TIME
#undef IS
}

static uint32_t value_of(Bench &b, const Parameter &p) {
    if (p.powers) return 1u << b.pick(3);
    if (p.two_ends || b.chance(20)) return b.pick(2) ? p.least : p.most;
    return p.least + (uint32_t)(b.bits(32) % ((uint64_t)p.most - p.least + 1));
}

static void run(uint32_t seed) {
    Bench b(seed);
    std::vector<Parameter> all = parameters(b.v);
    for (int i = 0; i < 4000; i++) {
        for (const Parameter &p : all)
            if (p.is() != p.should(p.value))
                b.fail("parameter %u is %llx, not %llx", p.id, (unsigned long long)p.is(),
                       (unsigned long long)p.should(p.value));
        b.v.set_i = b.chance(80);
        b.v.id_i = (uint16_t)b.bits(16); /* of nobody here, mostly */
        b.v.value_i = (uint32_t)b.bits(32);
        Parameter &p = all[b.pick((uint32_t)all.size())];
        const bool known = b.chance(80);
        if (!known)
            for (const Parameter &other : all)
                if (other.id == b.v.id_i) b.v.set_i = 0;
        if (known) {
            b.v.id_i = (uint16_t)p.id;
            b.v.value_i = value_of(b, p);
            if (b.v.set_i) p.value = b.v.value_i;
        }
        b.tick();
    }
}

int main() {
    for (uint32_t seed = 1; seed <= 4; seed++) run(seed);
    printf("sm_params: passed\n");
    return 0;
}
