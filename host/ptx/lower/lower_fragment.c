/* lower_fragment.c - moves fragments from and to memory: wmma.load, wmma.store, ldmatrix,
 * stmatrix, movmatrix. ldmatrix is an operation of the machine; each of the others becomes ordinary
 * loads, stores and shuffles of the lanes and causes their memory traffic.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. lower_matrix.c calls
 * lower_wmma_load() and lower_wmma_store(). In a tile, lane i has row (or line) g = i / 4 and place
 * t = i % 4. */
#include "ptx/lower/lower_matrix.h"
#include "ptx/lower/lower_short.h"

/* Emits the loads of one word whose elements lie in `per_word` consecutive lines. */
static struct value gather_lines(struct lower *lo, struct walk *w, unsigned line, unsigned bytes,
                                 unsigned per_word) {
    static const uint32_t byte[4] = {0, 0x3240, 0x3410, 0x4210};
    unsigned width = w->bits / 8;
    struct value v = walk_load(lo, w, line, bytes, width);
    for (unsigned i = 1; i < per_word; i++) {
        struct value e = walk_load(lo, w, line + i, bytes, width);
        v = value_of_word(mx_pack(lo, v.w[0], width == 2 ? 0x5410 : byte[i], e.w[0]));
    }
    return v;
}

/* Emits the loads of a fragment of A or B in shared memory into out[], where LDSM can: elements of
 * at most 16 bits, whose lines run along k (`along`) or which have 16. Each LDSM loads two line
 * tiles, if there are as many, at all steps. @return false: it emitted nothing. */
static bool load_rows(struct lower *lo, struct walk *w, struct lir_src lane, bool is_a, bool along,
                      unsigned lines, unsigned steps, struct value *out) {
    if (w->at.space != PTX_SPACE_SHARED || w->bits > 16 || (w->bits < 16 && !along)) return false;
    const unsigned tiles = lines > 1 ? 2 : 1, n = tiles * steps; /* of an LDSM */
    /* consecutive matrices are line tiles, or steps; the next one is 8 lanes further */
    const bool lines_first = is_a ? tiles == 2 : steps == 1;
    struct lir_src line, place;
    if (lines_first == along) {
        line = mx_and(lo, lane, 15);
        place = mx_shift_right(lo, lane, 4);
    } else {
        line = mx_multiply_add(lo, mx_shift_right(lo, lane, 4), lir_imm(8), mx_and(lo, lane, 7));
        place = mx_and(lo, mx_shift_right(lo, lane, 3), 1);
    }
    walk_set_lane(lo, w, line, place, 16);
    lower_meet(lo, lir_imm(UINT32_MAX));
    for (unsigned l = 0; l < lines; l += tiles) {
        struct value v = walk_rows(lo, w, along ? 8 * l : 0, along ? 0 : 16 * l, n, !along);
        for (unsigned i = 0; i < n; i++) out[l * steps + i] = value_of_word(v.w[i]);
    }
    return true;
}

/* Emits the loads of a fragment of A or B into out[0..*words). A lane's word runs along k.
 * `along`: so does memory, and one load reads a whole word. */
