/* rules_requests.cpp - breaks each rule of rtl/sm/sm_port.sv. */
#include "Vrequests_rules.h"
#include "Vrequests_rules___024root.h"
#include "core_words.h"
#define MODULE sm_port
#include "tests/rtl/rules/module_rules.h"

using Model = Vrequests_rules;

/* A store of one sector; so many requests are unanswered. */
static void store(Model &m, unsigned unanswered) {
    REG(unanswered_mem)[0] = unanswered;
    m.credits_i = 2;
    clocks(m, 2);
    m.rst_ni = 1;
    m.act_line_i = m.act_send_i = 1;
}

static const std::vector<rules::Row<Model>> rows = {
    {"PortOne",
     [](Model &m) {
         store(m, 0);
         m.act_code_i = 1;
     }},
    {"PortSectors",
     [](Model &m) {
         store(m, 0);
         m.act_send_i = 0;
     }},
    {"PortStore",
     [](Model &m) {
         store(m, 0);
         m.act_op_i = uint64_t(CORE_MEM_STORE) << 59;
     }},
    {"ReplyAwaited",
     [](Model &m) {
         m.rst_ni = 1;
         m.act_answer_i = 1;
     }},
    {"OutstandingBound", [](Model &m) { store(m, 2); }},
};

MODULE_RULES_MAIN(Model)
