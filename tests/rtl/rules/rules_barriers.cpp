/* rules_barriers.cpp - breaks each rule of rtl/sm/sm_barriers.sv. */
#include "Vbarriers_rules.h"
#include "Vbarriers_rules___024root.h"
#define MODULE sm_barriers
#include "tests/rtl/rules/module_rules.h"

using Model = Vbarriers_rules;

/* The CTA in slot 0 of SM 0 has warps, and barrier 0 has arrivals if it is in use; stage act has
 * both: cta_state_t, group_t. */
static void cta(Model &m, unsigned live, unsigned used, unsigned count) {
    REG(cta_mem)[0] = uint64_t(live) << 48 | used;
    REG(group_mem)[0] = uint64_t(count) << 32;
    clocks(m, 11);
}

/* A warp ends there; so many ends were not looked at before. */
static void exits(Model &m, unsigned ends) {
    REG(exits_mem)[0] = ends;
    m.act_exit_i = 1;
}

static const std::vector<rules::Row<Model>> rows = {
    {"ExitBound",
     [](Model &m) {
         cta(m, 1, 0, 0);
         exits(m, 65);
     }},
    {"ExitThere",
     [](Model &m) {
         cta(m, 1, 0, 0);
         exits(m, 0);
     }},
    {"ExitAlive",
     [](Model &m) {
         cta(m, 0, 0, 0);
         exits(m, 1);
     }},
    {"BarrierUsed",
     [](Model &m) {
         cta(m, 1, 1, 0);
         m.act_bars_i = 1;
     }},
    {"BarrierAlive",
     [](Model &m) {
         cta(m, 0, 0, 0);
         m.act_arrive_i = 1;
     }},
    {"OpenSomeone", [](Model &m) { m.act_open_i = 1; }},
    {"CtaWriteOne",
     [](Model &m) {
         cta(m, 1, 0, 0);
         exits(m, 1);
         m.launch_i = 1;
     }},
};

MODULE_RULES_MAIN(Model)
