/* test_sm_shared_code.cpp - rtl/sm/sm_shared_code.sv against rule 13: which lines of an ask the
 * SM's instruction cache has, which ones it fetches, and which sub-cores are told of a line that
 * has come. */
#include <algorithm>
#include <map>
#include <set>

#include "Vsm_shared_code.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_shared_code>;

enum { SETS = 64, CODE_WAYS = 16, FLIGHTS = 12, LINES = 1 << 17, CODE_SMS = 4, ALL = 15 };
/* what a visit does: with a line of an ask, sectors that come, a sub-core that is told */
enum Do { FIRST, NEXT, REPLY, TELL, DOS };

struct Way {
    bool used = false;
    unsigned line = 0, come = 0;
    bool flies() const { return used && come != ALL; }
};

struct Ask {
    unsigned sub, epoch, fresh, base;
    bool restart, demand, launched;
    uint64_t word() const {
        return (uint64_t)epoch << 24 | (uint64_t)restart << 23 | demand << 22 | launched << 21 |
               fresh << 17 | base;
    }
};

struct Sub {
    unsigned epoch = 0, base = 0;
    bool told = false;        /* it has asked before */
    std::set<unsigned> lines; /* that it waits for */
};

struct Sm {
    Way way[SETS][CODE_WAYS];
    unsigned pointer[SETS] = {}, flights = 0;
    Sub sub[SUBS];
    /* what goes on in the next visit */
    std::optional<Ask> ask;
    std::vector<unsigned> left; /* of its lines: so far behind the base */
    unsigned hits = 0;
    std::optional<unsigned> tell; /* a line */
    unsigned tell_sub = 0;
};

struct Visit {
    unsigned sm;
    Do what;
    Ask ask;
    unsigned set, way, come;
};

struct Parameters {
    unsigned prefetch;
    bool shared;
};

struct Seen {
    unsigned does[DOS] = {}, hits = 0, joins = 0, fetches = 0, full = 0, evicts = 0, leaves = 0,
             told = 0, whole = 0, skips = 0;
};

struct Test {
    Bench &b;
    Parameters p;
    Seen *seen;
    std::vector<Sm> sms = std::vector<Sm>(CODE_SMS);

    /* Another stream, or a base further on in the same one. */
    std::optional<Ask> random_ask(Sm &sm) {
        const unsigned n = b.chance(5) ? SUBS - 1 : b.pick(SUBS - 1); /* one asks seldom */
        const Sub &s = sm.sub[n];
        if (s.lines.count(s.base)) return {}; /* it waits for its base */
        Ask a = {
            n,          s.epoch, 0, 0, !s.told || p.prefetch == 0 || b.chance(30), b.chance(70),
            b.chance(5)};
        if (a.restart) {
            a.epoch = (s.epoch + s.told) % 32;
            a.base = (b.pick(24) * SETS + 4 * b.pick(2)) % LINES;
            a.fresh = b.chance(90) ? p.prefetch : 0;
        } else {
            a.fresh = 1 + b.pick(p.prefetch);
            a.base = (s.base + a.fresh) % LINES;
        }
        if (!a.fresh) a.demand = true;
        return a;
    }

    std::optional<Visit> random_visit(unsigned n) {
        Sm &sm = sms[n];
        Visit v = {};
        v.sm = n;
        if (sm.ask) {
            v.what = NEXT;
            v.ask = *sm.ask;
        } else if (sm.tell) {
            v.what = TELL;
        } else if (sm.flights && b.chance(sm.flights > 8 ? 70 : 35)) {
            v.what = REPLY;
            std::vector<std::pair<unsigned, unsigned>> all;
            for (unsigned s = 0; s < SETS; s++)
                for (unsigned w = 0; w < CODE_WAYS; w++)
                    if (sm.way[s][w].flies()) all.push_back({s, w});
            std::tie(v.set, v.way) = all[b.pick((uint32_t)all.size())];
            if (v.set % 4 == 0 && v.way == 3 && b.pick(300)) return {}; /* it takes long */
            const unsigned left = ALL & ~sm.way[v.set][v.way].come;
            v.come = b.pick(2) ? left : left & b.pick(16);
            if (!v.come) v.come = left;
        } else {
            const auto ask = random_ask(sm);
            if (!ask) return {};
            v.what = FIRST;
            v.ask = *ask;
        }
        return v;
    }

