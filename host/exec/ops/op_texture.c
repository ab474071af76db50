/* op_texture.c - executes TEX, TLD4, TXLOD, TXQ, SULD, SUST: lanes by object, then lane by lane.
 *
 * Functions exec_op_<ID> execute row <ID> of tables/mir_ops.def. The interpreter (run.c) calls them
 * on the thread that runs the warp, for lanes `mask` (at least one). They look objects up in the
 * memory's table of textures, read (SUST: write) texels in device memory after a check of the
 * sector state, and write d in the lanes of `mask`. TEX, TLD4, SULD and SUST append their record
 * and its addresses to the warp's trace, if there is one, and return EX_DONE; TXLOD and TXQ access
 * no texel, leave the record to the interpreter and return EX_NEXT. Faults are reported by
 * exec_raise(), which fills in the CTA's fault, sets the warp's status and returns EX_FAULT;
 * functions here add the address or a detail. A fault leaves the stores of lower lanes in memory.
 *
 * Reads of textures and surfaces, and stores to surfaces, are weak: CUDA does not define what a
 * kernel reads from texels that it writes, so all are performed ahead of time. */
#include <stdio.h>
#include <string.h>

#include "exec/check/fault.h"
#include "exec/texture/texel_fetch.h"
#include "exec/warp/exec_state.h"
#include "exec/warp/ieee.h"

/* ---- objects, shapes, records */

/* The bits of an f32 rounded to f16. */
static uint32_t half_of(uint32_t word) {
    return exec_narrow((double)f32_from(word), &exec_f16, MIR_ROUND_NEAREST);
}

/* Raises ILLEGAL_ADDRESS for these lanes, with the handle as detail. */
static exec_code bad_object(struct exec_warp *w, const struct exec_op *op, uint32_t lanes,
                            uint64_t handle, const char *reason) {
    exec_raise(w, op, lanes, HEDDLE_ERR_ILLEGAL_ADDRESS, reason);
    snprintf(w->cta->fault.detail, sizeof w->cta->fault.detail, "handle 0x%llx",
             (unsigned long long)handle);
    return EX_FAULT;
}

/* The object of a handle, which must live and be of this kind. @return NULL: the fault is
 * raised. */
static const struct texture *object(struct exec_warp *w, const struct exec_op *op, uint32_t lanes,
                                    uint64_t handle, bool surface) {
    const struct exec_launch *launch = w->cta->launch;
    const struct texture *t = texture_find(launch->memory->textures, handle);
    const char *why = NULL;
    if (!handle)
        why = surface ? "no surface is bound" : "no texture is bound";
    else if (!t)
        why = surface ? "this is no surface object" : "this is no texture object";
    else if (launch->grid_id >= t->ends_at)
        why = surface ? "this surface object has been destroyed"
                      : "this texture object has been destroyed";
    else if (t->surface != surface)
        why = surface ? "a surface object is wanted, this is a texture object"
                      : "a texture object is wanted, this is a surface object";
    if (!why) return t;
    bad_object(w, op, lanes, handle, why);
    return NULL;
}

/* Whether a geometry (mir_tex) has a layer, which precedes the coordinates. */
static bool has_layer(unsigned geometry) {
    return geometry == MIR_TEX_A1D || geometry == MIR_TEX_A2D || geometry == MIR_TEX_ACUBE;
}
/* Number of coordinates of a geometry, without the layer. */
static unsigned axes(unsigned geometry) {
    static const uint8_t n[] = {1, 2, 3, 1, 2, 3, 3, 0};
    return n[geometry];
}
/* True for a plane of one row: cudaMallocArray() with height 1 makes it, and programs read it as a
 * line. */
static bool is_row(const struct texture_image *image) {
    return image->dims == 2 && image->level[0].height == 1 && image->levels == 1 &&
           !image->layered && !image->cube;
}
/* True if the object has the shape that the instruction reads. To a surface instruction, a cube is
 * also an array of faces. */
