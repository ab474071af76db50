/* opencl_images.c - read_image*: each shape, format, address mode, filter and kind of coordinates,
 * against the formulas of the OpenCL 1.2 specification (chapter 8) in double precision.
 *
 * Coordinates are chosen away from the places where a nearest filter is undecided; linear filters
 * may be off by the 8 bits of a GPU's weights. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "check.h"

enum { W = 7, H = 5, D = 4, POINTS = 96, TEXELS = W * H * D };

static const char source[] =
    "#define READ(name, type, coordinate, c)                                             \\\n"
    "  kernel void f_##name(read_only type i, sampler_t s, global const coordinate *at,  \\\n"
    "                       global float4 *o) { size_t g = get_global_id(0);             \\\n"
    "    o[g] = read_imagef(i, s, at[g]c); }                                             \\\n"
    "  kernel void i_##name(read_only type i, sampler_t s, global const coordinate *at,  \\\n"
    "                       global int4 *o) { size_t g = get_global_id(0);               \\\n"
    "    o[g] = read_imagei(i, s, at[g]c); }                                             \\\n"
    "  kernel void u_##name(read_only type i, sampler_t s, global const coordinate *at,  \\\n"
    "                       global uint4 *o) { size_t g = get_global_id(0);              \\\n"
    "    o[g] = read_imageui(i, s, at[g]c); }\n"
    "#define PLAIN(name, type, c)                                                        \\\n"
    "  kernel void f_##name(read_only type i, sampler_t s, global const int4 *at,        \\\n"
    "                       global float4 *o) { size_t g = get_global_id(0);             \\\n"
    "    o[g] = read_imagef(i, at[g]c); }                                                \\\n"
    "  kernel void i_##name(read_only type i, sampler_t s, global const int4 *at,        \\\n"
    "                       global int4 *o) { size_t g = get_global_id(0);               \\\n"
    "    o[g] = read_imagei(i, at[g]c); }                                                \\\n"
    "  kernel void u_##name(read_only type i, sampler_t s, global const int4 *at,        \\\n"
    "                       global uint4 *o) { size_t g = get_global_id(0);              \\\n"
    "    o[g] = read_imageui(i, at[g]c); }\n"
    "READ(float_1d, image1d_t, float4, .x)        READ(int_1d, image1d_t, int4, .x)\n"
    "READ(float_2d, image2d_t, float4, .xy)       READ(int_2d, image2d_t, int4, .xy)\n"
    "READ(float_3d, image3d_t, float4, )          READ(int_3d, image3d_t, int4, )\n"
    "READ(float_a1d, image1d_array_t, float4, .xy) READ(int_a1d, image1d_array_t, int4, .xy)\n"
    "READ(float_a2d, image2d_array_t, float4, )   READ(int_a2d, image2d_array_t, int4, )\n"
    "PLAIN(plain_1d, image1d_t, .x) PLAIN(plain_2d, image2d_t, .xy)\n"
    "PLAIN(plain_3d, image3d_t, )   PLAIN(plain_a1d, image1d_array_t, .xy)\n"
    "PLAIN(plain_a2d, image2d_array_t, ) PLAIN(plain_buffer, image1d_buffer_t, .x)\n"
    "constant sampler_t constant_sampler =\n"
    "  CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;\n"
    "float4 helper(read_only image2d_t i, sampler_t s, float2 c) { return read_imagef(i, s, c); }\n"
    "kernel void samplers(read_only image2d_t i, global const float4 *at, global float4 *o,\n"
    "                     int which) {\n"
    "  const sampler_t local_sampler =\n"
    "    CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;\n"
    "  size_t g = get_global_id(0);\n"
    "  o[g] = which == 0 ? helper(i, constant_sampler, at[g].xy)\n"
    "       : which == 1 ? helper(i, local_sampler, at[g].xy)\n"
    "       : read_imagef(i, CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_REPEAT |\n"
    "                        CLK_FILTER_LINEAR, at[g].xy); }\n";

static const struct shape {
    const char *name;
    cl_mem_object_type type;
    int dims;
    bool layered;
} shapes[] = {
    {"1d", CL_MEM_OBJECT_IMAGE1D, 1, false},       {"2d", CL_MEM_OBJECT_IMAGE2D, 2, false},
    {"3d", CL_MEM_OBJECT_IMAGE3D, 3, false},       {"a1d", CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, true},
    {"a2d", CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, true},
};
enum { NUM_SHAPES = sizeof shapes / sizeof shapes[0] };

static cl_program program;
static cl_mem coordinates, results;

/* ---- texels */

