/* rules_row.cpp - breaks each rule of rtl/sm/sm_row.sv. */
#include "Vrow_rules.h"
#include "Vrow_rules___024root.h"
#define MODULE sm_row
#include "tests/rtl/rules/module_rules.h"

using Model = Vrow_rules;

static const std::vector<rules::Row<Model>> rows = {
    {"IssuePipeFree",
     [](Model &m) {
         m.upd_issue_i = 1;
         m.upd_pipe_i = 0;
         m.upd_at_i = 10;
         REG(upd_free)[0] = 11;
     }},
};

MODULE_RULES_MAIN(Model)
