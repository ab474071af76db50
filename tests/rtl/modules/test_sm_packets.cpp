/* test_sm_packets.cpp - rtl/sm/sm_packets.sv: each visit reads the packets that the host sent to
 * its warp, in order; the command port learns when the warp may stand without one. */
#include <vector>

#include "Vsm_packets.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_packets>;

enum { WARPS = SMS * 64, RING = 64, POINTER = 2 * RING };

struct Packet {
    uint64_t low, high;
    /* what the engine reads of the lower half: all but three bits of the instruction's number */
    uint64_t operands() const { return (low & ((UINT64_C(1) << 44) - 1)) << 17 | low >> 47; }
};

struct Warp {
    std::vector<Packet> packets; /* all that came */
    unsigned rd = 0;             /* the next one that a visit takes */
    bool needs = false;
};

struct Visit {
    unsigned id;
    bool issue, take, needs;
    bool few; /* as it found it */
    uint64_t operands, next;
    unsigned written;
};

struct Seen {
    unsigned visits = 0, needs = 0, under_way = 0, full = 0, beats = 0;
};

/* Few warps, so that they meet; of all SMs. */
static unsigned random_id(Bench &b) {
    const unsigned n = b.pick(12);
    return (n * 397) % WARPS;
}

static void run(uint32_t seed, unsigned store, unsigned enter, Seen *seen) {
    Bench b(seed);
    Stages<Visit> stages(4, PIPELINED);
    std::vector<Warp> warps(WARPS);
    for (unsigned id = 0; id < WARPS; id++) {
        b.v.init_i = b.v.upd_valid_i = 1;
        b.v.init_id_i = b.v.upd_id_i = (uint16_t)id;
        b.tick();
    }
    b.v.init_i = b.v.upd_valid_i = 0;
    for (int i = 0; i < 20000; i++) {
        std::optional<Visit> next;
        const unsigned id = random_id(b);
        if (b.chance(enter) && !stages.any([&](Visit &v) { return v.id == id; })) {
            Warp &w = warps[id];
            const size_t left = w.packets.size() - w.rd;
            Visit v = {id,
                       w.rd && b.pick(2),
                       left && b.chance(80),
                       b.chance(20),
                       left < 2,
                       0,
                       0,
                       (unsigned)w.packets.size() % POINTER};
            if (v.issue) v.operands = w.packets[w.rd - 1].operands();
            if (v.take) v.next = w.packets[w.rd].high;
            next = v;
            seen->visits++;
        }
        stages.enter(next);
        Visit *fet = stages.at(0), *cod = stages.at(1), *loo = stages.at(2), *upd = stages.at(3);
        b.v.fet_valid_i = fet != nullptr;
        b.v.cod_valid_i = cod != nullptr;
        b.v.loo_valid_i = loo != nullptr;
        b.v.upd_valid_i = upd != nullptr;
        b.v.fet_issue_i = fet && fet->issue;
        b.v.fet_take_i = fet && fet->take;
        if (fet) {
            b.v.fet_id_i = (uint16_t)fet->id;
            b.v.fet_rd_i = (uint8_t)(warps[fet->id].rd % POINTER);
        }
        if (cod) b.v.cod_id_i = (uint16_t)cod->id;
        if (loo) b.v.loo_id_i = (uint16_t)loo->id;
        if (upd) {
            b.v.upd_id_i = (uint16_t)upd->id;
            b.v.upd_needs_i = upd->needs;
        }
        /* a beat for a warp: packets, or line words only */
        const unsigned to = random_id(b);
        Warp &w = warps[to];
        std::vector<Packet> packets;
        b.v.look_i = b.chance(store);
        b.v.store_i = b.v.look_i ? (uint8_t)b.pick(8) : 0;
        if (w.packets.size() - w.rd + 4 > RING) {
            b.v.store_i = 0;
            seen->full++;
        }
        b.v.id_i = (uint16_t)to;
        for (unsigned k = 0; k < 16; k++) b.v.beat_i[k] = (uint32_t)b.bits(32);
        for (unsigned k = 0; k < 3; k++)
            if (b.v.store_i >> k & 1)
                packets.push_back({get_bits(b.v.beat_i, 128 * (k + 1), 64),
                                   get_bits(b.v.beat_i, 128 * (k + 1) + 64, 64)});
        b.v.hint_i = b.chance(20);
        b.v.hint_id_i = (uint16_t)random_id(b);
        b.v.hint_rd_i = (uint8_t)b.pick(POINTER);
        b.settle();
        if (cod) {
            b.expect("packets written", b.v.cod_written_o, cod->written);
            if (cod->issue) b.expect("operands", b.v.cod_operands_o, cod->operands);
            if (cod->take) b.expect("head", b.v.cod_next_o, cod->next);
        }
        const bool few = stages.any([&](Visit &v) { return v.id == to && v.few; });
        if (b.v.look_i) b.expect("needs", b.v.needs_o, w.needs || few);
        seen->needs += b.v.look_i && w.needs;
        seen->under_way += b.v.look_i && !w.needs && few;
        seen->beats += b.v.store_i != 0;
        b.tick();
        w.packets.insert(w.packets.end(), packets.begin(), packets.end());
        if (fet && fet->take) warps[fet->id].rd++;
        if (upd) warps[upd->id].needs = upd->needs;
        stages.step();
    }
}

int main() {
    Seen seen;
    uint32_t seed = 1;
    for (unsigned store : {60, 10})
        for (unsigned enter : {100, 40, 10}) run(seed++, store, enter, &seen);
    if (seen.visits < 10000 || seen.needs < 1000 || seen.under_way < (PIPELINED ? 150 : 50) ||
        seen.full < 1000 || seen.beats < 10000)
        return fprintf(stderr, "%u visits, %u beats, %u need, %u may, %u full\n", seen.visits,
                       seen.beats, seen.needs, seen.under_way, seen.full),
               1;
    printf("sm_packets: passed\n");
    return 0;
}