struct image {
    cl_image_format format;
    const struct shape *shape;
    int size[3], layers;
    uint8_t bytes[TEXELS * 16];
    cl_mem mem;
};

static int channels_of(cl_channel_order order) {
    return order == CL_RG ? 2 : order == CL_RGBA || order == CL_BGRA ? 4 : 1;
}
static int bytes_of(cl_channel_type type) {
    switch (type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8: return 1;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT: return 4;
    default: return 2;
    }
}
static char suffix_of(cl_channel_type type) {
    switch (type) {
    case CL_SIGNED_INT8:
    case CL_SIGNED_INT16:
    case CL_SIGNED_INT32: return 'i';
    case CL_UNSIGNED_INT8:
    case CL_UNSIGNED_INT16:
    case CL_UNSIGNED_INT32: return 'u';
    default: return 'f';
    }
}

static double half_value(uint16_t h) {
    int e = h >> 10 & 31, m = h & 1023;
    double x = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
    return h >> 15 ? -x : x;
}

/* The value of a channel as read_image* gives it. */
static double value_of(cl_channel_type type, const uint8_t *p) {
    int8_t i8;
    int16_t i16;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    float f;
    memcpy(&i8, p, 1);
    memcpy(&i16, p, bytes_of(type) >= 2 ? 2 : 1);
    u16 = (uint16_t)i16;
    if (bytes_of(type) == 1) i16 = 0, u16 = 0;
    memcpy(&i32, p, (size_t)bytes_of(type));
    memcpy(&u32, &i32, 4);
    memcpy(&f, &i32, 4);
    switch (type) {
    case CL_SNORM_INT8: return fmax(-1, i8 / 127.0);
    case CL_SNORM_INT16: return fmax(-1, i16 / 32767.0);
    case CL_UNORM_INT8: return *p / 255.0;
    case CL_UNORM_INT16: return u16 / 65535.0;
    case CL_SIGNED_INT8: return i8;
    case CL_SIGNED_INT16: return i16;
    case CL_SIGNED_INT32: return i32;
    case CL_UNSIGNED_INT8: return *p;
    case CL_UNSIGNED_INT16: return u16;
    case CL_UNSIGNED_INT32: return u32;
    case CL_HALF_FLOAT: return half_value(u16);
    default: return (double)f;
    }
}

/* The four channels of a texel, or the border's if it is outside (index -1). */
static void texel(const struct image *i, const int at[3], int layer, double out[4]) {
    cl_channel_order order = i->format.image_channel_order;
    int n = channels_of(order), bytes = bytes_of(i->format.image_channel_data_type);
    bool opaque = order == CL_R || order == CL_RG || order == CL_LUMINANCE;
    double c[4] = {0, 0, 0, 0};
    bool outside = false;
    for (int d = 0; d < i->shape->dims; d++) outside |= at[d] < 0;
    if (outside) {
        for (int k = 0; k < 4; k++) out[k] = 0;
        out[3] = opaque;
        return;
    }
    int z = i->shape->layered ? layer : at[2];
    const uint8_t *p = i->bytes + ((z * i->size[1] + at[1]) * i->size[0] + at[0]) * n * bytes;
    for (int k = 0; k < n; k++) c[k] = value_of(i->format.image_channel_data_type, p + k * bytes);
    const double r[7][4] = {{c[0], c[1], c[2], c[3]}, {c[0], 0, 0, 1}, {c[0], c[1], 0, 1},
                            {c[2], c[1], c[0], c[3]}, {0, 0, 0, c[0]}, {c[0], c[0], c[0], c[0]},
                            {c[0], c[0], c[0], 1}};
    int row = order == CL_RGBA        ? 0
              : order == CL_R         ? 1
              : order == CL_RG        ? 2
              : order == CL_BGRA      ? 3
              : order == CL_A         ? 4
              : order == CL_INTENSITY ? 5
                                      : 6;
    memcpy(out, r[row], sizeof r[row]);
}

/* ---- the formulas */

static int clamped(int x, int low, int high) {
    return x < low ? low : x > high ? high : x;
}

/* Where a coordinate leads in one dimension of n texels: two indices, -1 the border, and the weight
 * of the second. */
