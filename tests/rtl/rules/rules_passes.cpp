/* rules_passes.cpp - breaks each rule of rtl/sm/sm_passes.sv. */
#include "Vpasses_rules.h"
#include "Vpasses_rules___024root.h"
#define MODULE sm_passes
#include "tests/rtl/rules/module_rules.h"

using Model = Vpasses_rules;

/* of sm_types.svh */
enum Pass { PassReply = 2, PassAsk = 3, PassTake = 4, PassLine = 5, PassTell = 11 };

/* A visit to SM 0, which is in slot 0, reaches stage kin; the one before has left MORE to do. The
 * short window ends at 10, and nothing is before that. */
static void visit(Model &m, unsigned more) {
    REG(more_mem)[0] = more;
    m.rst_ni = 1;
    m.room_i = m.pass_i = 1;
    m.kin_end_i = m.kin_look_i = m.kin_fill_i = m.kin_ask_i = 10;
    clocks(m, 5);
}

static const std::vector<rules::Row<Model>> rows = {
    {"PassLegal", [](Model &m) { visit(m, PassTell + 1); }},
    {"MoreLegal",
     [](Model &m) {
         visit(m, 0);
         m.act_more_i = PassLine;
         clocks(m, 6);
     }},
    {"LookInPass", [](Model &m) { visit(m, PassTake); }},
    {"FillInPass", [](Model &m) { visit(m, PassReply); }},
    {"AskInPass", [](Model &m) { visit(m, PassAsk); }},
    {"ScrubInPass",
     [](Model &m) {
         m.rst_ni = 1;
         m.scrub_i = m.pass_i = 1;
     }},
    {"PassBusy",
     [](Model &m) {
         visit(m, 0);
         m.pass_i = 0;
         REG(busy_q) = 0;
         clocks(m, 6);
     }},
};

MODULE_RULES_MAIN(Model)