static void load_factor(struct lower *lo, struct mx *x, bool is_a, struct value *out,
                        unsigned *words) {
    enum mx_kind kind = x->kind[0];
    unsigned bits = mx_bits(kind), step = mx_step(kind), per_word = mx_per_word(kind);
    bool along = is_a ? !x->a_col : x->a_col; /* the only layout named */
    unsigned lines = (is_a ? x->m : x->n) / 8, steps = x->k / step;
    unsigned leading = along ? x->k : is_a ? x->m : x->n;
    struct walk w;
    if (!walk_begin(lo, &w, x, opd(lo, 1), lo->inst->n_opd == 3 ? opd(lo, 2) : NULL, bits, leading))
        return;
    struct lir_src lane = walk_lane(lo, &w);
    *words = lines * steps;
    if (load_rows(lo, &w, lane, is_a, along, lines, steps, out)) return;
    struct lir_src g = mx_shift_right(lo, lane, 2), t = mx_and(lo, lane, 3);
    if (along)
        walk_set_lane(lo, &w, g, t, bits == 64 ? 8 : 4);
    else
        walk_set_lane(lo, &w, mx_multiply_add(lo, t, lir_imm(per_word), RZ_SRC), g, bits / 8);
    for (unsigned s = 0; s < steps && !lo->failed; s++) {
        for (unsigned l = 0; l < lines; l++) {
            unsigned at = is_a ? mx_a_at(lines, steps, l, s) : l * steps + s;
            if (along)
                out[at] = walk_load(lo, &w, 8 * l, s * step * bits / 8, bits == 64 ? 8 : 4);
            else if (per_word == 1)
                out[at] = walk_load(lo, &w, s * step, 8 * l * bits / 8, bits / 8);
            else
                out[at] = gather_lines(lo, &w, s * step, 8 * l * bits / 8, per_word);
        }
    }
}

/* Emits and stores in w->lane the lane's place in C or D: each lane holds two columns, which are
 * adjacent in a row-major matrix. */
static void place_accumulators(struct lower *lo, struct walk *w, const struct mx *x,
                               unsigned bits) {
    struct lir_src lane = walk_lane(lo, w);
    struct lir_src g = mx_shift_right(lo, lane, 2), t = mx_and(lo, lane, 3);
    if (x->a_col)
        walk_set_lane(lo, w, mx_multiply_add(lo, t, lir_imm(2), RZ_SRC), g, bits / 8);
    else
        walk_set_lane(lo, w, g, t, 2 * bits / 8);
}

/* Emits the loads of a fragment of C into out[0..*words). */
static void load_accumulators(struct lower *lo, struct mx *x, struct value *out, unsigned *words) {
    unsigned bits = mx_bits(x->kind[0]), bytes = bits / 8, mt = x->m / 8, nt = x->n / 8;
    struct walk w;
    if (!walk_begin(lo, &w, x, opd(lo, 1), lo->inst->n_opd == 3 ? opd(lo, 2) : NULL, bits,
                    x->a_col ? x->m : x->n))
        return;
    place_accumulators(lo, &w, x, bits);
    *words = mt * nt * (bits == 16 ? 1 : 2);
    for (unsigned tile = 0; tile < mt * nt; tile++) {
        unsigned m = 8 * (tile % mt), n = 8 * (tile / mt);
        if (bits == 16) {
            out[tile] = x->a_col ? gather_lines(lo, &w, n, m * bytes, 2)
                                 : walk_load(lo, &w, m, n * bytes, 4);
        } else if (x->a_col || bits == 64) {
            for (unsigned j = 0; j < 2; j++)
                out[2 * tile + j] = x->a_col ? walk_load(lo, &w, n + j, m * bytes, bytes)
                                             : walk_load(lo, &w, m, (n + j) * bytes, bytes);
        } else {
            struct value v = walk_load(lo, &w, m, n * bytes, 8);
            out[2 * tile] = value_of_word(v.w[0]);
            out[2 * tile + 1] = value_of_word(v.w[1]);
        }
    }
}

/* Is a wmma fragment `what` ('a' to 'd') of this type, shape and layout supported? */
static bool known(const struct mx *x, char what) {
    enum mx_kind k = x->kind[0];
    bool factor = what == 'a' || what == 'b';
    bool square = x->k == 16 && x->m * x->n == 256 && x->m >= 8 && x->n >= 8;
    if (x->n_kinds != 1 || x->n_layouts != 1) return false;
    switch (k) {
    case MX_F16: return square;
    case MX_BF16:
    case MX_S8:
    case MX_U8: return square && factor;
    case MX_TF32: return factor && x->m == 16 && x->n == 16 && x->k == 8;
    case MX_S4:
    case MX_U4: return factor && x->m == 8 && x->n == 8 && x->k == 32 && x->a_col == (what == 'b');
    case MX_B1: return factor && x->m == 8 && x->n == 8 && x->k == 128 && x->a_col == (what == 'b');
    case MX_F64: return x->m == 8 && x->n == 8 && x->k == 4;
    case MX_F32: return !factor && (square || (x->m == 16 && x->n == 16 && x->k == 8));
    case MX_S32:
        return !factor && (square || (x->m == 8 && x->n == 8 && (x->k == 32 || x->k == 128)));
    default: return false;
    }
}

