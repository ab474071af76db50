/* mir_print.c - MIR as text that looks like SASS (mir_print_inst): `heddle ptx` and tests call it.
 *
 *   B------:R-:W0:-:S02  @!P0 LDG.E R4, [R2:+0x10]
 *
 * Control columns, as assemblers for Volta write them: barriers waited for, barrier set when the
 * operands are read, when the result is ready, Y for yield, stall cycles. A colon behind a register
 * marks a pair, two a quad.
 *
 * Every function that takes `t` appends to that text, as vsnprintf does: it never writes beyond the
 * buffer and counts all characters. The *_name functions return a static string, "?" for an unknown
 * number. Nothing else is read or changed. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "mir/mir.h"

/* The text so far. */
struct text {
    char *out;   /* the caller's buffer */
    size_t size; /* its bytes */
    int n;       /* characters needed so far */
};

static void add(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Appends formatted text. */
static void add(struct text *t, const char *format, ...) {
    va_list ap;
    size_t at = (size_t)t->n < t->size ? (size_t)t->n : t->size;
    va_start(ap, format);
    int k = vsnprintf(t->out ? t->out + at : NULL, t->size - at, format, ap);
    va_end(ap);
    if (k > 0) t->n += k;
}

/* ---- names ---------------------------------------------------------------------------------- */

/* Element i of a list of names, "?" beyond its end. */
#define NAME(list, i) ((i) < sizeof(list) / sizeof *(list) ? (list)[i] : "?")

static const char *type_name(unsigned t) {
    static const char *const names[] = {"",     "U8",     "S8",   "U16", "S16", "U32",
                                        "S32",  "U64",    "S64",  "128", "F16", "F16X2",
                                        "BF16", "BF16X2", "TF32", "F32", "F64"};
    return NAME(names, t);
}

static const char *cmp_name(unsigned c) {
    static const char *const names[] = {"F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
                                        "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
    return NAME(names, c);
}

static const char *bool_name(unsigned b) {
    static const char *const names[] = {"AND", "OR", "XOR"};
    return NAME(names, b);
}

static const char *mufu_name(unsigned f) {
    static const char *const names[] = {"RCP", "RSQ", "SQRT", "LG2",    "EX2",
                                        "SIN", "COS", "TANH", "RCP64H", "RSQ64H"};
    return NAME(names, f);
}

static const char *atom_name(unsigned a) {
    static const char *const names[] = {"ADD", "MIN", "MAX", "INC",  "DEC",
                                        "AND", "OR",  "XOR", "EXCH", "CAS"};
    return NAME(names, a);
}

static const char *sreg_name(unsigned s) {
    static const char *const names[] = {
        "SR_TID.X",   "SR_TID.Y",   "SR_TID.Z",      "SR_CTAID.X", "SR_CTAID.Y", "SR_CTAID.Z",
        "SR_LANEID",  "SR_WARPID",  "SR_NWARPID",    "SR_SMID",    "SR_NSMID",   "SR_GRIDID",
        "SR_EQMASK",  "SR_LTMASK",  "SR_LEMASK",     "SR_GTMASK",  "SR_GEMASK",  "SR_CLOCKLO",
        "SR_CLOCKHI", "SR_CLOCK64", "SR_GLOBALTIMER"};
    return NAME(names, s);
}

/* ---- modifiers behind the mnemonic ---------------------------------------------------------- */

/* Modifiers of float operations: flush to zero, rounding, saturation. */
static void round_and_flags(struct text *t, const struct mir_inst *in) {
    static const char *const rounds[] = {"", ".RZ", ".RM", ".RP"};
    if (in->flags & MIR_FTZ) add(t, ".FTZ");
    add(t, "%s", NAME(rounds, in->round));
    if (in->flags & MIR_SAT) add(t, ".SAT");
}

/* Memory operations: address width, type or width, cache operator, semantics and scope. */
static void memory_mods(struct text *t, const struct mir_inst *in) {
    static const char *const sems[] = {"",         ".VOLATILE", ".RELAXED", ".ACQUIRE",
                                       ".RELEASE", ".ACQ_REL",  ".SC"};
    static const char *const scopes[] = {".CTA", ".CLUSTER", ".GPU", ".SYS"};
    static const char *const caches[] = {"", ".CG", ".CS", ".LU", ".CV", "", ".WT", ".CONSTANT"};
    if (in->flags & MIR_ADDR64) add(t, ".E");
    if (in->flags & MIR_LOCKED) add(t, ".LOCKED");
    if (in->op == MIR_ATOM || in->op == MIR_ATOMG || in->op == MIR_ATOMS || in->op == MIR_RED ||
        in->op == MIR_REDS) {
        add(t, ".%s", atom_name(in->sub));
        add(t, ".%s", type_name(in->type));
        if (in->op == MIR_RED && in->space == MIR_SPACE_GENERIC) add(t, ".GENERIC");
    } else if (in->width < 4) {
        add(t, ".%s", type_name(in->type));
    } else if (in->width > 4) {
        add(t, ".%u", 8u * in->width);
    }
    add(t, "%s", NAME(caches, in->cache));
    add(t, "%s", NAME(sems, in->sem));
    if (in->sem > MIR_VOLATILE) add(t, "%s", NAME(scopes, in->scope));
}

/* HMMA and IMMA: shape and types. */
static void matrix_mods(struct text *t, const struct mir_inst *in) {
    static const char *const logic[] = {"", "", ".XOR", "", ".AND"};
    const unsigned steps = in->op == MIR_HMMA256 || in->op == MIR_IMMA256 ? 2 : 1;
    const unsigned logical = in->sub & (MIR_MMA_XOR | MIR_MMA_AND);
    switch (in->op) {
    case MIR_HMMA884:
    case MIR_HMMA884H:
        add(t, ".884.%s.STEP%u", in->op == MIR_HMMA884 ? "F32" : "F16", in->sub >> MIR_884_STEP);
        add(t, "%s", in->sub & MIR_884_A_COLUMNS ? ".ACOL" : "");
        add(t, "%s", in->sub & MIR_884_B_COLUMNS ? ".BCOL" : "");
        break;
    case MIR_HMMA128:
    case MIR_HMMA256:
        add(t, ".168%u.%s.%s", (in->type2 == MIR_TF32 ? 4 : 8) * steps, type_name(in->type),
            type_name(in->type2));
        break;
    default:
        add(t, ".%s8%u", in->sub & MIR_MMA_8_ROWS ? "8" : "16", 128u / in->width * steps);
        if (in->width == 1)
            add(t, ".B1%s", NAME(logic, logical));
        else
            add(t, ".%c%u.%c%u", in->type == MIR_S8 ? 'S' : 'U', in->width,
                in->type2 == MIR_S8 ? 'S' : 'U', in->width);
    }
    if (in->flags & MIR_SAT) add(t, ".SAT");
}

/* Texture and surface operations: geometry, level, format, type. */
static void texture_mods(struct text *t, const struct mir_inst *in) {
    static const char *const geometry[] = {"1D",       "2D",   "3D",        "ARRAY_1D",
                                           "ARRAY_2D", "CUBE", "ARRAY_CUBE"};
    static const char *const outside[] = {"", ".CLAMP", ".ZERO"};
    static const char *const query[] = {"WIDTH",     "HEIGHT",     "DEPTH",     "DATA_TYPE",
                                        "ORDER",     "NORMALIZED", "LAYERS",    "LEVELS",
                                        "SAMPLES",   "FILTER",     "ADDRESS_0", "ADDRESS_1",
                                        "ADDRESS_2", "LAYOUT",     "KIND"};
    if (in->op == MIR_TXQ) {
        add(t, ".%s", NAME(query, in->sub));
        return;
    }
    add(t, ".%s", NAME(geometry, in->sub & MIR_TEX_GEOMETRY));
    if (in->op == MIR_TXLOD) return;
    if (in->op == MIR_SULD || in->op == MIR_SUST) {
        if (in->sub & MIR_SURF_FORMATTED) add(t, ".P");
        add(t, ".%u%s", 8u * in->width, NAME(outside, in->sub >> MIR_SURF_MODE & 3));
        return;
    }
    if (in->op == MIR_TLD4) add(t, ".%c", "RGBA"[in->sub >> MIR_TEX_COMPONENT & 3]);
    if (in->op == MIR_TEX && in->sub & MIR_TEX_LOD) add(t, ".LL");
    if (in->type == MIR_F16X2) add(t, ".F16");
    if (in->type2 == MIR_S32) add(t, ".S32");
}

/* The modifiers of the operation, each with its dot. */
static void mods(struct text *t, const struct mir_inst *in) {
    static const char *const shfl[] = {"IDX", "UP", "DOWN", "BFLY"};
    static const char *const system[] = {"PRINTF", "ASSERT", "MALLOC", "FREE"};
    static const char *const vote[] = {"ALL", "ANY", "EQ"};
    static const char *const bar[] = {"SYNC", "ARV", "RED.POPC", "RED.AND", "RED.OR"};
    static const char *const sems[] = {"", "", "", "", "", ".ALL", ".SC"};
    static const char *const scopes[] = {".CTA", ".CLUSTER", ".GPU", ".SYS"};
    switch (in->op) {
    case MIR_IMAD:
        if (in->flags & MIR_WIDE) add(t, ".WIDE");
        if (in->flags & MIR_HI) add(t, ".HI");
        if ((in->flags & (MIR_WIDE | MIR_HI)) && in->type == MIR_U32) add(t, ".U32");
        break;
    case MIR_SHF:
        add(t, in->flags & MIR_RIGHT ? ".R" : ".L");
        if (in->flags & MIR_WRAP) add(t, ".W");
        add(t, ".%s", type_name(in->type));
        if (in->flags & MIR_HI) add(t, ".HI");
        break;
    case MIR_LEA:
        if (in->flags & MIR_HI) add(t, ".HI");
        break;
    case MIR_ISETP:
        add(t, ".%s", cmp_name(in->cmp));
        if (in->type == MIR_U32) add(t, ".U32");
        add(t, ".%s", bool_name(in->bop));
        if (in->flags & MIR_EX) add(t, ".EX");
        break;
    case MIR_FSETP:
    case MIR_DSETP:
    case MIR_HSETP2:
    case MIR_FSET:
        if (in->op == MIR_DSETP && in->sub)
            add(t, in->sub == MIR_DSETP_MIN ? ".MIN" : ".MAX");
        else
            add(t, ".%s", cmp_name(in->cmp));
        if (in->flags & MIR_FTZ) add(t, ".FTZ");
        add(t, ".%s", bool_name(in->bop));
        break;
    case MIR_IMNMX:
    case MIR_SGXT:
        if (in->type == MIR_U32) add(t, ".U32");
        break;
    case MIR_LOP3: add(t, ".LUT"); break;
    case MIR_MUFU: add(t, ".%s", mufu_name(in->sub)); break;
    case MIR_F2F:
    case MIR_F2I:
    case MIR_I2F:
    case MIR_I2I:
    case MIR_FRND:
        add(t, ".%s", type_name(in->type));
        if (in->op != MIR_FRND) add(t, ".%s", type_name(in->type2));
        round_and_flags(t, in);
        break;
    case MIR_FADD:
    case MIR_FMUL:
    case MIR_FFMA:
    case MIR_DADD:
    case MIR_DMUL:
    case MIR_DFMA:
    case MIR_FMNMX:
    case MIR_FDIVS:
    case MIR_FSQRTS:
    case MIR_DDIVS:
    case MIR_DSQRTS: round_and_flags(t, in); break;
    case MIR_HADD2:
    case MIR_HMUL2:
    case MIR_HFMA2:
    case MIR_HMNMX2:
        add(t, ".%s", type_name(in->type));
        round_and_flags(t, in);
        break;
    case MIR_HMMA884:
    case MIR_HMMA884H:
    case MIR_HMMA128:
    case MIR_HMMA256:
    case MIR_IMMA128:
    case MIR_IMMA256: matrix_mods(t, in); break;
    case MIR_LDSM:
        add(t, ".16.M%s88.%u", in->sub & MIR_LDSM_TRANSPOSED ? "T" : "",
            in->sub & MIR_LDSM_MATRICES);
        break;
    case MIR_DMMA:
        add(t, ".884");
        round_and_flags(t, in);
        break;
    case MIR_SYS: add(t, ".%s", NAME(system, in->sub)); break;
    case MIR_TEX:
    case MIR_TLD4:
    case MIR_TXLOD:
    case MIR_TXQ:
    case MIR_SULD:
    case MIR_SUST: texture_mods(t, in); break;
    case MIR_SHFL: add(t, ".%s", NAME(shfl, in->sub)); break;
    case MIR_VOTE: add(t, ".%s", NAME(vote, in->sub)); break;
    case MIR_MATCH: add(t, in->sub ? ".ALL" : ".ANY"); break;
    case MIR_REDUX: add(t, ".%s", atom_name(in->sub)); break;
    case MIR_BAR: add(t, ".%s", NAME(bar, in->sub)); break;
    case MIR_MEMBAR: add(t, "%s%s", NAME(sems, in->sem), NAME(scopes, in->scope)); break;
    case MIR_LDC:
        if (in->width < 4) add(t, ".%s", type_name(in->type));
        if (in->width > 4) add(t, ".%u", 8u * in->width);
        break;
    default:
        if (mir_op_mem(in->op) >= MIR_MEM_LOAD && mir_op_mem(in->op) <= MIR_MEM_ATOM)
            memory_mods(t, in);
    }
    if (in->flags & MIR_X) add(t, ".X");
}

/* ---- operands ------------------------------------------------------------------------------- */

/* A register, with colons for its words. */
static void reg(struct text *t, unsigned r, unsigned words) {
    if (r == MIR_RZ)
        add(t, "RZ");
    else
        add(t, "R%u%s", r, words == 2 ? ":" : words == 4 ? "::" : "");
}

static void pred(struct text *t, unsigned p) {
    if (p & MIR_PNOT) add(t, "!");
    if ((p & 7) == MIR_PT)
        add(t, "PT");
    else
        add(t, "P%u", p & 7);
}

/* Source operand i with its modifiers. */
static void source(struct text *t, const struct mir_inst *in, unsigned i) {
    const struct mir_src *s = &in->src[i];
    if (s->mods & MIR_SRC_NEG) add(t, "-");
    if (s->mods & MIR_SRC_NOT) add(t, "~");
    if (s->mods & MIR_SRC_ABS) add(t, "|");
    if (s->kind == MIR_SRC_REG) reg(t, s->reg, mir_src_words(in, i));
    if (s->kind == MIR_SRC_IMM) add(t, "0x%x", s->value);
    if (s->kind == MIR_SRC_CONST) add(t, "c[0x%x][0x%x]", s->bank, s->value);
    if (s->mods & MIR_SRC_ABS) add(t, "|");
}

/* A blank before the first operand, a comma before the others. */
static void comma(struct text *t, bool *first) {
    add(t, *first ? " " : ", ");
    *first = false;
}

/* The address in brackets; of LDC with its constant bank. */
static void address(struct text *t, const struct mir_inst *in) {
    add(t, in->op == MIR_LDC ? "c[0x%x][" : "[", in->sub);
    if (in->src[0].kind != MIR_SRC_NONE) source(t, in, 0);
    if (in->imm < 0)
        add(t, "-0x%x", (unsigned)-(int64_t)in->imm);
    else if (in->imm || in->src[0].kind == MIR_SRC_NONE)
        add(t, "%s0x%x", in->src[0].kind != MIR_SRC_NONE ? "+" : "", (unsigned)in->imm);
    add(t, "]");
}

/* All operands: results, address, sources, and the numbers that the operation keeps in sub, imm and
 * psrc. */
static void operands(struct text *t, const struct mir_inst *in) {
    bool first = true;
    bool compares = in->op == MIR_ISETP || in->op == MIR_FSETP || in->op == MIR_DSETP ||
                    in->op == MIR_PLOP3 || in->op == MIR_HSETP2;
    unsigned words = mir_dst_words(in);
    bool memory = mir_op_has_address(in->op) || in->op == MIR_LDC;
    if (compares) {
        for (unsigned i = 0; i < 2; i++) {
            comma(t, &first);
            pred(t, in->pdst[i]);
        }
    } else if (words) {
        comma(t, &first);
        reg(t, in->dst, words);
    } else if (mir_op_mem(in->op) == MIR_MEM_NONE && in->op != MIR_LDC &&
               (in->op == MIR_IADD3 || in->op == MIR_MOV || in->op == MIR_LOP3)) {
        comma(t, &first);
        add(t, "RZ");
    }
    if (!compares)
        for (unsigned i = 0; i < 2; i++)
            if (in->pdst[i] != MIR_PT) {
                comma(t, &first);
                pred(t, in->pdst[i]);
            }
    if (memory) {
        comma(t, &first);
        address(t, in);
    }
    for (unsigned i = memory; i < MIR_MAX_SRC; i++) {
        if (in->src[i].kind == MIR_SRC_NONE) continue;
        comma(t, &first);
        source(t, in, i);
    }
    if (in->op == MIR_LOP3 || in->op == MIR_LEA || (in->op == MIR_PLOP3)) {
        comma(t, &first);
        add(t, "0x%x", in->sub);
    }
    if (in->op == MIR_S2R || in->op == MIR_CS2R) {
        comma(t, &first);
        add(t, "%s", sreg_name(in->sub));
    }
    if (mir_op_traits(in->op) & MIR_BARRIER_SUB) {
        comma(t, &first);
        add(t, "B%u", in->sub);
    }
    if (in->op == MIR_BAR && in->src[0].kind == MIR_SRC_NONE) {
        comma(t, &first);
        add(t, "0x%x", (unsigned)in->imm);
    }
    if (mir_op_traits(in->op) & MIR_TARGET) {
        comma(t, &first);
        add(t, "%d", in->imm);
    }
    for (unsigned i = 0; i < 3; i++)
        if (in->psrc[i] != MIR_PT || (in->op == MIR_PLOP3) ||
            (i == 0 && (compares || in->op == MIR_SEL || in->op == MIR_FSEL ||
                        in->op == MIR_IMNMX || in->op == MIR_FMNMX))) {
            comma(t, &first);
            pred(t, in->psrc[i]);
        }
}

/* The control information. */
static void control_columns(struct text *t, const struct mir_inst *in) {
    add(t, "B");
    for (unsigned i = 0; i < MIR_NUM_BARRIERS; i++)
        add(t, "%c", in->wait >> i & 1 ? (char)('0' + i) : '-');
    add(t, ":R%c", in->rbar < MIR_NUM_BARRIERS ? (char)('0' + in->rbar) : '-');
    add(t, ":W%c", in->wbar < MIR_NUM_BARRIERS ? (char)('0' + in->wbar) : '-');
    add(t, ":%c:S%02u  ", in->yield ? 'Y' : '-', in->stall);
}

/* Writes one instruction as SASS-like text to out[0..size), cut where the buffer ends and always
 * ended by a zero if size is not 0: guard, mnemonic, modifiers, operands; with `control`, the
 * control columns first. No newline. @return characters needed, without the zero. */
int mir_print_inst(char *out, size_t size, const struct mir_inst *in, bool control) {
    struct text t = {out, size, 0};
    if (size) out[0] = '\0';
    if (control) control_columns(&t, in);
    if (in->guard != MIR_PT) {
        add(&t, "@");
        pred(&t, in->guard);
        add(&t, " ");
    }
    add(&t, "%s", mir_op_name(in->op));
    mods(&t, in);
    operands(&t, in);
    return t.n;
}
