/* opencl_image_calls.c - the calls of images: writes by kernels, transfers with pitches, copies,
 * fills, mappings, queries of host and kernel, and errors. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#include "check.h"

enum { W = 13, H = 6, D = 3, MOST = W * H * D * 16 };

static const char source[] =
    "#define WRITERS(type, name, c)                                                        \\\n"
    "  kernel void f_##name(write_only type i, global const float4 *v) {                   \\\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);             \\\n"
    "    write_imagef(i, c, v[(z * 6 + y) * 13 + x]); }                                    \\\n"
    "  kernel void i_##name(write_only type i, global const int4 *v) {                     \\\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);             \\\n"
    "    write_imagei(i, c, v[(z * 6 + y) * 13 + x]); }                                    \\\n"
    "  kernel void u_##name(write_only type i, global const uint4 *v) {                    \\\n"
    "    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);             \\\n"
    "    write_imageui(i, c, v[(z * 6 + y) * 13 + x]); }\n"
    "#pragma OPENCL EXTENSION cl_khr_3d_image_writes : enable\n"
    "WRITERS(image1d_t, 1d, x)\n"
    "WRITERS(image1d_buffer_t, buffer, x)\n"
    "WRITERS(image2d_t, 2d, (int2)(x, y))\n"
    "WRITERS(image3d_t, 3d, (int4)(x, y, z, 0))\n"
    "WRITERS(image1d_array_t, a1d, (int2)(x, y))\n"
    "WRITERS(image2d_array_t, a2d, (int4)(x, y, z, 0))\n"
    "kernel void outside(write_only image2d_t i, int x, int y) {\n"
    "  write_imagef(i, (int2)(x, y), (float4)(1)); }\n"
    "kernel void ask(read_only image2d_t a, read_only image3d_t b, read_only image2d_array_t c,\n"
    "                write_only image1d_array_t d, read_only image1d_buffer_t e, global int *o) {\n"
    "  o[0] = get_image_width(a); o[1] = get_image_height(a);\n"
    "  o[2] = get_image_dim(a).x; o[3] = get_image_dim(a).y;\n"
    "  o[4] = get_image_depth(b); o[5] = get_image_dim(b).z; o[6] = get_image_dim(b).w;\n"
    "  o[7] = get_image_array_size(c); o[8] = get_image_height(c);\n"
    "  o[9] = get_image_array_size(d); o[10] = get_image_width(e);\n"
    "  o[11] = get_image_channel_order(a) == CLK_BGRA;\n"
    "  o[12] = get_image_channel_data_type(a) == CLK_UNORM_INT8;\n"
    "  o[13] = get_image_channel_order(e) == CLK_R;\n"
    "  o[14] = get_image_channel_data_type(e) == CLK_SIGNED_INT16; }\n";

static cl_program program;

struct shape {
    const char *name;
    cl_mem_object_type type;
    size_t region[3];
};
static const struct shape shapes[] = {
    {"1d", CL_MEM_OBJECT_IMAGE1D, {W, 1, 1}},
    {"2d", CL_MEM_OBJECT_IMAGE2D, {W, H, 1}},
    {"3d", CL_MEM_OBJECT_IMAGE3D, {W, H, D}},
    {"a1d", CL_MEM_OBJECT_IMAGE1D_ARRAY, {W, H, 1}},
    {"a2d", CL_MEM_OBJECT_IMAGE2D_ARRAY, {W, H, D}},
    {"buffer", CL_MEM_OBJECT_IMAGE1D_BUFFER, {W, 1, 1}},
};
enum { NUM_SHAPES = sizeof shapes / sizeof shapes[0], BUFFER = NUM_SHAPES - 1 };
static const size_t origin[3] = {0, 0, 0};

static cl_mem make(const struct shape *s, cl_channel_order order, cl_channel_type type) {
    const cl_image_format format = {order, type};
    bool lines = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    cl_image_desc d = {.image_type = s->type,
                       .image_width = s->region[0],
                       .image_height = s->region[1],
                       .image_depth = s->region[2],
                       .image_array_size = lines ? s->region[1] : s->region[2]};
    cl_int error;
    if (s->type == CL_MEM_OBJECT_IMAGE1D_BUFFER) d.buffer = buffer(0, W * 16, NULL);
    cl_mem m = clCreateImage(context, 0, &format, &d, NULL, &error);
    OK(error);
    if (d.buffer) OK(clReleaseMemObject(d.buffer));
    return m;
}

/* ---- kernels' writes: what the specification's conversions give */