static void address(cl_addressing_mode mode, bool normalized, bool linear, double s, int n,
                    int index[2], double *weight) {
    double u = normalized ? s * n : s;
    if (mode == CL_ADDRESS_REPEAT) u = (s - floor(s)) * n;
    if (mode == CL_ADDRESS_MIRRORED_REPEAT) u = fabs(s - 2 * rint(0.5 * s)) * n;
    int low = (int)floor(linear ? u - 0.5 : u);
    *weight = linear ? u - 0.5 - floor(u - 0.5) : 0;
    for (int k = 0; k < 2; k++) {
        int i = low + k;
        switch (mode) {
        case CL_ADDRESS_REPEAT: i = i < 0 ? i + n : i >= n ? i - n : i; break;
        case CL_ADDRESS_CLAMP: i = i < 0 || i >= n ? -1 : i; break;
        default: i = clamped(i, 0, n - 1);
        }
        index[k] = i;
    }
}

/* What a sampler reads at c. */
static void expected(const struct image *i, cl_addressing_mode mode, bool normalized, bool linear,
                     const double c[4], double out[4]) {
    int index[3][2] = {{0, 0}, {0, 0}, {0, 0}}, dims = i->shape->dims;
    double weight[3] = {0, 0, 0};
    for (int d = 0; d < dims; d++)
        address(mode, normalized, linear, c[d], i->size[d], index[d], &weight[d]);
    int layer = i->shape->layered ? clamped((int)rint(c[dims]), 0, i->layers - 1) : 0;
    for (int k = 0; k < 4; k++) out[k] = 0;
    for (int corner = 0; corner < 1 << (linear ? dims : 0); corner++) {
        int at[3];
        double w = 1, v[4];
        for (int d = 0; d < 3; d++) {
            at[d] = index[d][corner >> d & 1];
            if (linear && d < dims) w *= corner >> d & 1 ? weight[d] : 1 - weight[d];
        }
        texel(i, at, layer, v);
        for (int k = 0; k < 4; k++) out[k] += w * v[k];
    }
}

/* ---- images */

static uint32_t state = 1;
static uint32_t next_random(void) {
    return (state = state * 1664525u + 1013904223u) >> 8;
}

static void make(struct image *i, cl_channel_order order, cl_channel_type type,
                 const struct shape *shape) {
    int n = channels_of(order), bytes = bytes_of(type);
    *i = (struct image){.format = {order, type}, .shape = shape, .size = {W, 1, 1}, .layers = 1};
    if (shape->dims > 1) i->size[1] = H;
    if (shape->dims > 2) i->size[2] = D;
    if (shape->layered) i->layers = D;
    int count = i->size[0] * i->size[1] * i->size[2] * i->layers * n;
    for (int k = 0; k < count; k++) {
        uint32_t word = next_random() ^ next_random() << 16;
        if (type == CL_FLOAT) {
            float f = (float)(int32_t)word / (float)INT32_MAX;
            memcpy(&word, &f, 4);
        }
        if (type == CL_HALF_FLOAT) word = (word & 0x83ff) | (word >> 16 & 15) << 10; /* below 2 */
        memcpy(i->bytes + k * bytes, &word, (size_t)bytes);
    }
    const cl_image_desc desc = {.image_type = shape->type,
                                .image_width = W,
                                .image_height = shape->dims > 1 ? H : 0,
                                .image_depth = shape->dims > 2 ? D : 0,
                                .image_array_size = shape->layered ? D : 0};
    cl_int error;
    i->mem = clCreateImage(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &i->format, &desc,
                           i->bytes, &error);
    OK(error);
}

/* ---- one launch */

static void run(cl_kernel k, const struct image *i, cl_sampler s, const void *at, void *out) {
    size_t n = POINTS;
    OK(clSetKernelArg(k, 0, sizeof i->mem, &i->mem));
    OK(clSetKernelArg(k, 1, sizeof s, &s));
    OK(clSetKernelArg(k, 2, sizeof coordinates, &coordinates));
    OK(clSetKernelArg(k, 3, sizeof results, &results));
    OK(clEnqueueWriteBuffer(queue, coordinates, CL_FALSE, 0, POINTS * 16, at, 0, NULL, NULL));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, POINTS * 16, out, 0, NULL, NULL));
}

/* Compares: integers exactly, floats within `tolerance`. */
static void compare(const struct image *i, char suffix, const void *got, int point,
                    const double want[4], double tolerance, const char *what) {
    for (int k = 0; k < 4; k++) {
        const char *p = (const char *)got + point * 16 + k * 4;
        float f;
        int32_t s;
        uint32_t u;
        memcpy(&f, p, 4);
        memcpy(&s, p, 4);
        memcpy(&u, p, 4);
        double x = suffix == 'f' ? (double)f : suffix == 'i' ? (double)s : (double)u;
        if (fabs(x - want[k]) <= (suffix == 'f' ? tolerance : 0)) continue;
        printf("%s, shape %s, order 0x%x, type 0x%x, point %d, channel %d: %.9g, not %.9g\n", what,
               i->shape->name, i->format.image_channel_order, i->format.image_channel_data_type,
               point, k, x, want[k]);
        exit(1);
    }
}

