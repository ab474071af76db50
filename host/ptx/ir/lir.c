/* lir.c - building instructions, and what operations are allowed to do. */
#include "ptx/ir/lir.h"

#include <assert.h>
#include <string.h>

/* ---- functions, blocks, words --------------------------------------------------------------- */

struct lir_fn *lir_fn_create(struct arena *arena, const char *name) {
    struct lir_fn *fn = ARENA_NEW(arena, struct lir_fn);
    fn->arena = arena;
    fn->name = name;
    fn->max_regs = MIR_RZ;
    lir_new_words(fn, 1); /* word 0 is RZ */
    lir_new_pred(fn);     /* predicate 0 is PT */
    return fn;
}

lir_word lir_new_words(struct lir_fn *fn, unsigned n) {
    if (fn->n_words + n > fn->cap_words) {
        uint32_t cap = fn->cap_words ? 2 * fn->cap_words : 256;
        fn->group = arena_grow(fn->arena, fn->group, fn->n_words, cap, sizeof *fn->group);
        fn->group_size = arena_grow(fn->arena, fn->group_size, fn->n_words, cap,
                                    sizeof *fn->group_size);
        fn->scratch = arena_grow(fn->arena, fn->scratch, fn->n_words, cap, sizeof *fn->scratch);
        fn->unspillable = arena_grow(fn->arena, fn->unspillable, fn->n_words, cap,
                                     sizeof *fn->unspillable);
        fn->cap_words = cap;
    }
    lir_word w = fn->n_words;
    for (unsigned i = 0; i < n; i++) {
        fn->group[w + i] = w;
        fn->group_size[w + i] = (uint8_t)n;
    }
    fn->n_words += n;
    return w;
}

uint32_t lir_new_pred(struct lir_fn *fn) {
    if (fn->n_preds == fn->cap_preds) {
        uint32_t cap = fn->cap_preds ? 2 * fn->cap_preds : 64;
        fn->pred_scratch = arena_grow(fn->arena, fn->pred_scratch, fn->n_preds, cap,
                                      sizeof *fn->pred_scratch);
        fn->cap_preds = cap;
    }
    return fn->n_preds++;
}

void lir_mark_scratch(struct lir_fn *fn, lir_word w) {
    lir_word first = fn->group[w];
    for (unsigned i = 0; i < fn->group_size[w]; i++) fn->scratch[first + i] = true;
}

struct lir_block *lir_block_create(struct lir_fn *fn) {
    struct lir_block *b = ARENA_NEW(fn->arena, struct lir_block);
    b->id = UINT32_MAX;
    return b;
}

void lir_block_append(struct lir_fn *fn, struct lir_block *b) {
    b->id = fn->n_blocks;
    *ARENA_PUSH(fn->arena, fn->blocks, fn->n_blocks, fn->cap_blocks) = b;
}

/* ---- instructions --------------------------------------------------------------------------- */

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

struct lir_src lir_get_src(const struct lir_inst *in, unsigned i) {
    const struct mir_src *s = &in->m.src[i];
    return (struct lir_src){.kind = s->kind,
                            .mods = s->mods,
                            .bank = s->bank,
                            .value = s->kind == MIR_SRC_REG ? in->src[i] : s->value};
}

void lir_set_src(struct lir_inst *in, unsigned i, struct lir_src s) {
    struct mir_src *d = &in->m.src[i];
    d->kind = s.kind;
    d->mods = s.mods;
    d->bank = s.bank;
    d->reg = s.kind == MIR_SRC_REG && s.value == 0 ? MIR_RZ : 0;
    d->value = s.kind == MIR_SRC_REG ? 0 : s.value;
    in->src[i] = s.kind == MIR_SRC_REG ? s.value : 0;
}

unsigned lir_dst_words(const struct lir_inst *in) {
    if (in->dst == 0) return 0;
    return in->m.op >= MIR_OP_COUNT ? 2 : mir_dst_words(&in->m);
}

unsigned lir_operand_words(const struct lir_inst *in, unsigned i) {
    if (in->m.op >= MIR_OP_COUNT) return in->m.op == LIR_EXT64 ? 1 : 2;
    struct mir_inst probe = in->m; /* as if a register stood there */
    probe.src[i].kind = MIR_SRC_REG;
    probe.src[i].reg = 0;
    return mir_src_words(&probe, i);
}

unsigned lir_src_words(const struct lir_inst *in, unsigned i) {
    if (in->m.src[i].kind != MIR_SRC_REG || in->src[i] == 0) return 0;
    return lir_operand_words(in, i);
}

/* ---- properties ----------------------------------------------------------------------------- */

bool lir_is_terminator(const struct lir_inst *in) {
    switch (in->m.op) {
    case MIR_BRA:
    case MIR_BRX:
    case MIR_EXIT:
    case MIR_RET:
    case MIR_TRAP: return true;
    default: return false;
    }
}

