// stream.cpp - see stream.h.
#include "stream.h"

const ClassRow kClassRows[kNumClasses] = {
    {0, 2, 4, 12},  {1, 2, 4, 12},   {1, 2, 4, 12},   {2, 4, 8, 12},  {3, 2, 6, 12}, {4, 8, 18, 0},
    {5, 4, 16, 12}, {7, 1, 4, 12},   {8, 4, 8, 12},   {9, 1, 0, 0},   {9, 1, 0, 0},  {9, 1, 0, 0},
    {9, 1, 0, 0},   {7, 2, 6, 12},   {9, 1, 0, 0},    {7, 1, 12, 13}, {7, 1, 4, 14}, {5, 4, 13, 12},
    {5, 8, 14, 12}, {5, 16, 22, 12}, {5, 32, 25, 12},
};

Item make_item(unsigned cls) {
    Item i = {};
    core_packet_set_cls(i.packet, cls);
    core_packet_set_stall(i.packet, 1);
    core_packet_set_wr_bar(i.packet, 7);
    core_packet_set_rd_bar(i.packet, 7);
    core_packet_set_passes(i.packet, 1);
    return i;
}

Item make_hold(unsigned wait_mask) {
    Item i = make_item(CORE_CLASS_HOLD);
    core_packet_set_wait_mask(i.packet, wait_mask);
    return i;
}

uint64_t make_line(uint32_t addr, unsigned sectors, unsigned full, unsigned lanes) {
    uint64_t w = 0;
    core_line_set_addr(&w, addr);
    core_line_set_sectors(&w, sectors);
    core_line_set_full(&w, full);
    core_line_set_turns(&w, lanes);
    return w;
}

namespace {

void add_lines(Item &item, const Mix &mix, Random &r, unsigned kind) {
    unsigned n = r.one_in(4) ? 1 + r.below(mix.lines) : r.one_in(8) ? 0 : 1 + r.below(4);
    uint32_t line = r.below(mix.footprint), step = r.one_in(3) ? 64 : 1;
    for (unsigned i = 0; i < n; i++, line += step) {
        unsigned sectors = r.one_in(2) ? 15 : 1 + r.below(15);
        item.lines.push_back(
            make_line(line % mix.footprint, sectors, r.one_in(2) ? sectors : 0, 1 + r.below(32)));
        core_line_set_step(&item.lines.back(), i % 4 == 3 || sectors % 4 == 1);
    }
    core_packet_set_lines(item.packet, n);
    if (n && kind != CORE_MEM_LOAD && r.one_in(3)) {
        core_packet_set_perform(item.packet, 1);
        core_packet_set_slot(item.packet, r.below(32));
    }
}

Item memory_item(const Mix &mix, Random &r) {
    static const unsigned global[] = {CORE_MEM_LOAD,  CORE_MEM_LOAD,  CORE_MEM_LOAD,
                                      CORE_MEM_STORE, CORE_MEM_STORE, CORE_MEM_LOAD_STRONG,
                                      CORE_MEM_RED,   CORE_MEM_ATOM};
    static const unsigned local[] = {CORE_MEM_SHARED_LOAD,  CORE_MEM_SHARED_LOAD,
                                     CORE_MEM_SHARED_STORE, CORE_MEM_SHARED_ATOM,
                                     CORE_MEM_SHUFFLE,      CORE_MEM_CONST};
    unsigned kind = mix.global && r.one_in(2) ? global[r.below(8)] : local[r.below(6)];
    bool is_global = kind >= CORE_MEM_LOAD && kind <= CORE_MEM_ATOM;
    Item i = make_item(is_global                  ? kMemory
                       : kind == CORE_MEM_SHUFFLE ? kShuffle
                       : kind == CORE_MEM_CONST   ? kConst
                                                  : kShared);
    core_packet_set_mem(i.packet, kind);
    if (is_global)
        add_lines(i, mix, r, kind);
    else if (kind <= CORE_MEM_SHARED_ATOM)
        core_packet_set_passes(i.packet, 1 + r.below(32));
    if (!is_global && kind <= CORE_MEM_SHARED_ATOM && r.one_in(4)) {
        core_packet_set_perform(i.packet, 1);
        core_packet_set_slot(i.packet, r.below(32));
    }
    bool result = kind != CORE_MEM_STORE && kind != CORE_MEM_RED &&
                  (kind != CORE_MEM_SHARED_STORE || r.one_in(2));
    if (result) core_packet_set_wr_bar(i.packet, r.below(6));
    if (r.one_in(2)) core_packet_set_rd_bar(i.packet, r.below(6));
    return i;
}

Item any_item(const Mix &mix, Random &r) {
    if (mix.memory && r.one_in(3)) return memory_item(mix, r);
    unsigned cls = r.below(kSreg + 1);
    if (r.one_in(30)) cls = r.one_in(2) ? kFence : kSleep;
    Item i = make_item(cls);
    core_packet_set_src0(i.packet, r.below(4));
    core_packet_set_src1(i.packet, r.below(4));
    core_packet_set_src2(i.packet, r.below(4));
    core_packet_set_even(i.packet, r.below(8));
    core_packet_set_odd(i.packet, r.below(8));
    core_packet_set_reuse(i.packet, r.below(8));
    if (cls == kSleep) {
        core_packet_set_passes(i.packet, r.one_in(4) ? r.below(2) : 0); /* times 2,048 cycles */
        core_packet_set_bar_id(i.packet, r.below(4));                   /* 128 */
        core_packet_set_bar_arrive(i.packet, r.below(2));               /* 64 */
        core_packet_set_bar_warps(i.packet, r.below(64));
    }
    if (cls == kSfu || r.one_in(8)) core_packet_set_wr_bar(i.packet, r.below(6));
    if (r.one_in(8)) core_packet_set_rd_bar(i.packet, r.below(6));
    if (cls == kSreg && r.one_in(2)) {
        core_packet_set_perform(i.packet, 1);
        core_packet_set_slot(i.packet, r.below(32));
    }
    return i;
}

} // namespace

