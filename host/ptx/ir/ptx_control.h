/* ptx_control.h - Volta's control information: stall counts and dependency barriers, computed
 * (ptx_control.c) and checked (ptx_check.c) on finished MIR code. */
#ifndef PTX_CONTROL_H
#define PTX_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "mir/mir.h"

/* Latencies in cycles that the stall counts must bridge. */
struct ptx_latency {
    uint8_t of_class[MIR_CLASS_COUNT]; /* issue to result of a fixed-latency class */
    uint8_t interval[MIR_CLASS_COUNT]; /* of its pipe, for each instruction; 0: not known */
    uint8_t guard;                     /* comparison to a guard or branch on its predicate */
    /* Added for what reads a register of the integer or FMA pipe: in the other of the two, in SFU's
     * queue, in the memory pipe. */
    uint8_t crossing, to_sfu, to_memory;
};

/* Registers and predicates as bit sets. */
struct ptx_regs {
    uint64_t reg[4];
    uint8_t pred;
};
/* The registers and predicates that an instruction reads, and writes. */
void ptx_reads(const struct mir_inst *in, struct ptx_regs *out);
void ptx_writes(const struct mir_inst *in, struct ptx_regs *out);

/* @return the result is ready only when a dependency barrier says so. This includes results that
 * take longer than an instruction can stall. */
bool ptx_is_variable(const struct mir_inst *in, const struct ptx_latency *l);
/* @return the instruction is a matrix product. */
static inline bool ptx_is_product(const struct mir_inst *in) {
    return mir_class_pipe(mir_op_class((mir_op)in->op)) == MIR_PIPE_TENSOR;
}
/* @return the operation is performed by the timing model and has a result. Not a clock, which is
 * read at issue. */
bool ptx_is_pending(const struct mir_inst *in);
/* @return the sources are read after issue, at a time that only a dependency barrier tells. */
bool ptx_reads_late(const struct mir_inst *in);
/* Cycles from issue until the results may be read. */
unsigned ptx_result_latency(const struct mir_inst *in, const struct ptx_latency *l);
/* Pipes by how long their instructions wait for a register of the integer or FMA pipe. */
enum ptx_side {
    PTX_SIDE_INT,
    PTX_SIDE_FMA,
    PTX_SIDE_SFU,
    PTX_SIDE_MEMORY,
    PTX_SIDE_OTHER,
    PTX_SIDES
};
enum ptx_side ptx_side_of(mir_class c);
/* Cycles added to the latency of a register that one side writes and another one reads. */
unsigned ptx_way(const struct ptx_latency *l, enum ptx_side from, enum ptx_side to);

/* The flow of control over an instruction array. */
struct ptx_flow {
    uint32_t n_blocks;
    uint32_t *begin;     /* [n_blocks + 1] first instruction of each block; the last entry is n */
    uint32_t (*succ)[2]; /* [n_blocks] blocks that may follow, UINT32_MAX = none */
    uint32_t *block_of;  /* [n] block of each instruction */
};
/* Fills `f`, in arena `a`. */
void ptx_flow_build(struct ptx_flow *f, const struct mir_inst *code, uint32_t n, struct arena *a);

/* Overwrites stall, yield, wbar, rbar, wait and reuse of code[0..n). */
void ptx_control(struct mir_inst *code, uint32_t n, const struct ptx_latency *latency);

/* Verifies on every path that no instruction can issue before its operands are ready, and that no
 * register is overwritten before it was read. It does not share ptx_control's method. @return true
 * if so; else `why` (`size` bytes) names instruction and register */
bool ptx_control_check(const struct mir_inst *code, uint32_t n, const struct ptx_latency *latency,
                       char *why, size_t size);

#endif
