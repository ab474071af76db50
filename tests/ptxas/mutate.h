/* mutate.h - small faults in statements of PTX: what a person or a broken compiler could write.
 *
 * All functions take their decisions from the generator that they are given, so a seed names a
 * mutant. Threads: one for each generator. Texts are GLib's, freed by the caller with g_free(). */
#ifndef TESTS_PTXAS_MUTATE_H
#define TESTS_PTXAS_MUTATE_H

#include <glib.h>
#include <stdint.h>

/* A generator of random numbers; any seed but 0. */
struct dice {
    uint64_t state;
};

/* @return a number below n, which is not 0. */
uint32_t dice_roll(struct dice *d, uint32_t n);

/* The kinds of faults. Those from FAULT_MODULE on change declarations and directives. */
#define FAULTS(X)                           \
    X(TYPE, "type suffix")                  \
    X(DROP_MOD, "modifier dropped")         \
    X(TWICE, "modifier doubled")            \
    X(ADD_MOD, "modifier added")            \
    X(SWAP_MOD, "modifier replaced")        \
    X(REGISTER, "other register")           \
    X(PREDICATE, "predicate for operand")   \
    X(INTEGER, "integer for operand")       \
    X(FLOAT, "float for operand")           \
    X(NOT, "! added or dropped")            \
    X(MINUS, "- added or dropped")          \
    X(NUMBER, "other number")               \
    X(DROP, "operand dropped")              \
    X(ADD, "operand added")                 \
    X(UNDECLARED, "undeclared name")        \
    X(VECTOR, "vector length")              \
    X(ADDRESS, "address brackets")          \
    X(SPACE, "state space")                 \
    X(LABEL, "label for operand")           \
    X(SPECIAL, "special register")          \
    X(SYMBOL, "variable or function")       \
    X(SWAP, "operands exchanged")           \
    X(GUARD, "guard")                       \
    X(SINK, "_ for operand")                \
    X(MEMBER, "element of operand")         \
    X(PAIR, "second result")                \
    X(OPCODE, "other instruction")          \
    X(TEXT, "punctuation")                  \
    X(MODULE, "module: number")             \
    X(MODULE_WORD, "module: word")          \
    X(MODULE_NAME, "module: name")          \
    X(MODULE_TWICE, "module: line doubled") \
    X(MODULE_DROP, "module: line dropped")  \
    X(MODULE_VERSION, "module: version")    \
    X(MODULE_TARGET, "module: target")
#define FAULT_ENUM(name, text) FAULT_##name,
enum fault { FAULTS(FAULT_ENUM) FAULT_COUNT };
#undef FAULT_ENUM

/* What the kind is called. */
const char *fault_text(enum fault f);

/* Puts a fault of this kind into a statement of a kernel (through its semicolon; several in
 * braces). @return the mutant; NULL: there is no place for such a fault, or nothing would change */
char *mutate_statement(struct dice *d, const char *statement, enum fault f);

/* Puts a fault of a FAULT_MODULE kind into the text of a module. @return as above */
char *mutate_module(struct dice *d, const char *text, enum fault f);

/* Declarations that every frame around a mutated statement has, because faults name them. */
extern const char mutate_registers[], mutate_variables[];

#endif
