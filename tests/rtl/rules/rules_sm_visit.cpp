/* rules_sm_visit.cpp - rules of visits and slots (visit_rules.svh,
 * sm_contexts.sv, sm_slots.sv, sm_parked.sv, sm_window.sv). */
#include "tests/rtl/rules/sm_model.h"

namespace {

/* A visit to SM 2, which has slot 0, in stage relative. */
void select(Model &m, Kind kind, bool in_slot) {
    slot(m);
    CONTEXT(busy_q) = 1;
    VISIT(rel_valid_o) = 1;
    VISIT(rel_kind_o) = kind;
    VISIT(rel_in_slot_o) = in_slot;
    VISIT(rel_ctx_o) = 0;
    VISIT(rel_id_o) = 2 << 6;
}

/* The window unit moves slot 0, or loads SM 3 into slot 1. */
void unit(Model &m, bool load) {
    slot(m);
    WINDOW(mov_valid) = 1;
    WINDOW(mov_load) = load;
    WINDOW(mov_slot) = load;
    WINDOW(mov_sm) = load ? 3 : 2;
    WINDOW(mov_launch) = 0;
    WINDOW(mov_next) = 25;
    WINDOW(mov_lsu_until) = WINDOW(mov_sub_until) = 30;
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
         CONTEXT(busy_q) = 0;
     }},
    {"VisitOfSlot",
     [](Model &m) {
         select(m, KindIssue, true);
         slot_sm(m, 0, 3);
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
         CONTEXT(busy_q) = 1;
         VISIT(row_valid_o) = VISIT(row_in_slot_o) = 1;
         VISIT(row_kind_o) = KindIssue;
         VISIT(row_ctx_o) = 0;
         VISIT(row_at_o) = 20;
     }},
};

const Rows slot_rows = {
    {"SlotSmOnce",
     [](Model &m) {
         slot(m);
         SLOT(used_q) = 9;
         slot_sm(m, 3, 2);
     }},
    {"SlotSm",
     [](Model &m) {
         slot(m);
         slot_sm(m, 0, 6);
     }},
    {"SlotEndInWindow",
     [](Model &m) {
         slot(m);
         SLOT(end_q)[0] = 31;
     }},
    {"FlightBound",
     [](Model &m) {
         slot(m);
         SLOT(sent_q)[0] = 35; // the queue pipelined and two more are 34
     }},
    {"FlightEmpty",
     [](Model &m) {
         SLOT(sent_q)[1] = 1;
     }},
    {"PassUsed", [](Model &m) { SLOT(pass_q) = 2; }},
    {"PassNotOpen",
     [](Model &m) {
         slot(m);
         SLOT(pass_q) = SLOT(open_q) = 1;
     }},
    {"RunnableOpen",
     [](Model &m) {
         slot(m);
         CONTEXT(runnable_q) = 1;
     }},
    {"BusyUsed", [](Model &m) { CONTEXT(busy_q) = 1 << 4; }},
    {"StarvedStands",
     [](Model &m) {
         slot(m);
         SLOT(open_q) = 1;
         CONTEXT(runnable_q) = CONTEXT(starved_q) = 1;
         CONTEXT(bound_q)[0] = 10;
     }},
    {"RunnableDue",
     [](Model &m) {
         slot(m);
         SLOT(open_q) = 1;
         CONTEXT(runnable_q) = 1;
         CONTEXT(bound_q)[0] = 20;
     }},
    {"ParkedCounted", [](Model &m) { PARKED(count_q) = 1; }},
    {"ResumeNotParked",
     [](Model &m) {
         PARKED(resume_wr_q) = 1;
         PARKED(resume_mem)[0] = 2;
         PARKED(parked_q) = 1 << 2;
     }},
    {"OutsideStays",
     [](Model &m) {
         slot(m);
         PARKED(outside_q) = 1;
         PARKED(outside_sm_q) = 2;
     }},
    {"PassEnds",
     [](Model &m) {
         slot(m);
         PASSES(tag_valid) = 1; // a visit that was the last one of a pass
         PASSES(tag_kind) = 0;
         PASSES(tag_slot) = 0;
         clock(m);
     }},
    /* SMs without a slot */
    {"SlotNotParked",
     [](Model &m) {
         unit(m, true);
         PARKED(parked_q) = 1 << 3;
         PARKED(count_q) = 1;
     }},
    /* window unit */
    {"UnitLegal",
     [](Model &m) {
         unit(m, false);
         WINDOW(wor_valid) = 1;
         WINDOW(wor_slot) = WINDOW(mov_slot);
     }},
    {"UnitLoads",
     [](Model &m) {
         unit(m, true);
         SLOT(used_q) = 3;
     }},
    {"UnitMoves",
     [](Model &m) {
         unit(m, false);
         SLOT(used_q) = 0;
     }},
    {"UnitSm",
     [](Model &m) {
         unit(m, true);
         WINDOW(mov_sm) = 6;
     }},
    {"UntilInWindow",
     [](Model &m) {
         unit(m, false);
         WINDOW(mov_sub_until) = 31;
     }},
};
