/* directed.cpp - small streams whose cycles can be worked out by hand; test_directed.cpp does. */
#include "tests/rtl/reference/stream.h"

namespace reference {

namespace {

Stream one_cta(const char *name, std::vector<WarpProgram> warps) {
    Stream s;
    s.name = name;
    s.params = {{CORE_PARAM_NUM_SM, 1}, {CORE_PARAM_NUM_SLICES, 4}};
    s.dram_latency = s.dram_spread = 0;
    add_default_classes(s);
    for (WarpProgram &w : warps) w.items.push_back(make_exit());
    Phase p;
    p.ctas.push_back({0, 0, -1, 0, std::move(warps)});
    s.phases.push_back(std::move(p));
    return s;
}

Item alu(unsigned cls, unsigned stall) {
    Fields f;
    f.cls = cls;
    f.stall = stall;
    return make_item(f);
}

Item global(unsigned mem, std::uint32_t line, unsigned sectors, unsigned wr, unsigned wait,
            unsigned stall = 1) {
    Fields f;
    f.cls = CLASS_MEMORY;
    f.mem = mem;
    f.wr = wr;
    f.wait = wait;
    f.stall = stall;
    return make_item(f, {{line, sectors, mem == CORE_MEM_STORE ? sectors : 0, 32}});
}

Item barrier(unsigned id, unsigned count, bool arrive) {
    Fields f;
    f.cls = CLASS_CTABAR;
    f.mem = CORE_MEM_BARRIER;
    f.bar_id = id;
    f.bar_warps = count;
    f.arrive = arrive;
    return make_item(f);
}

std::vector<WarpProgram> same(unsigned first, unsigned count, unsigned step,
                              const std::vector<Item> &items) {
    std::vector<WarpProgram> warps;
    for (unsigned i = 0; i < count; i++) warps.push_back({first + i * step, items});
    return warps;
}

Stream ffma() {
    return one_cta("ffma", same(0, 16, 1, std::vector<Item>(64, alu(CLASS_FP32, 1))));
}

Stream ffma_dependent() {
    return one_cta("ffma-dependent", same(0, 1, 1, std::vector<Item>(16, alu(CLASS_FP32, 4))));
}

std::vector<Item> load_row() {
    std::vector<Item> items;
    for (unsigned i = 0; i < 16; i++) items.push_back(global(CORE_MEM_LOAD, 64 + i, 1, 0, 0));
    return items;
}

Stream loads() {
    return one_cta("loads", same(0, 1, 1, load_row()));
}

Stream loads_four() {
    return one_cta("loads-four", same(0, 4, 1, load_row()));
}

/* Each load waits for the one before: one line from memory, then from L1; strong ones from L2. */
Stream chase() {
    std::vector<Item> items;
    items.push_back(global(CORE_MEM_LOAD, 7, 1, 0, 1, 2));
    for (unsigned i = 0; i < 3; i++) items.push_back(global(CORE_MEM_LOAD, 7, 1, 0, 1, 2));
    for (unsigned i = 0; i < 3; i++) items.push_back(global(CORE_MEM_LOAD_STRONG, 7, 1, 0, 1, 2));
    return one_cta("chase", same(0, 1, 1, items));
}

Stream stores() {
    std::vector<Item> items;
    for (unsigned i = 0; i < 24; i++)
        items.push_back(global(CORE_MEM_STORE, 256 + i, 0xf, NO_BAR, 0, 2));
    return one_cta("stores", same(0, 1, 1, items));
}

/* Writes to one set of L2 of which two ways may be dirty; line 8 is in flight when the next two
 * come. */
Stream dirty_ways() {
    std::vector<Item> items;
    for (std::uint32_t line : {0, 1, 0, 2, 3, 0, 8, 9, 10})
        items.push_back(line == 8 ? global(CORE_MEM_RED, line, 1, NO_BAR, 0, 2)
                                  : global(CORE_MEM_STORE, line, 0xf, NO_BAR, 0, 2));
    Stream s = one_cta("dirty-ways", same(0, 1, 1, items));
    s.params.push_back({CORE_PARAM_NUM_SLICES, 1});
    s.params.push_back({CORE_PARAM_L2_SETS, 1});
    s.params.push_back({CORE_PARAM_L2_DIRTY_WAYS, 2});
    return s;
}

Stream ping_pong() {
    std::vector<Item> items;
    for (unsigned i = 0; i < 8; i++) items.push_back(barrier(0, 0, false));
    return one_cta("ping-pong", same(0, 2, 1, items));
}

/* Warp 0 arrives and ends, warp 1 waits for both of them. */
Stream end_opens_barrier() {
    std::vector<WarpProgram> warps = {{0, std::vector<Item>(40, alu(CLASS_INT, 4))},
                                      {1, {barrier(0, 0, false), alu(CLASS_INT, 1)}}};
    return one_cta("end-opens-barrier", warps);
}

Stream yield() {
    Fields f;
    f.cls = CLASS_INT;
    f.yield = true;
    Stream s = one_cta("yield", same(0, 3, 4, std::vector<Item>(6, make_item(f))));
    s.classes.push_back({CLASS_INT, class_value(4, 1, 0, 0)}); /* the pipe is never in the way */
    return s;
}

Stream clocks() {
    Fields f;
    f.cls = CLASS_SREG;
    f.stall = 8;
    f.perform = true;
    return one_cta("clocks", same(5, 1, 1, std::vector<Item>(4, make_item(f))));
}

/* Warp 0 sleeps for less than its stall, then longer than a sub-core looks ahead, then as long as
 * 16 bits of time allow; warp 4 goes on in the meantime. */
Stream sleeps() {
    std::vector<Item> items;
    for (unsigned cycles : {0u, 3u, 1000u, 8191u}) {
        Fields f;
        f.cls = CLASS_SLEEP;
        f.stall = 5;
        f.sleep = cycles;
        items.push_back(make_item(f));
    }
    return one_cta("sleeps", {{0, items}, {4, std::vector<Item>(8, alu(CLASS_INT, 4))}});
}

/* One warp whose instructions could issue every cycle, all with the same three operands. */
Stream operands(const char *name, unsigned even, unsigned odd, unsigned reuse) {
    Fields f;
    f.cls = CLASS_FP32;
    for (unsigned i = 0; i < 3; i++) f.src[i] = 5 + i;
    f.even = even;
    f.odd = odd;
    f.reuse = reuse;
    Stream s = one_cta(name, same(0, 1, 1, std::vector<Item>(6, make_item(f))));
    s.classes.push_back({CLASS_FP32, class_value(4, 1, 1, PORTS | REUSE)});
    return s;
}
Stream registers_three() {
    return operands("registers-three", 7, 0, 0);
}
Stream registers_two() {
    return operands("registers-two", 2, 5, 0);
}
Stream registers_pairs() {
    return operands("registers-pairs", 3, 3, 0);
}
Stream registers_reuse() {
    return operands("registers-reuse", 7, 0, 6);
}

/* Warp 0 waits for a shared load into one bank, or both, that comes 21 cycles after its issue. Warp
 * 4, which has ended by then, writes even registers in the cycles that `mask` says, counted from
 * then on, and odd ones in the others of the first 8. */
Stream writes(const char *name, unsigned dst, unsigned mask) {
    constexpr unsigned CYCLES = 8, LATENCY = 20; /* the first issues one cycle behind the load */
    Fields load;
    load.cls = CLASS_SHARED;
    load.mem = CORE_MEM_SHARED_LOAD;
    load.wr = 1;
    load.stall = 2;
    load.dst = dst;
    Fields use;
    use.cls = CLASS_FP32;
    use.wait = 2;
    std::vector<Item> other;
    for (unsigned i = 0; i < CYCLES; i++) {
        Fields f;
        f.cls = CLASS_INT;
        f.dst = mask >> i & 1 ? 1 : 2;
        other.push_back(make_item(f));
    }
    Stream s = one_cta(name, {{0, {make_item(load), make_item(use)}}, {4, other}});
    s.classes.push_back({CLASS_INT, class_value(LATENCY, 1, 0, PORTS)});
    s.params.push_back({CORE_PARAM_WRITE_PORTS, 1});
    return s;
}
Stream writes_once() {
    return writes("writes-once", 1, 0xd);
}
Stream writes_other() {
    return writes("writes-other", 1, 0x6);
}
Stream writes_again() {
    return writes("writes-again", 1, 0xb);
}
Stream writes_pair() {
    return writes("writes-pair", 3, 0);
}
Stream writes_long() {
    return writes("writes-long", 1, 0xffffff);
}

/* Instructions with these lines of constants, one after the other. */
std::vector<Item> constant_row(const std::vector<unsigned> &lines) {
    std::vector<Item> items;
    for (unsigned line : lines) {
        Fields f;
        f.cls = CLASS_FP32;
        f.constant = line;
        items.push_back(make_item(f));
    }
    return items;
}
Stream with_constants(Stream s) {
    s.params.push_back({CORE_PARAM_CONST_WAYS, 2});
    return s;
}
Stream constants_shared() {
    return with_constants(one_cta("constants-shared", same(0, 3, 4, constant_row({1}))));
}
Stream constants_evicted() {
    return with_constants(
        one_cta("constants-evicted", same(0, 1, 1, constant_row({1, 5, 9, 1, 9, 2}))));
}
/* The second CTA's constants are others. */
Stream constants_of_two() {
    Stream s = with_constants(one_cta("constants-of-two", same(0, 1, 1, constant_row({3, 3}))));
    CtaProgram second = s.phases[0].ctas[0];
    second.constants = 1;
    s.phases.push_back({});
    s.phases[1].ctas.push_back(std::move(second));
    s.phases.push_back(s.phases[0]);
    return s;
}

/* Indexed constants, taken when their warps are already those of another launch, which then waits
 * for the same line of its own constants. */
Stream constants_relaunched() {
    std::vector<Item> first, second;
    Fields busy, constant, use;
    busy.cls = CLASS_SHARED;
    busy.mem = CORE_MEM_SHARED_LOAD;
    busy.passes = 32;
    constant.cls = CLASS_CONST;
    constant.mem = CORE_MEM_CONST;
    constant.constant = 1;
    busy.stall = constant.stall = 2;
    for (unsigned i = 0; i < 8; i++) first.push_back(make_item(busy));
    first.push_back(make_item(constant));
    constant.wr = 1;
    second.push_back(make_item(constant));
    use.wait = 1 << 1;
    second.push_back(make_item(use));
    Stream s = with_constants(one_cta("constants-relaunched", same(0, 4, 1, first)));
    CtaProgram after = one_cta("", same(0, 4, 1, second)).phases[0].ctas[0];
    after.constants = 1;
    after.after = 0;
    s.params.push_back({CORE_PARAM_CONST_SHARED, 1});
    s.phases[0].ctas.push_back(std::move(after));
    return s;
}

Stream shared_memory() {
    std::vector<Item> items;
    for (unsigned passes : {1u, 2u, 8u, 32u}) {
        Fields f;
        f.cls = CLASS_SHARED;
        f.mem = CORE_MEM_SHARED_LOAD;
        f.passes = passes;
        f.wr = 1;
        f.wait = 2;
        f.stall = 2;
        items.push_back(make_item(f));
    }
    return one_cta("shared", same(0, 1, 1, items));
}

/* Nine lines of one MSHR set: the stage stalls at the fifth. */
Stream mshr_stall() {
    Fields f;
    f.cls = CLASS_MEMORY;
    f.mem = CORE_MEM_LOAD;
    f.wr = 0;
    f.stall = 2;
    std::vector<Line> lines;
    for (unsigned i = 0; i < 9; i++) lines.push_back({i << 12, 1, 0, 1, false, i % 4 == 3});
    return one_cta("mshr-stall", same(0, 1, 1, {make_item(f, lines)}));
}

/* A program without waits: counters run up as far as they can. */
Stream many_lines(const char *name, unsigned mem, unsigned count) {
    Fields f;
    f.cls = CLASS_MEMORY;
    f.mem = mem;
    f.wr = 3;
    f.stall = 2;
    std::vector<Item> items;
    for (unsigned i = 0; i < count; i++) {
        std::vector<Line> lines;
        for (unsigned k = 0; k < 32; k++)
            lines.push_back({(i * 32 + k) * 5, 1, 0, 1, false, k % 4 == 3});
        items.push_back(make_item(f, lines));
    }
    Stream s = one_cta(name, same(0, 1, 1, items));
    s.dram_latency = 3500;
    return s;
}
Stream many_stores() {
    return many_lines("many-stores", CORE_MEM_STORE, 150);
}
Stream many_loads() {
    return many_lines("many-loads", CORE_MEM_LOAD_STRONG, 150);
}

/* A warp that issues every cycle, on two pipes in turn: another one of its sub-core, which wants a
 * third, is ready all the while: 50,000 cycles, which 16 bits of time take for 15,536 ahead. */
Stream starved() {
    std::vector<Item> items;
    for (unsigned i = 0; i < 25000; i++) {
        items.push_back(alu(CLASS_INT, 1));
        items.push_back(alu(CLASS_FP32, 1));
    }
    return one_cta("starved", {{4, {alu(CLASS_FP64, 1)}}, {60, items}});
}

/* Atomics that wait for memory one after another, and the queue behind them, of two sub-cores: what
 * waits is older than 16 bits of time when its turn comes. */
Stream long_queue() {
    std::vector<WarpProgram> warps = {{0, {}}, {1, {}}};
    for (unsigned i = 0; i < 28; i++)
        warps[i % 2].items.push_back(global(CORE_MEM_ATOM, 4096 * i, 1, i / 2 % 6, 0, 2));
    Stream s = one_cta("long-queue", warps);
    s.params.push_back({CORE_PARAM_PORT_CREDITS, 1});
    s.dram_latency = 7500;
    return s;
}

} // namespace

const std::vector<Directed> &directed_streams() {
    static const std::vector<Directed> list = {
        {"ffma", "16 warps of independent FFMA", ffma},
        {"ffma-dependent", "one warp of dependent FFMA", ffma_dependent},
        {"loads", "back-to-back loads of one warp", loads},
        {"loads-four", "the same on four sub-cores", loads_four},
        {"chase", "dependent loads: memory, L1, L2", chase},
        {"stores", "stores of whole lines", stores},
        {"dirty-ways", "stores to a set of which two ways may be dirty", dirty_ways},
        {"ping-pong", "two warps and a CTA barrier", ping_pong},
        {"end-opens-barrier", "the end of a warp completes a barrier", end_opens_barrier},
        {"yield", "three warps of one sub-core that yield", yield},
        {"clocks", "clock register read every 8 cycles", clocks},
        {"sleeps", "a warp that sleeps beside one that does not", sleeps},
        {"registers-three", "three operands in one bank", registers_three},
        {"registers-two", "two in one, one in the other", registers_two},
        {"registers-pairs", "two in each bank", registers_pairs},
        {"registers-reuse", "three in one bank, two of them kept", registers_reuse},
        {"writes-once", "a load's result meets one of fixed latency", writes_once},
        {"writes-other", "it meets none: they come a cycle later", writes_other},
        {"writes-again", "it meets two in a row", writes_again},
        {"writes-pair", "a load of two registers and writes of odd ones", writes_pair},
        {"writes-long", "it meets more than it waits for", writes_long},
        {"constants-shared", "three warps want one line of constants", constants_shared},
        {"constants-evicted", "lines of constants of one set make room", constants_evicted},
        {"constants-of-two", "the same line of other constants", constants_of_two},
        {"constants-relaunched", "an indexed constant of a launch that has ended",
         constants_relaunched},
        {"shared", "shared loads with conflicts", shared_memory},
        {"mshr-stall", "nine misses of one MSHR set", mshr_stall},
        {"many-stores", "4,800 lines stored without a wait", many_stores},
        {"starved", "a warp that another one keeps from issuing", starved},
        {"long-queue", "atomics one at a time", long_queue},
        {"many-loads", "4,800 lines loaded from L2 or memory without a wait", many_loads},
    };
    return list;
}

} // namespace reference
