/* rules_port.cpp - breaks each rule of the ports of the slices (rtl/l2/net_port.sv). */
#include "Vport_rules.h"
#include "Vport_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vport_rules;
#define REG(name) m.rootp->net_port__DOT__##name

static const std::vector<rules::Row<Model>> table = {
    {"SendReady",
     [](Model &m) {
         m.send_i = 1;
         m.ready_o = 0;
     }},
    {"SendAlone", [](Model &m) { m.send_i = m.wake_i = 1; }},
    {"SendInit", [](Model &m) { m.send_i = REG(init_q) = 1; }},
    {"PortSlice",
     [](Model &m) {
         m.send_i = 1;
         m.slice_i = 96;
     }},
    {"RemoteHeld", [](Model &m) { REG(was_remote) = 1; }},
    {"ReplyEnters", [](Model &m) { m.reply_o = 1; }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 300>(table, argc, argv);
}