    /* One of the lines of an ask. */
    void look_up(Sm &sm, unsigned far) {
        const Ask &a = *sm.ask;
        const unsigned line = (a.base + far) % LINES, set = line % SETS;
        Way *there = nullptr;
        for (Way &w : sm.way[set])
            if (w.used && w.line == line) there = &w;
        const bool hit = !p.shared || a.launched || (there && there->come == ALL);
        const bool sends = !hit && !there && (far == 0 || sm.flights < FLIGHTS);
        seen->hits += hit;
        seen->joins += !hit && there;
        seen->full += !hit && !there && !sends;
        b.expect("requested", b.v.act_send_o, sends);
        if (hit) sm.hits |= 1u << far;
        if (!hit && (there || sends)) sm.sub[a.sub].lines.insert(line);
        if (!sends) return;
        unsigned way = sm.pointer[set];
        seen->skips += sm.way[set][way].flies();
        while (sm.way[set][way].flies()) way = (way + 1) % CODE_WAYS;
        seen->evicts += sm.way[set][way].used;
        seen->fetches++;
        b.expect("line", b.v.act_line_o, line);
        b.expect("way", b.v.act_way_o, way);
        sm.way[set][way] = {true, line, 0};
        sm.pointer[set] = (way + 1) % CODE_WAYS;
        sm.flights++;
    }

    void leaves(bool leave, unsigned sub, unsigned epoch, unsigned base, unsigned lines) {
        b.expect("lines leave", b.v.act_leave_o, leave);
        if (!leave) return;
        b.expect("for sub-core", b.v.act_sub_o, sub);
        b.expect("stream", b.v.act_epoch_o, epoch);
        b.expect("from", b.v.act_base_o, base);
        b.expect("lines", b.v.act_lines_o, lines);
        seen->leaves++;
    }

    void ask(Sm &sm, const Visit &v) {
        if (v.what == FIRST) {
            sm.ask = v.ask;
            sm.hits = 0;
            sm.left.clear();
            if (v.ask.demand) sm.left.push_back(0);
            for (unsigned n = p.prefetch - v.ask.fresh + 1; n <= p.prefetch; n++)
                sm.left.push_back(n);
            Sub &s = sm.sub[v.ask.sub];
            std::set<unsigned> stay; /* those that its buffer still has */
            for (unsigned line : s.lines)
                if (!v.ask.restart && (line - v.ask.base) % LINES <= p.prefetch) stay.insert(line);
            s.lines = stay;
            s.epoch = v.ask.epoch;
            s.base = v.ask.base;
            s.told = true;
        }
        const Ask a = *sm.ask;
        look_up(sm, sm.left.front());
        sm.left.erase(sm.left.begin());
        const bool last = sm.left.empty();
        b.expect("last", b.v.act_last_o, last);
        b.expect("more", b.v.act_more_o, !last);
        leaves(last && sm.hits, a.sub, a.epoch, a.base, sm.hits);
        if (last) sm.ask.reset();
    }

    /* A sub-core is told, if it waits for the line. */
    void tell(Sm &sm, unsigned line, unsigned n) {
        Sub &s = sm.sub[n];
        const bool waits = s.lines.erase(line);
        leaves(waits, n, s.epoch, line, 1);
        seen->told += waits && n;
        b.expect("more", b.v.act_more_o, n + 1 < SUBS);
        sm.tell.reset();
        if (n + 1 < SUBS) sm.tell = line;
        sm.tell_sub = n + 1;
    }

