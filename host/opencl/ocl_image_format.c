/* ocl_image_format.c - the image formats that Heddle supports: those that every OpenCL 1.2 device
 * has, and those of one and two channels. A format is a CUDA array's, with another order of
 * channels for some (image.cl). */
#include <math.h>
#include <string.h>

#include "opencl/opencl.h"

/* CUarray_format */
enum {
    ARRAY_U8 = 0x01,
    ARRAY_U16 = 0x02,
    ARRAY_U32 = 0x03,
    ARRAY_S8 = 0x08,
    ARRAY_S16 = 0x09,
    ARRAY_S32 = 0x0a,
    ARRAY_HALF = 0x10,
    ARRAY_FLOAT = 0x20
};
/* As in image.cl. */
enum { SWIZZLE_NONE, SWIZZLE_BGRA, SWIZZLE_A, SWIZZLE_INTENSITY, SWIZZLE_LUMINANCE };

/* FRACTIONS: rows for the types that are read as floats. INTEGERS: for the others. */
#define ROW(order, type, channels, bytes, array, swizzle, scale, is_signed, integer, opaque) \
    { {order, type}, channels, bytes, array, swizzle, scale, is_signed, integer, opaque }
#define FRACTIONS(order, n, swizzle, opaque)                                               \
    ROW(order, CL_UNORM_INT8, n, 1, ARRAY_U8, swizzle, 255, false, false, opaque),         \
        ROW(order, CL_UNORM_INT16, n, 2, ARRAY_U16, swizzle, 65535, false, false, opaque), \
        ROW(order, CL_SNORM_INT8, n, 1, ARRAY_S8, swizzle, 127, true, false, opaque),      \
        ROW(order, CL_SNORM_INT16, n, 2, ARRAY_S16, swizzle, 32767, true, false, opaque),  \
        ROW(order, CL_HALF_FLOAT, n, 2, ARRAY_HALF, swizzle, 0, true, false, opaque),      \
        ROW(order, CL_FLOAT, n, 4, ARRAY_FLOAT, swizzle, 0, true, false, opaque)
#define INTEGERS(order, n, opaque)                                                            \
    ROW(order, CL_SIGNED_INT8, n, 1, ARRAY_S8, SWIZZLE_NONE, 0, true, true, opaque),          \
        ROW(order, CL_SIGNED_INT16, n, 2, ARRAY_S16, SWIZZLE_NONE, 0, true, true, opaque),    \
        ROW(order, CL_SIGNED_INT32, n, 4, ARRAY_S32, SWIZZLE_NONE, 0, true, true, opaque),    \
        ROW(order, CL_UNSIGNED_INT8, n, 1, ARRAY_U8, SWIZZLE_NONE, 0, false, true, opaque),   \
        ROW(order, CL_UNSIGNED_INT16, n, 2, ARRAY_U16, SWIZZLE_NONE, 0, false, true, opaque), \
        ROW(order, CL_UNSIGNED_INT32, n, 4, ARRAY_U32, SWIZZLE_NONE, 0, false, true, opaque)

static const struct ocl_format formats[] = {
    FRACTIONS(CL_RGBA, 4, SWIZZLE_NONE, false),
    INTEGERS(CL_RGBA, 4, false),
    ROW(CL_BGRA, CL_UNORM_INT8, 4, 1, ARRAY_U8, SWIZZLE_BGRA, 255, false, false, false),
    FRACTIONS(CL_R, 1, SWIZZLE_NONE, true),
    INTEGERS(CL_R, 1, true),
    FRACTIONS(CL_RG, 2, SWIZZLE_NONE, true),
    INTEGERS(CL_RG, 2, true),
    FRACTIONS(CL_A, 1, SWIZZLE_A, false),
    FRACTIONS(CL_INTENSITY, 1, SWIZZLE_INTENSITY, false),
    FRACTIONS(CL_LUMINANCE, 1, SWIZZLE_LUMINANCE, true),
};
enum { NUM_FORMATS = sizeof formats / sizeof formats[0] };

const struct ocl_format *ocl_format_find(const cl_image_format *format) {
    for (size_t i = 0; i < NUM_FORMATS; i++)
        if (formats[i].format.image_channel_order == format->image_channel_order &&
            formats[i].format.image_channel_data_type == format->image_channel_data_type)
            return &formats[i];
    return NULL;
}

/* The bits of a float rounded to half precision, to the nearest even. */
static uint16_t half_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    if (isnan(x)) return sign | 0x7e00;
    int exponent;
    double m = frexp(fabs((double)x), &exponent); /* in [0.5, 1) */
    if (x == 0) return sign;
    if (isinf(x) || exponent > 16) return sign | 0x7c00;
    /* the last place of a half, also below the normal numbers; a carry gives the next exponent */
    int place = exponent > -13 ? exponent - 11 : -24;
    uint32_t steps = (uint32_t)nearbyint(ldexp(m, exponent - place));
    if (exponent <= -13) return (uint16_t)(sign | steps);
    return (uint16_t)(sign | ((uint32_t)(exponent + 13) * 1024 + steps));
}

/* A 32-bit integer clamped to a channel's range. */
static uint32_t clamped(const struct ocl_format *f, uint32_t word) {
    if (f->bytes == 4) return word;
    int64_t x = f->is_signed ? (int64_t)(int32_t)word : (int64_t)word,
            most = (INT64_C(1) << (8 * f->bytes - f->is_signed)) - 1,
            least = f->is_signed ? -most - 1 : 0;
    return (uint32_t)(x < least ? least : x > most ? most : x);
}

/* A channel of a fraction or float. */
static uint32_t from_float(const struct ocl_format *f, float x) {
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    if (f->scale == 0) return f->bytes == 2 ? half_of(x) : word;
    double n = isnan(x) ? 0 : nearbyint((double)(x * f->scale));
    double most = (double)f->scale, least = f->is_signed ? -most - 1 : 0;
    return (uint32_t)(int32_t)(n < least ? least : n > most ? most : n);
}

void ocl_format_encode(const struct ocl_format *f, const void *color, unsigned char *texel) {
    static const unsigned char source[][4] = {
        {0, 1, 2, 3}, {2, 1, 0, 3}, {3, 3, 3, 3}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    for (unsigned c = 0; c < f->channels; c++) {
        uint32_t word;
        float x;
        const char *from = (const char *)color + 4 * source[f->swizzle][c];
        memcpy(&word, from, sizeof word);
        memcpy(&x, from, sizeof x);
        word = f->integer ? clamped(f, word) : from_float(f, x);
        memcpy(texel + c * f->bytes, &word, f->bytes); /* little-endian */
    }
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                           cl_mem_object_type type, cl_uint count,
                                                           cl_image_format *out,
                                                           cl_uint *num_formats) {
    if (!ocl_is(context, OCL_CONTEXT)) return CL_INVALID_CONTEXT;
    if (ocl_check_flags(flags & ~(cl_mem_flags)(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR |
                                                CL_MEM_KERNEL_READ_AND_WRITE),
                        NULL))
        return CL_INVALID_VALUE;
    if (type < CL_MEM_OBJECT_IMAGE2D || type > CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return CL_INVALID_VALUE;
    if (!count && out) return CL_INVALID_VALUE;
    /* no kernel reads and writes one image */
    cl_uint there = flags & CL_MEM_KERNEL_READ_AND_WRITE ? 0 : NUM_FORMATS;
    for (cl_uint i = 0; out && i < count && i < there; i++) out[i] = formats[i].format;
    if (num_formats) *num_formats = there;
    return CL_SUCCESS;
}