/* wmma.load: emits the loads of fragment A, B or C and the moves to its registers. */
void lower_wmma_load(struct lower *lo, struct mx *x) {
    struct value v[16] = {{.n = 0}};
    unsigned n = 0;
    if (!operands(lo, 2, 3)) return;
    if (!known(x, x->what)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    if (x->quads)
        lower_quads_load(lo, x, v, &n);
    else if (x->what == 'c')
        load_accumulators(lo, x, v, &n);
    else
        load_factor(lo, x, x->what == 'a', v, &n);
    if (lo->failed) return;
    if (x->kind[0] == MX_F16 &&
        x->what != 'c') /* PTX names eight registers; copies fill the rest */
        for (unsigned have = n; n < 8; n++) v[n] = v[n % have];
    mx_result(lo, opd(lo, 0), n, mx_bits(x->kind[0]), v);
}

/* wmma.store: emits the stores of fragment D. */
void lower_wmma_store(struct lower *lo, struct mx *x) {
    unsigned mt = x->m / 8, nt = x->n / 8;
    struct value v[16];
    struct walk w;
    if (!operands(lo, 2, 3)) return;
    if (!known(x, 'd')) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    unsigned bits = mx_bits(x->kind[0]), bytes = bits / 8;
    if (!mx_fragment(lo, opd(lo, 1), mt * nt * (bits == 16 ? 1 : 2), bits, v)) return;
    if (x->quads) {
        lower_quads_store(lo, x, v);
        return;
    }
    if (!walk_begin(lo, &w, x, opd(lo, 0), lo->inst->n_opd == 3 ? opd(lo, 2) : NULL, bits,
                    x->a_col ? x->m : x->n))
        return;
    place_accumulators(lo, &w, x, bits);
    for (unsigned tile = 0; tile < mt * nt; tile++) {
        unsigned m = 8 * (tile % mt), n = 8 * (tile / mt);
        if (bits == 16 && !x->a_col) {
            walk_store(lo, &w, m, n * bytes, 4, &v[tile]);
        } else if (bits == 16) {
            struct value upper = value_of_word(mx_shift_right(lo, v[tile].w[0], 16));
            walk_store(lo, &w, n, m * bytes, 2, &v[tile]);
            walk_store(lo, &w, n + 1, m * bytes, 2, &upper);
        } else if (x->a_col || bits == 64) {
            for (unsigned j = 0; j < 2; j++)
                walk_store(lo, &w, x->a_col ? n + j : m, (x->a_col ? m : n + j) * bytes, bytes,
                           &v[2 * tile + j]);
        } else {
            struct value pair = {.w = {v[2 * tile].w[0], v[2 * tile + 1].w[0]}, .n = 2};
            walk_store(lo, &w, m, n * bytes, 8, &pair);
        }
    }
}

/* ---- ldmatrix, stmatrix, movmatrix ---------------------------------------------------------- */

/* Emits SHFL: v of lane `lane`. @return a new register. */
static lir_vreg shuffle(struct lower *lo, struct lir_src v, struct lir_src lane) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit3(lo, MIR_SHFL, d, v, lane, lir_imm(31));
    in->m.sub = MIR_SHFL_IDX;
    in->m.imm = -1;
    return d;
}

