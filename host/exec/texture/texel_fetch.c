/* texel_fetch.c - fetches texels for op_texture.c, on the thread that runs the warp. See
 * texel_fetch.h.
 *
 * Functions that take a fetch `f` write its outputs: addresses, texels, missing. All others are
 * pure, but for reads of texels. `n` numbers an address of the fetch; `d` a dimension.
 *
 * The rules are those of the CUDA C Programming Guide, chapter "Texture Fetching": fractions of the
 * linear filter have 8 bits (and 1.0 is one of them), a cube's face is that of the coordinate of
 * largest magnitude. */
#include "exec/texture/texel_fetch.h"

#include <math.h>
#include <string.h>

#include "exec/warp/ieee.h"

/* Steps of a filter's fraction. */
enum { FRACTION = 256 };

/* ---- numbers */

/* x clamped to +-2^30 so that it converts to an integer; NaN becomes 0. */
static double tame(double x) {
    const double most = 1 << 30;
    return x != x ? 0 : x > most ? most : x < -most ? -most : x;
}

/* ---- texels */

/* a modulo n, never negative. */
static int64_t modulo(int64_t a, int64_t n) {
    int64_t r = a % n;
    return r < 0 ? r + n : r;
}

/* The index in 0..n-1 that stands for i in an address mode, or -1: the border. */
static int64_t resolve(unsigned mode, int64_t i, int64_t n) {
    int64_t m;
    switch (mode) {
    case TEXTURE_WRAP: return modulo(i, n);
    case TEXTURE_MIRROR: m = modulo(i, 2 * n); return m < n ? m : 2 * n - 1 - m;
    case TEXTURE_BORDER: return i < 0 || i >= n ? -1 : i;
    default: return i < 0 ? 0 : i >= n ? n - 1 : i;
    }
}

/* The sRGB curve for a colour channel. */
static float srgb_to_linear(float c) {
    return c <= 0.04045f ? c / 12.92f : powf((c + 0.055f) / 1.055f, 2.4f);
}

/* Channel c of 8 or 16 bits as 32: an integer, or the bits of a float. */
static uint32_t channel(const struct texture *t, uint32_t raw, unsigned c) {
    const struct texture_format *f = &t->image.format;
    if (f->kind == TEXTURE_FLOAT) return f32_bits((float)exec_widen(raw, &exec_f16));
    int32_t s = f->bits == 8 ? (int8_t)raw : (int16_t)raw;
    if (!t->sampler.normalized_float) return f->kind == TEXTURE_SIGNED ? (uint32_t)s : raw;
    if (f->kind == TEXTURE_SIGNED) {
        float x = (float)s / (f->bits == 8 ? 127.f : 32767.f);
        return f32_bits(x < -1 ? -1 : x);
    }
    float x = (float)raw / (f->bits == 8 ? 255.f : 65535.f);
    return f32_bits(t->sampler.srgb && c < 3 ? srgb_to_linear(x) : x);
}

/* The four channels of the texel at `texel`; missing channels are 0, 0, 1. */
static void decode(const struct texture *t, const uint8_t *texel, uint32_t value[4]) {
    const struct texture_format *f = &t->image.format;
    bool is_float = f->kind == TEXTURE_FLOAT || t->sampler.normalized_float;
    value[0] = value[1] = value[2] = 0;
    value[3] = is_float ? 0x3f800000 : 1;
    for (unsigned c = 0; c < f->channels; c++) {
        if (f->bits == 32) {
            memcpy(&value[c], texel + 4 * c, 4);
        } else if (f->bits == 8) {
            value[c] = channel(t, texel[c], c);
        } else {
            uint16_t raw;
            memcpy(&raw, texel + 2 * c, 2);
            value[c] = channel(t, raw, c);
        }
    }
}

/* True if the bytes at the address, in one sector, are allocated. */
static bool is_allocated(const struct exec_memory *m, uint64_t address, uint32_t bytes) {
    uint64_t offset = address - m->base;
    if (offset >= m->size) return false;
    uint8_t s = __atomic_load_n(&m->state[offset / EXEC_SECTOR], __ATOMIC_RELAXED);
    return offset % EXEC_SECTOR + bytes <= (unsigned)(s & EXEC_SECTOR_BYTES);
}

/* Where the bytes at the address lie: there, if they are allocated; else sets f->missing. @return
 * 0: they are not even mapped. */
static uint64_t readable(struct fetch *f, uint64_t address, uint32_t bytes) {
    if (is_allocated(f->memory, address, bytes)) return address;
    f->missing = address;
    return exec_memory_padding(f->memory, address);
}

