/* check_gate.c - looks up the gates of instructions, special registers and targets.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/check/check_gate.h"

#include <string.h>

/* Rows of instructions. `but`: a modifier that lifts the row; NULL: none. */
static const struct {
    uint32_t op;
    const char *modifiers, *but;
    uint32_t version, target;
} gates[] = {
#define GATE(word, modifiers, version, target) {PTX_W_##word, modifiers, NULL, version, target},
#define UNTIL(word, modifiers, but, version, target) \
    {PTX_W_##word, modifiers, but, version, target},
#include "tables/ptx_gates.def"
};

static const struct {
    uint32_t op, number, version, target;
} operands[] = {
#define OPERANDS(word, number, version, target) {PTX_W_##word, number, version, target},
#include "tables/ptx_gates.def"
};

static const struct {
    const char *name;
    uint32_t version, target;
} registers[] = {
#define REGISTER(name, version, target) {name, version, target},
#include "tables/ptx_gates.def"
};

static const struct {
    uint32_t target, version;
} targets[] = {
#define TARGET(target, version) {target, version},
#include "tables/ptx_gates.def"
};

struct check_gate gate_of_type(ptx_word type) {
    switch (type) {
#define TYPE(word, v, t) \
    case PTX_W_##word:   \
        return (struct check_gate){.version = (v), .target = (t)};
#include "tables/ptx_gates.def"
    default: return (struct check_gate){0};
    }
}

/* Is text[0..n) among the modifiers? */
static bool has(const struct ptx_words *words, const struct ptx_inst *in, const char *text,
                size_t n) {
    for (uint32_t i = 0; i < in->n_mod; i++) {
        const struct ptx_word_entry *e = &words->entry[in->mod[i]];
        if (e->len == n && !memcmp(e->text, text, n)) return true;
    }
    return false;
}

/* Are all of these words, separated by spaces, among the modifiers? */
static bool has_all(const struct ptx_words *words, const struct ptx_inst *in, const char *text) {
    while (*text) {
        size_t n = strcspn(text, " ");
        if (!has(words, in, text, n)) return false;
        text += n + (text[n] == ' ');
    }
    return true;
}

static uint32_t larger(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

struct check_gate gate_of(const struct ptx_words *words, const struct ptx_inst *in) {
    struct check_gate g = {0};
    for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
        if (gates[i].op != in->op || !has_all(words, in, gates[i].modifiers)) continue;
        if (!gates[i].but) {
            g.version = larger(g.version, gates[i].version);
            g.target = larger(g.target, gates[i].target);
        } else if (!has(words, in, gates[i].but, strlen(gates[i].but))) {
            g.until_version = gates[i].version;
            g.until_target = gates[i].target;
        }
    }
    return g;
}

void gate_of_operands(struct check_gate *g, const struct ptx_inst *in) {
    for (size_t i = 0; i < sizeof operands / sizeof *operands; i++)
        if (operands[i].op == in->op && operands[i].number == in->n_opd)
            *g = (struct check_gate){.version = operands[i].version, .target = operands[i].target};
}

struct check_gate gate_of_register(const char *name) {
    for (size_t i = 0; i < sizeof registers / sizeof *registers; i++)
        if (!strcmp(registers[i].name, name))
            return (struct check_gate){.version = registers[i].version,
                                       .target = registers[i].target};
    return (struct check_gate){0};
}

uint32_t gate_target_version(uint32_t sm, char suffix) {
    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++)
        if (targets[i].target == sm)
            return suffix == 'f' ? 88 : suffix && sm == 90 ? 80 : targets[i].version;
    return 0;
}

uint32_t gate_newest_target(void) {
    return targets[sizeof targets / sizeof *targets - 1].target;
}