/* Emits the shuffle that reads the address of lane `from`. */
static struct address remote(struct lower *lo, const struct address *a, struct lir_src from) {
    struct address r = *a;
    if (space_is_wide(a->space)) {
        struct lir_src high = a->base;
        if (high.kind == MIR_SRC_CONST)
            high.value += 4;
        else if (high.value)
            high.value += 1;
        lir_vreg pair = tmp_pair(lo);
        emit1(lo, MIR_MOV, pair, lir_reg(shuffle(lo, a->base, from)));
        emit1(lo, MIR_MOV, pair + 1, lir_reg(shuffle(lo, high, from)));
        r.base = lir_reg(pair);
    } else if (a->base.kind != MIR_SRC_NONE) {
        r.base = lir_reg(shuffle(lo, a->base, from));
    }
    return r;
}

/* Emits the address a + bytes. */
static struct address behind(struct lower *lo, const struct address *a, struct lir_src bytes) {
    struct address r = *a;
    if (space_is_wide(a->space)) {
        struct value off = {.w = {bytes, RZ_SRC}, .n = 2};
        struct value base = value_of_pair(a->base.value);
        lir_vreg sum = tmp_pair(lo);
        add64(lo, sum, &base, &off);
        r.base = lir_reg(sum);
    } else if (a->base.kind == MIR_SRC_NONE) {
        r.base = bytes;
    } else {
        lir_vreg sum = tmp(lo);
        emit3(lo, MIR_IADD3, sum, a->base, bytes, RZ_SRC);
        r.base = lir_reg(sum);
    }
    return r;
}

/* Emits a load or store of `width` bytes at address a; the caller sets its data, and the type
 * unless it is one of 4 or 2 bytes. */
static struct lir_inst *access_at(struct lower *lo, const struct address *a, unsigned op,
                                  unsigned width) {
    struct lir_inst *in = emit(lo, op);
    lower_set_address(lo, in, a);
    in->m.width = (uint8_t)width;
    in->m.type = width == 4 ? MIR_U32 : MIR_U16;
    return in;
}

/* The operands of ldmatrix or stmatrix. */
struct rows {
    struct mx x;
    struct address at; /* of the row that this lane names */
};

/* Fills *r for ldmatrix or stmatrix: modifiers and address. Emits a WARPSYNC of all lanes. Sets
 * lo->mods.space and lo->mods.sem. @return false: reported. */
static bool begin_rows(struct lower *lo, struct rows *r, const struct ptx_operand *address) {
    if (!mx_parse(lo, &r->x)) return false;
    if (!r->x.count || r->x.m != 8 || r->x.n != 8 || r->x.k ||
        (r->x.space != PTX_SPACE_NONE && r->x.space != PTX_SPACE_SHARED)) {
        lower_unsupported(lo, "%s", "");
        return false;
    }
    lo->mods.space = r->x.space;
    lo->mods.sem = MIR_WEAK;
    if (!lower_address(lo, address, &r->at)) return false;
    if (r->at.space != PTX_SPACE_NONE && r->at.space != PTX_SPACE_SHARED) {
        lower_unsupported(lo, "the matrices lie in shared memory");
        return false;
    }
    lower_meet(lo, lir_imm(UINT32_MAX));
    return true;
}

/* Emits the address `bytes` bytes into row `row` (of eight) of matrix i, which begins at the
 * address of lane 8 * i + row. */
static struct address row_address(struct lower *lo, const struct rows *r, unsigned i,
                                  struct lir_src row, struct lir_src bytes) {
    lir_vreg lane = tmp(lo);
    emit3(lo, MIR_IADD3, lane, row, lir_imm(8 * i), RZ_SRC);
    struct address a = remote(lo, &r->at, lir_reg(lane));
    return behind(lo, &a, bytes);
}