/* A coordinate that is not undecided: its distance to a multiple of 1/8 texel is at least 1/64. */
static double coordinate(int n, bool normalized, double reach) {
    double steps = (next_random() % 4096 / 4095.0 * 2 - 1) * reach * n * 8;
    double x = floor(steps + n * 4) / 8 + 1.0 / 16;
    return normalized ? x / n : x;
}

static cl_kernel reader(char suffix, const char *kind, const char *shape) {
    char name[64];
    snprintf(name, sizeof name, "%c_%s_%s", suffix, kind, shape);
    return kernel_of(program, name);
}

static void test_sampler(const struct image *i, cl_addressing_mode mode, bool normalized,
                         bool linear) {
    static const char *const modes[] = {"none", "edge", "clamp", "repeat", "mirror"};
    cl_channel_type type = i->format.image_channel_data_type;
    char suffix = suffix_of(type), what[96];
    float at[POINTS][4];
    int32_t whole[POINTS][4];
    char got[POINTS * 16];
    double c[POINTS][4], want[4];
    cl_int error;
    cl_sampler s = clCreateSampler(context, normalized, mode,
                                   linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST, &error);
    OK(error);
    int dims = i->shape->dims;
    double reach = mode == CL_ADDRESS_NONE ? 0.45 : 1.6;
    for (int p = 0; p < POINTS; p++) {
        for (int d = 0; d < 4; d++) {
            c[p][d] = d < dims ? coordinate(i->size[d], normalized, reach) : 0;
            if (mode == CL_ADDRESS_NONE && linear && d < dims) {
                double n = normalized ? i->size[d] : 1; /* both texels are inside */
                c[p][d] = fmin(fmax(c[p][d] * n, 0.5625), i->size[d] - 0.5625) / n;
            }
            if (i->shape->layered && d == dims) c[p][d] = next_random() % 60 / 10.0 - 1;
            at[p][d] = (float)c[p][d];
            c[p][d] = (double)at[p][d];
            whole[p][d] = (int32_t)floor(c[p][d]);
        }
    }
    snprintf(what, sizeof what, "%s%s%s", modes[mode - CL_ADDRESS_NONE],
             normalized ? ", normalized" : "", linear ? ", linear" : "");
    cl_kernel k = reader(suffix, "float", i->shape->name);
    run(k, i, s, at, got);
    for (int p = 0; p < POINTS; p++) {
        expected(i, mode, normalized, linear, c[p], want);
        compare(i, suffix, got, p, want, linear ? 0.02 : 1e-6, what);
    }
    OK(clReleaseKernel(k));
    if (!normalized && !linear) {
        k = reader(suffix, "int", i->shape->name);
        run(k, i, s, whole, got);
        for (int p = 0; p < POINTS; p++) {
            for (int d = 0; d < 4; d++) c[p][d] = whole[p][d];
            expected(i, mode, false, false, c[p], want);
            compare(i, suffix, got, p, want, 1e-6, what);
        }
        OK(clReleaseKernel(k));
    }
    OK(clReleaseSampler(s));
}

static void test_plain(const struct image *i) {
    char suffix = suffix_of(i->format.image_channel_data_type);
    int32_t whole[POINTS][4];
    char got[POINTS * 16];
    double want[4];
    cl_int error;
    cl_sampler s = clCreateSampler(context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &error);
    OK(error);
    cl_kernel k = reader(suffix, "plain", i->shape->name);
    for (int p = 0; p < POINTS; p++)
        for (int d = 0; d < 4; d++) {
            int n = 1;
            if (d < 3 && d < i->shape->dims) n = i->size[d];
            if (i->shape->layered && d == i->shape->dims) n = i->layers;
            whole[p][d] = (int32_t)(next_random() % (uint32_t)n);
        }
    run(k, i, s, whole, got);
    for (int p = 0; p < POINTS; p++) {
        double c[4];
        for (int d = 0; d < 4; d++) c[d] = whole[p][d];
        expected(i, CL_ADDRESS_NONE, false, false, c, want);
        compare(i, suffix, got, p, want, 1e-6, "without a sampler");
    }
    OK(clReleaseKernel(k));
    OK(clReleaseSampler(s));
}

