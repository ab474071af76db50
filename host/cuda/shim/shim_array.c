/* shim_array.c - the runtime's calls of CUDA arrays: allocation, queries, copies of rows.
 * shim_box.c copies boxes. The build generates the calls that free arrays.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error.
 *
 * `array` is an array's handle, which the server assigns. Helpers with an `id` make the call of
 * that number. A copy looks up addresses in registered memory (shim_translate, under shim.lock).
 * This file keeps no state. */
#include "cuda/shim/shim.h"

/* ---- allocation */

/* Makes the call `id`, which allocates an array on the current device. `levels`: 0 unless the array
 * is mipmapped. *array: its handle. A NULL pointer is cudaErrorInvalidValue. */
static int allocate(enum cuda_call_id id, void **array, const struct shim_channels *c,
                    const struct shim_extent *e, unsigned levels, unsigned flags) {
    if (!array || !c) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id,
                             .in = {shim_pack_channels(c), e->width, e->height, e->depth}};
    call.in[4] = levels ? levels : flags;
    call.in[5] = flags;
    int error = shim_call(&call);
    if (!error) *array = (void *)(uintptr_t)call.out[0];
    return error;
}

SHIM_EXPORT int cudaMallocArray(void **array, const struct shim_channels *c, size_t width,
                                size_t height, unsigned flags);
int cudaMallocArray(void **array, const struct shim_channels *c, size_t width, size_t height,
                    unsigned flags) {
    const struct shim_extent e = {width, height, 0};
    return allocate(CALL_cudaMallocArray, array, c, &e, 0, flags);
}

SHIM_EXPORT int cudaMalloc3DArray(void **array, const struct shim_channels *c,
                                  struct shim_extent extent, unsigned flags);
int cudaMalloc3DArray(void **array, const struct shim_channels *c, struct shim_extent extent,
                      unsigned flags) {
    return allocate(CALL_cudaMalloc3DArray, array, c, &extent, 0, flags);
}

/* *array: the handle of an array with `levels` levels; 0 is cudaErrorInvalidValue. */
SHIM_EXPORT int cudaMallocMipmappedArray(void **array, const struct shim_channels *c,
                                         struct shim_extent extent, unsigned levels,
                                         unsigned flags);
int cudaMallocMipmappedArray(void **array, const struct shim_channels *c, struct shim_extent extent,
                             unsigned levels, unsigned flags) {
    if (!levels) return shim_fail(CALL_cudaMallocMipmappedArray, HEDDLE_cudaErrorInvalidValue);
    return allocate(CALL_cudaMallocMipmappedArray, array, c, &extent, levels, flags);
}

/* ---- queries */

/* Writes the array's format, its extent in texels and its flags. Each of the three pointers may be
 * NULL. */
SHIM_EXPORT int cudaArrayGetInfo(struct shim_channels *c, struct shim_extent *extent,
                                 unsigned *flags, void *array);
int cudaArrayGetInfo(struct shim_channels *c, struct shim_extent *extent, unsigned *flags,
                     void *array) {
    struct shim_call call = {.id = CALL_cudaArrayGetInfo, .in = {(uintptr_t)array}};
    int error = shim_call(&call);
    if (error) return error;
    if (c) shim_unpack_channels(call.out[0], c);
    if (extent) *extent = (struct shim_extent){call.out[1], call.out[2], call.out[3]};
    if (flags) *flags = (unsigned)call.out[4];
    return CUDA_SUCCESS;
}

/* *c: the format of the array's texels. */
SHIM_EXPORT int cudaGetChannelDesc(struct shim_channels *c, const void *array);
int cudaGetChannelDesc(struct shim_channels *c, const void *array) {
    struct shim_call call = {.id = CALL_cudaGetChannelDesc, .in = {(uintptr_t)array}};
    if (!c) return shim_fail(call.id, HEDDLE_cudaErrorInvalidValue);
    int error = shim_call(&call);
    if (!error) shim_unpack_channels(call.out[0], c);
    return error;
}

/* Answered here, without a message: the same number of texels for all devices and formats. */
SHIM_EXPORT int cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct shim_channels *c,
                                                     int device);
