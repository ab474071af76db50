/* compare.cpp - see compare.h. */
#include "tests/rtl/reference/compare.h"

#include <algorithm>
#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace reference {

static std::string text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static std::string text(const char *format, ...) {
    char buffer[512];
    va_list args;
    va_start(args, format);
    std::vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    return buffer;
}

std::string event_text(const Event &e) {
    static const char *const kind[] = {"None",      "Want",    "Perform", "CtaDone", "DramRead",
                                       "DramWrite", "Request", "Reply",   "Pin"};
    return text("%10u %-9s %s %u warp %u slot %u line %#x sectors %x full %x id %u", e.at,
                e.kind < sizeof kind / sizeof *kind ? kind[e.kind] : "?",
                e.kind == CORE_EV_DRAM_READ || e.kind == CORE_EV_DRAM_WRITE ? "slice" : "SM", e.sm,
                e.warp, e.slot, e.addr, e.sectors, e.full, e.id);
}

static void counter(std::string &out, const char *name, std::uint64_t a, std::uint64_t b) {
    if (a != b)
        out += text("  %s: expected %" PRIu64 " (%#" PRIx64 "), got %" PRIu64 " (%#" PRIx64 ")\n",
                    name, a, a, b, b);
}

std::string difference(const Outcome &a, const Outcome &b, const CompareOptions &options) {
    std::string out;
    if (!a.error.empty()) out += "  expected side: " + a.error + "\n";
    if (!b.error.empty()) out += "  tested side: " + b.error + "\n";
    counter(out, "issued", a.counters.issued, b.counters.issued);
    counter(out, "issue_hash", a.counters.issue_hash, b.counters.issue_hash);
    counter(out, "fetch_misses", a.counters.fetch_misses, b.counters.fetch_misses);
    counter(out, "constant_misses", a.counters.constant_misses, b.counters.constant_misses);
#define COUNTER(number, name, meaning)                                               \
    if (number >= CORE_COUNTER_WAIT_NO_WARP && number <= CORE_COUNTER_WAIT_CONSTANT) \
        counter(out, #name, a.counters.wait[number], b.counters.wait[number]);
#define CONSTANT(name, value, meaning)
#define ARG(number, offset, name, bits, buffer, meaning)
#define REG(offset, name, meaning)
#include "tables/core_regs.def"
#undef COUNTER
#undef CONSTANT
#undef ARG
#undef REG
    if (options.l1) {
        counter(out, "l1_accesses", a.counters.l1_accesses, b.counters.l1_accesses);
        counter(out, "l1_hits", a.counters.l1_hits, b.counters.l1_hits);
    }
    if (options.l2) {
        counter(out, "l2_accesses", a.counters.l2_accesses, b.counters.l2_accesses);
        counter(out, "l2_hits", a.counters.l2_hits, b.counters.l2_hits);
        counter(out, "dram_reads", a.counters.dram_reads, b.counters.dram_reads);
        counter(out, "dram_writes", a.counters.dram_writes, b.counters.dram_writes);
        counter(out, "slice_hash", a.counters.slice_hash, b.counters.slice_hash);
    }
    for (std::size_t i = 0; i < std::max(a.ends.size(), b.ends.size()); i++)
        counter(out, "end of kernel", i < a.ends.size() ? a.ends[i] : 0,
                i < b.ends.size() ? b.ends[i] : 0);
    counter(out, "number of events", a.events.size(), b.events.size());
    for (std::size_t i = 0; i < std::min(a.events.size(), b.events.size()); i++)
        if (event_key(a.events[i]) != event_key(b.events[i])) {
            out += "  first different event:\n    expected " + event_text(a.events[i]) +
                   "\n    got      " + event_text(b.events[i]) + "\n";
            break;
        }
    return out;
}

static void in_order(std::vector<Issue> &trace) {
    std::sort(trace.begin(), trace.end(), [](const Issue &a, const Issue &b) {
        return std::make_tuple(a.at, a.sm, a.warp) < std::make_tuple(b.at, b.sm, b.warp);
    });
}

/* Issues of one sub-core around a time, `>` at the time itself. */
static std::string around(const std::vector<Issue> &trace, const Issue &where, unsigned context) {
    std::vector<Issue> mine;
    std::size_t at = 0;
    for (const Issue &i : trace) {
        if (i.sm != where.sm || i.warp % SUB_CORES != where.warp % SUB_CORES) continue;
        if (i.at < where.at) at = mine.size() + 1;
        mine.push_back(i);
    }
    std::string out;
    for (std::size_t i = at > context ? at - context : 0; i < std::min(mine.size(), at + context);
         i++)
        out += text("    %c %10" PRIu64 " SM %u sub-core %u warp %2u\n",
                    mine[i].at >= where.at ? '>' : ' ', mine[i].at, mine[i].sm,
                    mine[i].warp % SUB_CORES, mine[i].warp);
    return out;
}

static std::string traces(const Stream &stream, CoreUnderTest &expected,
                          const HostOptions &expected_host, CoreUnderTest &tested,
                          const HostOptions &tested_host, unsigned context) {
    std::vector<Issue> a, b;
    if (!expected.trace_to(&a) || !tested.trace_to(&b))
        return "  (no trace of issues: the core shows none)\n";
    run_stream(expected, stream, expected_host);
    run_stream(tested, stream, tested_host);
    in_order(a);
    in_order(b);
    std::size_t i = 0;
    while (i < a.size() && i < b.size() && a[i] == b[i]) i++;
    if (i == a.size() && i == b.size()) return "  all issues are equal\n";
    const Issue where = i == a.size()   ? b[i]
                        : i == b.size() ? a[i]
                                        : std::min(a[i], b[i], [](const Issue &x, const Issue &y) {
                                              return std::make_tuple(x.at, x.sm, x.warp) <
                                                     std::make_tuple(y.at, y.sm, y.warp);
                                          });
    return text("  first different issue: number %zu, cycle %" PRIu64 ", SM %u, warp %u\n", i,
                where.at, where.sm, where.warp) +
           "   expected:\n" + around(a, where, context) + "   got:\n" + around(b, where, context);
}

std::string compare(const Stream &stream, const MakeCore &expected,
                    const HostOptions &expected_host, const MakeCore &tested,
                    const HostOptions &tested_host, const CompareOptions &options) {
    auto first = expected(), second = tested();
    const Outcome a = run_stream(*first, stream, expected_host);
    HostOptions limited = tested_host; /* a core that hangs is stopped soon */
    if (a.error.empty() && !a.ends.empty()) limited.limit = a.ends.back() + 20000;
    const Outcome b = run_stream(*second, stream, limited);
    std::string out = difference(a, b, options);
    if (out.empty()) return out;
    first.reset(); /* a device is open once at a time */
    second.reset();
    first = expected();
    second = tested();
    return stream.name + ", " + second->name() + " against " + first->name() + ":\n" + out +
           traces(stream, *first, expected_host, *second, limited, options.context);
}

} // namespace reference
