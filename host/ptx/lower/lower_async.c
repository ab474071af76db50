/* lower_async.c - cp.async and mbarrier, for a machine that has no hardware for them.
 *
 * A copy becomes a load and a store. It is complete when the instruction is, so the instructions
 * that wait for copies become NOPs.
 *
 * An mbarrier is two words of shared memory. Word 0 counts the arrivals still missing in this
 * phase; word 1 holds phase << 20 | arrivals expected per phase. An arrival subtracts from word
 * 0. The last one begins the next phase: it first adds the expected number to word 0 and then
 * increments the phase, so that a thread that sees the new phase also sees the whole count. A
 * 64-bit state is word 1 before the arrival in its lower half and word 0 in its upper half.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. */
#include "ptx/lower/lower_matrix.h"
#include "ptx/lower/lower_short.h"

#include <string.h>

/* ---- cp.async ------------------------------------------------------------------------------- */

/* Emits one access of `bytes` bytes (4, 8, 16) to a, under lo->guard. Overwrites lo->mods.sem
 * and lo->mods.cache. The caller sets the data or the destination. */
static struct lir_inst *copy_access(struct lower *lo, unsigned op, const struct address *a,
                                    unsigned bytes) {
    struct lir_inst *in = emit(lo, op);
    lo->mods.sem = MIR_WEAK;
    lo->mods.cache = op == MIR_STS ? MIR_CACHE_WB : MIR_CACHE_CA;
    lower_set_address(lo, in, a);
    in->m.width = (uint8_t)bytes;
    in->m.type = bytes == 4 ? MIR_U32 : bytes == 8 ? MIR_U64 : MIR_B128;
    in->guard = lo->guard;
    return in;
}

/* Emits the selects that set bytes beyond the source's size to 0: word i is kept if 4 * i < size.
 * Sizes are whole words. */
static void zero_fill(struct lower *lo, lir_vreg data, unsigned words, struct lir_src size) {
    for (unsigned i = 0; i < words; i++) {
        struct value a = value_of_word(lir_imm(4 * i)), b = value_of_word(size);
        uint32_t p = compare_int(lo, MIR_CMP_LT, false, &a, &b);
        emit2(lo, MIR_SEL, data + i, lir_reg(data + i), RZ_SRC)->psrc[0] = lir_p(p);
    }
}

/* Lowers cp.async [to], [from], bytes [, source size or predicate]: a load from global and a
 * store to shared memory. Overwrites lo->mods.space and sets lo->guard to PT. */
static void copy(struct lower *lo) {
    struct address from, to;
    unsigned n = lo->inst->n_opd, hint = has(lo, "L2::cache_hint");
    if (!operands(lo, 3, 4 + hint)) return;
    const struct ptx_operand *size = opd(lo, 2);
    unsigned bytes = size->kind == PTX_OPD_CONST ? (unsigned)size->value.bits : 0;
    if (bytes != 4 && bytes != 8 && bytes != 16) {
        lower_unsupported(lo, "a copy is of 4, 8 or 16 bytes");
        return;
    }
    lo->mods.space = PTX_SPACE_SHARED;
    if (!lower_address(lo, opd(lo, 0), &to)) return;
    lo->mods.space = PTX_SPACE_GLOBAL;
    if (!lower_address(lo, opd(lo, 1), &from)) return;
    struct lir_src left = lir_imm(bytes);
    if (n == 4 + hint) {
        const struct ptx_operand *o = opd(lo, 3);
        struct lower_symbol *s = o->kind == PTX_OPD_NAME ? lower_lookup(lo, o->name) : NULL;
        if (s && s->kind == SYM_PRED) { /* ignore the source: all zeros */
            lir_vreg w = tmp(lo);
            emit2(lo, MIR_SEL, w, RZ_SRC, lir_imm(bytes))->psrc[0] = src_pred(lo, o);
            left = lir_reg(w);
        } else {
            left = src1(lo, o, u32);
        }
    }
    /* a source of 0 bytes must not be read: its address may be invalid */
    struct value none = value_of_word(RZ_SRC), some = value_of_word(left);
    lir_pref guard = lo->guard;
    struct lir_block *skip = NULL;
    lir_vreg data = lir_new_vregs(lo->fn, bytes / 4);
    bool whole = left.kind == MIR_SRC_IMM && left.value == bytes;
    if (guard != LIR_PT) {
        skip = lir_block_create(lo->fn);
        lower_branch(lo, skip, lir_pnot(guard));
        lo->guard = LIR_PT;
    }
    for (unsigned i = 0; i < bytes / 4 && !whole; i++) emit1(lo, MIR_MOV, data + i, RZ_SRC);
    if (!whole) lo->guard = lir_p(compare_int(lo, MIR_CMP_NE, false, &some, &none));
    struct lir_inst *in = copy_access(lo, MIR_LDG, &from, bytes);
    in->dst = data;
    in->m.dst = 0;
    lo->guard = LIR_PT;
    if (!whole) zero_fill(lo, data, bytes / 4, left);
    lir_set_src(copy_access(lo, MIR_STS, &to, bytes), 1, lir_reg(data));
    if (skip) lower_start_block(lo, skip);
}

