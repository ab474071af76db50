/* lir.h - LIR, the compiler's own form of a kernel between PTX and MIR: MIR operations on any
 * number of virtual registers.
 *
 * A function is a list of basic blocks in layout order. A block is a list of instructions. A *vreg*
 * is one 32-bit virtual register. Vregs form groups of 1, 2 or 4 that the allocator places in
 * adjacent, aligned registers: a 64-bit value is a group of 2, low word first. Predicates have
 * their own numbers. Vreg 0 is RZ, predicate 0 is PT.
 *
 * LIR is not in SSA form. Front ends emit nearly every register once, so a vreg with exactly one
 * unguarded definition that dominates all uses ("single") has every property that the passes need.
 * The passes leave all other vregs alone.
 *
 * A function is created by the lowering (host/ptx/lower), changed by the passes (lir_passes.h), and
 * written to MIR by lir_emit. One thread compiles a function. All memory comes from one arena,
 * which lives as long as the compilation of the module; nothing is freed before. */
#ifndef PTX_LIR_H
#define PTX_LIR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "mir/mir.h"
#include "common/arena.h"

typedef uint32_t lir_vreg; /* virtual register, 0 = RZ */
typedef uint32_t lir_pref; /* predicate << 1 | negated; 0 = PT, 1 = !PT */

enum { LIR_PT = 0, LIR_NOT_PT = 1 };

/* Pseudo operations, which exist only before lir_expand. `d:` is a pair of vregs. */
enum lir_op {
    LIR_ADD64 = MIR_OP_COUNT, /* d: = a: + b:; an immediate b is sign-extended */
    LIR_SHL64,                /* d: = a: << imm */
    LIR_EXT64,                /* d: = a extended as type S32 or U32 says */
    LIR_OP_COUNT,
};

struct lir_block;

/* An instruction. Operands are vregs and predicates; the register numbers in `m` are valid only
 * after lir_allocate. */
struct lir_inst {
    struct mir_inst m; /* everything but register numbers; src[i].kind is MIR_SRC_REG for vregs */
    lir_vreg dst;
    lir_vreg src[MIR_MAX_SRC]; /* vregs of the sources of kind MIR_SRC_REG */
    uint32_t pdst[2];          /* predicates written, 0 = none */
    lir_pref psrc[3];          /* predicates read, LIR_PT where not used */
    lir_pref guard;
    struct lir_inst *prev, *next;
    struct lir_block *block;    /* that contains it; NULL: none */
    struct lir_block **targets; /* branches: [n_targets] where to; owned by the arena */
    uint32_t n_targets;
    bool contract; /* mul, add: has no rounding modifier, so it may become part of a multiply-add;
                    * multiply-add: made of two such operations */
    bool fresh;    /* under a guard: no lane that skips it needs an old value of its results */
    bool apart;    /* begins a division or root, of which ptxas merges no two */
    uint32_t pos;  /* number in layout order, by lir_number (lir_intervals_build: another one) */
};

/* A basic block. Edges, orders and dominators are the results of lir_cfg_build. */
struct lir_block {
    uint32_t id; /* index in fn->blocks */
    struct lir_inst *first, *last;
    struct lir_block **succ, **pred; /* by lir_cfg_build */
    uint32_t n_succ, n_pred, cap_pred;
    bool exits; /* ends in an exit that lanes may take */
    bool reachable;
    uint32_t rpo;                              /* number in reverse post-order */
    struct lir_block *idom, *ipdom;            /* NULL: entry; virtual exit */
    struct lir_block *dom_child, *dom_sibling; /* dominator tree */
    uint32_t dom_in, dom_out;                  /* a dominates b: in(a) <= in(b) < out(a) */
    uint32_t loop_depth;                       /* loops around the block; 0: in no loop */
    uint32_t lost_count; /* PTX instructions removed with the last instruction of the block */
    uint32_t lost_line, lost_loc; /* ptx_line and loc of the last one of these */
    bool no_unroll; /* header of a loop: the front end forbids unrolling, or it is done */
    uint32_t ghost; /* weight that the unroller still counts for loops it unrolled in this block */
    bool diverged;  /* lanes of a warp may be here at different times; by lir_converge */
};

