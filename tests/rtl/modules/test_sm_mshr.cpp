/* test_sm_mshr.cpp - rtl/sm/sm_mshr.sv against rule 6: which MSHR a load joins or takes, what is on
 * its way; a reply counts for all MSHRs of its line, and whoever waited in one of them that has all
 * its sectors is woken once. */
#include <set>
#include <vector>

#include "Vsm_mshr.h"
#include "sm_bench.h"

enum { MSHR_SMS = 8, MSHR_SETS = 64, ENTRIES = 4, WAITERS = 8 };

using Bench = ModuleBench<Vsm_mshr>;

struct Mshr {
    uint32_t line;
    unsigned waits, come;          /* sectors that it still waits for, that it got */
    std::vector<unsigned> waiters; /* warp << 3 | counter */
};

struct Reply {
    unsigned mshr, sectors;
};

struct Sm {
    std::optional<Mshr> mshr[MSHR_SETS][ENTRIES];
    std::vector<Reply> replies;
    std::multiset<unsigned> woken; /* still to be told */
};

enum What { LINE, REPLY, WAKE };
struct Visit {
    unsigned sm;
    What what;
    uint32_t line;
    Reply reply;
    unsigned missing, warp, bar;
};

static unsigned set_of(uint32_t line) {
    return (line ^ line >> 6) % MSHR_SETS;
}

static Visit visit(Bench &b, unsigned number, Sm &sm, unsigned replies) {
    Visit v = {number, LINE, 0, {}, 1 + b.pick(15), b.pick(64), b.pick(8)};
    const unsigned x = b.pick(3);
    v.line = b.pick(2) << 31 | b.pick(2) << 12 | x << 6 | (x ^ (b.pick(2) * 37));
    if (!sm.woken.empty()) {
        v.what = WAKE;
    } else if (!sm.replies.empty() && b.chance(replies)) {
        /* any of those under way; the network may split it */
        v.what = REPLY;
        Reply &r = sm.replies[b.pick((uint32_t)sm.replies.size())];
        v.reply = r;
        v.reply.sectors &= 1 + b.pick(15);
        if (!v.reply.sectors) v.reply.sectors = r.sectors;
        r.sectors &= ~v.reply.sectors;
        if (!r.sectors) {
            r = sm.replies.back();
            sm.replies.pop_back();
        }
        v.line = sm.mshr[v.reply.mshr / ENTRIES][v.reply.mshr % ENTRIES]->line;
    }
    return v;
}

/* A load looks its line up. */
static void look_up(Bench &b, Sm &sm, const Visit &v, unsigned *stalls, unsigned *joins) {
    auto &set = sm.mshr[set_of(v.line)];
    int join = -1, free = -1;
    unsigned under_way = 0;
    for (int m = ENTRIES - 1; m >= 0; m--) {
        if (!set[m]) {
            free = m;
        } else if (set[m]->line == v.line) {
            under_way |= set[m]->waits;
            if (set[m]->waiters.size() < WAITERS) join = m;
        }
    }
    b.expect("join", b.v.act_join_o, join >= 0);
    if (join < 0) b.expect("free", b.v.act_free_o, free >= 0);
    b.expect("under way", b.v.act_under_way_o, under_way);
    if (join < 0 && free < 0) {
        ++*stalls;
        return;
    }
    const int entry = join >= 0 ? join : free;
    b.expect("entry", b.v.act_entry_o, entry);
    unsigned request = v.missing & ~under_way;
    if (join >= 0) {
        b.expect("come", b.v.act_there_o, set[join]->come);
        request &= ~set[join]->come;
        ++*joins;
    } else {
        set[free] = Mshr{v.line, 0, 0, {}};
    }
    set[entry]->waits |= v.missing & ~set[entry]->come;
    set[entry]->waiters.push_back(v.warp << 3 | v.bar);
    if (request) sm.replies.push_back({set_of(v.line) * ENTRIES + entry, request});
    b.v.act_keep_i = 1;
    b.settle();
}

