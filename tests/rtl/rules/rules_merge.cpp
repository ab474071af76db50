/* rules_merge.cpp - breaks each rule of the module that joins the events of groups
 * (rtl/top/heddle_merge.sv). */
#include "Vmerge_rules.h"
#include "Vmerge_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vmerge_rules;
#define REG(name) m.rootp->heddle_merge__DOT__##name

static const std::vector<rules::Row<Model>> table = {
    {"MergeNetHeld", [](Model &m) { REG(was_net) = 1; }},
    {"MergeSmHeld", [](Model &m) { REG(was_sm) = 2; }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
