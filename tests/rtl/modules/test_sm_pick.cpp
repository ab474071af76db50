/* test_sm_pick.cpp - rtl/sm/sm_pick.sv against rule 2: which warp of a sub-core is the first that
 * can issue, and when, by each policy; what visits change; scrubbing changes nothing. */
#include <algorithm>

#include "Vsm_pick.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_pick>;

enum { SEL = 0, REL = 1, MIN = 2, CHO = 3, RDY = 8, ROW = 9, STAGES = 10 };
enum { WARPS = 1 << WARP_BITS, ROWS = 12, FAR = 254, BLOCKED = 255, LATE_MOST = 64 };
enum Policy { CGGTY, GTO, LRR };

struct Warp {
    uint64_t at = 0; /* earliest issue */
    bool has = false, stopped = false;
};

struct Row {
    Warp warp[WARPS];
    unsigned last = 0;
    bool yields = false; /* the last one is not preferred */
    uint64_t next = 0;   /* nothing issues before */
};

struct Visit {
    unsigned sm; /* number of the sub-core */
    unsigned warp;
    bool issue;
    uint64_t at;
    /* stage row */
    Warp own;
    bool keep, full, release, greedy, yields, nexts;
    unsigned others, await;
    uint64_t free, row_at, next;
    /* what is picked */
    uint64_t from, after;
    unsigned distance, first;
    bool ready;
};

struct Seen {
    unsigned near = 0, far = 0, blocked = 0, starving = 0, greedy = 0, ties = 0, late = 0,
             moved = 0, released = 0, scrubs = 0;
};

struct Test {
    Bench &b;
    Policy policy;
    Seen *seen;
    Row rows[ROWS] = {};
    uint64_t now = FIRST_TIME;

    /* Place of a warp in the order of the policy, the greedy one apart. */
    unsigned place(const Row &row, unsigned warp) const {
        if (policy == CGGTY) return WARPS - 1 - warp;
        if (policy == GTO) return warp;
        return (warp + WARPS - row.last - 1) % WARPS;
    }

    void pick(Visit &v) {
        const Row &row = rows[v.sm];
        v.after = row.next;
        v.from = v.at;
        if (row.next >= v.at && row.next - v.at < LATE_MOST) v.from = row.next;
        seen->late += v.from > v.at;
        unsigned distance[WARPS];
        for (unsigned w = 0; w < WARPS; w++) {
            const Warp &x = row.warp[w];
            const uint64_t ahead = x.at > v.from ? x.at - v.from : 0;
            distance[w] = x.stopped ? (unsigned)BLOCKED : (unsigned)std::min<uint64_t>(ahead, FAR);
        }
        v.distance = *std::min_element(distance, distance + WARPS);
        const bool near = v.distance < FAR;
        ++*(near ? &seen->near : v.distance == FAR ? &seen->far : &seen->blocked);
        /* one without packets goes before those that could issue in the same cycle */
        v.ready = near;
        for (unsigned w = 0; w < WARPS; w++)
            if (distance[w] == v.distance && !row.warp[w].has) v.ready = false;
        seen->starving += near && !v.ready;
        unsigned equal = 0;
        v.first = WARPS;
        for (unsigned w = 0; w < WARPS; w++) {
            if (distance[w] != v.distance || (near && row.warp[w].has != v.ready)) continue;
            equal++;
            if (v.first == WARPS || place(row, w) < place(row, v.first)) v.first = w;
        }
        const bool can = distance[row.last] == v.distance && row.warp[row.last].has == v.ready;
        if (near && policy != LRR && !row.yields && can) {
            seen->greedy += v.first != row.last;
            v.first = row.last;
        }
        seen->ties += near && equal > 1;
    }

    void changes(const Visit &v) {
        Row &row = rows[v.sm];
        const Warp own = v.keep ? row.warp[v.warp] : v.own;
        for (unsigned w = 0; w < WARPS; w++)
            if (!(v.others >> w & 1)) { /* it wants the pipe that moves */
                row.warp[w] = {std::max(row.warp[w].at, v.free), true, v.full};
                seen->moved++;
            }
        row.warp[v.warp] = own;
        for (unsigned w = 0; w < WARPS && v.release; w++)
            if (v.await >> w & 1 && row.warp[w].stopped) {
                row.warp[w] = {v.row_at, true, false};
                seen->released++;
            }
        if (v.greedy) {
            row.last = v.warp;
            row.yields = v.yields;
        }
        if (v.nexts) row.next = v.next;
    }

    Visit random_visit(unsigned n) {
        Visit v = {};
        v.sm = n;
        v.warp = b.pick(WARPS);
        v.issue = b.chance(70);
        v.at = now + b.pick(20);
        const bool stopped = b.chance(20);
        v.own = {now + (b.chance(20) ? b.pick(600) : b.pick(8)), stopped || b.chance(85), stopped};
        if (b.chance(20)) v.own.at = now - b.pick(100);
        if (n < 2) { /* sub-cores with nothing to do for long, or before an event */
            v.own.at = now + 200 + b.pick(800);
            v.own.stopped = n == 1 && b.chance(99);
            v.own.has = v.own.has || v.own.stopped;
        }
        v.keep = b.chance(10);
        v.full = b.chance(20);
        v.release = n > 1 && b.chance(30);
        v.greedy = v.issue && b.chance(60);
        v.yields = b.chance(30);
        v.nexts = b.chance(40);
        v.others = b.pick(3) ? 0xffff : (unsigned)b.bits(WARPS);
        v.await = (unsigned)b.bits(WARPS);
        v.free = now + b.pick(30);
        v.row_at = now + b.pick(20);
        v.next = v.at + b.pick(b.pick(2) ? 6 : 60);
        return v;
    }

