/* rules_params.cpp - breaks each rule of the SM engine's parameters (rtl/sm/sm_params.sv). */
#include "Vparams_rules.h"
#include "Vparams_rules___024root.h"
#define MODULE sm_params
#include "tests/rtl/rules/module_rules.h"

using Model = Vparams_rules;

static const std::vector<rules::Row<Model>> rows = {
    {"ScrubPeriod",
     [](Model &m) {
         m.rst_ni = 1;
         REG(scrub_period_o) = 0;
     }},
};

MODULE_RULES_MAIN(Model)
