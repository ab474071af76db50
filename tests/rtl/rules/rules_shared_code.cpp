/* rules_shared_code.cpp - breaks each rule of rtl/sm/sm_shared_code.sv. */
#include "Vshared_code_rules.h"
#include "Vshared_code_rules___024root.h"
#define MODULE sm_shared_code
#include "tests/rtl/rules/module_rules.h"

using Model = Vshared_code_rules;

/* Stage act has the set of line 0, whose way 0 has got these sectors of a line so far. */
static void set(Model &m, unsigned come, unsigned flights) {
    REG(set_mem)[0][0] = 1 << 15 | come << 11; // sm_code_t
    REG(flights_mem)[0] = flights;
    m.mis_reply_i = 1;
    clocks(m, 3);
    m.act_reply_i = 1;
}

static const std::vector<rules::Row<Model>> rows = {
    {"CodeFlight", [](Model &m) { set(m, 1, 0); }},
    {"CodeWay", [](Model &m) { set(m, 15, 1); }},
    {"CodeSectors",
     [](Model &m) {
         set(m, 1, 1);
         m.act_come_i = 1;
     }},
    {"AskLeft", [](Model &m) { m.ptr_first_i = 1; }},
    {"AskLine", [](Model &m) { m.act_ask_i = 1; }},
};

MODULE_RULES_MAIN(Model)