/* ldmatrix: an LDSM into a group, under lo->guard, which is the same in all lanes. */
void lower_ldmatrix(struct lower *lo) {
    struct rows r;
    struct value v[4];
    if (!operands(lo, 2, 2) || !begin_rows(lo, &r, opd(lo, 1))) return;
    const lir_vreg g = lir_new_vregs(lo->fn, r.x.count);
    lir_mark_scratch(lo->fn, g);
    struct lir_inst *in = access_at(lo, &r.at, MIR_LDSM, 16);
    in->m.type = MIR_B128;
    in->m.sub = (uint8_t)(r.x.count | (r.x.trans ? MIR_LDSM_TRANSPOSED : 0));
    in->dst = g;
    in->m.dst = 0;
    in->guard = lo->guard;
    for (unsigned i = 0; i < r.x.count; i++) v[i] = value_of_word(lir_reg(g + i));
    mx_result(lo, opd(lo, 0), r.x.count, 32, v);
}

/* stmatrix: each lane stores its word to the row that another one names, or with .trans two halves
 * to two rows. */
void lower_stmatrix(struct lower *lo) {
    struct rows r;
    struct value v[4];
    if (!operands(lo, 2, 2) || !begin_rows(lo, &r, opd(lo, 0)) ||
        !mx_fragment(lo, opd(lo, 1), r.x.count, 32, v))
        return;
    lo->mods.cache = MIR_CACHE_WB;
    struct lir_src lane = lir_reg(lower_read_sreg(lo, MIR_SR_LANEID));
    struct lir_src g = mx_shift_right(lo, lane, 2), t = mx_and(lo, lane, 3);
    for (unsigned i = 0; i < r.x.count; i++) {
        for (unsigned j = 0; j < (r.x.trans ? 2 : 1); j++) {
            struct lir_src row = r.x.trans ? mx_multiply_add(lo, t, lir_imm(2), lir_imm(j)) : g;
            struct lir_src bytes = r.x.trans ? mx_multiply_add(lo, g, lir_imm(2), RZ_SRC)
                                             : mx_multiply_add(lo, t, lir_imm(4), RZ_SRC);
            struct lir_src data = j ? mx_shift_right(lo, v[i].w[0], 16) : v[i].w[0];
            struct address a = row_address(lo, &r, i, row, bytes);
            lir_set_src(access_at(lo, &a, lower_store_op(a.space), r.x.trans ? 2 : 4), 1, data);
        }
    }
}

/* movmatrix: transposes the matrix in the warp's registers. Element (row, column) is half column %
 * 2 of lane 4 * row + column / 2. */
void lower_movmatrix(struct lower *lo) {
    struct mx x;
    struct lir_src half[2];
    if (!operands(lo, 2, 2) || !mx_parse(lo, &x)) return;
    if (!x.trans || x.m != 8 || x.n != 8) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    struct lir_src a = src1(lo, opd(lo, 1), u32);
    lower_meet(lo, lir_imm(UINT32_MAX));
    struct lir_src lane = lir_reg(lower_read_sreg(lo, MIR_SR_LANEID));
    struct lir_src g = mx_shift_right(lo, lane, 2), t = mx_and(lo, lane, 3);
    struct lir_src odd = mx_and(lo, g, 1), column = mx_shift_right(lo, g, 1);
    struct lir_src selector = mx_multiply_add(lo, odd, lir_imm(0x22), lir_imm(0x4410));
    for (unsigned j = 0; j < 2; j++) { /* from row 2t + j, column g */
        lir_vreg row = tmp(lo);
        emit3(lo, MIR_IADD3, row, mx_multiply_add(lo, t, lir_imm(8), lir_imm(4 * j)), column,
              RZ_SRC);
        lir_vreg d = tmp(lo);
        emit3(lo, MIR_PRMT, d, lir_reg(shuffle(lo, a, lir_reg(row))), selector, RZ_SRC);
        half[j] = lir_reg(d);
    }
    struct value v = value_of_word(mx_pack(lo, half[0], 0x5410, half[1]));
    mx_result(lo, opd(lo, 0), 1, 32, &v);
}
