/* rules_warp.cpp - breaks each rule of rtl/sm/sm_warp.sv. */
#include "Vwarp_rules.h"
#include "Vwarp_rules___024root.h"
#define MODULE sm_warp
#include "tests/rtl/rules/module_rules.h"

using Model = Vwarp_rules;

/* board_t */
constexpr uint64_t live = 1ull << 58, waiting = 1ull << 57, has = 1ull << 56, hold = 1ull << 55;

/* A visit at 10 to a warp that is alive and has an instruction. */
static void visit(Model &m, Kind kind) {
    m.upd_valid_i = 1;
    m.upd_kind_i = kind;
    m.upd_at_i = 10;
    m.upd_written_i = 0;
    REG(upd_board) = live | has;
    REG(upd_stall) = 5;
}

static const std::vector<rules::Row<Model>> rows = {
    {"HeadOne",
     [](Model &m) {
         visit(m, KindCount);
         REG(upd_board) |= hold;
     }},
    {"WaitsAlive",
     [](Model &m) {
         visit(m, KindCount);
         REG(upd_board) = waiting;
     }},
    {"PacketRoom",
     [](Model &m) {
         visit(m, KindCount);
         m.upd_written_i = 65;
     }},
    {"ResumeWaits", [](Model &m) { visit(m, KindResume); }},
    {"LaunchDead", [](Model &m) { visit(m, KindLaunch); }},
    {"IssueAlive",
     [](Model &m) {
         visit(m, KindIssue);
         REG(upd_board) |= waiting;
     }},
    {"IssueStalled",
     [](Model &m) {
         visit(m, KindIssue);
         REG(upd_stall) = 11;
     }},
};

MODULE_RULES_MAIN(Model)