static void test_format(cl_channel_order order, cl_channel_type type, const struct shape *shape) {
    static struct image i;
    make(&i, order, type, shape);
    bool integer = suffix_of(type) != 'f';
    for (cl_addressing_mode m = CL_ADDRESS_NONE; m <= CL_ADDRESS_MIRRORED_REPEAT; m++)
        for (int normalized = m >= CL_ADDRESS_REPEAT; normalized < 2; normalized++)
            for (int linear = 0; linear < 2 - integer; linear++)
                test_sampler(&i, m, normalized, linear);
    test_plain(&i);
    OK(clReleaseMemObject(i.mem));
}

/* Samplers that the program defines: in constant memory, in a function, in a call. */
static void test_own_samplers(void) {
    static struct image i;
    static const struct {
        cl_addressing_mode mode;
        bool normalized, linear;
    } rows[] = {{CL_ADDRESS_MIRRORED_REPEAT, true, true},
                {CL_ADDRESS_CLAMP, false, false},
                {CL_ADDRESS_REPEAT, true, true}};
    float at[POINTS][4], got[POINTS][4];
    size_t n = POINTS;
    make(&i, CL_RGBA, CL_FLOAT, &shapes[1]);
    cl_kernel k = kernel_of(program, "samplers");
    for (cl_int which = 0; which < 3; which++) {
        for (int p = 0; p < POINTS; p++)
            for (int d = 0; d < 4; d++)
                at[p][d] = d < 2 ? (float)coordinate(i.size[d], rows[which].normalized, 1.6) : 0;
        OK(clEnqueueWriteBuffer(queue, coordinates, CL_FALSE, 0, sizeof at, at, 0, NULL, NULL));
        OK(clSetKernelArg(k, 0, sizeof i.mem, &i.mem));
        OK(clSetKernelArg(k, 1, sizeof coordinates, &coordinates));
        OK(clSetKernelArg(k, 2, sizeof results, &results));
        OK(clSetKernelArg(k, 3, sizeof which, &which));
        OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &n, NULL, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, results, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int p = 0; p < POINTS; p++) {
            double c[4], want[4];
            for (int d = 0; d < 4; d++) c[d] = (double)at[p][d];
            expected(&i, rows[which].mode, rows[which].normalized, rows[which].linear, c, want);
            compare(&i, 'f', got, p, want, 0.02, "a sampler of the program");
        }
    }
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(i.mem));
}

/* An image of a buffer sees what the buffer has. */
static void test_buffer_image(void) {
    static const struct shape line = {"buffer", CL_MEM_OBJECT_IMAGE1D_BUFFER, 1, false};
    static struct image i;
    static const cl_channel_type types[] = {CL_FLOAT, CL_UNORM_INT8, CL_SIGNED_INT16,
                                            CL_UNSIGNED_INT32};
    cl_int error;
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
        struct image texels;
        make(&texels, CL_RGBA, types[t], &shapes[0]);
        OK(clReleaseMemObject(texels.mem));
        i = texels;
        i.shape = &line;
        cl_mem b = buffer(CL_MEM_COPY_HOST_PTR, sizeof i.bytes, i.bytes);
        const cl_image_desc desc = {
            .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = W, .buffer = b};
        i.mem = clCreateImage(context, 0, &i.format, &desc, NULL, &error);
        OK(error);
        OK(clReleaseMemObject(b)); /* the image keeps it */
        test_plain(&i);
        OK(clReleaseMemObject(i.mem));
    }
}

int main(void) {
    cl_image_format formats[128];
    cl_uint count;
    start(0);
    program = build(source, "");
    coordinates = buffer(CL_MEM_READ_ONLY, POINTS * 16, NULL);
    results = buffer(CL_MEM_WRITE_ONLY, POINTS * 16, NULL);
    for (int s = 0; s < NUM_SHAPES; s++) {
        OK(clGetSupportedImageFormats(context, CL_MEM_READ_ONLY, shapes[s].type, 128, formats,
                                      &count));
        CHECK(count <= 128);
        for (cl_uint f = 0; f < count; f++)
            test_format(formats[f].image_channel_order, formats[f].image_channel_data_type,
                        &shapes[s]);
        printf("%s: %u formats\n", shapes[s].name, count);
    }
    test_own_samplers();
    test_buffer_image();
    OK(clReleaseMemObject(coordinates));
    OK(clReleaseMemObject(results));
    OK(clReleaseProgram(program));
    stop();
    printf("opencl_images: ok\n");
    return 0;
}
