/* rules_cause.cpp - breaks each rule of rtl/sm/sm_cause.sv. */
#include "Vcause_rules.h"
#include "Vcause_rules___024root.h"
#define MODULE sm_cause
#include "tests/rtl/rules/module_rules.h"

using Model = Vcause_rules;

static const std::vector<rules::Row<Model>> rows = {
    {"IssueAfterLast",
     [](Model &m) {
         m.upd_issue_i = 1;
         m.upd_at_i = 10;
         m.upd_after_i = 11;
     }},
    {"IssueOrMiss", [](Model &m) { m.upd_issue_i = m.upd_missed_i = 1; }},
};

MODULE_RULES_MAIN(Model)
