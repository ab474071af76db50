/* compare_rtl.cpp - see compare_rtl.h. */
#include "tests/rtl/compare/compare_rtl.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/rtl/reference/reference_core.h"
#include "tests/rtl/reference/shrink.h"

namespace reference {

namespace {

constexpr unsigned MAX_SHOWN = 5; /* failures; then the rest is not worth the time */

struct Runner {
    const MakeTested &make;
    RandomOptions options;
    bool plain = false, shrinks = false;
    unsigned run = 0, failed = 0;
    std::uint64_t issued = 0;

    /* A shrunk stream must end on the reference model. */
    static bool legal(const Stream &s, HostOptions all) {
        all.limit = 200000;
        try {
            ReferenceCore core;
            return run_stream(core, s, all).error.empty();
        } catch (const std::exception &) {
            return false;
        }
    }
    /* A core that hangs is stopped soon after the reference model has ended. */
    static HostOptions limited(const Stream &s, HostOptions host) {
        HostOptions all = host;
        all.up_front = true;
        ReferenceCore core;
        const Outcome out = run_stream(core, s, all);
        host.limit = 10000 + (out.ends.empty() ? 0 : out.ends.back());
        return host;
    }

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
        const auto reference = [] { return std::make_unique<ReferenceCore>(); };
        const auto tested = [this, delay] { return make(delay, options.instances); };
        const auto ask = [&](const Stream &stream, const HostOptions &all,
                             const HostOptions &host) {
            try {
                return compare(stream, reference, all, tested, host);
            } catch (const std::exception &e) {
                return stream.name + ": " + e.what() + "\n";
            }
        };
        std::string text = ask(stream, all, host);
        if (!text.empty() && shrinks) {
            const Stream small = shrink(stream, [&](const Stream &s) {
                return legal(s, all) && !ask(s, limited(s, all), limited(s, host)).empty();
            });
            text = ask(small, limited(small, all), limited(small, host)) + stream_text(small);
        }
        run++;
        if (text.empty()) return true;
        failed++;
        std::printf("FAILED %s  (host: buffer %u, step %u, delays %s, ports %s)\n", text.c_str(),
                    host.buffer, host.step, host.delay_seed ? "yes" : "no",
                    delay ? "slow" : "fast");
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

int compare_rtl(int argc, char **argv, const MakeTested &make) {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    Runner runner{make, {}};
    for (; argc > 1; argc--) { /* words at the end */
        const char *word = argv[argc - 1];
        if (!std::strcmp(word, "plain"))
            runner.plain = true;
        else if (!std::strcmp(word, "shrink"))
            runner.plain = runner.shrinks = true;
        else if (!std::strncmp(word, "lines=", 6))
            runner.options.max_lines = (unsigned)std::atoi(word + 6);
        else if (!std::strncmp(word, "instances=", 10))
            runner.options.instances = (unsigned)std::atoi(word + 10);
        else
            break;
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
