/* sass.h - NVIDIA's machine code, as far as projection counts it: what the instructions of a kernel
 * are, and which of them its shortest and its longest way through run.
 *
 * Reads cubins of compute capability 7.5 to 10.0 (instructions of 16 bytes). Operations:
 * tables/sass_opcodes.def. Pure functions of their arguments. */
#ifndef HEDDLE_PROJECT_SASS_H
#define HEDDLE_PROJECT_SASS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"

/* Columns of tables/sass_expansions.def. */
enum sass_kind {
    SASS_FP16_ADD,
    SASS_FP16_MUL,
    SASS_FP16_FMA,
    SASS_FP32_ADD,
    SASS_FP32_MUL,
    SASS_FP32_FMA,
    SASS_FP64_ADD,
    SASS_FP64_MUL,
    SASS_FP64_FMA,
    SASS_MUFU,
    SASS_INTEGER,
    SASS_OTHER,
    SASS_KINDS,
    SASS_NOTHING = SASS_KINDS,
    SASS_UNLISTED, /* tables/sass_opcodes.def lacks it: counting it is an error */
};
/* "fp32_fma", "other" ... */
const char *sass_kind_name(enum sass_kind kind);

/* Where an instruction goes on. */
enum sass_flow {
    SASS_NEXT,
    SASS_BRANCH,
    SASS_CALL,
    SASS_RETURN,
    SASS_EXIT,
    SASS_UNKNOWN, /* a branch to a register: sass_read() refuses it */
};

/* A decoded machine instruction. */
struct sass_instruction {
    uint16_t opcode; /* bits 0 to 8 */
    uint8_t kind;    /* enum sass_kind; SASS_NOTHING: padding, never issued */
    uint8_t flow;    /* enum sass_flow */
    bool predicated; /* a guard decides whether lanes run it */
    uint32_t target; /* of SASS_BRANCH and SASS_CALL: number of the instruction */
};

/* A kernel with the subroutines behind it. */
struct sass_code {
    struct sass_instruction *at; /* owned */
    uint32_t count;
};

/* Instructions by kind. */
struct sass_counts {
    int32_t of[SASS_KINDS];
};

/* Reads kernel `name` of a cubin. HEDDLE_ERR_IO: no such kernel, or a damaged file;
 * HEDDLE_ERR_PTX_UNSUPPORTED: a branch to a register, or out of the kernel. On success *out is
 * freed with sass_free(). */
heddle_err sass_read(struct sass_code *out, const uint8_t *cubin, size_t size, const char *name,
                     struct heddle_diag *diag);
void sass_free(struct sass_code *code);

/* Adds instruction `i` to *counts as its kind, or as SASS_OTHER. HEDDLE_ERR_PTX_UNSUPPORTED, with
 * its place in diag: SASS_UNLISTED. */
heddle_err sass_add(struct sass_counts *counts, const struct sass_code *code, uint32_t i,
                    bool as_other, struct heddle_diag *diag);

enum sass_way {
    /* The way with the fewest calls, of these the one with the fewest instructions. Guarded
     * instructions other than branches issue there but leave their lanes alone, so they count as
     * SASS_OTHER: ptxas guards the cases that are rare. */
    SASS_FAST,
    /* The way with the most instructions, each loop run once. Guards are taken as true. */
    SASS_SLOW,
};

/* Counts the instructions of a way from the kernel's first instruction to its exit.
 * HEDDLE_ERR_PTX_UNSUPPORTED: no way leads to an exit, or the way runs a SASS_UNLISTED. */
heddle_err sass_count(const struct sass_code *code, enum sass_way way, struct sass_counts *out,
                      struct heddle_diag *diag);

#endif
