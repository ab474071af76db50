/* lower_walk.c - accesses to a matrix in memory, for the loads and stores of fragments, and the
 * arithmetic on lanes that they need.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). Contracts: lower_matrix.h. */
#include "ptx/lower/lower_matrix.h"
#include "ptx/lower/lower_short.h"

/* Emits a * factor + c, low word. @return a new register. */
struct lir_src mx_multiply_add(struct lower *lo, struct lir_src a, struct lir_src factor,
                               struct lir_src c) {
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_IMAD, d, a, factor, c)->m.type = MIR_U32;
    return lir_reg(d);
}
/* Emits a >> by, unsigned. @return a new register. */
struct lir_src mx_shift_right(struct lower *lo, struct lir_src a, unsigned by) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit2(lo, MIR_SHF, d, a, lir_imm(by));
    in->m.flags |= MIR_RIGHT;
    in->m.type = MIR_U32;
    return lir_reg(d);
}
/* Emits a & bits. @return a new register. */
struct lir_src mx_and(struct lower *lo, struct lir_src a, uint32_t bits) {
    return lop3(lo, LUT_A & LUT_B, a, lir_imm(bits), RZ_SRC);
}
/* Emits PRMT: each nibble of `selector` selects a byte of high:low. @return a new register. */
struct lir_src mx_pack(struct lower *lo, struct lir_src low, uint32_t selector,
                       struct lir_src high) {
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_PRMT, d, low, lir_imm(selector), high);
    return lir_reg(d);
}

/* Fills *w from the address and the stride, which counts elements; without an operand the stride
 * is default_stride. Sets lo->mods.space and lo->mods.sem. Reports other spaces than global,
 * shared and generic. @return false: reported. */
bool walk_begin(struct lower *lo, struct walk *w, const struct mx *x,
                const struct ptx_operand *address, const struct ptx_operand *stride, unsigned bits,
                unsigned default_stride) {
    *w = (struct walk){.bits = bits, .fixed = true, .stride_bytes = default_stride * bits / 8};
    lo->mods.space = x->space;
    lo->mods.sem = MIR_WEAK;
    if (!lower_address(lo, address, &w->at)) return false;
    if (w->at.param || w->at.space == PTX_SPACE_CONST || w->at.space == PTX_SPACE_LOCAL ||
        w->at.space == PTX_SPACE_PARAM) {
        lower_unsupported(lo, "a matrix lies in global or shared memory");
        return false;
    }
    if (stride) {
        struct lir_src s = src1(lo, stride, u32);
        w->fixed = s.kind == MIR_SRC_IMM;
        if (w->fixed) {
            w->stride_bytes = s.value * bits / 8;
        } else if (bits < 8) {
            w->stride = mx_shift_right(lo, s, bits == 4 ? 1 : 3);
        } else {
            w->stride = mx_multiply_add(lo, s, lir_imm(bits / 8), RZ_SRC);
        }
    }
    if (w->fixed) w->stride = lir_imm(w->stride_bytes);
    return !lo->failed;
}

struct lir_src walk_lane(struct lower *lo, struct walk *w) {
    if (!lo->sub) {
        w->at_entry = lo->cur;
        w->pending = lo->pending;
        lo->cur = lo->entry;
        lo->pending = 0;
    }
    return lir_reg(lower_read_sreg(lo, MIR_SR_LANEID));
}

/* Ends what walk_lane() began. */
static void leave_entry(struct lower *lo, struct walk *w) {
    if (!w->at_entry) return;
    lo->cur = w->at_entry;
    lo->pending = w->pending;
    w->at_entry = NULL;
}

void walk_set_lane(struct lower *lo, struct walk *w, struct lir_src lines, struct lir_src place,
                   unsigned place_bytes) {
    struct lir_src bytes = mx_multiply_add(lo, place, lir_imm(place_bytes), RZ_SRC);
    if (!w->fixed) leave_entry(lo, w);
    w->lane = mx_multiply_add(lo, lines, w->stride, bytes);
    leave_entry(lo, w);
}

