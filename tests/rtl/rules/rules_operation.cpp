/* rules_operation.cpp - breaks each rule of rtl/sm/sm_operation.sv. */
#include "Voperation_rules.h"
#include "Voperation_rules___024root.h"
#include "core_words.h"
#define MODULE sm_operation
#include "tests/rtl/rules/module_rules.h"

using Model = Voperation_rules;

/* work_t, mem_op_t */
constexpr uint64_t active = 1ull << 30, stalled = 1ull << 29, index_1 = 1ull << 20;
constexpr uint64_t load_of_2 = uint64_t(CORE_MEM_LOAD) << 59 | 2ull << 40;

/* SM 0 works on its second line of two; stage act has that. */
static void work(Model &m, uint64_t word) {
    REG(work_mem)[0] = word;
    REG(op_mem)[0] = load_of_2;
    clocks(m, 10);
}

static const std::vector<rules::Row<Model>> rows = {
    {"LineActive",
     [](Model &m) {
         work(m, index_1);
         m.act_line_i = 1;
     }},
    {"LineIndex",
     [](Model &m) {
         work(m, active | 2 * index_1);
         m.act_line_i = 1;
     }},
    {"TakeWhenFree",
     [](Model &m) {
         work(m, active | index_1);
         m.act_take_i = 1;
     }},
    {"StallActive",
     [](Model &m) {
         work(m, active | stalled | index_1);
         m.act_stall_i = 1;
     }},
    {"EffectOne",
     [](Model &m) {
         work(m, active | index_1);
         m.act_line_i = m.act_end_i = 1;
     }},
};

MODULE_RULES_MAIN(Model)