static double saturated(double x, double low, double high) {
    return x != x ? 0 : x < low ? low : x > high ? high : x;
}

/* Checks one channel that a kernel wrote from word `v` of the source. */
static bool is_right(cl_channel_type type, const uint8_t *p, uint32_t word) {
    float f, got_f;
    int8_t i8;
    int16_t i16;
    uint16_t u16;
    uint32_t u32 = 0;
    memcpy(&f, &word, 4);
    memcpy(&i8, p, 1);
    memcpy(&i16, p, 2);
    memcpy(&u16, p, 2);
    memcpy(&u32, p, 4);
    memcpy(&got_f, p, 4);
    int32_t s = (int32_t)word;
    switch (type) {
    case CL_UNORM_INT8: return *p == rint(saturated((double)(f * 255), 0, 255));
    case CL_UNORM_INT16: return u16 == rint(saturated((double)(f * 65535), 0, 65535));
    case CL_SNORM_INT8: return i8 == rint(saturated((double)(f * 127), -128, 127));
    case CL_SNORM_INT16: return i16 == rint(saturated((double)(f * 32767), -32768, 32767));
    case CL_SIGNED_INT8: return i8 == (s < -128 ? -128 : s > 127 ? 127 : s);
    case CL_SIGNED_INT16: return i16 == (s < -32768 ? -32768 : s > 32767 ? 32767 : s);
    case CL_UNSIGNED_INT8: return *p == (word > 255 ? 255 : word);
    case CL_UNSIGNED_INT16: return u16 == (word > 65535 ? 65535 : word);
    case CL_HALF_FLOAT: {
        int e = u16 >> 10 & 31, m = u16 & 1023;
        double x = e ? ldexp(1024 + m, e - 25) : ldexp(m, -24);
        return fabs((u16 >> 15 ? -x : x) - (double)f) <= fabs((double)f) / 2048 + ldexp(1, -25);
    }
    default: return u32 == word;
    }
}

/* Bytes of a channel, and the suffix of the function that writes it. */
static size_t channel_bytes(cl_channel_type t) {
    return t == CL_FLOAT || t == CL_SIGNED_INT32 || t == CL_UNSIGNED_INT32 ? 4
           : t == CL_SNORM_INT8 || t == CL_UNORM_INT8 || t == CL_SIGNED_INT8 ||
                   t == CL_UNSIGNED_INT8
               ? 1
               : 2;
}
static char suffix_of(cl_channel_type t) {
    return t >= CL_SIGNED_INT8 && t <= CL_SIGNED_INT32       ? 'i'
           : t >= CL_UNSIGNED_INT8 && t <= CL_UNSIGNED_INT32 ? 'u'
                                                             : 'f';
}

static uint32_t next_random(void) {
    static uint32_t state = 7;
    return (state = state * 1664525u + 1013904223u);
}

static void test_write(const struct shape *s, cl_channel_order order, cl_channel_type type) {
    static uint32_t words[W * H * D][4];
    static uint8_t got[MOST + 16];
    /* the channel of the source that each channel in memory comes from */
    static const int plain[] = {0, 1, 2, 3}, bgra[] = {2, 1, 0, 3}, alpha[] = {3};
    const int *from = order == CL_BGRA ? bgra : order == CL_A ? alpha : plain;
    size_t n = order == CL_RG                         ? 2
               : order == CL_RGBA || order == CL_BGRA ? 4
                                                      : 1,
           bytes = channel_bytes(type);
    char suffix = suffix_of(type), name[32];
    for (int i = 0; i < W * H * D; i++)
        for (int c = 0; c < 4; c++) {
            float f = (float)((double)next_random() / UINT32_MAX * 2.6 - 1.3);
            words[i][c] = next_random() >> (next_random() % 32);
            if (suffix == 'i' && next_random() & 64) words[i][c] = 0 - words[i][c];
            if (suffix == 'f') memcpy(&words[i][c], &f, 4);
        }
    cl_mem v = buffer(CL_MEM_COPY_HOST_PTR, sizeof words, words), m = make(s, order, type);
    snprintf(name, sizeof name, "%c_%s", suffix, s->name);
    cl_kernel k = kernel_of(program, name);
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    OK(clSetKernelArg(k, 1, sizeof v, &v));
    OK(clEnqueueNDRangeKernel(queue, k, 3, NULL, s->region, NULL, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, m, CL_TRUE, origin, s->region, 0, 0, got, 0, NULL, NULL));
    for (size_t i = 0; i < s->region[0] * s->region[1] * s->region[2]; i++)
        for (size_t c = 0; c < n; c++)
            if (!is_right(type, got + (i * n + c) * bytes, words[i][from[c]])) {
                printf("write: shape %s, order 0x%x, type 0x%x, texel %zu, channel %zu\n", s->name,
                       order, type, i, c);
                exit(1);
            }
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(m));
    OK(clReleaseMemObject(v));
}

