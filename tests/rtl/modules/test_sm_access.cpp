/* test_sm_access.cpp - rtl/sm/sm_access.sv against rule 6: what a line that is looked up in L1
 * waits for, what is asked for or sent, and what L1 loses. */
#include "Vsm_access.h"
#include "core_words.h"
#include "module_bench.h"

using Bench = ModuleBench<Vsm_access>;

struct Access {
    bool stalls = false, for_port = false, counts = false, clears = false, waits = false;
    unsigned missing = 0, sends = 0;
};

/* A load: L1 has these sectors, these are under way, these the MSHR to join got. */
static Access load(unsigned sectors, unsigned valid, unsigned under_way, unsigned there, bool join,
                   bool free) {
    Access a;
    a.missing = sectors & ~valid;
    a.stalls = a.missing && !join && !free;
    a.counts = !a.stalls;
    a.waits = a.missing && !a.stalls;
    if (a.waits) a.sends = a.missing & ~under_way & ~(join ? there : 0);
    return a;
}

static Access other(unsigned mem, unsigned sectors, unsigned valid, bool full) {
    Access a;
    a.stalls = a.for_port = full;
    a.missing = sectors;
    if (full) return a;
    a.sends = sectors;
    a.clears = mem != CORE_MEM_STORE && sectors & valid;
    return a;
}

int main() {
    static const unsigned mems[] = {CORE_MEM_LOAD,  CORE_MEM_LOAD, CORE_MEM_LOAD_STRONG,
                                    CORE_MEM_STORE, CORE_MEM_RED,  CORE_MEM_ATOM};
    Bench b(1);
    unsigned stalls = 0, ports = 0, joins = 0, clears = 0;
    for (int i = 0; i < 200000; i++) {
        const unsigned mem = mems[b.pick(6)], sectors = b.pick(16), valid = b.pick(16),
                       under_way = b.pick(16), there = b.pick(16);
        const bool line = b.chance(90), join = b.pick(2), free = b.pick(2), full = b.pick(2);
        b.v.act_line_i = line;
        b.v.act_mem_i = (uint8_t)mem;
        b.v.act_sectors_i = (uint8_t)sectors;
        b.v.act_valid_i = (uint8_t)valid;
        b.v.act_under_way_i = (uint8_t)under_way;
        b.v.act_there_i = (uint8_t)there;
        b.v.act_join_i = join;
        b.v.act_free_i = free;
        b.v.act_full_i = full;
        b.settle();
        Access a;
        if (line && mem == CORE_MEM_LOAD) a = load(sectors, valid, under_way, there, join, free);
        if (line && mem != CORE_MEM_LOAD) a = other(mem, sectors, valid, full);
        b.expect("stall", b.v.act_stall_o, a.stalls);
        b.expect("for the port", b.v.act_for_port_o, a.for_port);
        b.expect("done", b.v.act_done_o, line && !a.stalls);
        b.expect("counts", b.v.act_load_o, a.counts);
        b.expect("clears", b.v.act_clear_o, a.clears);
        b.expect("waits", b.v.act_keep_o, a.waits);
        if (!a.stalls) b.expect("missing", b.v.act_missing_o, a.missing);
        b.expect("sends", b.v.act_send_o, a.sends);
        stalls += a.stalls && !a.for_port;
        ports += a.for_port;
        joins += a.waits && join;
        clears += a.clears;
    }
    if (stalls < 1000 || ports < 1000 || joins < 1000 || clears < 1000)
        b.fail("%u stalls, %u for the port, %u join, %u clear", stalls, ports, joins, clears);
    printf("sm_access: passed\n");
    return 0;
}
