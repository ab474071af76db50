/* lower_memory.c - handlers of loads, stores, atomics, fences and prefetches, and the addresses
 * that other families use.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. All accesses but those of
 * constant memory carry lo->guard themselves. Handlers may change lo->mods. */
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_short.h"
#include "ptx/lower/lower.h"

/* ---- addresses ------------------------------------------------------------------------------ */

enum { OFFSET_LIMIT = 1 << 23 }; /* the hardware's offset has 24 bits, signed */

/* Sets a->base to the register that o names; may emit copies that make it a pair. */
static void base_register(struct lower *lo, struct address *a, const struct ptx_operand *o) {
    struct ptx_operand plain = *o;
    plain.offset = 0;
    struct lower_symbol *s = lower_lookup(lo, o->name);
    struct ty t = {TY_B, s->ty.bits, false};
    struct value v = src(lo, &plain, t);
    if (space_is_wide(a->space)) {
        if (v.n == 1) v = (struct value){.w = {v.w[0], RZ_SRC}, .n = 2};
        a->base = as_group(lo, &v);
        if (a->base.kind == MIR_SRC_REG && a->base.value == 0) a->base = RZ_SRC;
    } else {
        a->base = v.w[0]; /* shared, local, constant addresses have 32 bits */
    }
}

/* Reads an address operand into *a; emits an addition where the offset exceeds an instruction's
 * field. @return false: not an address, which is reported. */
bool lower_address(struct lower *lo, const struct ptx_operand *o, struct address *a) {
    *a = (struct address){.space = lo->mods.space, .base = NO_SRC};
    const struct ptx_operand *b = o;
    if (o->kind == PTX_OPD_ADDR) {
        if (o->n_sub != 1) {
            lower_unsupported(lo, "an address of several parts");
            return false;
        }
        b = o->sub[0];
    }
    if (b->kind == PTX_OPD_CONST) {
        a->offset = (int64_t)b->value.bits;
    } else if (b->kind == PTX_OPD_NAME) {
        struct lower_symbol *s = lower_lookup(lo, b->name);
        if (!s) {
            lower_error(lo, "'%s' is not declared; an address is a register or a variable",
                        ptx_words_text(lo->words, b->name));
            return false;
        }
        a->offset = b->offset * (b->indexed && s->elem_bytes ? (int64_t)s->elem_bytes : 1);
        switch (s->kind) {
        case SYM_REG:
            /* in a function, a register has the address of a parameter's copy (SYM_PARAM) */
            if (a->space == PTX_SPACE_PARAM && !lo->frame->func->is_entry)
                a->space = PTX_SPACE_LOCAL;
            base_register(lo, a, b);
            break;
        case SYM_GLOBAL: {
            struct ptx_operand plain = *b;
            plain.offset = 0;
            struct value v = src(lo, &plain, b64);
            a->base = as_group(lo, &v);
            break;
        }
        case SYM_VAR:
            if (a->space == PTX_SPACE_NONE) a->space = s->space;
            a->offset += (int64_t)s->offset;
            if (s->based) a->base = lir_reg(lo->stack);
            break;
        case SYM_KPARAM:
            if (a->space == PTX_SPACE_NONE) a->space = PTX_SPACE_PARAM;
            a->offset += (int64_t)s->offset;
            break;
        case SYM_PARAM:
            if (s->in_memory) {
                a->space = PTX_SPACE_LOCAL;
                a->offset += (int64_t)s->offset;
                if (s->based) a->base = lir_reg(lo->stack);
            } else {
                a->param = s;
            }
            break;
        default:
            lower_error(lo, "'%s' has no address", ptx_words_text(lo->words, b->name));
            return false;
        }
    } else {
        lower_error(lo, "an address is a register, a variable or a number, in brackets");
        return false;
    }
    if (lo->failed) return false;
    if (a->param) return true;
    bool far = a->offset >= OFFSET_LIMIT || a->offset < -OFFSET_LIMIT;
    if (space_is_wide(a->space) && (far || a->base.kind == MIR_SRC_NONE)) {
        lir_vreg sum = tmp_pair(lo);
        struct value off = value_imm64((uint64_t)a->offset);
        if (a->base.kind == MIR_SRC_NONE) {
            move_value(lo, sum, &off);
        } else {
            struct lir_src h = a->base;
            if (h.kind == MIR_SRC_CONST)
                h.value += 4;
            else if (h.value)
                h.value += 1;
            struct value base = {.w = {a->base, h}, .n = 2};
            add64(lo, sum, &base, &off);
        }
        a->base = lir_reg(sum);
        a->offset = 0;
    } else if (far && a->base.kind != MIR_SRC_NONE) {
        lir_vreg sum = tmp(lo);
        emit3(lo, MIR_IADD3, sum, a->base, lir_imm((uint32_t)a->offset), RZ_SRC);
        a->base = lir_reg(sum);
        a->offset = 0;
    }
    return true;
}