static void test_writes(void) {
    cl_image_format f[128];
    cl_uint count;
    for (int s = 0; s < NUM_SHAPES; s++) {
        OK(clGetSupportedImageFormats(context, CL_MEM_WRITE_ONLY, shapes[s].type, 128, f, &count));
        for (cl_uint i = 0; i < count; i++)
            test_write(&shapes[s], f[i].image_channel_order, f[i].image_channel_data_type);
    }
}

/* ---- transfers */

/* Each shape: a box is written with pitches, read back packed, copied, and passes a buffer. */
static void test_transfers(const struct shape *s) {
    enum { ROW = W * 4 + 12, SLICE = ROW * (H + 2), TEXEL = 4 };
    static uint8_t in[SLICE * (H + D)], out[MOST], all[MOST];
    bool lines = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    bool deep = lines || s->region[2] > 1;
    size_t slice = lines ? ROW + 20 : deep ? SLICE : 0;
    cl_mem m = make(s, CL_RGBA, CL_UNORM_INT8), other = make(s, CL_RGBA, CL_UNORM_INT8);
    const float black[4] = {0, 0, 0, 0};
    const size_t at[3] = {2, s->region[1] > 1, s->region[2] > 1},
                 box[3] = {7, s->region[1] > 1 ? 3 : 1, s->region[2] > 1 ? 2 : 1};
    for (size_t i = 0; i < sizeof in; i++) in[i] = (uint8_t)(i * 7 + i / 256);
    OK(clEnqueueFillImage(queue, m, black, origin, s->region, 0, NULL, NULL));
    OK(clEnqueueWriteImage(queue, m, CL_TRUE, at, box, ROW, slice, in, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, m, CL_TRUE, at, box, 0, 0, out, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, m, CL_TRUE, origin, s->region, 0, 0, all, 0, NULL, NULL));
    for (size_t z = 0; z < s->region[2]; z++)
        for (size_t y = 0; y < s->region[1]; y++)
            for (size_t x = 0; x < s->region[0] * TEXEL; x++) {
                size_t bx = x - at[0] * TEXEL, by = y - at[1], bz = z - at[2];
                bool inside = bx < box[0] * TEXEL && by < box[1] && bz < box[2];
                uint8_t want = !inside ? 0
                               : lines ? in[by * slice + bx]
                                       : in[bz * slice + by * ROW + bx];
                CHECK(all[(z * s->region[1] + y) * s->region[0] * TEXEL + x] == want);
                if (inside) CHECK(out[(bz * box[1] + by) * box[0] * TEXEL + bx] == want);
            }
    /* to another image, to a buffer, and back to another place */
    size_t bytes = box[0] * box[1] * box[2] * TEXEL;
    const size_t to[3] = {4, at[1], at[2]};
    cl_mem b = buffer(0, bytes + 64, NULL);
    OK(clEnqueueCopyImage(queue, m, other, at, origin, box, 0, NULL, NULL));
    OK(clEnqueueCopyImageToBuffer(queue, other, b, origin, box, 64, 0, NULL, NULL));
    OK(clEnqueueCopyBufferToImage(queue, b, other, 64, to, box, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, other, CL_TRUE, to, box, 0, 0, all, 0, NULL, NULL));
    CHECK(memcmp(all, out, bytes) == 0);
    if (s->region[1] == 1)
        CHECK_IS(clEnqueueCopyImage(queue, m, m, origin, at, box, 0, NULL, NULL),
                 CL_MEM_COPY_OVERLAP);
    const size_t far[3] = {W, 0, 0};
    CHECK_IS(clEnqueueReadImage(queue, m, CL_TRUE, far, box, 0, 0, out, 0, NULL, NULL),
             CL_INVALID_VALUE);
    CHECK_IS(clEnqueueReadImage(queue, m, CL_TRUE, at, box, 3, 0, out, 0, NULL, NULL),
             CL_INVALID_VALUE);
    OK(clReleaseMemObject(b));
    OK(clReleaseMemObject(other));
    OK(clReleaseMemObject(m));
}

