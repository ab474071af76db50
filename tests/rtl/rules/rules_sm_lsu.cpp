/* rules_sm_lsu.cpp - rules of the memory stage (lsu_rules.svh). */
#include "tests/rtl/rules/sm_model.h"

namespace {

/* A pass of SM 2, up to 20; what is looked at next happens at 15. */
void pass(Model &m, Lsu state) {
    slot(m);
    REG(lsu_state_q) = state;
    SLOT(pass_q) = 1;
    REG(lsu_slot_q) = 0;
    REG(lsu_sm_q) = 2;
    REG(lsu_end_q) = 20;
    REG(lsu_look_q) = REG(lsu_fill_q) = REG(lsu_ask_q) = 15;
    REG(lsu_free_q) = REG(lsu_code_q) = 0;
    std::memset(&REG(lsu_q)[0], 0, 12);
    REG(lsu_taken_q) = 0;
    REG(sent_mem)[2] = 0;
}

/* It looks up a line. */
void line(Model &m, Lsu state) {
    pass(m, state);
    rules::set_bits(REG(lsu_q), stage_active, 1, 1);
    put(REG(lsu_op_q), op_mem, 4, CORE_MEM_LOAD);
    put(REG(lsu_op_q), op_lines, 6, 2);
    REG(lsu_line_rd_q) = 0;
    REG(line_wr_mem)[2 * 64 + (REG(lsu_op_q) >> 55 & 15)] = 1;
    std::memset(&REG(look_mshrs_q)[0], 0, 24);
    std::memset(&REG(look_tags_q)[0], 0, 32);
    REG(lsu_line_q) = 0;
    REG(l1_ways_q) = 8;
}

/* Both have epoch, valid sectors and line of the others' way. */
template <class Tags> void two_ways(Model &m, Tags &tags) {
    tags[3] = tags[5] = uint32_t(REG(epoch_q)) << 29 | 1 << 25;
}

/* A reply to MSHR 1 of set 0, which waits for sectors 0 and 1. */
void fill(Model &m) {
    pass(m, LsuFilled);
    REG(lsu_mshr_q) = 1;
    REG(lsu_come_q) = 1;
    std::memset(&REG(fill_mshrs_q)[0], 0, 24);
    rules::set_bits(REG(fill_mshrs_q), mshr_bits + mshr_valid, 1, 1);
    rules::set_bits(REG(fill_mshrs_q), mshr_bits + mshr_wanted, 4, 3);
    rules::set_bits(REG(fill_mshrs_q), mshr_bits + mshr_waiters, 4, 1);
    std::memset(&REG(fill_tags_q)[0], 0, 32);
    REG(l1_ways_q) = 8;
}

/* A reply with sector 0 of the line of code in way 1. */
void code(Model &m) {
    pass(m, LsuCode);
    rules::set_bits(REG(lsu_q), stage_flights, 5, 1);
    REG(lsu_mshr_q) = 1;
    REG(lsu_come_q) = 1;
    std::memset(&REG(code_set_q)[0], 0, 32);
    rules::set_bits(REG(code_set_q), 16 + 15, 1, 1);
}

/* A warp of CTA 1 ends or comes to barrier 3, which one warp has come to. */
void barrier(Model &m, Lsu state) {
    pass(m, state);
    REG(lsu_cta_q) = 1;
    REG(lsu_bar_q) = 3;
    REG(cta_mem)[2 * 32 + 1] = uint64_t(2) << 48 | 1 << 3;
    REG(group_mem)[(2 * 32 + 1) * 16 + 3] = uint64_t(1) << 32;
}

} // namespace

