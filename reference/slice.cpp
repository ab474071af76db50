/* slice.cpp - see slice.h. */
#include "reference/slice.h"

#include <algorithm>

namespace reference {

/* ------------------------------------------------------------------------ slice and set */

unsigned slice_of(std::uint32_t line, const Params &params) {
    line /= params[CORE_PARAM_INTERLEAVE];
    const unsigned slices = params[CORE_PARAM_NUM_SLICES];
    if (params[CORE_PARAM_HASH] == 0) return line % slices;
    unsigned odd = slices, size = 1, folded = 0; /* odd groups of so many slices */
    for (; odd % 2 == 0; odd /= 2) size *= 2;
    const unsigned field = std::max(size, 16u);
    for (std::uint32_t left = line; left; left /= field) folded ^= left % field;
    return line / size % odd * size + folded % size;
}

static unsigned set_number(std::uint32_t line, const Params &params) {
    unsigned folded = 0;
    const std::uint32_t group = line / params[CORE_PARAM_INTERLEAVE];
    for (std::uint32_t left = group >> 6; left; left >>= 10) folded ^= left & 0x3ff;
    return folded % params[CORE_PARAM_L2_SETS];
}

unsigned mirror_of(unsigned slice, const Params &params) {
    const unsigned half = params[CORE_PARAM_NUM_SLICES] / 2;
    return slice < half ? slice + half : slice - half;
}

unsigned entry_of(std::uint32_t line, unsigned sm, const Params &params) {
    const unsigned home = slice_of(line, params), half = params[CORE_PARAM_NUM_SLICES] / 2;
    const unsigned partition = sm / 2 % 2;
    if (sm >= FIRST_CUSTOMER) return home;
    if (params[CORE_PARAM_PARTITIONS] == 1 || home / half == partition) return home;
    return mirror_of(home, params);
}

Slice::Slice(unsigned number, const Config &config, Coverage &coverage, std::vector<Event> &events)
    : number_(number), config_(config), coverage_(coverage),
      set_(config.params[CORE_PARAM_L2_SETS]), events_(events) {}

Slice::Set &Slice::set_of(std::uint32_t line) {
    return set_[set_number(line, config_.params)];
}

Slice::Way *Slice::find(std::uint32_t line) {
    for (Way &w : set_of(line).way)
        if (!w.empty() && w.line == line) return &w;
    return nullptr;
}

/* @return the way that a line takes that no way holds; NULL: all have sectors in flight */
Slice::Way *Slice::victim(std::uint32_t line) {
    Set &set = set_of(line);
    for (Way &w : set.way)
        if (w.empty()) return &w;
    for (unsigned i = 0; i < WAYS; i++) {
        Way &w = set.way[(set.pointer + i) % WAYS];
        if (!w.flight && !w.pinned) return &w;
        coverage_.hit(w.pinned ? Feature::L2_SKIP_PINNED : Feature::L2_SKIP_FLIGHT);
    }
    coverage_.hit(Feature::L2_ALL_FLIGHT);
    return nullptr;
}

/* @return the way that is cleaned when a line of the set is written in `own`; NULL: none */
Slice::Way *Slice::surplus(Set &set, const Way &own) {
    const unsigned most = config_.params[CORE_PARAM_L2_DIRTY_WAYS];
    unsigned dirty = 1; /* its own */
    for (const Way &w : set.way) dirty += &w != &own && w.dirty;
    if (most == 0 || dirty <= most) return nullptr;
    for (unsigned i = 0; i < WAYS; i++) {
        Way &w = set.way[(set.pointer + i) % WAYS];
        if (&w == &own || !w.dirty) continue;
        if (!w.flight && !w.pinned) return &w;
        coverage_.hit(Feature::L2_CLEAN_SKIP);
    }
    return nullptr;
}

/* @return what a request at home does to the pin of its way */
core_pin Slice::pin(const Request &r, Way &way) {
    if (r.sm >= FIRST_CUSTOMER) { /* cores of a command processor are the lower half */
        if (r.sm - FIRST_CUSTOMER >= CUSTOMERS / 2 || !way.pinned) return CORE_PIN_NONE;
        way.pinned = false;
        coverage_.hit(Feature::L2_PIN_ENDS);
        return CORE_PIN_ENDS;
    }
    if (r.kind != CORE_REQ_WRITE || !r.line.locked || way.pinned) return CORE_PIN_NONE;
    unsigned others = 0;
    for (const Way &w : set_of(r.line.addr).way) others += w.pinned;
    if (others >= config_.params[CORE_PARAM_L2_PINNED_WAYS]) {
        coverage_.hit(Feature::L2_PIN_REFUSED);
        return CORE_PIN_REFUSED;
    }
    way.pinned = true;
    coverage_.hit(Feature::L2_PIN);
    return CORE_PIN_BEGINS;
}

void Slice::unpin() {
    for (Set &set : set_)
        for (Way &w : set.way) w.pinned = false;
}

/* Dirty sectors go to memory. */
void Slice::write_back(Way &way, Cycle at, bool counted) {
    emit(CORE_EV_DRAM_WRITE, at, counted, way.line, way.dirty, way.dirty & way.full);
    dram_writes += count_bits(way.dirty);
    way.dirty = 0;
}

/* The victim becomes the way of the line. */
void Slice::evict(Way &way, std::uint32_t line, Cycle at, bool counted) {
    Set &set = set_of(line);
    if (!way.empty()) {
        set.pointer = (unsigned)(&way - set.way.data() + 1) % WAYS;
        coverage_.hit(way.dirty ? Feature::L2_EVICT_DIRTY : Feature::L2_EVICT_CLEAN);
        if (way.dirty) write_back(way, at, counted);
    }
    way = Way();
    way.line = line;
}

void Slice::emit(core_ev kind, Cycle at, unsigned id, std::uint32_t line, unsigned sectors,
                 unsigned full) {
    events_.push_back({(std::uint32_t)at, kind, number_, 0, 0, sectors, id, line, full});
}

/* ------------------------------------------------------------------------ order */

void Slice::request(const Request &r, Cycle arrival) {
    queue_.add({arrival, r});
    wake = std::min(wake, arrival);
}

void Slice::crossing(const Crossing &c) {
    (c.trip == Trip::FETCH || c.trip == Trip::PASS ? far_ : back_).push_back(c);
    wake = std::min(wake, c.at);
}

void Slice::dram_reply(unsigned id, Cycle at) {
    if (id != WRITTEN && (id >= reads_.size() || !reads_[id].sectors))
        throw std::logic_error("reference: DramReply to no DramRead");
    if (!from_memory_.empty() && from_memory_.back().at > at)
        throw std::logic_error("reference: DramReplies of a slice out of order");
    from_memory_.push_back({at, id});
    wake = std::min(wake, at);
}

void Slice::dram_written(Cycle at) {
    dram_reply(WRITTEN, at);
}

/* The first cycle after `now` in which something is taken or served. */
Cycle Slice::next(Cycle now) const {
    Cycle at = NEVER, work = NEVER;
    if (!from_memory_.empty()) at = from_memory_.front().at;
    if (!back_.empty()) at = std::min(at, back_.front().at);
    if (!stuck_ && !queue_.empty()) work = queue_.first().at;
    if (!far_stuck_ && !far_.empty()) work = std::min(work, far_.front().at);
    return std::max(std::min(at, std::max(work, (free_ + PART - 1) / PART)), now + 1);
}

void Slice::cycle(Cycle now, std::vector<Reply> &replies, std::vector<Crossing> &crossings) {
    replies_ = &replies;
    crossings_ = &crossings;
    bool came = false;
    for (; !from_memory_.empty() && from_memory_.front().at <= now; came = true) {
        const unsigned id = from_memory_.front().id;
        entries_--;
        if (id != WRITTEN) take_memory(id, now);
        from_memory_.pop_front();
    }
    for (; !back_.empty() && back_.front().at <= now; came = true) {
        take_crossing(back_.front(), now);
        back_.pop_front();
    }
    if (came && (stuck_ || far_stuck_)) {
        free_ = std::max(free_, now * PART);
        stuck_ = far_stuck_ = false;
    }
    while (serve_next(now)) {
    }
    wake = config_.every_cycle ? now + 1 : next(now);
}

/* The request that has come first, if the slice is free. @return another one may be tried in the
 * same cycle, since this one waits for something to come back */
bool Slice::serve_next(Cycle now) {
    const bool request = !stuck_ && !queue_.empty() && queue_.first().at <= now;
    const bool far = !far_stuck_ && !far_.empty() && far_.front().at <= now;
    if (!request && !far) return false;
    if (free_ > now * PART) {
        coverage_.hit(Feature::SLICE_WAIT);
        return false;
    }
    if (request && (!far || queue_.first().at <= far_.front().at)) {
        const Request &r = queue_.first().request;
        const Cycle arrival = queue_.first().at, start = std::max(arrival * PART, free_);
        const bool home = slice_of(r.line.addr, config_.params) == number_;
        if (!home && !r.cached) {
            pass(r, start, now);
        } else if (!serve(r, Trip::NONE, start, now)) {
            stuck_ = true;
            return true;
        }
        if (arrival == served_) coverage_.hit(Feature::SLICE_TIE);
        served_ = arrival;
        queue_.pop();
    } else {
        const Crossing &c = far_.front();
        Request r = c.request;
        if (c.trip == Trip::FETCH) {
            r.line.sectors = c.sectors;
            r.perform = false;
        }
        if (!serve(r, c.trip, std::max(c.at * PART, free_), now)) {
            far_stuck_ = true;
            coverage_.hit(Feature::FAR_STUCK);
            return true;
        }
        far_.pop_front();
    }
    return false;
}

/* ------------------------------------------------------------------------ service */

/* Memory is read in pieces: those of a line that hold some of the sectors. */
unsigned Slice::pieces_with(unsigned sectors) const {
    const unsigned size = config_.params[CORE_PARAM_L2_FETCH];
    unsigned all = 0;
    for (unsigned first = 0; first < 4; first += size) {
        const unsigned piece = ((1u << size) - 1) << first;
        if (sectors & piece) all |= piece;
    }
    return all;
}

/* What sectors take of a slice or of a port: 1/256 cycles. */
Cycle Slice::flits(unsigned sectors) const {
    const unsigned each = config_.params[CORE_PARAM_FLIT_SECTORS];
    return std::max((sectors + each - 1) / each, 1u) * config_.params[CORE_PARAM_FLIT_TIME];
}

void Slice::count(const Request &r, Trip trip, unsigned present, unsigned fresh, unsigned merged,
                  Cycle now) {
    const bool write = r.kind == CORE_REQ_WRITE;
    const std::uint64_t v = (std::uint64_t)(std::uint32_t)now << 32 | r.line.addr;
    const std::uint64_t m = (std::uint64_t)number_ << 15 | r.kind << 13 | present << 9 |
                            (write ? 0 : fresh << 5 | merged << 1) | 1;
    hash += (v ^ v >> 29) * m;
    if (trip != Trip::FETCH) accesses += count_bits(r.line.sectors);
    hits += count_bits(write ? r.line.sectors : present | merged);
}

/* @return for how long the request occupies the slice, in 1/PART cycles */
Cycle Slice::occupied(const Request &r) const {
    const Cycle data = flits(count_bits(r.line.sectors));
    if (r.kind != CORE_REQ_ATOMIC) return data;
    return std::max(data, (Cycle)r.line.lanes * config_.params[CORE_PARAM_ATOMIC_TIME]);
}

/* A request for the line's home. */
void Slice::pass(const Request &r, Cycle start, Cycle now) {
    const bool write = r.kind == CORE_REQ_WRITE;
    free_ = start + occupied(r);
    const std::uint64_t before = accesses, had = hits;
    count(r, Trip::NONE, 0, 0, 0, now);
    accesses = before; /* home counts it */
    hits = had;
    cross(r, Trip::PASS, 0, write ? count_bits(r.line.sectors) : 0,
          now + config_.params[CORE_PARAM_L2_MISS]);
    coverage_.hit(Feature::L2_PASS);
}

/* @return false: the request waits for something to come back */
bool Slice::serve(const Request &r, Trip trip, Cycle start, Cycle now) {
    const Params &params = config_.params;
    const unsigned sectors = r.line.sectors;
    const bool write = r.kind == CORE_REQ_WRITE, atomic = r.kind == CORE_REQ_ATOMIC;
    const bool home = slice_of(r.line.addr, params) == number_;
    Way *way = find(r.line.addr);
    const Way found = way ? *way : Way();
    const bool take = !way;
    if (take) way = victim(r.line.addr);
    if (!way) return false;
    const unsigned present = sectors & found.valid, missing = sectors & ~found.valid;
    const unsigned merged = missing & found.flight, needed = write ? 0 : missing & ~found.flight;
    const unsigned fresh = home ? pieces_with(needed) & ~found.valid & ~found.flight : needed;
    Set &set = set_of(r.line.addr);
    const bool leaves = take && way->dirty;
    Way *cleaned = (write || atomic) && !leaves ? surplus(set, *way) : nullptr;
    const unsigned wanted = (leaves || cleaned) + (fresh && home);
    if (wanted && entries_ + wanted > params[CORE_PARAM_DRAM_ENTRIES]) {
        coverage_.hit(Feature::L2_NO_ENTRY);
        return false;
    }
    const bool more = fresh && !home && !found.flight;
    if (more && set.fetches == MAX_FETCHES) {
        coverage_.hit(Feature::L2_MANY_FETCHES);
        return false;
    }
    entries_ += wanted;
    set.fetches += more;
    if (take) evict(*way, r.line.addr, now + params[CORE_PARAM_L2_MISS], true);
    if (cleaned) {
        write_back(*cleaned, now + params[CORE_PARAM_L2_MISS], true);
        coverage_.hit(Feature::L2_CLEAN);
    }

    const Cycle busy = occupied(r);
    free_ = start + busy;
    const core_pin pinned = home ? pin(r, *way) : CORE_PIN_NONE;
    if (r.perform || pinned != CORE_PIN_NONE) {
        events_.push_back({(std::uint32_t)now, r.perform ? CORE_EV_PERFORM : CORE_EV_PIN, r.sm,
                           r.warp, r.slot, sectors, (unsigned)pinned, r.line.addr, 0});
        coverage_.hit(r.perform ? Feature::PERFORM_L2 : Feature::L2_PIN_ALONE);
    }
    if (r.sm >= FIRST_CUSTOMER) coverage_.hit(Feature::CUSTOMER);
    count(r, trip, present, fresh, merged, now);
    const bool was_copied = way->copied;
    way->copied = trip == Trip::FETCH || (way->copied && !write && !atomic);

    if (write) {
        if (present) coverage_.hit(Feature::L2_WRITE_HIT);
        if (sectors & way->flight) coverage_.hit(Feature::L2_WRITE_FLIGHT);
        way->valid |= sectors;
        way->dirty |= sectors;
        way->full |= r.line.full;
        answer(r, trip, r.bar, 0, now + params[CORE_PARAM_L2_LATENCY]);
    } else {
        if (!missing) coverage_.hit(home ? Feature::L2_HIT : Feature::L2_COPY_HIT);
        if (merged) coverage_.hit(Feature::L2_MERGE);
        if (fresh & ~needed) coverage_.hit(Feature::L2_FETCH_MORE);
        if (fresh && home) read_memory(*way, fresh, now);
        if (fresh && !home) {
            way->flight |= fresh;
            cross(r, Trip::FETCH, fresh, 0, now + params[CORE_PARAM_L2_MISS]);
            coverage_.hit(Feature::L2_FETCH);
        }
        const Cycle hit = now + (busy + PART - 1) / PART + params[CORE_PARAM_L2_LATENCY] - 1;
        const bool parts = home && trip == Trip::NONE && !atomic; /* what is there goes first */
        if (atomic) {
            way->dirty |= sectors;
            if (missing) coverage_.hit(Feature::L2_ATOMIC_MISS);
        }
        const unsigned result = atomic && r.bar == STORES ? 0 : sectors;
        if (missing)
            wait(*way, {r, trip, missing, parts ? missing : result, NONE});
        else
            answer(r, trip, r.bar, result, hit);
        if (parts && present && missing) {
            coverage_.hit(Feature::L2_TWO_REPLIES);
            answer(r, trip, r.cached ? r.bar : (unsigned)NO_BAR, present, hit);
        }
    }
    if (was_copied && (write || atomic)) {
        cross(r, Trip::DROP, 0, 0, now + params[CORE_PARAM_L2_MISS]);
        coverage_.hit(Feature::L2_DROP);
    }
    return true;
}

/* Of a slice at most as many are in flight as it has entries. */
void Slice::read_memory(Way &way, unsigned sectors, Cycle now) {
    if (free_ids_.empty()) {
        if (reads_.size() > 0xffff)
            throw std::logic_error("reference: too many DramReads in flight");
        free_ids_.push_back((unsigned)reads_.size());
        reads_.push_back({});
    }
    const unsigned id = free_ids_.back();
    free_ids_.pop_back();
    reads_[id] = {way.line, sectors};
    reading_++;
    way.flight |= sectors;
    emit(CORE_EV_DRAM_READ, now + config_.params[CORE_PARAM_L2_MISS], id, way.line, sectors, 0);
    dram_reads += count_bits(sectors);
    coverage_.hit(Feature::L2_MISS);
}

void Slice::take_memory(unsigned id, Cycle now) {
    const Read read = reads_[id];
    reads_[id].sectors = 0;
    free_ids_.push_back(id);
    reading_--;
    sectors_come(read.line, read.sectors, now);
}

/* The request is the last that waits for sectors of the way. */
void Slice::wait(Way &way, const Waiting &waiting) {
    if (free_waiting_ == NONE) {
        free_waiting_ = (unsigned)waiting_.size();
        waiting_.push_back({});
        waiting_.back().next = NONE;
    }
    const unsigned place = free_waiting_;
    free_waiting_ = waiting_[place].next;
    waiting_[place] = waiting;
    (way.last == NONE ? way.first : waiting_[way.last].next) = place;
    way.last = place;
}

void Slice::take_crossing(const Crossing &c, Cycle now) {
    const std::uint32_t line = c.request.line.addr;
    switch (c.trip) {
    case Trip::FETCHED:
        sectors_come(line, c.sectors, now);
        if (!find(line)->flight) set_of(line).fetches--;
        break;
    case Trip::PASSED:
        answer(c.request, Trip::NONE, c.request.bar, c.sectors,
               now + config_.params[CORE_PARAM_L2_FILL]);
        break;
    default: drop(line);
    }
}

void Slice::sectors_come(std::uint32_t line, unsigned sectors, Cycle now) {
    Way &way = *find(line);
    way.valid |= sectors;
    way.full |= sectors;
    way.flight &= ~sectors;
    unsigned last = NONE;
    for (unsigned place = way.first, next; place != NONE; place = next) {
        Waiting &w = waiting_[place];
        next = w.next;
        w.missing &= ~sectors;
        if (w.missing) {
            last = place;
            continue;
        }
        answer(w.request, w.trip, w.request.bar, w.sectors,
               now + config_.params[CORE_PARAM_L2_FILL], true);
        (last == NONE ? way.first : waiting_[last].next) = next;
        w.next = free_waiting_;
        free_waiting_ = place;
    }
    way.last = last;
}

void Slice::answer(const Request &r, Trip trip, unsigned bar, unsigned sectors, Cycle wanted,
                   bool waited) {
    if (trip != Trip::NONE) {
        const bool fetch = trip == Trip::FETCH;
        cross(r, fetch ? Trip::FETCHED : Trip::PASSED, sectors, count_bits(sectors), wanted);
        return;
    }
    const Cycle start = std::max(wanted * PART, port_free_), leave = (start + PART - 1) / PART;
    if (leave > wanted) coverage_.hit(Feature::SLICE_PORT_WAIT);
    port_free_ = start + flits(count_bits(sectors));
    if (waited && r.sm >= FIRST_CUSTOMER) coverage_.hit(Feature::CUSTOMER_WAITS);
    replies_->push_back({leave + config_.params[CORE_PARAM_NET_REPLY], number_, r.sm, r.warp, bar,
                         r.mshr, r.cached, r.line.addr, sectors, waited});
}

/* To the mirror; `carried`: how many sectors of data. */
void Slice::cross(const Request &r, Trip trip, unsigned sectors, unsigned carried, Cycle wanted) {
    Cycle &free = trip == Trip::FETCH || trip == Trip::PASS ? far_free_ : back_free_;
    const Cycle start = std::max(wanted * PART, free), leave = (start + PART - 1) / PART;
    if (leave > wanted) coverage_.hit(Feature::CROSS_WAIT);
    free = start + flits(carried);
    crossings_->push_back({leave + config_.params[CORE_PARAM_NET_CROSS],
                           mirror_of(number_, config_.params), trip, r, sectors});
}

/* ------------------------------------------------------------------------ flush and fill */

void Slice::flush(Cycle now) {
    if (!idle()) throw std::logic_error("reference: FlushL2 with requests in flight");
    unpin();
    for (Set &set : set_) {
        for (Way &w : set.way)
            if (w.dirty) write_back(w, now, false);
        set = Set();
    }
}

void Slice::fill(std::uint32_t line, Cycle now) {
    Way *way = find(line);
    const bool take = !way;
    if (take) way = victim(line);
    if (!way) return; /* code is on its way to all of them */
    if (take) evict(*way, line, now, false);
    way->valid = way->full = 0xf;
    way->dirty = 0;
    way->copied = false;
}

void Slice::drop(std::uint32_t line) {
    Way *way = find(line);
    if (way) way->valid = way->full = 0;
}

bool Slice::copied(std::uint32_t line) {
    const Way *way = find(line);
    return way && way->copied;
}

} // namespace reference
