/* rules_serve.cpp - breaks each rule of what is done with a message (rtl/l2/net_serve.sv). */
#include <cstring>

#include "Vserve_rules.h"
#include "Vserve_rules___024root.h"
#include "core_words.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vserve_rules;
#define REG(name) m.rootp->net_serve__DOT__##name

enum Op { OpRequest, OpFar, OpFill, OpBack, OpCopy, OpDrop };            /* slice_op_e */
enum Act { ActServe, ActPass, ActPassed, ActFill, ActDrop, ActWritten }; /* act_e */
enum State { ServeAct, ServeTell, ServeWalk };                           /* serve_e */

/* A request of one sector is found; its events let it wait. */
static void found(Model &m, Op op, Act act) {
    m.work_i = m.found_i = m.runs_i = 1;
    m.op_i = op;
    m.act_i = act;
    m.hit_i = 1;
    m.entries_i = 1;
    m.entries_max_i = 4;
    uint64_t word[2] = {};
    core_request_set_sectors(word, 1);
    std::memcpy(&m.word_i[0], word, sizeof word);
    REG(valid) = 1;
    m.eval();
}

static const std::vector<rules::Row<Model>> table = {
    {"ServeLegal", [](Model &m) { REG(state_q) = 3; }},
    {"QuietKept",
     [](Model &m) {
         m.events_ready_i = m.port_ready_i = m.spare_ok_i = 1;
         found(m, OpRequest, ActServe);
         m.runs_i = 0;
     }},
    {"TellRequest",
     [](Model &m) {
         found(m, OpFill, ActFill);
         REG(state_q) = ServeTell;
     }},
    {"WalkComes",
     [](Model &m) {
         found(m, OpRequest, ActServe);
         REG(state_q) = ServeWalk;
     }},
    {"LastWalks", [](Model &m) { m.last_i = 1; }},
    {"ActInWork",
     [](Model &m) {
         found(m, OpRequest, ActServe);
         m.work_i = 0;
     }},
    {"EntriesBound",
     [](Model &m) {
         found(m, OpRequest, ActServe);
         m.entries_i = 5;
     }},
    {"EntriesHeld",
     [](Model &m) {
         found(m, OpFill, ActFill);
         m.entries_i = 0;
     }},
    {"SectorsWanted",
     [](Model &m) {
         found(m, OpRequest, ActServe);
         std::memset(&m.word_i[0], 0, 16);
     }},
    {"FillHits",
     [](Model &m) {
         found(m, OpFill, ActFill);
         m.hit_i = 0;
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
