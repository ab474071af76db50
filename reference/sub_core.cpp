/* sub_core.cpp - see sub_core.h. Numbers of rules are those of docs/timing-model.md. */
#include "reference/sub_core.h"

#include <algorithm>

namespace reference {

/* ------------------------------------------------------------------------------ time */

/* Between two such cycles nothing that `issue` looks at changes but the time. */
bool SubCore::due(Cycle now) const {
    return wake_ <= now || sm_.touched >> number_ & 1 || sm_.config.every_cycle;
}

/* Behind a cycle without an issue. What comes from elsewhere touches the sub-core. */
Cycle SubCore::wake_after(Cycle now) const {
    Cycle wake = seen_unwritten_ ? now + 1 : NEVER;
    for_live([&](unsigned s) {
        const Warp &w = sm_.warp[warp_number(s)];
        if (w.at_barrier || awaits_[s] == Awaits::LINE) return;
        Cycle at = std::max(now + 1, held_until_);
        if (w.packets.empty() || w.ready_at > now) {
            at = std::max(now + 1, w.ready_at);
        } else if (awaits_[s] == Awaits::NOTHING) {
            const Packet &p = w.packets.front();
            const unsigned pipe = class_of(p).pipe;
            if (w.waits(p.wait_mask)) return;
            if (pipe_free_[pipe] > now)
                at = pipe_free_[pipe];
            else if (pipe == PIPE_MIO && !mio_slot_free(now)) {
                if (entered_ <= issued_ - QUEUE) return;
                at = slot_free_[(issued_ - QUEUE) % HISTORY];
            }
        }
        wake = std::min(wake, at);
    });
    return wake;
}

/* When the next operation enters the address unit. */
Cycle SubCore::next_entry() const {
    const Params &params = sm_.config.params;
    const std::uint64_t n = entered_;
    if (queue_.empty()) return NEVER;
    Cycle at = queue_.front().issued + params[CORE_PARAM_AU_DELAY];
    if (n > 0) at = std::max(at, entry_ + params[CORE_PARAM_AU_INTERVAL]);
    if (n < CREDITS) return at;
    if (started_ <= n - CREDITS) return NEVER; /* the memory stage gives the credit back */
    return std::max(at, start_[(n - CREDITS) % HISTORY] + STAGE_WAY);
}

Cycle SubCore::next(Cycle now) const {
    return std::min({wake_, std::max(now + 1, next_entry()), code_.next_answer()});
}

/* ------------------------------------------------------------------------------ rule 2 */

bool SubCore::starves(Cycle now) const {
    bool any = false;
    if (!due(now)) return false;
    for_live([&](unsigned s) {
        const Warp &w = sm_.warp[warp_number(s)];
        if (w.at_barrier || now < w.ready_at) return;
        const Packet &p = w.packets.front();
        any |= w.packets.empty() || (p.cls == CORE_CLASS_HOLD && !w.waits(p.wait_mask));
    });
    return any;
}

bool SubCore::mio_slot_free(Cycle now) const {
    if (issued_ < QUEUE) return true;
    return entered_ > issued_ - QUEUE && slot_free_[(issued_ - QUEUE) % HISTORY] <= now;
}

/* Rule 12: the counters of `mask` that are 0 and of which the last result still waits to be
 * written. */
unsigned SubCore::unwritten(const Warp &w, unsigned mask, Cycle now) const {
    unsigned out = 0;
    if (!sm_.config.params[CORE_PARAM_WRITE_PORTS]) return out;
    for (unsigned i = 0; i < STORES; i++)
        if (mask >> i & 1 && !w.cnt[i] && registers_.writes_wait(w.banks[i], w.zero_since[i], now))
            out |= 1u << i;
    return out;
}

bool SubCore::finds_unwritten(const Warp &w, unsigned mask, Cycle now) const {
    const unsigned late = unwritten(w, mask, now);
    for (unsigned i = 0; i < STORES; i++) {
        if (!(late >> i & 1)) continue;
        sm_.hit(Feature::WRITE_CONFLICT);
        if (w.zero_since[i] < now) sm_.hit(Feature::WRITE_CONFLICT_AGAIN);
        if (w.banks[i] == 3) sm_.hit(Feature::WRITE_CONFLICT_PAIR);
    }
    return late != 0;
}

bool SubCore::ready(unsigned slot, Cycle now) const {
    const Warp &w = sm_.warp[warp_number(slot)];
    if (w.at_barrier || w.packets.empty()) return false;
    if (awaits_[slot] != Awaits::NOTHING) return awaits_[slot] == Awaits::TURN;
    const Packet &p = w.packets.front();
    if (p.cls == CORE_CLASS_HOLD) return false;
    const Class &c = class_of(p);
    if (now < w.ready_at)
        sm_.hit(Feature::STALLED);
    else if (w.waits(p.wait_mask & 0x3f))
        sm_.hit(Feature::WAIT_BARRIER);
    else if (w.waits(p.wait_mask))
        sm_.hit(Feature::WAIT_DRAIN);
    else if (now < pipe_free_[c.pipe])
        sm_.hit(Feature::WAIT_PIPE);
    else if (c.pipe == PIPE_MIO && !mio_slot_free(now))
        sm_.hit(Feature::WAIT_MIO_SLOT);
    else
        return !finds_unwritten(w, p.wait_mask, now);
    return false;
}

int SubCore::pick(Cycle now) const {
    enum { CGGTY, GTO, LRR };
    const unsigned policy = sm_.config.params[CORE_PARAM_POLICY];
    bool is_ready[SLOTS] = {}, any = false;
    for_live([&](unsigned s) { any |= is_ready[s] = ready(s, now); });
    if (!any) return -1;
    if (sm_.config.policy.scheduler) return choose(is_ready, now);
    if (policy == LRR) {
        for (int i = 1; i <= (int)SLOTS; i++) {
            int s = (last_ + i) % (int)SLOTS;
            if (is_ready[s]) return s;
        }
    }
    if (is_ready[last_] && !last_yields_) return last_;
    int highest = -1, lowest = -1;
    for (int s = 0; s < (int)SLOTS; s++)
        if (is_ready[s]) {
            highest = s;
            if (lowest < 0) lowest = s;
        }
    int chosen = policy == GTO ? lowest : highest;
    if (is_ready[last_]) sm_.hit(chosen == last_ ? Feature::YIELD_KEPT : Feature::YIELD_PASSED);
    return chosen;
}

/* The sub-core for a plug-in, with no warp ready. */
heddle_issue SubCore::issue_view(Cycle now) const {
    heddle_issue view{};
    view.cycle = now;
    view.sm = sm_.number;
    view.sub_core = number_;
    view.slots = SLOTS;
    view.live = sm_.live[number_];
    view.last = (std::uint32_t)last_;
    view.last_yields = last_yields_;
    for_live([&](unsigned s) {
        const Warp &w = sm_.warp[warp_number(s)];
        view.at_barrier |= (std::uint32_t)w.at_barrier << s;
        if (w.packets.empty()) return;
        for (unsigned i = 0; i < STORES; i++)
            if (w.waits(w.packets.front().wait_mask & 1u << i) &&
                w.counts_for[i] == CORE_COUNTER_WAIT_MEMORY)
                view.waits_memory |= 1u << s;
    });
    return view;
}

/* The warp that a plug-in chooses. While nothing may issue, it is not asked. */
int SubCore::choose(const bool *is_ready, Cycle now) const {
    const heddle_policy &policy = sm_.config.policy;
    heddle_issue view = issue_view(now);
    for (unsigned s = 0; s < SLOTS; s++) view.ready |= (std::uint32_t)is_ready[s] << s;
    if (now < held_until_) return __builtin_ctz(view.ready);
    const int slot = policy.scheduler->choose(scheduler_state_.at(0), &view);
    if (slot >= (int)SLOTS || (slot >= 0 && !is_ready[slot]))
        throw std::logic_error("plug-in " + std::string(policy.name) + ": in cycle " +
                               std::to_string(now) + " its scheduler chose warp slot " +
                               std::to_string(slot) + " of sub-core " + std::to_string(number_) +
                               " of SM " + std::to_string(sm_.number) + ", which is not ready");
    return slot < 0 ? -1 : slot;
}

/* The fields from `lines` to `bar_warps` as one number. */
static Cycle sleep_cycles(const Packet &p) {
    return Cycle{p.num_lines} << 17 | p.passes << 11 | p.replay();
}

/* The memory pipe's operations on global and local memory. */
static bool is_global(const Packet &p) {
    return p.mem >= CORE_MEM_LOAD && p.mem <= CORE_MEM_ATOM;
}

/* Rule 11. What the warp in a slot waited for in cycle `at`, the last one, by what was so then and
 * by the packet that it issues now: it may have come since. */
core_counter SubCore::waited_for(unsigned slot, Cycle at) const {
    if (at < held_until_) return held_for_;
    const Warp &w = sm_.warp[warp_number(slot)];
    const Packet &p = w.packets.front();
    const Seen &seen = seen_[slot];
    if (!(seen_live_ >> slot & 1)) return CORE_COUNTER_WAIT_NO_WARP;
    if (seen.at_barrier) return CORE_COUNTER_WAIT_BARRIER;
    const bool stalled = at < seen.ready_at;
    if (stalled && seen.stalls_for == CORE_COUNTER_WAIT_BARRIER) return seen.stalls_for;
    for (unsigned i = 0; i < 7; i++)
        if (p.wait_mask & seen.counting & 1u << i)
            return i != STORES ? w.counts_for[i]
                   : p.last    ? CORE_COUNTER_WAIT_DRAIN
                               : CORE_COUNTER_WAIT_MEMBAR;
    if (seen.awaits) return CORE_COUNTER_WAIT_FETCH;
    if (stalled) return seen.stalls_for;
    if (class_of(p).pipe != PIPE_MIO) return CORE_COUNTER_WAIT_PIPE;
    return is_global(p) ? CORE_COUNTER_WAIT_LG_THROTTLE : CORE_COUNTER_WAIT_MIO_THROTTLE;
}

void SubCore::look(Cycle now) {
    seen_unwritten_ = false;
    seen_live_ = sm_.live[number_];
    for_live([&](unsigned s) {
        const Warp &w = sm_.warp[warp_number(s)];
        const unsigned late = unwritten(w, 0x7f, now);
        seen_[s] = {w.ready_at, w.stalls_for, w.at_barrier, awaits_[s] != Awaits::NOTHING,
                    (std::uint8_t)(w.counting | late)};
        seen_unwritten_ |= late != 0;
    });
}

/* A visit of the warp in a slot, for a watch. */
void SubCore::tell(unsigned slot, Cycle now, bool issued) const {
    if (!sm_.watch) return;
    const Cycle quiet = now > quiet_since_ ? now - quiet_since_ : 0;
    const unsigned cause = quiet ? waited_for(slot, now - 1) - CORE_COUNTER_WAIT_NO_WARP : 0;
    if (issued || quiet)
        sm_.watch->visited(sm_.watch->user, sm_.number, SmState::place(warp_number(slot)), issued,
                           (std::uint32_t)quiet, cause);
}

/* The warp to issue, its code being there: one whose code is not makes room for the next. */
int SubCore::pick_fetched(Cycle now) {
    for (;;) {
        const int slot = pick(now);
        if (slot < 0) return slot;
        if (now < held_until_) {
            sm_.hit(held_for_ == CORE_COUNTER_WAIT_REGISTER ? Feature::REGISTER_HELD
                                                            : Feature::CONSTANT_HELD);
            return -1;
        }
        Warp &w = sm_.warp[warp_number((unsigned)slot)];
        Packet &p = w.packets.front();
        if (!p.fetch || p.fetched || !code_.exists()) return slot;
        p.fetched = code_.look(p, now);
        Awaits &awaits = awaits_[slot];
        if (!p.fetched) {
            sm_.hit(awaits == Awaits::NOTHING ? Feature::CODE_LATE : Feature::CODE_LATE_AGAIN);
            awaits = Awaits::LINE;
        } else if (awaits == Awaits::NOTHING) {
            return slot;
        } else { /* whether it can issue at once is another question */
            awaits = Awaits::NOTHING;
            w.ready_at = now;
            w.stalls_for = CORE_COUNTER_WAIT_FETCH;
        }
    }
}

/* The same with its constant, which is waited for in turn if it is not there. */
int SubCore::pick_complete(Cycle now) {
    const int slot = pick_fetched(now);
    if (slot < 0) return slot;
    Warp &w = sm_.warp[warp_number((unsigned)slot)];
    Packet &p = w.packets.front();
    if (!p.constant || p.mem != CORE_MEM_NONE || p.constant_found ||
        !sm_.config.params[CORE_PARAM_CONST_WAYS])
        return slot;
    const Cycle there = constants_.look(w.constants, p.constant, now);
    if (there <= now) return slot;
    sm_.constant_misses++;
    p.constant_found = true;
    tell((unsigned)slot, now, false);
    count_quiet((unsigned)slot, now);
    quiet_since_ = now;
    held_until_ = std::min(there, now + sm_.config.params[CORE_PARAM_CONST_HOLD]);
    held_for_ = CORE_COUNTER_WAIT_CONSTANT;
    w.ready_at = there;
    w.stalls_for = CORE_COUNTER_WAIT_CONSTANT;
    return -1;
}

/* Rule 11: the cycles since the last issue were lost to what this warp waited for. */
void SubCore::count_quiet(unsigned slot, Cycle now) {
    if (now > quiet_since_) sm_.waits[waited_for(slot, now - 1)] += now - quiet_since_;
}

void SubCore::take_code(Cycle now) {
    if (!code_.take_answers(now)) return;
    for (Awaits &a : awaits_)
        if (a == Awaits::LINE) a = Awaits::TURN;
    sm_.touched |= 1u << number_;
}

int SubCore::issue(Cycle now) {
    if (!due(now)) return -1;
    const int slot = pick_complete(now);
    if (slot < 0) {
        look(now);
        wake_ = wake_after(now);
        return -1;
    }
    tell((unsigned)slot, now, true);
    count_quiet((unsigned)slot, now);
    quiet_since_ = wake_ = now + 1;
    sm_.hit(slot == last_ ? Feature::ISSUE_LAST : Feature::ISSUE_OTHER);
    const unsigned number = warp_number((unsigned)slot);
    Warp &w = sm_.warp[number];
    Packet p = w.packets.front();
    w.packets.pop_front();
    w.consumed++;
    sm_.want |= std::uint64_t{1} << number;
    const Class &c = class_of(p);
    if ((c.pipe == PIPE_MIO) != (p.mem != CORE_MEM_NONE))
        throw std::logic_error("reference: `mem` and the class's pipe do not agree");
    const unsigned kind = c.pipe == PIPE_MIO ? Coverage::CLASSES + p.mem : p.cls;
    sm_.coverage.issue_pair(last_kind_, kind);
    last_kind_ = kind;
    if (const heddle_scheduler *scheduler = sm_.config.policy.scheduler)
        if (scheduler->issued) {
            const heddle_issue view = issue_view(now);
            scheduler->issued(scheduler_state_.at(0), &view, (std::uint32_t)slot);
        }
    last_ = slot;
    last_yields_ = p.do_yield;

    /* Rule 12: what follows from the issue counts from when its operands were in time. */
    const Cycle issued = now;
    if (c.ports) {
        if (c.pipe == PIPE_MIO) throw std::logic_error("reference: MIO with register ports");
        now += registers_.read(number, p, c.reuse, now);
    }
    held_until_ = now + 1;
    held_for_ = CORE_COUNTER_WAIT_REGISTER;

    Cycle stall = std::max(p.stall, 1u);
    if (p.do_yield) stall = std::max(stall, Cycle{2});
    if (c.blocking) stall = std::max(stall, Cycle{c.latency});
    if (c.sleeping) stall = std::max(stall, sleep_cycles(p));
    w.ready_at = now + stall;
    w.stalls_for = c.sleeping                          ? CORE_COUNTER_WAIT_SLEEP
                   : c.blocking && c.latency > p.stall ? CORE_COUNTER_WAIT_MEMBAR
                                                       : CORE_COUNTER_WAIT_STALL;
    const bool global = is_global(p);
    for (unsigned bar : {p.wr_bar, p.rd_bar})
        if (bar < 6)
            w.counts_for[bar] = c.pipe != PIPE_MIO ? CORE_COUNTER_WAIT_SFU
                                : global           ? CORE_COUNTER_WAIT_MEMORY
                                                   : CORE_COUNTER_WAIT_SHARED;
    if (p.rd_bar != NO_BAR) w.banks[p.rd_bar] = 0;
    if (p.wr_bar != NO_BAR) w.banks[p.wr_bar] = c.pipe == PIPE_MIO ? p.dst : 0;
    if (c.ports && p.dst && c.latency <= LONGEST_WRITTEN &&
        sm_.config.params[CORE_PARAM_WRITE_PORTS])
        registers_.write(p.dst, now + c.latency);
    if (c.blocking) sm_.hit(Feature::BLOCKING);
    if (c.sleeping) sm_.hit(Feature::SLEEPING);
    pipe_free_[c.pipe] = now + c.interval;

    if (c.pipe == PIPE_MIO) {
        if (p.last) throw std::logic_error("reference: the last instruction of a warp is MIO");
        issue_mio(number, p, now);
        return (int)number;
    }

    /* Rule 3. */
    if (p.wr_bar != NO_BAR) {
        w.count(p.wr_bar);
        sm_.take_back(number, p.wr_bar, now + c.latency);
        sm_.hit(Feature::ALU_WR_BAR);
    }
    if (p.rd_bar != NO_BAR) {
        w.count(p.rd_bar);
        sm_.take_back(number, p.rd_bar, now + ALU_OPERANDS_READ);
        sm_.hit(Feature::ALU_RD_BAR);
    }
    if (p.perform) {
        sm_.emit(CORE_EV_PERFORM, issued, number, p.slot, 0);
        sm_.hit(Feature::CLOCK);
    }
    if (p.last) {
        for (unsigned i = 0; i < STORES; i++)
            if (w.cnt[i])
                throw std::logic_error("reference: a warp ends with something on its way");
        sm_.set_live(number, false);
        sm_.want &= ~(std::uint64_t{1} << number);
        ended.push_back({issued, w.cta});
        sm_.hit(Feature::WARP_END);
        if (--sm_.cta[w.cta].live == 0) {
            sm_.emit(CORE_EV_CTA_DONE, issued, 0, 0, w.cta);
            sm_.hit(Feature::CTA_DONE);
        }
    }
    return (int)number;
}

/* ------------------------------------------------------------------------------ rule 4 */

void SubCore::issue_mio(unsigned number, const Packet &p, Cycle now) {
    Warp &w = sm_.warp[number];
    if (p.rd_bar != NO_BAR) w.count(p.rd_bar);
    if (p.mem == CORE_MEM_STORE || p.mem == CORE_MEM_RED ||
        (p.mem == CORE_MEM_SHARED_STORE && p.perform))
        w.count(STORES);
    else if (p.mem != CORE_MEM_BARRIER && p.wr_bar != NO_BAR)
        w.count(p.wr_bar);
    if (p.mem == CORE_MEM_BARRIER && !p.bar_arrive) w.at_barrier = true;
    queue_.push_back({number, w.constants, p, now, 0});
    issued_++;
}

void SubCore::address_unit(Cycle now) {
    if (queue_.empty()) return;
    const Params &params = sm_.config.params;
    MioOp &op = queue_.front();
    const std::uint64_t n = entered_;
    if (now < next_entry()) {
        if (now < op.issued + params[CORE_PARAM_AU_DELAY]) return;
        const bool early = n > 0 && now < entry_ + params[CORE_PARAM_AU_INTERVAL];
        sm_.hit(early ? Feature::AU_INTERVAL : Feature::AU_CREDIT);
        return;
    }
    const unsigned replay = op.packet.mem == CORE_MEM_CONST ? op.packet.replay() : 0;
    if (replay > params[CORE_PARAM_AU_INTERVAL]) sm_.hit(Feature::AU_REPLAY);
    entry_ = now + replay;
    slot_free_[n % HISTORY] = entry_ + params[CORE_PARAM_AU_RELEASE];
    sm_.take_back(op.warp, op.packet.rd_bar, slot_free_[n % HISTORY]);
    if (op.packet.rd_bar != NO_BAR) sm_.hit(Feature::MIO_RD_BAR);
    op.arrival = entry_ + STAGE_WAY;
    to_stage_.push_back(op);
    queue_.pop_front();
    entered_++;
    sm_.touched |= 1u << number_; /* its slot has a time at which it is free */
}

MioOp SubCore::start(Cycle now) {
    MioOp op = to_stage_.front();
    to_stage_.pop_front();
    start_[started_++ % HISTORY] = now;
    return op;
}

} // namespace reference
