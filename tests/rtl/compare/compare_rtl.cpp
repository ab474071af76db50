/* compare_rtl.cpp - see compare_rtl.h. */
#include "tests/rtl/compare/compare_rtl.h"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "reference/reference_core.h"
#include "tests/rtl/reference/shrink.h"

namespace reference {

namespace {

constexpr unsigned MAX_SHOWN = 5; /* failures; then the rest is not worth the time */
constexpr std::uint64_t WANT = 1000, WANT_PAIRS = 10;

/* Says what it has done when it ends. Steps through all cycles: it counts what holds in each. */
class CountedCore : public ReferenceCore {
  public:
    explicit CountedCore(Coverage &sum) : ReferenceCore(true), sum_(sum) {}
    ~CountedCore() override { sum_.add(coverage()); }

  private:
    Coverage &sum_;
};

struct Runner {
    const MakeTested &make;
    RandomOptions options;
    bool plain = false, shrinks = false, covers = false;
    Coverage reached;
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
        const auto reference = [this] { return std::make_unique<CountedCore>(reached); };
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
            // a stream that the core does not end is another matter than one that it ends otherwise
            const auto stuck = [](const std::string &t) {
                return t.find("tested side:") != t.npos;
            };
            const Stream small = shrink(stream, [&](const Stream &s) {
                const std::string t = legal(s, all) ? ask(s, all, host) : "";
                return !t.empty() && stuck(t) == stuck(text);
            });
            text = ask(small, all, host) + stream_text(small);
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
            runner.shrinks = true;
        else if (!std::strcmp(word, "coverage"))
            runner.covers = true;
        else if (!std::strncmp(word, "lines=", 6))
            runner.options.max_lines = (unsigned)std::atoi(word + 6);
        else if (!std::strncmp(word, "sms=", 4))
            runner.options.max_sm = (unsigned)std::atoi(word + 4);
        else if (!std::strncmp(word, "items=", 6))
            runner.options.max_items = (unsigned)std::atoi(word + 6);
        else if (!std::strncmp(word, "instances=", 10))
            runner.options.instances = (unsigned)std::atoi(word + 10);
        else if (!std::strncmp(word, "groups=", 7))
            runner.options.groups = (unsigned)std::atoi(word + 7);
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
    const unsigned low = runner.covers ? runner.reached.report(stdout, WANT, WANT_PAIRS) : 0;
    return runner.failed || !runner.run || low;
}

} // namespace reference
