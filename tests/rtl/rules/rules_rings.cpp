/* rules_rings.cpp - breaks each rule of rtl/sm/sm_rings.sv. */
#include "Vrings_rules.h"
#include "Vrings_rules___024root.h"
#define MODULE sm_rings
#include "tests/rtl/rules/module_rules.h"

using Model = Vrings_rules;

static const std::vector<rules::Row<Model>> rows = {
    {"RingThere", [](Model &m) { m.act_take_i = 1; }},
    {"RingBound",
     [](Model &m) {
         REG(sent_mem)[0] = 0x5555; // of each sub-core
         m.act_take_i = 1;
     }},
};

MODULE_RULES_MAIN(Model)
