/* lower_texture.c - handlers of textures and surfaces. Their operands are a handle, or the name
 * of a reference, and coordinates.
 *
 * A texture includes its sampler (texmode_unified). A launch puts the handle of a reference into
 * MIR_BANK_TEXTURE. These features are reported by name as not supported: offsets, comparison
 * with a depth, several samples, residency.
 *
 * Part of the PTX compiler, in the `heddle` process; runs on the thread that calls
 * ptx_compile(). A function that takes `lo` appends instructions to the block lo->cur, takes
 * registers and memory from `lo` and reports errors in it. An instruction takes over lo->pending,
 * and begins a block if lo->cur has ended; an operand may bind a register of a range. The function
 * changes nothing else unless its comment says so (lower.h). lower_dispatch.c calls the handlers,
 * lower_x(lo), by tables/ptx_ops.def. A handler lowers the PTX instruction at hand: it reads
 * lo->inst and lo->mods and emits code that writes the destination where lo->guard is true. It
 * reports a form that is not supported, or a wrong number of operands. TEX, TLD4, SULD and SUST
 * carry lo->guard themselves. */
#include "ptx/lower/lower_mods.h"
#include "ptx/lower/lower_short.h"

/* The index of the first word of the list that is a modifier of the instruction; -1: none. */
static int which(const struct lower *lo, const char *const *list, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (has(lo, list[i])) return (int)i;
    return -1;
}
#define WHICH(lo, list) which(lo, list, sizeof(list) / sizeof *(list))

/* Decodes the geometry (MIR_TEX_1D ... MIR_TEX_ACUBE) from the modifiers into *out. @return
 * false: reported. */
