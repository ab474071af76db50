/* rules_ingress.cpp - breaks each rule of the ring of requests (rtl/l2/net_ingress.sv). */
#include "Vingress_rules.h"
#include "Vingress_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vingress_rules;
#define REG(name) m.rootp->net_ingress__DOT__##name

static const std::vector<rules::Row<Model>> table = {
    {"RequestHeld", [](Model &m) { REG(was_req) = 1; }},
    {"RequestStable",
     [](Model &m) {
         REG(was_req) = m.req_valid_i = 1;
         REG(was_req_word)[3] = m.req_i[3] + 1;
     }},
    {"RequestRoom",
     [](Model &m) {
         m.req_ready_o = 1;
         REG(write_q) = REG(low_q) = REG(quotient_q) = REG(line_q) = REG(slice_q) = 8;
         REG(place_q) = 8;
         REG(read_q) = 0;
     }},
    {"RingBound", [](Model &m) { REG(write_q) = (REG(read_q) + 9) & 15; }},
    {"RingPlace", [](Model &m) { REG(place_q) = (REG(read_q) - 1) & 15; }},
    {"RingSlice", [](Model &m) { REG(slice_q) = (REG(place_q) - 1) & 15; }},
    {"RingLine", [](Model &m) { REG(line_q) = (REG(slice_q) - 1) & 15; }},
    {"RingQuotient", [](Model &m) { REG(quotient_q) = (REG(line_q) - 1) & 15; }},
    {"RingLow", [](Model &m) { REG(low_q) = (REG(quotient_q) - 1) & 15; }},
    {"IngressOffered", [](Model &m) { m.insert_i = 1; }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
