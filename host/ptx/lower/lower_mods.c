/* lower_mods.c - decodes the modifiers (dotted words) of an instruction into struct mods.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). lower_dispatch.c calls mods_decode() before each handler. Each static
 * decode_x() sets the fields of *m that the word w stands for and returns false, with *m
 * unchanged, if w is a modifier of another kind. The functions emit no code, report no errors
 * and touch nothing but *m. */
#include "ptx/lower/lower_mods.h"

#include <string.h>

/* @return the type that a modifier names; TY_OTHER, 0 bits if it names none. */
struct ty ty_of_word(ptx_word w) {
    switch (w) {
    case PTX_W_b8: return (struct ty){TY_B, 8, false};
    case PTX_W_b16: return (struct ty){TY_B, 16, false};
    case PTX_W_b32: return (struct ty){TY_B, 32, false};
    case PTX_W_b64: return (struct ty){TY_B, 64, false};
    case PTX_W_b128: return (struct ty){TY_B, 128, false};
    case PTX_W_u8: return (struct ty){TY_U, 8, false};
    case PTX_W_u16: return (struct ty){TY_U, 16, false};
    case PTX_W_u32: return (struct ty){TY_U, 32, false};
    case PTX_W_u64: return (struct ty){TY_U, 64, false};
    case PTX_W_s8: return (struct ty){TY_S, 8, false};
    case PTX_W_s16: return (struct ty){TY_S, 16, false};
    case PTX_W_s32: return (struct ty){TY_S, 32, false};
    case PTX_W_s64: return (struct ty){TY_S, 64, false};
    case PTX_W_f16: return (struct ty){TY_F, 16, false};
    case PTX_W_f16x2: return (struct ty){TY_F, 32, true};
    case PTX_W_bf16: return (struct ty){TY_BF, 16, false};
    case PTX_W_bf16x2: return (struct ty){TY_BF, 32, true};
    case PTX_W_f32: return (struct ty){TY_F, 32, false};
    case PTX_W_f64: return (struct ty){TY_F, 64, false};
    case PTX_W_u16x2: return (struct ty){TY_U, 32, true};
    case PTX_W_s16x2: return (struct ty){TY_S, 32, true};
    case PTX_W_pred: return (struct ty){TY_PRED, 1, false};
    default: return (struct ty){TY_OTHER, 0, false};
    }
}

/* @return the MIR type of t; untyped bits become unsigned. */
mir_type ty_mir(struct ty t) {
    if (t.cls == TY_BF) return t.packed ? MIR_BF16X2 : MIR_BF16;
    if (t.cls == TY_F) {
        if (t.packed) return MIR_F16X2;
        return t.bits == 16 ? MIR_F16 : t.bits == 32 ? MIR_F32 : MIR_F64;
    }
    bool s = t.cls == TY_S;
    switch (t.bits) {
    case 8: return s ? MIR_S8 : MIR_U8;
    case 16: return s ? MIR_S16 : MIR_U16;
    case 32: return s ? MIR_S32 : MIR_U32;
    case 64: return s ? MIR_S64 : MIR_U64;
    case 128: return MIR_B128;
    default: return MIR_TYPE_NONE;
    }
}

/* .rn ... and .rni ... . */
static bool decode_round(struct mods *m, ptx_word w) {
    switch (w) {
    case PTX_W_rni: m->integral = true; /* fall through */
    case PTX_W_rn: m->round = MIR_ROUND_NEAREST; return true;
    case PTX_W_rzi: m->integral = true; /* fall through */
    case PTX_W_rz: m->round = MIR_ROUND_ZERO; return true;
    case PTX_W_rmi: m->integral = true; /* fall through */
    case PTX_W_rm: m->round = MIR_ROUND_DOWN; return true;
    case PTX_W_rpi: m->integral = true; /* fall through */
    case PTX_W_rp: m->round = MIR_ROUND_UP; return true;
    default: return false;
    }
}

