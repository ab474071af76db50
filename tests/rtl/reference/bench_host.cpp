/* bench_host.cpp - see bench_host.h. */
#include "tests/rtl/reference/bench_host.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <memory>

#include "tests/rtl/reference/customers.h"
#include "tests/rtl/reference/outside.h"

namespace reference {

namespace {

constexpr unsigned LINE_FIFO = 64; /* line words that a core holds per warp */

/* 64-bit times from 32-bit ones: no event is 2^31 cycles from the run that reports it. */
Cycle near(std::uint32_t at, Cycle now) {
    return now + (std::int32_t)(at - (std::uint32_t)now);
}

/* What the core has been given for a warp number, and what it has used up, since reset. */
struct Given {
    std::uint16_t sent = 0, consumed = 0, lines_sent = 0, lines_consumed = 0;
    std::deque<std::uint64_t> late; /* line words of a warp that has ended */
};

struct RunningWarp {
    const WarpProgram *program = nullptr;
    unsigned sm = 0;
    std::size_t next = 0;                /* packet to send */
    std::size_t line_item = 0, line = 0; /* line word to send */
    Given *given = nullptr;
    unsigned performed = 0;
};

struct Memory { /* replies that have a time, in the order in which they are given */
    struct Pending {
        unsigned slice, id;
        bool written;
    };
    std::map<std::tuple<Cycle, unsigned, std::uint32_t, unsigned>, Pending> pending;
};

class Host {
  public:
    Host(CoreUnderTest &core, const Stream &stream, const HostOptions &options)
        : core_(core), stream_(stream), options_(options), random_(options.delay_seed),
          customers_(core, stream), outside_(core, stream) {}
    Outcome run();

  private:
    struct Beat {
        std::uint64_t w[8] = {};
    };
    void set_up();
    void simple(core_cmd kind, std::uint32_t at, unsigned id, std::uint32_t value);
    void flush_l1(unsigned sm, std::uint32_t lines);
    void launch(std::size_t number, Cycle at);
    bool feed();
    bool feed_lines(RunningWarp &rw, Beat &beat);
    bool feed_warp(RunningWarp &rw);
    void word(Beat &beat, unsigned sm, unsigned warp, unsigned type, const std::uint64_t *w,
              unsigned halves);
    unsigned line_room(const Given &g) const;
    bool feed_late(unsigned sm, unsigned warp, Given &g);
    static void keep_late(const RunningWarp &rw);
    void flush_beat(Beat &beat);
    void give_replies(Cycle before);
    void take_events();
    void performed(const Event &e);
    void handle(const Event &e);
    void run_to(Cycle until);
    Cycle run_phase(const Phase &phase, Cycle start);
    Cycle settle();

