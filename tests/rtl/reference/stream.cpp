/* stream.cpp - random numbers and the small builders of stream.h. */
#include "tests/rtl/reference/stream.h"

#include <cstring>

namespace reference {

std::uint64_t Random::next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

Item make_item(const Fields &f, const std::vector<Line> &lines) {
    Item item{};
    std::uint64_t *w = item.packet;
    core_packet_set_cls(w, f.cls);
    core_packet_set_stall(w, f.stall);
    core_packet_set_do_yield(w, f.yield);
    core_packet_set_wait_mask(w, f.wait);
    core_packet_set_wr_bar(w, f.wr);
    core_packet_set_rd_bar(w, f.rd);
    core_packet_set_dst(w, f.dst);
    core_packet_set_last(w, f.last);
    core_packet_set_perform(w, f.perform);
    core_packet_set_slot(w, f.slot);
    core_packet_set_mem(w, f.mem);
    core_packet_set_lines(w, lines.size());
    core_packet_set_passes(w, f.passes);
    core_packet_set_bar_id(w, f.bar_id);
    core_packet_set_bar_arrive(w, f.arrive);
    core_packet_set_bar_warps(w, f.bar_warps);
    if (f.cls == CLASS_SLEEP) {
        core_packet_set_lines(w, f.sleep >> 17);
        core_packet_set_passes(w, f.sleep >> 11 & 63);
        core_packet_set_bar_id(w, f.sleep >> 7 & 15);
        core_packet_set_bar_arrive(w, f.sleep >> 6 & 1);
        core_packet_set_bar_warps(w, f.sleep & 63);
    }
    core_packet_set_constant(w, f.constant);
    core_packet_set_src0(w, f.src[0]);
    core_packet_set_src1(w, f.src[1]);
    core_packet_set_src2(w, f.src[2]);
    core_packet_set_even(w, f.even);
    core_packet_set_odd(w, f.odd);
    core_packet_set_reuse(w, f.reuse);
    core_packet_set_pc(w, f.pc);
    core_packet_set_start(w, f.start);
    core_packet_set_launched(w, f.launched);
    core_packet_set_fetch(w, f.fetch);
    for (const Line &l : lines) {
        std::uint64_t word = 0;
        core_line_set_addr(&word, l.addr);
        core_line_set_sectors(&word, l.sectors);
        core_line_set_full(&word, l.full);
        core_line_set_turns(&word, l.lanes);
        core_line_set_step(&word, l.step);
        item.lines.push_back(word);
    }
    return item;
}

Item make_exit(bool leaves_stores) {
    Fields f;
    f.cls = CLASS_BRANCH;
    f.last = true;
    f.wait = leaves_stores ? 0x3f : 0x7f;
    return make_item(f);
}

Item make_store(unsigned pc, bool launched, const Line &line) {
    Fields f;
    f.cls = CLASS_MEMORY;
    f.mem = CORE_MEM_STORE;
    f.stall = 2;
    f.pc = pc;
    f.fetch = pc % 8 == 0;
    f.launched = launched;
    return make_item(f, {line});
}

Item make_hold(unsigned wait) {
    Fields f;
    f.cls = CORE_CLASS_HOLD;
    f.stall = 0;
    f.wait = wait;
    return make_item(f);
}

std::uint32_t class_value(unsigned latency, unsigned interval, unsigned pipe, unsigned flags) {
    return latency << 16 | interval << 8 | pipe << 4 | flags;
}

void add_default_classes(Stream &s) {
    /* latency, interval, pipe of each row of tables/mir_classes.def */
    static const unsigned row[NUM_CLASSES][3] = {
        {4, 2, 0},  {4, 2, 1},  {4, 2, 1},   {8, 4, 2}, {6, 2, 3},  {14, 8, 4},
        {16, 8, 5}, {4, 2, 7},  {12, 4, 8},  {1, 1, 9}, {1, 1, 9},  {1, 1, 9},
        {1, 1, 9},  {4, 2, 7},  {1, 1, 9},   {6, 2, 7}, {4, 2, 7},  {13, 4, 5},
        {18, 4, 5}, {25, 6, 5}, {26, 16, 5}, {3, 1, 7}, {40, 1, 7},
    };
    for (unsigned i = 0; i < NUM_CLASSES; i++) {
        const bool fence = i == CLASS_FENCE || i == CLASS_FENCE_CTA || i == CLASS_FENCE_SYS;
        unsigned flags = fence ? +BLOCKING : i == CLASS_SLEEP ? +SLEEPING : 0;
        if (i != CLASS_SFU && row[i][2] != PIPE_MIO) flags |= PORTS | REUSE;
        s.classes.push_back({i, class_value(row[i][0], row[i][1], row[i][2], flags)});
    }
}

} // namespace reference