/* The mir_space of an enum ptx_space. */
static unsigned mir_space_of(unsigned space) {
    switch (space) {
    case PTX_SPACE_GLOBAL: return MIR_SPACE_GLOBAL;
    case PTX_SPACE_SHARED: return MIR_SPACE_SHARED;
    case PTX_SPACE_LOCAL: return MIR_SPACE_LOCAL;
    case PTX_SPACE_CONST:
    case PTX_SPACE_PARAM: return MIR_SPACE_CONST;
    default: return MIR_SPACE_GENERIC;
    }
}

/* Fills the address fields of `in` from *a, and order, scope and cache operator from lo->mods. */
void lower_set_address(struct lower *lo, struct lir_inst *in, const struct address *a) {
    lir_set_src(in, 0, a->base);
    in->m.imm = (int32_t)a->offset;
    in->m.space = (uint8_t)mir_space_of(a->space);
    in->m.sem = (uint8_t)lo->mods.sem;
    in->m.scope = (uint8_t)lo->mods.scope;
    in->m.cache = (uint8_t)lo->mods.cache;
    if (space_is_wide(a->space)) in->m.flags |= MIR_ADDR64;
}

/* ---- parameters of calls, in words ---------------------------------------------------------- */

/* Emits the extraction of bytes [at, at + n) of a call's parameter. n is at most 4 and the bytes
 * lie in one word. */
static struct lir_src param_bytes(struct lower *lo, const struct lower_symbol *p, uint64_t at,
                                  unsigned n, bool is_signed) {
    struct lir_src w = lir_reg(p->words[at / 4]);
    unsigned byte = at % 4;
    if (n == 4) return w;
    if (byte) {
        lir_vreg d = tmp(lo);
        struct lir_inst *in = emit2(lo, MIR_SHF, d, w, lir_imm(8 * byte));
        in->m.flags |= MIR_RIGHT;
        in->m.type = MIR_U32;
        w = lir_reg(d);
    }
    return extend(lo, w, 8 * n, is_signed);
}

/* Reports an access of `bytes` bytes that leaves its parameter or is not a multiple of `each`
 * bytes from its begin. @return false: reported. */
static bool param_range(struct lower *lo, const struct address *a, unsigned bytes, unsigned each) {
    if (a->offset >= 0 && (uint64_t)a->offset + bytes <= a->param->size && a->offset % each == 0)
        return true;
    lower_error(lo, "this access lies outside its parameter or is not aligned to its size");
    return false;
}

/* Emits, under lo->guard, the write of v to bytes [at, at + n) of a call's parameter; n is at
 * most 4 and the bytes lie in one word. */
static void set_param_bytes(struct lower *lo, const struct lower_symbol *p, uint64_t at, unsigned n,
                            struct lir_src v) {
    lir_vreg w = p->words[at / 4];
    struct lir_inst *in;
    if (n == 4) {
        in = emit1(lo, MIR_MOV, w, v);
    } else if (n == p->size) { /* the only value in its word */
        in = emit1(lo, MIR_MOV, w, v);
    } else {
        static const uint32_t byte[4] = {0x3214, 0x3240, 0x3410, 0x4210};
        uint32_t sel = n == 2 ? (at % 4 ? 0x5410 : 0x3254) : byte[at % 4];
        in = emit3(lo, MIR_PRMT, w, lir_reg(w), lir_imm(sel), v);
    }
    in->guard = lo->guard;
}

