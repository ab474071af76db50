/* kernels.h - the rows of forms.def, and kernels that hold one of each: PTX text or CUDA. */
#ifndef HEDDLE_TOOLS_EXPANSIONS_KERNELS_H
#define HEDDLE_TOOLS_EXPANSIONS_KERNELS_H

#include <stdbool.h>
#include <stdio.h>

#include "project/sass.h"

/* One PTX instruction. */
struct form {
    const char *name, *result, *operand; /* types as in PTX */
    unsigned operands, since;            /* `since`: lowest compute capability */
    bool control;                        /* it must come out as `n` instructions of `kind` alone */
    enum sass_kind kind;
    int n;
};
extern const struct form forms[];
extern const unsigned num_forms;

/* A function of CUDA's mathematical library. */
struct function {
    const char *name, *type, *expression;
    unsigned operands;
};
extern const struct function functions[];
extern const unsigned num_functions;

/* Writes a PTX module with a kernel for each form that `capability` has: with_N holds form N,
 * without_N only loads its operands and stores the first. */
void write_ptx(FILE *out, unsigned capability);
/* Writes CUDA with the same two kernels for each function. */
void write_cuda(FILE *out);

#endif
