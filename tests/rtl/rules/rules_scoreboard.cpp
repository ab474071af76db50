/* rules_scoreboard.cpp - breaks each rule of rtl/sm/sm_scoreboard.sv. */
#include "Vscoreboard_rules.h"
#include "Vscoreboard_rules___024root.h"
#define MODULE sm_scoreboard
#include "tests/rtl/rules/module_rules.h"

using Model = Vscoreboard_rules;

/* An instruction that waits for counter 2 may issue at 10. */
static void issue(Model &m) {
    m.upd_may_i = 1;
    m.upd_at_i = 10;
    m.upd_mask_i = 1 << 2;
    std::memset(&REG(upd_counts)[0], 0, 16);
    std::memset(&REG(upd_until)[0], 0, 32);
}

static const std::vector<rules::Row<Model>> rows = {
    {"CountPositive",
     [](Model &m) {
         issue(m);
         REG(upd_counts)[1] = 0xffff;
     }},
    {"IssueCounted",
     [](Model &m) {
         issue(m);
         REG(upd_counts)[1] = 1;
     }},
    {"IssueEnded",
     [](Model &m) {
         issue(m);
         REG(upd_until)[2] = 11;
     }},
};

MODULE_RULES_MAIN(Model)
