/* ptx_flow.h - the flow of a PTX kernel: its basic blocks, the ways between them, and what each
 * block does that a profiler counts or that other instruction sets expand in another way.
 *
 * An instruction with a guard that is a special or a floating-point operation is a block of its
 * own, with a way around it. Threads: pure functions of their arguments. */
#ifndef HEDDLE_PROJECT_PTX_FLOW_H
#define HEDDLE_PROJECT_PTX_FLOW_H

#include "common/error.h"
#include "project/isa.h"
#include "ptx/parse/ptx_ast.h"

/* A basic block. Its special operations are apart. */
struct ptx_block {
    double flop32, flop64; /* FLOP of one execution by a thread, by plain instructions */
    double instructions;   /* all but special operations */
};

/* A way from the end of a block to the begin of another one, or out of the kernel. */
struct ptx_way {
    uint32_t from, to; /* to == struct ptx_flow.num_blocks: out */
};

/* A special operation, at its place in the code. */
struct ptx_special {
    const char *form; /* of the table of isa.h */
    uint32_t block, line;
};

/* A kernel's flow, which begins in block 0. All lists are owned. */
struct ptx_flow {
    struct ptx_block *block;
    struct ptx_way *way;
    struct ptx_special *special;
    size_t num_blocks, num_ways, num_specials, block_room, way_room, special_room;
};

/* Makes the flow of kernel `f`, which has a body, of module `m`. `file` stands in messages.
 * HEDDLE_ERR_PTX_UNSUPPORTED: it calls functions, whose operations are not its own, or branches
 * to what is not in it. On success *out is freed with ptx_flow_clear(). */
heddle_err ptx_flow_make(struct ptx_flow *out, const struct ptx_module *m, const struct ptx_func *f,
                         const char *file, struct heddle_diag *diag);
void ptx_flow_clear(struct ptx_flow *flow);

#endif
