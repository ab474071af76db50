/* rules_reply.cpp - breaks each rule of the replies' queues (rtl/l2/net_reply.sv). */
#include "Vreply_rules.h"
#include "Vreply_rules___024root.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vreply_rules;
#define REG(name) m.rootp->net_reply__DOT__##name

static const std::vector<rules::Row<Model>> table = {
    {"PopShown", [](Model &m) { m.reply_pop_i = 1; }},
    {"PopReplied", [](Model &m) { m.reply_pop_i = 1; }},
    {"PopNoDelivery", [](Model &m) { m.reply_pop_i = m.deliver_i = 1; }},
    {"DeliverReady",
     [](Model &m) {
         m.deliver_i = 1;
         REG(init_q) = 1;
     }},
    {"ShownIsHead",
     [](Model &m) {
         REG(shown_valid_mem)[m.reply_sm_i] = 1;
     }},
    {"ReadyIsSecond",
     [](Model &m) {
         /* list_t with NodeBits of 8: head 3, tail 4 */
         m.reply_sm_i = 7;
         REG(sm_mem)[7] = 1u << 16 | 3 << 8 | 4;
         REG(shown_valid_mem)[7] = 1;
         REG(next_mem)[3] = 4;
         REG(ready_node_mem)[7] = 5;
     }},
    {"PopsApart",
     [](Model &m) {
         REG(read_valid_q) = 1; // of the pop before
         REG(read_sm_q) = 2;
         m.reply_pop_i = 1;
         m.reply_pop_sm_i = 2;
     }},
    {"PopStepsPhase",
     [](Model &m) {
         m.deliver_i = 1;
         REG(read_valid_q) = 1;
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 300>(table, argc, argv);
}