    void ports(Visit *v[STAGES]) {
        b.v.reached_i = (uint32_t)now;
        b.v.sel_issue_i = v[SEL] && v[SEL]->issue;
        b.v.rel_issue_i = v[REL] && v[REL]->issue;
        b.v.min_issue_i = v[MIN] && v[MIN]->issue;
        b.v.rdy_valid_i = v[RDY] != nullptr;
        b.v.row_valid_i = v[ROW] != nullptr;
        if (v[SEL]) b.v.sel_row_i = v[SEL]->sm;
        if (v[REL]) b.v.rel_at_i = kept(v[REL]->at);
        if (v[RDY]) b.v.rdy_row_i = v[RDY]->sm;
        if (!v[ROW]) return;
        const Visit &r = *v[ROW];
        b.v.row_row_i = r.sm;
        b.v.row_warp_i = r.warp;
        b.v.row_at_i = kept(r.row_at);
        for (unsigned w = 0; w < WARPS; w++) /* the second bit of four */
            set_bits(b.v.row_others_i, 4 * w, 4, (b.bits(4) & 13) | (r.others >> w & 1) << 1);
        b.v.row_free_i = kept(r.free);
        b.v.row_full_i = r.full;
        b.v.row_own_at_i = kept(r.own.at);
        b.v.row_own_i = r.own.has << 1 | r.own.stopped;
        b.v.row_keep_i = r.keep;
        b.v.row_release_i = r.release;
        b.v.row_await_i = r.await;
        b.v.row_greedy_we_i = r.greedy;
        b.v.row_fresh_i = r.yields;
        b.v.row_next_we_i = r.nexts;
        b.v.row_next_i = (uint32_t)r.next;
    }

    void picked(const Visit &v) {
        b.expect("counts from", b.v.cho_at_o, kept(v.from));
        b.expect("nothing before", b.v.cho_after_o, (uint32_t)v.after);
        b.expect("distance", b.v.cho_rel_o, v.distance);
        if (v.distance >= FAR) return;
        b.expect("ready", b.v.cho_ready_o, v.ready);
        b.expect("warp", b.v.cho_warp_o, v.first);
    }

    /* A visit to each row: after the reset, or one that scrubs. */
    void all(bool init, bool old) {
        Visit *none[STAGES] = {};
        ports(none);
        b.v.scrub_all_i = old;
        b.v.scrub_floor_i = kept(now - 256);
        b.v.row_own_at_i = kept(now - 256);
        b.v.row_own_i = 0;
        b.v.row_release_i = b.v.row_greedy_we_i = b.v.row_next_we_i = b.v.row_keep_i = 0;
        for (unsigned r = 0; r < ROWS; r++)
            for (unsigned stage = 0; stage < 2; stage++) {
                b.v.rdy_row_i = b.v.row_row_i = r;
                b.v.rdy_valid_i = !PIPELINED || stage == 0;
                b.v.row_valid_i = stage == 1;
                b.v.row_init_i = b.v.row_valid_i && init;
                b.v.row_scrub_i = b.v.row_valid_i && !init;
                b.tick();
            }
        b.v.rdy_valid_i = b.v.row_valid_i = b.v.row_init_i = b.v.row_scrub_i = 0;
    }

    void run(unsigned enter) {
        Stages<Visit> stages(STAGES, PIPELINED);
        uint64_t scrubbed = now;
        b.v.policy_i = policy;
        all(true, false);
        for (Row &row : rows) /* next is 0 */
            for (Warp &w : row.warp) w.at = now - 256;
        for (int i = 0; i < 20000; i++) {
            if (b.chance(20)) now += b.pick(3);
            const bool pause = now - scrubbed > 1 << 10;
            std::optional<Visit> next;
            const unsigned n = b.pick(ROWS);
            if (!pause && b.chance(enter) && !stages.any([&](Visit &v) { return v.sm == n; }))
                next = random_visit(n);
            if (pause && !stages.any([](Visit &) { return true; })) {
                const bool old = b.chance(30);
                if (old) now += UINT64_C(5) << (TIME_BITS - 2);
                all(false, old);
                scrubbed = now;
                seen->scrubs++;
            }
            stages.enter(next);
            Visit *v[STAGES];
            for (unsigned s = 0; s < STAGES; s++) v[s] = stages.at(s);
            if (v[SEL]) pick(*v[SEL]);
            ports(v);
            b.settle();
            if (v[CHO] && v[CHO]->issue) picked(*v[CHO]);
            if (v[ROW]) changes(*v[ROW]);
            b.tick();
            stages.step();
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (Policy policy : {CGGTY, GTO, LRR})
        for (unsigned enter : {100, 30}) {
            Bench b(seed++);
            Test t{b, policy, &seen};
            t.run(enter);
        }
    if (!all_reached({seen.near, seen.far, seen.blocked, seen.starving, seen.greedy, seen.ties,
                      seen.late, seen.moved, seen.released},
                     20))
        return 1;
    if (seen.scrubs < 6) return fprintf(stderr, "%u scrubs\n", seen.scrubs), 1;
    printf("sm_pick: passed\n");
    return 0;
}
