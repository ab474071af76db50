/* isa.h - a kernel "as the target's instruction set has it": what its special operations cost on
 * another compute capability.
 *
 * All GPUs run the same PTX, and most PTX instructions are one machine instruction on each of them.
 * Divisions, roots, transcendental functions, integers of 64 bits and conversions are more, and how
 * many depends on the compute capability (section 4.2 of the paper). tables/sass_expansions.def
 * lists them. Pure functions of their arguments; the table is read-only, threads may share it.
 * Method and limits: docs/projection-instruction-sets.md. */
#ifndef HEDDLE_PROJECT_ISA_H
#define HEDDLE_PROJECT_ISA_H

#include "project/capability.h"
#include "project/profile.h"
#include "project/sass.h"

/* What one special operation of a thread becomes. */
struct isa_expansion {
    const char *form;    /* as in PTX, without operands: "div.rn.f32" */
    unsigned capability; /* 75 is compute capability 7.5 */
    enum sass_way way;
    struct sass_counts counts;
};
/* The table, sorted by form, capability and way. */
extern const struct isa_expansion isa_expansions[];
extern const size_t isa_expansions_count;
/* The ptxas that it was made with ("V13.0.88"). */
extern const char *const isa_expansions_ptxas;

/* @return NULL: the table has no such row. A form without a slow way has a fast one alone. */
const struct isa_expansion *isa_find(const char *form, unsigned capability, enum sass_way way);
/* Whether any capability has the form. */
bool isa_is_special(const char *form);

/* How often a kernel executed a special operation. */
struct isa_execution {
    const char *form; /* borrowed */
    double threads;   /* executions times active lanes */
    double slow;      /* of these, lanes whose operands took the slow way; 0 where unknown */
    double warps;     /* executions of warps; 0: unknown, by the kernel's mean active lanes */
};

/* Heddle's compiler makes one code for all GPUs, after that of compute capability 7.5. This is the
 * source of a kernel that ran on a simulated GPU. */
enum { ISA_HEDDLE = 75 };

/* The rows of a GPU: its compute capability, and for Volta Turing's (7.5), whose arithmetic
 * instructions are the same. HEDDLE_ERR_CONFIG: the table has no such capability. */
heddle_err isa_of(unsigned *capability, const struct capability *gpu, struct heddle_diag *diag);

/* Fills *out: `k` with floating-point, integer and special operations, thread and warp instructions
 * changed by the difference of the expansions on the two capabilities, times the executions. Bytes
 * and time stay. Metrics that are unknown in `k` stay unknown. out->name is that of `k`, borrowed.
 *
 * HEDDLE_ERR_ARGUMENT, with kernel and form in diag: a form that the table lacks for a capability,
 * a form listed with more slow lanes than lanes, or a list that is not this kernel's: a count would
 * become negative. */
heddle_err isa_on_target(struct project_kernel *out, const struct project_kernel *k,
                         const struct isa_execution *list, size_t count, unsigned source,
                         unsigned target, struct heddle_diag *diag);

/* ---- for isa_compile.h ----------------------------------------------------------------------- */

/* Changes *out by the difference of two expansions, times lanes and warps. `halves`: operations of
 * a half-precision instruction. */
void isa_add_difference(struct project_kernel *out, const struct sass_counts *from,
                        const struct sass_counts *to, double threads, double warps, int halves);
/* HEDDLE_ERR_ARGUMENT: a count of *out is below 0 by more than rounding. */
heddle_err isa_check(const struct project_kernel *out, const struct project_kernel *k,
                     struct heddle_diag *diag);
/* Mean active lanes of the kernel's instructions; a full warp where they are unknown. */
double isa_mean_lanes(const struct project_kernel *k);

#endif
