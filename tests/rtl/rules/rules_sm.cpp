/* rules_sm.cpp - breaks each rule of the SM engine (rtl/sm), in its pipelined form. Here: ports,
 * windows, commands and queues. */
#include "tests/rtl/rules/sm_model.h"

namespace {

/* A request that the network does not take comes to the port. */
void request(Model &m, uint32_t kind, uint32_t sectors, uint32_t sm, bool cached, uint32_t at) {
    uint64_t word[2] = {};
    core_request_set_kind(word, kind);
    core_request_set_sectors(word, sectors);
    core_request_set_sm(word, sm);
    core_request_set_cached(word, cached);
    core_request_set_at(word, at);
    std::memcpy(&REG(port__DOT__requests__DOT__word_mem)[0][0], word, sizeof word);
    REG(port__DOT__requests__DOT__first_q) = 0;
    REG(port__DOT__requests__DOT__count_q) = 1;
    clock(m);
}

void event(Model &m, uint32_t kind, uint32_t sm) {
    uint64_t word[2] = {};
    core_event_set_kind(word, kind);
    core_event_set_sm(word, sm);
    std::memcpy(&m.ev_o[0], word, sizeof word);
    m.ev_valid_o = 1;
}

/* SM 2 issues at 15, in a window from 10 to 20. */
void issue(Model &m) {
    m.issue_valid_o = 1;
    m.issue_sm_o = 2;
    m.issue_warp_o = 0;
    m.issue_time_o = 15;
    m.reached_i = REG(was_reached) = 10;
    REG(was_window) = 1;
    REG(was_window_end) = 20;
}

/* A window from 20 to 30, behind one that ended at 20. */
void go(Model &m) {
    m.go_i = 1;
    m.reached_i = 20;
    m.window_end_i = 30;
    REG(was_window) = 1;
    REG(was_window_end) = 20;
}

} // namespace

const Rows port_rows = {
    {"EventHeld", [](Model &m) { REG(was_ev) = 1; }},
    {"EventStable",
     [](Model &m) {
         event(m, CORE_EV_WANT, 2);
         REG(was_ev) = 1;
         REG(was_ev_word)[0] = m.ev_o[0] + 1;
     }},
    {"EventKind", [](Model &m) { event(m, CORE_EV_DRAM_READ, 2); }},
    {"EventSm", [](Model &m) { event(m, CORE_EV_WANT, 6); }},
    {"RequestHeld", [](Model &m) { REG(was_req) = 1; }},
    {"RequestStable",
     [](Model &m) {
         request(m, 0, 1, 2, false, 5);
         REG(was_req) = 1;
         REG(was_req_word)[0] = m.req_o[0] + 1;
     }},
    {"RequestKind", [](Model &m) { request(m, 3, 1, 2, false, 5); }},
    {"RequestSectors", [](Model &m) { request(m, 0, 0, 2, false, 5); }},
    {"RequestSm", [](Model &m) { request(m, 0, 1, 6, false, 5); }},
    {"RequestCached", [](Model &m) { request(m, 1, 1, 2, true, 5); }},
    {"RequestOrder",
     [](Model &m) {
         request(m, 0, 1, 2, false, 5);
         REG(was_req_new) = 1;
         REG(was_sent) = 1 << 2;
         REG(was_sent_at)[2] = 5;
     }},
    {"IssueSm",
     [](Model &m) {
         issue(m);
         m.issue_sm_o = 6;
     }},
    {"IssueOrder",
     [](Model &m) {
         issue(m);
         REG(was_issued) = 1 << 2 * 4;
         REG(was_issued_at)[2 * 4] = 15;
     }},
    {"IssueInWindow",
     [](Model &m) {
         issue(m);
         m.issue_time_o = 20;
     }},
    {"IssueNotPast",
     [](Model &m) {
         issue(m);
         m.issue_time_o = 9;
     }},
    /* windows */
    {"GoWhenIdle",
     [](Model &m) {
         go(m);
         m.parked_o = 1;
     }},
    {"GoWithoutCommand",
     [](Model &m) {
         beat(m, CORE_CMD_NONE, 0);
         go(m);
     }},
    {"GoForward",
     [](Model &m) {
         go(m);
         REG(was_window_end) = 30;
     }},
    {"GoReached",
     [](Model &m) {
         go(m);
         m.reached_i = 30;
     }},
    {"IdleNoSlot",
     [](Model &m) {
         slot(m);
         m.idle_o = 1;
     }},
    {"IdleNoVisit", [](Model &m) { PARKED(outside_q) = 1; }},
    {"IdleNoPass", [](Model &m) { REG(l1__DOT__flush_q) = 1; }},
    {"IdleNoCommand",
     [](Model &m) {
         beat(m, CORE_CMD_NONE, 0);
         clock(m);
         m.cmd_valid_i = 0;
         m.idle_o = 1;
     }},
    {"IdleNoMicro", [](Model &m) { REG(micro__DOT__queue__DOT__count_q) = 1; }},
    {"IdleNoEvent",
     [](Model &m) {
         event(m, CORE_EV_WANT, 2);
         clock(m);
     }},
    {"IdleNoRequest", [](Model &m) { request(m, 0, 1, 2, false, 5); }},
    {"IdleLoaded", [](Model &m) { WINDOW(loading_q) = 1; }},
    {"NextNotPast",
     [](Model &m) {
         REG(was_window) = 1;
         REG(was_window_end) = 20;
         m.next_o = 19;
     }},
    {"InitAlone",
     [](Model &m) {
         slot(m);
         REG(select__DOT__init_q) = 1;
     }},
    {"ScrubAlone",
     [](Model &m) {
         slot(m);
         REG(scrubbing__DOT__scrub_q) = 1;
     }},
    {"ScrubOnce",
     [](Model &m) {
         REG(scrubbing__DOT__scrub_q) = 1;
         go(m);
     }},
    /* commands */
    {"CommandSm",
     [](Model &m) {
         beat(m, CORE_CMD_LAUNCH, 6);
         clock(m);
         m.cmd_valid_i = 0;
     }},
    /* queues */
    {"ResumeInRange", [](Model &m) { PARKED(resume_wr_q) = 6; }},
};

static void rest(Model &m) {
    m.rst_ni = 0;
    m.eval();
    for (int i = 0; i < 4; i++) clock(m);
    m.rst_ni = 1;
    while (!m.idle_o) clock(m);
    REG(params__DOT__last_sm_o) = 5;
    clock(m);
}

int main(int argc, char **argv) {
    Rows rows;
    for (const Rows *part : {&port_rows, &visit_rows, &slot_rows})
        rows.insert(rows.end(), part->begin(), part->end());
    return rules::run(rows, argc - 1, argv + 1, rest, clock);
}
