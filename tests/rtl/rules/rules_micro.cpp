/* rules_micro.cpp - breaks each rule of rtl/sm/sm_micro.sv. */
#include "Vmicro_rules.h"
#include "Vmicro_rules___024root.h"
#define MODULE sm_micro
#include "tests/rtl/rules/module_rules.h"

using Model = Vmicro_rules;

static const std::vector<rules::Row<Model>> rows = {
    {"MicroOne",
     [](Model &m) {
         m.rst_ni = 1;
         m.act_count_i = m.act_come_i = 1;
     }},
};

MODULE_RULES_MAIN(Model)