    void acts(const Visit &v) {
        Sm &sm = sms[v.sm];
        seen->does[v.what]++;
        if (v.what == FIRST || v.what == NEXT) return ask(sm, v);
        b.expect("requested", b.v.act_send_o, 0);
        if (v.what == TELL) return tell(sm, *sm.tell, sm.tell_sub);
        Way &w = sm.way[v.set][v.way];
        w.come |= v.come;
        if (w.come != ALL) {
            b.expect("more", b.v.act_more_o, 0);
            return leaves(false, 0, 0, 0, 0);
        }
        sm.flights--;
        seen->whole++;
        tell(sm, w.line, 0);
    }

    void ports(Visit *v[PASS_STAGES]) {
        if (v[CMP]) b.v.cmp_sm_i = v[CMP]->sm;
        if (v[WRD]) b.v.wrd_sm_i = v[WRD]->sm;
        if (v[MIS]) b.v.mis_sm_i = v[MIS]->sm;
        if (v[TAG]) b.v.tag_sm_i = v[TAG]->sm;
        if (v[ACT]) b.v.act_sm_i = v[ACT]->sm;
        if (v[OPS]) b.v.ops_sub_i = v[OPS]->ask.sub;
        b.v.ptr_first_i = v[PTR] && v[PTR]->what == FIRST;
        b.v.ptr_next_i = v[PTR] && v[PTR]->what == NEXT;
        if (v[PTR]) b.v.ptr_word_i = v[PTR]->ask.word();
        b.v.mis_reply_i = v[MIS] && v[MIS]->what == REPLY;
        b.v.mis_tell_i = v[MIS] && v[MIS]->what == TELL;
        if (v[MIS]) {
            b.v.mis_index_i = v[MIS]->set;
            b.v.mis_way_i = v[MIS]->way;
        }
        b.v.act_ask_i = v[ACT] && (v[ACT]->what == FIRST || v[ACT]->what == NEXT);
        b.v.act_reply_i = v[ACT] && v[ACT]->what == REPLY;
        b.v.act_tell_i = v[ACT] && v[ACT]->what == TELL;
        if (v[ACT]) b.v.act_come_i = v[ACT]->come;
    }

    void run(unsigned enter) {
        Stages<Visit> stages(PASS_STAGES, PIPELINED);
        b.v.prefetch_i = p.prefetch;
        b.v.shared_i = p.shared;
        b.v.init_i = 1;
        for (unsigned set = 0; set < SMS * SETS; set++) {
            b.v.init_set_i = set;
            b.v.init_sm_i = set % SMS;
            b.v.init_row_i = set % (SMS * SUBS);
            b.tick();
        }
        b.v.init_i = 0;
        for (int i = 0; i < 25000; i++) {
            std::optional<Visit> next;
            if (b.chance(enter))
                if (auto n = free_sm(b, stages, CODE_SMS)) next = random_visit(*n);
            stages.enter(next);
            Visit *v[PASS_STAGES];
            for (unsigned s = 0; s < PASS_STAGES; s++) v[s] = stages.at(s);
            ports(v);
            b.settle();
            if (v[PCK] && v[PCK]->what == NEXT)
                b.expect("goes on with", b.v.pck_sub_o, v[PCK]->ask.sub);
            if (v[ACT]) acts(*v[ACT]);
            b.tick();
            stages.step();
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (const Parameters &p :
         {Parameters{8, true}, Parameters{3, true}, Parameters{0, true}, Parameters{8, false}})
        for (unsigned enter : {100, 40}) {
            Bench b(seed++);
            Test t{b, p, &seen};
            t.run(enter);
        }
    if (!all_reached({seen.does[0], seen.does[1], seen.does[2], seen.does[3], seen.hits, seen.joins,
                      seen.fetches, seen.full, seen.evicts, seen.leaves, seen.told, seen.whole},
                     100))
        return 1;
    if (seen.skips < 3) return fprintf(stderr, "%u ways passed over\n", seen.skips), 1;
    printf("sm_shared_code: passed\n");
    return 0;
}
