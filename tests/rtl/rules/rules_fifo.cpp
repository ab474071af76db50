/* rules_fifo.cpp - breaks each rule of the queue (rtl/cell/fifo.sv). */
#include "Vfifo_rules.h"
#include "Vfifo_rules___024root.h"
#include "tests/rtl/rules/rules.h"

using Model = Vfifo_rules;

static const std::vector<rules::Row<Model>> rows = {
    {"FifoBound", [](Model &m) { m.rootp->fifo__DOT__count_q = 17; }},
    {"FifoPushRoom",
     [](Model &m) {
         m.rootp->fifo__DOT__count_q = 16;
         m.push_i = 1;
     }},
    {"FifoPopWord", [](Model &m) { m.pop_i = 1; }},
};

static void clock(Model &m) {
    m.clk_i = 1;
    m.eval();
    m.clk_i = 0;
    m.eval();
}

static void rest(Model &m) {
    m.rst_ni = 0;
    clock(m);
    m.rst_ni = 1;
    for (int i = 0; i < 4; i++) clock(m);
}

int main(int argc, char **argv) {
    return rules::run(rows, argc - 1, argv + 1, rest, clock);
}
