/* lower_alloca.c - alloca, stacksave, stackrestore: a part of local memory that grows downward.
 *
 * The pointer is an offset in local memory. A kernel that contains such an instruction sets it
 * in its entry block. A function keeps the pointer in a word when it begins and restores it when
 * it returns, which frees what it allocated. This memory is separate from the stack of
 * subroutines (lower_call.c), because their frames are addressed from that stack's pointer. An
 * allocation that does not fit traps.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. */
#include "ptx/lower/lower_short.h"

/* The register of the pointer. The first call reserves LOWER_STACK_BYTES of local memory, sets
 * lo->alloca_at and lo->alloca_from, and inserts the initial move into the entry block. */
static lir_vreg pointer(struct lower *lo) {
    if (lo->alloca_at) return lo->alloca_at;
    struct lir_block *entry = lo->fn->blocks[0];
    struct lir_inst *in = lir_inst_create(lo->fn, MIR_MOV);
    lo->alloca_from = (lo->fn->local_bytes + 15) & ~15u;
    lo->fn->local_bytes = lo->alloca_from + LOWER_STACK_BYTES;
    in->dst = lo->alloca_at = tmp(lo);
    in->m.dst = 0;
    lir_set_src(in, 0, lir_imm(lo->fn->local_bytes));
    if (entry->first)
        lir_insert_before(entry->first, in);
    else
        lir_append(entry, in);
    return lo->alloca_at;
}

/* Emits a trap of the lanes where a > b (unsigned). */
static void forbid_above(struct lower *lo, const struct value *a, const struct value *b) {
    uint32_t p = compare_int(lo, MIR_CMP_GT, false, a, b);
    struct lir_inst *in = emit(lo, MIR_TRAP);
    in->m.sub = MIR_TRAP_STACK;
    in->guard = lir_p(p);
}

/* Emits d = a - b. */
static lir_vreg difference(struct lower *lo, struct lir_src a, struct lir_src b) {
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_IADD3, d, a, lir_neg(b), RZ_SRC);
    return d;
}

/* Emits the move of word w to operand o; a 64-bit operand gets an upper word of 0. */
static void put(struct lower *lo, const struct ptx_operand *o, struct ty t, lir_vreg w) {
    struct dest d = dst(lo, o, t);
    if (lo->failed) return;
    emit1(lo, MIR_MOV, d.word, lir_reg(w));
    if (d.n == 2) emit1(lo, MIR_MOV, d.word + 1, RZ_SRC);
    finish(lo, &d);
}

/* Lowers alloca d, size [, align], sizes in bytes: traps lanes whose size exceeds the room,
 * moves the pointer down by the size and aligns it, and copies it to d. */
static void allocate(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    uint64_t align = 8;
    if (!operands(lo, 2, 3)) return;
    if (lo->inst->n_opd == 3) {
        const struct ptx_operand *o = opd(lo, 2);
        align = o->kind == PTX_OPD_CONST ? o->value.bits : 0;
        if (!align || align & (align - 1) || align > LOWER_STACK_BYTES / 2) {
            lower_unsupported(lo, "an alignment is a power of two up to %d", LOWER_STACK_BYTES / 2);
            return;
        }
        if (align < 8) align = 8;
    }
    lir_vreg at = pointer(lo);
    struct value size = src(lo, opd(lo, 1), t);
    if (lo->failed) return;
    lir_vreg room = difference(lo, lir_reg(at), lir_imm(lo->alloca_from));
    struct value most = {.w = {lir_reg(room), RZ_SRC}, .n = size.n};
    forbid_above(lo, &size, &most);
    struct lir_src down = lop3(lo, LUT_A & LUT_B, lir_reg(difference(lo, lir_reg(at), size.w[0])),
                               lir_imm(-(uint32_t)align), RZ_SRC);
    struct value low = value_of_word(lir_imm(lo->alloca_from)), next = value_of_word(down);
    if (align > 16) forbid_above(lo, &low, &next); /* the part begins at a multiple of 16 */
    emit1(lo, MIR_MOV, at, down);
    put(lo, opd(lo, 0), t, at);
}

/* Lowers stacksave: copies the pointer to operand 0. */
static void save(struct lower *lo) {
    if (operands(lo, 1, 1)) put(lo, opd(lo, 0), lo->mods.ty[0], pointer(lo));
}

/* Lowers stackrestore: traps lanes whose value lies outside the reserved memory, then sets the
 * pointer to operand 0. */
static void restore(struct lower *lo) {
    if (!operands(lo, 1, 1)) return;
    lir_vreg at = pointer(lo);
    struct value to = src(lo, opd(lo, 0), lo->mods.ty[0]);
    if (lo->failed) return;
    struct value end = {.w = {lir_imm(lo->alloca_from + LOWER_STACK_BYTES), RZ_SRC}, .n = to.n};
    struct value low = {.w = {lir_imm(lo->alloca_from), RZ_SRC}, .n = to.n};
    forbid_above(lo, &to, &end);
    forbid_above(lo, &low, &to);
    emit1(lo, MIR_MOV, at, to.w[0]);
}

/* The handlers branch around the lowering if the instruction is guarded, and leave lo->guard PT. */
void lower_alloca(struct lower *lo) {
    lower_under_guard(lo, allocate);
}
void lower_stacksave(struct lower *lo) {
    lower_under_guard(lo, save);
}
void lower_stackrestore(struct lower *lo) {
    lower_under_guard(lo, restore);
}

/* ---- functions ------------------------------------------------------------------------------ */

/* Do the statements contain an instruction that changes the pointer? */
static bool moves_pointer(const struct ptx_stmt *list) {
    for (const struct ptx_stmt *s = list; s; s = s->next) {
        if (s->kind == PTX_STMT_BLOCK && moves_pointer(s->block)) return true;
        if (s->kind == PTX_STMT_INST &&
            (s->inst.op == PTX_W_alloca_ || s->inst.op == PTX_W_stackrestore))
            return true;
    }
    return false;
}

/* Keeps the pointer; see lower.h. Emits nothing and returns 0 if the body of f never moves it. */
lir_vreg lower_alloca_enter(struct lower *lo, const struct ptx_func *f) {
    if (!moves_pointer(f->body)) return 0;
    lir_vreg kept = tmp(lo);
    emit1(lo, MIR_MOV, kept, lir_reg(pointer(lo)));
    return kept;
}

/* Restores the pointer to `kept`; nothing if it is 0. */
void lower_alloca_leave(struct lower *lo, lir_vreg kept) {
    if (kept) emit1(lo, MIR_MOV, lo->alloca_at, lir_reg(kept));
}
