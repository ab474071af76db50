/* lower_quads.c - matrix products as Volta computes them: wmma of halves for GPUs of compute
 * capability 7.0 to 7.2, and mma.m8n8k4 for all.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). Contracts: lower_matrix.h.
 *
 * Lanes 4q..4q+3 and 16+4q..16+4q+3 are quad pair q. It multiplies eight rows of A by eight columns
 * of B, along four places of k with each set of steps of HMMA.884. The lower lanes hold four of
 * these rows and columns, the upper lanes the others. A lane's four halves of a set lie along k, or
 * along the rows of a column-major A and the columns of a row-major B. With wmma, a quad pair has a
 * tile of 8 x 8 results; with 16 rows or columns, two quad pairs hold the same part of A or B.
 *
 * Single-precision result i of a lane has row (lane & 1) + (i & 2) and column (i & 4) + (lane & 2)
 * + (i & 1) of the tile, a half-precision one row lane % 4 and column i, four rows further down in
 * the upper lanes. These are PTX's fragments of mma.m8n8k4. */
#include "ptx/lower/lower_matrix.h"
#include "ptx/lower/lower_short.h"

enum { SETS = 4 }; /* of a wmma, which has k = 16 */

/* ---- places --------------------------------------------------------------------------------- */

/* Emits eight times the lane's tile along m (of_a) or n. */
static struct lir_src tile_begin(struct lower *lo, const struct mx *x, bool of_a,
                                 struct lir_src lane) {
    unsigned lines = of_a ? x->m : x->n;
    if (lines == 8) return lir_imm(0);
    if (lines == 16 && !of_a) return mx_and(lo, lane, 8);
    return mx_and(lo, mx_multiply_add(lo, lane, lir_imm(2), RZ_SRC), lines == 16 ? 8 : 24);
}

/* Emits a + b. */
static struct lir_src sum(struct lower *lo, struct lir_src a, struct lir_src b) {
    lir_vreg d = tmp(lo);
    emit3(lo, MIR_IADD3, d, a, b, RZ_SRC);
    return lir_reg(d);
}

/* Emits the first of the lane's four rows of A (of_a) or columns of B. */
static struct lir_src first_line(struct lower *lo, const struct mx *x, bool of_a,
                                 struct lir_src lane) {
    struct lir_src half = mx_and(lo, mx_shift_right(lo, lane, 2), 4);
    return sum(lo, tile_begin(lo, x, of_a, lane), half);
}

/* Begins the walk with the operands of a load or store whose address is operand `address`. */
static bool begin(struct lower *lo, struct walk *w, const struct mx *x, unsigned address,
                  unsigned lines) {
    return walk_begin(lo, w, x, opd(lo, address), lo->inst->n_opd == 3 ? opd(lo, 2) : NULL,
                      mx_bits(x->kind[0]), lines);
}

/* ---- loads and stores ----------------------------------------------------------------------- */

/* Emits the loads of A or B: two of 16 bytes where the elements of a line lie together, else four
 * of 8 bytes. */
static void load_factor(struct lower *lo, struct mx *x, struct value *out) {
    bool of_a = x->what == 'a', along = of_a != x->a_col;
    struct walk w;
    if (!begin(lo, &w, x, 1, along ? x->k : of_a ? x->m : x->n)) return;
    struct lir_src lane = walk_lane(lo, &w);
    struct lir_src first = first_line(lo, x, of_a, lane), in = mx_and(lo, lane, 3);
    if (along)
        walk_set_lane(lo, &w, sum(lo, first, in), lir_imm(0), 2);
    else
        walk_set_lane(lo, &w, in, first, 2);
    for (unsigned i = 0; i < (along ? 2 : SETS) && !lo->failed; i++) {
        struct value v = along ? walk_load(lo, &w, 0, 16 * i, 16) : walk_load(lo, &w, 4 * i, 0, 8);
        for (unsigned j = 0; j < v.n; j++) out[v.n * i + j] = value_of_word(v.w[j]);
    }
}