static bool geometry_of(struct lower *lo, unsigned *out) {
    static const char *const names[] = {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
    int g = WHICH(lo, names);
    if (g < 0) lower_unsupported(lo, "the geometry is none of 1d 2d 3d a1d a2d cube acube");
    *out = (unsigned)g;
    return g >= 0;
}
/* Does the geometry have a layer as its first coordinate? */
static bool layered(unsigned geometry) {
    return geometry == MIR_TEX_A1D || geometry == MIR_TEX_A2D || geometry == MIR_TEX_ACUBE;
}
/* The coordinates of a geometry, without the layer. */
static unsigned axes(unsigned geometry) {
    static const uint8_t n[] = {1, 2, 3, 1, 2, 3, 3};
    return n[geometry];
}

/* Element i of a vector operand; the operand itself if it is none. */
static const struct ptx_operand *element(const struct ptx_operand *o, unsigned i) {
    return o->kind == PTX_OPD_VEC ? o->sub[i] : o;
}

/* Joins the first n elements of a vector operand into one group; the first `first` are u32, the
 * others t. May emit copies. @return false: reported. */
static bool group(struct lower *lo, const struct ptx_operand *o, unsigned first, unsigned n,
                  struct ty t, struct lir_src *out) {
    struct value v = {.n = n <= 2 ? n : 4};
    unsigned given = o->kind == PTX_OPD_VEC ? o->n_sub : 1;
    if (given < n) {
        lower_error(lo, "there are %u coordinates where %u are wanted", given, n);
        return false;
    }
    for (unsigned i = 0; i < v.n; i++)
        v.w[i] = i < n ? src1(lo, element(o, i), i < first ? u32 : t) : RZ_SRC;
    if (lo->failed) return false;
    *out = as_group(lo, &v);
    return true;
}

/* Reads a handle, 64 bits, or the name of a reference, into *out. @return false: reported. */
static bool handle_of(struct lower *lo, const struct ptx_operand *o, struct lir_src *out) {
    struct value v = src(lo, o, b64);
    if (lo->failed) return false;
    *out = as_group(lo, &v);
    return true;
}

/* Reads the operand [handle, coordinates]. @return false: reported. */
static bool place(struct lower *lo, const struct ptx_operand *o, unsigned geometry, struct ty t,
                  struct lir_src *at, struct lir_src *handle) {
    if (o->kind != PTX_OPD_ADDR || o->n_sub < 2) {
        lower_error(lo, "a texture or surface and its coordinates are wanted in the brackets");
        return false;
    }
    if (o->n_sub > 2) {
        lower_unsupported(lo, "a sampler of its own (texmode_independent)");
        return false;
    }
    unsigned layer = layered(geometry);
    return handle_of(lo, o->sub[0], handle) &&
           group(lo, o->sub[1], layer, layer + axes(geometry), t, at);
}

/* ---- reading textures ----------------------------------------------------------------------- */

/* Decodes the types of result and coordinates; a result of f16 or f16x2 is packed. */
static bool types_of(struct lower *lo, struct ty *result, struct ty *coordinate) {
    const struct mods *m = &lo->mods;
    if (m->n_ty == 2) {
        *result = m->ty[0];
        *coordinate = m->ty[1];
        bool packed = result->packed && result->cls == TY_F;
        bool known = (result->bits == 32 && !result->packed && result->cls != TY_B &&
                      m->vec == 4) ||
                     (packed && m->vec == 2) ||
                     (result->cls == TY_F && result->bits == 16 && m->vec == 4);
        bool good = coordinate->bits == 32 && !coordinate->packed &&
                    (coordinate->cls == TY_F || coordinate->cls == TY_S);
        if (known && good) return true;
    }
    lower_unsupported(lo, "these types of result and coordinates");
    return false;
}

/* Emits the moves of the elements of group g to the registers of vector o. */
static void results(struct lower *lo, const struct ptx_operand *o, lir_vreg g, struct ty t) {
    for (unsigned i = 0; i < lo->mods.vec && !lo->failed; i++) {
        struct value e = lower_element_of(lo, g, i, t);
        lower_store_element(lo, o->sub[i], t, &e);
    }
}

/* Emits the level of detail from the gradients in operands 2 and 3. @return false: reported. */
static bool gradient(struct lower *lo, unsigned geometry, struct lir_src handle,
                     struct lir_src *lod) {
    unsigned flat = geometry == MIR_TEX_A1D   ? MIR_TEX_1D
                    : geometry == MIR_TEX_A2D ? MIR_TEX_2D
                                              : geometry;
    struct lir_src dx, dy;
    if (flat > MIR_TEX_3D) {
        lower_unsupported(lo, "gradients of cubes");
        return false;
    }
    if (!group(lo, opd(lo, 2), 0, axes(flat), f32, &dx) ||
        !group(lo, opd(lo, 3), 0, axes(flat), f32, &dy))
        return false;
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit3(lo, MIR_TXLOD, d, dx, handle, dy);
    in->m.sub = (uint8_t)flat;
    in->m.type = MIR_F32;
    *lod = lir_reg(d);
    return true;
}

/* Lowers tex or tld4: emits `op` with m.sub from `sub` and the geometry. `level` and `grad`: the
 * instruction gives the level of detail, or gradients. */
static void fetch(struct lower *lo, unsigned op, unsigned sub, unsigned geometry, bool level,
                  bool grad) {
    struct ty result, coordinate;
    struct lir_src at, handle, lod = NO_SRC;
    unsigned n = 2u + level + 2u * grad;
    if (!types_of(lo, &result, &coordinate)) return;
    const struct ptx_operand *o = opd(lo, 0);
    if (o->kind == PTX_OPD_PAIR || lo->inst->n_opd > n) {
        lower_unsupported(lo, "residency, offsets and comparison with a depth");
        return;
    }
    if (!operands(lo, n, n)) return;
    if (o->kind != PTX_OPD_VEC || o->n_sub != lo->mods.vec) {
        lower_error(lo, "the result is a vector of %u registers", lo->mods.vec);
        return;
    }
    if (!place(lo, opd(lo, 1), geometry, coordinate, &at, &handle)) return;
    if (level) lod = src1(lo, opd(lo, 2), coordinate);
    if (lo->failed || (grad && !gradient(lo, geometry, handle, &lod))) return;
    bool halves = result.bits == 16 || result.packed;
    lir_vreg g = lir_new_vregs(lo->fn, halves ? 2 : 4);
    lir_mark_scratch(lo->fn, g);
    struct lir_inst *in = emit(lo, op);
    in->dst = g;
    in->m.dst = 0;
    lir_set_src(in, 0, at);
    lir_set_src(in, 1, handle);
    lir_set_src(in, 2, lod);
    in->m.sub = (uint8_t)(sub | geometry | (level || grad ? MIR_TEX_LOD : 0));
    in->m.type = (uint8_t)(halves ? MIR_F16X2 : ty_mir(result));
    in->m.type2 = (uint8_t)ty_mir(coordinate);
    in->m.width = halves ? 8 : 16;
    in->m.space = MIR_SPACE_GLOBAL;
    in->m.cache = MIR_CACHE_NC;
    in->guard = lo->guard;
    results(lo, o, g, result);
}

/* tex, tex.level, tex.grad. */
void lower_tex(struct lower *lo) {
    unsigned geometry;
    if (geometry_of(lo, &geometry))
        fetch(lo, MIR_TEX, 0, geometry, has(lo, "level"), has(lo, "grad"));
}

/* tld4: one component of the four texels that a bilinear filter would read. */
void lower_tld4(struct lower *lo) {
    static const char *const components[] = {"r", "g", "b", "a"};
    unsigned geometry;
    int c = WHICH(lo, components);
    if (!geometry_of(lo, &geometry)) return;
    if (c < 0 || axes(geometry) < 2 || geometry == MIR_TEX_3D)
        lower_unsupported(lo, "%s", "");
    else
        fetch(lo, MIR_TLD4, (unsigned)c << MIR_TEX_COMPONENT, geometry, false, false);
}

/* ---- queries -------------------------------------------------------------------------------- */

/* Emits TXQ: a property of the texture or surface. @return a new register. */
static lir_vreg ask(struct lower *lo, unsigned property, struct lir_src handle,
                    struct lir_src level) {
    lir_vreg d = tmp(lo);
    struct lir_inst *in = emit2(lo, MIR_TXQ, d, handle, level);
    in->m.sub = (uint8_t)property;
    in->m.type = MIR_U32;
    return d;
}

/* txq, suq: the position in names[] is TXQ's number of the property. */
void lower_txq(struct lower *lo) {
    static const char *const names[] = {"width",         "height",
                                        "depth",         "channel_data_type",
                                        "channel_order", "normalized_coords",
                                        "array_size",    "num_mipmap_levels",
                                        "num_samples",   "filter_mode",
                                        "addr_mode_0",   "addr_mode_1",
                                        "addr_mode_2",   "memory_layout"};
    int what = WHICH(lo, names);
    bool level = has(lo, "level");
    struct lir_src handle, at = NO_SRC;
    if (what < 0 || lo->mods.n_ty != 1 || lo->mods.ty[0].bits != 32) {
        lower_unsupported(lo, "%s", "");
        return;
    }
    if (!operands(lo, 2u + level, 2u + level)) return;
    const struct ptx_operand *o = opd(lo, 1);
    if (o->kind != PTX_OPD_ADDR || o->n_sub != 1) {
        lower_error(lo, "a texture or surface is wanted in the brackets");
        return;
    }
    if (!handle_of(lo, o->sub[0], &handle)) return;
    if (level) at = src1(lo, opd(lo, 2), u32);
    if (lo->failed) return;
    struct value v = value_of_word(lir_reg(ask(lo, (unsigned)what, handle, at)));
    struct dest d = dst(lo, opd(lo, 0), u32);
    if (lo->failed) return;
    move_value(lo, d.word, &v);
    finish(lo, &d);
}

/* istypep: compares the kind of a handle; false for .samplerref. */
void lower_istypep(struct lower *lo) {
    enum { NOTHING_IS = 3, TEXTURE = 1, SURFACE = 2 };
    struct lir_src handle;
    if (!operands(lo, 2, 2) || !handle_of(lo, opd(lo, 1), &handle)) return;
    uint32_t kind = has(lo, "texref") ? TEXTURE : has(lo, "surfref") ? SURFACE : NOTHING_IS;
    struct value is = value_of_word(lir_reg(ask(lo, MIR_TXQ_KIND, handle, NO_SRC))),
                 wanted = value_of_word(lir_imm(kind));
    struct pdest p = dst_pred(lo, opd(lo, 0));
    if (lo->failed) return;
    compare_int_into(lo, p.pred, 0, MIR_CMP_EQ, false, &is, &wanted, MIR_AND, LIR_PT);
    finish_pred(lo, &p);
}

/* ---- surfaces ------------------------------------------------------------------------------- */

/* Decodes the geometry and the mode into *sub. @return the bytes of an access; 0: reported. */
static unsigned surface_form(struct lower *lo, unsigned *sub) {
    const struct mods *m = &lo->mods;
    unsigned geometry, bytes = m->n_ty == 1 ? m->vec * m->ty[0].bits / 8u : 0;
    bool formatted = has(lo, "p") && lo->inst->op == PTX_W_sust;
    bool known = bytes && bytes <= 16 && m->ty[0].cls == TY_B &&
                 (formatted ? m->ty[0].bits == 32 : has(lo, "b"));
    if (!geometry_of(lo, &geometry)) return 0;
    if (!known || geometry >= MIR_TEX_CUBE) {
        lower_unsupported(lo, "%s", "");
        return 0;
    }
    unsigned mode = has(lo, "clamp")  ? MIR_SURF_CLAMP
                    : has(lo, "zero") ? MIR_SURF_ZERO
                                      : MIR_SURF_TRAP;
    *sub = geometry | mode << MIR_SURF_MODE | (formatted ? MIR_SURF_FORMATTED : 0);
    return bytes;
}

/* Emits SULD or SUST of `bytes` bytes under lo->guard; the caller sets its data. */
static struct lir_inst *surface_access(struct lower *lo, unsigned op, unsigned sub, unsigned bytes,
                                       struct lir_src at, struct lir_src handle) {
    struct lir_inst *in = emit(lo, op);
    lir_set_src(in, 0, at);
    lir_set_src(in, 1, handle);
    in->m.sub = (uint8_t)sub;
    in->m.width = (uint8_t)bytes;
    in->m.type = bytes == 1 ? MIR_U8 : bytes == 2 ? MIR_U16 : MIR_U32;
    in->m.type2 = MIR_S32;
    in->m.space = MIR_SPACE_GLOBAL;
    in->guard = lo->guard;
    return in;
}

/* Reports a vector whose length is not that of the modifier. @return false: reported. */
static bool vector_fits(struct lower *lo, const struct ptx_operand *o) {
    unsigned n = o->kind == PTX_OPD_VEC ? o->n_sub : 1;
    if (n == lo->mods.vec) return true;
    lower_error(lo, "the vector has %u elements where %u are wanted", n, lo->mods.vec);
    return false;
}

/* suld.b: loads bytes as they lie in the surface. */
void lower_suld(struct lower *lo) {
    static const struct ty s32 = {TY_S, 32, false};
    unsigned sub = 0, bytes = surface_form(lo, &sub);
    struct lir_src at, handle;
    if (!bytes || !operands(lo, 2, 2)) return;
    const struct ptx_operand *o = opd(lo, 0);
    if (!vector_fits(lo, o) || !place(lo, opd(lo, 1), sub & MIR_TEX_GEOMETRY, s32, &at, &handle))
        return;
    lir_vreg g = lir_new_vregs(lo->fn, bytes <= 4 ? 1 : bytes / 4);
    lir_mark_scratch(lo->fn, g);
    struct lir_inst *in = surface_access(lo, MIR_SULD, sub, bytes, at, handle);
    in->dst = g;
    in->m.dst = 0;
    for (unsigned i = 0; i < lo->mods.vec && !lo->failed; i++) {
        struct value e = lower_element_of(lo, g, i, lo->mods.ty[0]);
        lower_store_element(lo, element(o, i), lo->mods.ty[0], &e);
    }
}

/* sust.b and sust.p, which converts to the surface's format. */
void lower_sust(struct lower *lo) {
    static const struct ty s32 = {TY_S, 32, false};
    unsigned sub = 0, bytes = surface_form(lo, &sub);
    struct lir_src at, handle, data;
    if (!bytes || !operands(lo, 2, 2)) return;
    const struct ptx_operand *o = opd(lo, 1);
    if (!vector_fits(lo, o) || !place(lo, opd(lo, 0), sub & MIR_TEX_GEOMETRY, s32, &at, &handle))
        return;
    if (lo->mods.vec > 1) {
        data = lower_gather(lo, o, lo->mods.ty[0], bytes);
    } else {
        struct value v = src(lo, element(o, 0), lo->mods.ty[0]);
        data = as_group(lo, &v);
    }
    if (lo->failed) return;
    lir_set_src(surface_access(lo, MIR_SUST, sub, bytes, at, handle), 2, data);
}
