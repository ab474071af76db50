/* test_random.cpp - random streams on the reference model itself: the cycles do not depend on how
 * packets are delivered, equal seeds give equal streams, and a wrong cycle is noticed and shown. */
#include <criterion/criterion.h>

#include <cstdio>

#include "tests/rtl/reference/compare.h"
#include "reference/reference_core.h"

using namespace reference;

static unsigned lookahead(const Stream &s) {
    unsigned value = 128;
    for (auto &p : s.params)
        if (p.first == CORE_PARAM_LOOKAHEAD) value = p.second;
    return value;
}

static std::unique_ptr<CoreUnderTest> make() {
    return std::make_unique<ReferenceCore>();
}

static std::unique_ptr<CoreUnderTest> make_stepping() {
    return std::make_unique<ReferenceCore>(true);
}

/* From one cycle in which something happens to the next, or through all. */
Test(random_streams, cycles_left_out_change_nothing) {
    RandomOptions options;
    for (std::uint64_t seed = 1001; seed <= 1060; seed++) {
        options.loose_producers = seed % 4 == 0;
        const Stream s = random_stream(seed, options);
        HostOptions host;
        host.up_front = seed % 2;
        host.step = lookahead(s);
        const std::string text = compare(s, make_stepping, host, make, host);
        std::fputs(text.c_str(), stderr);
        cr_assert(text.empty(), "seed %u", (unsigned)seed);
    }
}

/* All packets at launch, or a few at a time, late, after the events that they wait for. */
Test(random_streams, delivery_changes_nothing) {
    RandomOptions options;
    for (std::uint64_t seed = 1; seed <= 40; seed++) {
        options.loose_producers = seed % 4 == 0;
        const Stream s = random_stream(seed, options);
        HostOptions all, few;
        all.up_front = true;
        all.step = lookahead(s);
        few.buffer = seed % 2 ? 4 : 64;
        few.step = seed % 3 ? 13 : lookahead(s);
        few.delay_seed = seed % 5 ? seed : 0;
        const std::string text = compare(s, make, all, make, few);
        std::fputs(text.c_str(), stderr); /* Criterion takes no long messages */
        cr_assert(text.empty(), "seed %u", (unsigned)seed);
    }
}

Test(random_streams, starvation_happens) {
    HostOptions few;
    few.buffer = 4;
    few.delay_seed = 9;
    std::uint64_t parks = 0;
    for (std::uint64_t seed = 7; seed <= 9; seed++) {
        ReferenceCore core;
        const Stream s = random_stream(seed);
        few.step = lookahead(s);
        const Outcome out = run_stream(core, s, few);
        cr_expect(out.error.empty(), "%s", out.error.c_str());
        parks += out.parks;
    }
    cr_expect(parks > 100, "only %llu parks", (unsigned long long)parks);
}

/* A core whose clock is one parameter off must be found out. */
class Faulty : public ReferenceCore {
  public:
    const char *name() const override { return "faulty"; }
    void command(const std::uint64_t beat[8]) override {
        std::uint64_t copy[8];
        std::copy(beat, beat + 8, copy);
        if (core_command_kind(beat) == CORE_CMD_SET && core_command_id(beat) == CORE_PARAM_L2_SETS)
            core_command_set_value(copy, core_command_value(beat) + 1);
        ReferenceCore::command(copy);
    }
};

Test(random_streams, difference_is_shown) {
    unsigned found = 0;
    for (std::uint64_t seed = 1; seed <= 20; seed++) {
        const Stream s = random_stream(seed);
        HostOptions host;
        host.up_front = true;
        host.step = lookahead(s);
        const std::string text = compare(
            s, make, host, [] { return std::make_unique<Faulty>(); }, host);
        if (text.empty()) continue;
        found++;
        cr_expect(text.find("first different event") != std::string::npos, "seed %u",
                  (unsigned)seed);
    }
    cr_expect(found >= 8, "found in %u of 20 streams", found);
}

/* Every feature and instruction is reached; the full counts are asked of the long run (refcore
 * coverage 1 1000). */
Test(random_streams, coverage) {
    Coverage sum;
    for (std::uint64_t seed = 121; seed <= 180; seed++) {
        const Stream s = random_stream(seed);
        HostOptions host;
        host.up_front = true;
        host.step = lookahead(s);
        ReferenceCore core;
        const Outcome out = run_stream(core, s, host);
        cr_assert(out.error.empty(), "seed %u: %s", (unsigned)seed, out.error.c_str());
        sum.add(core.coverage());
    }
    for (unsigned i = 0; i < Coverage::FEATURES; i++)
        cr_expect(sum.count((Feature)i) > 0, "%s is never reached", feature_name((Feature)i));
}