int cudaDeviceGetTexture1DLinearMaxWidth(size_t *width, const struct shim_channels *c, int device) {
    enum { MOST = 1 << 28 };
    (void)device;
    if (!width || !c)
        return shim_fail(CALL_cudaDeviceGetTexture1DLinearMaxWidth, HEDDLE_cudaErrorInvalidValue);
    shim_local(CALL_cudaDeviceGetTexture1DLinearMaxWidth);
    *width = MOST;
    return CUDA_SUCCESS;
}

/* ---- copies */

/* One side of a copy: memory of the program or the GPU, or a place in an array. */
struct side {
    const void *address, *array; /* one of them is NULL */
    size_t pitch;                /* memory: bytes from row to row */
    size_t x, y;                 /* array: bytes, rows */
};

/* Makes the call `id`, which copies `height` rows of `width` bytes. Height 0: `width` bytes, which
 * continue in the array's next row. While it waits, the server pulls pageable memory of the program
 * or pushes into it (shim_copy). `kind`: cudaMemcpyKind. Rows wider than memory's pitch are
 * cudaErrorInvalidPitchValue. Connects the thread before, because the ranges that tell device
 * memory come with the connection. */
static int copy(enum cuda_call_id id, struct side dst, struct side src, size_t width, size_t height,
                int kind, void *stream) {
    int error = shim_ready();
    if (error) return shim_fail(id, error);
    if ((height > 1 && ((dst.address && width > dst.pitch) || (src.address && width > src.pitch))))
        return shim_fail(id, HEDDLE_cudaErrorInvalidPitchValue);
    struct shim_call call = {.id = id};
    struct shim_box box[2];
    const struct side *sides[2] = {&dst, &src};
    uint64_t flags = (uint32_t)kind;
    for (int i = 0; i < 2; i++) {
        const struct side *s = sides[i];
        uint64_t *in = &call.in[3 * i];
        /* Only the server reaches an array, so it is not offered, like device memory. */
        box[i] = (struct shim_box){.base = (void *)(uintptr_t)shim.device_base};
        if (s->address) {
            box[i] = (struct shim_box){.base = shim_translate(s->address), .pitch = s->pitch};
            in[0] = (uintptr_t)box[i].base;
            in[1] = s->pitch;
        } else {
            flags |= i ? SHIM_FROM_ARRAY : SHIM_TO_ARRAY;
            in[0] = (uintptr_t)s->array;
            in[1] = s->x;
            in[2] = (uint32_t)s->y;
        }
    }
    call.in[6] = width;
    call.in[7] = height;
    call.in[8] = 1;
    call.in[9] = flags;
    call.in[10] = (uintptr_t)stream;
    return shim_copy(&call, box[0], box[1], width, height ? height : 1, 1, kind);
}

/* A side of a copy: memory with rows `pitch` bytes apart. */
static struct side memory(const void *address, size_t pitch) {
    return (struct side){.address = address, .pitch = pitch};
}
/* A side of a copy: an array, from byte `x` of row `y` on. */
static struct side place(const void *array, size_t x, size_t y) {
    return (struct side){.array = array, .x = x, .y = y};
}

/* In these calls `x` counts bytes and `y` rows of the array; the forms with 2D copy `height` rows
 * of `width` bytes, the others `bytes` that continue in the array's next row. Pitches are bytes. */
SHIM_EXPORT int cudaMemcpyToArray(void *array, size_t x, size_t y, const void *src, size_t bytes,
                                  int kind);
int cudaMemcpyToArray(void *array, size_t x, size_t y, const void *src, size_t bytes, int kind) {
    return copy(CALL_cudaMemcpyToArray, place(array, x, y), memory(src, 0), bytes, 0, kind, NULL);
}

SHIM_EXPORT int cudaMemcpyToArrayAsync(void *array, size_t x, size_t y, const void *src,
                                       size_t bytes, int kind, void *stream);
int cudaMemcpyToArrayAsync(void *array, size_t x, size_t y, const void *src, size_t bytes, int kind,
                           void *stream) {
    return copy(CALL_cudaMemcpyToArrayAsync, place(array, x, y), memory(src, 0), bytes, 0, kind,
                stream);
}