static void reply(Sm &sm, const Visit &v) {
    for (auto &m : sm.mshr[set_of(v.line)]) {
        if (!m || m->line != v.line) continue;
        m->waits &= ~v.reply.sectors;
        m->come |= v.reply.sectors;
        if (m->waits) continue;
        sm.woken.insert(m->waiters.begin(), m->waiters.end());
        m.reset();
    }
}

static void run(uint32_t seed, unsigned enter, unsigned replies) {
    Bench b(seed);
    Stages<Visit> stages(4, PIPELINED);
    std::vector<Sm> sms(MSHR_SMS);
    unsigned stalls = 0, joins = 0, woken = 0;
    b.v.init_i = 1;
    for (unsigned set = 0; set < MSHR_SMS * MSHR_SETS; set++) {
        b.v.init_set_i = set;
        b.tick();
    }
    b.v.init_i = 0;
    for (int i = 0; i < 40000; i++) {
        std::optional<Visit> next;
        if (b.chance(enter))
            if (auto sm = free_sm(b, stages, MSHR_SMS)) next = visit(b, *sm, sms[*sm], replies);
        stages.enter(next);
        Visit *wrd = stages.at(0), *mis = stages.at(1), *tag = stages.at(2), *act = stages.at(3);
        b.v.visit_i = mis != nullptr;
        if (wrd) b.v.wrd_sm_i = wrd->sm;
        b.v.mis_line_i = mis && mis->what == LINE;
        b.v.mis_wake_i = mis && mis->what == WAKE;
        b.v.mis_addr_i = (uint32_t)b.bits(32);
        b.v.mis_mshr_i = b.pick(256);
        if (mis) {
            b.v.mis_sm_i = mis->sm;
            if (mis->what == LINE) b.v.mis_addr_i = mis->line;
            if (mis->what == REPLY) b.v.mis_mshr_i = mis->reply.mshr;
        }
        if (tag) b.v.tag_sm_i = tag->sm;
        b.v.act_keep_i = 0;
        b.v.act_reply_i = act && act->what == REPLY;
        b.v.act_wake_i = act && act->what == WAKE;
        if (act) {
            b.v.act_sm_i = act->sm;
            b.v.act_missing_i = act->missing;
            b.v.act_warp_i = act->warp;
            b.v.act_bar_i = act->bar;
            b.v.act_come_i = act->reply.sectors;
        }
        b.settle();
        if (tag && tag->what != WAKE) b.expect("line", b.v.tag_addr_o, tag->line);
        if (act) {
            Sm &sm = sms[act->sm];
            if (act->what != WAKE) {
                b.expect("line", b.v.act_addr_o, act->line);
                b.expect("set", b.v.act_set_o, set_of(act->line));
            }
            if (act->what == LINE) look_up(b, sm, *act, &stalls, &joins);
            if (act->what == REPLY) reply(sm, *act);
            const bool wakes = act->what != LINE && !sm.woken.empty();
            b.expect("an operation is woken", b.v.act_done_o, wakes);
            if (wakes) {
                const auto it = sm.woken.find(b.v.act_waiter_o << 3 | b.v.act_waiter_bar_o);
                if (it == sm.woken.end()) b.fail("warp %u waits for nothing", b.v.act_waiter_o);
                sm.woken.erase(it);
                woken++;
            }
            b.expect("others wait", b.v.act_more_o, wakes && !sm.woken.empty());
        }
        b.tick();
        stages.step();
    }
    if (woken < 1000 || !joins || (replies < 50 && !stalls))
        b.fail("%u woken, %u joined, %u stalls", woken, joins, stalls);
}

int main() {
    uint32_t seed = 1;
    for (unsigned replies : {15, 30, 60, 90})
        for (unsigned enter : {100, 50}) run(seed++, enter, replies);
    printf("sm_mshr: passed\n");
    return 0;
}
