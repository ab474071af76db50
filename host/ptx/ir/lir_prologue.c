/* lir_prologue.c - what ptxas puts before a kernel's own instructions, although nothing here needs
 * it; lir_emit.c calls it.
 *
 * Every kernel begins by loading the stack pointer from constant bank 0. From compute capability
 * 8.0 on, an access to global memory needs a descriptor, which a uniform register holds; in 9.0 the
 * operands of other instructions are no constants any more, and each comes over a register, mostly
 * a uniform one. This is what ptxas 13 makes for these capabilities. Uniform registers have a file
 * and a datapath of their own, so that here these loads cost an issue each, and nothing else.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_prologue.h"

enum { STACK_POINTER = 0x28 }; /* its place in bank 0 */
enum {
    MOST_CONSTANTS = LIR_MOST_PROLOGUE - 2
}; /* there are 63 uniform registers; one has the
                                                  * descriptor */

static bool accesses_global(const struct mir_inst *m) {
    const mir_mem mem = mir_op_mem((mir_op)m->op);
    const bool access = mem == MIR_MEM_LOAD || mem == MIR_MEM_STORE || mem == MIR_MEM_RED ||
                        mem == MIR_MEM_ATOM;
    return access && (m->space == MIR_SPACE_GLOBAL || m->space == MIR_SPACE_GENERIC);
}

/* Adds the places in bank 0 of the instruction's constant operands to place[0..n), each double word
 * once, as long as there are registers. A MOV loads one itself. @return n from now on */
static uint32_t add_constants(const struct mir_inst *m, uint32_t *place, uint32_t n) {
    if (m->op == MIR_LDC || m->op == MIR_MOV) return n;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++) {
        if (m->src[i].kind != MIR_SRC_CONST || m->src[i].bank) continue;
        const uint32_t at = m->src[i].value / 8;
        uint32_t k = 0;
        while (k < n && place[k] != at) k++;
        if (k == n && n < MOST_CONSTANTS) place[n++] = at;
    }
    return n;
}

uint32_t lir_prologue(struct lir_fn *fn, unsigned capability,
                      struct mir_inst code[LIR_MOST_PROLOGUE]) {
    uint32_t place[LIR_MOST_PROLOGUE], constants = 0, n = 0;
    bool global = false;
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) {
            global |= accesses_global(&in->m);
            constants = add_constants(&in->m, place, constants);
        }
    struct lir_inst *stack = lir_inst_create(fn, MIR_MOV);
    stack->m.src[0] = (struct mir_src){.kind = MIR_SRC_CONST, .value = STACK_POINTER};
    code[n++] = stack->m;
    uint32_t uniform = 0;
    if (capability >= 80 && global) uniform++;
    if (capability >= 90) uniform += constants;
    while (uniform--) code[n++] = lir_inst_create(fn, MIR_ULDC)->m;
    const struct lir_inst *first = fn->blocks[0]->first;
    for (uint32_t i = 0; first && i < n; i++) {
        code[i].ptx_line = first->m.ptx_line;
        code[i].loc = first->m.loc;
    }
    return n;
}