/* Emits and stores in w->lane the place of the lane's first result. */
static void place_results(struct lower *lo, struct walk *w, const struct mx *x) {
    bool half = x->kind[0] == MX_F16;
    struct lir_src lane = walk_lane(lo, w);
    struct lir_src row = sum(lo, first_line(lo, x, true, lane), mx_and(lo, lane, half ? 3 : 1));
    struct lir_src column = tile_begin(lo, x, false, lane);
    if (!half) column = sum(lo, column, mx_and(lo, lane, 2));
    walk_set_lane(lo, w, x->a_col ? column : row, x->a_col ? row : column, half ? 2 : 4);
}

/* Emits the loads of C. */
static void load_results(struct lower *lo, struct mx *x, struct value *out) {
    struct walk w;
    if (!begin(lo, &w, x, 1, x->a_col ? x->m : x->n)) return;
    place_results(lo, &w, x);
    if (x->kind[0] == MX_F32) {
        for (unsigned i = 0; i < 8; i += 2) {
            if (x->a_col) {
                for (unsigned j = 0; j < 2; j++)
                    out[i + j] = walk_load(lo, &w, (i & 4) + j, 4 * (i & 2), 4);
                continue;
            }
            struct value v = walk_load(lo, &w, i & 2, 4 * (i & 4), 8);
            out[i] = value_of_word(v.w[0]);
            out[i + 1] = value_of_word(v.w[1]);
        }
    } else if (x->a_col) {
        for (unsigned i = 0; i < 4; i++) {
            struct value low = walk_load(lo, &w, 2 * i, 0, 2), high;
            high = walk_load(lo, &w, 2 * i + 1, 0, 2);
            out[i] = value_of_word(mx_pack(lo, low.w[0], 0x5410, high.w[0]));
        }
    } else {
        struct value v = walk_load(lo, &w, 0, 0, 16);
        for (unsigned i = 0; i < 4; i++) out[i] = value_of_word(v.w[i]);
    }
}

void lower_quads_load(struct lower *lo, struct mx *x, struct value *out, unsigned *words) {
    *words = x->what == 'c' ? mx_quads_words(x->kind[0]) : 2 * SETS;
    if (x->what == 'c')
        load_results(lo, x, out);
    else
        load_factor(lo, x, out);
}

void lower_quads_store(struct lower *lo, struct mx *x, const struct value *v) {
    struct walk w;
    if (!begin(lo, &w, x, 0, x->a_col ? x->m : x->n)) return;
    place_results(lo, &w, x);
    if (x->kind[0] == MX_F32) {
        for (unsigned i = 0; i < 8; i += 2) {
            struct value pair = {.w = {v[i].w[0], v[i + 1].w[0]}, .n = 2};
            if (!x->a_col) {
                walk_store(lo, &w, i & 2, 4 * (i & 4), 8, &pair);
                continue;
            }
            for (unsigned j = 0; j < 2; j++)
                walk_store(lo, &w, (i & 4) + j, 4 * (i & 2), 4, &v[i + j]);
        }
    } else if (x->a_col) {
        for (unsigned i = 0; i < 4; i++) {
            struct value upper = value_of_word(mx_shift_right(lo, v[i].w[0], 16));
            walk_store(lo, &w, 2 * i, 0, 2, &v[i]);
            walk_store(lo, &w, 2 * i + 1, 0, 2, &upper);
        }
    } else {
        struct value all = {.w = {v[0].w[0], v[1].w[0], v[2].w[0], v[3].w[0]}, .n = 4};
        walk_store(lo, &w, 0, 0, 16, &all);
    }
}

/* ---- products ------------------------------------------------------------------------------- */

/* Emits the exchange that takes the halves in v[0..4) from the places of half-precision results to
 * those of single-precision ones, or back: lanes with bit 1 set keep the odd words, the others the
 * even ones, and they swap the rest. */
