/* lir_banks.c - which bank of the register file a vreg should lie in. Called by lir_alloc.c, which
 * builds the table once per round and asks for each lone vreg that it places.
 *
 * An instruction of fixed latency reads its operands through one port of each bank, even registers
 * and odd ones. Operands in the same bank are read one after another. The partners of a vreg are
 * the vregs that some instruction reads beside it; the vreg prefers the bank that holds fewer of
 * them. Partners in loops count more. In a pair, the place of each half determines its bank.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir_alloc.h"

enum { LOOP_FACTOR = 8, MOST_DEPTH = 5 };

/* The vreg of operand i if it is a single register, else 0. */
static lir_vreg lone_operand(const struct lir_inst *in, unsigned i) {
    if (in->m.src[i].kind != MIR_SRC_REG || lir_src_vregs(in, i) != 1) return 0;
    return in->src[i];
}

/* Goes over all pairs of operands. `count`: counts the partners of w in b->first[w + 1]; else
 * writes them to b->partner and b->filled. */
static void each_partner(struct lir_fn *fn, struct lir_banks *b, bool count) {
    for (uint32_t n = 0; n < fn->n_blocks; n++) {
        uint32_t depth = fn->blocks[n]->loop_depth, weight = 1;
        for (uint32_t d = 0; d < depth && d < MOST_DEPTH; d++) weight *= LOOP_FACTOR;
        for (const struct lir_inst *in = fn->blocks[n]->first; in; in = in->next) {
            if (!mir_class_ports(mir_op_class((mir_op)in->m.op))) continue;
            for (unsigned i = 0; i < MIR_MAX_SRC; i++)
                for (unsigned k = 0; k < MIR_MAX_SRC; k++) {
                    lir_vreg w = lone_operand(in, i), other = lone_operand(in, k);
                    if (i == k || !w || !other || w == other) continue;
                    if (count) {
                        b->first[w + 1]++;
                        continue;
                    }
                    struct lir_partner *p = &b->partner[b->first[w] + b->filled[w]++];
                    *p = (struct lir_partner){.vreg = other, .weight = weight};
                }
        }
    }
}

/* Allocates all tables in `arena`: counts the partners of each vreg, then fills them in. Changes
 * nothing in `fn`. */
void lir_banks_build(struct lir_fn *fn, struct lir_banks *b, struct arena *arena) {
    b->first = ARENA_ARRAY(arena, uint32_t, fn->n_vregs + 1);
    b->filled = ARENA_ARRAY(arena, uint32_t, fn->n_vregs + 1);
    b->placed = ARENA_ARRAY(arena, bool, fn->n_vregs + 1);
    each_partner(fn, b, true);
    for (uint32_t w = 1; w <= fn->n_vregs; w++) b->first[w] += b->first[w - 1];
    b->partner = ARENA_ARRAY(arena, struct lir_partner, b->first[fn->n_vregs] + 1);
    each_partner(fn, b, false);
}

/* @return the bank in which the partners of w weigh less: 0 even registers, 1 odd ones, -1 either.
 * `reg`: registers given so far. Halves of pairs count by their place, other partners once
 * placed. */
int lir_bank_wanted(const struct lir_fn *fn, const struct lir_banks *b, lir_vreg w,
                    const uint8_t *reg) {
    uint64_t there[2] = {0, 0};
    for (uint32_t i = b->first[w]; i < b->first[w] + b->filled[w]; i++) {
        lir_vreg other = b->partner[i].vreg;
        if (fn->group_size[fn->group[other]] > 1)
            there[(other - fn->group[other]) & 1] += b->partner[i].weight;
        else if (b->placed[other])
            there[reg[other] & 1] += b->partner[i].weight;
    }
    return there[0] == there[1] ? -1 : there[0] > there[1];
}