/* Emits base + offset, of two words in wide spaces. */
static struct lir_src add_base(struct lower *lo, const struct address *at, struct lir_src offset) {
    if (space_is_wide(at->space)) {
        struct value off = {.w = {offset, RZ_SRC}, .n = 2};
        struct value base = {.w = {at->base, at->base}, .n = 2};
        if (at->base.kind == MIR_SRC_CONST)
            base.w[1].value += 4;
        else if (at->base.value)
            base.w[1].value += 1;
        lir_vreg sum = tmp_pair(lo);
        add64(lo, sum, &base, &off);
        return lir_reg(sum);
    }
    if (at->base.kind == MIR_SRC_NONE) return offset;
    lir_vreg sum = tmp(lo);
    emit3(lo, MIR_IADD3, sum, at->base, offset, RZ_SRC);
    return lir_reg(sum);
}

/* Emits an access `line` lines and `bytes` bytes after the lane's first element. Accesses that only
 * a constant separates have one address register. */
static void aim(struct lower *lo, struct walk *w, struct lir_inst **in, unsigned op, unsigned line,
                unsigned bytes) {
    struct address a = w->at;
    a.offset += bytes;
    if (line && !w->fixed) {
        struct lir_src at = mx_multiply_add(lo, lir_imm(line), w->stride, w->lane);
        a.base = add_base(lo, &w->at, at);
    } else {
        if (w->summed.kind == MIR_SRC_NONE) w->summed = add_base(lo, &w->at, w->lane);
        a.base = w->summed;
        a.offset += (int64_t)line * w->stride_bytes;
    }
    *in = emit(lo, op);
    lower_set_address(lo, *in, &a);
}

/* The type of an access of `width` bytes. */
static uint8_t access_type(unsigned width) {
    switch (width) {
    case 1: return MIR_U8;
    case 2: return MIR_U16;
    case 4: return MIR_U32;
    case 8: return MIR_U64;
    default: return MIR_B128;
    }
}

/* Emits a load of `width` bytes, `line` lines and `bytes` bytes after the lane's first element.
 * @return its value, in new registers. */
struct value walk_load(struct lower *lo, struct walk *w, unsigned line, unsigned bytes,
                       unsigned width) {
    unsigned words = width <= 4 ? 1 : width / 4;
    struct value v = {.n = words};
    lir_vreg d = lir_new_vregs(lo->fn, words);
    struct lir_inst *in;
    aim(lo, w, &in, lower_load_op(w->at.space), line, bytes);
    in->dst = d;
    in->m.dst = 0;
    in->m.width = (uint8_t)width;
    in->m.type = access_type(width);
    for (unsigned i = 0; i < words; i++) v.w[i] = lir_reg(d + i);
    return v;
}

/* Emits an LDSM of `n` matrices under lo->guard, `line` lines and `bytes` bytes after the rows that
 * the lanes name. @return a word of each, in new registers. */
struct value walk_rows(struct lower *lo, struct walk *w, unsigned line, unsigned bytes, unsigned n,
                       bool transposed) {
    struct value v = {.n = n};
    lir_vreg d = lir_new_vregs(lo->fn, n);
    lir_mark_scratch(lo->fn, d);
    struct lir_inst *in;
    aim(lo, w, &in, MIR_LDSM, line, bytes);
    in->dst = d;
    in->m.dst = 0;
    in->m.width = 16;
    in->m.type = MIR_B128;
    in->m.sub = (uint8_t)(n | (transposed ? MIR_LDSM_TRANSPOSED : 0));
    in->guard = lo->guard;
    for (unsigned i = 0; i < n; i++) v.w[i] = lir_reg(d + i);
    return v;
}

/* Emits a store of v, `width` bytes, `line` lines and `bytes` bytes after the lane's first
 * element. Sets lo->mods.cache. */
void walk_store(struct lower *lo, struct walk *w, unsigned line, unsigned bytes, unsigned width,
                const struct value *v) {
    struct lir_inst *in;
    struct lir_src data = as_group(lo, v);
    lo->mods.cache = MIR_CACHE_WB;
    aim(lo, w, &in, lower_store_op(w->at.space), line, bytes);
    lir_set_src(in, 1, data);
    in->m.width = (uint8_t)width;
    in->m.type = access_type(width);
}
