/* image.cl - read_image*, write_image* and get_image_* by means of PTX's texture and surface
 * instructions.
 *
 * To a kernel an image is the address of its record in device memory, OCL_IMAGE_WORDS words of 64
 * bits that ocl_image.c writes; image_types.ll turns images and samplers into numbers and reads
 * words. A texture object includes its sampler, so that a record has one for each value of a
 * sampler. Conversions to and from fractions are the texture's (reads) or made here (writes). */
#define FUNCTION __attribute__((overloadable, always_inline))
#define LOCAL static __attribute__((always_inline))

/* Words of the record; the same as in opencl.h. */
enum {
    TEXTURE = 0, /* 32 handles */
    SURFACE = 32,
    MEMORY, /* address of the texels of an image1d_buffer_t */
    WIDTH,
    HEIGHT,
    DEPTH,
    LAYERS,
    ORDER,
    TYPE,
    SWIZZLE,
    CHANNELS,
    BYTES, /* of a channel */
    SCALE  /* of fractions: bits of the float that 1.0 becomes; else 0 */
};
/* How the channels of the texture become those of the image. */
enum { SWIZZLE_NONE, SWIZZLE_BGRA, SWIZZLE_A, SWIZZLE_INTENSITY, SWIZZLE_LUMINANCE };

ulong __heddle_word(ulong image, uint index);
uint __heddle_sampler(sampler_t s);
#define ALL_IMAGES(X)                                                                     \
    X(image1d_t) X(image1d_buffer_t) X(image1d_array_t) X(image2d_t) X(image2d_array_t) \
    X(image3d_t)
#define DECLARE(type)                                                \
    ulong __attribute__((overloadable)) __heddle_image(read_only type i); \
    ulong __attribute__((overloadable)) __heddle_image(write_only type i);
ALL_IMAGES(DECLARE)

/* ---- reading */

/* The texture object of an image and a sampler: address mode and normalisation, filter. */
LOCAL ulong texture(ulong image, sampler_t s) {
    uint bits = __heddle_sampler(s);
    return __heddle_word(image, TEXTURE + ((bits & 15) | (bits >> 1 & 16)));
}

LOCAL int nearest_int(float x) {
    int n;
    __asm("cvt.rni.s32.f32 %0, %1;" : "=r"(n) : "f"(x));
    return n;
}
/* Layers are clamped; PTX does so at the upper end. */
LOCAL int __attribute__((overloadable)) layer_of(float x) {
    return max(nearest_int(x), 0);
}
LOCAL int __attribute__((overloadable)) layer_of(int x) {
    return max(x, 0);
}

/* The channels of a fraction or float in the image's order; integer images are R, RG or RGBA. */
LOCAL float4 __attribute__((overloadable)) ordered(ulong image, float4 v) {
    int swizzle = (int)__heddle_word(image, SWIZZLE);
    v = swizzle == SWIZZLE_BGRA ? v.zyxw : v;
    if (swizzle <= SWIZZLE_BGRA) return v;
    if (swizzle == SWIZZLE_A) return (float4)(0, 0, 0, v.x);
    return (float4)(v.x, v.x, v.x, swizzle == SWIZZLE_INTENSITY ? v.x : 1);
}
LOCAL int4 __attribute__((overloadable)) ordered(ulong image, int4 v) {
    return v;
}

LOCAL uint4 __attribute__((overloadable)) ordered(ulong image, uint4 v) {
    return v;
}

/* fetch_GEOMETRY() for one type of result and one of coordinates: the PTX instruction. */
#define FETCH(geometry, result, vector, scalar, out, type, parameters, operands, ...)             \
    LOCAL vector FUNCTION fetch_##geometry##_##result parameters {                               \
        scalar x, y, z, w;                                                                        \
        __asm("tex." #geometry ".v4." #result "." type " {%0,%1,%2,%3}, [%4, {" operands "}];"    \
              : out(x), out(y), out(z), out(w)                                                    \
              : "l"(t), __VA_ARGS__);                                                             \
        return (vector)(x, y, z, w);                                                              \
    }
