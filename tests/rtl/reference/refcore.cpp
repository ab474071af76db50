/* refcore.cpp - shows people what the reference model does with a stream:
 *
 *   refcore                     the directed streams
 *   refcore NAME                every issue and event of a directed stream
 *   refcore random SEED         the same for a random stream
 *   refcore coverage FIRST N    runs N random streams and prints what they reached
 */
#include <algorithm>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "tests/rtl/reference/compare.h"
#include "reference/reference_core.h"

using namespace reference;

static int show(const Stream &stream) {
    ReferenceCore core;
    std::vector<Issue> trace;
    core.trace_to(&trace);
    HostOptions host;
    host.up_front = true;
    for (auto &p : stream.params)
        if (p.first == CORE_PARAM_LOOKAHEAD && p.second < host.step) host.step = p.second;
    const Outcome out = run_stream(core, stream, host);
    std::size_t e = 0;
    Cycle last[WARPS] = {};
    std::printf("     cycle  SM  sub-core  warp  since this warp's last issue\n");
    for (const Issue &i : trace) {
        for (; e < out.events.size() && out.events[e].at < i.at; e++)
            std::printf("%s\n", event_text(out.events[e]).c_str());
        std::printf("%10" PRIu64 "  %2u  %8u  %4u  %+" PRId64 "\n", i.at, i.sm, i.warp % SUB_CORES,
                    i.warp, last[i.warp] ? (std::int64_t)(i.at - last[i.warp]) : 0);
        last[i.warp] = i.at;
    }
    for (; e < out.events.size(); e++) std::printf("%s\n", event_text(out.events[e]).c_str());
    std::printf("issued %" PRIu64 ", issue_hash %016" PRIx64 ", slice_hash %016" PRIx64
                ", L1 %" PRIu64 "/%" PRIu64 ", L2 %" PRIu64 "/%" PRIu64 " sectors hit\n",
                out.counters.issued, out.counters.issue_hash, out.counters.slice_hash,
                out.counters.l1_hits, out.counters.l1_accesses, out.counters.l2_hits,
                out.counters.l2_accesses);
    if (!out.error.empty()) std::fprintf(stderr, "refcore: %s\n", out.error.c_str());
    return !out.error.empty();
}

/* What one thread has run. */
struct Share {
    Coverage coverage;
    std::uint64_t issued = 0, cycles = 0;
};

static Share run_share(std::atomic<std::uint64_t> &next, std::uint64_t end) {
    Share share;
    for (std::uint64_t seed; (seed = next++) < end;) {
        ReferenceCore core(true); /* counts what holds in each cycle */
        HostOptions host;
        host.up_front = true;
        const Stream stream = random_stream(seed);
        for (auto &p : stream.params)
            if (p.first == CORE_PARAM_LOOKAHEAD && p.second < host.step) host.step = p.second;
        const Outcome out = run_stream(core, stream, host);
        if (!out.error.empty()) {
            next = end; /* nobody begins another one */
            throw std::runtime_error("seed " + std::to_string(seed) + ": " + out.error);
        }
        share.coverage.add(core.coverage());
        share.issued += out.counters.issued;
        share.cycles += out.ends.back();
    }
    return share;
}

/* Streams on all processors: sums, so it does not matter who runs which. */
static int cover(std::uint64_t first, std::uint64_t count) {
    std::atomic<std::uint64_t> next{first};
    std::vector<std::future<Share>> shares(std::max(1u, std::thread::hardware_concurrency()));
    for (auto &share : shares)
        share = std::async(std::launch::async, run_share, std::ref(next), first + count);
    Share sum;
    for (auto &running : shares) {
        const Share share = running.get();
        sum.coverage.add(share.coverage);
        sum.issued += share.issued;
        sum.cycles += share.cycles;
    }
    std::printf("%" PRIu64 " streams, %" PRIu64 " warp instructions, %" PRIu64 " cycles\n", count,
                sum.issued, sum.cycles);
    sum.coverage.report(stdout, 1000, 10);
    return 0;
}

int main(int argc, char **argv) try {
    if (argc == 4 && !std::strcmp(argv[1], "coverage"))
        return cover(std::strtoull(argv[2], nullptr, 0), std::strtoull(argv[3], nullptr, 0));
    if (argc == 3 && !std::strcmp(argv[1], "random"))
        return show(random_stream(std::strtoull(argv[2], nullptr, 0)));
    for (const Directed &d : directed_streams())
        if (argc == 2 && !std::strcmp(argv[1], d.name)) return show(d.make());
    std::fprintf(argc == 1 ? stdout : stderr,
                 "usage: refcore NAME | random SEED | coverage FIRST COUNT\n");
    for (const Directed &d : directed_streams()) std::printf("  %-18s %s\n", d.name, d.text);
    return argc == 1 ? 0 : 2;
} catch (const std::exception &e) {
    std::fprintf(stderr, "refcore: %s\n", e.what());
    return 1;
}
