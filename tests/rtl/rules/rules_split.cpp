/* rules_split.cpp - breaks each rule of the module that hands commands to groups
 * (rtl/top/heddle_split.sv). */
#include "Vsplit_rules.h"
#include "Vsplit_rules___024root.h"
#include "core_words.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vsplit_rules;
#define REG(name) m.rootp->heddle_split__DOT__##name

/* A command waits for both groups, whose engines are not ready. */
static void waits(Model &m, unsigned kind, unsigned words, unsigned sm, unsigned net) {
    rules::set_bits(REG(beat_q), 124, 4, kind);
    rules::set_bits(REG(beat_q), 97, 2, words);
    REG(sm_wait_q) = sm;
    REG(net_wait_q) = net;
    m.sm_ready_i = m.net_ready_i = 0;
}

static const std::vector<rules::Row<Model>> table = {
    {"SplitReady",
     [](Model &m) {
         waits(m, CORE_CMD_CLASS, 0, 1, 0);
         m.sm_valid_i = 1;
     }},
    {"SplitStable",
     [](Model &m) {
         waits(m, CORE_CMD_CLASS, 0, 3, 0);
         REG(was_waiting) = 1;
     }},
    {"SplitOne", [](Model &m) { waits(m, CORE_CMD_PACKETS, 1, 3, 0); }},
    {"SplitOwner", [](Model &m) { waits(m, CORE_CMD_DRAM_REPLY, 0, 0, 3); }},
    {"SplitWord", [](Model &m) { waits(m, CORE_CMD_REMOTE, 2, 0, 1); }},
};

/* The commands after a reset are taken. */
static void rest(Model &m) {
    m.sm_ready_i = m.net_ready_i = 3;
    rules::rest<Model, 8>(m);
}

int main(int argc, char **argv) {
    return rules::run(table, argc - 1, argv + 1, rest, rules::clock<Model>);
}
