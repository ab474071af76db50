/* rules_beats.cpp - breaks each rule of the SM engine's command port (rtl/sm/sm_command.sv). */
#include "Vbeats_rules.h"
#include "Vbeats_rules___024root.h"
#include "core_words.h"
#define MODULE sm_command
#include "tests/rtl/rules/module_rules.h"

using Model = Vbeats_rules;

/* A beat comes. */
static void beat(Model &m, uint32_t kind, uint32_t words, uint32_t warps) {
    uint64_t word[8] = {};
    core_command_set_kind(word, kind);
    core_command_set_words(word, words);
    core_command_set_warps(word, warps);
    std::memcpy(&m.cmd_i[0], word, sizeof word);
    m.rst_ni = 1;
    m.cmd_valid_i = 1;
    clock(m);
    m.cmd_valid_i = 0;
}

static const std::vector<rules::Row<Model>> rows = {
    {"CommandsHeld",
     [](Model &m) {
         m.rst_ni = 1;
         REG(count_q) = 3;
     }},
    {"WordInBeat", [](Model &m) { beat(m, CORE_CMD_PACKETS, 0, 0); }},
    {"LaunchWarps", [](Model &m) { beat(m, CORE_CMD_LAUNCH, 0, 0); }},
    {"InitNoCommand",
     [](Model &m) {
         beat(m, CORE_CMD_NONE, 0, 0);
         m.init_i = 1;
     }},
    {"WakeWaits",
     [](Model &m) {
         m.rst_ni = 1;
         REG(last_waits_q) = 1;
     }},
};

MODULE_RULES_MAIN(Model)