/* .eq ... .nan; .ls and .hs are unsigned. */
static bool decode_cmp(struct mods *m, ptx_word w) {
    switch (w) {
    case PTX_W_eq: m->cmp = MIR_CMP_EQ; return true;
    case PTX_W_ne: m->cmp = MIR_CMP_NE; return true;
    case PTX_W_lt: m->cmp = MIR_CMP_LT; return true;
    case PTX_W_le: m->cmp = MIR_CMP_LE; return true;
    case PTX_W_gt: m->cmp = MIR_CMP_GT; return true;
    case PTX_W_ge: m->cmp = MIR_CMP_GE; return true;
    case PTX_W_equ: m->cmp = MIR_CMP_EQU; return true;
    case PTX_W_neu: m->cmp = MIR_CMP_NEU; return true;
    case PTX_W_ltu: m->cmp = MIR_CMP_LTU; return true;
    case PTX_W_leu: m->cmp = MIR_CMP_LEU; return true;
    case PTX_W_gtu: m->cmp = MIR_CMP_GTU; return true;
    case PTX_W_geu: m->cmp = MIR_CMP_GEU; return true;
    case PTX_W_num: m->cmp = MIR_CMP_NUM; return true;
    case PTX_W_nan: m->cmp = MIR_CMP_NAN; return true;
    case PTX_W_ls:
        m->cmp = MIR_CMP_LE;
        m->cmp_unsigned = true;
        return true;
    case PTX_W_hs:
        m->cmp = MIR_CMP_GE;
        m->cmp_unsigned = true;
        return true;
    default: return false;
    }
}

/* State spaces. */
static bool decode_space(struct mods *m, ptx_word w) {
    switch (w) {
    case PTX_W_global: m->space = PTX_SPACE_GLOBAL; return true;
    case PTX_W_shared:
    case PTX_W_shared_cta: m->space = PTX_SPACE_SHARED; return true;
    case PTX_W_local: m->space = PTX_SPACE_LOCAL; return true;
    case PTX_W_const_: m->space = PTX_SPACE_CONST; return true;
    case PTX_W_param:
    case PTX_W_param_entry:
    case PTX_W_param_func: m->space = PTX_SPACE_PARAM; return true;
    default: return false;
    }
}

/* Memory orders. */
static bool decode_sem(struct mods *m, ptx_word w) {
    switch (w) {
    case PTX_W_weak: m->sem = MIR_WEAK; return true;
    case PTX_W_volatile_: m->sem = MIR_VOLATILE; return true;
    case PTX_W_relaxed: m->sem = MIR_RELAXED; return true;
    case PTX_W_acquire: m->sem = MIR_ACQUIRE; return true;
    case PTX_W_release: m->sem = MIR_RELEASE; return true;
    case PTX_W_acq_rel: m->sem = MIR_ACQ_REL; return true;
    case PTX_W_sc: m->sem = MIR_SC; return true;
    case PTX_W_mmio: m->sem = MIR_RELAXED; return true; /* always relaxed.sys */
    default: return false;
    }
}

/* Scopes; .gl is .gpu. */
static bool decode_scope(struct mods *m, ptx_word w) {
    switch (w) {
    case PTX_W_cta: m->scope = MIR_SCOPE_CTA; break;
    case PTX_W_cluster: m->scope = MIR_SCOPE_CLUSTER; break;
    case PTX_W_gpu:
    case PTX_W_gl: m->scope = MIR_SCOPE_GPU; break;
    case PTX_W_sys: m->scope = MIR_SCOPE_SYS; break;
    default: return false;
    }
    m->has_scope = true;
    return true;
}

/* Cache operators. */
static bool decode_cache(struct mods *m, ptx_word w) {
    switch (w) {
    case PTX_W_ca: m->cache = MIR_CACHE_CA; break;
    case PTX_W_cg: m->cache = MIR_CACHE_CG; break;
    case PTX_W_cs: m->cache = MIR_CACHE_CS; break;
    case PTX_W_lu: m->cache = MIR_CACHE_LU; break;
    case PTX_W_cv: m->cache = MIR_CACHE_CV; break;
    case PTX_W_wb: m->cache = MIR_CACHE_WB; break;
    case PTX_W_wt: m->cache = MIR_CACHE_WT; break;
    case PTX_W_nc: m->cache = MIR_CACHE_NC; break;
    default: return false;
    }
    m->has_cache = true;
    return true;
}

