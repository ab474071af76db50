/* sm_code.cpp - see sm_code.h. */
#include "reference/sm_code.h"

#include <algorithm>

namespace reference {

static constexpr unsigned LINES = 1u << 17;

void SmCode::look_up(const CodeAsk &ask, unsigned line, SubCore &s, Waiting &w, Cycle now,
                     std::vector<Fetch> &fetches) {
    const Params &p = sm_.config.params;
    Set &set = set_[line % SETS];
    const auto wait = [&] {
        if (std::find(w.lines.begin(), w.lines.end(), line) == w.lines.end())
            w.lines.push_back(line);
    };
    const auto there = std::find_if(set.way.begin(), set.way.end(),
                                    [&](const Way &e) { return e.used && e.line == line; });
    const bool shared = p[CORE_PARAM_CODE_SHARED] != 0 && !ask.launched;
    if (ask.launched) sm_.hit(Feature::SM_CODE_LAUNCHED);
    if (!shared || (there != set.way.end() && there->come == ALL)) {
        if (shared) sm_.hit(Feature::SM_CODE_HIT);
        s.code().answer(ask.stream, line, now + p[CORE_PARAM_CODE_WAY]);
        return;
    }
    if (there != set.way.end()) {
        sm_.hit(Feature::SM_CODE_JOIN);
        wait();
        return;
    }
    if (line != ask.base && flights_ >= FLIGHTS) {
        sm_.hit(Feature::SM_CODE_FULL);
        return;
    }
    unsigned way = set.pointer;
    while (set.way[way].used && set.way[way].come != ALL) way = (way + 1) % WAYS;
    if (set.way[way].used) sm_.hit(Feature::SM_CODE_EVICT);
    set.way[way] = {true, line, 0};
    set.pointer = (way + 1) % WAYS;
    flights_++;
    sm_.hit(Feature::SM_CODE_MISS);
    wait();
    fetches.push_back({line, line % SETS, way});
}

void SmCode::cycle(Cycle now, SubCore *sub_core, std::vector<Fetch> &fetches) {
    if (now < free_) return;
    unsigned chosen = SUB_CORES;
    for (unsigned s = 0; s < SUB_CORES; s++) {
        const auto &asks = sub_core[s].code().asks;
        if (asks.empty() || asks.front().arrival > now) continue;
        if (chosen == SUB_CORES ||
            asks.front().arrival < sub_core[chosen].code().asks.front().arrival)
            chosen = s;
    }
    if (chosen == SUB_CORES) return;
    free_ = now + 1;
    SubCore &s = sub_core[chosen];
    const CodeAsk ask = s.code().asks.front();
    s.code().asks.pop_front();
    const unsigned prefetch = sm_.config.params[CORE_PARAM_CODE_PREFETCH];
    Waiting &w = waiting_[chosen];
    if (ask.stream != w.stream) w.lines.clear();
    w.stream = ask.stream;
    w.lines.erase(std::remove_if(w.lines.begin(), w.lines.end(),
                                 [&](unsigned l) { return (l - ask.base) % LINES > prefetch; }),
                  w.lines.end());
    if (ask.demand) look_up(ask, ask.base, s, w, now, fetches);
    for (unsigned n = prefetch - ask.fresh + 1; n <= prefetch; n++)
        look_up(ask, (ask.base + n) % LINES, s, w, now, fetches);
}

Cycle SmCode::next(Cycle now, const SubCore *sub_core) const {
    Cycle arrival = NEVER;
    for (unsigned s = 0; s < SUB_CORES; s++) {
        const auto &asks = sub_core[s].code().asks;
        if (!asks.empty()) arrival = std::min(arrival, asks.front().arrival);
    }
    return std::max({now + 1, free_, arrival});
}

void SmCode::fill(unsigned set, unsigned way, unsigned sectors, Cycle now, SubCore *sub_core) {
    Way &e = set_[set].way[way];
    if (!e.used || e.come & sectors)
        throw std::logic_error("reference: a reply that no line of code waits for");
    e.come |= sectors;
    if (e.come != ALL) {
        sm_.hit(Feature::SM_CODE_PARTIAL);
        return;
    }
    flights_--;
    for (unsigned s = 0; s < SUB_CORES; s++) {
        auto &lines = waiting_[s].lines;
        const auto i = std::find(lines.begin(), lines.end(), e.line);
        if (i == lines.end()) continue;
        lines.erase(i);
        sub_core[s].code().answer(waiting_[s].stream, e.line,
                                  now + sm_.config.params[CORE_PARAM_CODE_WAY]);
    }
}

} // namespace reference