/* ---- loads ---------------------------------------------------------------------------------- */

/* The type of the register that o names; t if o is not a register. */
static struct ty register_type(struct lower *lo, const struct ptx_operand *o, struct ty t) {
    struct lower_symbol *s = o->kind == PTX_OPD_NAME ? lower_lookup(lo, o->name) : NULL;
    return s && s->kind == SYM_REG ? s->ty : t;
}

/* Emits the move of a loaded element to its register, extended to the register's width. */
void lower_store_element(struct lower *lo, const struct ptx_operand *o, struct ty t,
                         const struct value *e) {
    if (o->kind == PTX_OPD_SINK) return;
    struct ty rt = register_type(lo, o, t);
    if (rt.bits < t.bits) rt = t; /* dst() reports the error */
    struct dest d = dst(lo, o, rt);
    if (lo->failed) return;
    for (unsigned k = 0; k < d.n; k++) {
        if (k < e->n) {
            emit1(lo, MIR_MOV, d.word + k, e->w[k]);
        } else if (ty_is_signed(t)) {
            struct lir_inst *in = emit2(lo, MIR_SHF, d.word + k, e->w[0], lir_imm(31));
            in->m.flags |= MIR_RIGHT;
            in->m.type = MIR_S32;
        } else {
            emit1(lo, MIR_MOV, d.word + k, RZ_SRC);
        }
    }
    finish(lo, &d);
}

/* Emits the extraction of element i of type t from the words of group g. */
struct value lower_element_of(struct lower *lo, lir_vreg g, unsigned i, struct ty t) {
    if (t.bits == 64) return value_of_pair(g + 2 * i);
    if (t.bits == 32) return value_of_word(lir_reg(g + i));
    unsigned bit = i * t.bits, byte = bit % 32 / 8;
    lir_vreg d = tmp(lo);
    if (ty_is_signed(t)) { /* a selector of 8 + byte repeats its sign */
        uint32_t sign = t.bits == 8 ? 8 | byte : 9 | byte;
        uint32_t sel = t.bits == 8 ? sign << 12 | sign << 8 | sign << 4 | byte
                                   : sign << 12 | sign << 8 | (byte + 1) << 4 | byte;
        emit3(lo, MIR_PRMT, d, lir_reg(g + bit / 32), lir_imm(sel), RZ_SRC);
    } else {
        uint32_t sel = t.bits == 8 ? 0x4440 | byte : 0x4400 | (byte + 1) << 4 | byte;
        emit3(lo, MIR_PRMT, d, lir_reg(g + bit / 32), lir_imm(sel), RZ_SRC);
    }
    return value_of_word(lir_reg(d));
}

/* Element i of a vector operand; the operand itself if it is none. */
static const struct ptx_operand *element_operand(const struct ptx_operand *o, unsigned i) {
    return o->kind == PTX_OPD_VEC ? o->sub[i] : o;
}

/* Lowers ld.param of a call's parameter, held in registers, to operand o. */
static void load_param_words(struct lower *lo, const struct address *a, const struct ptx_operand *o,
                             struct ty t) {
    unsigned each = t.bits / 8u;
    if (!param_range(lo, a, each * lo->mods.vec, each)) return;
    for (unsigned i = 0; i < lo->mods.vec; i++) {
        uint64_t at = (uint64_t)a->offset + i * each;
        struct value e = {.n = ty_words(t)};
        if (e.n == 1)
            e.w[0] = param_bytes(lo, a->param, at, each, ty_is_signed(t));
        else
            for (unsigned k = 0; k < e.n; k++) e.w[k] = lir_reg(a->param->words[at / 4 + k]);
        lower_store_element(lo, element_operand(o, i), t, &e);
    }
}

/* Lowers a load from constant or kernel-parameter memory. A word at a known offset becomes an
 * operand. A narrow value, or one at an offset in a register, needs an LDC. */
