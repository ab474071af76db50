/* random_stream.cpp - random programs for all warps of a GPU, legal by docs/timing-model.md.
 *
 * Legal means: barriers match within a CTA, the last instruction waits for everything or, where the
 * host waits for none of its stores, for all but these, a Hold covers every operation whose Perform
 * the host waits for, and counters stay below MAX_COUNT. */
#include <algorithm>
#include <set>

#include "tests/rtl/reference/l1_sizes.h"
#include "tests/rtl/reference/partner.h"

namespace reference {

namespace {

constexpr unsigned MAX_COUNT = 200; /* of one dependency counter */

struct Profile { /* of a stream, in percent or as weights */
    unsigned global, shared, other_mio, alu, uniform_pick;
    unsigned yield, wait, drain, perform, hold, exit_early, barrier;
    unsigned region[5];
    unsigned local_lines;
    unsigned strong, store, atomic;
    unsigned long_stall, many_lines;
    unsigned registers, pairs, reuse, same_bank;
    unsigned results, one_bank; /* instructions with one; of those in the bank of odd registers */
    unsigned jump, code, launched;
    unsigned constants, constant_lines, constant_set;
    bool narrow;   /* lines of data are touched in one sector */
    bool few_sets; /* jumps to lines of four sets of the SM's instruction cache */
    bool apart;    /* counters 0 to 2 for global memory, 3 to 5, which are waited for, for others */
};

class Generator {
  public:
    Generator(std::uint64_t seed, const RandomOptions &options) : r_(seed), o_(options) {
        stream_.seed = seed;
        stream_.name = "random " + std::to_string(seed);
    }
    Stream make();

  private:
    struct WarpState {
        std::vector<Item> items;
        unsigned count[7] = {}; /* at most so many are outstanding */
        unsigned performed = 0; /* events so far */
        unsigned pc = 0;        /* of the next instruction */
        unsigned cover = 0;     /* counters of performs that no Hold has covered */
        bool ended = false;
    };
    void parameters();
    void network();
    void time();
    void dirty_ways();
    void profile();
    void set(unsigned number, std::uint32_t value) { stream_.params.push_back({number, value}); }
    Phase phase();
    CtaProgram cta(unsigned sm, unsigned slot, const std::vector<unsigned> &pool);
    void segment(WarpState &w, unsigned items);
    void end(WarpState &w);
    void instruction(WarpState &w);
    void memory(Fields &f, std::vector<Line> &lines);
    void operands(Fields &f);
    void push(WarpState &w, Fields f, const std::vector<Line> &lines);
    void boundary(std::vector<WarpState> &warps, unsigned number);
    void barrier(WarpState &w, unsigned id, unsigned count, bool arrive);
    std::uint32_t line_number();
    std::vector<Line> some_lines(bool store);

