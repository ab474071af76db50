/* rules_select.cpp - breaks each rule of rtl/sm/sm_select.sv. */
#include "Vselect_rules.h"
#include "Vselect_rules___024root.h"
#define MODULE sm_select
#include "tests/rtl/rules/module_rules.h"

using Model = Vselect_rules;

static const std::vector<rules::Row<Model>> rows = {
    {"AgainBusy",
     [](Model &m) {
         m.rst_ni = 1;
         REG(init_q) = 0;
         m.busy_i = 1;
         m.again_i = 1;
         clock(m);
         m.again_i = 0;
         m.half_i = 1;
         clock(m);
         m.half_i = 0;
         m.busy_i = 0; // the second of two visits is chosen now
     }},
    {"HalfBusy",
     [](Model &m) {
         m.rst_ni = 1;
         m.half_i = 1;
     }},
};

MODULE_RULES_MAIN(Model)
