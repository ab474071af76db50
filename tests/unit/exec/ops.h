/* ops.h - tests of single operations. A case is an instruction and a reference in plain C that
 * shares no code with the executor. A case runs on many lanes with edge values and random ones,
 * with registers, immediates and constants as sources, with modifiers, and under a guard. The files
 * ops_FAMILY.c hold the references and cases: a function there computes the results of one lane in
 * `struct ref`. */
#ifndef HEDDLE_TESTS_EXEC_OPS_H
#define HEDDLE_TESTS_EXEC_OPS_H

#include "assemble.h"

/* Inputs and outputs of the reference, for one lane. Sources are 64 bits wide where the operation's
 * are. */
struct ref {
    const struct mir_inst *inst;
    uint64_t a, b, c; /* after modifiers */
    uint64_t raw[3];  /* before */
    bool p, q, r;     /* psrc */
    uint32_t preds;   /* P0..P6 */
    unsigned lane;
    uint32_t mask;             /* lanes that execute it */
    const struct ref *all;     /* [32] */
    const uint32_t (*reg)[32]; /* [R0..R15][lane] before the instruction */
    uint32_t d[4];             /* out: result words, beginning as the destination's old value */
    bool P, Q;                 /* out: predicates, beginning as their old values */
    uint32_t preds_out;        /* out: R2P */
    bool skip;                 /* out: result undefined, not compared */
    double near, within;       /* out, when within > 0: the f32 result must be that close to near */
};

enum value_kind { VALUES_INT, VALUES_F32, VALUES_F64, VALUES_F16, VALUES_BF16, VALUES_SMALL };

struct op_case {
    const char *name;
    struct mir_inst inst;
    void (*reference)(struct ref *x);
    enum value_kind kind;
    uint8_t mods;  /* source modifiers that may be put on */
    uint8_t wide;  /* bit i: source i is 64 bit */
    uint8_t fixed; /* bit i: source i stays as the case has it */
};

struct op_case_list {
    const struct op_case *cases;
    unsigned count;
};
extern const struct op_case_list integer_cases, float_cases, double_cases, half_cases,
    convert_cases, warp_cases, matrix_cases;

/* Operations that a test program covers instead of a case. */
struct op_program {
    uint16_t op;
    void (*test)(void);
};
extern const struct op_program control_programs[], memory_programs[], atomic_programs[],
    order_programs[], system_programs[], tile_programs[], texture_programs[];
extern const unsigned num_control_programs, num_memory_programs, num_atomic_programs,
    num_order_programs, num_system_programs, num_tile_programs, num_texture_programs;

/* Runs one case; fails the test with the difference. */
void run_op_case(const struct op_case *c);
void run_op_cases(const struct op_case_list *list);

/* Fields that most cases set: sources, results and predicates. */
#define CASE_SRC \
    { REG(0), REG(2), REG(4) }
#define CASE(o, ...) \
    INST(o, .dst = 8, .pdst = {4, 5}, .psrc = {1, 2, 3}, .src = CASE_SRC, __VA_ARGS__)

#endif