/* Definitions and uses of a vreg or a predicate; valid after lir_analyze. */
struct lir_info {
    struct lir_inst *def; /* the definition if there is exactly one, else NULL */
    uint32_t n_def, n_use;
    bool single; /* one unguarded definition that dominates all uses */
};

/* What the warps of a kernel find in an SM. */
struct lir_room {
    uint32_t registers, subcores; /* of the SM; each sub-core has its share of the registers */
    uint32_t warps;               /* that the SM takes at most */
    uint32_t shared_bytes;        /* of the SM */
    uint32_t cta_warps;           /* warps of a CTA; 0: not known */
};

/* A kernel under compilation. */
struct lir_fn {
    struct arena *arena;
    const char *name;
    struct lir_block **blocks; /* layout order */
    uint32_t n_blocks, cap_blocks;
    struct lir_block **rpo; /* reachable blocks in reverse post-order */
    uint32_t n_rpo;
    uint32_t n_vregs, cap_vregs; /* vregs 1 .. n_vregs-1 */
    uint32_t *group;             /* [vreg] first vreg of its group */
    uint8_t *group_size;         /* [vreg] 1, 2, 4 */
    bool *unspillable;           /* [vreg] made by the spiller */
    bool *scratch;      /* [vreg] written and read under one guard: not live above its definition */
    uint32_t n_preds;   /* predicates 1 .. n_preds-1 */
    bool *pred_scratch; /* [pred] as scratch of vregs */
    uint32_t cap_preds;
    struct lir_info *vreg_info, *pred_info; /* [vreg], [pred], by lir_analyze */
    uint32_t n_info_vregs, n_info_preds;    /* room in the info arrays */
    uint32_t n_known_vregs, n_known_preds;  /* numbers in use at the last lir_analyze */
    uint32_t local_bytes, shared_bytes;     /* local memory a thread, static shared memory a CTA */
    uint32_t max_regs;                      /* limit of the allocator, registers per thread */
    struct lir_room room;                   /* the SM that the kernel is compiled for */
    uint32_t num_regs;                      /* result of the allocator */
    uint32_t spill_bytes;                   /* part of local_bytes that holds spilled vregs */
    uint64_t *literals;                     /* [n_literals] doubles in MIR_BANK_LITERAL */
    uint32_t n_literals, cap_literals;
    const struct mir_module
        *module;   /* of which it becomes a kernel (mir_module.give_up); or NULL */
    bool given_up; /* see lir_gives_up() */
};

/* ---- building ------------------------------------------------------------------------------- */

/* A function without blocks, in `arena`; keeps `name` by reference. */
struct lir_fn *lir_fn_create(struct arena *arena, const char *name);
/* Asks between passes whether the compilation is to stop (mir_module.give_up); true from then on.
 * The function is then of no use. */
bool lir_gives_up(struct lir_fn *fn);
/* A group of `n` vregs (1, 2, 4); returns the first. */
lir_vreg lir_new_vregs(struct lir_fn *fn, unsigned n);
/* A new predicate. */
uint32_t lir_new_pred(struct lir_fn *fn);
/* The most registers per thread, up to fn->max_regs, with which an SM takes as many warps as with
 * `regs`. Counts in whole CTAs, with their static shared memory, if their size is known.
 * @return at least `regs` */
uint32_t lir_room_for(const struct lir_fn *fn, uint32_t regs);
/* Promises of the group of `w` that every read follows a write under the same guard. A guarded
 * write to it then needs no old value. */
void lir_mark_scratch(struct lir_fn *fn, lir_vreg w);
/* @return the groups of both vregs can lie in the same registers so that the two share one: the
 * smaller group has an aligned place in the larger one. */
bool lir_share_place(const struct lir_fn *fn, lir_vreg a, lir_vreg b);
/* An empty block, not yet in the layout. Its id is UINT32_MAX until it is. */
struct lir_block *lir_block_create(struct lir_fn *fn);
/* Puts the block at the end of the layout. */
void lir_block_append(struct lir_fn *fn, struct lir_block *b);
/* An instruction with all defaults (guard PT, no operands, weak, no barriers), in no block. */
struct lir_inst *lir_inst_create(struct lir_fn *fn, unsigned op);
void lir_append(struct lir_block *b, struct lir_inst *in);
void lir_insert_before(struct lir_inst *at, struct lir_inst *in);
void lir_insert_after(struct lir_inst *at, struct lir_inst *in);
/* Removes the instruction. Its neighbour in the block inherits its count of PTX instructions;
 * without a neighbour, the block keeps it in lost_count. */
