/* rules_mshr.cpp - breaks each rule of rtl/sm/sm_mshr.sv. */
#include "Vmshr_rules.h"
#include "Vmshr_rules___024root.h"
#define MODULE sm_mshr
#include "tests/rtl/rules/module_rules.h"

using Model = Vmshr_rules;

/* An MSHR of set 0 of SM 0 that is valid: mshr_t. */
static void mshr(Model &m, unsigned entry, unsigned tag, unsigned wanted, unsigned come,
                 unsigned waiters) {
    rules::set_bits(REG(mshr_mem)[0], 48 * entry, 48,
                    1ull << 47 | uint64_t(tag) << 21 | wanted << 17 | come << 13 | waiters << 9);
}

/* Stage act has the set. */
static void look(Model &m) {
    clocks(m, 5);
}

static const std::vector<rules::Row<Model>> rows = {
    {"MshrWaits",
     [](Model &m) {
         mshr(m, 0, 0, 1, 0, 0);
         look(m);
         m.act_reply_i = m.act_come_i = 1;
     }},
    {"MshrOpen",
     [](Model &m) {
         mshr(m, 0, 0, 1, 1, 1);
         look(m);
         m.act_reply_i = m.act_come_i = 1;
     }},
    {"KeepRoom",
     [](Model &m) {
         m.mis_line_i = 1;
         for (int n = 0; n < 4; n++) mshr(m, n, 1, 1, 0, 1); // of another line
         look(m);
         m.act_keep_i = 1;
     }},
    {"FillMshr", [](Model &m) { m.act_reply_i = 1; }},
    {"FillWanted",
     [](Model &m) {
         mshr(m, 0, 0, 1, 0, 1);
         look(m);
         m.act_reply_i = 1;
         m.act_come_i = 2;
     }},
    {"WakeInRange",
     [](Model &m) {
         mshr(m, 0, 0, 1, 0, 2);
         REG(wake_mem)[0] = 1 << 3 | 2; // MSHR 0 of set 0, its third operation
         m.mis_wake_i = 1;
         look(m);
         m.act_wake_i = 1;
     }},
};

MODULE_RULES_MAIN(Model)