#define FETCHES(result, vector, scalar, out, type, coordinate, in)                                \
    FETCH(1d, result, vector, scalar, out, type, (ulong t, coordinate cx), "%5", in(cx))          \
    FETCH(2d, result, vector, scalar, out, type, (ulong t, coordinate cx, coordinate cy),         \
          "%5,%6", in(cx), in(cy))                                                                \
    FETCH(3d, result, vector, scalar, out, type,                                                  \
          (ulong t, coordinate cx, coordinate cy, coordinate cz), "%5,%6,%7,%7", in(cx), in(cy),  \
          in(cz))                                                                                 \
    FETCH(a1d, result, vector, scalar, out, type, (ulong t, int layer, coordinate cx), "%5,%6",   \
          "r"(layer), in(cx))                                                                     \
    FETCH(a2d, result, vector, scalar, out, type,                                                 \
          (ulong t, int layer, coordinate cx, coordinate cy), "%5,%6,%7,%7", "r"(layer), in(cx),  \
          in(cy))

/* The functions of one suffix; `plain` reads without a sampler, as one of value 0 does. */
#define READS(suffix, result, vector, coordinate)                                                 \
    vector FUNCTION read_image##suffix(read_only image1d_t i, sampler_t s, coordinate c) {        \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image, fetch_1d_##result(texture(image, s), c));                           \
    }                                                                                             \
    vector FUNCTION read_image##suffix(read_only image2d_t i, sampler_t s, coordinate##2 c) {     \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image, fetch_2d_##result(texture(image, s), c.x, c.y));                    \
    }                                                                                             \
    vector FUNCTION read_image##suffix(read_only image3d_t i, sampler_t s, coordinate##4 c) {     \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image, fetch_3d_##result(texture(image, s), c.x, c.y, c.z));               \
    }                                                                                             \
    vector FUNCTION read_image##suffix(read_only image1d_array_t i, sampler_t s,                  \
                                       coordinate##2 c) {                                         \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image, fetch_a1d_##result(texture(image, s), layer_of(c.y), c.x));         \
    }                                                                                             \
    vector FUNCTION read_image##suffix(read_only image2d_array_t i, sampler_t s,                  \
                                       coordinate##4 c) {                                         \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image, fetch_a2d_##result(texture(image, s), layer_of(c.z), c.x, c.y));    \
    }
#define PLAIN_READS(suffix, result, vector)                                                       \
    vector FUNCTION read_image##suffix(read_only image1d_t i, int c) {                            \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image, fetch_1d_##result(__heddle_word(image, TEXTURE), c));               \
    }                                                                                             \
    vector FUNCTION read_image##suffix(read_only image1d_buffer_t i, int c) {                     \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image, fetch_1d_##result(__heddle_word(image, TEXTURE), c));               \
    }                                                                                             \
    vector FUNCTION read_image##suffix(read_only image2d_t i, int2 c) {                           \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image, fetch_2d_##result(__heddle_word(image, TEXTURE), c.x, c.y));        \
    }                                                                                             \
    vector FUNCTION read_image##suffix(read_only image3d_t i, int4 c) {                           \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image, fetch_3d_##result(__heddle_word(image, TEXTURE), c.x, c.y, c.z));   \
    }                                                                                             \
    vector FUNCTION read_image##suffix(read_only image1d_array_t i, int2 c) {                     \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image,                                                                     \
                       fetch_a1d_##result(__heddle_word(image, TEXTURE), layer_of(c.y), c.x));    \
    }                                                                                             \
    vector FUNCTION read_image##suffix(read_only image2d_array_t i, int4 c) {                     \
        ulong image = __heddle_image(i);                                                          \
        return ordered(image, fetch_a2d_##result(__heddle_word(image, TEXTURE), layer_of(c.z),    \
                                                 c.x, c.y));                                      \
    }
#define ALL_READS(suffix, result, vector, scalar, out)                                            \
    FETCHES(result, vector, scalar, out, "f32", float, "f")                                       \
    FETCHES(result, vector, scalar, out, "s32", int, "r")                                         \
    READS(suffix, result, vector, float)                                                          \
    READS(suffix, result, vector, int)                                                            \
    PLAIN_READS(suffix, result, vector)
