/* rules_arrivals.cpp - breaks each rule of rtl/sm/sm_arrivals.sv. */
#include "Varrivals_rules.h"
#include "Varrivals_rules___024root.h"
#define MODULE sm_arrivals
#include "tests/rtl/rules/module_rules.h"

using Model = Varrivals_rules;

static const std::vector<rules::Row<Model>> rows = {
    {"ArrivedThere", [](Model &m) { m.ops_take_i = 1; }},
    {"ArrivedBound",
     [](Model &m) {
         REG(sent_mem)[0] = 0x5555; // of each sub-core
         m.ops_take_i = 1;
     }},
};

MODULE_RULES_MAIN(Model)
