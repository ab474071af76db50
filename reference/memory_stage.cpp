/* memory_stage.cpp - see memory_stage.h. */
#include "reference/memory_stage.h"

#include <algorithm>

namespace reference {

static bool is_global(unsigned mem) {
    return mem >= CORE_MEM_LOAD && mem <= CORE_MEM_ATOM;
}
static bool is_shared(unsigned mem) {
    return mem >= CORE_MEM_SHARED_LOAD && mem <= CORE_MEM_SHARED_ATOM;
}

/* Rule 5. @return the sub-core whose operation starts now; SUB_CORES: none */
unsigned MemoryStage::choose(Cycle now, const SubCore *sub_core) const {
    if (busy_ || now < free_ || now + sm_.config.params[CORE_PARAM_PORT_QUEUE] < port_free_)
        return SUB_CORES;
    for (unsigned i = 1; i <= SUB_CORES; i++) {
        const unsigned s = (served_ + i) % SUB_CORES;
        if (sub_core[s].head(now)) return s;
    }
    return SUB_CORES;
}

bool MemoryStage::starves(Cycle now, const SubCore *sub_core) const {
    const unsigned chosen = choose(now, sub_core);
    if (chosen == SUB_CORES) return false;
    const MioOp &op = *sub_core[chosen].head(now);
    return op.packet.num_lines > sm_.warp[op.warp].lines.size();
}

void MemoryStage::cycle(Cycle now, SubCore *sub_core, std::vector<Request> &requests) {
    const unsigned chosen = choose(now, sub_core);
    if (chosen < SUB_CORES) {
        unsigned waiting = 0;
        for (unsigned s = 0; s < SUB_CORES; s++) waiting += sub_core[s].head(now) != nullptr;
        if (waiting > 1) sm_.hit(Feature::STAGE_ROUND_ROBIN);
        served_ = chosen;
        op_ = sub_core[chosen].start(now);
        begin(now);
    } else if (!busy_ && now >= free_ &&
               port_free_ > now + sm_.config.params[CORE_PARAM_PORT_QUEUE]) {
        sm_.hit(Feature::STAGE_WAITS_FOR_PORT);
    }
    if (busy_) look_up(now, requests);
    fetch_code(now, sub_core, requests);
}

/* Rule 13: what the SM's instruction cache wants of L2. */
void MemoryStage::fetch_code(Cycle now, SubCore *sub_core, std::vector<Request> &requests) {
    const Params &params = sm_.config.params;
    fetches_.clear();
    code_.cycle(now, sub_core, fetches_);
    for (const SmCode::Fetch &f : fetches_) {
        const Cycle at = std::max(now + params[CORE_PARAM_MISS_DELAY], port_free_);
        port_free_ = at + params[CORE_PARAM_PORT_TIME];
        const Line line = {params[CORE_PARAM_CODE_BASE] + f.line, 0xf, 0, 0};
        requests.push_back({at, sm_.number, f.set, NO_BAR, CORE_REQ_READ, 0, CODE_REPLY | f.way,
                            false, true, line});
    }
}

Cycle MemoryStage::next(Cycle now, const SubCore *sub_core) const {
    const Cycle code = code_.next(now, sub_core);
    if (busy_) return stalled_ ? code : std::min(code, start_ + stall_ + looked_);
    const Cycle queue = sm_.config.params[CORE_PARAM_PORT_QUEUE];
    Cycle arrival = NEVER;
    for (unsigned s = 0; s < SUB_CORES; s++) arrival = std::min(arrival, sub_core[s].next_head());
    const Cycle start = std::max(arrival, port_free_ > queue ? port_free_ - queue : 0);
    return std::min(code, std::max({start, free_, now + 1}));
}

void MemoryStage::begin(Cycle now) {
    const Packet &p = op_.packet;
    const unsigned lines = p.num_lines;
    Ring<Line> &words = sm_.warp[op_.warp].lines;
    if (lines > MAX_LINES) throw std::logic_error("reference: an operation of more than 32 lines");
    for (unsigned i = 0; i < lines; i++, words.pop_front()) line_[i] = words.front();
    const unsigned interval = sm_.config.params[CORE_PARAM_STAGE_INTERVAL];
    unsigned looks = lines ? 1 : 0; /* cycles */
    for (unsigned i = 0; i + 1 < lines; i++) looks += line_[i].step;
    if (is_global(p.mem)) {
        if (lines && p.passes > std::max(interval, looks)) sm_.hit(Feature::L1_CONFLICT);
        if (lines && looks > std::max(interval, p.passes)) sm_.hit(Feature::TAG_CONFLICT);
        if (lines == 0) sm_.hit(Feature::MEM_NO_LINES);
        if (lines > 4) sm_.hit(Feature::MEM_LINES);
    } else if (is_shared(p.mem)) {
        if (p.passes > 1) sm_.hit(Feature::SHARED_CONFLICT);
    } else if (p.mem == CORE_MEM_CONST) {
        if (p.passes > 1) sm_.hit(Feature::CONSTANT_SERIAL);
    }
    start_ = now;
    free_ = now + std::max({interval, p.passes, looks});
    stall_ = 0;
    looked_ = 0;
    next_ = 0;
    busy_ = true;
    if (is_shared(p.mem) && p.perform) {
        sm_.emit(CORE_EV_PERFORM, now, op_.warp, p.slot, 0);
        sm_.hit(Feature::SHARED_PERFORM);
    }
    if (p.mem == CORE_MEM_BARRIER) arrive(now);
}

/* The lines whose turn it is in this cycle. A look-up that stalls moves itself, all later ones and
 * the end by as many cycles as there is no MSHR. */
void MemoryStage::look_up(Cycle now, std::vector<Request> &requests) {
    const unsigned lines = op_.packet.num_lines;
    if (stalled_) {
        if (!may_go(line_[next_])) return;
        const Cycle late = now - (start_ + stall_ + looked_);
        stall_ += late;
        free_ += late;
    }
    while (next_ < lines && start_ + stall_ + looked_ == now) {
        const Line &line = line_[next_];
        stalled_ = !look_up_line(line, now, requests);
        if (stalled_) return;
        looked_ += line.step;
        next_++;
    }
    if (next_ == lines) finish();
}

/* A line that has stalled can be looked up now. */
bool MemoryStage::may_go(const Line &line) const {
    if (op_.packet.mem == CORE_MEM_LOAD) return l1_.mshr_free(line.addr);
    return outstanding_ < sm_.config.params[CORE_PARAM_PORT_CREDITS];
}

bool MemoryStage::look_up_line(const Line &line, Cycle now, std::vector<Request> &requests) {
    const Packet &p = op_.packet;
    Warp &w = sm_.warp[op_.warp];
    const unsigned bar = p.mem == CORE_MEM_STORE || p.mem == CORE_MEM_RED ? (unsigned)STORES
                                                                          : p.wr_bar;
    if (p.mem == CORE_MEM_LOAD) {
        L1::Miss miss = l1_.load(line, op_.warp, bar);
        if (miss.stalls) return false;
        if (sm_.watch)
            sm_.watch->looked_up(sm_.watch->user, sm_.number, SmState::place(op_.warp),
                                 count_bits(line.sectors),
                                 count_bits(line.sectors & ~miss.request));
        sm_.hit(Feature::LOAD);
        if (bar == NO_BAR) throw std::logic_error("reference: a load without wr_bar");
        if (!miss.hits) w.count(bar);
        if (miss.request) fetch(line, miss.request, bar, miss.mshr, now, requests);
        if (sm_.config.policy.l1_prefetcher)
            prefetch(line, line.sectors & ~miss.request, now, requests);
        return true;
    }
    if (!may_go(line)) {
        sm_.hit(Feature::PORT_STALL);
        return false;
    }
    outstanding_++;
    if (bar != NO_BAR) w.count(bar);
    switch (p.mem) {
    case CORE_MEM_LOAD_STRONG:
        l1_.invalidate(line);
        send(line, CORE_REQ_READ, bar, now, requests);
        sm_.hit(Feature::LOAD_STRONG);
        break;
    case CORE_MEM_STORE:
        send(line, CORE_REQ_WRITE, bar, now, requests);
        sm_.hit(Feature::STORE);
        break;
    default:
        l1_.invalidate(line);
        send(line, CORE_REQ_ATOMIC, bar, now, requests);
        sm_.hit(p.mem == CORE_MEM_RED ? Feature::RED : Feature::ATOM);
    }
    return true;
}

/* Sectors that fill L1. */
void MemoryStage::fetch(Line line, unsigned sectors, unsigned bar, unsigned mshr, Cycle now,
                        std::vector<Request> &requests) {
    line.sectors = sectors;
    send(line, CORE_REQ_READ, bar, now, requests);
    requests.back().cached = true;
    requests.back().mshr = mshr;
    requests.back().perform = false;
}

/* What a plug-in wants of L2 behind the look-up of a line, for nobody. */
void MemoryStage::prefetch(const Line &line, unsigned hits, Cycle now,
                           std::vector<Request> &requests) {
    const heddle_policy &policy = sm_.config.policy;
    const heddle_l1_access access = {now,       sm_.number,   op_.warp, op_.packet.pc,
                                     line.addr, line.sectors, hits};
    std::uint32_t lines[HEDDLE_MOST_PREFETCHES];
    const unsigned n = policy.l1_prefetcher->accessed(prefetcher_state_.at(0), &access, lines);
    if (n > HEDDLE_MOST_PREFETCHES)
        throw std::logic_error("plug-in " + std::string(policy.name) + ": its prefetcher wants " +
                               std::to_string(n) + " lines, and may want " +
                               std::to_string((unsigned)HEDDLE_MOST_PREFETCHES));
    for (unsigned i = 0; i < n; i++) {
        if ((lines[i] ^ line.addr) / HEDDLE_PREFETCH_BLOCK) continue;
        const unsigned mshr = l1_.prefetch(lines[i]);
        if (mshr != L1::NO_MSHR) fetch({lines[i], 0xf, 0, 0}, 0xf, NO_BAR, mshr, now, requests);
    }
}

void MemoryStage::send(const Line &line, unsigned kind, unsigned bar, Cycle now,
                       std::vector<Request> &requests) {
    const Packet &p = op_.packet;
    const unsigned pieces = kind == CORE_REQ_READ    ? 1
                            : kind == CORE_REQ_WRITE ? 1 + count_bits(line.sectors)
                                                     : 2;
    const unsigned each = sm_.config.params[CORE_PARAM_PORT_TIME];
    if (each > 1) sm_.hit(Feature::PORT_SLOW);
    const Cycle wanted = now + sm_.config.params[CORE_PARAM_MISS_DELAY];
    const Cycle at = std::max(wanted, port_free_);
    if (at > wanted) sm_.hit(Feature::PORT_WAIT);
    port_free_ = at + pieces * each;
    requests.push_back({at, sm_.number, op_.warp, bar, kind, p.slot, 0, p.perform, false, line});
}

/* All lines have been looked up, so free_ is the end of the operation. */
void MemoryStage::finish() {
    const Packet &p = op_.packet;
    const Params &params = sm_.config.params;
    busy_ = false;
    Warp &w = sm_.warp[op_.warp];
    w.lines_consumed = (std::uint16_t)(w.lines_consumed + p.num_lines);
    if (p.num_lines) sm_.want |= std::uint64_t{1} << op_.warp;
    switch (p.mem) {
    case CORE_MEM_LOAD:
    case CORE_MEM_LOAD_STRONG:
    case CORE_MEM_ATOM:
        sm_.take_back(op_.warp, p.wr_bar, free_ + params[CORE_PARAM_L1_LATENCY]);
        break;
    case CORE_MEM_STORE:
    case CORE_MEM_RED:
        sm_.take_back(op_.warp, STORES, free_ + params[CORE_PARAM_L1_LATENCY]);
        break;
    case CORE_MEM_SHARED_LOAD:
    case CORE_MEM_SHARED_STORE:
    case CORE_MEM_SHARED_ATOM:
        sm_.take_back(op_.warp,
                      p.mem == CORE_MEM_SHARED_STORE && p.perform ? (unsigned)STORES : p.wr_bar,
                      free_ + params[CORE_PARAM_SHARED_LATENCY]);
        break;
    case CORE_MEM_CONST: {
        Cycle there = free_;
        if (p.constant && params[CORE_PARAM_CONST_SHARED])
            there = std::max(there, constants_.look(op_.constants, p.constant, free_));
        sm_.take_back(op_.warp, p.wr_bar, there + params[CORE_PARAM_CONST_LATENCY]);
        sm_.hit(Feature::CONST);
        break;
    }
    case CORE_MEM_BARRIER: break;
    default:
        sm_.take_back(op_.warp, p.wr_bar, free_ + params[CORE_PARAM_SHUFFLE_LATENCY]);
        sm_.hit(Feature::SHUFFLE);
    }
}

/* ------------------------------------------------------------------------------ rule 8 */

void MemoryStage::arrive(Cycle now) {
    const Packet &p = op_.packet;
    Cta &cta = sm_.cta[sm_.warp[op_.warp].cta];
    Barrier &barrier = cta.barrier[p.bar_id];
    barrier.arrivals++;
    barrier.warps = p.bar_warps;
    if (p.bar_arrive)
        sm_.hit(Feature::BARRIER_ARRIVE_ONLY);
    else
        barrier.waiting.push_back(op_.warp);
    if (p.bar_warps) sm_.hit(Feature::BARRIER_COUNT);
    if (barrier.arrivals >= (p.bar_warps ? p.bar_warps : cta.live_at_barriers)) {
        complete(barrier, now);
        sm_.hit(Feature::BARRIER_ARRIVAL);
    }
}

void MemoryStage::complete(Barrier &barrier, Cycle now) {
    const Cycle open = now + sm_.config.params[CORE_PARAM_BARRIER_LATENCY];
    for (unsigned number : barrier.waiting) {
        Warp &w = sm_.warp[number];
        w.at_barrier = false;
        sm_.touch(number);
        if (open >= w.ready_at) w.stalls_for = CORE_COUNTER_WAIT_BARRIER;
        w.ready_at = std::max(w.ready_at, open);
    }
    barrier = Barrier();
}

void MemoryStage::warps_ended(const std::vector<unsigned> &ctas, Cycle now) {
    for (unsigned number : ctas) sm_.cta[number].live_at_barriers--;
    for (unsigned number : ctas) {
        Cta &cta = sm_.cta[number];
        for (Barrier &b : cta.barrier)
            if (b.arrivals && b.warps == 0 && b.arrivals >= cta.live_at_barriers) {
                complete(b, now);
                sm_.hit(Feature::BARRIER_EXIT);
            }
    }
}

} // namespace reference
