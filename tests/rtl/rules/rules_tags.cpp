/* rules_tags.cpp - breaks each rule of the sets (rtl/l2/net_tags.sv). */
#include <cstring>

#include "Vtags_rules.h"
#include "Vtags_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vtags_rules;
#define REG(name) m.rootp->net_tags__DOT__##name

/* act_e */
enum Act { ActServe, ActPass, ActPassed, ActFill, ActDrop, ActWritten };

/* A request whose line lies in way 1 is dealt with. */
static void commit(Model &m, Act act) {
    m.commit_i = 1;
    m.act_i = act;
    m.line_i = 0x101;
    for (unsigned i = 0; i < 16; i++) REG(tags)[i] = 0x100 + i;
    std::memset(&REG(lines)[0], 0, 34);
    rules::set_bits(REG(lines), 17, 4, 15);
    REG(way) = 1;
    REG(hit) = REG(found) = 1;
    REG(no_way) = REG(leaves_line) = REG(cleans) = m.leaves_o = 0;
    REG(set_word) = 0;
    REG(pinned) = 0;
}

/* The same takes a way from another line. */
static void miss(Model &m) {
    commit(m, ActServe);
    m.line_i = 0x201;
    REG(hit) = 0;
}

/* dirty sectors leave */
static void leaves(Model &m, uint8_t full, uint8_t dirty) {
    REG(leaves_line) = m.leaves_o = 1;
    m.out_full_o = full;
    m.out_dirty_o = dirty;
}

static const std::vector<rules::Row<Model>> table = {
    {"DirtyIsThere",
     [](Model &m) {
         commit(m, ActServe);
         rules::set_bits(REG(lines), 3 * 17, 4, 1);
         rules::set_bits(REG(lines), 3 * 17 + 4, 4, 3);
     }},
    {"LineInOneWay",
     [](Model &m) {
         commit(m, ActServe);
         REG(tags)[7] = 0x101;
         rules::set_bits(REG(lines), 7 * 17 + 8, 4, 1);
     }},
    {"HitHasLine",
     [](Model &m) {
         commit(m, ActServe);
         REG(tags)[1] = 0x102;
     }},
    {"LeavesOrCleans",
     [](Model &m) {
         miss(m);
         leaves(m, 1, 1);
         REG(cleans) = 1;
     }},
    {"LeavesOnMiss",
     [](Model &m) {
         commit(m, ActServe);
         leaves(m, 1, 1);
     }},
    {"LeavesMovable",
     [](Model &m) {
         miss(m);
         leaves(m, 1, 1);
         rules::set_bits(REG(lines), 17 + 8, 4, 1);
     }},
    {"CleansOther",
     [](Model &m) {
         commit(m, ActServe);
         REG(cleans) = 1;
         REG(over_way) = 1;
     }},
    {"PinnedStays",
     [](Model &m) {
         miss(m);
         REG(pinned) = 1 << 1;
     }},
    {"PinnedDirty",
     [](Model &m) {
         commit(m, ActServe);
         REG(cleans) = 1;
         REG(over_way) = 3;
         REG(pinned) = 1 << 3;
     }},
    {"OutDirty",
     [](Model &m) {
         miss(m);
         leaves(m, 0, 0);
     }},
    {"OutFull",
     [](Model &m) {
         miss(m);
         leaves(m, 2, 1);
     }},
    {"FetchesBound",
     [](Model &m) {
         commit(m, ActServe);
         REG(set_word) = 9;
     }},
    {"FetchesHeld",
     [](Model &m) {
         commit(m, ActFill);
         REG(fetched) = 1;
     }},
    {"FullIsMiss",
     [](Model &m) {
         commit(m, ActServe);
         REG(no_way) = 1;
     }},
    {"CommitFound",
     [](Model &m) {
         commit(m, ActServe);
         REG(found) = 0;
     }},
    {"ClearAlone",
     [](Model &m) {
         commit(m, ActServe);
         m.flush_unpin_i = 1;
     }},
    {"ClearUnpins", [](Model &m) { m.flush_clear_i = 1; }},
    {"LookAlone", [](Model &m) { m.look_i = m.flush_read_i = 1; }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
