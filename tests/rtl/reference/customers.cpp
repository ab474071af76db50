/* customers.cpp - see customers.h. */
#include "tests/rtl/reference/customers.h"

#include <algorithm>
#include <stdexcept>

#include "reference/slice.h"

namespace reference {

/* ------------------------------------------------------------------------------ the stream */

/* Mostly lines that warps use as well (Generator::line_number()). */
static std::uint32_t some_line(Random &r) {
    const unsigned f = r.below(64);
    switch (r.below(5)) {
    case 0:
    case 1: return 1000 + r.below(8);
    case 2: return 4096 + r.below(512);
    case 3: return (r.below(3) << 12) | f << 6 | (f ^ 5);
    default: return r.below(1u << 20);
    }
}

static CustomerAccess some_access(Random &r, bool waits) {
    CustomerAccess a;
    a.kind = r.chance(50) ? CORE_REQ_READ : r.chance(60) ? CORE_REQ_WRITE : CORE_REQ_ATOMIC;
    const bool write = a.kind == CORE_REQ_WRITE, atomic = a.kind == CORE_REQ_ATOMIC;
    a.line.addr = some_line(r);
    a.line.sectors = r.chance(50) ? 1u << r.below(4) : r.between(1, 15);
    a.line.full = write && r.chance(60) ? a.line.sectors : 0;
    a.line.lanes = r.chance(70) ? 1 : r.between(1, 32);
    a.bar = (write || atomic) && r.chance(50) ? +STORES : r.below(6);
    a.warp = r.below(WARPS);
    a.slot = r.below(32);
    a.perform = r.chance(40);
    a.after = waits && r.chance(60);
    a.delay = r.chance(60) ? r.below(20) : r.below(400);
    return a;
}

/* Some stores pin their lines; the lines that customers ask for, more often. */
static void lock_stores(Stream &stream, Random &r) {
    unsigned partitions = 1;
    for (auto &p : stream.params)
        if (p.first == CORE_PARAM_PARTITIONS) partitions = p.second;
    if (r.chance(70))
        stream.params.push_back({CORE_PARAM_L2_PINNED_WAYS, r.below(partitions == 1 ? 16 : 8)});
    else if (partitions > 1)
        stream.params.push_back({CORE_PARAM_L2_PINNED_WAYS, 7});
    const unsigned often = r.chance(30) ? 90 : r.below(40);
    for (Phase &p : stream.phases) {
        p.unpin_l2 = r.chance(40);
        for (CtaProgram &c : p.ctas)
            for (WarpProgram &w : c.warps)
                for (Item &i : w.items)
                    if (core_packet_mem(i.packet) == CORE_MEM_STORE && r.chance(often))
                        for (std::uint64_t &line : i.lines)
                            if (r.chance(80)) core_line_set_locked(&line, 1);
    }
}

void add_customers(Stream &stream) {
    Random r(stream.seed ^ 0x637573746f6du);
    if (r.chance(50)) return;
    for (Phase &p : stream.phases) {
        if (p.ctas.empty() || r.chance(20)) continue;
        const unsigned first = r.below(CUSTOMERS), count = r.chance(30) ? 8 : r.between(1, 3);
        for (unsigned i = 0; i < count; i++) {
            CustomerProgram c;
            c.number = FIRST_CUSTOMER + (first + 5 * i) % CUSTOMERS;
            const bool waits = r.chance(60);
            for (unsigned n = r.between(5, 80); n; n--) c.accesses.push_back(some_access(r, waits));
            p.customers.push_back(std::move(c));
        }
    }
    lock_stores(stream, r);
}

/* ------------------------------------------------------------------------------ the bench */

void CustomerHost::begin(const Phase &phase, Cycle start) {
    running_.clear();
    for (const CustomerProgram &c : phase.customers) {
        Running running{};
        running.program = &c;
        running.last = running.answered = start;
        running_.push_back(running);
    }
}

/* Whether the time of the next access is known, and which it is. */
bool CustomerHost::ready(const Running &c, Cycle &at) const {
    if (c.next == c.program->accesses.size()) return false;
    const CustomerAccess &a = c.program->accesses[c.next];
    if (a.after && c.waiting) return false;
    at = c.last;
    if (a.after) at = std::max(at, c.answered + params_[CORE_PARAM_LOOKAHEAD]);
    at += 1 + a.delay;
    return true;
}

void CustomerHost::send(const Running &c, Cycle at) {
    const CustomerAccess &a = c.program->accesses[c.next];
    std::uint64_t w[2] = {};
    core_remote_set_at(w, at);
    core_remote_set_kind(w, CORE_EV_REQUEST);
    core_remote_set_sm(w, c.program->number);
    core_remote_set_warp(w, a.warp);
    core_remote_set_slot(w, a.slot);
    core_remote_set_sectors(w, a.line.sectors);
    core_remote_set_bar(w, a.bar);
    core_remote_set_slice(w, slice_of(a.line.addr, params_));
    core_remote_set_req(w, a.kind);
    core_remote_set_perform(w, a.perform);
    core_remote_set_full(w, a.line.full);
    core_remote_set_turns(w, a.line.lanes);
    core_remote_set_addr(w, a.line.addr);
    give_word(w);
}

void CustomerHost::give(Cycle before) {
    Cycle at;
    for (Running &c : running_)
        while (ready(c, at) && at + params_[CORE_PARAM_NET_REQUEST] < before) {
            send(c, at);
            c.last = at;
            c.next++;
            c.waiting++;
        }
}

/* An access of which some sectors were there has two replies; the first has no counter. */
void CustomerHost::reply(const Event &e, Cycle at) {
    for (Running &c : running_)
        if (c.program->number == e.sm && e.slot != NO_BAR) {
            if (!c.waiting) throw std::runtime_error("a reply to no request of a customer");
            c.answered = std::max(c.answered, at);
            c.waiting--;
        }
}

bool CustomerHost::done() const {
    return std::all_of(running_.begin(), running_.end(), [](const Running &c) {
        return !c.waiting && c.next == c.program->accesses.size();
    });
}

} // namespace reference