static void load_constant(struct lower *lo, const struct address *a, const struct ptx_operand *o,
                          struct ty t) {
    unsigned bank = a->space == PTX_SPACE_PARAM ? MIR_BANK_LAUNCH : MIR_BANK_USER;
    unsigned each = t.bits / 8u;
    for (unsigned i = 0; i < lo->mods.vec; i++) {
        int64_t at = a->offset + (int64_t)(i * each);
        struct value e = {.n = ty_words(t)};
        if (a->base.kind == MIR_SRC_NONE && each >= 4) {
            for (unsigned k = 0; k < e.n; k++) e.w[k] = lir_const(bank, (uint32_t)at + 4 * k);
        } else {
            lir_vreg g = lir_new_vregs(lo->fn, e.n);
            struct lir_inst *in = emit1(lo, MIR_LDC, g, a->base);
            in->m.sub = (uint8_t)bank;
            in->m.imm = (int32_t)at;
            in->m.width = (uint8_t)each;
            in->m.type = (uint8_t)ty_mir((struct ty){t.cls == TY_S ? TY_S : TY_U, t.bits, false});
            in->m.space = MIR_SPACE_CONST;
            for (unsigned k = 0; k < e.n; k++) e.w[k] = lir_reg(g + k);
        }
        lower_store_element(lo, element_operand(o, i), t, &e);
    }
}

/* @return the MIR load of a state space (enum ptx_space); generic and others: LD. */
unsigned lower_load_op(unsigned space) {
    switch (space) {
    case PTX_SPACE_GLOBAL: return MIR_LDG;
    case PTX_SPACE_SHARED: return MIR_LDS;
    case PTX_SPACE_LOCAL: return MIR_LDL;
    default: return MIR_LD;
    }
}

/* @return the MIR store of a state space, likewise. */
unsigned lower_store_op(unsigned space) {
    switch (space) {
    case PTX_SPACE_GLOBAL: return MIR_STG;
    case PTX_SPACE_SHARED: return MIR_STS;
    case PTX_SPACE_LOCAL: return MIR_STL;
    default: return MIR_ST;
    }
}

/* Reports types, vector sizes and operands that loads and stores do not have. @return false:
 * reported. */
static bool check_access(struct lower *lo, const struct ptx_operand *o, struct ty t) {
    unsigned vec = lo->mods.vec;
    if (lo->mods.n_ty != 1 || t.bits < 8 || (t.bits > 64 && vec > 1) || t.cls == TY_PRED ||
        vec * t.bits > 128 || (vec == 1) == (o->kind == PTX_OPD_VEC)) {
        lower_unsupported(lo, "%s", "");
        return false;
    }
    if (o->kind == PTX_OPD_VEC && o->n_sub != vec) {
        lower_error(lo, "the vector has %u elements where .v%u wants %u", o->n_sub, vec, vec);
        return false;
    }
    return true;
}

/* The MIR type of an access; it says how a narrow value is extended. */
static mir_type access_type(struct ty t, unsigned bytes) {
    if (bytes < 4)
        return ty_mir((struct ty){ty_is_signed(t) ? TY_S : TY_U, (uint8_t)(8 * bytes), 0});
    return bytes == 4 ? MIR_U32 : bytes == 8 ? MIR_U64 : MIR_B128;
}

/* ld, ldu. A single element is loaded into its register under lo->guard; a vector goes through
 * scratch registers. */