/* Reads the texel at any indices of the level, which the address modes resolve, and writes its
 * address as the n-th of the fetch (0: the border). A texel that is not allocated sets f->missing,
 * and reads as 0 if it is not mapped either. */
static void texel(struct fetch *f, const struct texture_level *v, const int64_t index[3],
                  uint32_t slice, unsigned n, uint32_t value[4]) {
    const struct texture *t = f->texture;
    const struct texture_image *image = &t->image;
    const int64_t size[3] = {v->width, v->height, v->depth};
    int64_t at[3] = {0, 0, 0};
    bool border = false;
    for (unsigned d = 0; d < image->dims; d++) {
        at[d] = index[d];
        if (at[d] >= 0 && at[d] < size[d]) continue;
        unsigned mode = t->sampler.address[d];
        bool turns = mode == TEXTURE_WRAP || mode == TEXTURE_MIRROR;
        if (image->layout == TEXTURE_LINEAR)
            mode = TEXTURE_BORDER;
        else if (image->cube || (turns && (!t->sampler.normalized || f->integer)))
            mode = TEXTURE_CLAMP; /* wrap and mirror need normalized coordinates */
        at[d] = resolve(mode, at[d], size[d]);
        border |= at[d] < 0;
    }
    uint64_t *touched = &f->touched[n * f->touched_gap];
    *touched = 0;
    if (border) {
        for (unsigned c = 0; c < 4; c++) value[c] = f32_bits(t->sampler.border[c]);
        if (image->layout == TEXTURE_LINEAR) memset(value, 0, 4 * sizeof *value);
        return;
    }
    uint32_t bytes = texture_texel_bytes(&image->format);
    if (image->dims == 3) slice = (uint32_t)at[2];
    uint64_t address = v->base + texture_offset(image, v, (uint64_t)at[0] * bytes,
                                                image->dims > 1 ? (uint32_t)at[1] : 0, slice);
    address = readable(f, address, bytes);
    if (!address) {
        memset(value, 0, 4 * sizeof *value);
        return;
    }
    *touched = address;
    decode(t, (const uint8_t *)(uintptr_t)address, value);
}

/* ---- coordinates */

/* The face that direction r meets; sets `at` to the coordinates on it, from 0 to 1. */
static unsigned cube_face(const double r[3], double at[2]) {
    double x = fabs(r[0]), y = fabs(r[1]), z = fabs(r[2]), m, s, t;
    unsigned face;
    if (x >= y && x >= z) {
        face = r[0] < 0;
        m = x;
        s = face ? r[2] : -r[2];
        t = -r[1];
    } else if (y >= z) {
        face = 2 + (r[1] < 0);
        m = y;
        s = r[0];
        t = face == 3 ? -r[2] : r[2];
    } else {
        face = 4 + (r[2] < 0);
        m = z;
        s = face == 5 ? -r[0] : r[0];
        t = -r[1];
    }
    at[0] = m == 0 ? 0.5 : (s / m + 1) / 2;
    at[1] = m == 0 ? 0.5 : (t / m + 1) / 2;
    return face;
}

/* Where the fetch reads, the same for all levels. */
struct place {
    double at[3];   /* coordinates */
    uint32_t slice; /* layer or face */
    bool scaled;    /* coordinates count texels, else they run from 0 to 1 */
};

/* x wrapped or mirrored into 0..1, before it is scaled, as the guide has it. */
static double turned(unsigned mode, double x) {
    double low = floor(x);
    if (mode == TEXTURE_WRAP) return x - low;
    if (mode == TEXTURE_MIRROR) return fmod(low, 2) == 0 ? x - low : 1 - (x - low);
    return x;
}

/* The place of a fetch: picks the layer (clamped) or face, and wraps normalized coordinates. */
static inline struct place place_of(const struct fetch *f) {
    const struct texture *t = f->texture;
    const struct texture_image *image = &t->image;
    struct place p = {.scaled = f->integer || !t->sampler.normalized};
    for (unsigned d = 0; d < 3; d++) p.at[d] = f->at[d];
    uint32_t groups = image->cube ? image->layers / TEXTURE_FACES : image->layers;
    uint32_t layer = image->layered ? f->layer < groups ? f->layer : groups - 1 : 0;
    if (image->cube) {
        p.slice = layer * TEXTURE_FACES + cube_face(f->at, p.at);
        p.scaled = false;
    } else {
        p.slice = layer;
        for (unsigned d = 0; d < image->dims && !p.scaled; d++)
            p.at[d] = turned(t->sampler.address[d], tame(p.at[d]));
    }
    return p;
}

