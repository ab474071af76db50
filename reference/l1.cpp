/* l1.cpp - see l1.h. */
#include "reference/l1.h"

namespace reference {

/* Rule 6: the lowest bits of the line number and those next to them. */
unsigned L1::set_of(std::uint32_t line) const {
    const unsigned sets = sm_.config.params[CORE_PARAM_L1_SETS];
    return (line ^ line / sets) % sets;
}

/* Rule 6: what is left over gives the first sets a way more. */
unsigned L1::ways_of(unsigned set) const {
    const unsigned sets = sm_.config.params[CORE_PARAM_L1_SETS];
    if (!lines_) return sm_.config.params[CORE_PARAM_L1_WAYS];
    return lines_ / sets + (set < lines_ % sets ? 1 : 0);
}

L1::Way *L1::find(std::uint32_t line) {
    for (Way &w : set_[set_of(line)].way)
        if (w.present && w.line == line) return &w;
    return nullptr;
}

bool L1::mshr_free(std::uint32_t line) const {
    const unsigned first = mshr_set_of(line) * MSHR_WAYS;
    for (unsigned i = first; i < first + MSHR_WAYS; i++)
        if (!mshr_[i].used) return true;
    return false;
}

L1::Miss L1::load(const Line &line, unsigned warp, unsigned bar) {
    const Way *way = find(line.addr);
    const unsigned missing = line.sectors & ~(way ? way->valid : 0u);
    const unsigned first = mshr_set_of(line.addr) * MSHR_WAYS;
    Miss result = {false, missing == 0, 0, 0};
    if (missing) {
        Mshr *chosen = nullptr;
        bool full = false;
        unsigned under_way = 0;
        for (unsigned i = first; i < first + MSHR_WAYS; i++)
            if (mshr_[i].used && mshr_[i].line == line.addr) under_way |= mshr_[i].outstanding;
        for (unsigned i = first; i < first + MSHR_WAYS && !chosen; i++)
            if (mshr_[i].used && mshr_[i].line == line.addr) {
                if (mshr_[i].waiters < WAITERS)
                    chosen = &mshr_[i];
                else
                    full = true;
            }
        if (full) sm_.hit(Feature::MSHR_FULL);
        if (chosen) {
            result.request = missing & ~under_way & ~chosen->come;
            sm_.hit(result.request ? Feature::MSHR_EXTEND : Feature::MSHR_MERGE);
        } else {
            for (unsigned i = first; i < first + MSHR_WAYS && !chosen; i++)
                if (!mshr_[i].used) chosen = &mshr_[i];
            if (!chosen) {
                sm_.hit(Feature::MSHR_STALL);
                return {true, false, 0, 0};
            }
            if (full) sm_.hit(Feature::MSHR_SECOND);
            if (missing & under_way) sm_.hit(Feature::MSHR_SHARED);
            *chosen = Mshr();
            chosen->used = true;
            chosen->line = line.addr;
            result.request = missing & ~under_way;
        }
        chosen->outstanding |= missing & ~chosen->come;
        chosen->waiter[chosen->waiters++] = {warp, bar};
        result.mshr = (unsigned)(chosen - mshr_.data());
    }
    accesses += count_bits(line.sectors);
    hits += count_bits(line.sectors & ~result.request);
    const heddle_l1_replacement *policy = sm_.config.policy.l1_replacement;
    if (policy && policy->hit && way && way->valid & line.sectors) {
        const Set &set = set_[set_of(line.addr)];
        std::uint32_t lines[WAYS];
        const heddle_l1_set seen = view(set, lines);
        policy->hit(replacement_state_.at(seen.set), &seen, (std::uint32_t)(way - set.way.data()));
    }
    sm_.hit(!missing                  ? Feature::L1_HIT
            : missing == line.sectors ? Feature::L1_MISS
                                      : Feature::L1_PART);
    return result;
}

void L1::invalidate(const Line &line) {
    Way *way = find(line.addr);
    if (!way) return;
    if (way->valid & line.sectors) sm_.hit(Feature::L1_INVALIDATE);
    way->valid &= ~line.sectors;
}

/* ------------------------------------------------------------------------ of plug-ins */

heddle_l1_set L1::view(const Set &set, std::uint32_t *lines) const {
    const unsigned number = (unsigned)(&set - set_.data());
    heddle_l1_set out = {sm_.number, number, ways_of(number), 0, lines};
    for (unsigned i = 0; i < WAYS; i++) {
        out.present |= (std::uint32_t)set.way[i].present << i;
        lines[i] = set.way[i].line;
    }
    return out;
}

unsigned L1::victim(const Set &set, std::uint32_t line) {
    const heddle_policy &policy = sm_.config.policy;
    std::uint32_t lines[WAYS];
    const heddle_l1_set seen = view(set, lines);
    const unsigned way = policy.l1_replacement->fill(replacement_state_.at(seen.set), &seen, line);
    if (way >= seen.ways)
        throw std::logic_error("plug-in " + std::string(policy.name) +
                               ": its L1 replacement chose way " + std::to_string(way) +
                               " of a set of " + std::to_string(seen.ways));
    return way;
}

unsigned L1::prefetch(std::uint32_t line) {
    const unsigned first = mshr_set_of(line) * MSHR_WAYS;
    unsigned chosen = NO_MSHR;
    if (find(line)) return NO_MSHR;
    for (unsigned i = first; i < first + MSHR_WAYS; i++) {
        if (mshr_[i].used && mshr_[i].line == line) return NO_MSHR;
        if (!mshr_[i].used && chosen == NO_MSHR) chosen = i;
    }
    if (chosen == NO_MSHR) return NO_MSHR;
    mshr_[chosen] = Mshr();
    mshr_[chosen].used = true;
    mshr_[chosen].line = line;
    mshr_[chosen].outstanding = 0xf;
    return chosen;
}

/* ------------------------------------------------------------------------ replies */

void L1::fill_tags(std::uint32_t line, unsigned sectors) {
    Way *way = find(line);
    if (way) {
        way->valid |= sectors;
        sm_.hit(Feature::L1_FILL_PRESENT);
        return;
    }
    Set &set = set_[set_of(line)];
    way = &set.way[sm_.config.policy.l1_replacement ? victim(set, line) : set.pointer];
    if (way->present) sm_.hit(Feature::L1_EVICT);
    *way = {true, line, sectors};
    const unsigned ways = ways_of((unsigned)(&set - set_.data()));
    set.pointer = (set.pointer + 1) % ways;
    if (lines_ && ways > lines_ / sm_.config.params[CORE_PARAM_L1_SETS])
        sm_.hit(Feature::L1_WAY_MORE);
}

const std::vector<L1::Waiter> &L1::fill(unsigned number, unsigned sectors) {
    Mshr &m = mshr_[number];
    if (!m.used || sectors & ~m.outstanding)
        throw std::logic_error("reference: a reply that no MSHR waits for");
    fill_tags(m.line, sectors);
    woken_.clear();
    const std::uint32_t line = m.line;
    const unsigned first = mshr_set_of(line) * MSHR_WAYS;
    for (unsigned i = first; i < first + MSHR_WAYS; i++) {
        Mshr &each = mshr_[i];
        if (!each.used || each.line != line) continue;
        each.outstanding &= ~sectors;
        each.come |= sectors;
        if (each.outstanding) {
            sm_.hit(Feature::MSHR_PARTIAL);
            continue;
        }
        each.used = false;
        woken_.insert(woken_.end(), each.waiter, each.waiter + each.waiters);
    }
    return woken_;
}

void L1::flush(unsigned lines) {
    for (const Mshr &m : mshr_)
        if (m.used && m.waiters) throw std::logic_error("reference: FlushL1 with a miss in flight");
    const unsigned sets = sm_.config.params[CORE_PARAM_L1_SETS];
    if (lines && (lines < sets || lines > sets * WAYS))
        throw std::logic_error("reference: FlushL1 with a size that L1 cannot have");
    set_.fill(Set());
    replacement_state_.clear();
    lines_ = lines;
}

} // namespace reference