static bool fits(const struct texture_image *image, unsigned geometry, bool surface) {
    bool cube = geometry == MIR_TEX_CUBE || geometry == MIR_TEX_ACUBE;
    unsigned dims = cube ? 2 : axes(geometry);
    if (surface && image->cube) return geometry == MIR_TEX_A2D;
    if (is_row(image) && !surface && geometry == MIR_TEX_1D) return true;
    return image->dims == dims && image->cube == cube && image->layered == has_layer(geometry);
}

/* Addresses of an instruction's accesses, [access][lane], 0: none; they lie in the trace when there
 * is one. */
struct accesses {
    uint64_t *address;      /* of the first access, lane 0 */
    unsigned texels, bytes; /* accesses of a lane, size of each */
    uint64_t scratch[EXEC_RECORD_TEXELS * MIR_WARP_SIZE];
};

/* Points *a at free room of the trace, or at its own scratch. */
static void begin_accesses(struct exec_warp *w, struct accesses *a) {
    struct exec_trace *t = w->trace;
    a->address = t ? t->access[t->num_accesses].address : a->scratch;
    a->texels = 0;
    a->bytes = 1;
}

/* Lanes that read another object made more or fewer accesses: sets the missing ones of `done`
 * (lanes before) or `lanes` (lanes now) to none, and a->texels to the larger number. */
static void widen_accesses(struct accesses *a, unsigned texels, uint32_t done, uint32_t lanes) {
    uint32_t clear = texels > a->texels ? done : lanes;
    unsigned from = texels > a->texels ? a->texels : texels,
             to = texels > a->texels ? texels : a->texels;
    for (unsigned k = from; k < to; k++) EACH_SET(l, clear) a->address[k * MIR_WARP_SIZE + l] = 0;
    if (texels > a->texels) a->texels = texels;
}

/* Appends the record of the instruction to the trace and keeps its accesses there. */
static void record(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                   const struct accesses *a) {
    struct exec_trace *t = w->trace;
    if (!t) return;
    t->record[t->num_records++] = (struct exec_record){
        .pc = exec_pc(w, op),
        .mask = mask,
        .access = t->num_accesses,
        .inflight = EXEC_NO_INFLIGHT,
        .space = MIR_SPACE_GLOBAL,
        .texels = (uint8_t)a->texels,
        .texel_bytes = (uint8_t)a->bytes,
    };
    t->num_accesses += a->texels;
}

/* ---- textures */

/* A coordinate as a double; an integer one means the middle of its texel. */
static double coordinate(const struct exec_op *op, uint32_t word) {
    return op->type2 == MIR_S32 ? (double)(int32_t)word + 0.5 : (double)f32_from(word);
}

/* A lane's access to memory that is not allocated: a finding if it is mapped, else ILLEGAL_ADDRESS.
 * @return EX_NEXT: go on; EX_FAULT. */
static exec_code freed(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                       uint64_t address, unsigned bytes, bool write) {
    exec_status before = w->status;
    exec_raise(w, op, UINT32_C(1) << lane, HEDDLE_ERR_ILLEGAL_ADDRESS,
               "the memory of the texture or surface has been freed, or ends before");
    struct exec_fault *f = &w->cta->fault;
    f->address = address;
    f->bytes = bytes;
    f->space = MIR_SPACE_GLOBAL;
    f->write = write;
    bool mapped = exec_memory_padding(w->cta->launch->memory, address) != 0;
    return mapped ? exec_found(w, before) : EX_FAULT;
}

/* Fetches or gathers for the lanes that read texture t: the values go into r, the addresses into
 * *a. `done`: lanes of the instruction that have had their turn. @return EX_NEXT or EX_FAULT. */
