/* rules_reciprocal.cpp - breaks each rule of the reciprocals (rtl/l2/net_reciprocal.sv). */
#include "Vreciprocal_rules.h"
#include "Vreciprocal_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vreciprocal_rules;
#define REG(name) m.rootp->net_reciprocal__DOT__##name

static const std::vector<rules::Row<Model>> table = {
    {"DivideAlone",
     [](Model &m) {
         m.start_i = 1;
         REG(left_q) = 3;
     }},
    {"DivideShort",
     [](Model &m) {
         REG(kind_q) = 2;
         REG(left_q) = 18;
     }},
    {"DivideRest",
     [](Model &m) {
         REG(left_q) = 1;
         REG(rest_q) = REG(by_q) = 3;
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
