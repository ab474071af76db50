/* rules_net_exchange.cpp - breaks each rule of the module through which messages of other network
 * engines come (rtl/l2/net_exchange.sv). */
#include "Vnet_exchange_rules.h"
#include "Vnet_exchange_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vnet_exchange_rules;
#define REG(name) m.rootp->net_exchange__DOT__##name

static const std::vector<rules::Row<Model>> table = {
    {"ExchangeKind", [](Model &m) { REG(valid_q) = 1; }},
    {"ExchangeOffered", [](Model &m) { m.enter_i = 1; }},
    {"ExchangeHeld", [](Model &m) { REG(was_offer) = 1; }},
    {"ExchangeSlice",
     [](Model &m) {
         m.offer_o = 1;
         m.reply_o = 0;
         m.dest_o = 96;
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
