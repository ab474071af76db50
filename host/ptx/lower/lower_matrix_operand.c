/* lower_matrix_operand.c - decodes the modifiers of matrix instructions, and reads and writes
 * fragments as operands, for lower_matrix.c and lower_fragment.c.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). mx_parse() and the helpers that take only *x emit no code: each helper reads
 * one modifier w into *x and returns false if w is none of its kind. mx_fragment() and
 * mx_result() read operands of lo->inst and append moves to lo->cur. Unknown modifiers and wrong
 * register counts are reported in `lo`. Contracts: lower_matrix.h. */
#include "ptx/lower/lower_float.h"
#include "ptx/lower/lower_matrix.h"

#include <string.h>

/* ---- words ---------------------------------------------------------------------------------- */

/* Types of elements, by enum mx_kind: bits of one, and places of a tile along k. */
static const struct {
    const char *word;
    enum mx_kind kind;
    uint8_t bits, step;
} kinds[] = {{"", MX_NONE, 0, 0},      {"f16", MX_F16, 16, 8},  {"bf16", MX_BF16, 16, 8},
             {"tf32", MX_TF32, 32, 4}, {"s8", MX_S8, 8, 16},    {"u8", MX_U8, 8, 16},
             {"s4", MX_S4, 4, 32},     {"u4", MX_U4, 4, 32},    {"b1", MX_B1, 1, 128},
             {"f64", MX_F64, 64, 4},   {"f32", MX_F32, 32, 0},  {"s32", MX_S32, 32, 0},
             {"e4m3", MX_E4M3, 8, 16}, {"e5m2", MX_E5M2, 8, 16}};

/* Bits of an element. */
unsigned mx_bits(enum mx_kind k) {
    return kinds[k].bits;
}
/* Places of a tile along k. */
unsigned mx_step(enum mx_kind k) {
    return kinds[k].step;
}

/* Reads a shape such as m16n8k16 into *x. @return false: w is not a shape. */
static bool shape(const char *w, struct mx *x) {
    unsigned *to[] = {&x->m, &x->n, &x->k}, v[3] = {0, 0, 0};
    static const char letter[] = "mnk";
    for (unsigned i = 0; i < 3; i++) {
        if (*w != letter[i] && !(i == 2 && *w == '\0')) return false;
        if (*w == '\0') break; /* ldmatrix has m8n8, without k */
        for (w++; *w >= '0' && *w <= '9' && v[i] < 1000; w++)
            v[i] = 10 * v[i] + (unsigned)(*w - '0');
        if (v[i] == 0) return false;
    }
    if (*w) return false;
    for (unsigned i = 0; i < 3; i++) *to[i] = v[i];
    return true;
}

/* Reads row or col into a_col, then b_col. @return false: neither, or a third layout. */
static bool layout(const char *w, struct mx *x) {
    bool col = strcmp(w, "col") == 0;
    if (!col && strcmp(w, "row") != 0) return false;
    if (x->n_layouts == 0) x->a_col = col;
    if (x->n_layouts == 1) x->b_col = col;
    return ++x->n_layouts <= 2;
}

/* Appends a type to x->kind. @return false: no type, or a fifth. */
static bool kind(const char *w, struct mx *x) {
    for (unsigned i = 1; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(w, kinds[i].word) != 0) continue;
        if (x->n_kinds == 4) return false;
        x->kind[x->n_kinds++] = kinds[i].kind;
        return true;
    }
    return false;
}

/* Reads any other modifier. @return false: unknown. Some change nothing. */
static bool flag(const char *w, struct mx *x) {
    static const char *const rounds[] = {"rn", "rz", "rm", "rp"};
    static const char *const plain[] = {"sync", "aligned", "load", "store", "popc", "b16"};
    for (unsigned i = 0; i < 4; i++) {
        if (strcmp(w, rounds[i]) == 0) {
            x->round = (mir_round)i;
            return true;
        }
    }
    for (unsigned i = 0; i < sizeof plain / sizeof *plain; i++)
        if (strcmp(w, plain[i]) == 0) return true;
    if (strcmp(w, "satfinite") == 0) return x->satfinite = true;
    if (strcmp(w, "trans") == 0) return x->trans = true;
    if (strcmp(w, "xor") == 0) return (x->bits_op = 1) != 0;
    if (strcmp(w, "and") == 0) return (x->bits_op = 2) != 0;
    if (strcmp(w, "mma") == 0) return (x->what = 'm') != 0;
    if (strchr("abcd", w[0]) && w[1] == '\0') return (x->what = w[0]) != 0;
    if (w[0] == 'x' && strchr("124", w[1]) && w[1] && !w[2])
        return (x->count = (unsigned)(w[1] - '0')) != 0;
    if (strcmp(w, "global") == 0) return (x->space = PTX_SPACE_GLOBAL) != 0;
    if (strcmp(w, "shared") == 0 || strcmp(w, "shared::cta") == 0)
        return (x->space = PTX_SPACE_SHARED) != 0;
    return false;
}

