/* rules_l1.cpp - breaks each rule of rtl/sm/sm_l1.sv. */
#include "Vl1_rules.h"
#include "Vl1_rules___024root.h"
#define MODULE sm_l1
#include "tests/rtl/rules/module_rules.h"

using Model = Vl1_rules;

/* Line 0 of SM 0 is in two ways. */
static void twice(Model &m) {
    const uint32_t tag = 1u << 29 | 0xf << 25; // of epoch 1, all sectors
    REG(tag_mem)[0][0] = REG(tag_mem)[0][3] = tag;
    REG(size_mem)[0] = 1u << 12;
    m.visit_i = 1;
    m.ways_i = 8;
    clocks(m, 2);
    m.rst_ni = 1;
    m.act_fill_i = 1;
}

static const std::vector<rules::Row<Model>> rows = {
    {"EpochUsed",
     [](Model &m) {
         REG(size_mem)[0] = 0;
         m.visit_i = 1;
         clocks(m, 2);
         m.rst_ni = 1;
         m.act_fill_i = 1;
     }},
    {"FlushNoLoad",
     [](Model &m) {
         REG(size_mem)[0] = 1u << 12;
         m.visit_i = 1;
         clocks(m, 2);
         m.rst_ni = 1;
         m.flush_i = m.act_fill_i = 1;
     }},
    {"LineInOneWay", [](Model &m) { twice(m); }},
    {"FlushAlone",
     [](Model &m) {
         REG(size_mem)[0] = 1u << 12;
         m.visit_i = 1;
         clocks(m, 2);
         m.rst_ni = 1;
         REG(flush_q) = 1;
         m.act_fill_i = 1;
     }},
    {"TagWriteOne", [](Model &m) { twice(m); }},
};

MODULE_RULES_MAIN(Model)