/* Coordinate d in texels of level v. */
static inline double scaled(const struct place *p, const struct texture_level *v, unsigned d) {
    const uint32_t size[3] = {v->width, v->height, v->depth};
    return tame(p->scaled ? p->at[d] : tame(p->at[d]) * size[d]);
}

/* ---- one level */

/* Reads the texel nearest to the place. */
static void nearest(struct fetch *f, const struct place *p, const struct texture_level *v,
                    unsigned n, uint32_t value[4]) {
    int64_t index[3];
    for (unsigned d = 0; d < 3; d++) index[d] = (int64_t)floor(scaled(p, v, d));
    texel(f, v, index, p->slice, n, value);
}

/* Lower index of the linear filter in dimension d; sets *fraction, the weight of the upper one, to
 * a multiple of 1 / FRACTION. */
static inline int64_t split(const struct place *p, const struct texture_level *v, unsigned d,
                            double *fraction) {
    double x = scaled(p, v, d) - 0.5, low = floor(x);
    *fraction = floor((x - low) * FRACTION + 0.5) / FRACTION;
    return (int64_t)low;
}

/* Linear filter whose texels all lie within the level: no index has to be resolved, and the address
 * parts of columns, rows and slices are computed once for all corners. Addresses n, n + 1 ... */
static inline __attribute__((always_inline)) void
filtered_inside(struct fetch *f, const struct texture_level *v, const int64_t low[3],
                const double fraction[3], uint32_t slice, unsigned n, unsigned dims,
                double value[4]) {
    const struct texture_image *image = &f->texture->image;
    unsigned channels = image->format.channels;
    uint32_t bytes = texture_texel_bytes(&image->format);
    uint64_t part[3][2] = {{0}};
    double weight[3][2] = {{0}};
    for (unsigned up = 0; up < 2; up++) {
        part[0][up] = v->base + texture_column(image, (uint64_t)(low[0] + up) * bytes);
        if (dims > 1) part[1][up] = texture_row(image, v, (uint32_t)low[1] + up);
        part[2][up] = (dims == 3 ? (uint32_t)low[2] + up : slice) * v->slice;
        for (unsigned d = 0; d < dims; d++) weight[d][up] = up ? fraction[d] : 1 - fraction[d];
    }
    for (unsigned c = 0; c < 4; c++) value[c] = c < channels || c < 3 ? 0 : 1;
    for (unsigned corner = 0; corner < 1u << dims; corner++) {
        unsigned x = corner & 1, y = corner >> 1 & 1, z = corner >> 2;
        uint64_t address = part[0][x] + part[1][y] + part[2][z];
        address = readable(f, address, bytes);
        f->touched[(n + corner) * f->touched_gap] = address;
        if (!address) continue;
        double w = weight[0][x];
        if (dims > 1) w *= weight[1][y];
        if (dims > 2) w *= weight[2][z];
        if (w <= 0) continue;
        uint32_t words[4];
        decode(f->texture, (const uint8_t *)(uintptr_t)address, words);
        for (unsigned c = 0; c < channels; c++) value[c] += w * (double)f32_from(words[c]);
    }
}

/* Linear filter of level v at the place: the weighted sum of 2^dims texels, as addresses n, n + 1
 * ... */
static void filtered(struct fetch *f, const struct place *p, const struct texture_level *v,
                     unsigned n, double value[4]) {
    unsigned dims = f->texture->image.dims;
    const int64_t size[3] = {v->width, v->height, v->depth};
    int64_t low[3] = {0, 0, 0};
    double fraction[3] = {0, 0, 0};
    bool inside = true;
    for (unsigned d = 0; d < dims; d++) {
        low[d] = split(p, v, d, &fraction[d]);
        inside &= low[d] >= 0 && low[d] + 1 < size[d];
    }
    if (inside) { /* inlined once for each number of dimensions */
        switch (dims) {
        case 1: filtered_inside(f, v, low, fraction, p->slice, n, 1, value); return;
        case 2: filtered_inside(f, v, low, fraction, p->slice, n, 2, value); return;
        default: filtered_inside(f, v, low, fraction, p->slice, n, 3, value); return;
        }
    }
    /* Missing channels are the same in every texel, except the border. */
    bool border = f->texture->sampler.address[0] == TEXTURE_BORDER ||
                  f->texture->sampler.address[1] == TEXTURE_BORDER ||
                  f->texture->sampler.address[2] == TEXTURE_BORDER;
    unsigned channels = border ? 4 : f->texture->image.format.channels;
    for (unsigned c = 0; c < 4; c++) value[c] = c < channels || c < 3 ? 0 : 1;
    for (unsigned corner = 0; corner < 1u << dims; corner++) {
        int64_t index[3];
        uint32_t words[4];
        double weight = 1;
        for (unsigned d = 0; d < 3; d++) {
            unsigned up = corner >> d & 1;
            index[d] = low[d] + up;
            if (d < dims) weight *= up ? fraction[d] : 1 - fraction[d];
        }
        texel(f, v, index, p->slice, n + corner, words);
        for (unsigned c = 0; c < channels && weight > 0; c++)
            value[c] += weight * (double)f32_from(words[c]);
    }
}