/* All other kinds; also sets their bit in m->seen, which mods_decode() does for the rest. */
static bool decode_other(struct mods *m, ptx_word w) {
    switch (w) {
    case PTX_W_ftz:
        m->ftz = true;
        m->seen |= M_FTZ;
        return true;
    case PTX_W_sat:
        m->sat = true;
        m->seen |= M_SAT;
        return true;
    case PTX_W_lo:
    case PTX_W_hi:
    case PTX_W_wide:
        m->mulmode = w;
        m->seen |= M_MULMODE;
        return true;
    case PTX_W_cc:
        m->cc = true;
        m->seen |= M_CC;
        return true;
    case PTX_W_approx:
        m->approx = true;
        m->seen |= M_APPROX;
        return true;
    case PTX_W_full:
        m->full = true;
        m->seen |= M_APPROX;
        return true;
    case PTX_W_add:
    case PTX_W_min:
    case PTX_W_max:
    case PTX_W_inc:
    case PTX_W_dec:
    case PTX_W_and_:
    case PTX_W_or_:
    case PTX_W_xor_:
    case PTX_W_exch:
    case PTX_W_cas:
        m->op = w;
        m->seen |= M_OP;
        return true;
    case PTX_W_v2:
        m->vec = 2;
        m->seen |= M_VEC;
        return true;
    case PTX_W_v4:
        m->vec = 4;
        m->seen |= M_VEC;
        return true;
    case PTX_W_sync:
    case PTX_W_aligned: m->seen |= M_SYNC; return true;
    case PTX_W_uni: m->seen |= M_UNI; return true;
    case PTX_W_NaN:
        m->nan = true;
        m->seen |= M_NAN;
        return true;
    case PTX_W_l1_evict_normal:
    case PTX_W_l1_evict_unchanged:
    case PTX_W_l1_evict_first:
    case PTX_W_l1_evict_last:
    case PTX_W_l1_no_allocate:
    case PTX_W_l2_64b:
    case PTX_W_l2_128b:
    case PTX_W_l2_256b: m->seen |= M_HINT; return true;
    case PTX_W_l2_cache_hint:
        m->hint_operand = true;
        m->seen |= M_HINT;
        return true;
    default: return false;
    }
}

/* Fills *m from the modifiers of `in`, whatever its opcode. */
void mods_decode(struct mods *m, const struct ptx_inst *in) {
    *m = (struct mods){.vec = 1, .scope = MIR_SCOPE_GPU};
    for (uint32_t i = 0; i < in->n_mod; i++) {
        ptx_word w = in->mod[i];
        struct ty t = ty_of_word(w);
        if (t.bits && m->n_ty < MODS_MAX_TYPES) {
            m->ty[m->n_ty++] = t;
            m->seen |= M_TYPE;
        } else if (decode_round(m, w)) {
            m->seen |= M_ROUND;
        } else if (decode_cmp(m, w)) {
            m->seen |= M_CMP;
        } else if (decode_space(m, w)) {
            m->seen |= M_SPACE;
        } else if (decode_sem(m, w)) {
            m->seen |= M_SEM;
        } else if (decode_scope(m, w)) {
            m->seen |= M_SCOPE;
        } else if (decode_cache(m, w)) {
            m->seen |= M_CACHE;
        } else if (!decode_other(m, w)) {
            m->seen |= M_EXTRA;
            if (m->n_extra < MODS_MAX_EXTRA)
                m->extra[m->n_extra++] = w;
            else
                m->seen |= M_TOO_MANY;
        }
    }
}

/* @return whether w is among the modifiers that mods_decode() has no field for. */
bool mods_has_extra(const struct mods *m, ptx_word w) {
    for (unsigned i = 0; i < m->n_extra; i++)
        if (m->extra[i] == w) return true;
    return false;
}

/* Is `text` the text of word w? */
bool mods_is(const struct lower *lo, ptx_word w, const char *text) {
    return strcmp(ptx_words_text(lo->words, w), text) == 0;
}

/* Is w an L2::evict_... hint? */
bool mods_is_l2_hint(const struct lower *lo, ptx_word w) {
    return strncmp(ptx_words_text(lo->words, w), "L2::evict_", 10) == 0;
}
