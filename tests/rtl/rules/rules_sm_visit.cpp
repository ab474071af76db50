/* rules_sm_visit.cpp - rules of visits and slots (visit_rules.svh, slot_rules.svh). */
#include "tests/rtl/rules/sm_model.h"

namespace {

/* A visit to SM 2, which has slot 0, in the first stage. */
void select(Model &m, Kind kind) {
    slot(m);
    REG(ctx_busy_q) = 1;
    REG(sel_valid_q) = 1;
    REG(sel_visit_q) = visit(kind, true, 2);
}

/* A visit whose state has been read: of a warp that is alive and has an instruction. */
void fetch(Model &m, Kind kind) {
    slot(m);
    REG(ctx_busy_q) = 1;
    REG(fet_valid_q) = 1;
    REG(fet_visit_q) = visit(kind, true, 2);
    REG(fet_at_q) = 10;
    REG(min_end_q) = 20;
    REG(fet_board_q) = board_live | board_has;
    REG(fet_written_q) = 0;
    REG(fet_sched_q) = 0;
    REG(fet_after_q) = REG(fet_stall_q) = 5;
    std::memset(&REG(fet_counts_q)[0], 0, 16);
    std::memset(&REG(fet_until_q)[0], 0, 32);
    std::memset(&REG(fet_free_q)[0], 0, 40);
    std::memset(&REG(fet_class_q), 0, sizeof REG(fet_class_q));
    REG(fet_head_q) = 0;
}

void counts(Model &m, unsigned issued, unsigned sent, unsigned served) {
    put(REG(fet_sched_q), sched_issued, 4, issued);
    put(REG(fet_sched_q), sched_sent, 4, sent);
    put(REG(fet_sched_q), sched_served, 4, served);
}

/* The window unit at work on slot 0, or on SM 3 for slot 1. */
void unit(Model &m, Win state, bool load) {
    slot(m);
    REG(win_state_q) = state;
    REG(win_load_q) = load;
    REG(win_slot_q) = load;
    REG(win_sm_q) = load ? 3 : 2;
    REG(win_lsu_until_q) = REG(win_sub_until_q) = 30;
}

} // namespace

const Rows visit_rows = {
    {"VisitSm",
     [](Model &m) {
         REG(sel_valid_q) = 1;
         REG(sel_visit_q) = visit(KindInit, false, 6);
     }},
    {"InitSlot", [](Model &m) { select(m, KindInit); }},
    {"KindInSlot",
     [](Model &m) {
         select(m, KindIssue);
         REG(sel_visit_q) = visit(KindIssue, false, 2);
     }},
    {"AgainIsCount",
     [](Model &m) {
         REG(again_q) = 1;
         REG(again_visit_q) = visit(KindWake, true, 2);
     }},
    {"SelectTurn", [](Model &m) { REG(select_turn_q) = 6; }},
    {"LateStagesOne", [](Model &m) { REG(cod_valid_q) = REG(up_row_valid_q) = 1; }},
    {"EarlyStagesOne", [](Model &m) { REG(key_valid_q) = REG(min_valid_q) = 1; }},
    {"VisitIsBusy",
     [](Model &m) {
         select(m, KindIssue);
         REG(ctx_busy_q) = 0;
     }},
    {"VisitOfSlot",
     [](Model &m) {
         select(m, KindIssue);
         REG(slot_sm_q)[0] = 3;
     }},
    {"VisitOutside",
     [](Model &m) {
         select(m, KindWake);
         REG(sel_visit_q) = visit(KindWake, false, 3);
     }},
    {"VisitEnds",
     [](Model &m) {
         slot(m);
         REG(up_row_valid_q) = 1;
         REG(fet_visit_q) = visit(KindIssue, true, 2);
     }},
    {"OutsideStays",
     [](Model &m) {
         slot(m);
         REG(outside_q) = 1;
         REG(outside_sm_q) = 2;
     }},
    {"HeadOne",
     [](Model &m) {
         fetch(m, KindCount);
         REG(fet_board_q) |= board_hold;
     }},
    {"WaitsAlive",
     [](Model &m) {
         fetch(m, KindCount);
         REG(fet_board_q) = board_waiting;
     }},
    {"PacketRoom",
     [](Model &m) {
         fetch(m, KindCount);
         REG(fet_written_q) = 65;
     }},
    {"CountPositive",
     [](Model &m) {
         fetch(m, KindIssue);
         REG(fet_counts_q)[1] = 0xffff;
     }},
    {"ResumeWaits", [](Model &m) { fetch(m, KindResume); }},
    {"LaunchDead", [](Model &m) { fetch(m, KindLaunch); }},
    {"IssueAlive",
     [](Model &m) {
         fetch(m, KindIssue);
         REG(fet_board_q) |= board_waiting;
     }},
    {"IssueInSlotTime",
     [](Model &m) {
         fetch(m, KindIssue);
         REG(fet_at_q) = 20;
     }},
    {"IssueAfterLast",
     [](Model &m) {
         fetch(m, KindIssue);
         REG(fet_after_q) = 11;
     }},
    {"IssueStalled",
     [](Model &m) {
         fetch(m, KindIssue);
         REG(fet_stall_q) = 11;
     }},
    {"IssuePipeFree",
     [](Model &m) {
         fetch(m, KindIssue);
         REG(fet_free_q)[0] = 11;
     }},
    {"IssueCounted",
     [](Model &m) {
         fetch(m, KindIssue);
         put(REG(fet_head_q), 46, 7, 1 << 2);
         REG(fet_counts_q)[1] = 1;
     }},
    {"IssueEnded",
     [](Model &m) {
         fetch(m, KindIssue);
         put(REG(fet_head_q), 46, 7, 1 << 2);
         REG(fet_until_q)[2] = 11;
     }},
    {"QueueBound",
     [](Model &m) {
         fetch(m, KindCount);
         counts(m, 10, 4, 0);
     }},
    {"CreditBound",
     [](Model &m) {
         fetch(m, KindCount);
         counts(m, 5, 5, 0);
     }},
    {"QueueWaits",
     [](Model &m) {
         fetch(m, KindCount);
         counts(m, 4, 3, 0);
     }},
    {"CreditHeld",
     [](Model &m) {
         fetch(m, KindCount);
         REG(fet_visit_q) |= visit_credit;
     }},
    {"QueueNotFull",
     [](Model &m) {
         fetch(m, KindIssue);
         put(REG(fet_class_q), 0, 4, 9);
         counts(m, 9, 4, 0);
     }},
};