ALL_READS(f, f32, float4, float, "=f")
ALL_READS(i, s32, int4, int, "=r")
ALL_READS(ui, u32, uint4, uint, "=r")

/* ---- writing: sust.p narrows 32-bit words to the surface's channels, with saturation. A write
 * outside the image has no effect. */

#define STORE(geometry, parameters, operands, ...)                                                \
    LOCAL void store_##geometry parameters {                                                      \
        __asm volatile("sust.p." #geometry ".v4.b32.zero [%0, {" operands "}], {%1,%2,%3,%4};"    \
                       :                                                                          \
                       : "l"(t), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), __VA_ARGS__              \
                       : "memory");                                                               \
    }
STORE(1d, (ulong t, uint4 v, int cx), "%5", "r"(cx))
STORE(2d, (ulong t, uint4 v, int cx, int cy), "%5,%6", "r"(cx), "r"(cy))
STORE(3d, (ulong t, uint4 v, int cx, int cy, int cz), "%5,%6,%7,%7", "r"(cx), "r"(cy), "r"(cz))
STORE(a1d, (ulong t, uint4 v, int layer, int cx), "%5,%6", "r"(layer), "r"(cx))
STORE(a2d, (ulong t, uint4 v, int layer, int cx, int cy), "%5,%6,%7,%7", "r"(layer), "r"(cx),
      "r"(cy))

/* A fraction as the integer of the channel, not yet saturated to it; NaN becomes 0. */
LOCAL uint fraction(float x, float scale, bool negative) {
    int n = nearest_int(x * scale);
    return (uint)(negative ? n : max(n, 0));
}

/* The words that sust.p narrows. */
LOCAL uint4 __attribute__((overloadable)) words(ulong image, float4 v) {
    switch ((int)__heddle_word(image, SWIZZLE)) {
    case SWIZZLE_BGRA: v = v.zyxw; break;
    case SWIZZLE_A: v.x = v.w; break;
    }
    float scale = as_float((uint)__heddle_word(image, SCALE));
    uint type = (uint)__heddle_word(image, TYPE);
    bool negative = type == CLK_SNORM_INT8 || type == CLK_SNORM_INT16;
    if (scale == 0) return as_uint4(v);
    return (uint4)(fraction(v.x, scale, negative), fraction(v.y, scale, negative),
                   fraction(v.z, scale, negative), fraction(v.w, scale, negative));
}
LOCAL uint4 __attribute__((overloadable)) words(ulong image, int4 v) {
    return as_uint4(v);
}
LOCAL uint4 __attribute__((overloadable)) words(ulong image, uint4 v) {
    return v;
}

/* What sust.p does, for memory, of which CUDA makes no surfaces. */
LOCAL void store_memory(ulong image, uint4 v, int x) {
    if (x < 0 || (ulong)x >= __heddle_word(image, WIDTH)) return;
    uint type = (uint)__heddle_word(image, TYPE), channels = (uint)__heddle_word(image, CHANNELS),
         bytes = (uint)__heddle_word(image, BYTES);
    bool is_signed = type == CLK_SNORM_INT8 || type == CLK_SNORM_INT16 || type == CLK_SIGNED_INT8 ||
                     type == CLK_SIGNED_INT16;
    int most = bytes == 1 ? 127 : 32767;
    global uchar *p = (global uchar *)__heddle_word(image, MEMORY) + (ulong)x * channels * bytes;
    for (uint c = 0; c < channels; c++, p += bytes) {
        uint word = c == 0 ? v.x : c == 1 ? v.y : c == 2 ? v.z : v.w;
        if (type == CLK_HALF_FLOAT) {
            ushort half_bits;
            __asm("cvt.rn.f16.f32 %0, %1;" : "=h"(half_bits) : "f"(as_float(word)));
            word = half_bits;
        } else if (bytes < 4) {
            word = is_signed ? (uint)clamp((int)word, -most - 1, most)
                             : min(word, (uint)(2 * most + 1));
        }
        if (bytes == 1)
            *p = (uchar)word;
        else if (bytes == 2)
            *(global ushort *)p = (ushort)word;
        else
            *(global uint *)p = word;
    }
}

