/* test_net_fetch.cpp - rtl/l2/net_fetch.sv against rule 9: what a message is, what is to be done
 * with it and how long its slice is taken; of FillL2 the lines of this instance, in their order,
 * with the copies that go. */
#include <algorithm>
#include <cstring>

#include "Vnet_fetch.h"
#include "net_bench.h"

using Bench = ModuleBench<Vnet_fetch>;

struct Node {
    uint64_t request[2] = {0, 0};
    unsigned trip = TripNone, answer = 0, asked = 0;
};

struct Seen {
    unsigned acts[6] = {}, away = 0, atomics = 0, lines = 0, drops = 0, left_out = 0;
};

struct Test {
    Bench &b;
    Slices s;
    unsigned turn_time, flit_sectors, flit_time;
    Node node[NODES];
    unsigned in_work = NODES; /* its node does not change */
    Seen *seen;

    void request(uint64_t *w) {
        w[0] = b.bits(64);
        w[1] = b.bits(64);
        core_request_set_kind(w, b.pick(3));
        if (core_request_kind(w) != CORE_REQ_READ) core_request_set_cached(w, 0);
        /* lines whose fields are alike, and any */
        if (b.pick(2)) core_request_set_addr(w, b.pick(1 << 12) | b.pick(2) << 31);
    }

    unsigned other() {
        const unsigned n = b.pick(NODES);
        return n == in_work ? (n + 1) % NODES : n;
    }

    /* Messages that others write in this clock. */
    void writes() {
        uint64_t w[2];
        const unsigned n = other(), m = other(), a = other(), what = b.pick(4), note = b.pick(4);
        b.v.enter_i = what == 1;
        b.v.write_i = what == 2;
        b.v.remote_i = what == 3;
        b.v.enter_node_i = b.v.write_node_i = b.v.remote_node_i = (uint8_t)b.bits(8);
        if (what) {
            request(w);
            memcpy(node[n].request, w, sizeof w);
            (what == 1   ? b.v.enter_node_i
             : what == 2 ? b.v.write_node_i
                         : b.v.remote_node_i) = (uint8_t)n;
            memcpy(what == 1   ? &b.v.enter_word_i
                   : what == 2 ? &b.v.write_word_i
                               : &b.v.remote_word_i,
                   w, sizeof w);
        }
        if (what == 1) { /* an SM's */
            node[n].trip = TripNone;
            node[n].answer = 0;
        }
        b.v.note_i = what != 1 && note == 1;
        b.v.mark_i = what != 1 && note == 2;
        b.v.note_node_i = b.v.mark_node_i = (uint8_t)m;
        b.v.note_word_i = (uint8_t)(b.pick(16) << 3 | b.pick(TripWritten));
        b.v.mark_trip_i = b.pick(2) ? TripWritten : TripNone;
        if (b.v.note_i || b.v.mark_i) {
            node[m].trip = b.v.note_i ? b.v.note_word_i & 7 : b.v.mark_trip_i;
            node[m].answer = b.v.note_i ? b.v.note_word_i >> 3 : 0;
        }
        b.v.ask_i = b.chance(30);
        b.v.ask_node_i = (uint8_t)a;
        b.v.ask_sectors_i = (uint8_t)b.bits(4);
        if (b.v.ask_i) node[a].asked = b.v.ask_sectors_i;
    }

    void tick() {
        b.tick();
        b.v.dram_node_i = (uint8_t)b.bits(8);
        b.v.enter_i = b.v.write_i = b.v.remote_i = b.v.note_i = b.v.mark_i = b.v.ask_i = 0;
        b.settle();
        b.expect("asked of memory", b.v.dram_asked_o, node[b.v.dram_node_i].asked);
    }

    unsigned act_of(const Node &n, unsigned op, bool home) {
        if (op == OpRequest) return home || core_request_cached(n.request) ? ActServe : ActPass;
        if (op == OpFar) return ActServe;
        if (op == OpFill) return n.trip == TripWritten ? ActWritten : ActFill;
        return n.trip == TripFetched ? ActFill : n.trip == TripPassed ? ActPassed : ActDrop;
    }