void lower_ld(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    unsigned vec = lo->mods.vec, bytes = vec * t.bits / 8u;
    struct address a;
    if (!operands(lo, 2, 2u + lo->mods.hint_operand)) return;
    const struct ptx_operand *o = opd(lo, 0);
    if (!check_access(lo, o, t) || !lower_address(lo, opd(lo, 1), &a)) return;
    if (lo->mods.sem > MIR_ACQUIRE) {
        lower_unsupported(lo, "a load has no release semantics");
        return;
    }
    if (a.param) {
        load_param_words(lo, &a, o, t);
        return;
    }
    if (a.space == PTX_SPACE_PARAM || a.space == PTX_SPACE_CONST) {
        load_constant(lo, &a, o, t);
        return;
    }
    unsigned words = bytes <= 4 ? 1 : bytes / 4;
    /* a single element is loaded directly to its register; under a guard it has to be */
    struct ty rt = vec == 1 ? register_type(lo, o, t) : t;
    bool direct = vec == 1 && o->kind == PTX_OPD_NAME && ty_words(rt) == words;
    lir_vreg g;
    if (direct) {
        struct dest d = dst(lo, o, rt);
        if (lo->failed) return;
        g = d.real ? d.real : d.word;
    } else {
        g = lir_new_vregs(lo->fn, words);
        lir_mark_scratch(lo->fn, g);
    }
    struct lir_inst *in = emit(lo, lower_load_op(a.space));
    in->dst = g;
    in->m.dst = 0;
    in->m.width = (uint8_t)bytes;
    in->m.type = (uint8_t)access_type(t, bytes);
    lower_set_address(lo, in, &a);
    in->guard = lo->guard;
    if (direct) return;
    for (unsigned i = 0; i < vec; i++) {
        struct value e = vec == 1 ? value_of_word(lir_reg(g)) : lower_element_of(lo, g, i, t);
        if (vec == 1 && t.bits == 64) e = value_of_pair(g);
        lower_store_element(lo, element_operand(o, i), t, &e);
    }
}

/* ---- stores --------------------------------------------------------------------------------- */

/* Lowers st.param to a call's parameter, held in registers. */
static void store_param_words(struct lower *lo, const struct address *a,
                              const struct ptx_operand *o, struct ty t) {
    unsigned each = t.bits / 8u;
    if (!param_range(lo, a, each * lo->mods.vec, each)) return;
    for (unsigned i = 0; i < lo->mods.vec; i++) {
        uint64_t at = (uint64_t)a->offset + i * each;
        struct value v = src(lo, element_operand(o, i), t);
        for (unsigned k = 0; k < v.n; k++)
            set_param_bytes(lo, a->param, at + 4 * k, each < 4 ? each : 4, v.w[k]);
    }
}

/* Joins the elements of vector operand o, each of type t, into one group of words, `bytes` in all:
 * emits PRMTs that pack narrow elements, and copies unless the words are adjacent. @return the
 * group. */
struct lir_src lower_gather(struct lower *lo, const struct ptx_operand *o, struct ty t,
                            unsigned bytes) {
    struct value all = {.n = bytes <= 4 ? 1 : bytes / 4};
    unsigned per_word = t.bits < 32 ? 32u / t.bits : 1;
    for (unsigned i = 0; i < lo->mods.vec; i++) {
        struct value e = src(lo, o->sub[i], t);
        if (t.bits >= 32) {
            for (unsigned k = 0; k < e.n; k++) all.w[i * e.n + k] = e.w[k];
        } else if (i % per_word == 0) {
            all.w[i / per_word] = e.w[0];
        } else {
            unsigned at = i % per_word;
            lir_vreg d = tmp(lo);
            uint32_t sel = t.bits == 16 ? 0x5410 : at == 1 ? 0x3240 : at == 2 ? 0x3410 : 0x4210;
            emit3(lo, MIR_PRMT, d, all.w[i / per_word], lir_imm(sel), e.w[0]);
            all.w[i / per_word] = lir_reg(d);
        }
    }
    return as_group(lo, &all);
}

