/* test_sm_code.cpp - rtl/sm/sm_code.sv against rule 13: which lines of code a sub-core has, which
 * one becomes the base of its buffer, what is asked of the SM's cache, and which warps wait for the
 * base; scrubbing changes nothing. */
#include <algorithm>
#include <deque>
#include <map>

#include "Vsm_code.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_code>;

enum { COD, LOO, UPD, STAGES };
enum { ROWS = 6, LINES = 1 << 17, AHEAD = 8, STREAMS = 32 };

using Time = std::optional<uint64_t>; /* none: not known yet */

struct Row {
    std::map<unsigned, std::deque<unsigned>> sets; /* lines, the oldest first */
    unsigned stream = 0, base = LINES - 1 - AHEAD, await = 0;
    bool told = false; /* the SM's cache knows of the stream */
    Time base_at = 0;
    std::map<unsigned, Time> ahead; /* lines behind the base */
};

struct Ask {
    unsigned stream, base, fresh;
    bool restart, demand, launched;
    uint64_t word() const {
        return (uint64_t)stream << 24 | (uint64_t)restart << 23 | demand << 22 | launched << 21 |
               fresh << 17 | base;
    }
};

struct Visit {
    unsigned sm; /* number of the sub-core */
    unsigned warp, line;
    bool wanted, issue, conflict, start, launched;
    bool comes;
    unsigned stream, first, mask;
    uint64_t at;
    /* what follows from the look-up */
    bool looked, there, late, release, waited;
    unsigned await;
    std::optional<Ask> ask;
    Time wait_at;
};

struct Parameters {
    unsigned ways, sets, prefetch;
};

struct Seen {
    unsigned hits = 0, near = 0, far = 0, too_soon = 0, waits = 0, releases = 0, stale = 0,
             again = 0, started = 0, asks = 0, scrubs = 0;
};

struct Test {
    Bench &b;
    Parameters p;
    Seen *seen;
    Row row[ROWS] = {};
    uint64_t now = FIRST_TIME;

    std::deque<unsigned> &set_of(Row &r, unsigned line) { return r.sets[line % p.sets]; }
    static unsigned behind(const Row &r, unsigned line) { return (line - r.base) % LINES; }

    bool cached(Row &r, unsigned line) {
        const auto &set = set_of(r, line);
        return std::find(set.begin(), set.end(), line) != set.end();
    }

    /* A line that is nowhere becomes the base. */
    void move(Row &r, Visit &v) {
        const unsigned far = behind(r, v.line);
        const bool near = far <= p.prefetch, all = v.start && v.launched;
        auto &set = set_of(r, v.line);
        if (set.size() == p.ways) set.pop_front();
        set.push_back(v.line);
        r.base_at.reset();
        if (near) {
            r.base_at = r.ahead[v.line];
        } else {
            r.ahead.clear();
            r.stream = (r.stream + 1) % STREAMS;
        }
        if (v.start) r.base_at = v.at;
        r.base = v.line;
        std::map<unsigned, Time> left;
        for (unsigned n = 1; n <= p.prefetch; n++) {
            const unsigned line = (v.line + n) % LINES;
            left[line] = all ? Time(v.at) : r.ahead[line];
        }
        r.ahead = left;
        Ask a = {r.stream,         v.line, all ? 0 : near ? far : p.prefetch,
                 !near || !r.told, false,  v.launched};
        a.demand = !r.base_at || *r.base_at > v.at;
        seen->too_soon += near && a.demand;
        ++*(near ? &seen->near : &seen->far);
        const bool asks = a.demand || a.fresh;
        r.told = asks || (near && r.told);
        if (asks) v.ask = a;
        seen->asks += asks;
    }

