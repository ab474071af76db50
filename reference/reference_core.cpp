/* reference_core.cpp - commands, the cycle, and the network (docs/timing-model.md, rules 9 to 11).
 */
#include "reference/reference_core.h"

#include <algorithm>

namespace reference {

/* What an issue adds to the hash: docs/timing-model.md, rule 11. */
std::uint64_t issue_mix(std::uint64_t sm, std::uint64_t warp, std::uint32_t at) {
    std::uint64_t x = (sm << 38 | warp << 32 | at) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 32;
}

/* Parameters are known when the first command that needs an SM or slice comes. */
void ReferenceCore::build() {
    if (!sms_.empty()) return;
    const Params &p = config_.params;
    if (p[CORE_PARAM_INSTANCES] != 1)
        throw std::logic_error("reference: models the whole GPU, one instance");
    for (unsigned i = 0; i < p[CORE_PARAM_NUM_SM]; i++)
        sms_.push_back(std::make_unique<Sm>(i, config_, coverage_, events_));
    l2_ = std::make_unique<L2>(config_, coverage_, events_);
    for (auto &s : sms_)
        if (watch_.visited) s->state.watch = &watch_;
}

Sm &ReferenceCore::sm(unsigned number) {
    build();
    if (number >= sms_.size()) throw std::logic_error("reference: a command names no SM");
    return *sms_[number];
}

/* A time of a word, modulo 2^32, that is not in the past. */
Cycle ReferenceCore::full_time(std::uint32_t at) const {
    const std::uint32_t ahead = at - (std::uint32_t)now_;
    if (ahead >> 31 || (ahead == 0 && begun_))
        throw std::logic_error("reference: a command comes too late");
    return now_ + ahead;
}

/* ------------------------------------------------------------------------------ commands */

void ReferenceCore::take_packets(const std::uint64_t *beat) {
    Sm &s = sm(core_command_sm(beat));
    const unsigned warp = core_command_warp(beat);
    for (unsigned i = 0; i < core_command_words(beat); i++) {
        const std::uint64_t *w = beat + 2 + 2 * i;
        switch (core_command_types(beat) >> 2 * i & 3) {
        case 0: s.deliver(warp, w, now_); break;
        case 2:
            s.deliver_line(warp, decode_line(w[0]));
            s.deliver_line(warp, decode_line(w[1]));
            break;
        case 1: s.deliver_line(warp, decode_line(w[0])); break;
        default: throw std::logic_error("reference: payload word of unknown type");
        }
    }
}

/* An answer from outside the GPU. */
void ReferenceCore::take_answer(const std::uint64_t *w) {
    const Reply r = decode_reply(w, full_time(core_remote_at(w)));
    if (core_remote_kind(w) != CORE_EV_REPLY || r.slice < CORE_FIRST_OUTSIDE)
        throw std::logic_error("reference: Remote that is no answer from outside");
    coverage_.hit(Feature::OUTSIDE_REPLY);
    if (r.at == answered_) coverage_.hit(Feature::OUTSIDE_TIE);
    answered_ = r.at;
    sm(r.sm).reply(r);
}

/* Requests of customers that are no SMs; answers from outside the GPU. */
void ReferenceCore::take_remote(const std::uint64_t *beat) {
    build();
    for (unsigned i = 0; i < core_command_words(beat); i++) {
        const std::uint64_t *w = beat + 2 + 2 * i;
        if (core_remote_sm(w) < FIRST_CUSTOMER) {
            take_answer(w);
            continue;
        }
        const std::uint32_t way = config_.params[CORE_PARAM_NET_REQUEST];
        const Request r = decode_request(w, full_time(core_remote_at(w) + way) - way);
        if (core_remote_kind(w) != CORE_EV_REQUEST || r.sm < FIRST_CUSTOMER || r.cached ||
            core_remote_slice(w) != slice_of(r.line.addr, config_.params))
            throw std::logic_error("reference: Remote that is no request of a customer");
        l2_->request(r);
    }
}

void ReferenceCore::command(const std::uint64_t *beat) {
    const std::uint32_t at = core_command_at(beat), value = core_command_value(beat);
    const unsigned id = core_command_id(beat);
    switch (core_command_kind(beat)) {
    case CORE_CMD_NONE: break;
    case CORE_CMD_PACKETS: take_packets(beat); break;
    case CORE_CMD_LAUNCH:
        sm(core_command_sm(beat))
            .launch(core_command_warp(beat), core_command_cta(beat), core_command_warps(beat),
                    id % CONSTANTS, full_time(at));
        break;
    case CORE_CMD_DRAM_REPLY:
        build();
        l2_->dram_reply(beat, full_time(at));
        break;
    case CORE_CMD_SET:
        if (!sms_.empty()) throw std::logic_error("reference: Set after the first run");
        if (id >= CORE_NUM_PARAMS) throw std::logic_error("reference: Set of no parameter");
        config_.params.set(id, value);
        break;
    case CORE_CMD_CLASS:
        config_.cls[id & 63] = {value >> 16,      value >> 8 & 0xff, value >> 4 & 0xf,
                                (value & 1) != 0, (value & 2) != 0,  (value & 4) != 0,
                                (value & 8) != 0};
        break;
    case CORE_CMD_REMOTE: take_remote(beat); break;
    case CORE_CMD_FLUSH_L1:
        sm(core_command_sm(beat)).l1.flush(value);
        coverage_.hit(Feature::FLUSH_L1);
        for (auto &s : sms_)
            if (!s->idle(now_)) {
                coverage_.hit(Feature::FLUSH_L1_BUSY);
                break;
            }
        break;
    case CORE_CMD_FLUSH_L2:
        build();
        l2_->flush(now_);
        coverage_.hit(Feature::FLUSH_L2);
        break;
    case CORE_CMD_UNPIN_L2:
        build();
        l2_->unpin();
        coverage_.hit(Feature::UNPIN_L2);
        break;
    case CORE_CMD_FILL_L2:
        build();
        l2_->fill(at, value, now_);
        coverage_.hit(Feature::FILL_L2);
        break;
    default: throw std::logic_error("reference: unknown command");
    }
}

/* ------------------------------------------------------------------------------ the cycle */

/* Everything at `now_`. What SMs and slices say to each other in a cycle arrives cycles later, so
 * their order within the cycle does not matter. */
void ReferenceCore::cycle() {
    requests_.clear();
    replies_.clear();
    issues_.clear();
    visited_++;
    coverage_.cycle(now_);
    for (auto &s : sms_)
        if (s->wake <= now_) s->end_cycle(now_, requests_, issues_);
    l2_->cycle(now_, replies_);
    for (const Request &r : requests_) l2_->request(r);
    for (const Reply &r : replies_) {
        if (r.sm < FIRST_CUSTOMER)
            sms_[r.sm]->reply(r);
        else
            events_.push_back(reply_event(r));
    }
    for (const Issue &i : issues_) {
        issued_++;
        issue_hash_ += issue_mix(i.sm, i.warp, (std::uint32_t)i.at);
        if (trace_) trace_->push_back(i);
    }
}

Cycle ReferenceCore::next() const {
    if (begun_) return now_;
    Cycle at = l2_ ? l2_->next() : NEVER;
    for (auto &s : sms_) at = std::min(at, s->wake);
    return at == NEVER ? NEVER : std::max(at, now_);
}

void ReferenceCore::report_want() {
    for (auto &s : sms_)
        if (s->state.want) s->report_want(now_);
}

Status ReferenceCore::run(Cycle until) {
    build();
    bool starves = false;
    while (now_ < until) {
        now_ = std::min(next(), until);
        if (now_ == until) break;
        if (!begun_)
            for (auto &s : sms_)
                if (s->wake <= now_) s->begin_cycle(now_);
        begun_ = true;
        for (auto &s : sms_) starves |= s->wake <= now_ && s->starves(now_);
        if (starves) break;
        cycle();
        now_++;
        begun_ = false;
    }
    report_want();
    return {now_, starves};
}

/* Nothing of a warp comes after the end of its CTA: events are made in order of time, but for those
 * of memory and for lines outside, whose times lie ahead. */
void ReferenceCore::take_events(std::vector<Event> &out) {
    out.insert(out.end(), events_.begin(), events_.end());
    events_.clear();
}

Counters ReferenceCore::counters() const {
    Counters c{};
    c.issued = issued_;
    c.issue_hash = issue_hash_;
    for (auto &s : sms_) {
        c.l1_accesses += s->l1.accesses;
        c.l1_hits += s->l1.hits;
        c.fetch_misses += s->state.fetch_misses;
        c.constant_misses += s->state.constant_misses;
        for (unsigned i = CORE_COUNTER_WAIT_NO_WARP; i <= CORE_COUNTER_WAIT_CONSTANT; i++)
            c.wait[i] += s->state.waits[i];
    }
    if (l2_) l2_->count(c);
    return c;
}

} // namespace reference