bool lir_has_effect(const struct lir_inst *in) {
    if (in->m.op >= MIR_OP_COUNT) return false;
    switch (mir_op_mem(in->m.op)) {
    case MIR_MEM_STORE:
    case MIR_MEM_RED:
    case MIR_MEM_ATOM:
    case MIR_MEM_FENCE:
    case MIR_MEM_BARRIER: return true;
    case MIR_MEM_LOAD: return in->m.sem != MIR_WEAK; /* volatile and strong loads stay */
    case MIR_MEM_CLOCK: return true;                 /* a clock read marks a time */
    default: break;
    }
    switch (in->m.op) {
    case MIR_BRA:
    case MIR_BRX:
    case MIR_BSSY:
    case MIR_BSYNC:
    case MIR_BREAK:
    case MIR_WARPSYNC:
    case MIR_YIELD:
    case MIR_CALL:
    case MIR_RET:
    case MIR_EXIT:
    case MIR_TRAP:
    case MIR_NANOSLEEP:
    case MIR_NOP:
    case MIR_R2P:
    case MIR_SYS:
    case MIR_SHFL:
    case MIR_VOTE:
    case MIR_MATCH:
    case MIR_REDUX:
    case MIR_ACTIVEMASK:
    case MIR_PREFETCH: return true;
    default: return false;
    }
}

bool lir_is_pure(const struct lir_inst *in) {
    if (in->m.op >= MIR_OP_COUNT) return true;
    if (lir_has_effect(in) || mir_op_mem(in->m.op) != MIR_MEM_NONE) return false;
    return in->m.op != MIR_P2R;
}

bool lir_is_commutative(const struct lir_inst *in) {
    switch (in->m.op) {
    case LIR_ADD64:
    case MIR_IADD3:
    case MIR_FADD:
    case MIR_FMUL:
    case MIR_DADD:
    case MIR_DMUL:
    case MIR_FFMA:
    case MIR_DFMA:
    case MIR_HADD2:
    case MIR_HMUL2:
    case MIR_HFMA2:
    case MIR_IMNMX:
    case MIR_FMNMX:
    case MIR_DMNMX: return true;
    case MIR_IMAD: return true;
    case MIR_IDP: return false;
    default: return false;
    }
}

/* Volta's operand forms: src 0 is a register; of the others at most one is an immediate or a
 * constant. A double immediate holds the high word only, which its producer sees to. */
bool lir_operand_fits(const struct lir_inst *in, unsigned i, struct lir_src s) {
    if (s.kind == MIR_SRC_REG || s.kind == MIR_SRC_NONE) return true;
    unsigned op = in->m.op;
    if (op == MIR_MOV) return true;
    if (op == LIR_ADD64) return i == 1;
    if (op >= MIR_OP_COUNT) return false;
    if (op == MIR_SHFL) return i > 0 && s.kind == MIR_SRC_IMM; /* lane and clamp, both */
    for (unsigned k = 0; k < MIR_MAX_SRC; k++)
        if (k != i && (in->m.src[k].kind == MIR_SRC_IMM || in->m.src[k].kind == MIR_SRC_CONST))
            return false;
    switch (op) {
    case MIR_TEX:
    case MIR_TLD4:
    case MIR_TXLOD:
    case MIR_SULD:
    case MIR_SUST: return i == 1 && s.kind == MIR_SRC_CONST; /* the handle */
    case MIR_TXQ: return i == 0 && s.kind == MIR_SRC_CONST;
    case MIR_IADD3:
    case MIR_LOP3:
    case MIR_SHF:
    case MIR_PRMT:
    case MIR_FFMA:
    case MIR_LEA:
    case MIR_VABSDIFF:
    case MIR_VABSDIFF4:
    case MIR_IDP: return i > 0;
    case MIR_IMAD:
        /* the wide form's c is a pair: a constant pair fits, an immediate does not */
        if (in->m.flags & MIR_WIDE) return i == 1 || (i == 2 && s.kind == MIR_SRC_CONST);
        return i > 0;
    case MIR_DFMA:
    case MIR_DADD:
    case MIR_DMUL:
    case MIR_DSETP:
    case MIR_DMNMX: return i > 0;
    case MIR_ISETP:
    case MIR_SEL:
    case MIR_IMNMX:
    case MIR_FADD:
    case MIR_FMUL:
    case MIR_FMNMX:
    case MIR_FSEL:
    case MIR_FSETP:
    case MIR_FSET:
    case MIR_BMSK:
    case MIR_SGXT:
    case MIR_FCHK:
    case MIR_P2R:
    case MIR_R2P:
    case MIR_HADD2:
    case MIR_HMUL2:
    case MIR_HMNMX2:
    case MIR_HSETP2:
    case MIR_HFMA2: return i > 0;
    case MIR_POPC:
    case MIR_FLO:
    case MIR_BREV:
    case MIR_MUFU:
    case MIR_IABS:
    case MIR_F2F:
    case MIR_F2I:
    case MIR_I2F:
    case MIR_FRND:
    case MIR_I2I: return true;
    case MIR_BAR:
    case MIR_NANOSLEEP:
    case MIR_WARPSYNC:
    case MIR_VOTE: return s.kind == MIR_SRC_IMM || s.kind == MIR_SRC_CONST;
    default: return false;
    }
}