/* A mapping of a box reads and writes it, with the pitches that it says. */
static void test_mapping(const struct shape *s) {
    static uint8_t all[MOST];
    const size_t at[3] = {3, s->region[1] > 1, s->region[2] > 1},
                 box[3] = {5, s->region[1] > 1 ? 2 : 1, s->region[2] > 1 ? 2 : 1};
    bool lines = s->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    cl_mem m = make(s, CL_R, CL_UNSIGNED_INT8);
    const cl_uint color[4] = {9, 0, 0, 0};
    size_t row, slice;
    cl_uint count;
    cl_int error;
    OK(clEnqueueFillImage(queue, m, color, origin, s->region, 0, NULL, NULL));
    uint8_t *p = clEnqueueMapImage(queue, m, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, at, box, &row,
                                   &slice, 0, NULL, NULL, &error);
    OK(error);
    CHECK(slice == 0 || lines || s->region[2] > 1);
    for (size_t z = 0; z < box[2]; z++)
        for (size_t y = 0; y < box[1]; y++)
            for (size_t x = 0; x < box[0]; x++) {
                uint8_t *q = p + z * slice + y * (lines ? slice : row) + x;
                CHECK(*q == 9);
                *q = (uint8_t)(100 + 16 * z + 8 * y + x);
            }
    OK(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
    CHECK(count == 1);
    OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
    OK(clEnqueueReadImage(queue, m, CL_TRUE, origin, s->region, 0, 0, all, 0, NULL, NULL));
    for (size_t z = 0; z < s->region[2]; z++)
        for (size_t y = 0; y < s->region[1]; y++)
            for (size_t x = 0; x < s->region[0]; x++) {
                size_t bx = x - at[0], by = y - at[1], bz = z - at[2];
                bool inside = bx < box[0] && by < box[1] && bz < box[2];
                CHECK(all[(z * s->region[1] + y) * s->region[0] + x] ==
                      (inside ? 100 + 16 * bz + 8 * by + bx : 9));
            }
    OK(clReleaseMemObject(m));
}

/* CL_MEM_USE_HOST_PTR with pitches: the mapping is the program's memory. */
static void test_host_pointer(void) {
    enum { ROW = W + 3 };
    static uint8_t host[ROW * H];
    const cl_image_format format = {CL_R, CL_UNSIGNED_INT8};
    const cl_image_desc d = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                             .image_width = W,
                             .image_height = H,
                             .image_row_pitch = ROW};
    const size_t at[3] = {1, 2, 0}, box[3] = {3, 2, 1};
    const cl_uint color[4] = {200, 0, 0, 0};
    size_t row;
    cl_int error;
    for (size_t i = 0; i < sizeof host; i++) host[i] = (uint8_t)i;
    cl_mem m = clCreateImage(context, CL_MEM_USE_HOST_PTR, &format, &d, host, &error);
    OK(error);
    OK(clEnqueueFillImage(queue, m, color, at, box, 0, NULL, NULL));
    uint8_t *p = clEnqueueMapImage(queue, m, CL_TRUE, CL_MAP_READ, at, box, &row, NULL, 0, NULL,
                                   NULL, &error);
    OK(error);
    CHECK(p == host + 2 * ROW + 1 && row == ROW && p[0] == 200 && p[ROW + 2] == 200);
    CHECK(host[2 * ROW] == 2 * ROW);
    OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
    OK(clFinish(queue));
    OK(clReleaseMemObject(m));
}