/* ---- mbarrier ------------------------------------------------------------------------------- */

/* Word 1: PHASE counts one phase, EXPECTED masks the arrivals expected per phase. */
enum { PHASE = 1 << 20, EXPECTED = PHASE - 1 };

/* The operand that names an mbarrier. */
struct barrier {
    struct address at; /* of word 0 */
    bool generic;      /* a generic address: accessed by LD, ST and ATOM, not LDS, STS and ATOMS */
};

/* Reads the address of the barrier into *b; sets lo->mods.space. Reports transactions and
 * barriers of other CTAs. @return false: reported. */
static bool begin(struct lower *lo, struct barrier *b, const struct ptx_operand *o) {
    lo->mods.space = has(lo, "shared") || has(lo, "shared::cta") ? PTX_SPACE_SHARED
                                                                 : PTX_SPACE_NONE;
    if (has(lo, "shared::cluster") || has(lo, "expect_tx") || has(lo, "complete_tx")) {
        lower_unsupported(lo, "transactions and barriers of other CTAs");
        return false;
    }
    if (!lower_address(lo, o, &b->at)) return false;
    b->generic = b->at.space != PTX_SPACE_SHARED;
    return true;
}

/* Emits an access to word 0 or 1 of the barrier; overwrites lo->mods with its memory order. */
static struct lir_inst *word_access(struct lower *lo, const struct barrier *b, unsigned word,
                                    unsigned shared_op, unsigned generic_op, mir_sem sem) {
    struct address a = b->at;
    a.offset += 4 * word;
    struct lir_inst *in = emit(lo, b->generic ? generic_op : shared_op);
    lo->mods.sem = sem;
    lo->mods.scope = MIR_SCOPE_CTA;
    lo->mods.cache = MIR_CACHE_CA;
    lower_set_address(lo, in, &a);
    in->m.width = 4;
    in->m.type = MIR_U32;
    return in;
}

/* Emits an acquiring load of word 0 or 1. @return its value, a new register. */
static lir_vreg load(struct lower *lo, const struct barrier *b, unsigned word) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = word_access(lo, b, word, MIR_LDS, MIR_LD, MIR_ACQUIRE);
    in->dst = d;
    in->m.dst = 0;
    return d;
}
/* Emits a weak store of v to word 0 or 1. */
static void store(struct lower *lo, const struct barrier *b, unsigned word, struct lir_src v) {
    struct lir_inst *in = word_access(lo, b, word, MIR_STS, MIR_ST, MIR_WEAK);
    in->m.cache = MIR_CACHE_WB;
    lir_set_src(in, 1, v);
}
/* Emits an atomic addition of v to word 0 or 1. @return the word before it, a new register. */
static lir_vreg add(struct lower *lo, const struct barrier *b, unsigned word, struct lir_src v) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = word_access(lo, b, word, MIR_ATOMS, MIR_ATOM, MIR_ACQ_REL);
    in->m.sub = MIR_ATOM_ADD;
    in->dst = d;
    in->m.dst = 0;
    lir_set_src(in, 1, v);
    return d;
}

/* Emits w & bits. */
static struct lir_src mask(struct lower *lo, lir_vreg w, uint32_t bits) {
    return lop3(lo, LUT_A & LUT_B, lir_reg(w), lir_imm(bits), RZ_SRC);
}

/* The state before an arrival. */
struct state {
    lir_vreg phase, missing; /* words 1 and 0 of the barrier */
};
/* Emits an arrival by `count`; with `drop`, later phases also expect `count` fewer. The last
 * arrival of a phase begins the next one, in a block that the others branch around. */
static struct state arrive(struct lower *lo, const struct barrier *b, struct lir_src count,
                           bool drop) {
    lir_vreg state = load(lo, b, 1), minus = tmp(lo);
    struct lir_block *done = lir_block_create(lo->fn);
    emit3(lo, MIR_IADD3, minus, lir_neg(count), RZ_SRC, RZ_SRC);
    if (drop) add(lo, b, 1, lir_reg(minus)); /* later phases expect fewer arrivals */
    lir_vreg missing = add(lo, b, 0, lir_reg(minus));
    struct value had = value_of_word(lir_reg(missing)), took = value_of_word(count);
    lower_branch(lo, done, lir_p(compare_int(lo, MIR_CMP_NE, false, &had, &took)));
    lir_vreg now = load(lo, b, 1);
    add(lo, b, 0, mask(lo, now, EXPECTED));
    add(lo, b, 1, lir_imm(PHASE));
    lower_start_block(lo, done);
    return (struct state){state, missing};
}