    CoreUnderTest &core_;
    const Stream &stream_;
    const HostOptions &options_;
    Random random_;
    CustomerHost customers_;
    OutsideHost outside_;
    Outcome out_;
    std::uint32_t lookahead_ = 128;
    Cycle now_ = 0, last_event_ = 0;
    std::map<std::pair<unsigned, unsigned>, Given> given_;       /* by (SM, warp) */
    std::map<std::pair<unsigned, unsigned>, RunningWarp> warps_; /* the same */
    const Phase *phase_ = nullptr;
    std::map<std::pair<unsigned, unsigned>, std::size_t> running_; /* CTA by (SM, slot) */
    std::size_t ctas_left_ = 0;
    Memory memory_;
    std::vector<Event> taken_;
};

void Host::simple(core_cmd kind, std::uint32_t at, unsigned id, std::uint32_t value) {
    Beat b;
    core_command_set_kind(b.w, kind);
    core_command_set_at(b.w, at);
    core_command_set_id(b.w, id);
    core_command_set_value(b.w, value);
    core_.command(b.w);
}

void Host::flush_l1(unsigned sm, std::uint32_t lines) {
    Beat b;
    core_command_set_kind(b.w, CORE_CMD_FLUSH_L1);
    core_command_set_sm(b.w, sm);
    core_command_set_value(b.w, lines);
    core_.command(b.w);
}

void Host::set_up() {
    for (auto &p : stream_.params) {
        std::uint32_t value = p.second;
        if (p.first == CORE_PARAM_LOOKAHEAD) lookahead_ = value;
        if (p.first == CORE_PARAM_WINDOW && options_.window) value = options_.window;
        simple(CORE_CMD_SET, 0, p.first, value);
    }
    simple(CORE_CMD_SET, 0, CORE_PARAM_BUFFER_PACKETS, options_.buffer);
    for (auto &c : stream_.classes) simple(CORE_CMD_CLASS, 0, c.first, c.second);
}

/* ------------------------------------------------------------------------------ delivery */

void Host::launch(std::size_t number, Cycle at) {
    const CtaProgram &cta = phase_->ctas[number];
    running_[{cta.sm, cta.slot}] = number;
    if (cta.l1_lines >= 0) flush_l1(cta.sm, (std::uint32_t)cta.l1_lines);
    for (const WarpProgram &w : cta.warps) {
        Beat b;
        core_command_set_kind(b.w, CORE_CMD_LAUNCH);
        core_command_set_sm(b.w, cta.sm);
        core_command_set_warp(b.w, w.warp);
        core_command_set_cta(b.w, cta.slot);
        core_command_set_warps(b.w, cta.warps.size());
        core_command_set_at(b.w, at);
        core_command_set_id(b.w, cta.constants);
        core_.command(b.w);
        RunningWarp rw;
        rw.program = &w;
        rw.sm = cta.sm;
        rw.given = &given_[{cta.sm, w.warp}];
        rw.given->consumed = rw.given->sent; /* the one before has ended */
        warps_[{cta.sm, w.warp}] = rw;
    }
}

void Host::flush_beat(Beat &beat) {
    if (core_command_words(beat.w)) core_.command(beat.w);
    beat = Beat();
}

void Host::word(Beat &beat, unsigned sm, unsigned warp, unsigned type, const std::uint64_t *w,
                unsigned halves) {
    const unsigned n = core_command_words(beat.w);
    core_command_set_kind(beat.w, CORE_CMD_PACKETS);
    core_command_set_sm(beat.w, sm);
    core_command_set_warp(beat.w, warp);
    core_command_set_types(beat.w, core_command_types(beat.w) | type << 2 * n);
    core_command_set_words(beat.w, n + 1);
    std::memcpy(beat.w + 2 + 2 * n, w, 8 * halves);
    if (n + 1 == 3) flush_beat(beat);
}

unsigned Host::line_room(const Given &g) const {
    if (options_.up_front) return 2;
    return LINE_FIFO - (std::uint16_t)(g.lines_sent - g.lines_consumed);
}

/* Those of a warp that has ended, which has left operations in the memory stage. */
bool Host::feed_late(unsigned sm, unsigned warp, Given &g) {
    bool any = false;
    Beat beat;
    for (; !g.late.empty() && line_room(g); g.late.pop_front(), g.lines_sent++) {
        word(beat, sm, warp, 1, &g.late.front(), 1);
        any = true;
    }
    flush_beat(beat);
    return any;
}

/* The line words of the packets sent and of the next one, as far as they fit. */
bool Host::feed_lines(RunningWarp &rw, Beat &beat) {
    bool any = false;
    const auto &items = rw.program->items;
    Given &g = *rw.given;
    if (!g.late.empty()) return false;
    while (rw.line_item < items.size() && rw.line_item <= rw.next) {
        const auto &lines = items[rw.line_item].lines;
        const unsigned left = (unsigned)(lines.size() - rw.line), room = line_room(g);
        if (left && !room) break;
        const unsigned n = std::min({left, room, 2u});
        if (n) word(beat, rw.sm, rw.program->warp, n, &lines[rw.line], n);
        any |= n != 0;
        rw.line += n;
        g.lines_sent = (std::uint16_t)(g.lines_sent + n);
        if (rw.line == lines.size()) {
            rw.line_item++;
            rw.line = 0;
        }
    }
    return any;
}

/* The line words that are left of a warp that has ended. */
void Host::keep_late(const RunningWarp &rw) {
    std::size_t line = rw.line;
    for (std::size_t i = rw.line_item; i < rw.program->items.size(); i++, line = 0) {
        const auto &lines = rw.program->items[i].lines;
        rw.given->late.insert(rw.given->late.end(), lines.begin() + (std::ptrdiff_t)line,
                              lines.end());
    }
}

/* Lines before their packet if there is room for them; but a packet never waits for that. */
bool Host::feed_warp(RunningWarp &rw) {
    Beat beat;
    bool any = feed_lines(rw, beat);
    while (rw.next < rw.program->items.size()) {
        const Item &item = rw.program->items[rw.next];
        if (!options_.up_front) {
            if (rw.performed < item.gate) break;
            if ((std::uint16_t)(rw.given->sent - rw.given->consumed) >= options_.buffer) break;
        }
        word(beat, rw.sm, rw.program->warp, 0, item.packet, 2);
        rw.next++;
        rw.given->sent++;
        any = true;
        feed_lines(rw, beat);
    }
    flush_beat(beat);
    return any;
}

bool Host::feed() {
    bool any = false;
    for (auto &entry : given_)
        any |= feed_late(entry.first.first, entry.first.second, entry.second);
    for (auto &entry : warps_) {
        if (options_.delay_seed && random_.chance(30)) {
            any = true; /* later */
            continue;
        }
        any |= feed_warp(entry.second);
    }
    return any;
}

void Host::give_replies(Cycle before) {
    auto &list = memory_.pending;
    while (!list.empty() && std::get<0>(list.begin()->first) < before) {
        Beat b;
        core_command_set_kind(b.w, CORE_CMD_DRAM_REPLY);
        core_command_set_sm(b.w, list.begin()->second.slice);
        core_command_set_id(b.w, list.begin()->second.id);
        core_command_set_at(b.w, std::get<0>(list.begin()->first));
        core_command_set_value(b.w, list.begin()->second.written);
        core_.command(b.w);
        list.erase(list.begin());
    }
}

/* ------------------------------------------------------------------------------ events */

/* An operation has taken effect, at a slice here; one outside does when its request leaves. */
void Host::performed(const Event &e) {
    auto found = warps_.find({e.sm, e.warp});
    if (found == warps_.end())
        out_.error = "Perform for a warp that does not run";
    else
        found->second.performed++;
}

void Host::handle(const Event &e) {
    const Cycle at = near(e.at, now_);
    if (e.kind == CORE_EV_WANT) {
        Given &g = given_[{e.sm, e.warp}];
        g.consumed = (std::uint16_t)e.id;
        g.lines_consumed = (std::uint16_t)e.addr;
        return;
    }
    if (e.kind == CORE_EV_NONE) return;
    last_event_ = std::max(last_event_, at);
    out_.events.push_back(e);
    switch (e.kind) {
    case CORE_EV_REPLY: customers_.reply(e, at); break;
    case CORE_EV_PIN: break; /* counted by nobody here */
    case CORE_EV_REQUEST:
        outside_.request(e, at);
        if (unpack_id(e.id).perform) performed(e);
        break;
    case CORE_EV_PERFORM:
        if (e.sm < FIRST_CUSTOMER) performed(e);
        break;
    case CORE_EV_CTA_DONE: {
        auto found = running_.find({e.sm, e.id});
        if (found == running_.end()) {
            out_.error = "CtaDone of a CTA that does not run";
            break;
        }
        const int ended = (int)found->second;
        running_.erase(found);
        for (const WarpProgram &w : phase_->ctas[(std::size_t)ended].warps) {
            keep_late(warps_[{e.sm, w.warp}]);
            warps_.erase({e.sm, w.warp});
        }
        ctas_left_--;
        out_.ends.back() = std::max(out_.ends.back(), at);
        for (std::size_t i = 0; i < phase_->ctas.size(); i++)
            if (phase_->ctas[i].after == ended) launch(i, at + lookahead_ + phase_->ctas[i].delay);
        break;
    }
    case CORE_EV_DRAM_READ:
    case CORE_EV_DRAM_WRITE: {
        const bool write = e.kind == CORE_EV_DRAM_WRITE;
        if (write && !e.id) break; /* of a flush or a copy: nobody waits */
        if (!write) out_.events.back().id = 0;
        Random r(stream_.seed ^ (std::uint64_t)e.at << 32 ^ (std::uint64_t)e.addr << 4 ^ e.sectors);
        const Cycle reply = at + lookahead_ + stream_.dram_latency +
                            r.below(stream_.dram_spread + 1);
        memory_.pending[{reply, e.sm, e.addr, e.sectors | (write ? 16u : 0)}] = {e.sm, e.id, write};
        break;
    }
    default: out_.error = "event of unknown kind " + std::to_string(e.kind);
    }
}

void Host::take_events() {
    taken_.clear();
    core_.take_events(taken_);
    for (const Event &e : taken_) handle(e);
}

/* ------------------------------------------------------------------------------ time */

void Host::run_to(Cycle until) {
    unsigned fruitless = 0;
    while (out_.error.empty()) {
        give_replies(until);
        customers_.give(until);
        outside_.give(until);
        bool any = feed();
        const Status s = core_.run(until);
        out_.runs++;
        now_ = until;
        const std::size_t before = out_.events.size();
        take_events();
        any |= !taken_.empty() || out_.events.size() > before;
        if (!s.parked) {
            if (s.reached < until)
                out_.error = "the core stopped at " + std::to_string(s.reached) + " before " +
                             std::to_string(until) + " and is not parked";
            return;
        }
        out_.parks++;
        fruitless = any ? 0 : fruitless + 1;
        if (fruitless > 4) {
            out_.error = "the core is parked at " + std::to_string(s.reached) +
                         " and nothing can be delivered";
            for (auto &w : warps_)
                if (w.second.next < w.second.program->items.size())
                    out_.error += "\n  SM " + std::to_string(w.first.first) + " warp " +
                                  std::to_string(w.first.second) + ": sent " +
                                  std::to_string(w.second.given->sent) + " consumed " +
                                  std::to_string(w.second.given->consumed) + " performed " +
                                  std::to_string(w.second.performed);
        }
    }
}

/* Runs on until nothing has happened for a while. @return a time that depends on the target alone
 */
Cycle Host::settle() {
    constexpr Cycle QUIET = 4096;
    Cycle end;
    do {
        end = (last_event_ / QUIET + 2) * QUIET;
        while (now_ < end && out_.error.empty()) run_to(std::min(end, now_ + options_.step));
    } while (out_.error.empty() &&
             (!memory_.pending.empty() || !outside_.done() || last_event_ + QUIET > end));
    return end;
}

Cycle Host::run_phase(const Phase &phase, Cycle start) {
    phase_ = &phase;
    ctas_left_ = phase.ctas.size();
    out_.ends.push_back(0);
    start += phase.idle;
    while (now_ < start && out_.error.empty()) run_to(std::min(start, now_ + options_.step));
    if (phase.flush_l1)
        for (unsigned sm = 0; sm < phase.l1_lines.size(); sm++) flush_l1(sm, phase.l1_lines[sm]);
    if (phase.unpin_l2) simple(CORE_CMD_UNPIN_L2, 0, 0, 0);
    if (phase.flush_l2) simple(CORE_CMD_FLUSH_L2, 0, 0, 0);
    if (phase.fill_lines) simple(CORE_CMD_FILL_L2, phase.fill_line, 0, phase.fill_lines);
    for (std::size_t i = 0; i < phase.ctas.size(); i++)
        if (phase.ctas[i].after < 0) launch(i, start + lookahead_ + phase.ctas[i].delay);
    customers_.begin(phase, start + lookahead_);
    while ((ctas_left_ || !customers_.done()) && out_.error.empty()) {
        run_to(now_ + options_.step);
        if (now_ > start + options_.limit) out_.error = "the phase does not end";
    }
    last_event_ = std::max(last_event_, out_.ends.back());
    return settle();
}

Outcome Host::run() {
    set_up();
    if (options_.step > lookahead_) out_.error = "a run may not exceed the look-ahead";
    Cycle start = 0;
    for (const Phase &p : stream_.phases) {
        if (!out_.error.empty()) break;
        start = run_phase(p, start);
    }
    if (out_.error.empty()) { /* what L2 holds at the end */
        simple(CORE_CMD_FLUSH_L2, 0, 0, 0);
        run_to(now_ + options_.step);
    }
    std::sort(out_.events.begin(), out_.events.end(),
              [](const Event &a, const Event &b) { return event_key(a) < event_key(b); });
    out_.counters = core_.counters();
    return std::move(out_);
}

} // namespace

Outcome run_stream(CoreUnderTest &core, const Stream &stream, const HostOptions &options) {
    return Host(core, stream, options).run();
}

} // namespace reference
