/* lir.c - builds LIR functions, blocks and instructions, and answers what an operation may do.
 *
 * The lowering and every pass call these functions, on the thread that compiles the function. The
 * functions that create something take memory from fn->arena (without memory the process ends),
 * keep the tables of `fn` (vregs, groups, predicates, blocks) up to date and return the new object.
 * The functions that link, unlink or change instructions change only the lists and the operands:
 * results of lir_cfg_build and lir_analyze become stale without notice. An instruction that is
 * linked must be in no block before.
 *
 * Part of the PTX compiler, which runs in the server on the thread that handles the loading of a
 * module, and in commands such as `heddle ptx`. */
#include "ptx/ir/lir.h"

#include <assert.h>
#include <string.h>

/* ---- functions, blocks, vregs --------------------------------------------------------------- */

bool lir_gives_up(struct lir_fn *fn) {
    const struct mir_module *m = fn->module;
    if (!fn->given_up && m && m->give_up) fn->given_up = m->give_up(m->give_up_user);
    return fn->given_up;
}

/* @return a function with vreg 0 (RZ) and predicate 0 (PT), without blocks; keeps `name` by
 * reference. */
struct lir_fn *lir_fn_create(struct arena *arena, const char *name) {
    struct lir_fn *fn = ARENA_NEW(arena, struct lir_fn);
    fn->arena = arena;
    fn->name = name;
    fn->max_regs = MIR_RZ;
    lir_new_vregs(fn, 1); /* vreg 0 is RZ */
    lir_new_pred(fn);     /* predicate 0 is PT */
    return fn;
}

/* @return c[MIR_BANK_LITERAL][...] of the bits, which are added if they are new; of no kind: the
 * bank is full. */
struct lir_src lir_literal(struct lir_fn *fn, uint64_t bits) {
    enum { MOST = MIR_LITERAL_BYTES / sizeof bits };
    uint32_t i = 0;
    while (i < fn->n_literals && fn->literals[i] != bits) i++;
    if (i == MOST) return (struct lir_src){.kind = MIR_SRC_NONE};
    if (i == fn->n_literals) {
        if (i == fn->cap_literals) {
            fn->cap_literals = i ? 2 * i : 16;
            fn->literals = arena_grow(fn->arena, fn->literals, i, fn->cap_literals,
                                      sizeof *fn->literals);
        }
        fn->literals[fn->n_literals++] = bits;
    }
    return lir_const(MIR_BANK_LITERAL, i * (uint32_t)sizeof bits);
}

/* Makes a group of n vregs (1, 2, 4), neither scratch nor unspillable. May move the tables of `fn`
 * by vreg. @return the first. */
lir_vreg lir_new_vregs(struct lir_fn *fn, unsigned n) {
    if (fn->n_vregs + n > fn->cap_vregs) {
        uint32_t cap = fn->cap_vregs ? 2 * fn->cap_vregs : 256;
        fn->group = arena_grow(fn->arena, fn->group, fn->n_vregs, cap, sizeof *fn->group);
        fn->group_size = arena_grow(fn->arena, fn->group_size, fn->n_vregs, cap,
                                    sizeof *fn->group_size);
        fn->scratch = arena_grow(fn->arena, fn->scratch, fn->n_vregs, cap, sizeof *fn->scratch);
        fn->unspillable = arena_grow(fn->arena, fn->unspillable, fn->n_vregs, cap,
                                     sizeof *fn->unspillable);
        fn->cap_vregs = cap;
    }
    lir_vreg w = fn->n_vregs;
    for (unsigned i = 0; i < n; i++) {
        fn->group[w + i] = w;
        fn->group_size[w + i] = (uint8_t)n;
    }
    fn->n_vregs += n;
    return w;
}

/* @return a new predicate. May move fn->pred_scratch. */
uint32_t lir_new_pred(struct lir_fn *fn) {
    if (fn->n_preds == fn->cap_preds) {
        uint32_t cap = fn->cap_preds ? 2 * fn->cap_preds : 64;
        fn->pred_scratch = arena_grow(fn->arena, fn->pred_scratch, fn->n_preds, cap,
                                      sizeof *fn->pred_scratch);
        fn->cap_preds = cap;
    }
    return fn->n_preds++;
}

/* Sets fn->scratch for the whole group of w. The caller promises that every read follows a write
 * under the same guard, so a guarded write needs no old value. */
void lir_mark_scratch(struct lir_fn *fn, lir_vreg w) {
    lir_vreg first = fn->group[w];
    for (unsigned i = 0; i < fn->group_size[w]; i++) fn->scratch[first + i] = true;
}