    void look(Row &r, Visit &v) {
        const bool base = r.base_at && *r.base_at <= v.at, hit = cached(r, v.line);
        seen->hits += hit;
        seen->started += v.start;
        if (!base) {
            v.there = v.start || (hit && v.line != r.base);
        } else if (hit || v.line == r.base) {
            v.there = true;
        } else {
            move(r, v);
            v.there = r.base_at && *r.base_at <= v.at;
        }
        v.wait_at = r.base_at;
        v.late = !v.there || v.waited;
        seen->again += v.there && v.waited;
        if (!v.late) return;
        r.await = (r.await & ~(1u << v.warp)) | !v.there << v.warp;
        seen->waits += !v.there;
    }

    void comes(Row &r, Visit &v) {
        seen->stale += v.stream != r.stream;
        if (v.stream != r.stream) return;
        for (unsigned n = 0; n <= AHEAD; n++) {
            if (!(v.mask >> n & 1)) continue;
            const unsigned line = (v.first + n) % LINES;
            if (line == r.base && !r.base_at) {
                r.base_at = v.at;
                v.release = r.await;
                seen->releases += v.release;
            }
            const auto a = r.ahead.find(line);
            if (a != r.ahead.end() && !a->second) a->second = v.at;
        }
    }

    /* Stage look: what the visit finds and does. */
    void looks(Visit &v) {
        Row &r = row[v.sm];
        v.await = r.await;
        v.waited = r.await >> v.warp & 1;
        v.looked = v.issue && v.wanted && !v.conflict && p.ways;
        if (v.looked) look(r, v);
        if (v.comes) comes(r, v);
        b.expect("looked for", b.v.loo_looked_o, v.looked);
        b.expect("late", b.v.loo_late_o, v.late);
        if (v.looked) b.expect("there", b.v.loo_there_o, v.there);
    }

    /* Stage update. */
    void follows(const Visit &v) {
        b.expect("asks", b.v.upd_ask_o, v.ask.has_value());
        if (v.ask) b.expect("for", b.v.upd_ask_word_o, v.ask->word());
        b.expect("misses", b.v.upd_miss_o, v.ask && v.ask->demand);
        b.expect("the base has come", b.v.upd_release_o, v.release);
        if (v.release) b.expect("who waits", b.v.upd_await_o, v.await);
        const bool waits = v.late && !v.there;
        b.expect("waits", b.v.upd_wait_o, waits);
        b.expect("waits on", b.v.upd_keep_o, v.waited && !v.late);
        if (!waits) return;
        b.expect("until never", b.v.upd_wait_at_o >> TIME_BITS, !v.wait_at);
        if (v.wait_at) b.expect("until", kept(b.v.upd_wait_at_o), kept(*v.wait_at));
    }

    Visit random_visit(unsigned number) {
        const Row &r = row[number];
        Visit v = {};
        v.sm = number;
        v.warp = b.pick(1 << WARP_BITS);
        v.at = now + b.pick(8);
        v.line = (r.base + (b.chance(70) ? b.pick(6) : b.pick(60)) - 1 + LINES) % LINES;
        if (b.chance(10)) v.line = (LINES - 20 + b.pick(300)) % LINES;
        if (b.chance(60)) {
            v.issue = true;
            v.wanted = b.chance(90);
            v.conflict = b.chance(5);
            v.start = b.chance(10);
            v.launched = v.start && b.pick(2);
        } else if (b.chance(70)) {
            v.comes = true;
            v.stream = b.chance(85) ? r.stream : (r.stream + STREAMS - 1) % STREAMS;
            v.first = (r.base - b.pick(3)) % LINES;
            v.mask = b.pick(512);
        }
        return v;
    }