std::vector<Stream> random_cta(const Mix &mix, uint64_t seed, unsigned cta, unsigned warps) {
    Random common(seed * 7919 + cta);
    std::vector<Stream> out(warps);
    // Between two barriers every warp has a random piece of work; some warps end early.
    unsigned pieces = mix.barriers ? 1 + common.below(4) : 1;
    std::vector<unsigned> ends(warps, pieces);
    for (unsigned w = 0; w < warps; w++)
        if (common.one_in(6)) ends[w] = 1 + common.below(pieces);
    // Either all live warps meet, or the lower half waits for arrivals of the upper one; no warp
    // may end before such a barrier.
    bool named[4] = {};
    for (unsigned p = 0; p + 1 < pieces; p++) {
        named[p] = warps >= 2 && common.one_in(3);
        for (unsigned w = 0; w < warps && named[p]; w++)
            if (ends[w] < p + 2) ends[w] = p + 2;
    }
    for (unsigned p = 0; p < pieces; p++) {
        unsigned id = 4 * p + common.below(4), half = warps / 2;
        for (unsigned w = 0; w < warps; w++) {
            if (p >= ends[w]) continue;
            Random r(((seed * 7919 + cta) * 64 + w) * 8 + p);
            unsigned n = 1 + r.below(2 * mix.length / pieces);
            for (unsigned i = 0; i < n; i++) {
                Item item = any_item(mix, r);
                if (r.one_in(4)) {
                    unsigned mask = 1u << r.below(7);
                    if (r.one_in(8)) mask = r.below(128);
                    core_packet_set_wait_mask(item.packet, mask);
                    if (mix.holds && r.one_in(2)) out[w].push_back(make_hold(mask));
                }
                core_packet_set_stall(item.packet, r.one_in(3) ? r.below(16) : 1 + r.below(4));
                core_packet_set_do_yield(item.packet, r.one_in(6));
                out[w].push_back(item);
            }
            if (p + 1 < ends[w] && mix.barriers) {
                Item bar = make_item(kCtaBar);
                core_packet_set_mem(bar.packet, CORE_MEM_BARRIER);
                core_packet_set_bar_id(bar.packet, id);
                core_packet_set_stall(bar.packet, 2);
                if (named[p]) {
                    core_packet_set_bar_arrive(bar.packet, w >= half);
                    core_packet_set_bar_warps(bar.packet, warps);
                }
                out[w].push_back(bar);
            }
        }
    }
    for (unsigned w = 0; w < warps; w++) {
        Item last = make_item(kBranch);
        core_packet_set_wait_mask(last.packet, 0x7f);
        core_packet_set_last(last.packet, 1);
        out[w].push_back(last);
    }
    return out;
}

Stream ffma_stream(unsigned length) {
    Stream s;
    for (unsigned i = 0; i < length; i++) {
        Item item = make_item(i % 4 == 3 ? kInt : kFp32);
        core_packet_set_src0(item.packet, i % 16);
        core_packet_set_src1(item.packet, i % 16);
        core_packet_set_src2(item.packet, 16);
        // Nowhere three in a bank.
        core_packet_set_even(item.packet, i % 4 == 3 ? 1 : i % 2 ? 1 : 5);
        core_packet_set_odd(item.packet, i % 4 == 3 ? 2 : i % 2 ? 6 : 2);
        s.push_back(item);
    }
    Item last = make_item(kBranch);
    core_packet_set_last(last.packet, 1);
    s.push_back(last);
    return s;
}