/* @return whether the smaller group has a place in the larger one that puts the two vregs on each
 * other. */
bool lir_share_place(const struct lir_fn *fn, lir_vreg a, lir_vreg b) {
    if (fn->group_size[a] < fn->group_size[b]) {
        const lir_vreg t = a;
        a = b;
        b = t;
    }
    const uint32_t size = fn->group_size[b], at = a - fn->group[a], in = b - fn->group[b];
    return fn->group[a] != fn->group[b] && at >= in && (at - in) % size == 0 &&
           at - in + size <= fn->group_size[a];
}

/* @return an empty block, not yet in the layout (id UINT32_MAX). */
struct lir_block *lir_block_create(struct lir_fn *fn) {
    struct lir_block *b = ARENA_NEW(fn->arena, struct lir_block);
    b->id = UINT32_MAX;
    return b;
}

/* Puts the block at the end of the layout and gives it its id. */
void lir_block_append(struct lir_fn *fn, struct lir_block *b) {
    b->id = fn->n_blocks;
    *ARENA_PUSH(fn->arena, fn->blocks, fn->n_blocks, fn->cap_blocks) = b;
}

/* ---- instructions --------------------------------------------------------------------------- */

/* Makes an instruction in no block: guard PT, no operands, stall count 1. */
struct lir_inst *lir_inst_create(struct lir_fn *fn, unsigned op) {
    struct lir_inst *in = ARENA_NEW(fn->arena, struct lir_inst);
    in->m.op = (uint16_t)op;
    in->m.guard = MIR_PT;
    in->m.dst = MIR_RZ;
    in->m.pdst[0] = in->m.pdst[1] = MIR_PT;
    in->m.psrc[0] = in->m.psrc[1] = in->m.psrc[2] = MIR_PT;
    in->m.wbar = in->m.rbar = MIR_NO_BARRIER;
    in->m.stall = 1;
    return in;
}

/* Links the instruction at the end of block b, behind a terminator too. */
void lir_append(struct lir_block *b, struct lir_inst *in) {
    in->block = b;
    in->next = NULL;
    in->prev = b->last;
    if (b->last)
        b->last->next = in;
    else
        b->first = in;
    b->last = in;
}

/* Links the instruction in front of `at`, in its block. */
void lir_insert_before(struct lir_inst *at, struct lir_inst *in) {
    in->block = at->block;
    in->next = at;
    in->prev = at->prev;
    if (at->prev)
        at->prev->next = in;
    else
        at->block->first = in;
    at->prev = in;
}

/* Links the instruction behind `at`, in its block. */
void lir_insert_after(struct lir_inst *at, struct lir_inst *in) {
    in->block = at->block;
    in->prev = at;
    in->next = at->next;
    if (at->next)
        at->next->prev = in;
    else
        at->block->last = in;
    at->next = in;
}

/* Takes the instruction out of its block's list, so that it can be linked elsewhere. It keeps its
 * PTX count; in->block is stale until then. */
void lir_unlink(struct lir_inst *in) {
    if (in->prev)
        in->prev->next = in->next;
    else
        in->block->first = in->next;
    if (in->next)
        in->next->prev = in->prev;
    else
        in->block->last = in->prev;
    in->prev = in->next = NULL;
}

/* Unlinks the instruction for good, and adds its PTX count to the next instruction of the block,
 * else to the previous one, else to the block (lost_count). */
void lir_remove(struct lir_inst *in) {
    struct lir_inst *heir = in->next ? in->next : in->prev;
    if (in->m.ptx_count && heir) {
        heir->m.ptx_count = (uint16_t)(heir->m.ptx_count + in->m.ptx_count);
    } else if (in->m.ptx_count) {
        in->block->lost_count += in->m.ptx_count;
        in->block->lost_line = in->m.ptx_line;
        in->block->lost_loc = in->m.loc;
    }
    lir_unlink(in);
    in->block = NULL;
}

/* ---- operands ------------------------------------------------------------------------------- */

/* @return operand i of the instruction, with its modifiers. */
struct lir_src lir_get_src(const struct lir_inst *in, unsigned i) {
    const struct mir_src *s = &in->m.src[i];
    return (struct lir_src){.kind = s->kind,
                            .mods = s->mods,
                            .bank = s->bank,
                            .value = s->kind == MIR_SRC_REG ? in->src[i] : s->value};
}

