/* test_net_flush.cpp - rtl/l2/net_flush.sv: FlushL2 empties each set once, after its dirty ways
 * have left in their order, as fast as the port of events takes them; sets that hold nothing of use
 * are emptied only; what cannot be is a fault. */
#include "Vnet_flush.h"
#include "net_bench.h"

enum { ROWS = 256 };

using Bench = ModuleBench<Vnet_flush>;

/* Dirty sectors of the ways of all sets, as net_tags.sv has them. */
struct Tags {
    unsigned dirty[ROWS][WAYS] = {};
    unsigned read = 0, matched = 0;      /* sets in the steps behind read_o */
    unsigned picked = 0, picked_row = 0; /* way that is shown */

    unsigned ways(unsigned row) const {
        unsigned ways = 0;
        for (unsigned w = 0; w < WAYS; w++) ways |= (dirty[row][w] != 0) << w;
        return ways;
    }
};

struct Seen {
    unsigned written = 0, emptied = 0, clears = 0, none = 0, faults = 0, waits = 0, unpins = 0;
};

/* The answers of the sets in this clock: pipelined, the ways two clocks behind read_o, and what
 * leaves one behind pick_o; else in the same one. */
static void show(Bench &b, Tags &t) {
    if (!PIPELINED) {
        b.settle();
        if (b.v.read_o) t.matched = b.v.row_o;
    }
    b.v.dirty_i = (uint16_t)t.ways(t.matched);
    b.settle();
    if (!PIPELINED && b.v.pick_o) {
        t.picked = b.v.way_o;
        t.picked_row = b.v.row_o;
    }
    b.v.out_dirty_i = (uint8_t)t.dirty[t.picked_row][t.picked];
    b.settle();
}

static void step(Bench &b, Tags &t) {
    const bool reads = b.v.read_o, picks = b.v.pick_o, empties = b.v.empty_o;
    const unsigned row = b.v.row_o, way = b.v.way_o;
    b.tick();
    if (PIPELINED) {
        t.matched = t.read;
        if (reads) t.read = row;
        if (picks) {
            t.picked = way;
            t.picked_row = row;
        }
    }
    if (empties)
        for (unsigned &d : t.dirty[row]) d = 0;
}

static void flush(Bench &b, Tags &t, const Slices &s, unsigned sets, bool clear, bool unpin,
                  unsigned ready, Seen *seen) {
    const bool only = clear || unpin;
    const unsigned here = s.number > s.instance
                              ? (s.number - s.instance + s.instances - 1) / s.instances
                              : 0;
    const bool wrong = here * sets > ROWS ||
                       (s.partitions == 2 && (s.number % 2 || s.half() % s.instances));
    unsigned row = 0, way = 0, counts = 0, clocks = 0;
    const uint64_t begin = b.clocks;
    b.v.start_i = 1;
    b.v.unpin_i = unpin;
    step(b, t);
    b.v.start_i = 0;
    for (; b.v.busy_o; clocks++) {
        if (clocks > 100000) b.fail("busy for ever");
        b.v.ready_i = b.chance(ready);
        show(b, t);
        b.expect("sectors that have left", b.v.counts_o, counts);
        if (b.v.empty_o && !b.v.unpin_o) b.fail("a set is emptied, and keeps its pins");
        counts = 0;
        const bool written = b.v.write_o, emptied = b.v.unpin_o;
        if (written || emptied) {
            if (wrong || row >= here * sets) b.fail("set %u is not here", b.v.row_o);
            b.expect("set", b.v.row_o, row);
            while (way < WAYS && (only || !t.dirty[row][way])) way++;
        }
        if (written) {
            if (!b.v.ready_i) b.fail("an event that is not taken");
            if (emptied) b.fail("a set is emptied while lines leave");
            if (way == WAYS) b.fail("nothing is dirty in set %u", row);
            b.expect("way", t.picked, way);
            b.expect("of the set", t.picked_row, row);
            b.expect("slice", b.v.global_o, row / sets * s.instances + s.instance);
            counts = t.dirty[row][way];
            way++;
            seen->written++;
        } else if (emptied) {
            b.expect("of all that it has", b.v.empty_o, clear || !unpin);
            if (way < WAYS) b.fail("way %u of set %u has not left", way, row);
            row++;
            way = 0;
            seen->emptied++;
        } else {
            seen->waits += !b.v.ready_i;
        }
        step(b, t);
    }
    show(b, t);
    b.expect("sectors that have left", b.v.counts_o, counts);
    b.expect("fault", b.v.fault_o, wrong ? CORE_FAULT_PARAMETER : CORE_FAULT_NONE);
    b.expect("sets must be emptied", b.v.clear_o, wrong && clear);
    seen->faults += wrong;
    seen->none += !wrong && !here;
    seen->clears += !wrong && clear && here;
    seen->unpins += !wrong && unpin && !clear && here;
    if (wrong) return;
    if (row != here * sets) b.fail("%u sets of %u", row, here * sets);
    /* a set in four clocks; else in one, and one for each line */
    if (only && here) b.expect("clocks", b.clocks - begin, 4 + here * sets * (PIPELINED ? 4 : 1));
    b.tick();
    b.expect("sectors that have left", b.v.counts_o, 0);
}

static void run(uint32_t seed, unsigned ready, Seen *seen) {
    Bench b(seed);
    Tags t;
    b.expect("sets must be emptied", b.v.clear_o, 1);
    for (int i = 0; i < 30 && b.v.fault_o == CORE_FAULT_NONE; i++) {
        Slices s = random_slices(b);
        if (b.chance(6)) { /* as the host should not say it */
            s.number = 1 + b.pick(SLICES);
            s.instances = 1 + b.pick(9);
            s.instance = b.pick(s.instances);
        }
        if (s.instance && b.chance(10)) { /* few slices, none of which is here */
            s.partitions = 1;
            s.number = 1 + b.pick(s.instance);
        }
        unsigned sets = 1 + b.pick(20);
        if (s.number / s.instances * sets > ROWS && !b.chance(4)) sets = 1 + b.pick(2);
        if (i % 3 == 0 && i) { /* else the parameters have not changed, as far as it knows */
            b.v.unclear_i = 1;
            b.tick();
            b.v.unclear_i = 0;
            b.expect("sets must be emptied", b.v.clear_o, 1);
        }
        const bool only = b.v.clear_o;
        set_slices(b.v, s);
        b.v.num_slices_i = (uint8_t)s.number;
        b.v.sets_i = (uint16_t)sets;
        const unsigned full = b.pick(3) * 30;
        for (auto &row : t.dirty)
            for (unsigned &d : row) d = b.chance(full) ? 1 + b.pick(15) : 0;
        for (unsigned k = b.pick(3); k > 0; k--) step(b, t);
        flush(b, t, s, sets, only, b.chance(25), ready, seen);
    }
}

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned ready : {100, 60, 20})
        for (int i = 0; i < 12; i++) run(seed++, ready, &seen);
    if (seen.written < 10000 || seen.emptied < 5000 || seen.clears < 20 || !seen.none ||
        seen.faults < 5 || seen.waits < 1000 || seen.unpins < 20) {
        fprintf(stderr,
                "%u written, %u emptied, %u clears, %u with no slice, %u faults, %u waits\n",
                seen.written, seen.emptied, seen.clears, seen.none, seen.faults, seen.waits);
        return 1;
    }
    printf("net_flush: passed\n");
    return 0;
}