/* Reads all modifiers of lo->inst into *x. @return false: reported an unknown one. */
bool mx_parse(struct lower *lo, struct mx *x) {
    *x = (struct mx){.space = PTX_SPACE_NONE};
    for (uint32_t i = 0; i < lo->inst->n_mod; i++) {
        const char *w = ptx_words_text(lo->words, lo->inst->mod[i]);
        if (flag(w, x) || kind(w, x) || layout(w, x) || shape(w, x)) continue;
        lower_unsupported(lo, "'.%s'", w);
        return false;
    }
    return true;
}

/* ---- fragments ------------------------------------------------------------------------------ */

/* Reports an operand that is not a vector of n elements, or a name if n is 1. @return false:
 * reported. */
static bool is_list(struct lower *lo, const struct ptx_operand *o, unsigned n) {
    if (o->kind == PTX_OPD_VEC && o->n_sub == n) return true;
    if (n == 1 && o->kind == PTX_OPD_NAME) return true;
    lower_error(lo, "this fragment has %u registers, in braces", n);
    return false;
}

/* Element i of a vector operand; the operand itself if it is none. */
static const struct ptx_operand *element(const struct ptx_operand *o, unsigned i) {
    return o->kind == PTX_OPD_VEC ? o->sub[i] : o;
}

/* Reads the n registers of fragment o into out[]; see lower_matrix.h. */
bool mx_fragment(struct lower *lo, const struct ptx_operand *o, unsigned n, unsigned bits,
                 struct value *out) {
    struct ty t = {TY_B, (uint8_t)(bits == 64 ? 64 : 32), false};
    if (!is_list(lo, o, n)) return false;
    for (unsigned i = 0; i < n; i++) out[i] = src(lo, element(o, i), t);
    return !lo->failed;
}

/* Emits the moves of v[0..n) to the registers of fragment o. */
void mx_result(struct lower *lo, const struct ptx_operand *o, unsigned n, unsigned bits,
               const struct value *v) {
    struct ty t = {TY_B, (uint8_t)(bits == 64 ? 64 : 32), false};
    if (!is_list(lo, o, n)) return;
    for (unsigned i = 0; i < n && !lo->failed; i++) {
        struct dest d = dst(lo, element(o, i), t);
        if (lo->failed) return;
        move_value(lo, d.word, &v[i]);
        finish(lo, &d);
    }
}

/* ---- accumulators --------------------------------------------------------------------------- */

void mx_widen(struct lower *lo, struct value *v, unsigned words) {
    for (unsigned t = words; t-- > 0;) {
        lir_vreg upper = tmp(lo);
        struct lir_inst *in = emit2(lo, MIR_SHF, upper, v[t].w[0], lir_imm(16));
        in->m.flags |= MIR_RIGHT;
        in->m.type = MIR_U32;
        struct lir_src low = lower_float_to(lo, v[t].w[0], MIR_F32, MIR_F16, MIR_ROUND_NEAREST);
        v[2 * t + 1] = value_of_word(
            lower_float_to(lo, lir_reg(upper), MIR_F32, MIR_F16, MIR_ROUND_NEAREST));
        v[2 * t] = value_of_word(low);
    }
}

void mx_narrow(struct lower *lo, struct value *v, unsigned words) {
    for (unsigned t = 0; t < words; t++) {
        lir_vreg d = tmp(lo);
        struct lir_src low = lower_float_to(lo, v[2 * t].w[0], MIR_F16, MIR_F32, MIR_ROUND_NEAREST);
        struct lir_src high = lower_float_to(lo, v[2 * t + 1].w[0], MIR_F16, MIR_F32,
                                             MIR_ROUND_NEAREST);
        emit3(lo, MIR_PRMT, d, low, lir_imm(0x5410), high);
        v[t] = value_of_word(lir_reg(d));
    }
}
