/* rules_lines.cpp - breaks each rule of rtl/sm/sm_lines.sv. */
#include "Vlines_rules.h"
#include "Vlines_rules___024root.h"
#define MODULE sm_lines
#include "tests/rtl/rules/module_rules.h"

using Model = Vlines_rules;

static const std::vector<rules::Row<Model>> rows = {
    {"LineCame", [](Model &m) { m.act_line_i = 1; }},
    {"LineRoom",
     [](Model &m) {
         REG(written_mem)[0] = 65;
         m.ptr_line_i = 1;
         clock(m);
     }},
};

MODULE_RULES_MAIN(Model)