    Random r_;
    const RandomOptions &o_;
    Stream stream_;
    Profile profiles_[2]{}; /* of which each CTA has one */
    Profile p_{};           /* of the CTA at hand */
    unsigned num_sm_ = 1, phases_ = 1;
    bool code_beside_ = false; /* code lies in region 1 of data */
};

/* ------------------------------------------------------------------------------ the GPU */

/* Ports of the slices, partitions, entries of memory. */
void Generator::network() {
    set(CORE_PARAM_FLIT_SECTORS, r_.chance(50) ? 1 : r_.chance(50) ? 2 : 4);
    set(CORE_PARAM_FLIT_TIME, r_.chance(50) ? 256 : r_.between(256, 700));
    set(CORE_PARAM_PORT_CREDITS, r_.chance(30) ? r_.between(1, 8) : r_.between(9, 256));
    set(CORE_PARAM_PORT_TIME, 1u << r_.below(3));
    set(CORE_PARAM_L2_FETCH, 1u << r_.below(3));
    set(CORE_PARAM_DRAM_ENTRIES, r_.chance(20) ? r_.between(2, 6) : r_.between(20, 200));
}

/* Times long past, looked for often or never; idle time up to several times what 16 bits hold. */
void Generator::time() {
    Random r(stream_.seed ^ 0x7363727562u);
    set(CORE_PARAM_SCRUB, r.chance(30) ? 0 : r.between(1, 1u << r.between(5, 13)));
    for (Phase &p : stream_.phases)
        p.idle = r.chance(75) ? 0 : r.below(1u << (r.chance(70) ? 12 : 18));
}

/* Of L2's sets: few mostly, so that they are soon too many. */
void Generator::dirty_ways() {
    Random r(stream_.seed ^ 0x6469727479u);
    set(CORE_PARAM_L2_DIRTY_WAYS, r.chance(30)   ? 0
                                  : r.chance(60) ? r.between(1, 4)
                                                 : r.between(5, 16));
}

void Generator::parameters() {
    num_sm_ = o_.instances - 1 + (r_.chance(50) ? o_.max_sm : r_.between(1, o_.max_sm));
    static const unsigned slices[] = {1, 2, 3, 4, 5, 8, 16};
    const bool usual = r_.chance(40); /* the latencies of the default GPU */
    set(CORE_PARAM_NUM_SM, num_sm_);
    const unsigned num_slices = std::max(slices[r_.below(7)], o_.instances);
    set(CORE_PARAM_NUM_SLICES, num_slices);
    set(CORE_PARAM_POLICY, r_.chance(50) ? 0 : r_.below(3));
    set(CORE_PARAM_HASH, r_.below(2));
    Random own(stream_.seed ^ 0x676f7570u); /* so that no other parameter depends on this one */
    set(CORE_PARAM_INTERLEAVE, 1u << own.below(3));
    network();
    set(CORE_PARAM_L2_SETS, r_.chance(60) ? r_.between(1, 2) : r_.between(3, 48));
    set(CORE_PARAM_L1_WAYS, r_.between(1, 8));
    set(CORE_PARAM_L1_SETS, r_.chance(50) ? 128 : 256);
    if (r_.chance(80)) {
        set(CORE_PARAM_CODE_WAYS, r_.between(1, 4));
        set(CORE_PARAM_CODE_SETS, r_.chance(50) ? 32 : 64);
        set(CORE_PARAM_CODE_PREFETCH, r_.chance(20) ? 0 : r_.between(1, 8));
        set(CORE_PARAM_CODE_WAY, r_.chance(30) ? 39 : r_.between(8, 60));
        set(CORE_PARAM_CODE_SHARED, r_.chance(75));
        /* mostly where data lie, so that L2 has some sectors of a line */
        code_beside_ = r_.chance(60);
        set(CORE_PARAM_CODE_BASE, code_beside_    ? 4096 + r_.below(100)
                                  : r_.chance(95) ? 1000 - r_.below(4)
                                                  : 1u << 22);
    }
    if (r_.chance(70)) {
        set(CORE_PARAM_CONST_WAYS, r_.between(1, 4));
        set(CORE_PARAM_CONST_SETS, r_.chance(50) ? 4 : 8);
        set(CORE_PARAM_CONST_MISS, r_.chance(40)   ? 79
                                   : r_.chance(90) ? r_.between(1, 200)
                                                   : r_.between(1, 4095));
        set(CORE_PARAM_CONST_HOLD, r_.chance(50) ? 4 : r_.between(1, 15));
    }
    if (r_.chance(80)) set(CORE_PARAM_WRITE_PORTS, 1);
    set(CORE_PARAM_CONST_SHARED, r_.chance(75));
    set(CORE_PARAM_CONST_FILL, r_.chance(40)   ? 62
                               : r_.chance(50) ? r_.between(1, 400)
                                               : r_.between(1000, 4095));
    static const unsigned lookahead[] = {128, 64, 200, 32};
    set(CORE_PARAM_LOOKAHEAD, lookahead[usual ? 0 : r_.below(4)]);
    const unsigned request = usual ? 70 : r_.between(4, 80), reply = usual ? 70 : r_.between(4, 80);
    set(CORE_PARAM_NET_REQUEST, request);
    set(CORE_PARAM_NET_REPLY, reply);
    const bool two = num_slices % (2 * o_.instances * o_.groups) == 0 && r_.chance(50);
    const unsigned cross = usual ? 40 : r_.between(4, 80);
    set(CORE_PARAM_PARTITIONS, two ? 2 : 1);
    set(CORE_PARAM_NET_CROSS, cross);
    set(CORE_PARAM_WINDOW, r_.between(1, std::min({32u, request, reply, cross})));
    if (!usual) {
        set(CORE_PARAM_AU_DELAY, r_.between(1, 6));
        set(CORE_PARAM_AU_INTERVAL, r_.between(1, 6));
        set(CORE_PARAM_AU_RELEASE, r_.between(1, 12));
        set(CORE_PARAM_STAGE_INTERVAL, r_.between(1, 4));
        set(CORE_PARAM_PORT_QUEUE, r_.between(1, 64));
        set(CORE_PARAM_L1_LATENCY, r_.between(7, 30));
        set(CORE_PARAM_SHARED_LATENCY, r_.between(7, 20));
        set(CORE_PARAM_SHUFFLE_LATENCY, r_.between(7, 20));
        set(CORE_PARAM_CONST_LATENCY, r_.between(7, 30));
        set(CORE_PARAM_BARRIER_LATENCY, r_.between(8, 20));
        set(CORE_PARAM_MISS_DELAY, r_.between(1, 8));
        set(CORE_PARAM_FILL_DELAY, r_.between(1, 8));
        set(CORE_PARAM_REPLY_RATE, r_.between(1, 4));
        set(CORE_PARAM_L2_LATENCY, r_.between(1, 60));
        set(CORE_PARAM_L2_MISS, r_.between(1, 40));
        set(CORE_PARAM_L2_FILL, r_.between(1, 40));
        set(CORE_PARAM_ATOMIC_TIME, r_.between(200, 800));
    }
    stream_.dram_latency = r_.chance(50) ? 0 : r_.below(300);
    stream_.dram_spread = r_.below(4) * 150;
    add_default_classes(stream_);
    if (r_.chance(60))
        for (auto &c : stream_.classes) {
            const unsigned pipe = c.second >> 4 & 0xf;
            const unsigned latency = r_.between(2, 40), interval = r_.between(1, 8);
            unsigned flags = c.second & 15;
            if (r_.chance(10)) flags &= ~(r_.chance(50) ? PORTS : REUSE);
            c.second = class_value(latency, pipe == PIPE_MIO && r_.chance(80) ? 1 : interval, pipe,
                                   flags);
        }
}

void Generator::profile() {
    p_ = Profile();
    const unsigned style = r_.below(4); /* 0: mostly arithmetic, 3: mostly memory */
    static const unsigned global[] = {6, 20, 40, 60}, lines[] = {3, 10, 25, 50};
    p_.global = o_.memory ? r_.between(global[style] / 3, global[style]) : 0;
    p_.shared = r_.between(2, 10 + 10 * style);
    p_.other_mio = r_.between(2, 10 + 5 * style);
    p_.alu = r_.between(20, 140 - 30 * style);
    p_.uniform_pick = r_.between(0, 20 + 10 * style);
    p_.yield = r_.between(0, 50);
    p_.wait = r_.between(2, 50);
    p_.drain = r_.below(4) * style;
    p_.perform = r_.between(0, 60);
    p_.hold = o_.gates ? r_.between(0, 30) : 0;
    p_.exit_early = r_.between(10, 30);
    p_.barrier = r_.between(60, 100);
    for (unsigned &weight : p_.region) weight = r_.chance(40) ? r_.between(1, 10) : 0;
    p_.region[r_.below(5)] += 8;
    p_.local_lines = 64;
    if (code_beside_) p_.region[1] += 6;
    p_.strong = r_.between(0, 40);
    p_.store = r_.between(5, 50);
    p_.atomic = r_.between(0, 40);
    p_.long_stall = r_.between(0, 30);
    p_.many_lines = r_.below(lines[style] + 1);
    static const unsigned registers[] = {2, 4, 16, 128};
    p_.registers = registers[r_.below(4)];
    p_.pairs = r_.chance(30) ? r_.below(60) : r_.below(10);
    p_.reuse = r_.below(80);
    p_.same_bank = r_.below(60);
    p_.results = r_.chance(20) ? r_.below(60) : 95;
    p_.one_bank = r_.chance(50) ? 50 : r_.below(100);
    p_.jump = r_.below(15);
    p_.code = r_.chance(50) ? 400 : r_.chance(50) ? 2000 : 1u << 20;
    p_.constants = r_.chance(50) ? r_.below(80) : r_.below(15);
    static const unsigned constant_lines[] = {2, 6, 60, 2047};
    p_.constant_lines = constant_lines[r_.below(4)];
    p_.constant_set = r_.chance(40) ? r_.below(100) : 0; /* lines of one set */
    p_.narrow = r_.chance(60);
    p_.few_sets = p_.code > 2000 && r_.chance(60);
    if (p_.few_sets) p_.code = 1u << 16;
    p_.launched = r_.chance(30) ? r_.below(p_.code) : 0;
    const bool both = r_.chance(20);       /* what seldom meets otherwise */
    if (both || r_.chance(40)) {           /* much that is written, and is waited for */
        const bool beside = r_.chance(65); /* misses of everything */
        const unsigned latency = r_.between(2, 12);
        p_.alu = 150;
        p_.shared += 15;
        p_.long_stall = 0;
        p_.wait = r_.between(30, 70);
        p_.results = 100;
        p_.one_bank = r_.chance(70) ? 100 : 0;
        p_.same_bank = 0;
        if (beside) {
            p_.apart = true;
            p_.pairs = 35;
        } else {
            p_.constants = p_.jump = 0;
        }
        for (auto &c : stream_.classes) /* interval 1, results of all pipes in the same cycle */
            if ((c.second >> 4 & 0xf) != PIPE_MIO)
                c.second = class_value(latency, 1, c.second >> 4 & 0xf, c.second & 15);
    }
    /* many loads of few lines: waiting operations of one MSHR run out */
    if (both || r_.chance(52)) {
        std::fill(p_.region, p_.region + 5, 0);
        p_.region[0] = 20;
        p_.region[1] = code_beside_ ? 14 : 0;
        p_.region[3] = 1;
        p_.region[4] = r_.below(5);
        if (r_.chance(40)) { /* lines that push each other out of L1 */
            p_.region[4] = 20;
            p_.local_lines = r_.between(2, 8);
            set(CORE_PARAM_L1_WAYS, r_.between(1, 2));
        }
        p_.barrier = r_.between(60, 100);
        p_.exit_early = r_.between(20, 45);
        if (r_.chance(50)) { /* and constants that several warps wait for */
            p_.constants = 20;
            p_.constant_lines = 6;
            p_.constant_set = 0;
        } else {
            p_.other_mio += 10;
            p_.constant_lines = 2047;
            p_.constant_set = 95;
        }
        p_.strong = p_.atomic = 0;
        p_.store = 5;
        p_.global = both ? 100 : 40;
    }
}

/* ------------------------------------------------------------------------------ addresses */

std::uint32_t Generator::line_number() {
    unsigned sum = 0, region = 0;
    for (unsigned w : p_.region) sum += w;
    unsigned pick = r_.below(sum);
    while (pick >= p_.region[region]) pick -= p_.region[region++];
    const unsigned f = r_.below(64);
    switch (region) {
    case 0: return 1000 + r_.below(8);                     /* a few lines that all warps share */
    case 1: return 4096 + r_.below(512);                   /* about the size of small caches */
    case 2: return r_.below(1u << 20);                     /* nothing is seen twice */
    case 3: return (r_.below(3) << 12) | f << 6 | (f ^ 5); /* one MSHR set */
    default:
        return 0x80000000u +
               r_.below(p_.local_lines) * 128; /* one L1 set or few, as local memory */
    }
}

std::vector<Line> Generator::some_lines(bool store) {
    unsigned n = 1;
    if (r_.chance(p_.many_lines))
        n = r_.chance(10) ? 32 : r_.between(0, 31);
    else if (r_.chance(30))
        n = r_.between(2, 4);
    else if (r_.chance(2))
        n = 0;
    n = std::min(n, o_.max_lines);
    std::set<std::uint32_t> seen;
    std::vector<Line> lines;
    for (unsigned i = 0; i < n; i++) {
        Line l{};
        l.addr = line_number();
        if (!seen.insert(l.addr).second) continue;
        l.sectors = p_.narrow ? 1u << r_.below(4) : r_.chance(40) ? 0xf : r_.between(1, 15);
        l.full = store ? (r_.chance(60) ? l.sectors : l.sectors & r_.below(16)) : 0;
        l.lanes = r_.chance(30) ? 32 : r_.between(1, 32);
        l.step = i % 4 == 3 || r_.chance(20);
        lines.push_back(l);
    }
    return lines;
}

/* ------------------------------------------------------------------------------ instructions */

void Generator::push(WarpState &w, Fields f, const std::vector<Line> &lines) {
    const bool stores = f.mem == CORE_MEM_STORE || f.mem == CORE_MEM_RED ||
                        (f.mem == CORE_MEM_SHARED_STORE && f.perform);
    unsigned need[7] = {};
    if (f.wr != NO_BAR) need[f.wr] += 1 + (unsigned)lines.size();
    if (f.rd != NO_BAR) need[f.rd]++;
    if (stores) need[STORES] += 1 + (unsigned)lines.size();
    f.start = w.items.empty();
    f.fetch = f.start || w.pc % 8 == 0;
    f.pc = w.pc;
    f.launched = w.pc < p_.launched;
    w.pc = (w.pc + 1) & 0xfffff;
    if (r_.chance(p_.jump)) {
        w.pc = r_.below(p_.code);
        if (p_.few_sets) w.pc = (w.pc / 512 * 64 + w.pc / 8 % 4) * 8 % (1u << 20);
        if (w.pc % 8 && w.pc / 8 != f.pc / 8) w.pc -= w.pc % 8; /* a jump to the begin of a line */
    }
    unsigned gate = 0;
    if (r_.chance(p_.hold) && (w.cover || r_.chance(10))) {
        const unsigned mask = w.cover | (r_.chance(20) ? r_.below(128) : 0);
        f.wait |= mask;
        gate = w.performed;
        w.items.push_back(make_hold(mask));
        w.cover = 0;
    }
    for (unsigned b = 0; b < 7; b++)
        if (w.count[b] + need[b] > MAX_COUNT) f.wait |= 1u << b;
    for (unsigned b = 0; b < 7; b++) {
        if (f.wait >> b & 1) w.count[b] = 0;
        w.count[b] += need[b];
    }
    if ((f.wr != NO_BAR || f.rd != NO_BAR || stores) && !o_.loose_producers)
        f.stall = std::max(f.stall, 2u);
    if (f.perform) {
        w.performed += lines.empty() ? 1 : (unsigned)lines.size();
        if (stores)
            w.cover |= 1u << STORES;
        else if (f.wr != NO_BAR)
            w.cover |= 1u << f.wr;
    }
    w.items.push_back(make_item(f, lines));
    w.items.back().gate = gate;
}

void Generator::memory(Fields &f, std::vector<Line> &lines) {
    f.rd = r_.chance(25) ? r_.below(6) : (unsigned)NO_BAR;
    f.wr = r_.chance(85) ? r_.below(6) : (unsigned)NO_BAR;
    const bool wants = r_.chance(p_.perform);
    const unsigned what = r_.below(p_.global + p_.shared + p_.other_mio);
    if (r_.chance(p_.uniform_pick)) {
        f.mem = o_.memory ? r_.between(1, 10) : r_.between(6, 10);
    } else if (what < p_.global) {
        f.mem = r_.chance(p_.atomic)   ? (r_.chance(50) ? CORE_MEM_ATOM : CORE_MEM_RED)
                : r_.chance(p_.store)  ? CORE_MEM_STORE
                : r_.chance(p_.strong) ? CORE_MEM_LOAD_STRONG
                                       : CORE_MEM_LOAD;
    } else if (what < p_.global + p_.shared) {
        f.mem = r_.between(CORE_MEM_SHARED_LOAD, CORE_MEM_SHARED_ATOM);
    } else {
        f.mem = r_.chance(50) ? CORE_MEM_SHUFFLE : CORE_MEM_CONST;
    }
    if (f.mem == CORE_MEM_CONST && r_.chance(40)) { /* replays */
        f.bar_id = r_.chance(90) ? 0 : r_.below(4);
        f.bar_warps = r_.below(64);
        f.arrive = r_.chance(20);
    }
    f.passes = r_.chance(50) ? 1 : r_.between(1, f.mem - CORE_MEM_LOAD_STRONG < 4u ? 8 : 32);
    f.slot = r_.below(32);
    const bool global = f.mem <= CORE_MEM_ATOM;
    const bool stores = f.mem == CORE_MEM_STORE || f.mem == CORE_MEM_RED;
    if (global && f.wr == NO_BAR && !stores) f.wr = r_.below(6);
    if (p_.apart && f.wr != NO_BAR) f.wr = f.wr % 3 + (global ? 0 : 3);
    if (global) lines = some_lines(f.mem == CORE_MEM_STORE);
    /* A Hold can wait only for what a counter counts. */
    const bool counted = stores || f.wr != NO_BAR;
    if (global)
        f.perform = wants && counted && !lines.empty() && f.mem != CORE_MEM_LOAD;
    else
        f.perform = wants && counted && f.mem <= CORE_MEM_SHARED_ATOM;
    static const unsigned cls[6] = {CLASS_SHARED,  CLASS_SHARED, CLASS_SHARED,
                                    CLASS_SHUFFLE, CLASS_CONST,  CLASS_CTABAR};
    f.cls = global ? CLASS_MEMORY : cls[f.mem - CORE_MEM_SHARED_LOAD];
}

void Generator::operands(Fields &f) {
    if (f.mem == CORE_MEM_CONST ? r_.chance(90) : f.mem == CORE_MEM_NONE && r_.chance(p_.constants))
        f.constant = r_.chance(p_.constant_set) ? 8 * r_.between(1, 255)
                                                : 1 + r_.below(p_.constant_lines);
    if (r_.chance(p_.results))
        f.dst = r_.chance(p_.pairs) ? 3 : 1u << (r_.below(100) < p_.one_bank);
    const unsigned bank = r_.below(2), all = r_.chance(p_.same_bank);
    for (unsigned i = 0; i < 3; i++) {
        if (r_.chance(15)) continue; /* a constant, or none */
        const unsigned banks = r_.chance(p_.pairs) ? 3 : 1u << (all ? bank : r_.below(2));
        f.src[i] = r_.below(p_.registers);
        f.even |= (banks & 1) << i;
        f.odd |= (banks >> 1) << i;
        if (r_.chance(p_.reuse)) f.reuse |= 1u << i;
    }
}

void Generator::instruction(WarpState &w) {
    static const unsigned alu[] = {CLASS_INT,       CLASS_IMAD,     CLASS_FP32,   CLASS_FP64,
                                   CLASS_FP16,      CLASS_SFU,      CLASS_BRANCH, CLASS_SREG,
                                   CLASS_SLEEP,     CLASS_FENCE,    CLASS_DMMA,   CLASS_BARRIER,
                                   CLASS_HMMA884,   CLASS_HMMA884H, CLASS_MMA128, CLASS_MMA256,
                                   CLASS_FENCE_CTA, CLASS_FENCE_SYS};
    Fields f;
    std::vector<Line> lines;
    f.stall = r_.chance(p_.long_stall) ? r_.below(16) : r_.below(3);
    f.yield = r_.chance(p_.yield);
    if (r_.chance(p_.wait))
        f.wait |= p_.apart && r_.chance(95) ? 1u << r_.between(3, 5)
                  : r_.chance(30)           ? r_.below(64)
                                            : 1u << r_.below(6);
    if (r_.chance(p_.drain)) f.wait |= 1u << STORES;
    const unsigned mio = p_.global + p_.shared + p_.other_mio;
    if (r_.below(mio + p_.alu) < mio) {
        memory(f, lines);
    } else {
        f.cls = r_.chance(50) ? alu[r_.below(5)] : alu[r_.below(12)];
        /* Often shorter than the stall; seldom farther than a sub-core looks, and than a window. */
        if (f.cls == CLASS_SLEEP)
            f.sleep = r_.chance(70) ? r_.below(40) : r_.below(r_.chance(90) ? 600 : 1u << 13);
        if (f.cls == CLASS_SFU || r_.chance(15)) f.wr = r_.below(6);
        if (r_.chance(10)) f.rd = r_.below(6);
        if (f.cls == CLASS_SREG && r_.chance(50)) {
            f.perform = true;
            f.slot = r_.below(32);
        }
    }
    operands(f);
    push(w, f, lines);
}

void Generator::segment(WarpState &w, unsigned items) {
    for (unsigned i = 0; i < items; i++) instruction(w);
}

/* ------------------------------------------------------------------------------ CTA barriers */

void Generator::barrier(WarpState &w, unsigned id, unsigned count, bool arrive) {
    Fields f;
    f.cls = CLASS_CTABAR;
    f.mem = CORE_MEM_BARRIER;
    f.stall = r_.between(1, 4);
    f.bar_id = id;
    f.bar_warps = count;
    f.arrive = arrive;
    if (r_.chance(20)) f.rd = r_.below(6);
    if (r_.chance(30)) f.wait = 1u << r_.below(7);
    f.yield = r_.chance(20);
    push(w, f, {});
}

/* Barrier 0 is for all warps, with and without a count; the others take turns, and all warps meet
 * between two uses of one. */
void Generator::boundary(std::vector<WarpState> &warps, unsigned number) {
    std::vector<unsigned> live;
    for (unsigned i = 0; i < warps.size(); i++)
        if (!warps[i].ended) live.push_back(i);
    const unsigned n = (unsigned)live.size();
    if (number % 8 == 7 || n < 2 || r_.chance(40)) {
        const unsigned count = r_.chance(30) ? n : 0;
        for (unsigned i : live) barrier(warps[i], 0, count, false);
        return;
    }
    /* Some arrive only, at least one waits, the rest goes on. */
    const unsigned members = r_.between(2, n), arrivers = r_.below(members);
    for (unsigned i = n - 1; i > 0; i--) std::swap(live[i], live[r_.below(i + 1)]);
    for (unsigned i = 0; i < members; i++)
        barrier(warps[live[i]], 1 + number % 15, members, i < arrivers);
}

/* The end of a warp; of most right behind a store, which is left on its way, but not where the host
 * waits for a Perform. (No random number is drawn: the streams stay as they were.) */
void Generator::end(WarpState &w) {
    const unsigned number = (unsigned)w.items.size();
    const bool leaves = !(w.cover >> STORES & 1) && w.count[STORES] + 2 <= MAX_COUNT && number % 4;
    const Line line{number % 64, 1 + number % 15, 0, 32};
    if (leaves && number) w.items.push_back(make_store(w.pc, w.pc < p_.launched, line));
    w.items.push_back(make_exit(leaves));
    w.ended = true;
}

CtaProgram Generator::cta(unsigned sm, unsigned slot, const std::vector<unsigned> &pool) {
    CtaProgram c{};
    c.sm = sm;
    c.slot = slot;
    const unsigned n = r_.between(1, (unsigned)pool.size());
    std::vector<unsigned> numbers = pool;
    for (unsigned i = (unsigned)numbers.size() - 1; i > 0; i--)
        std::swap(numbers[i], numbers[r_.below(i + 1)]);
    std::vector<WarpState> warps(n);
    p_ = profiles_[r_.below(2)];
    const unsigned segments = r_.between(1, 6);
    const unsigned items = std::max(2u, r_.between(1, o_.max_items) / phases_ / segments);
    const bool barriers = r_.chance(p_.barrier);
    for (unsigned s = 0; s < segments; s++) {
        for (WarpState &w : warps) {
            if (w.ended) continue;
            segment(w, r_.between(items / 2, items));
            if (s && r_.chance(p_.exit_early)) {
                /* sometimes later than the others come to the barrier */
                if (r_.chance(70)) segment(w, r_.between(items, 2 * items));
                end(w);
            }
        }
        if (barriers) boundary(warps, s);
    }
    for (unsigned i = 0; i < n; i++) {
        WarpState &w = warps[i];
        if (!w.ended) end(w);
        c.warps.push_back({numbers[i], std::move(w.items)});
    }
    return c;
}

Phase Generator::phase() {
    Phase p;
    p.flush_l1 = r_.chance(60);
    p.flush_l2 = r_.chance(60);
    if (r_.chance(60)) {
        p.fill_line = r_.chance(50) ? 4096 : 900;
        p.fill_lines = r_.between(1, 300);
    }
    for (unsigned sm = 0; sm < num_sm_; sm++) {
        if (sm && r_.chance(10)) continue; /* an SM without work */
        std::vector<unsigned> numbers, slots;
        for (unsigned i = 0; i < WARPS; i++) numbers.push_back(i);
        for (unsigned i = 0; i < CTA_SLOTS; i++) slots.push_back(i);
        for (unsigned i = WARPS - 1; i > 0; i--) std::swap(numbers[i], numbers[r_.below(i + 1)]);
        for (unsigned i = CTA_SLOTS - 1; i > 0; i--) std::swap(slots[i], slots[r_.below(i + 1)]);
        const unsigned lanes = r_.between(1, 4);
        for (unsigned lane = 0; lane < lanes; lane++) {
            const unsigned size = r_.chance(30) ? 16 : r_.between(1, 8);
            const std::vector<unsigned> pool(numbers.begin() + lane * 16,
                                             numbers.begin() + lane * 16 + size);
            int after = -1;
            for (unsigned k = r_.between(1, 3); k; k--) {
                CtaProgram c = cta(sm, slots[lane], pool);
                c.constants = r_.chance(50) ? 0 : r_.below(CONSTANTS);
                c.after = after;
                c.delay = r_.chance(50) ? r_.below(8) : r_.below(600);
                after = (int)p.ctas.size();
                p.ctas.push_back(std::move(c));
            }
        }
    }
    return p;
}

Stream Generator::make() {
    parameters();
    for (Profile &p : profiles_) {
        profile();
        p = p_;
    }
    for (unsigned i = phases_ = r_.between(1, 3); i > 0; i--) stream_.phases.push_back(phase());
    time();
    dirty_ways(), add_l1_sizes(stream_);
    if (o_.memory) add_customers(stream_), add_outside(stream_);
    return std::move(stream_);
}

} // namespace

Stream random_stream(std::uint64_t seed, const RandomOptions &options) {
    return Generator(seed, options).make();
}

} // namespace reference