/* st. Data of several registers is gathered into one group first. */
void lower_st(struct lower *lo) {
    struct ty t = lo->mods.ty[0];
    unsigned vec = lo->mods.vec, bytes = vec * t.bits / 8u;
    struct address a;
    if (!operands(lo, 2, 2u + lo->mods.hint_operand)) return;
    const struct ptx_operand *o = opd(lo, 1);
    if (!check_access(lo, o, t) || !lower_address(lo, opd(lo, 0), &a)) return;
    if (lo->mods.sem == MIR_ACQUIRE || lo->mods.sem > MIR_RELEASE) {
        lower_unsupported(lo, "a store has weak, relaxed or release semantics");
        return;
    }
    if (a.param) {
        store_param_words(lo, &a, o, t);
        return;
    }
    if (a.space == PTX_SPACE_CONST || a.space == PTX_SPACE_PARAM) {
        lower_unsupported(lo, "this memory cannot be written");
        return;
    }
    struct lir_src data;
    if (vec > 1) {
        data = lower_gather(lo, o, t, bytes);
    } else {
        struct value v = src(lo, o, t);
        data = as_group(lo, &v);
    }
    struct lir_inst *in = emit(lo, lower_store_op(a.space));
    if (!lo->mods.has_cache) lo->mods.cache = MIR_CACHE_WB;
    lower_set_address(lo, in, &a);
    if (lo->locked && space_is_wide(a.space)) {
        in->m.flags |= MIR_LOCKED;
        lo->locked = false;
    }
    lir_set_src(in, 1, data);
    in->m.width = (uint8_t)bytes;
    in->m.type = (uint8_t)access_type(t, bytes);
    in->guard = lo->guard;
}

/* ---- atomics -------------------------------------------------------------------------------- */

/* Sets *op (MIR_ATOM_...) from lo->mods.op. @return false: no atomic of this type exists. */
static bool atom_op(struct lower *lo, struct ty t, unsigned *op) {
    bool wide_int = !ty_is_float(t) && (t.bits == 32 || t.bits == 64);
    switch (lo->mods.op) {
    case PTX_W_add: *op = MIR_ATOM_ADD; return wide_int ? t.cls != TY_B : ty_is_float(t);
    case PTX_W_min: *op = MIR_ATOM_MIN; return wide_int && t.cls != TY_B;
    case PTX_W_max: *op = MIR_ATOM_MAX; return wide_int && t.cls != TY_B;
    case PTX_W_inc: *op = MIR_ATOM_INC; return t.cls == TY_U && t.bits == 32;
    case PTX_W_dec: *op = MIR_ATOM_DEC; return t.cls == TY_U && t.bits == 32;
    case PTX_W_and_: *op = MIR_ATOM_AND; return wide_int && t.cls == TY_B;
    case PTX_W_or_: *op = MIR_ATOM_OR; return wide_int && t.cls == TY_B;
    case PTX_W_xor_: *op = MIR_ATOM_XOR; return wide_int && t.cls == TY_B;
    case PTX_W_exch: *op = MIR_ATOM_EXCH; return t.cls == TY_B && t.bits >= 32;
    case PTX_W_cas: *op = MIR_ATOM_CAS; return t.cls == TY_B && t.bits >= 16;
    default: return false;
    }
}

/* atom, red. Without a result it becomes RED. Weak becomes relaxed. */
void lower_atom(struct lower *lo) {
    struct mods *m = &lo->mods;
    struct ty t = m->ty[0];
    bool red = lo->inst->op == PTX_W_red, noftz = mods_has_extra(m, PTX_W_noftz);
    unsigned op = 0, first = red ? 0 : 1;
    struct address a;
    bool known = m->n_ty == 1 && m->n_extra == noftz && atom_op(lo, t, &op) &&
                 (m->space == PTX_SPACE_NONE || m->space == PTX_SPACE_GLOBAL ||
                  m->space == PTX_SPACE_SHARED) &&
                 m->sem != MIR_VOLATILE && m->sem != MIR_SC;
    if (!known || (red && (op == MIR_ATOM_CAS || op == MIR_ATOM_EXCH))) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    unsigned n = first + 2u + (op == MIR_ATOM_CAS);
    if (!operands(lo, n, n + m->hint_operand) || !lower_address(lo, opd(lo, first), &a)) return;
    struct value b = src(lo, opd(lo, first + 1), t), c = {.n = 0};
    if (op == MIR_ATOM_CAS) c = src(lo, opd(lo, first + 2), t);
    struct lir_src bs = as_group(lo, &b), cs = op == MIR_ATOM_CAS ? as_group(lo, &c) : NO_SRC;
    bool wants = !red && opd(lo, 0)->kind != PTX_OPD_SINK;
    bool no_result = !wants && op != MIR_ATOM_CAS && op != MIR_ATOM_EXCH;
    bool shared = a.space == PTX_SPACE_SHARED;
    lir_vreg g = 0;
    if (wants) {
        struct dest d = dst(lo, opd(lo, 0), t);
        if (lo->failed) return;
        g = d.real ? d.real : d.word;
    }
    struct lir_inst *in = emit(lo, no_result                     ? (shared ? MIR_REDS : MIR_RED)
                                   : shared                      ? MIR_ATOMS
                                   : a.space == PTX_SPACE_GLOBAL ? MIR_ATOMG
                                                                 : MIR_ATOM);
    if (m->sem == MIR_WEAK) m->sem = MIR_RELAXED;
    lower_set_address(lo, in, &a);
    lir_set_src(in, 1, bs);
    lir_set_src(in, 2, cs);
    if (g) {
        in->dst = g;
        in->m.dst = 0;
    }
    in->m.sub = (uint8_t)op;
    in->m.type = (uint8_t)ty_mir(t);
    in->m.width = (uint8_t)(t.bits / 8);
    in->guard = lo->guard;
}