/* ---- levels */

/* Reads the value at f's coordinates into `value`, 32 bits a channel: chooses the levels by f->lod,
 * reads each one nearest or filtered, and blends two if the sampler does. Sets f->texels and as
 * many addresses in f->touched (room for EXEC_RECORD_TEXELS), and f->missing when a texel is not
 * allocated; the caller raises that fault. */
void exec_texture_fetch(struct fetch *f, uint32_t value[4]) {
    const struct texture *t = f->texture;
    const struct texture_sampler *s = &t->sampler;
    const struct texture_image *image = &t->image;
    struct place p = place_of(f);
    unsigned first = 0;
    double between = 0;
    if (image->levels > 1) {
        double lod = f->lod + (double)s->lod_bias, last = image->levels - 1;
        lod = lod < (double)s->lod_min ? (double)s->lod_min : lod;
        lod = lod > (double)s->lod_max ? (double)s->lod_max : lod;
        lod = lod >= 0 ? lod > last ? last : lod : 0; /* 0 for a NaN */
        first = (unsigned)(s->mip_linear ? floor(lod) : floor(lod + 0.5));
        if (s->mip_linear) between = floor((lod - first) * FRACTION + 0.5) / FRACTION;
    }
    bool blends = image->levels > 1 && s->mip_linear;
    bool filters = s->linear && !f->integer;
    unsigned each = filters ? 1u << image->dims : 1;
    f->texels = blends ? 2 * each : each;
    if (!filters && !blends) {
        nearest(f, &p, &image->level[first], 0, value);
        return;
    }
    double sum[4] = {0, 0, 0, 0};
    if (!blends) {
        filtered(f, &p, &image->level[first], 0, sum);
        for (unsigned c = 0; c < 4; c++) value[c] = f32_bits((float)sum[c]);
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        double part[4], weight = i ? between : 1 - between;
        if (weight <= 0) { /* this level is not read */
            for (unsigned k = 0; k < each; k++) f->touched[(i * each + k) * f->touched_gap] = 0;
            continue;
        }
        uint32_t words[4];
        if (filters) {
            filtered(f, &p, &image->level[first + i], i * each, part);
        } else {
            nearest(f, &p, &image->level[first + i], i * each, words);
            for (unsigned c = 0; c < 4; c++) part[c] = f32_from(words[c]);
        }
        for (unsigned c = 0; c < 4; c++) sum[c] += weight * part[c];
    }
    for (unsigned c = 0; c < 4; c++) value[c] = f32_bits((float)sum[c]);
}

/* Reads channel `component` of the four texels around the place on level 0 into `value`. Outputs of
 * f as above; the texture has two dimensions. */
void exec_texture_gather(struct fetch *f, unsigned component, uint32_t value[4]) {
    static const uint8_t corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    struct place p = place_of(f);
    const struct texture_level *v = &f->texture->image.level[0];
    double unused;
    int64_t x = split(&p, v, 0, &unused), y = split(&p, v, 1, &unused);
    f->texels = 4;
    for (unsigned i = 0; i < 4; i++) {
        const int64_t index[3] = {x + corner[i][0], y + corner[i][1], 0};
        uint32_t words[4];
        texel(f, v, index, p.slice, i, words);
        value[i] = words[component];
    }
}

/* @return the level of detail for coordinates that change by dx and dy from pixel to pixel: log2 of
 * the longer of the two steps, in texels of level 0; -HUGE_VAL when they do not change. */
double exec_texture_lod(const struct texture *t, const double dx[3], const double dy[3]) {
    const struct texture_level *v = &t->image.level[0];
    const double size[3] = {v->width, v->height, v->depth};
    double x = 0, y = 0;
    for (unsigned d = 0; d < t->image.dims; d++) {
        double n = t->sampler.normalized ? size[d] : 1;
        x += dx[d] * n * (dx[d] * n);
        y += dy[d] * n * (dy[d] * n);
    }
    double longest = x > y ? x : y;
    return longest > 0 ? log2(longest) / 2 : -HUGE_VAL;
}
