/* test_sm_row.cpp - rtl/sm/sm_row.sv: when the pipes of a sub-core are free, which of its warps
 * want the one that moves, and when the visited warp may issue; scrubbing changes nothing. */
#include <algorithm>

#include "Vsm_row.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_row>;

enum { UPD_ROW, UPD, RDY, ROW, STAGES }; /* the first is stage look */
enum { PIPES = 10, MIO = 9, ROWS = 6, WARPS = 1 << WARP_BITS, NO_PIPE = 100 };

struct Row {
    uint64_t free[PIPES];
    unsigned wants[WARPS]; /* a pipe, or NO_PIPE */
};

struct Visit {
    unsigned sm; /* number of the sub-core */
    unsigned warp;
    /* stage update */
    bool issue, filled, full;
    unsigned pipe, interval;
    uint64_t at, issue_at, place, release;
    /* stage ready: the next instruction */
    bool has, stopped, keep, wait, never;
    unsigned next_pipe;
    uint64_t next_at, wait_at;
    /* what follows */
    std::optional<unsigned> moves;
    uint64_t moved, own_at;
    unsigned others;
};

struct Seen {
    unsigned issues = 0, mio = 0, filled = 0, waits = 0, piped = 0, own = 0, scrubs = 0;
};

static Visit random_visit(Bench &b, unsigned number, const Row &row, uint64_t now) {
    Visit v = {};
    v.sm = number;
    v.warp = b.pick(WARPS);
    const unsigned what = b.pick(10);
    v.issue = what < 6;
    v.filled = what == 6 || what == 7;
    v.full = b.chance(20);
    v.pipe = b.pick(4) ? b.pick(PIPES) : b.pick(13);
    v.at = now + b.pick(40);
    if (v.pipe < MIO) v.at = std::max(v.at, row.free[v.pipe]);
    v.issue_at = v.at + b.pick(4);
    v.interval = 1 + b.pick(b.pick(4) ? 8 : 255);
    v.place = v.at + b.pick(60);
    v.release = v.at + b.pick(60);
    v.has = b.chance(80);
    v.next_pipe = b.pick(3) ? v.pipe : b.pick(16);
    v.stopped = b.chance(15);
    v.keep = v.has && !v.stopped && b.chance(10);
    v.wait = v.has && !v.stopped && !v.keep && b.chance(10);
    v.never = b.pick(2);
    v.next_at = now + b.pick(100);
    v.wait_at = now + b.pick(100);
    return v;
}

/* Stage update. */
static void update(Row &row, Visit &v, Seen *seen) {
    if (v.issue && v.pipe < PIPES) {
        v.moves = v.pipe;
        v.moved = v.issue_at + v.interval;
        if (v.pipe == MIO) v.moved = std::max(v.moved, v.place);
        seen->mio += v.pipe == MIO;
        seen->issues++;
    } else if (v.filled) {
        v.moves = MIO;
        v.moved = std::max(row.free[MIO], v.release);
        seen->filled++;
    }
    if (v.moves) row.free[*v.moves] = v.moved;
}

/* Stage ready: what the warp wants from now on. */
static void ready(Bench &b, Row &row, Visit &v, Seen *seen) {
    b.expect("work", b.v.rdy_bound_we_o, v.filled);
    if (v.filled) b.expect("from", b.v.rdy_bound_o, kept(v.moved));
    v.others = 0;
    for (unsigned w = 0; w < WARPS; w++) /* as it was before the visit */
        v.others |= (!v.moves || row.wants[w] != *v.moves) << w;
    const bool pipe = v.has && !v.stopped && !v.keep && !v.wait && v.next_pipe < PIPES;
    row.wants[v.warp] = pipe ? v.next_pipe : (unsigned)NO_PIPE;
    v.own_at = v.next_at;
    if (pipe) v.own_at = std::max(v.next_at, row.free[v.next_pipe]);
    if (v.wait) v.own_at = v.wait_at;
    seen->piped += pipe && v.own_at > v.next_at;
    seen->own += pipe && v.moves == v.next_pipe;
    seen->waits += v.wait;
}

static void end(Bench &b, const Row &row, const Visit &v) {
    for (unsigned w = 0; w < WARPS; w++)
        if (w != v.warp)
            b.expect("wants another pipe", get_bits(b.v.row_others_o, 4 * w + 1, 1),
                     v.others >> w & 1);
    if (v.moves) b.expect("free at", b.v.row_free_o, kept(v.moved));
    b.expect("full", b.v.row_full_o, v.full && v.moves == (unsigned)MIO);
    b.expect("keep", b.v.row_keep_o, v.keep);
    if (v.keep) return;
    b.expect("has an instruction", b.v.row_own_o >> 1, v.has || v.stopped);
    if (!v.has && !v.stopped) return;
    const bool queue = v.full && row.wants[v.warp] == MIO;
    b.expect("cannot issue", b.v.row_own_o & 1, v.stopped || queue || (v.wait && v.never));
    if (!(b.v.row_own_o & 1)) b.expect("own time", b.v.row_own_at_o, kept(v.own_at));
}

