/* rules_counters.cpp - breaks each rule of rtl/sm/sm_counters.sv. */
#include "Vcounters_rules.h"
#include "Vcounters_rules___024root.h"
#define MODULE sm_counters
#include "tests/rtl/rules/module_rules.h"

using Model = Vcounters_rules;

/* Behind the reset, which clears the causes in 16 clocks. */
static void start(Model &m) {
    m.rst_ni = 1;
    clocks(m, 20);
}

static const std::vector<rules::Row<Model>> rows = {
    {"HitsOfSectors",
     [](Model &m) {
         start(m);
         m.l1_sectors_i = 5;
         m.l1_hits_i = 2;
     }},
    {"HitsBound",
     [](Model &m) {
         start(m);
         REG(l1_hits_q) = 1;
     }},
    {"GapCycles",
     [](Model &m) {
         start(m);
         m.gap_i = 1;
     }},
    {"GapAfterClearing",
     [](Model &m) {
         m.rst_ni = 1;
         m.gap_i = m.gap_cycles_i = 1;
     }},
};

MODULE_RULES_MAIN(Model)
