/* rules_window.cpp - breaks each rule of the windows (rtl/l2/net_window.sv). */
#include "Vwindow_rules.h"
#include "Vwindow_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vwindow_rules;
#define REG(name) m.rootp->net_window__DOT__##name

/* phase_e */
enum Phase { Rest, Scrub, Clear, Extract, Serve };

static const std::vector<rules::Row<Model>> table = {
    {"PhaseLegal", [](Model &m) { REG(phase_q) = 7; }},
    {"PhaseFollows", [](Model &m) { REG(was_phase) = Extract; }},
    {"GoWhenIdle",
     [](Model &m) {
         m.go_i = 1;
         m.idle_o = 0;
     }},
    {"IdleRests",
     [](Model &m) {
         m.idle_o = 1;
         REG(phase_q) = Serve;
     }},
    {"RepliedLate", [](Model &m) { REG(phase_q) = Extract; }},
    {"RepliedThen",
     [](Model &m) {
         REG(phase_q) = Serve;
         m.replied_o = 0;
     }},
    {"ServeCleared",
     [](Model &m) {
         REG(phase_q) = Serve;
         m.clear_i = 1;
     }},
    {"NextNotPast",
     [](Model &m) {
         REG(was_window) = m.idle_o = 1;
         m.next_o = 9;
         m.window_end_o = 10;
     }},
    {"QueuesNextNotPast",
     [](Model &m) {
         REG(was_window) = m.idle_o = 1;
         m.queues_next_i = 9;
         m.window_end_o = 10;
     }},
    {"FaultStays", [](Model &m) { REG(was_fault) = 3; }},
    {"ScrubPhase", [](Model &m) { m.scrub_o = 1; }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
