/* isa_compile.h - a kernel as the target's instruction set has it, from its PTX and ptxas.
 *
 * Where the kernel's PTX and ptxas are at hand, this replaces the table of isa.h. It assembles the
 * kernel for both compute capabilities and compares the basic blocks that hold special functions,
 * in the order of the code, as the paper does. So it sees what a table of single operations cannot:
 * the constants, moves and guards around an operation. */
#ifndef HEDDLE_PROJECT_ISA_COMPILE_H
#define HEDDLE_PROJECT_ISA_COMPILE_H

#include "project/isa.h"

struct isa_ptx {
    const char *ptxas;  /* path, or NULL: as the shell finds it */
    const char *file;   /* stands in messages */
    const char *text;   /* the module */
    const char *kernel; /* its name in PTX (mangled) */
};

/* How often an instruction of the PTX was executed. */
struct isa_line {
    uint32_t line;         /* of the text, from 1 */
    double threads, warps; /* as in struct isa_execution; warps 0: by the kernel's mean lanes */
};

/* Fills *out like isa_on_target(). Lines that `list` lacks were never executed. A block runs as
 * often as the special operations in it; copies that ptxas makes of a line share its executions.
 *
 * HEDDLE_ERR_IO, HEDDLE_ERR_PTX_UNSUPPORTED: of ptx_assemble(), sass_read() and sass_lines().
 * HEDDLE_ERR_ARGUMENT: the two codes have other blocks with special functions, or the counts are
 * not this kernel's; the table still serves. */
heddle_err isa_compile(struct project_kernel *out, const struct project_kernel *k,
                       const struct isa_ptx *ptx, const struct isa_line *list, size_t count,
                       unsigned source, unsigned target, struct heddle_diag *diag);

/* A kernel's code for several compute capabilities, for many launches. Borrows the texts of the
 * struct isa_ptx. */
struct isa_program;
struct isa_program *isa_program_make(const struct isa_ptx *ptx);
void isa_program_free(struct isa_program *p); /* accepts NULL */
/* Adds the code for a capability, from the module's cubin (ptx_assemble(), with lines). The first
 * one is the source's. Errors are those of isa_compile() but for the counts; the program then lacks
 * the capability. */
heddle_err isa_program_add(struct isa_program *p, unsigned capability, const uint8_t *cubin,
                           size_t size, struct heddle_diag *diag);
bool isa_program_has(const struct isa_program *p, unsigned capability);
/* As isa_compile(), for a capability that the program has. HEDDLE_ERR_ARGUMENT: the counts are not
 * this kernel's. */
heddle_err isa_program_on_target(struct project_kernel *out, const struct project_kernel *k,
                                 const struct isa_program *p, const struct isa_line *list,
                                 size_t count, unsigned target, struct heddle_diag *diag);

#endif