    void ports(Visit *cod, Visit *loo, Visit *upd) {
        b.v.cod_come_i = cod && cod->comes;
        b.v.cod_wanted_i = cod && cod->wanted;
        b.v.loo_issue_i = loo && loo->issue;
        b.v.loo_come_i = loo && loo->comes;
        b.v.loo_conflict_i = loo && loo->conflict;
        if (cod) {
            b.v.cod_row_i = cod->sm;
            b.v.cod_line_i = cod->line;
        }
        if (loo) {
            b.v.loo_warp_i = loo->warp;
            b.v.loo_at_i = kept(loo->at);
            b.v.loo_epoch_i = loo->stream;
            b.v.loo_first_i = loo->first;
            b.v.loo_mask_i = loo->mask;
            b.v.loo_start_i = loo->start;
            b.v.loo_launched_i = loo->launched;
        }
        if (upd) {
            b.v.upd_row_i = upd->sm;
            b.v.upd_warp_i = upd->warp;
        }
    }

    /* A visit alone that initialises a set, or scrubs. */
    void alone(unsigned number, unsigned set, bool init) {
        b.v.cod_row_i = b.v.upd_row_i = number;
        b.v.cod_init_set_i = set;
        for (unsigned stage = 0; stage < (PIPELINED ? 3 : 1); stage++) {
            const bool cod = stage == COD, loo = !PIPELINED || stage == LOO,
                       upd = !PIPELINED || stage == UPD;
            b.v.cod_init_i = cod && init;
            b.v.cod_scrub_i = cod && !init;
            b.v.loo_init_i = loo && init;
            b.v.loo_scrub_i = loo && !init;
            b.v.upd_init_i = upd && init;
            b.tick();
        }
        b.v.cod_init_i = b.v.cod_scrub_i = b.v.loo_init_i = b.v.loo_scrub_i = b.v.upd_init_i = 0;
    }

    void scrub(bool all) {
        ports(nullptr, nullptr, nullptr);
        b.v.scrub_all_i = all;
        b.v.scrub_floor_i = kept(now - 256);
        for (unsigned r = 0; r < ROWS; r++) alone(r, 0, false);
        seen->scrubs++;
    }

    void run(unsigned enter) {
        Stages<Visit> stages(STAGES, PIPELINED);
        uint64_t scrubbed = now;
        b.v.ways_i = p.ways;
        b.v.sets_i = p.sets == 64;
        b.v.prefetch_i = p.prefetch;
        for (Row &r : row)
            for (unsigned n = 1; n <= p.prefetch; n++) r.ahead[(r.base + n) % LINES].reset();
        for (unsigned r = 0; r < ROWS; r++)
            for (unsigned set = 0; set < 64; set++) alone(r, set, true);
        scrub(true);
        for (int i = 0; i < 12000; i++) {
            if (b.chance(30)) now += b.pick(4);
            const bool pause = now - scrubbed > 1 << 12;
            std::optional<Visit> next;
            const unsigned n = b.pick(ROWS);
            if (!pause && b.chance(enter) && !stages.any([&](Visit &v) { return v.sm == n; }))
                next = random_visit(n);
            if (pause && !stages.any([](Visit &) { return true; })) {
                const bool all = b.chance(30);
                if (all) now += UINT64_C(5) << (TIME_BITS - 2);
                scrub(all);
                scrubbed = now;
            }
            stages.enter(next);
            Visit *loo = stages.at(LOO), *upd = stages.at(UPD);
            ports(stages.at(COD), loo, upd);
            b.settle();
            if (loo) looks(*loo);
            if (upd) follows(*upd);
            b.tick();
            stages.step();
        }
    }
};

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (const Parameters &p : {Parameters{4, 32, 8}, Parameters{1, 64, 3}, Parameters{2, 32, 0},
                                Parameters{3, 64, 8}, Parameters{0, 32, 8}})
        for (unsigned enter : {100, 40}) {
            Bench b(seed++);
            Test t{b, p, &seen};
            t.run(enter);
        }
    if (!all_reached({seen.hits, seen.near, seen.far, seen.too_soon, seen.waits, seen.releases,
                      seen.stale, seen.again, seen.started, seen.asks},
                     100))
        return 1;
    if (seen.scrubs < 8) return fprintf(stderr, "%u scrubs\n", seen.scrubs), 1;
    printf("sm_code: passed\n");
    return 0;
}