/* The colour of a fill becomes a texel as write_image* makes one. */
static void test_fill_formats(void) {
    static uint8_t got[W * 16];
    cl_image_format f[128];
    cl_uint count;
    const float fractions[4] = {0.3f, -0.7f, 1.5f, 0.625f};
    const cl_int numbers[4] = {5, -300, 70000, 127};
    const int swap[] = {2, 1, 0, 3}, straight[] = {0, 1, 2, 3}, alpha[] = {3};
    OK(clGetSupportedImageFormats(context, 0, shapes[0].type, 128, f, &count));
    for (cl_uint i = 0; i < count; i++) {
        cl_channel_order order = f[i].image_channel_order;
        cl_channel_type type = f[i].image_channel_data_type;
        size_t n = order == CL_RG ? 2 : order == CL_RGBA || order == CL_BGRA ? 4 : 1;
        const void *color = suffix_of(type) == 'f' ? (const void *)fractions : numbers;
        const int *from = order == CL_BGRA ? swap : order == CL_A ? alpha : straight;
        cl_mem m = make(&shapes[0], order, type);
        OK(clEnqueueFillImage(queue, m, color, origin, shapes[0].region, 0, NULL, NULL));
        OK(clEnqueueReadImage(queue, m, CL_TRUE, origin, shapes[0].region, 0, 0, got, 0, NULL,
                              NULL));
        for (size_t c = 0; c < W * n; c++) {
            uint32_t word;
            memcpy(&word, (const char *)color + 4 * from[c % n], 4);
            CHECK(is_right(type, got + c * channel_bytes(type), word));
        }
        OK(clReleaseMemObject(m));
    }
}

/* ---- queries and errors */

static void test_queries(void) {
    cl_mem a = make(&shapes[1], CL_BGRA, CL_UNORM_INT8), b = make(&shapes[2], CL_RGBA, CL_FLOAT),
           c = make(&shapes[4], CL_RGBA, CL_FLOAT), d = make(&shapes[3], CL_RGBA, CL_FLOAT),
           e = make(&shapes[BUFFER], CL_R, CL_SIGNED_INT16), o = buffer(0, 15 * 4, NULL);
    const cl_int want[15] = {W, H, W, H, D, D, 0, D, H, H, W, 1, 1, 1, 1};
    cl_int got[15];
    const size_t one = 1;
    cl_kernel k = kernel_of(program, "ask");
    const cl_mem args[] = {a, b, c, d, e, o};
    for (cl_uint i = 0; i < 6; i++) OK(clSetKernelArg(k, i, sizeof args[i], &args[i]));
    OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, o, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
    for (int i = 0; i < 15; i++) CHECK(got[i] == want[i]);
    size_t size;
    cl_image_format format;
    cl_mem_object_type type;
    cl_mem behind;
    OK(clGetImageInfo(b, CL_IMAGE_ROW_PITCH, sizeof size, &size, NULL));
    CHECK(size == W * 16);
    OK(clGetImageInfo(b, CL_IMAGE_SLICE_PITCH, sizeof size, &size, NULL));
    CHECK(size == W * H * 16);
    OK(clGetImageInfo(a, CL_IMAGE_DEPTH, sizeof size, &size, NULL));
    CHECK(size == 0);
    OK(clGetImageInfo(d, CL_IMAGE_ARRAY_SIZE, sizeof size, &size, NULL));
    CHECK(size == H);
    OK(clGetImageInfo(a, CL_IMAGE_FORMAT, sizeof format, &format, NULL));
    CHECK(format.image_channel_order == CL_BGRA);
    OK(clGetImageInfo(e, CL_IMAGE_BUFFER, sizeof behind, &behind, NULL));
    CHECK(behind != NULL);
    OK(clGetMemObjectInfo(d, CL_MEM_TYPE, sizeof type, &type, NULL));
    CHECK(type == CL_MEM_OBJECT_IMAGE1D_ARRAY);
    OK(clGetMemObjectInfo(b, CL_MEM_SIZE, sizeof size, &size, NULL));
    CHECK(size == W * H * D * 16);
    /* arguments of another kind */
    CHECK_IS(clSetKernelArg(k, 0, sizeof b, &b), CL_INVALID_MEM_OBJECT);
    CHECK_IS(clSetKernelArg(k, 0, sizeof o, &o), CL_INVALID_MEM_OBJECT);
    CHECK_IS(clSetKernelArg(k, 5, sizeof a, &a), CL_INVALID_MEM_OBJECT);
    CHECK_IS(clEnqueueReadBuffer(queue, a, CL_TRUE, 0, 4, got, 0, NULL, NULL),
             CL_INVALID_MEM_OBJECT);
    for (int i = 0; i < 6; i++) OK(clReleaseMemObject(args[i]));
    OK(clReleaseKernel(k));
}