/* Lowers mbarrier.arrive (drop: arrive_drop) state, [barrier] [, count]; count is 1 by default. */
static void arrive_by(struct lower *lo, bool drop) {
    struct barrier b;
    if (!operands(lo, 2, 3) || !begin(lo, &b, opd(lo, 1))) return;
    struct lir_src count = lo->inst->n_opd == 3 ? src1(lo, opd(lo, 2), u32) : lir_imm(1);
    struct state s = arrive(lo, &b, count, drop);
    struct value state = {.w = {lir_reg(s.phase), lir_reg(s.missing)}, .n = 2};
    struct dest d = dst(lo, opd(lo, 0), b64);
    if (lo->failed) return;
    move_value(lo, d.word, &state);
    finish(lo, &d);
}

/* Emits pending_count: the upper half of the state, the arrivals missing when it was taken. */
static void pending_count(struct lower *lo) {
    if (!operands(lo, 2, 2)) return;
    struct value state = src(lo, opd(lo, 1), b64);
    struct dest d = dst(lo, opd(lo, 0), u32);
    if (lo->failed) return;
    emit1(lo, MIR_MOV, d.word, state.w[1]);
    finish(lo, &d);
}

/* Emits test_wait and try_wait: the predicate is true if the phase of the state, or (.parity) the
 * phase of that parity, is over. */
static void test_wait(struct lower *lo) {
    struct barrier b;
    bool parity = has(lo, "parity");
    if (!operands(lo, 3, 4) || !begin(lo, &b, opd(lo, 1))) return;
    struct lir_src want = parity ? src1(lo, opd(lo, 2), u32) : src(lo, opd(lo, 2), b64).w[0];
    lir_vreg now = load(lo, &b, 1), then = tmp(lo);
    if (parity) { /* move the parity to the lowest bit of the phase */
        struct lir_inst *in = emit2(lo, MIR_SHF, then, want, lir_imm(20));
        in->m.type = MIR_U32;
    } else {
        emit1(lo, MIR_MOV, then, want);
    }
    uint32_t bits = parity ? PHASE : ~(uint32_t)EXPECTED;
    struct lir_src differ = lop3(lo, (LUT_A ^ LUT_B) & LUT_C, lir_reg(now), lir_reg(then),
                                 lir_imm(bits));
    struct value x = value_of_word(differ), zero = value_of_word(RZ_SRC);
    struct pdest d = dst_pred(lo, opd(lo, 0));
    if (lo->failed) return;
    compare_int_into(lo, d.pred, 0, MIR_CMP_NE, false, &x, &zero, MIR_AND, LIR_PT);
    finish_pred(lo, &d);
}

/* Lowers mbarrier.init [barrier], count: stores the count to both words, which is phase 0. */
static void initialise(struct lower *lo) {
    struct barrier b;
    if (!operands(lo, 2, 2) || !begin(lo, &b, opd(lo, 0))) return;
    struct lir_src count = src1(lo, opd(lo, 1), u32);
    store(lo, &b, 0, count);
    store(lo, &b, 1, count);
}

/* For lower_under_guard(), because an arrival contains a branch. */
static void arrive_plain(struct lower *lo) {
    arrive_by(lo, false);
}
static void arrive_drop(struct lower *lo) {
    arrive_by(lo, true);
}
/* cp.async.mbarrier.arrive: the copies are complete, so the arrival happens at once. Without .noinc
 * the instruction also expects one more arrival, so that the two cancel out: nothing is emitted. */
static void arrive_on_copies(struct lower *lo) {
    struct barrier b;
    if (!operands(lo, 1, 1) || !begin(lo, &b, opd(lo, 0))) return;
    if (has(lo, "noinc")) arrive(lo, &b, lir_imm(1), false);
}

/* mbarrier: chooses the lowering by the modifiers. inval emits no access to the barrier. */
void lower_mbarrier(struct lower *lo) {
    if (has(lo, "init")) {
        lower_under_guard(lo, initialise);
    } else if (has(lo, "inval")) {
        struct barrier b;
        if (operands(lo, 1, 1)) (void)begin(lo, &b, opd(lo, 0));
    } else if (has(lo, "test_wait") || has(lo, "try_wait")) {
        lower_under_guard(lo, test_wait);
    } else if (has(lo, "pending_count")) {
        pending_count(lo);
    } else if (has(lo, "arrive_drop")) {
        lower_under_guard(lo, arrive_drop);
    } else if (has(lo, "arrive")) {
        lower_under_guard(lo, arrive_plain);
    } else {
        lower_unsupported(lo, "%s", "");
    }
}

/* cp.async; commit_group, wait_group and wait_all become NOPs. */
void lower_cp(struct lower *lo) {
    if (!has(lo, "async") || has(lo, "bulk") || has(lo, "tensor")) {
        lower_unsupported(lo, "%s", "");
    } else if (has(lo, "mbarrier")) {
        lower_under_guard(lo, arrive_on_copies);
    } else if (has(lo, "commit_group") || has(lo, "wait_group") || has(lo, "wait_all")) {
        emit(lo, MIR_NOP)->guard = lo->guard;
    } else {
        copy(lo);
    }
}
