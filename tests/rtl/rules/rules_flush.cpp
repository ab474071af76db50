/* rules_flush.cpp - breaks each rule of the flush (rtl/l2/net_flush.sv). */
#include "Vflush_rules.h"
#include "Vflush_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vflush_rules;
#define REG(name) m.rootp->net_flush__DOT__##name

/* flush_e */
enum Flush {
    FlushNone,
    FlushDivide,
    FlushCheck,
    FlushJudge,
    FlushRead,
    FlushWays,
    FlushPick,
    FlushScan
};

/* A flush is in its first set of two slices of four sets, of one instance. */
static void flush(Model &m) {
    REG(state_q) = FlushRead;
    REG(slices_q) = 2;
    m.sets_i = 4;
    m.instances_i = 1;
    REG(slice_q) = REG(set_q) = m.row_o = 0;
    m.global_o = m.instance_i = 0;
    REG(only_q) = 0;
}

static const std::vector<rules::Row<Model>> table = {
    {"FlushStart",
     [](Model &m) {
         m.start_i = 1;
         flush(m);
     }},
    {"FlushSlice",
     [](Model &m) {
         flush(m);
         REG(slice_q) = 2;
     }},
    {"FlushSets",
     [](Model &m) {
         flush(m);
         REG(set_q) = 4;
     }},
    {"FlushRow",
     [](Model &m) {
         flush(m);
         m.row_o = 1;
     }},
    {"FlushGlobal",
     [](Model &m) {
         flush(m);
         m.global_o = 1;
     }},
    {"FlushTold",
     [](Model &m) {
         flush(m);
         REG(state_q) = FlushScan;
         REG(told_q) = 1;
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
