// Atomic read-modify-write functions (atomicAdd ...). Each returns the old value.
//
// They are relaxed, at device scope; `_block` and `_system` forms have another scope. A row below
// gives C name, C type, and the compiler's builtin with the type that it takes. Pairs of type and
// operation that CUDA lacks have no row, so that using them does not compile.
#ifndef HEDDLE_DEVICE_DEVICE_ATOMICS_H
#define HEDDLE_DEVICE_DEVICE_ATOMICS_H

#include "device_sync.h"

typedef unsigned long long heddle_ull;

#define HEDDLE_ATOMIC_ROWS(ROW)                      \
    ROW(atomicAdd, int, add, i, int)                 \
    ROW(atomicAdd, unsigned, add, i, int)            \
    ROW(atomicAdd, heddle_ull, add, ll, long long)   \
    ROW(atomicAdd, float, add, f, float)             \
    ROW(atomicAdd, double, add, d, double)           \
    ROW(atomicMin, int, min, i, int)                 \
    ROW(atomicMin, unsigned, min, ui, unsigned)      \
    ROW(atomicMin, long long, min, ll, long long)    \
    ROW(atomicMin, heddle_ull, min, ull, heddle_ull) \
    ROW(atomicMax, int, max, i, int)                 \
    ROW(atomicMax, unsigned, max, ui, unsigned)      \
    ROW(atomicMax, long long, max, ll, long long)    \
    ROW(atomicMax, heddle_ull, max, ull, heddle_ull) \
    ROW(atomicAnd, int, and, i, int)                 \
    ROW(atomicAnd, unsigned, and, i, int)            \
    ROW(atomicAnd, heddle_ull, and, ll, long long)   \
    ROW(atomicOr, int, or, i, int)                   \
    ROW(atomicOr, unsigned, or, i, int)              \
    ROW(atomicOr, heddle_ull, or, ll, long long)     \
    ROW(atomicXor, int, xor, i, int)                 \
    ROW(atomicXor, unsigned, xor, i, int)            \
    ROW(atomicXor, heddle_ull, xor, ll, long long)   \
    ROW(atomicExch, int, xchg, i, int)               \
    ROW(atomicExch, unsigned, xchg, i, int)          \
    ROW(atomicExch, heddle_ull, xchg, ll, long long) \
    ROW(atomicInc, unsigned, inc, ui, unsigned)      \
    ROW(atomicDec, unsigned, dec, ui, unsigned)

#define HEDDLE_ATOMIC_FUNCTIONS(name, type, op, suffix, as)                    \
    HEDDLE_DEVICE type name(type *at, type value) {                            \
        return (type)__nvvm_atom_##op##_gen_##suffix((as *)at, (as)value);     \
    }                                                                          \
    HEDDLE_DEVICE type name##_block(type *at, type value) {                    \
        return (type)__nvvm_atom_cta_##op##_gen_##suffix((as *)at, (as)value); \
    }                                                                          \
    HEDDLE_DEVICE type name##_system(type *at, type value) {                   \
        return (type)__nvvm_atom_sys_##op##_gen_##suffix((as *)at, (as)value); \
    }
HEDDLE_ATOMIC_ROWS(HEDDLE_ATOMIC_FUNCTIONS)
#undef HEDDLE_ATOMIC_FUNCTIONS
#undef HEDDLE_ATOMIC_ROWS

// Compare and swap: stores `value` if the memory holds `expected`.
#define HEDDLE_ATOMIC_CAS(type, suffix, as)                                               \
    HEDDLE_DEVICE type atomicCAS(type *at, type expected, type value) {                   \
        return (type)__nvvm_atom_cas_gen_##suffix((as *)at, (as)expected, (as)value);     \
    }                                                                                     \
    HEDDLE_DEVICE type atomicCAS_block(type *at, type expected, type value) {             \
        return (type)__nvvm_atom_cta_cas_gen_##suffix((as *)at, (as)expected, (as)value); \
    }                                                                                     \
    HEDDLE_DEVICE type atomicCAS_system(type *at, type expected, type value) {            \
        return (type)__nvvm_atom_sys_cas_gen_##suffix((as *)at, (as)expected, (as)value); \
    }
HEDDLE_ATOMIC_CAS(int, i, int)
HEDDLE_ATOMIC_CAS(unsigned, i, int)
HEDDLE_ATOMIC_CAS(heddle_ull, ll, long long)
#undef HEDDLE_ATOMIC_CAS

// PTX has no atom.sub: the subtrahend is negated, as NVIDIA's compiler does.
#define HEDDLE_ATOMIC_SUB(type)                                    \
    HEDDLE_DEVICE type atomicSub(type *at, type value) {           \
        return atomicAdd(at, (type)(0u - (unsigned)value));        \
    }                                                              \
    HEDDLE_DEVICE type atomicSub_block(type *at, type value) {     \
        return atomicAdd_block(at, (type)(0u - (unsigned)value));  \
    }                                                              \
    HEDDLE_DEVICE type atomicSub_system(type *at, type value) {    \
        return atomicAdd_system(at, (type)(0u - (unsigned)value)); \
    }
HEDDLE_ATOMIC_SUB(int)
HEDDLE_ATOMIC_SUB(unsigned)
#undef HEDDLE_ATOMIC_SUB

// PTX exchanges 32 bits; a float passes as an integer of the same bits.
#define HEDDLE_ATOMIC_EXCH_FLOAT(name)                 \
    HEDDLE_DEVICE float name(float *at, float value) { \
        int bits;                                      \
        __builtin_memcpy(&bits, &value, sizeof bits);  \
        bits = name((int *)at, bits);                  \
        __builtin_memcpy(&value, &bits, sizeof bits);  \
        return value;                                  \
    }
HEDDLE_ATOMIC_EXCH_FLOAT(atomicExch)
HEDDLE_ATOMIC_EXCH_FLOAT(atomicExch_block)
HEDDLE_ATOMIC_EXCH_FLOAT(atomicExch_system)
#undef HEDDLE_ATOMIC_EXCH_FLOAT

#endif
