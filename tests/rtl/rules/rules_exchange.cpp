/* rules_exchange.cpp - breaks each rule of the exchange between network engines
 * (rtl/top/heddle_exchange.sv). */
#include "Vexchange_rules.h"
#include "Vexchange_rules___024root.h"
#include "core_words.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vexchange_rules;
#define REG(name) m.rootp->heddle_exchange__DOT__##name

/* Group 0 sends a request to a slice. */
static void sends(Model &m, unsigned slice) {
    uint64_t word[2] = {};
    core_remote_set_kind(word, CORE_EV_REQUEST);
    core_remote_set_slice(word, slice);
    for (unsigned i = 0; i < 4; i++) m.word_i[i] = (uint32_t)(word[i / 2] >> i % 2 * 32);
    m.valid_i = 1;
}

static const std::vector<rules::Row<Model>> table = {
    {"SentHeld", [](Model &m) { REG(was_event) = 1; }},
    {"GivenHeld", [](Model &m) { REG(was_valid) = 1; }},
    {"SentToOther",
     [](Model &m) {
         sends(m, 0);
         rules::clock(m);
     }},
    {"HostStable",
     [](Model &m) {
         sends(m, 1);
         rules::clock(m);
         m.valid_i = 0;
         m.instance_i = 1;
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
