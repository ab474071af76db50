/* rules_mio.cpp - breaks each rule of rtl/sm/sm_mio.sv. */
#include "Vmio_rules.h"
#include "Vmio_rules___024root.h"
#define MODULE sm_mio
#include "tests/rtl/rules/module_rules.h"

using Model = Vmio_rules;

/* A credit for a sub-core that has issued, sent and had served so many operations. */
static void credit(Model &m, unsigned issued, unsigned sent, unsigned served) {
    m.upd_credit_i = 1;
    REG(upd_counts) = issued << 8 | sent << 4 | served;
}

static const std::vector<rules::Row<Model>> rows = {
    {"QueueBound", [](Model &m) { credit(m, 10, 4, 0); }},
    {"CreditBound", [](Model &m) { credit(m, 5, 5, 0); }},
    {"QueueWaits", [](Model &m) { credit(m, 4, 3, 0); }},
    {"CreditHeld", [](Model &m) { credit(m, 3, 3, 3); }},
    {"QueueNotFull",
     [](Model &m) {
         credit(m, 9, 4, 0);
         m.upd_credit_i = 0;
         m.upd_issue_i = 1;
     }},
    {"ReplayBound",
     [](Model &m) {
         credit(m, 3, 3, 0);
         m.upd_credit_i = 0;
         m.upd_issue_i = 1;
         m.upd_head_i = 10ull << 23 | 1 << 9; /* a Const of 512 cycles */
     }},
};

MODULE_RULES_MAIN(Model)