/* Makes s, modifiers included, operand i: in->m.src[i] and in->src[i]. */
void lir_set_src(struct lir_inst *in, unsigned i, struct lir_src s) {
    struct mir_src *d = &in->m.src[i];
    d->kind = s.kind;
    d->mods = s.mods;
    d->bank = s.bank;
    d->reg = s.kind == MIR_SRC_REG && s.value == 0 ? MIR_RZ : 0;
    d->value = s.kind == MIR_SRC_REG ? 0 : s.value;
    in->src[i] = s.kind == MIR_SRC_REG ? s.value : 0;
}

/* @return the vregs that the instruction writes from in->dst on, 0: none. Of pseudo operations
 * always 2; of others by mir_dst_words. */
unsigned lir_dst_vregs(const struct lir_inst *in) {
    if (in->dst == 0) return 0;
    return in->m.op >= MIR_OP_COUNT ? 2 : mir_dst_words(&in->m);
}

/* @return the vregs that operand i takes, or would take if it were a register. Computed on a copy
 * of the instruction. */
unsigned lir_operand_vregs(const struct lir_inst *in, unsigned i) {
    if (in->m.op >= MIR_OP_COUNT) return in->m.op == LIR_EXT64 ? 1 : 2;
    return mir_operand_words(&in->m, i);
}

/* @return the vregs that operand i reads from in->src[i] on; 0 unless it is a vreg other than
 * RZ. */
unsigned lir_src_vregs(const struct lir_inst *in, unsigned i) {
    if (in->m.src[i].kind != MIR_SRC_REG || in->src[i] == 0) return 0;
    return lir_operand_vregs(in, i);
}

/* ---- properties ----------------------------------------------------------------------------- */

/* @return whether the instruction must stay even if nothing reads its results: by the operation's
 * traits and memory class. Weak loads have no effect; volatile and strong loads, stores and clock
 * reads have. */
bool lir_has_effect(const struct lir_inst *in) {
    enum {
        EFFECTS = MIR_TERMINATOR | MIR_CALLS | MIR_CONVERGENCE | MIR_EXCHANGE | MIR_PAUSE |
                  MIR_EFFECT
    };
    if (lir_traits(in) & EFFECTS) return true;
    switch (lir_mem(in)) {
    case MIR_MEM_NONE: return false;
    case MIR_MEM_LOAD: return in->m.sem != MIR_WEAK; /* volatile and strong loads stay */
    default: return true;                            /* clock reads too: they mark a time */
    }
}

/* @return whether equal inputs give an equal result at any place and time. Operations on memory are
 * never pure, loads included. */
bool lir_is_pure(const struct lir_inst *in) {
    return !lir_has_effect(in) && lir_mem(in) == MIR_MEM_NONE &&
           !(lir_traits(in) & MIR_ALL_PREDICATES);
}

/* @return an operand other than i is an immediate or a constant. */
static bool has_other_constant(const struct lir_inst *in, unsigned i) {
    for (unsigned k = 0; k < MIR_MAX_SRC; k++)
        if (k != i && (in->m.src[k].kind == MIR_SRC_IMM || in->m.src[k].kind == MIR_SRC_CONST))
            return true;
    return false;
}

/* @return whether the hardware has a form of the operation with `s` as operand i, beside the other
 * operands as they are. Modifiers are not checked. The immediate of a double holds only its high
 * word; its producer guarantees that the low one is 0. */
bool lir_operand_fits(const struct lir_inst *in, unsigned i, struct lir_src s) {
    if (s.kind == MIR_SRC_REG || s.kind == MIR_SRC_NONE) return true;
    if (in->m.op >= MIR_OP_COUNT) return in->m.op == LIR_ADD64 && i == 1;
    mir_constants form = mir_op_constants(in->m.op);
    if (form == MIR_CONST_LANES) return i > 0 && s.kind == MIR_SRC_IMM;
    if (has_other_constant(in, i)) return false;
    switch (form) {
    case MIR_CONST_ANY: return true;
    case MIR_CONST_HANDLE_A: return i == 0 && s.kind == MIR_SRC_CONST;
    case MIR_CONST_HANDLE_B: return i == 1 && s.kind == MIR_SRC_CONST;
    case MIR_CONST_BC:
        /* the wide IMAD's c is a pair: a constant pair fits, an immediate does not */
        if (in->m.op == MIR_IMAD && in->m.flags & MIR_WIDE && i == 2)
            return s.kind == MIR_SRC_CONST;
        return i > 0;
    default: return false;
    }
}