    /* 1/256 cycles */
    uint64_t taken(const Node &n) {
        const unsigned sectors = (unsigned)__builtin_popcount(core_request_sectors(n.request));
        const unsigned flits = std::max((sectors + flit_sectors - 1) / flit_sectors, 1u);
        const uint64_t turns = (uint64_t)core_request_turns(n.request) * turn_time;
        const bool atomic = core_request_kind(n.request) == CORE_REQ_ATOMIC;
        seen->atomics += atomic && turns > flits * flit_time;
        return std::max<uint64_t>(flits * flit_time, atomic ? turns : 0);
    }

    void message() {
        const unsigned head = b.pick(NODES), local = b.pick(s.number / s.instances),
                       op = b.pick(s.partitions == 2 ? 4 : 2) * (s.partitions == 2 ? 1 : 2);
        const Node &n = node[head];
        const uint32_t line = core_request_addr(n.request);
        const unsigned global = local * s.instances + s.instance;
        const bool home = op != OpRequest || s.partitions == 1 || s.slice_of(line) == global;
        const unsigned act = act_of(n, op, home), clocks = PIPELINED * 5 + b.pick(4);
        in_work = head;
        b.v.work_i = 1;
        b.v.slice_i = (uint8_t)local;
        b.v.op_i = (uint8_t)op;
        b.v.head_i = (uint8_t)head;
        for (unsigned clock = 0; clock <= clocks; clock++) {
            b.v.pick_i = clock == 0;
            b.v.done_i = clock == clocks;
            writes();
            b.settle();
            b.expect("look", b.v.look_o, PIPELINED ? clock == 1 : 1);
            b.expect("runs", b.v.runs_o, 1);
            b.expect("a copy", b.v.copying_o, 0);
            if (!PIPELINED || clock >= 1) {
                if (memcmp(n.request, &b.v.word_o, sizeof n.request)) b.fail("another request");
                b.expect("op", b.v.op_o, op);
                b.expect("line", b.v.line_o, line);
                b.expect("slice", b.v.slice_o, local);
                b.expect("trip", b.v.trip_o, n.trip);
                b.expect("answer", b.v.answer_o, n.answer);
                b.expect("global", b.v.global_o, global);
                if (op == OpFill || op == OpBack)
                    b.expect("come", b.v.come_o,
                             op == OpFill ? n.asked : core_request_sectors(n.request));
            }
            if (!PIPELINED || clock >= 4) {
                b.expect("home", b.v.home_o, home);
                b.expect("act", b.v.act_o, act);
                if (!PIPELINED || clock >= 5) b.expect("taken", b.v.busy_o, taken(n));
                if (s.partitions == 2) b.expect("mirror", b.v.mirror_o, s.local(s.mirror(global)));
            }
            tick();
        }
        seen->acts[act]++;
        seen->away += !home;
        b.v.work_i = b.v.pick_i = b.v.done_i = 0;
        in_work = NODES;
        b.settle();
        b.expect("runs one clock longer", b.v.runs_o, 1);
        tick();
        b.expect("runs", b.v.runs_o, 0);
    }

    /* A line of FillL2, or its copy: shown until it is dealt with. */
    void line(uint32_t line, unsigned op, bool copied, unsigned within) {
        const unsigned slice = s.slice_of(line),
                       local = s.local(op == OpDrop ? s.mirror(slice) : slice);
        unsigned clocks = 0;
        for (;; clocks++) {
            b.settle();
            if (b.v.look_o) break;
            if (clocks > 10000) b.fail("line %x does not come", line);
            b.expect("copying", b.v.copying_o, 1);
            writes();
            tick();
        }
        if (within) b.expect("clocks to a line", clocks + 1, within);
        for (unsigned left = b.pick(4);; left--) {
            b.v.done_i = !left;
            b.v.copied_i = !left && copied;
            writes();
            b.settle();
            b.expect("line", b.v.line_o, line);
            b.expect("op", b.v.op_o, op);
            b.expect("act", b.v.act_o, op == OpDrop ? ActDrop : ActServe);
            b.expect("slice", b.v.slice_o, local);
            b.expect("home", b.v.home_o, 1);
            if (op == OpCopy) b.expect("global", b.v.global_o, slice);
            tick();
            if (!left) break;
            if (PIPELINED) b.expect("look once", b.v.look_o, 0);
        }
        b.v.done_i = b.v.copied_i = 0;
    }

