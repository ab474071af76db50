/* rules_sm_visit.cpp - rules of visits and slots (visit_rules.svh, slot_rules.svh). */
#include "tests/rtl/rules/sm_model.h"

namespace {

/* A visit to SM 2, which has slot 0, in stage relative. */
void select(Model &m, Kind kind, bool in_slot) {
    slot(m);
    REG(ctx_busy_q) = 1;
    VISIT(rel_valid_o) = 1;
    VISIT(rel_kind_o) = kind;
    VISIT(rel_in_slot_o) = in_slot;
    VISIT(rel_ctx_o) = 0;
    VISIT(rel_id_o) = 2 << 6;
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
         VISIT(rel_valid_o) = 1;
         VISIT(rel_kind_o) = KindInit;
         VISIT(rel_in_slot_o) = 0;
         VISIT(rel_id_o) = 6 << 6;
     }},
    {"InitSlot", [](Model &m) { select(m, KindInit, true); }},
    {"KindInSlot", [](Model &m) { select(m, KindIssue, false); }},
    {"VisitIsBusy",
     [](Model &m) {
         select(m, KindIssue, true);
         REG(ctx_busy_q) = 0;
     }},
    {"VisitOfSlot",
     [](Model &m) {
         select(m, KindIssue, true);
         REG(slot_sm_q)[0] = 3;
     }},
    {"VisitOutside", [](Model &m) { select(m, KindWake, false); }},
    {"VisitEnds",
     [](Model &m) {
         slot(m);
         VISIT(row_valid_o) = 1;
         VISIT(row_in_slot_o) = 1;
     }},
    {"IssueInSlotTime",
     [](Model &m) {
         slot(m);
         REG(ctx_busy_q) = 1;
         VISIT(row_valid_o) = VISIT(row_in_slot_o) = 1;
         VISIT(row_kind_o) = KindIssue;
         VISIT(row_ctx_o) = 0;
         VISIT(row_at_o) = 20;
     }},
    {"OutsideStays",
     [](Model &m) {
         slot(m);
         REG(outside_q) = 1;
         REG(outside_sm_q) = 2;
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