const Rows slot_rows = {
    {"SlotSmOnce",
     [](Model &m) {
         slot(m);
         REG(slot_used_q) = 9;
         REG(slot_sm_q)[3] = 2;
     }},
    {"SlotSm",
     [](Model &m) {
         slot(m);
         REG(slot_sm_q)[0] = 6;
     }},
    {"SlotNotParked",
     [](Model &m) {
         slot(m);
         REG(parked_q) = 1 << 2;
     }},
    {"SlotEndInWindow",
     [](Model &m) {
         slot(m);
         REG(slot_end_q)[0] = 31;
     }},
    {"FlightBound",
     [](Model &m) {
         slot(m);
         REG(slot_sent_q)[0] = 19;
     }},
    {"FlightEmpty",
     [](Model &m) {
         REG(slot_sent_q)[1] = 1;
     }},
    {"PassUsed", [](Model &m) { REG(slot_pass_q) = 2; }},
    {"PassNotOpen",
     [](Model &m) {
         slot(m);
         REG(slot_pass_q) = REG(slot_open_q) = 1;
     }},
    {"RunnableOpen",
     [](Model &m) {
         slot(m);
         REG(ctx_runnable_q) = 1;
     }},
    {"BusyUsed", [](Model &m) { REG(ctx_busy_q) = 1 << 4; }},
    {"StarvedStands",
     [](Model &m) {
         slot(m);
         REG(slot_open_q) = 1;
         REG(ctx_runnable_q) = REG(ctx_starved_q) = 1;
         REG(ctx_bound_q)[0] = 10;
     }},
    {"RunnableDue",
     [](Model &m) {
         slot(m);
         REG(slot_open_q) = 1;
         REG(ctx_runnable_q) = 1;
         REG(ctx_bound_q)[0] = 20;
     }},
    {"ParkedCounted", [](Model &m) { REG(parked_count_q) = REG(resumed_count_q) + 1; }},
    {"ResumeNotParked",
     [](Model &m) {
         REG(resume_wr_q) = 1;
         REG(resume_mem)[0] = 2;
         REG(parked_q) = 1 << 2;
     }},
    {"UnitLegal", [](Model &m) { REG(win_state_q) = 5; }},
    {"UnitFollows", [](Model &m) { unit(m, WinMove, false); }},
    {"UnitLoads",
     [](Model &m) {
         unit(m, WinBounds, true);
         REG(slot_used_q) = 3;
     }},
    {"UnitMoves",
     [](Model &m) {
         unit(m, WinBounds, false);
         REG(slot_pass_q) = 1;
     }},
    {"UnitLoadsOnce",
     [](Model &m) {
         unit(m, WinBounds, true);
         REG(win_sm_q) = 2;
     }},
    {"UnitSm",
     [](Model &m) {
         unit(m, WinMove, true);
         REG(win_sm_q) = 6;
     }},
    {"UntilInWindow",
     [](Model &m) {
         unit(m, WinMove, false);
         REG(win_sub_until_q) = 31;
     }},
};