static void ports(Bench &b, Visit *loo, Visit *upd, Visit *rdy) {
    b.v.upd_issue_i = upd && upd->issue;
    b.v.upd_filled_i = upd && upd->filled;
    b.v.rdy_valid_i = rdy != nullptr;
    if (loo) b.v.loo_row_i = loo->sm;
    if (upd) {
        b.v.upd_row_i = upd->sm;
        b.v.upd_warp_i = upd->warp;
        b.v.upd_at_i = kept(upd->at);
        b.v.upd_pipe_i = upd->pipe;
        b.v.upd_issue_at_i = kept(upd->issue_at);
        b.v.upd_interval_i = upd->interval;
        b.v.upd_place_i = kept(upd->place);
        b.v.upd_release_i = kept(upd->release);
        b.v.upd_full_i = upd->full;
    }
    if (rdy) {
        b.v.rdy_row_i = rdy->sm;
        b.v.rdy_warp_i = rdy->warp;
        b.v.rdy_has_i = rdy->has;
        b.v.rdy_pipe_i = rdy->next_pipe;
        b.v.rdy_stopped_i = rdy->stopped;
        b.v.rdy_at_i = kept(rdy->next_at);
        b.v.rdy_keep_i = rdy->keep;
        b.v.rdy_wait_i = rdy->wait;
        b.v.rdy_wait_at_i = (uint64_t)rdy->never << TIME_BITS | kept(rdy->wait_at);
    }
}

/* All times of pipes, one a visit: those before the floor become the floor; or the first times. */
static void all(Bench &b, bool init, bool old, uint64_t floor) {
    ports(b, nullptr, nullptr, nullptr);
    b.v.scrub_all_i = old;
    b.v.scrub_floor_i = kept(floor);
    for (unsigned row = 0; row < ROWS; row++)
        for (unsigned warp = 0; warp < WARPS; warp++)
            for (unsigned stage = 0; stage < 4; stage++) {
                const bool upd = PIPELINED ? stage == 1 : stage == 0;
                b.v.loo_row_i = b.v.upd_row_i = b.v.rdy_row_i = row;
                b.v.upd_warp_i = b.v.rdy_warp_i = warp;
                b.v.upd_init_i = upd && init;
                b.v.upd_scrub_i = upd && !init;
                b.v.rdy_valid_i = PIPELINED ? stage == 2 : upd;
                b.v.rdy_scrub_i = !init;
                b.v.rdy_has_i = b.v.rdy_stopped_i = b.v.rdy_keep_i = b.v.rdy_wait_i = 0;
                b.tick();
            }
    b.v.upd_init_i = b.v.upd_scrub_i = b.v.rdy_valid_i = b.v.rdy_scrub_i = 0;
}

static void run(uint32_t seed, unsigned enter, Seen *seen) {
    Bench b(seed);
    Stages<Visit> stages(STAGES, PIPELINED);
    Row rows[ROWS];
    uint64_t now = FIRST_TIME, scrubbed = now;
    all(b, true, false, 0);
    all(b, false, true, now - 256);
    for (Row &row : rows) {
        std::fill_n(row.free, PIPES, now - 256);
        std::fill_n(row.wants, WARPS, NO_PIPE);
    }
    for (int i = 0; i < 20000; i++) {
        if (b.chance(30)) now += b.pick(4);
        const bool pause = now - scrubbed > 1 << 12; /* nothing is under way then */
        std::optional<Visit> next;
        const unsigned row = b.pick(ROWS);
        if (!pause && b.chance(enter) && !stages.any([&](Visit &v) { return v.sm == row; }))
            next = random_visit(b, row, rows[row], now);
        if (pause && !stages.any([](Visit &) { return true; })) {
            const bool old = b.chance(30);
            if (old) now += UINT64_C(5) << (TIME_BITS - 2);
            all(b, false, old, now - 256);
            scrubbed = now;
            seen->scrubs++;
        }
        stages.enter(next);
        Visit *upd = stages.at(UPD), *rdy = stages.at(RDY), *end_of = stages.at(ROW);
        ports(b, stages.at(UPD_ROW), upd, rdy);
        b.settle();
        if (upd) update(rows[upd->sm], *upd, seen);
        if (rdy) ready(b, rows[rdy->sm], *rdy, seen);
        if (end_of) end(b, rows[end_of->sm], *end_of);
        b.tick();
        stages.step();
    }
}

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned enter : {100, 50, 20}) run(seed++, enter, &seen);
    if (!all_reached({seen.issues, seen.mio, seen.filled, seen.waits, seen.piped, seen.own}, 500))
        return 1;
    if (seen.scrubs < 3) return fprintf(stderr, "%u scrubs\n", seen.scrubs), 1;
    printf("sm_row: passed\n");
    return 0;
}
