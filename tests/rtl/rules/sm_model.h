/* sm_model.h - the model of the SM engine whose rules are broken, with six SMs, and words of it. */
#ifndef HEDDLE_TESTS_RULES_SM_MODEL_H
#define HEDDLE_TESTS_RULES_SM_MODEL_H

#include <cstring>

#include "Vsm_rules.h"
#include "Vsm_rules___024root.h"
#include "core_words.h"
#include "tests/rtl/rules/rules.h"

using Model = Vsm_rules;
using Rows = std::vector<rules::Row<Model>>;
#define REG(name) m.rootp->sm_engine__DOT__##name
#define VISIT(name) REG(visits__DOT__##name)
#define CONTEXT(name) REG(contexts__DOT__##name)
#define SLOT(name) REG(slots__DOT__##name)
#define PARKED(name) REG(parked__DOT__##name)
#define WINDOW(name) REG(windows__DOT__##name)
#define PASSES(name) REG(passes__DOT__##name)

extern const Rows port_rows, visit_rows, slot_rows;

/* kinds of visits, of sm_types.svh */
enum Kind { KindIssue, KindCount, KindResume, KindWake, KindLaunch, KindInit, KindCode, KindScrub };

/* A field of a word of at most 64 bits, by its lowest bit and its width. */
template <class Word> void put(Word &word, unsigned at, unsigned width, uint64_t value) {
    const uint64_t mask = (width == 64 ? 0 : uint64_t(1) << width) - 1;
    word = static_cast<Word>((uint64_t(word) & ~(mask << at)) | (value & mask) << at);
}

inline void clock(Model &m) {
    m.clk_i = 1;
    m.eval();
    m.clk_i = 0;
    m.eval();
}

/* The SM in a slot. */
inline void slot_sm(Model &m, unsigned slot, unsigned sm) {
    put(SLOT(sm_q), 3 * slot, 3, sm);
}

/* SM 2 is in slot 0, the window ends at 30. */
inline void slot(Model &m) {
    m.idle_o = 0;
    SLOT(used_q) = 1;
    slot_sm(m, 0, 2);
    SLOT(end_q)[0] = 20;
    WINDOW(window_end_q) = 30;
}

/* A beat on the command port, which is taken by the next clock. */
inline void beat(Model &m, uint32_t kind, uint32_t sm) {
    uint64_t word[8] = {};
    core_command_set_kind(word, kind);
    core_command_set_sm(word, sm);
    core_command_set_words(word, 1);
    core_command_set_warps(word, 1);
    std::memcpy(&m.cmd_i[0], word, sizeof word);
    m.cmd_valid_i = 1;
}

#endif