#define WRITES(suffix, vector)                                                                    \
    void FUNCTION write_image##suffix(write_only image1d_t i, int c, vector v) {                  \
        ulong image = __heddle_image(i);                                                          \
        store_1d(__heddle_word(image, SURFACE), words(image, v), c);                              \
    }                                                                                             \
    void FUNCTION write_image##suffix(write_only image1d_buffer_t i, int c, vector v) {           \
        ulong image = __heddle_image(i);                                                          \
        store_memory(image, words(image, v), c);                                                  \
    }                                                                                             \
    void FUNCTION write_image##suffix(write_only image2d_t i, int2 c, vector v) {                 \
        ulong image = __heddle_image(i);                                                          \
        store_2d(__heddle_word(image, SURFACE), words(image, v), c.x, c.y);                       \
    }                                                                                             \
    void FUNCTION write_image##suffix(write_only image3d_t i, int4 c, vector v) {                 \
        ulong image = __heddle_image(i);                                                          \
        store_3d(__heddle_word(image, SURFACE), words(image, v), c.x, c.y, c.z);                  \
    }                                                                                             \
    void FUNCTION write_image##suffix(write_only image1d_array_t i, int2 c, vector v) {           \
        ulong image = __heddle_image(i);                                                          \
        store_a1d(__heddle_word(image, SURFACE), words(image, v), c.y, c.x);                      \
    }                                                                                             \
    void FUNCTION write_image##suffix(write_only image2d_array_t i, int4 c, vector v) {           \
        ulong image = __heddle_image(i);                                                          \
        store_a2d(__heddle_word(image, SURFACE), words(image, v), c.z, c.x, c.y);                 \
    }
WRITES(f, float4)
WRITES(i, int4)
WRITES(ui, uint4)

/* ---- queries */

#define WORD(i, index) ((int)__heddle_word(__heddle_image(i), index))
#define QUERIES(type, access)                                   \
    int FUNCTION get_image_width(access type i) {               \
        return WORD(i, WIDTH);                                  \
    }                                                           \
    int FUNCTION get_image_channel_data_type(access type i) {   \
        return WORD(i, TYPE);                                   \
    }                                                           \
    int FUNCTION get_image_channel_order(access type i) {       \
        return WORD(i, ORDER);                                  \
    }
#define ANY_QUERIES(type) QUERIES(type, read_only) QUERIES(type, write_only)
ALL_IMAGES(ANY_QUERIES)
#define FLAT_QUERIES(type, access)                              \
    int FUNCTION get_image_height(access type i) {              \
        return WORD(i, HEIGHT);                                 \
    }                                                           \
    int2 FUNCTION get_image_dim(access type i) {                \
        return (int2)(WORD(i, WIDTH), WORD(i, HEIGHT));         \
    }
#define ARRAY_QUERIES(type, access)                             \
    size_t FUNCTION get_image_array_size(access type i) {       \
        return __heddle_word(__heddle_image(i), LAYERS);        \
    }
#define DEEP_QUERIES(access)                                                          \
    int FUNCTION get_image_height(access image3d_t i) {                               \
        return WORD(i, HEIGHT);                                                       \
    }                                                                                 \
    int FUNCTION get_image_depth(access image3d_t i) {                                \
        return WORD(i, DEPTH);                                                        \
    }                                                                                 \
    int4 FUNCTION get_image_dim(access image3d_t i) {                                 \
        return (int4)(WORD(i, WIDTH), WORD(i, HEIGHT), WORD(i, DEPTH), 0);            \
    }
#define ACCESSES(access)                     \
    FLAT_QUERIES(image2d_t, access)          \
    FLAT_QUERIES(image2d_array_t, access)    \
    ARRAY_QUERIES(image1d_array_t, access)   \
    ARRAY_QUERIES(image2d_array_t, access)   \
    DEEP_QUERIES(access)
ACCESSES(read_only)
ACCESSES(write_only)