static void change_places(struct lower *lo, struct value *v) {
    struct lir_src lane = lir_reg(lower_read_sreg(lo, MIR_SR_LANEID));
    struct lir_src upper = mx_and(lo, mx_shift_right(lo, lane, 1), 1);
    struct lir_src select = mx_multiply_add(lo, upper, lir_imm(0x4444), lir_imm(0x3210));
    for (unsigned i = 0; i < 4; i += 2) {
        struct lir_src even = v[i].w[0], odd = v[i + 1].w[0];
        lir_vreg keep = tmp(lo), give = tmp(lo), got = tmp(lo), d[2] = {tmp(lo), tmp(lo)};
        emit3(lo, MIR_PRMT, keep, even, select, odd);
        emit3(lo, MIR_PRMT, give, odd, select, even);
        struct lir_inst *in = emit3(lo, MIR_SHFL, got, lir_reg(give), lir_imm(2), lir_imm(31));
        in->m.sub = MIR_SHFL_BFLY;
        in->m.imm = -1;
        emit3(lo, MIR_PRMT, d[0], lir_reg(keep), select, lir_reg(got));
        emit3(lo, MIR_PRMT, d[1], lir_reg(got), select, lir_reg(keep));
        v[i] = value_of_word(lir_reg(d[0]));
        v[i + 1] = value_of_word(lir_reg(d[1]));
    }
}

/* Emits the products of the fragments a and b, set by set, added to v, which becomes the result.
 * Types: x->kind[0] of the result, x->kind[3] of v. */
static void products(struct lower *lo, const struct mx *x, unsigned sets, const struct value *a,
                     const struct value *b, struct value *v) {
    bool half = x->kind[0] == MX_F16 && x->kind[3] == MX_F16;
    if (x->kind[3] == MX_F16 && !half) {
        change_places(lo, v);
        mx_widen(lo, v, 4);
    }
    for (unsigned s = 0; s < sets; s++) {
        struct value av = {.w = {a[2 * s].w[0], a[2 * s + 1].w[0]}, .n = 2};
        struct value bv = {.w = {b[2 * s].w[0], b[2 * s + 1].w[0]}, .n = 2};
        struct lir_src as = as_group(lo, &av), bs = as_group(lo, &bv);
        for (unsigned i = 0; i < (half ? 2 : 4); i++) {
            struct value pair = {.w = {v[2 * i].w[0], v[2 * i + 1].w[0]}, .n = 2};
            lir_vreg d = tmp_pair(lo);
            struct lir_inst *in = emit3(lo, half ? MIR_HMMA884H : MIR_HMMA884, d, as, bs,
                                        as_group(lo, &pair));
            in->m.sub = (uint8_t)((x->a_col ? MIR_884_A_COLUMNS : 0) |
                                  (x->b_col ? MIR_884_B_COLUMNS : 0) | i << MIR_884_STEP);
            if (x->satfinite) in->m.flags |= MIR_SAT;
            v[2 * i] = value_of_word(lir_reg(d));
            v[2 * i + 1] = value_of_word(lir_reg(d + 1));
        }
    }
    if (x->kind[0] == MX_F16 && !half) {
        mx_narrow(lo, v, 4);
        change_places(lo, v);
    }
}

/* Reads the fragments, emits the product and writes the result. `words`: of A and of B. */
static void run(struct lower *lo, struct mx *x, unsigned words) {
    struct value a[2 * SETS], b[2 * SETS], v[8];
    unsigned c = mx_quads_words(x->kind[3]), d = mx_quads_words(x->kind[0]);
    if (!mx_fragment(lo, opd(lo, 1), words, 16, a) || !mx_fragment(lo, opd(lo, 2), words, 16, b) ||
        !mx_fragment(lo, opd(lo, 3), c, mx_bits(x->kind[3]), v))
        return;
    lower_meet(lo, lir_imm(UINT32_MAX));
    products(lo, x, words / 2, a, b, v);
    mx_result(lo, opd(lo, 0), d, mx_bits(x->kind[0]), v);
}

/* wmma.mma, whose fragments are those of the whole product. */
void lower_quads_wmma(struct lower *lo, struct mx *x) {
    run(lo, x, 2 * SETS);
}

/* mma.m8n8k4: four independent products per warp, one per quad pair, of one set. */
void lower_quads_mma(struct lower *lo, struct mx *x) {
    run(lo, x, 2);
}
