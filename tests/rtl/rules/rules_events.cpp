/* rules_events.cpp - breaks each rule of the events (rtl/l2/net_events.sv). */
#include "Vevents_rules.h"
#include "Vevents_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vevents_rules;
#define REG(name) m.rootp->net_events__DOT__##name

static const std::vector<rules::Row<Model>> table = {
    {"EventHeld", [](Model &m) { REG(was_ev) = 1; }},
    {"EventStable",
     [](Model &m) {
         REG(was_ev) = m.ev_valid_o = 1;
         REG(was_ev_word)[1] = m.ev_o[1] + 1;
     }},
    {"EventKind",
     [](Model &m) {
         m.ev_valid_o = 1;
         for (unsigned i = 0; i < 4; i++) m.ev_o[i] = 0;
     }},
    {"EventRoom", [](Model &m) { m.perform_i = REG(write_q) = REG(read_q) = 1; }},
    {"FlushEventAlone", [](Model &m) { m.flush_i = m.write_i = 1; }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