/* Writes outside an image have no effect. */
static void test_outside(void) {
    static uint8_t got[W * H * 4];
    const cl_int places[][2] = {{-1, 0}, {W, 0}, {0, -1}, {0, H}, {1 << 20, 1 << 20}};
    const size_t one = 1;
    const float black[4] = {0, 0, 0, 0};
    cl_mem m = make(&shapes[1], CL_RGBA, CL_UNORM_INT8);
    OK(clEnqueueFillImage(queue, m, black, origin, shapes[1].region, 0, NULL, NULL));
    cl_kernel k = kernel_of(program, "outside");
    OK(clSetKernelArg(k, 0, sizeof m, &m));
    for (int i = 0; i < 5; i++) {
        OK(clSetKernelArg(k, 1, sizeof(cl_int), &places[i][0]));
        OK(clSetKernelArg(k, 2, sizeof(cl_int), &places[i][1]));
        OK(clEnqueueNDRangeKernel(queue, k, 1, NULL, &one, NULL, 0, NULL, NULL));
    }
    OK(clEnqueueReadImage(queue, m, CL_TRUE, origin, shapes[1].region, 0, 0, got, 0, NULL, NULL));
    for (size_t i = 0; i < sizeof got; i++) CHECK(got[i] == 0);
    OK(clReleaseKernel(k));
    OK(clReleaseMemObject(m));
}

static void test_errors(void) {
    const cl_image_format good = {CL_RGBA, CL_FLOAT}, bad = {CL_RGB, CL_UNORM_SHORT_565};
    cl_int error;
    CHECK(!clCreateImage2D(context, 0, &bad, 4, 4, 0, NULL, &error));
    CHECK(error == CL_IMAGE_FORMAT_NOT_SUPPORTED);
    CHECK(!clCreateImage2D(context, 0, &good, 0, 4, 0, NULL, &error));
    CHECK(error == CL_INVALID_IMAGE_SIZE);
    CHECK(!clCreateImage2D(context, 0, &good, 1 << 20, 4, 0, NULL, &error));
    CHECK(error == CL_INVALID_IMAGE_SIZE);
    cl_mem m = clCreateImage3D(context, 0, &good, 4, 4, 2, 0, 0, NULL, &error);
    OK(error);
    cl_image_desc d = {
        .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4, .buffer = m};
    CHECK(!clCreateImage(context, 0, &good, &d, NULL, &error));
    CHECK(error == CL_INVALID_IMAGE_DESCRIPTOR);
    OK(clReleaseMemObject(m));
    CHECK(!clCreateSampler(context, CL_FALSE, CL_ADDRESS_REPEAT, CL_FILTER_NEAREST, &error));
    CHECK(error == CL_INVALID_VALUE);
    cl_sampler s = clCreateSampler(context, CL_TRUE, CL_ADDRESS_REPEAT, CL_FILTER_LINEAR, &error);
    OK(error);
    cl_addressing_mode mode;
    OK(clRetainSampler(s));
    OK(clGetSamplerInfo(s, CL_SAMPLER_ADDRESSING_MODE, sizeof mode, &mode, NULL));
    CHECK(mode == CL_ADDRESS_REPEAT);
    OK(clReleaseSampler(s));
    OK(clReleaseSampler(s));
}

int main(void) {
    start(0);
    program = build(source, "");
    test_writes();
    for (int s = 0; s < NUM_SHAPES; s++) test_transfers(&shapes[s]);
    for (int s = 0; s < NUM_SHAPES; s++) test_mapping(&shapes[s]);
    test_host_pointer();
    test_fill_formats();
    test_queries();
    test_outside();
    test_errors();
    OK(clReleaseProgram(program));
    stop();
    printf("opencl_image_calls: ok\n");
    return 0;
}
