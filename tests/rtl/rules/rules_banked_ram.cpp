/* rules_banked_ram.cpp - breaks each rule of rtl/cell/banked_ram.sv. */
#include "Vbanked_ram_rules.h"
#include "Vbanked_ram_rules___024root.h"
#define MODULE banked_ram
#include "tests/rtl/rules/module_rules.h"

using Model = Vbanked_ram_rules;

/* Two words at places of the same bank; the third is not written. */
static void meet(Model &m, unsigned write) {
    m.we_i = write;
    m.at0_i = 1;
    m.at1_i = 5;
    m.at2_i = 9;
}

static const std::vector<rules::Row<Model>> rows = {
    {"BanksApart01", [](Model &m) { meet(m, 3); }},
    {"BanksApart02", [](Model &m) { meet(m, 5); }},
    {"BanksApart12", [](Model &m) { meet(m, 6); }},
};

MODULE_RULES_MAIN(Model)
