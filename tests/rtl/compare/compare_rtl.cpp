/* compare_rtl.cpp - see compare_rtl.h. */
#include "tests/rtl/compare/compare_rtl.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/rtl/reference/reference_core.h"

namespace reference {

namespace {

constexpr unsigned MAX_SHOWN = 5; /* failures; then the rest is not worth the time */

struct Runner {
    const MakeTested &make;
    const RandomOptions &options;
    bool plain = false;
    unsigned run = 0, failed = 0;
    std::uint64_t issued = 0;

    /* How the host behaves towards the core under test follows from the seed, too. */
    bool one(const Stream &stream, std::uint64_t seed) {
        HostOptions all, host;
        unsigned lookahead = 128;
        for (auto &p : stream.params)
            if (p.first == CORE_PARAM_LOOKAHEAD) lookahead = p.second;
        all.up_front = true;
        all.step = host.step = lookahead;
        std::uint64_t delay = 0;
        if (!plain) {
            Random r(seed);
            host.buffer = r.chance(40) ? 4 : r.chance(50) ? 64 : r.between(4, 64);
            if (r.chance(40)) host.step = r.between(1, lookahead);
            if (r.chance(50)) host.delay_seed = r.next() | 1;
            if (r.chance(50)) delay = r.next() | 1;
        }
        std::string text;
        try {
            auto reference = [this]() -> std::unique_ptr<CoreUnderTest> {
                return std::make_unique<ReferenceCore>();
            };
            text = compare(stream, reference, all, [this, delay] { return make(delay); }, host);
        } catch (const std::exception &e) {
            text = stream.name + ": " + e.what() + "\n";
        }
        run++;
        if (text.empty()) return true;
        failed++;
        std::printf("FAILED %s  (host: buffer %u, step %u, delays %s, ports %s)\n", text.c_str(),
                    host.buffer, host.step, host.delay_seed ? "yes" : "no", delay ? "slow" : "fast");
        return false;
    }

    void random(std::uint64_t first, std::uint64_t count) {
        for (std::uint64_t seed = first; seed < first + count && failed < MAX_SHOWN; seed++) {
            RandomOptions o = options;
            o.loose_producers = seed % 4 == 0;
            one(random_stream(seed, o), seed);
        }
    }
};

} // namespace

int compare_rtl(int argc, char **argv, const MakeTested &make, const RandomOptions &options) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    Runner runner{make, options};
    if (argc > 1 && !std::strcmp(argv[argc - 1], "plain")) {
        runner.plain = true;
        argc--;
    }
    if (argc == 3) {
        runner.random(std::strtoull(argv[1], nullptr, 0), std::strtoull(argv[2], nullptr, 0));
    } else {
        for (const Directed &d : directed_streams())
            if ((argc == 1 || !std::strcmp(argv[1], d.name)) && runner.failed < MAX_SHOWN)
                runner.one(d.make(), 1);
        if (argc == 1) runner.random(1, 20);
    }
    std::printf("%u streams, %u differ\n", runner.run, runner.failed);
    return runner.failed || !runner.run;
}

} // namespace reference
