/* lir_emit.c - writes the finished blocks as an array of MIR instructions; the last step on LIR,
 * called by ptx_compile.c behind lir_allocate.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_emit.h"

#include <string.h>

#include "ptx/ir/lir_prologue.h"

/* Adds each block's lost_count to its first instruction behind BSYNCs. An empty block gets a NOP
 * for it. */
static void carry_lost_counts(struct lir_fn *fn) {
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        struct lir_block *k = fn->blocks[b];
        if (!k->lost_count) continue;
        if (!k->first) {
            struct lir_inst *nop = lir_inst_create(fn, MIR_NOP);
            nop->m.ptx_line = k->lost_line;
            nop->m.loc = k->lost_loc;
            lir_append(k, nop);
        }
        /* the lanes run separately up to the BSYNC; count where they go on together */
        struct lir_inst *in = k->first;
        while (in->m.op == MIR_BSYNC && in->next) in = in->next;
        in->m.ptx_count = (uint16_t)(in->m.ptx_count + k->lost_count);
        k->lost_count = 0;
    }
}

/* Removes unguarded branches to the next block. */
static void drop_jumps(struct lir_fn *fn) {
    for (uint32_t b = 0; b + 1 < fn->n_blocks; b++) {
        struct lir_inst *t = fn->blocks[b]->last;
        if (t && t->m.op == MIR_BRA && t->guard == LIR_PT && t->targets[0] == fn->blocks[b + 1])
            lir_remove(t);
    }
}

/* Appends an EXIT to code without one, such as an endless loop: a warp whose launch is cancelled
 * executes it (exec/ops/lane_groups.h). */
static void add_exit(struct lir_fn *fn) {
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next)
            if (in->m.op == MIR_EXIT) return;
    lir_append(fn->blocks[fn->n_blocks - 1], lir_inst_create(fn, MIR_EXIT));
}

/* Writes the allocated function's code into a new array *out in `arena`: removes jumps to the next
 * block, passes on lost PTX counts, sees to it that there is an EXIT, numbers the blocks anew,
 * copies each in->m behind the prologue, and sets imm of branches to the index of their
 * target. @return instructions */
uint32_t lir_emit(struct lir_fn *fn, unsigned capability, struct mir_inst **out,
                  struct arena *arena) {
    struct mir_inst prologue[LIR_MOST_PROLOGUE];
    const uint32_t first = lir_prologue(fn, capability, prologue);
    uint32_t n = first;
    drop_jumps(fn);
    carry_lost_counts(fn);
    add_exit(fn);
    uint32_t *begin = ARENA_ARRAY(fn->arena, uint32_t, fn->n_blocks + 1);
    for (uint32_t b = 0; b < fn->n_blocks; b++) {
        fn->blocks[b]->id = b;
        begin[b] = n;
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) n++;
    }
    struct mir_inst *code = ARENA_ARRAY(arena, struct mir_inst, n + 1);
    uint32_t at = first;
    memcpy(code, prologue, first * sizeof *code);
    for (uint32_t b = 0; b < fn->n_blocks; b++)
        for (const struct lir_inst *in = fn->blocks[b]->first; in; in = in->next) {
            code[at] = in->m;
            if (in->n_targets) code[at].imm = (int32_t)begin[in->targets[0]->id];
            at++;
        }
    *out = code;
    return n;
}
