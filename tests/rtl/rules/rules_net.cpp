/* rules_net.cpp - breaks each rule of the network engine (rtl/l2), in its pipelined form. */
#include <cstdint>
#include <cstring>

#include "Vnet_rules.h"
#include "Vnet_rules___024root.h"
#include "core_words.h"
#include "tests/rtl/rules/rules.h"

namespace {

using Model = Vnet_rules;
#define REG(name) m.rootp->net_engine__DOT__##name

/* enums of net_types.svh */
enum Phase { Rest, Scrub, Clear, Extract, Serve };
enum Flush { FlushNone, FlushCheck, FlushRead, FlushWays, FlushScan };
enum Slice {
    SliceIdle,
    SliceLoad,
    SliceRead,
    SliceDecide,
    SliceFetch,
    SliceLow,
    SliceQuotient,
    SliceHome,
    SlicePlace,
    SliceRow,
    SliceTags,
    SliceMatch,
    SliceWay,
    SliceClean,
    SliceServe,
    SlicePass,
    SliceFill,
    SliceWaiter,
    SliceHere,
    SliceWake,
    SliceTell,
    SliceDrop,
    SlicePassed,
    SliceCopy,
    SliceScrub
};
enum Op { OpRequest, OpFar, OpFill, OpBack, OpCopy, OpDrop };

/* list_t with NodeBits of 8 */
constexpr uint32_t some_list(uint32_t head, uint32_t tail) {
    return 1u << 16 | head << 8 | tail;
}
constexpr uint32_t some_waiting = 1u << 24; /* set_t.waiting.some */

/* fields of clock_t, from the top: stuck, far_stuck, entries, free_at, ... */
constexpr unsigned clock_bits = 12 + 4 * 32 + 4 * 8;
/* A request is in work, its time inside the window. */
void in_work(Model &m, Slice state, Op op) {
    REG(phase_q) = Serve;
    REG(slice_state_q) = state;
    REG(op_q) = op;
    REG(two_q) = 1;
    REG(service_q) = 5;
    REG(window_end_q) = 10;
    REG(head_q) = 3;
    REG(queue_q) = REG(far_q) = REG(fills_q) = REG(back_q) = some_list(3, 3);
    std::memset(&REG(clock_q)[0], 0, 4 * ((clock_bits + 31) / 32));
    rules::set_bits(REG(clock_q), clock_bits - 12, 10, 1);
    REG(hit_q) = 1;
    REG(full_q) = REG(leaves_q) = REG(cleans_q) = 0;
    REG(set_q) = some_waiting;
}

void beat(Model &m, uint32_t kind, uint32_t words) {
    uint64_t word[8] = {};
    core_command_set_kind(word, kind);
    core_command_set_words(word, words);
    std::memcpy(&REG(beat_q)[0], word, sizeof word);
    REG(beat_valid_q) = 1;
}

/* A flush is in its first set of two slices of four sets. */
void flush(Model &m) {
    REG(flush_q) = FlushRead;
    REG(local_slices_q) = 2;
    REG(sets_q) = 4;
    REG(flush_slice_q) = REG(flush_set_q) = REG(flush_row_q) = 0;
}

/* The set in work has way 1 with a line that is in work. */
void row(Model &m, Slice state) {
    in_work(m, state, OpRequest);
    REG(clear_q) = 0;
    REG(row_q) = 2;
    for (unsigned i = 0; i < 16; i++) REG(tag_mem)[2][i] = 0x100 + i;
    std::memset(&REG(line_mem)[2][0], 0, 34);
    std::memset(&REG(node_q)[0], 0, 16);
    uint64_t word[2] = {};
    core_request_set_addr(word, 0x101);
    std::memcpy(&REG(node_q)[0], word, sizeof word);
    REG(way_q) = 1;
    rules::set_bits(REG(line_mem)[2], 17, 4, 15);
}

const std::vector<rules::Row<Model>> table = {
    /* ports */
    {"EventHeld", [](Model &m) { REG(was_ev) = 1; }},
    {"EventStable",
     [](Model &m) {
         REG(was_ev) = m.ev_valid_o = 1;
         REG(was_ev_word)[1] = m.ev_o[1] + 1;
     }},
    {"EventKind",
     [](Model &m) {
         m.ev_valid_o = 1;
         std::memset(&m.ev_o[0], 0, 16);
     }},
    {"FaultStays", [](Model &m) { REG(was_fault) = 3; }},
    /* windows */
    {"PhaseLegal", [](Model &m) { REG(phase_q) = 7; }},
    {"PhaseFollows", [](Model &m) { REG(was_phase) = Extract; }},
    {"GoWhenIdle",
     [](Model &m) {
         m.go_i = 1;
         m.idle_o = 0;
     }},
    {"GoWithoutCommand",
     [](Model &m) {
         m.go_i = 1;
         beat(m, CORE_CMD_NONE, 0);
     }},
    {"IdleRests", [](Model &m) { REG(phase_q) = Serve; }},
    {"IdleNoFlush", [](Model &m) { flush(m); }},
    {"IdleNoCommand", [](Model &m) { beat(m, CORE_CMD_NONE, 0); }},
    {"IdleNoRequest", [](Model &m) { REG(sends_q) = 1; }},
    {"IdleNoEvent", [](Model &m) { REG(write_valid_q) = 1; }},
    {"RepliedLate", [](Model &m) { REG(phase_q) = Extract; }},
    {"RepliedThen",
     [](Model &m) {
         REG(phase_q) = Serve;
         m.replied_o = 0;
     }},
    {"NextNotPast",
     [](Model &m) {
         REG(was_window) = 1;
         m.next_o = 9;
         REG(window_end_q) = 10;
     }},
    {"SlicesNextNotPast",
     [](Model &m) {
         REG(was_window) = 1;
         REG(slices_next_q) = 9;
         REG(window_end_q) = 10;
     }},
    {"ServeCleared",
     [](Model &m) {
         REG(phase_q) = Serve;
         REG(local_slices_q) = 1;
         REG(clear_q) = 1;
     }},
    {"InitRests",
     [](Model &m) {
         REG(init_q) = 1;
         REG(slice_state_q) = SliceRead;
     }},
    {"ScrubPeriod", [](Model &m) { REG(scrub_period_q) = 0; }},
    /* commands */
    {"CommandOne",
     [](Model &m) {
         m.cmd_ready_o = 1;
         beat(m, CORE_CMD_NONE, 0);
     }},
    {"CommandRests",
     [](Model &m) {
         beat(m, CORE_CMD_NONE, 0);
         REG(phase_q) = Serve;
     }},
    {"WhereOfBeat", [](Model &m) { REG(where_valid_q) = 1; }},
    {"WhereInRange",
     [](Model &m) {
         beat(m, CORE_CMD_DRAM_REPLY, 0);
         REG(where_valid_q) = 1;
         REG(where_q) = 96;
     }},
    {"WordInBeat",
     [](Model &m) {
         beat(m, CORE_CMD_REMOTE, 1);
         REG(word_q) = 2;
     }},
    {"DivideBeforeWindow", [](Model &m) { REG(sends_q) = 1 << 6; }},
    {"SlicesInRange", [](Model &m) { REG(num_slices_q) = 97; }},
    {"FlushLegal", [](Model &m) { REG(flush_q) = 7; }},
    {"FlushFollows", [](Model &m) { REG(was_flush) = FlushRead; }},
    {"FlushAlone",
     [](Model &m) {
         flush(m);
         REG(slice_state_q) = SliceRead;
     }},
    {"FlushSlice",
     [](Model &m) {
         flush(m);
         REG(flush_slice_q) = 2;
     }},
    {"FlushSet",
     [](Model &m) {
         flush(m);
         REG(flush_set_q) = 4;
     }},
    {"FlushRow",
     [](Model &m) {
         flush(m);
         REG(flush_row_q) = 1;
     }},
    /* nodes */
    {"AllocFault",
     [](Model &m) {
         REG(alloc_d) = 1;
         REG(alloc_ok_d) = 0;
     }},
    {"AllocNotFreed",
     [](Model &m) {
         REG(alloc_d) = REG(free_d) = 1;
         REG(insert_d) = 1;
         REG(alloc_node_d) = REG(free_node_d) = 3;
     }},
    {"GiveAlone",
     [](Model &m) {
         REG(sends_q) = 1 << 5;
         REG(u_reply__DOT__free_o) = 1;
     }},
    /* write ports */
    {"RowClearAlone", [](Model &m) { REG(row_clear_d) = REG(way_we_d) = 1; }},
    {"CleanOtherWay",
     [](Model &m) {
         REG(clean_we_d) = REG(way_we_d) = 1;
         REG(over_way_q) = REG(way_at_d) = 2;
     }},
    {"CalendarAlone",
     [](Model &m) {
         REG(phase_q) = Extract;
         REG(slice_state_q) = SliceRead;
     }},
    {"SendPhase",
     [](Model &m) {
         REG(sends_q) = 1;
         REG(phase_q) = Extract;
     }},
    /* slices */
    {"SliceLegal", [](Model &m) { REG(slice_state_q) = 31; }},
    {"SliceFollows", [](Model &m) { REG(was_slice_state) = SliceRow; }},
    {"SliceInRange",
     [](Model &m) {
         REG(slice_state_q) = SliceRead;
         REG(slice_q) = 96;
     }},
    {"SlicePhase",
     [](Model &m) {
         REG(slice_state_q) = SliceRead;
         REG(phase_q) = Clear;
     }},
    {"SliceScrubPhase", [](Model &m) { REG(slice_state_q) = SliceScrub; }},
    {"SliceCopyRests",
     [](Model &m) {
         REG(slice_state_q) = SliceCopy;
         REG(phase_q) = Serve;
     }},
    {"TodoPhase",
     [](Model &m) {
         REG(todo_q)[0] = REG(active_q)[0] = 1;
     }},
    {"TodoActive",
     [](Model &m) {
         REG(todo_q)[1] = 2;
         REG(active_q)[1] = 1;
     }},
    {"OpLegal", [](Model &m) { in_work(m, SliceServe, OpCopy); }},
    {"HeadOfRequests",
     [](Model &m) {
         in_work(m, SliceServe, OpRequest);
         REG(head_q) = 4;
     }},
    {"HeadOfFar",
     [](Model &m) {
         in_work(m, SliceServe, OpFar);
         REG(far_q) = 0;
     }},
    {"HeadOfFills",
     [](Model &m) {
         in_work(m, SliceFill, OpFill);
         REG(head_q) = 4;
     }},
    {"HeadOfBack",
     [](Model &m) {
         in_work(m, SliceDrop, OpBack);
         REG(back_q) = 0;
     }},
    {"NotStuck",
     [](Model &m) {
         in_work(m, SliceServe, OpRequest);
         rules::set_bits(REG(clock_q), clock_bits - 1, 1, 1);
     }},
    {"NotFarStuck",
     [](Model &m) {
         in_work(m, SliceServe, OpFar);
         rules::set_bits(REG(clock_q), clock_bits - 2, 1, 1);
     }},
    {"FarPartitions",
     [](Model &m) {
         in_work(m, SliceServe, OpFar);
         REG(two_q) = 0;
     }},
    {"TellPartitions",
     [](Model &m) {
         in_work(m, SliceTell, OpRequest);
         REG(two_q) = 0;
     }},
    {"ServiceInWindow",
     [](Model &m) {
         in_work(m, SliceServe, OpRequest);
         REG(service_q) = 10;
     }},
    {"ServiceWhenFree",
     [](Model &m) {
         in_work(m, SliceServe, OpRequest);
         rules::set_bits(REG(clock_q), clock_bits - 12 - 32, 32, 6);
     }},
    {"EntriesBound",
     [](Model &m) {
         in_work(m, SliceServe, OpRequest);
         rules::set_bits(REG(clock_q), clock_bits - 12, 10, REG(entries_q) + 1);
     }},
    {"EntriesHeld",
     [](Model &m) {
         in_work(m, SliceFill, OpFill);
         rules::set_bits(REG(clock_q), clock_bits - 12, 10, 0);
     }},
    {"KindLegal",
     [](Model &m) {
         row(m, SliceServe);
         uint64_t word[2] = {};
         core_request_set_kind(word, 3);
         std::memcpy(&REG(node_q)[0], word, sizeof word);
     }},
    {"SectorsWanted", [](Model &m) { row(m, SliceServe); }},
    /* the set in work */
    {"LineInOneWay",
     [](Model &m) {
         row(m, SliceServe);
         REG(tag_mem)[2][7] = 0x101;
         rules::set_bits(REG(line_mem)[2], 7 * 17 + 8, 4, 1);
     }},
    {"DirtyIsThere",
     [](Model &m) {
         row(m, SliceServe);
         rules::set_bits(REG(line_mem)[2], 3 * 17, 4, 1);
         rules::set_bits(REG(line_mem)[2], 3 * 17 + 4, 4, 3);
     }},
    {"HitHasLine",
     [](Model &m) {
         row(m, SliceServe);
         REG(tags_q)[1] = 0x102;
     }},
    {"FullIsMiss",
     [](Model &m) {
         row(m, SliceServe);
         REG(full_q) = 1;
     }},
    {"LeavesOrCleans",
     [](Model &m) {
         row(m, SliceServe);
         REG(leaves_q) = REG(cleans_q) = 1;
     }},
    {"LeavesOnMiss",
     [](Model &m) {
         row(m, SliceServe);
         REG(leaves_q) = 1;
     }},
    {"LeavesMovable",
     [](Model &m) {
         row(m, SliceServe);
         REG(leaves_q) = 1;
         REG(way_line_q) = 1u << 8;
     }},
    {"CleansOther",
     [](Model &m) {
         row(m, SliceServe);
         REG(cleans_q) = 1;
         REG(over_way_q) = 1;
     }},
    {"OutDirty",
     [](Model &m) {
         row(m, SliceServe);
         REG(cleans_q) = 1;
         REG(out_dirty_q) = 0;
     }},
    {"OutFull",
     [](Model &m) {
         row(m, SliceServe);
         REG(cleans_q) = 1;
         REG(out_dirty_q) = 1;
         REG(out_full_q) = 2;
     }},
    {"FetchesBound",
     [](Model &m) {
         row(m, SliceServe);
         REG(set_q) = some_waiting | 9;
     }},
    {"FetchesHeld",
     [](Model &m) {
         row(m, SliceWake);
         REG(fetched_q) = 1;
     }},
    {"SomeoneWaits",
     [](Model &m) {
         row(m, SliceWake);
         REG(set_q) = 0;
     }},
    {"FillHits",
     [](Model &m) {
         in_work(m, SliceFill, OpFill);
         REG(hit_q) = 0;
     }},
};

void clock(Model &m) {
    m.clk_i = 1;
    m.eval();
    m.clk_i = 0;
    m.eval();
}

void rest(Model &m) {
    m.rst_ni = 0;
    m.eval();
    for (int i = 0; i < 4; i++) clock(m);
    m.rst_ni = 1;
    while (!m.idle_o) clock(m);
    clock(m);
}

} // namespace

int main(int argc, char **argv) {
    return rules::run(table, argc - 1, argv + 1, rest, clock);
}