    void fill() {
        const uint32_t count = b.chance(10) ? 0 : b.pick(40);
        uint32_t at = b.chance(10) ? 0u - b.pick(20) : (uint32_t)b.bits(32);
        b.v.copy_i = 1;
        b.v.copy_line_i = at;
        b.v.copy_count_i = count;
        tick();
        b.v.copy_i = 0;
        bool before = true; /* the line before was here: its end is when this one begins */
        for (uint32_t i = 0; i < count; i++, at++) {
            if (!s.here(s.slice_of(at))) {
                seen->left_out++;
                before = false;
                continue;
            }
            const bool copied = s.partitions == 2 && b.chance(30);
            line(at, OpCopy, copied, before ? (PIPELINED ? 6 : 1) : 0);
            if (copied) line(at, OpDrop, false, 0);
            before = true;
            seen->lines++;
            seen->drops += copied;
        }
        for (unsigned i = 0; b.v.copying_o; i++) {
            if (i > 10000) b.fail("FillL2 does not end");
            b.settle();
            b.expect("no line is left", b.v.look_o, 0);
            tick();
        }
    }

    void run() {
        b.v.twos_i = (uint8_t)s.twos();
        b.v.odd_i = (uint8_t)s.odd();
        b.v.slice_inv_i = reciprocal(SLICE_INV, s.odd());
        b.v.slice_wrap_i = (uint8_t)(65536 % s.odd());
        b.v.fold_i = (uint8_t)s.hash;
        b.v.interleave_i = (uint8_t)s.interleave;
        b.v.field_bits_i = (uint8_t)(std::max(s.twos(), 4u) - 4);
        b.v.atomic_time_i = (uint16_t)turn_time;
        b.v.flit_shift_i = (uint8_t)(flit_sectors >> 1);
        b.v.flit_time_i = (uint16_t)flit_time;
        set_slices(b.v, s);
        for (unsigned n = 0; n < NODES; n++) {
            request(node[n].request);
            b.v.enter_i = b.v.ask_i = 1;
            b.v.enter_node_i = b.v.ask_node_i = (uint8_t)n;
            memcpy(&b.v.enter_word_i, node[n].request, sizeof node[n].request);
            b.v.ask_sectors_i = (uint8_t)(node[n].asked = b.pick(16));
            b.tick();
        }
        b.v.enter_i = b.v.ask_i = 0;
        tick();
        for (int i = 0; i < 3000; i++) {
            if (b.chance(95))
                message();
            else
                fill();
            for (unsigned k = b.pick(3); k > 0; k--) {
                writes();
                tick();
            }
        }
    }
};

int main() {
    Seen seen;
    for (uint32_t seed = 1; seed <= 12; seed++) {
        Bench b(seed);
        Test t = {
            b,    random_slices(b), b.pick(5000), 1u << b.pick(3), 256 + b.pick(1000), {}, NODES,
            &seen};
        t.run();
    }
    if (*std::min_element(seen.acts, seen.acts + 6) < 100 || seen.away < 100 ||
        seen.atomics < 100 || seen.lines < 1000 || seen.drops < 100 || seen.left_out < 1000) {
        for (unsigned acts : seen.acts) fprintf(stderr, "%u ", acts);
        fprintf(stderr, "acts, %u away, %u atomics, %u lines, %u drops, %u left out\n", seen.away,
                seen.atomics, seen.lines, seen.drops, seen.left_out);
        return 1;
    }
    printf("net_fetch: passed\n");
    return 0;
}
