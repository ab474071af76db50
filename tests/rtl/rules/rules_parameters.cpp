/* rules_parameters.cpp - breaks each rule of the parameters (rtl/l2/net_parameters.sv). */
#include "Vparameters_rules.h"
#include "Vparameters_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vparameters_rules;
#define REG(name) m.rootp->net_parameters__DOT__##name

static const std::vector<rules::Row<Model>> table = {
    {"SetAlone", [](Model &m) { m.set_i = m.divide_busy_i = 1; }},
    {"SlicesInRange", [](Model &m) { m.num_slices_o = 97; }},
    {"SlicesFactors", [](Model &m) { m.odd_o ^= 2; }},
    {"ScrubPeriod", [](Model &m) { m.scrub_period_o = 0; }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
