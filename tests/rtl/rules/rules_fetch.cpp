/* rules_fetch.cpp - breaks each rule of the message in work (rtl/l2/net_fetch.sv). */
#include <cstring>

#include "Vfetch_rules.h"
#include "Vfetch_rules___024root.h"
#include "core_words.h"
#include "tests/rtl/rules/rules_module.h"

using Model = Vfetch_rules;
#define REG(name) m.rootp->net_fetch__DOT__##name

enum Op { OpRequest, OpFar };

static void copy(Model &m) {
    REG(copy_q) = 1;
    REG(copy_left_q) = 2;
}

static const std::vector<rules::Row<Model>> table = {
    {"CopyLegal",
     [](Model &m) {
         REG(copy_q) = 3;
         REG(copy_left_q) = 1;
     }},
    {"CopyRests",
     [](Model &m) {
         copy(m);
         m.work_i = 1;
     }},
    {"CopyOne",
     [](Model &m) {
         copy(m);
         m.copy_i = 1;
     }},
    {"CopyLeft",
     [](Model &m) {
         copy(m);
         REG(copy_left_q) = 0;
     }},
    {"BackPartitions",
     [](Model &m) {
         m.work_i = 1;
         m.op_i = OpFar;
     }},
    {"NodeWriteAlone", [](Model &m) { m.enter_i = m.write_i = 1; }},
    {"NoteWriteAlone", [](Model &m) { m.note_i = m.mark_i = 1; }},
    {"KindLegal",
     [](Model &m) {
         m.op_i = 0;
         REG(fetched) = 1;
         uint64_t word[2] = {};
         core_request_set_kind(word, 3);
         std::memcpy(&m.word_o[0], word, sizeof word);
     }},
};

int main(int argc, char **argv) {
    return rules::run_module<Model, 4>(table, argc, argv);
}