void lir_remove(struct lir_inst *in);
/* Takes the instruction out of its block, so that it can be inserted elsewhere. It keeps its
 * count. */
void lir_unlink(struct lir_inst *in);

/* ---- operands ------------------------------------------------------------------------------- */

/* A source operand outside of an instruction. */
struct lir_src {
    uint8_t kind;       /* mir_src_kind */
    uint8_t mods, bank; /* MIR_SRC_NEG, ...; bank of a constant */
    uint32_t value;     /* vreg, immediate bits, byte offset in the bank */
};

static inline struct lir_src lir_reg(lir_vreg w) {
    return (struct lir_src){.kind = MIR_SRC_REG, .value = w};
}
static inline struct lir_src lir_imm(uint32_t bits) {
    return (struct lir_src){.kind = MIR_SRC_IMM, .value = bits};
}
static inline struct lir_src lir_const(unsigned bank, uint32_t offset) {
    return (struct lir_src){.kind = MIR_SRC_CONST, .bank = (uint8_t)bank, .value = offset};
}
/* The constant operand of a double in MIR_BANK_LITERAL, which keeps each bit pattern once; an
 * operand of no kind when the bank is full. */
struct lir_src lir_literal(struct lir_fn *fn, uint64_t bits);
static inline struct lir_src lir_neg(struct lir_src s) {
    s.mods ^= MIR_SRC_NEG;
    return s;
}
/* Operand i of an instruction; lir_set_src replaces it, modifiers included. */
struct lir_src lir_get_src(const struct lir_inst *in, unsigned i);
void lir_set_src(struct lir_inst *in, unsigned i, struct lir_src s);
static inline lir_pref lir_p(uint32_t pred) {
    return pred << 1;
}
static inline lir_pref lir_pnot(lir_pref p) {
    return p ^ 1;
}

/* Number of vregs that the instruction writes, and reads through operand i; the first one is in
 * dst, src[i]. 0: none, or RZ. Valid for pseudo operations too. */
unsigned lir_dst_vregs(const struct lir_inst *in);
unsigned lir_src_vregs(const struct lir_inst *in, unsigned i);
/* Number of vregs that operand i takes if it is a register (2 for a 64-bit operand). */
unsigned lir_operand_vregs(const struct lir_inst *in, unsigned i);

/* ---- properties ----------------------------------------------------------------------------- */

/* Traits, memory class and latency class from mir_ops.def; pseudo operations have them too. */
static inline unsigned lir_traits(const struct lir_inst *in) {
    if (in->m.op < MIR_OP_COUNT) return mir_op_traits(in->m.op);
    return in->m.op == LIR_ADD64 ? MIR_COMMUTES : MIR_PLAIN;
}
static inline mir_mem lir_mem(const struct lir_inst *in) {
    return in->m.op < MIR_OP_COUNT ? mir_op_mem(in->m.op) : MIR_MEM_NONE;
}
static inline mir_class lir_class(const struct lir_inst *in) {
    return in->m.op < MIR_OP_COUNT ? mir_op_class(in->m.op) : MIR_CLASS_INT;
}
/* The instruction ends its block. */
static inline bool lir_is_terminator(const struct lir_inst *in) {
    return lir_traits(in) & MIR_TERMINATOR;
}
/* The instruction must stay even if nothing reads its results. */
bool lir_has_effect(const struct lir_inst *in);
/* Equal inputs give an equal result at any place and time, so equal instructions may be merged. */
bool lir_is_pure(const struct lir_inst *in);
/* Operands 0 and 1 may be exchanged. */
static inline bool lir_is_commutative(const struct lir_inst *in) {
    return lir_traits(in) & MIR_COMMUTES;
}
/* @return the hardware has a form of the operation with `s` as operand i, given the kinds of the
 * other operands. Modifiers are not checked. */
bool lir_operand_fits(const struct lir_inst *in, unsigned i, struct lir_src s);

/* ---- lir_print.c ------------------------------------------------------------------------- */

/* Writes the function as text, for debugging (option dump_lir of ptx_compile). */
void lir_print(const struct lir_fn *fn, FILE *file);

#endif
