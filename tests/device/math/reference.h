// reference.h - the reference of tests/device/math: results by MPFR, and the error of a result in
// ulp.
//
// Host only; a function takes its operands exactly and gives a result of REFERENCE_BITS bits.
#ifndef HEDDLE_TESTS_DEVICE_MATH_REFERENCE_H
#define HEDDLE_TESTS_DEVICE_MATH_REFERENCE_H

#include <mpfr.h>

enum { REFERENCE_BITS = 120 };

struct reference_operands {
    double value[4];
    bool is_float;
};
typedef void (*mpfr_function)(mpfr_t result, mpfr_t *x, const reference_operands *operands);

// One function for each row, reference_NAME: sets `result` to NAME(x[0], ...), rounded to
// REFERENCE_BITS bits.
#define M1(name, f32, f64) \
    void reference_##name(mpfr_t result, mpfr_t *x, const reference_operands *operands);
#define M2 M1
#define M3 M1
#define M4 M1
#include "device_math.def"
#include "others.def"
#undef M1
#undef M2
#undef M3
#undef M4

// |result - exact| in ulp of the exact value (float or double); 1e30 for a NaN, zero or infinity
// that differs from MPFR's.
double reference_error(mpfr_function function, int arity, const reference_operands *operands,
                       double result);

// Sets MPFR's widest range of exponents; call once, first.
void reference_start();

#endif
