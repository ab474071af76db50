/* sm.cpp - see sm.h. */
#include "reference/sm.h"

#include <algorithm>

namespace reference {

Sm::Sm(unsigned number, const Config &config, Coverage &coverage, std::vector<Event> &events)
    : state(number, config, coverage, events), l1(state), code_(state), stage_(state, l1, code_) {
    for (unsigned s = 0; s < SUB_CORES; s++) sub_core_.emplace_back(s, state);
}

void Sm::launch(unsigned warp, unsigned cta, unsigned cta_warps, unsigned constants, Cycle at) {
    launching_.insert({at, {warp, cta, cta_warps, constants}});
    state.want &= ~(std::uint64_t{1} << warp);
    wake = std::min(wake, at);
}

void Sm::deliver(unsigned warp, const std::uint64_t *packet, Cycle now) {
    Warp &w = state.warp[warp];
    if (w.packets.ends_with_hold()) { /* it vanishes */
        w.packets.pop_back();
        w.consumed++;
        state.want |= std::uint64_t{1} << warp;
        state.hit(Feature::HOLD);
    }
    if (w.packets.empty()) {
        state.touch(warp);
        wake = std::min(wake, now);
    }
    w.packets.push_back(packet);
    w.came = true;
}

void Sm::start_warp(const Launch &l, Cycle now) {
    Warp &w = state.warp[l.warp];
    Cta &cta = state.cta[l.cta];
    if (w.live) throw std::logic_error("reference: Launch of a live warp");
    if (cta.live == 0) {
        cta = Cta();
        cta.live = cta.live_at_barriers = l.cta_warps;
    }
    for (unsigned i = 0; i < STORES; i++)
        if (w.cnt[i])
            throw std::logic_error("reference: Launch of a warp with something on its way");
    if (w.used) state.hit(Feature::WARP_REUSE);
    if (w.cnt[STORES]) state.hit(Feature::WARP_REUSE_STORES);
    state.set_live(l.warp, true);
    w.used = true;
    w.at_barrier = false;
    w.ready_at = now;
    state.touch(l.warp);
    for (unsigned &banks : w.banks) banks = 0;
    w.stalls_for = CORE_COUNTER_WAIT_NO_WARP;
    w.cta = l.cta;
    w.constants = l.constants;
}

/* Rule 7. All replies that arrive at `now` are known by now: their way is longer than a cycle. */
void Sm::take_replies(Cycle now) {
    const Params &params = state.config.params;
    while (!arriving_.empty() && arriving_.first().reply.at <= now) {
        const Reply r = arriving_.first().reply;
        arriving_.pop();
        const unsigned sectors = count_bits(r.sectors), rate = params[CORE_PARAM_REPLY_RATE];
        const Cycle enter = std::max(r.at, reply_port_free_);
        const Cycle busy = sectors ? (sectors + rate - 1) / rate : 0;
        if (enter > r.at) state.hit(Feature::REPLY_WAIT);
        if (busy > 1) state.hit(Feature::REPLY_TWO_CYCLES);
        reply_port_free_ = enter + busy;
        filling_.push_back({enter + busy + params[CORE_PARAM_FILL_DELAY], r});
    }
}

void Sm::make_visible(Cycle now) {
    while (!filling_.empty() && filling_.front().at <= now) {
        const auto [filling_at, r] = filling_.front();
        filling_.pop_front();
        if (r.cached && r.mshr & CODE_REPLY)
            code_.fill(r.warp, r.mshr % 16, r.sectors, filling_at, sub_core_.data());
        else if (r.cached)
            for (const L1::Waiter &w : l1.fill(r.mshr, r.sectors)) state.fall(w.warp, w.bar, now);
        else {
            if (r.bar != NO_BAR) stage_.answered();
            state.fall(r.warp, r.bar, now);
        }
    }
    state.take_back_visible(now);
}

void Sm::begin_cycle(Cycle now) {
    take_replies(now);
    make_visible(now);
    for (SubCore &s : sub_core_) s.take_code(now);
    while (!launching_.empty() && launching_.begin()->first <= now) {
        start_warp(launching_.begin()->second, now);
        launching_.erase(launching_.begin());
    }
}

bool Sm::starves(Cycle now) const {
    for (const SubCore &s : sub_core_)
        if (s.starves(now)) return true;
    return stage_.starves(now, sub_core_.data());
}

void Sm::end_cycle(Cycle now, std::vector<Request> &requests, std::vector<Issue> &issues) {
    ctas_.clear();
    while (!ended_.empty() && ended_.front().at + END_TO_BARRIER <= now) {
        ctas_.push_back(ended_.front().cta);
        ended_.pop_front();
    }
    if (!ctas_.empty()) stage_.warps_ended(ctas_, now);
    stage_.cycle(now, sub_core_.data(), requests);
    for (SubCore &s : sub_core_) {
        s.address_unit(now);
        int warp = s.issue(now);
        if (warp >= 0) issues.push_back({now, state.number, (unsigned)warp});
        for (const SubCore::End &e : s.ended) ended_.push_back(e);
        s.ended.clear();
    }
    state.touched = 0;
    wake = next(now);
}

/* The first cycle after `now` in which something happens. */
Cycle Sm::next(Cycle now) const {
    if (state.config.every_cycle) return idle(now) ? NEVER : now + 1;
    Cycle at = std::min(stage_.next(now, sub_core_.data()), state.next_fall());
    if (!launching_.empty()) at = std::min(at, launching_.begin()->first);
    if (!arriving_.empty()) at = std::min(at, arriving_.first().reply.at);
    if (!filling_.empty()) at = std::min(at, filling_.front().at);
    if (!ended_.empty()) at = std::min(at, ended_.front().at + END_TO_BARRIER);
    for (const SubCore &s : sub_core_) at = std::min(at, s.next(now));
    return at;
}

bool Sm::idle(Cycle now) const {
    if (!launching_.empty() || !arriving_.empty() || !filling_.empty() || !ended_.empty() ||
        !stage_.idle(now) || state.next_fall() != NEVER)
        return false;
    for (const SubCore &s : sub_core_)
        if (!s.idle()) return false;
    for (const Cta &c : state.cta)
        if (c.live) return false;
    return true;
}

void Sm::report_want(Cycle now) {
    const unsigned half = state.config.params[CORE_PARAM_BUFFER_PACKETS] / 2;
    for (std::uint64_t left = state.want; left; left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctzll(left);
        Warp &w = state.warp[i];
        const std::uint16_t lines = (std::uint16_t)(w.lines_consumed - w.lines_told);
        const bool packets = w.came && w.packets.size() <= half;
        if (!packets && lines < LINES_TOLD) continue;
        if (packets) w.came = false;
        if (!w.came) state.want &= ~(std::uint64_t{1} << i);
        w.lines_told = w.lines_consumed;
        state.events.push_back({(std::uint32_t)now, CORE_EV_WANT, state.number, i, 0, 0, w.consumed,
                                w.lines_consumed, 0});
    }
}

} // namespace reference