const Rows lsu_rows = {
    {"LsuLegal", [](Model &m) { REG(lsu_state_q) = LsuEnd + 1; }},
    {"LsuFollows",
     [](Model &m) {
         pass(m, LsuNext);
         REG(was_lsu_state) = LsuTags;
     }},
    {"PassSlot",
     [](Model &m) {
         pass(m, LsuNext);
         SLOT(pass_q) = 0;
     }},
    {"PassSm",
     [](Model &m) {
         pass(m, LsuNext);
         REG(lsu_sm_q) = 3;
     }},
    {"PassEnd",
     [](Model &m) {
         pass(m, LsuNext);
         REG(lsu_end_q) = 21;
     }},
    {"LookInPass",
     [](Model &m) {
         pass(m, LsuTake);
         REG(lsu_look_q) = 20;
     }},
    {"FillInPass",
     [](Model &m) {
         fill(m);
         REG(lsu_fill_q) = 20;
     }},
    {"AskInPass",
     [](Model &m) {
         pass(m, LsuAsk);
         REG(lsu_ask_q) = 20;
     }},
    {"TakeWhenFree",
     [](Model &m) {
         pass(m, LsuTake);
         REG(lsu_free_q) = 16;
     }},
    {"AskWhenFree",
     [](Model &m) {
         pass(m, LsuAsk);
         REG(lsu_code_q) = 16;
     }},
    {"ArrivedBound",
     [](Model &m) {
         pass(m, LsuPick);
         REG(sent_mem)[2] = 5 << 4;
     }},
    {"ExitBound",
     [](Model &m) {
         pass(m, LsuNext);
         REG(exit_wr_mem)[2] = 65;
     }},
    {"ExitThere",
     [](Model &m) {
         pass(m, LsuExit);
         REG(exit_wr_mem)[2] = 0;
     }},
    {"LineActive",
     [](Model &m) {
         line(m, LsuWords);
         rules::set_bits(REG(lsu_q), stage_active, 1, 0);
     }},
    {"LineIndex",
     [](Model &m) {
         line(m, LsuWords);
         rules::set_bits(REG(lsu_q), stage_index, 6, 2);
     }},
    {"LineCame",
     [](Model &m) {
         line(m, LsuTags);
         REG(lsu_line_rd_q) = 1;
     }},
    {"LineRoom",
     [](Model &m) {
         line(m, LsuLine);
         REG(lsu_line_rd_q) = 64;
     }},
    {"LineInOneWay",
     [](Model &m) {
         line(m, LsuAccess);
         two_ways(m, REG(look_tags_q));
     }},
    {"MshrWaits",
     [](Model &m) {
         line(m, LsuAccess);
         rules::set_bits(REG(look_mshrs_q), mshr_valid, 1, 1);
         rules::set_bits(REG(look_mshrs_q), mshr_wanted, 4, 1);
     }},
    {"MshrOpen",
     [](Model &m) {
         line(m, LsuAccess);
         rules::set_bits(REG(look_mshrs_q), mshr_valid, 1, 1);
         rules::set_bits(REG(look_mshrs_q), mshr_wanted, 4, 1);
         rules::set_bits(REG(look_mshrs_q), mshr_come, 4, 1);
         rules::set_bits(REG(look_mshrs_q), mshr_waiters, 4, 1);
     }},
    {"StallActive",
     [](Model &m) {
         line(m, LsuNext);
         rules::set_bits(REG(lsu_q), stage_stalled, 1, 1);
         rules::set_bits(REG(lsu_q), stage_index, 6, 2);
     }},
    {"OutstandingBound",
     [](Model &m) {
         pass(m, LsuNext);
         rules::set_bits(REG(lsu_q), stage_outstanding, 9, REG(credits_q) + 1);
     }},
    {"ReplyThere", [](Model &m) { pass(m, LsuReply); }},
    {"ReplyAwaited",
     [](Model &m) {
         pass(m, LsuReply);
         m.reply_valid_i = 1;
         m.reply_i = 0;
     }},
    {"FillMshr",
     [](Model &m) {
         fill(m);
         REG(lsu_mshr_q) = 2;
     }},
    {"FillWanted",
     [](Model &m) {
         fill(m);
         REG(lsu_come_q) = 4;
     }},
    {"FillOneWay",
     [](Model &m) {
         fill(m);
         two_ways(m, REG(fill_tags_q));
     }},
    {"WakeInRange",
     [](Model &m) {
         pass(m, LsuWake);
         REG(lsu_waiter_q) = REG(lsu_waiters_q) = 2;
     }},
    {"CodeFlight",
     [](Model &m) {
         code(m);
         rules::set_bits(REG(lsu_q), stage_flights, 5, 0);
     }},
    {"CodeWay",
     [](Model &m) {
         code(m);
         rules::set_bits(REG(code_set_q), 16 + 15, 1, 0);
     }},
    {"CodeSectors",
     [](Model &m) {
         code(m);
         rules::set_bits(REG(code_set_q), 16 + 11, 4, 3);
     }},
    {"AskLeft",
     [](Model &m) {
         pass(m, LsuAskLine);
         REG(ask_left_q) = 0;
     }},
    {"AskLine",
     [](Model &m) {
         pass(m, LsuAskLook);
         REG(ask_left_q) = 2;
         REG(ask_line_q) = 0;
     }},
    {"ExitAlive",
     [](Model &m) {
         barrier(m, LsuExited);
         REG(cta_mem)[2 * 32 + 1] = 0;
     }},
    {"BarrierUsed",
     [](Model &m) {
         barrier(m, LsuLook);
         REG(lsu_bar_q) = 4;
     }},
    {"BarrierAlive",
     [](Model &m) {
         barrier(m, LsuArrive);
         REG(cta_mem)[2 * 32 + 1] = 0;
     }},
    {"OpenSomeone",
     [](Model &m) {
         pass(m, LsuOpen);
         REG(lsu_open_q) = 0;
     }},
    {"TagWriteOne", [](Model &m) { REG(tag_we_d) = 3; }},
    {"CtaWriteOne", [](Model &m) { REG(launch_cta_d) = REG(cta_we_d) = 1; }},
};
