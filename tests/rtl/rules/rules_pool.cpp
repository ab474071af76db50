/* rules_pool.cpp - breaks each rule of the pool of nodes (rtl/l2/net_pool.sv). */
#include "Vpool_rules.h"
#include "Vpool_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vpool_rules;
#define REG(name) m.rootp->net_pool__DOT__##name

static const std::vector<rules::Row<Model>> table = {
    {"FreshBound", [](Model &m) { REG(fresh_q) = 257; }},
    {"FreeBound", [](Model &m) { REG(write_q) = REG(fresh_q) + 1; }},
    {"TakeOffered",
     [](Model &m) {
         m.take_i = 1;
         m.ok_o = 0;
     }},
    {"TakeSpare",
     [](Model &m) {
         m.spare_take_i = 1;
         m.spare_ok_o = 0;
     }},
    {"FreeWasUsed",
     [](Model &m) {
         m.free_i = 1;
         m.free_node_i = 200;
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