static exec_code fetch_lanes(struct exec_warp *w, const struct exec_op *op, uint32_t lanes,
                             const struct texture *t, uint32_t done, struct accesses *a,
                             warp_reg *r) {
    unsigned geometry = op->sub & MIR_TEX_GEOMETRY, layer = has_layer(geometry);
    bool gathers = op->inst->op == MIR_TLD4;
    warp_reg t0, t2;
    const warp_reg *at = exec_src(w, op, 0, &t0), *level = exec_src(w, op, 2, &t2);
    if (!fits(&t->image, geometry, false))
        return bad_object(w, op, lanes, t->handle,
                          "the texture has another number of dimensions or layers");
    if (gathers && t->image.dims != 2)
        return bad_object(w, op, lanes, t->handle, "TLD4 reads textures of two dimensions");
    unsigned texels = 0;
    EACH_SET(l, lanes) {
        struct fetch f = {.texture = t,
                          .memory = w->cta->launch->memory,
                          .integer = op->type2 == MIR_S32,
                          .layer = layer ? at[0].u[l] : 0,
                          .at = {0, 0.5, 0}, /* y: a line read from a plane of one row */
                          .touched = a->address + l,
                          .touched_gap = MIR_WARP_SIZE};
        uint32_t value[4];
        for (unsigned d = 0; d < axes(geometry); d++) f.at[d] = coordinate(op, at[layer + d].u[l]);
        if (!gathers && op->sub & MIR_TEX_LOD)
            f.lod = f.integer ? (double)level->i[l] : (double)level->f[l];
        if (gathers)
            exec_texture_gather(&f, op->sub >> MIR_TEX_COMPONENT & 3, value);
        else
            exec_texture_fetch(&f, value);
        unsigned bytes = texture_texel_bytes(&t->image.format);
        if (EXEC_UNLIKELY(f.missing != 0) && freed(w, op, l, f.missing, bytes, false) != EX_NEXT)
            return EX_FAULT;
        texels = f.texels;
        for (unsigned c = 0; c < 4; c++) r[c].u[l] = value[c];
    }
    widen_accesses(a, texels, done, lanes);
    unsigned bytes = texture_texel_bytes(&t->image.format);
    if (bytes > a->bytes) a->bytes = bytes;
    return EX_NEXT;
}

/* Executes TEX and TLD4: the lanes in groups that name the same handle, then writes d and the
 * record. @return EX_DONE, or EX_FAULT: no such object, its shape differs, or a texel is not
 * allocated. */
static exec_code fetch(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg t1[2], r[4] = {0};
    const warp_reg *handle = exec_src(w, op, 1, t1);
    struct accesses a;
    uint32_t done = 0;
    begin_accesses(w, &a);
    while (done != mask) {
        uint32_t left = mask & ~done, lanes = 0;
        uint64_t h = reg_pair(handle, (unsigned)__builtin_ctz(left));
        EACH_SET(l, left) lanes |= (uint32_t)(reg_pair(handle, l) == h) << l;
        const struct texture *t = object(w, op, lanes, h, false);
        if (!t || fetch_lanes(w, op, lanes, t, done, &a, r) != EX_NEXT) return EX_FAULT;
        done |= lanes;
    }
    if (op->type == MIR_F16X2) EACH_SET(l, mask) {
            r[0].u[l] = half_of(r[0].u[l]) | half_of(r[1].u[l]) << 16;
            r[1].u[l] = half_of(r[2].u[l]) | half_of(r[3].u[l]) << 16;
        }
    warp_reg *d = exec_dst(w, op);
    for (unsigned i = 0; i < op->dst_words; i++) reg_put(d + i, &r[i], mask);
    record(w, op, mask, &a);
    return EX_DONE;
}
/* d:: = filtered or nearest value of texture b: at coordinates a, level c with MIR_TEX_LOD, else
 * 0. */
exec_code exec_op_TEX(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return fetch(w, op, mask);
}
/* d:: = one channel of the four texels that a linear filter at a would read. */
exec_code exec_op_TLD4(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return fetch(w, op, mask);
}