/* ---- fences, prefetch ----------------------------------------------------------------------- */

/* Emits, under lo->guard, a MEMBAR of order `sem` and scope lo->mods.scope. */
static void fence(struct lower *lo, mir_sem sem) {
    struct lir_inst *in = emit(lo, MIR_MEMBAR);
    in->m.sem = (uint8_t)sem;
    in->m.scope = (uint8_t)lo->mods.scope;
    in->guard = lo->guard;
}

/* membar.cta, .gl, .sys: a sequentially consistent fence. */
void lower_membar(struct lower *lo) {
    if (!operands(lo, 0, 0)) return;
    if (!lo->mods.has_scope)
        lower_unsupported(lo, "%s", "");
    else
        fence(lo, MIR_SC);
}

/* fence, also of proxies and mbarrier_init, which become acquire-release fences. */
void lower_fence(struct lower *lo) {
    struct mods *m = &lo->mods;
    if (!operands(lo, 0, 0)) return;
    bool async = m->n_extra &&
                 (m->extra[0] == PTX_W_proxy || mods_is(lo, m->extra[0], "mbarrier_init"));
    if (m->sem == MIR_VOLATILE || m->sem == MIR_RELAXED || (m->n_extra && !async) ||
        (!async && !m->has_scope)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    if (async && !m->has_scope) m->scope = MIR_SCOPE_CTA; /* no separate async proxy */
    fence(lo, m->sem == MIR_WEAK ? MIR_ACQ_REL : m->sem);
}

/* A prefetch changes no value. One of global memory into L1 or L2 moves a line; others do
 * nothing. */
void lower_prefetch(struct lower *lo) {
    struct mods *m = &lo->mods;
    struct address a;
    bool local = m->space == PTX_SPACE_LOCAL,
         hint = (m->seen & M_HINT) != 0 || m->n_extra != 1 || mods_is_l2_hint(lo, m->extra[0]);
    if (!operands(lo, 1, 1)) return;
    if ((!hint && m->extra[0] != PTX_W_L1 && m->extra[0] != PTX_W_L2) || m->n_extra > 1 ||
        (m->space != PTX_SPACE_NONE && m->space != PTX_SPACE_GLOBAL && !local)) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    if (!lower_address(lo, opd(lo, 0), &a) || local) return;
    struct lir_inst *in = emit(lo, MIR_PREFETCH);
    lower_set_address(lo, in, &a);
    in->m.width = 4;
    in->guard = lo->guard;
}

/* applypriority and discard emit nothing: the cache alone decides which lines it keeps. */
void lower_cache_hint(struct lower *lo) {
    struct address a;
    if (!operands(lo, 2, 2)) return;
    (void)lower_address(lo, opd(lo, 0), &a);
}

/* A cache policy has no effect: emits a constant in its place. */
void lower_createpolicy(struct lower *lo) {
    struct ty t = {TY_B, 64, false};
    struct value zero = value_imm64(0);
    if (lo->inst->n_opd < 1) return;
    struct dest d = dst(lo, opd(lo, 0), t);
    move_value(lo, d.word, &zero);
    finish(lo, &d);
}
