/* rules_asks.cpp - breaks each rule of rtl/sm/sm_asks.sv. */
#include "Vasks_rules.h"
#include "Vasks_rules___024root.h"
#define MODULE sm_asks
#include "tests/rtl/rules/module_rules.h"

using Model = Vasks_rules;

static const std::vector<rules::Row<Model>> rows = {
    {"AskWhenFree",
     [](Model &m) {
         REG(free_mem)[0] = 10;
         m.pck_more_i = 1; // the ask that was taken at 9
         clocks(m, 11);
         m.act_first_i = 1;
     }},
};

MODULE_RULES_MAIN(Model)
