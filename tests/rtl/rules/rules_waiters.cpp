/* rules_waiters.cpp - breaks each rule of the requests that wait (rtl/l2/net_waiters.sv). */
#include "Vwaiters_rules.h"
#include "Vwaiters_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vwaiters_rules;
#define REG(name) m.rootp->net_waiters__DOT__##name

static const std::vector<rules::Row<Model>> table = {
    {"WalkAlone", [](Model &m) { m.start_i = m.add_i = m.ready_i = 1; }},
    {"AddRests",
     [](Model &m) {
         m.add_i = REG(walking_q) = 1;
         REG(walk_q) = 1u << 16;
     }},
    {"StartReady", [](Model &m) { m.start_i = 1; }},
    {"SomeoneWaits",
     [](Model &m) {
         REG(walking_q) = 1;
         REG(walk_q) = 0;
     }},
    {"ReadWalks", [](Model &m) { REG(read_q) = 1; }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
