/* check_type.h - types as PTX's rules of agreement see them: which register, and which number, may
 * stand where an instruction wants a value of a type. Pure functions; any thread. */
#ifndef PTX_CHECK_TYPE_H
#define PTX_CHECK_TYPE_H

#include <stdbool.h>
#include <stdint.h>

#include "ptx/parse/ptx_ast.h"

enum check_class {
    CHECK_NONE, /* no type */
    CHECK_BITS,
    CHECK_INT,    /* signed or unsigned: they agree with each other */
    CHECK_FLOAT,  /* f16, f32, f64 */
    CHECK_BFLOAT, /* formats that have no registers of their own: held in registers of bits */
    CHECK_PRED,
};

/* A type. */
struct check_type {
    uint8_t cls;  /* enum check_class */
    uint8_t bits; /* of a whole value */
    bool packed;  /* f16x2, s16x2, ...: in a 32-bit register */
    bool is_signed;
};

/* The type that a word names; CHECK_NONE if it names none. */
struct check_type check_type_of(ptx_word w);

/* May a register of type `reg` stand for a value of type `want`? `wide`: as the operands of ld, st
 * and cvt, it may be wider. */
bool check_type_agrees(struct check_type want, struct check_type reg, bool wide);

/* May the number stand for a value of type `want`? */
bool check_type_takes(struct check_type want, const struct ptx_const *c);

#endif