SHIM_EXPORT int cudaMemcpyFromArray(void *dst, const void *array, size_t x, size_t y, size_t bytes,
                                    int kind);
int cudaMemcpyFromArray(void *dst, const void *array, size_t x, size_t y, size_t bytes, int kind) {
    return copy(CALL_cudaMemcpyFromArray, memory(dst, 0), place(array, x, y), bytes, 0, kind, NULL);
}

SHIM_EXPORT int cudaMemcpyFromArrayAsync(void *dst, const void *array, size_t x, size_t y,
                                         size_t bytes, int kind, void *stream);
int cudaMemcpyFromArrayAsync(void *dst, const void *array, size_t x, size_t y, size_t bytes,
                             int kind, void *stream) {
    return copy(CALL_cudaMemcpyFromArrayAsync, memory(dst, 0), place(array, x, y), bytes, 0, kind,
                stream);
}

SHIM_EXPORT int cudaMemcpyArrayToArray(void *dst, size_t dst_x, size_t dst_y, const void *src,
                                       size_t src_x, size_t src_y, size_t bytes, int kind);
int cudaMemcpyArrayToArray(void *dst, size_t dst_x, size_t dst_y, const void *src, size_t src_x,
                           size_t src_y, size_t bytes, int kind) {
    return copy(CALL_cudaMemcpyArrayToArray, place(dst, dst_x, dst_y), place(src, src_x, src_y),
                bytes, 0, kind, NULL);
}

SHIM_EXPORT int cudaMemcpy2DToArray(void *array, size_t x, size_t y, const void *src, size_t spitch,
                                    size_t width, size_t height, int kind);
int cudaMemcpy2DToArray(void *array, size_t x, size_t y, const void *src, size_t spitch,
                        size_t width, size_t height, int kind) {
    if (!height) width = 0, height = 1; /* copies nothing */
    return copy(CALL_cudaMemcpy2DToArray, place(array, x, y), memory(src, spitch), width, height,
                kind, NULL);
}

SHIM_EXPORT int cudaMemcpy2DToArrayAsync(void *array, size_t x, size_t y, const void *src,
                                         size_t spitch, size_t width, size_t height, int kind,
                                         void *stream);
int cudaMemcpy2DToArrayAsync(void *array, size_t x, size_t y, const void *src, size_t spitch,
                             size_t width, size_t height, int kind, void *stream) {
    if (!height) width = 0, height = 1;
    return copy(CALL_cudaMemcpy2DToArrayAsync, place(array, x, y), memory(src, spitch), width,
                height, kind, stream);
}

SHIM_EXPORT int cudaMemcpy2DFromArray(void *dst, size_t dpitch, const void *array, size_t x,
                                      size_t y, size_t width, size_t height, int kind);
int cudaMemcpy2DFromArray(void *dst, size_t dpitch, const void *array, size_t x, size_t y,
                          size_t width, size_t height, int kind) {
    if (!height) width = 0, height = 1;
    return copy(CALL_cudaMemcpy2DFromArray, memory(dst, dpitch), place(array, x, y), width, height,
                kind, NULL);
}

SHIM_EXPORT int cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, const void *array, size_t x,
                                           size_t y, size_t width, size_t height, int kind,
                                           void *stream);
int cudaMemcpy2DFromArrayAsync(void *dst, size_t dpitch, const void *array, size_t x, size_t y,
                               size_t width, size_t height, int kind, void *stream) {
    if (!height) width = 0, height = 1;
    return copy(CALL_cudaMemcpy2DFromArrayAsync, memory(dst, dpitch), place(array, x, y), width,
                height, kind, stream);
}

SHIM_EXPORT int cudaMemcpy2DArrayToArray(void *dst, size_t dst_x, size_t dst_y, const void *src,
                                         size_t src_x, size_t src_y, size_t width, size_t height,
                                         int kind);
int cudaMemcpy2DArrayToArray(void *dst, size_t dst_x, size_t dst_y, const void *src, size_t src_x,
                             size_t src_y, size_t width, size_t height, int kind) {
    if (!height) width = 0, height = 1;
    return copy(CALL_cudaMemcpy2DArrayToArray, place(dst, dst_x, dst_y), place(src, src_x, src_y),
                width, height, kind, NULL);
}