/* d = level of detail of texture b: for coordinate steps a and c. Reads no texels. */
exec_code exec_op_TXLOD(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg t0, t1[2], t2, r = {0};
    const warp_reg *dx = exec_src(w, op, 0, &t0), *handle = exec_src(w, op, 1, t1),
                   *dy = exec_src(w, op, 2, &t2);
    unsigned n = axes(op->sub & MIR_TEX_GEOMETRY);
    EACH_SET(l, mask) {
        const struct texture *t = object(w, op, UINT32_C(1) << l, reg_pair(handle, l), false);
        double x[3] = {0, 0, 0}, y[3] = {0, 0, 0};
        if (!t) return EX_FAULT;
        for (unsigned d = 0; d < n; d++) {
            x[d] = (double)dx[d].f[l];
            y[d] = (double)dy[d].f[l];
        }
        r.f[l] = (float)exec_texture_lod(t, x, y);
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}

/* ---- properties of objects. The numbers are those of OpenCL, as PTX gives them. */

/* The channel data type. */
static uint32_t data_type(const struct texture *t) {
    enum { SNORM8 = 0x10d0, UNORM8 = 0x10d2, SINT8 = 0x10d7, UINT8 = 0x10da, HALF = 0x10dd };
    const struct texture_format *f = &t->image.format;
    unsigned size = f->bits == 8 ? 0 : f->bits == 16 ? 1 : 2;
    bool is_signed = f->kind == TEXTURE_SIGNED;
    if (f->kind == TEXTURE_FLOAT) return f->bits == 16 ? HALF : HALF + 1;
    if (t->sampler.normalized_float && size < 2) return (is_signed ? SNORM8 : UNORM8) + size;
    return (is_signed ? SINT8 : UINT8) + size;
}

/* Property `what` (mir_txq) of an object; sizes are those of `level`, if it exists, else of level
 * 0. */
static uint32_t property(const struct texture *t, unsigned what, uint32_t level) {
    enum { R = 0x10b0, RG = 0x10b2, RGBA = 0x10b5 };
    const struct texture_image *image = &t->image;
    const struct texture_level *v = &image->level[level < image->levels ? level : 0];
    unsigned channels = image->format.channels;
    switch (what) {
    case MIR_TXQ_WIDTH: return v->width;
    case MIR_TXQ_HEIGHT: return image->dims > 1 ? v->height : 0;
    case MIR_TXQ_DEPTH: return image->dims > 2 ? v->depth : 0;
    case MIR_TXQ_DATA_TYPE: return data_type(t);
    case MIR_TXQ_ORDER: return channels == 1 ? R : channels == 2 ? RG : RGBA;
    case MIR_TXQ_NORMALIZED: return t->sampler.normalized;
    case MIR_TXQ_LAYERS: return image->layered ? image->layers / (image->cube ? 6 : 1) : 0;
    case MIR_TXQ_LEVELS: return image->levels;
    case MIR_TXQ_SAMPLES: return 1;
    case MIR_TXQ_FILTER: return t->sampler.linear;
    case MIR_TXQ_ADDRESS_0:
    case MIR_TXQ_ADDRESS_1:
    case MIR_TXQ_ADDRESS_2: return t->sampler.address[what - MIR_TXQ_ADDRESS_0];
    default: return image->layout != TEXTURE_ARRAY; /* MIR_TXQ_LAYOUT: 0 blocks, 1 rows */
    }
}

/* d = property sub of object a:, at level b. KIND also accepts a handle without an object; the
 * other properties raise ILLEGAL_ADDRESS for it. */
exec_code exec_op_TXQ(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    warp_reg t0[2], t1, r = {0};
    const warp_reg *handle = exec_src(w, op, 0, t0), *level = exec_src(w, op, 1, &t1);
    const struct exec_launch *launch = w->cta->launch;
    EACH_SET(l, mask) {
        uint64_t h = reg_pair(handle, l);
        const struct texture *t = texture_find(launch->memory->textures, h);
        if (t && launch->grid_id >= t->ends_at) t = NULL;
        if (op->sub == MIR_TXQ_KIND) {
            r.u[l] = !t ? 0 : t->surface ? 2 : 1;
            continue;
        }
        if (!t)
            return bad_object(w, op, UINT32_C(1) << l, h,
                              "this is no texture or surface object, or a destroyed one");
        r.u[l] = property(t, op->sub, level->u[l]);
    }
    reg_put(exec_dst(w, op), &r, mask);
    return EX_NEXT;
}

/* ---- surfaces */

/* Place of a lane's access. */
struct spot {
    int64_t x, y, z; /* x in bytes */
    bool outside;    /* no access is made: a load gives 0 */
};

/* Raises ILLEGAL_ADDRESS with the place and the size of the surface. */
static exec_code beyond(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                        const struct spot *s, const struct texture *t) {
    const struct texture_level *v = &t->image.level[0];
    exec_raise(w, op, UINT32_C(1) << lane, HEDDLE_ERR_ILLEGAL_ADDRESS, "outside the surface");
    snprintf(w->cta->fault.detail, sizeof w->cta->fault.detail,
             "byte %lld, row %lld, slice %lld of %llu x %u x %u", (long long)s->x, (long long)s->y,
             (long long)s->z, (unsigned long long)v->width * texture_texel_bytes(&t->image.format),
             v->height, t->image.dims == 3 ? v->depth : t->image.layers);
    return EX_FAULT;
}

/* i clamped to 0..last. */
static int64_t clamped(int64_t i, int64_t last) {
    return i < 0 ? 0 : i > last ? last : i;
}

/* Sets *s to the place of a lane's access of `bytes` at coordinates `at`; an access outside is
 * clamped, left out or a fault, as the mode of sub says. A misaligned one is a fault. @return
 * EX_NEXT or EX_FAULT. */
static exec_code find_spot(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                           const struct texture *t, const warp_reg *at, unsigned bytes,
                           struct spot *s) {
    unsigned geometry = op->sub & MIR_TEX_GEOMETRY, layer = has_layer(geometry);
    const struct texture_level *v = &t->image.level[0];
    unsigned texel = texture_texel_bytes(&t->image.format), n = axes(geometry);
    *s = (struct spot){.x = at[layer].i[lane]};
    if (n > 1) s->y = at[layer + 1].i[lane];
    if (n > 2) s->z = at[layer + 2].i[lane];
    if (layer) s->z = at[0].u[lane];
    if (op->sub & MIR_SURF_FORMATTED) s->x *= texel;
    int64_t last_x = (int64_t)v->width * texel - bytes, last_y = (int64_t)v->height - 1,
            last_z = (int64_t)(t->image.dims == 3 ? v->depth : t->image.layers) - 1;
    bool inside = s->x >= 0 && s->x <= last_x && s->y >= 0 && s->y <= last_y && s->z >= 0 &&
                  s->z <= last_z;
    unsigned mode = op->sub >> MIR_SURF_MODE & 3;
    if (!inside && mode == MIR_SURF_TRAP) return beyond(w, op, lane, s, t);
    if (!inside && (mode == MIR_SURF_ZERO || last_x < 0)) s->outside = true;
    if (!inside && mode == MIR_SURF_CLAMP) {
        s->x = clamped(s->x, last_x);
        s->y = clamped(s->y, last_y);
        s->z = clamped(s->z, last_z);
    }
    if (!s->outside && s->x % (op->sub & MIR_SURF_FORMATTED ? texel : bytes)) {
        exec_raise(w, op, UINT32_C(1) << lane, HEDDLE_ERR_MISALIGNED, "in the row of a surface");
        snprintf(w->cta->fault.detail, sizeof w->cta->fault.detail, "byte %lld, %u bytes",
                 (long long)s->x, bytes);
        return EX_FAULT;
    }
    return EX_NEXT;
}

/* A word of a formatted store, clamped or rounded to the surface's channel. */
static uint32_t narrowed(const struct texture_format *f, uint32_t word) {
    if (f->bits == 32) return word;
    if (f->kind == TEXTURE_FLOAT) return half_of(word);
    if (f->kind == TEXTURE_UNSIGNED) {
        uint32_t most = (UINT32_C(1) << f->bits) - 1;
        return word > most ? most : word;
    }
    int32_t s = (int32_t)word, most = (1 << (f->bits - 1)) - 1;
    return (uint32_t)(s > most ? most : s < -most - 1 ? -most - 1 : s);
}

/* Sets `out` to the bytes that a lane stores. @return their number. */
static unsigned stored_bytes(const struct exec_op *op, const struct texture *t,
                             const warp_reg *data, unsigned lane, uint8_t out[16]) {
    const struct texture_format *f = &t->image.format;
    if (!(op->sub & MIR_SURF_FORMATTED)) {
        for (unsigned i = 0; i < (op->width + 3u) / 4; i++)
            memcpy(out + 4 * i, &data[i].u[lane], 4);
        return op->width;
    }
    unsigned n = op->width / 4u < f->channels ? op->width / 4u : f->channels, each = f->bits / 8u;
    for (unsigned c = 0; c < n; c++) {
        uint32_t x = narrowed(f, data[c].u[lane]);
        memcpy(out + c * each, &x, each);
    }
    return n * each;
}

/* Performs the access of one lane: a store of `data`, or a load into r if data is NULL. *address:
 * of the access, 0: none. @return EX_NEXT or EX_FAULT. */
static exec_code surface_lane(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                              const struct texture *t, const warp_reg *at, const warp_reg *data,
                              warp_reg *r, uint64_t *address) {
    const struct texture_level *v = &t->image.level[0];
    const struct exec_memory *m = w->cta->launch->memory;
    uint8_t bytes[16] = {0};
    unsigned n = data ? stored_bytes(op, t, data, lane, bytes) : op->width;
    struct spot s;
    if (find_spot(w, op, lane, t, at, n, &s) != EX_NEXT) return EX_FAULT;
    *address = 0;
    if (!s.outside) {
        *address = v->base +
                   texture_offset(&t->image, v, (uint64_t)s.x, (uint32_t)s.y, (uint32_t)s.z);
        uint64_t offset = *address - m->base;
        uint8_t state = 0;
        if (offset < m->size)
            state = __atomic_load_n(&m->state[offset / EXEC_SECTOR], __ATOMIC_RELAXED);
        if (offset % EXEC_SECTOR + n > (unsigned)(state & EXEC_SECTOR_BYTES)) {
            if (freed(w, op, lane, *address, n, data != NULL) != EX_NEXT) return EX_FAULT;
            *address = exec_memory_padding(m, *address);
        }
        uint8_t *p = (uint8_t *)(uintptr_t)*address;
        memcpy(data ? p : bytes, data ? bytes : p, n);
    }
    if (!data)
        for (unsigned i = 0; i < op->dst_words; i++) memcpy(&r[i].u[lane], bytes + 4 * i, 4);
    return EX_NEXT;
}

/* Executes SULD and SUST, lane by lane in lane order; writes d (SULD) and the record. @return
 * EX_DONE, or EX_FAULT: no such object, its shape differs, misaligned, outside (mode TRAP) or not
 * allocated. */
static exec_code surface(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                         bool stores) {
    warp_reg t0, t1[2], t2, r[4] = {0};
    const warp_reg *at = exec_src(w, op, 0, &t0), *handle = exec_src(w, op, 1, t1),
                   *data = stores ? exec_src(w, op, 2, &t2) : NULL;
    struct accesses a;
    const struct texture *t = NULL;
    begin_accesses(w, &a);
    a.texels = 1;
    EACH_SET(l, mask) {
        uint64_t h = reg_pair(handle, l);
        if (!t || t->handle != h) {
            t = object(w, op, UINT32_C(1) << l, h, true);
            if (!t) return EX_FAULT;
            if (!fits(&t->image, op->sub & MIR_TEX_GEOMETRY, true))
                return bad_object(w, op, UINT32_C(1) << l, h,
                                  "the surface has another number of dimensions or layers");
            if (op->sub & MIR_SURF_FORMATTED) a.bytes = texture_texel_bytes(&t->image.format);
        }
        if (surface_lane(w, op, l, t, at, data, r, &a.address[l]) != EX_NEXT) return EX_FAULT;
    }
    if (!(op->sub & MIR_SURF_FORMATTED)) a.bytes = op->width;
    if (!stores) {
        warp_reg *d = exec_dst(w, op);
        for (unsigned i = 0; i < op->dst_words; i++) reg_put(d + i, &r[i], mask);
    }
    record(w, op, mask, &a);
    return EX_DONE;
}
/* d = width bytes of surface b: at coordinates a. */
exec_code exec_op_SULD(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return surface(w, op, mask, false);
}
/* Surface b: at coordinates a = width bytes of c. */
exec_code exec_op_SUST(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    return surface(w, op, mask, true);
}
