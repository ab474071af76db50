/* rules_command.cpp - breaks each rule of the command port (rtl/l2/net_command.sv). */
#include <cstring>

#include "Vcommand_rules.h"
#include "Vcommand_rules___024root.h"
#include "core_words.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vcommand_rules;
#define REG(name) m.rootp->net_command__DOT__##name

static void beat(Model &m, uint32_t kind, uint32_t words) {
    uint64_t word[8] = {};
    core_command_set_kind(word, kind);
    core_command_set_words(word, words);
    std::memcpy(&REG(beat_q)[0], word, sizeof word);
    REG(beat_valid_q) = REG(busy_q) = 1;
}

static const std::vector<rules::Row<Model>> table = {
    {"CommandOne",
     [](Model &m) {
         m.cmd_ready_o = 1;
         beat(m, CORE_CMD_NONE, 0);
     }},
    {"CommandBusy", [](Model &m) { REG(beat_valid_q) = 1; }},
    {"WhereOfBeat", [](Model &m) { REG(where_valid_q) = 1; }},
    {"WhereInRange",
     [](Model &m) {
         m.dram_o = 1;
         m.slice_o = 96;
     }},
    {"WordInBeat",
     [](Model &m) {
         beat(m, CORE_CMD_REMOTE, 1);
         REG(word_q) = 2;
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
