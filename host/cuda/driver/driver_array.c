/* driver_array.c - CUDA arrays, and copies of boxes of bytes between arrays and memory. It turns
 * the driver's structures into the runtime's, and makes the calls.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent. The server allocates arrays and copies. driver_ready() comes first: it may
 * connect the thread (messages, under shim.lock) and make a primary context the thread's current
 * one, and refuses a call without a live context. Apart from that these functions keep no state and
 * take no locks, except that a copy looks up addresses in registered memory (shim_translate, under
 * shim.lock).
 *
 * A helper with an `id` makes the call of that number for several CUDA functions. `array` is an
 * array's handle. All functions return a CUresult, unless a comment says otherwise, and leave the
 * runtime's last error alone. */
#include <string.h>

#include "cuda/driver/driver.h"

/* ---- formats */

enum { CHANNEL_SIGNED, CHANNEL_UNSIGNED, CHANNEL_FLOAT }; /* cudaChannelFormatKind */

/* The formats that Heddle supports: CUarray_format, and bits and kind in cudaChannelFormatDesc. */
static const struct {
    int format, bits, kind;
} formats[] = {
    {0x01, 8, CHANNEL_UNSIGNED}, {0x02, 16, CHANNEL_UNSIGNED}, {0x03, 32, CHANNEL_UNSIGNED},
    {0x08, 8, CHANNEL_SIGNED},   {0x09, 16, CHANNEL_SIGNED},   {0x0a, 32, CHANNEL_SIGNED},
    {0x10, 16, CHANNEL_FLOAT},   {0x20, 32, CHANNEL_FLOAT},
};
enum { NUM_FORMATS = sizeof formats / sizeof formats[0] };

/* Writes the runtime's description of `count` channels of a CUarray_format to `c`, which it clears
 * first. Sends nothing and counts no call. @return cudaError_t: cudaErrorInvalidValue if `count` is
 * not 1, 2 or 4; cudaErrorNotSupported for another format, after printing it with the name of the
 * call `id`. */
int driver_channels(enum cuda_call_id id, int format, unsigned count, struct shim_channels *c) {
    memset(c, 0, sizeof *c);
    for (unsigned f = 0; f < NUM_FORMATS; f++) {
        if (formats[f].format != format) continue;
        if (count != 1 && count != 2 && count != 4) return HEDDLE_cudaErrorInvalidValue;
        for (unsigned i = 0; i < count; i++) c->bits[i] = formats[f].bits;
        c->kind = formats[f].kind;
        return CUDA_SUCCESS;
    }
    shim_say("not supported: %s() with array format 0x%02x", shim_call_names[id], format);
    return HEDDLE_cudaErrorNotSupported;
}

/* The inverse of driver_channels(). *count receives the number of channels, those before the first
 * of 0 bits. @return the CUarray_format, or 0 if no format has these channels. */
static int format_of(const struct shim_channels *c, unsigned *count) {
    *count = 0;
    while (*count < 4 && c->bits[*count]) ++*count;
    for (unsigned f = 0; f < NUM_FORMATS; f++)
        if (formats[f].bits == c->bits[0] && formats[f].kind == c->kind) return formats[f].format;
    return 0;
}

/* ---- arrays */

struct array_descriptor { /* CUDA_ARRAY_DESCRIPTOR */
    size_t width, height;
    int format;
    unsigned channels;
};
struct array3d_descriptor { /* CUDA_ARRAY3D_DESCRIPTOR */
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};

/* Makes the call `id`, which allocates an array of the form `d` on the current device, and writes
 * its handle to *array. `levels` counts for cuMipmappedArrayCreate() only. A NULL pointer is
 * cudaErrorInvalidValue; driver_channels() checks the format and prints an unsupported one. */
static int make_array(enum cuda_call_id id, void **array, const struct array3d_descriptor *d,
                      unsigned levels) {
    struct shim_channels c;
    if (!array || !d) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = driver_channels(id, d->format, d->channels, &c);
    if (error) return driver_fail(id, error);
    struct shim_call call = {
        .id = id, .in = {shim_pack_channels(&c), d->width, d->height, d->depth, d->flags}};
    if (id == CALL_cuMipmappedArrayCreate) {
        call.in[4] = levels;
        call.in[5] = d->flags;
    }
    error = driver_call(&call);
    if (!error) *array = (void *)(uintptr_t)call.out[0];
    return error;
}

SHIM_EXPORT int cuArrayCreate_v2(void **array, const struct array_descriptor *d);
int cuArrayCreate_v2(void **array, const struct array_descriptor *d) {
    struct array3d_descriptor whole = {0};
    if (d) whole = (struct array3d_descriptor){d->width, d->height, 0, d->format, d->channels, 0};
    return make_array(CALL_cuArrayCreate_v2, array, d ? &whole : NULL, 0);
}
SHIM_EXPORT int cuArray3DCreate_v2(void **array, const struct array3d_descriptor *d);
int cuArray3DCreate_v2(void **array, const struct array3d_descriptor *d) {
    return make_array(CALL_cuArray3DCreate_v2, array, d, 0);
}
SHIM_EXPORT int cuMipmappedArrayCreate(void **array, const struct array3d_descriptor *d,
                                       unsigned levels);
int cuMipmappedArrayCreate(void **array, const struct array3d_descriptor *d, unsigned levels) {
    return make_array(CALL_cuMipmappedArrayCreate, array, d, levels);
}

/* Makes the call `id`, which destroys an array. For an invalid handle the server answers the
 * runtime's cudaErrorInvalidValue; this returns the driver's error instead,
 * cudaErrorInvalidResourceHandle. */
static int destroy(enum cuda_call_id id, void *array) {
    struct shim_call call = {.id = id, .in = {(uintptr_t)array}};
    int error = driver_call(&call);
    return error == HEDDLE_cudaErrorInvalidValue ? HEDDLE_cudaErrorInvalidResourceHandle : error;
}
SHIM_EXPORT int cuArrayDestroy(void *array);
int cuArrayDestroy(void *array) {
    return destroy(CALL_cuArrayDestroy, array);
}
SHIM_EXPORT int cuMipmappedArrayDestroy(void *array);
int cuMipmappedArrayDestroy(void *array) {
    return destroy(CALL_cuMipmappedArrayDestroy, array);
}

/* Makes the call `id`, which asks the server for an array's form, and writes that to `d` on
 * success. `d` must not be NULL. d->format is 0 if no CUarray_format has the array's channels. */
static int describe(enum cuda_call_id id, struct array3d_descriptor *d, void *array) {
    struct shim_call call = {.id = id, .in = {(uintptr_t)array}};
    struct shim_channels c;
    int error = driver_call(&call);
    if (error) return error;
    shim_unpack_channels(call.out[0], &c);
    *d = (struct array3d_descriptor){call.out[1], call.out[2], call.out[3],
                                     0,           0,           (unsigned)call.out[4]};
    d->format = format_of(&c, &d->channels);
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cuArrayGetDescriptor_v2(struct array_descriptor *d, void *array);
int cuArrayGetDescriptor_v2(struct array_descriptor *d, void *array) {
    struct array3d_descriptor whole;
    if (!d) return driver_fail(CALL_cuArrayGetDescriptor_v2, HEDDLE_cudaErrorInvalidValue);
    int error = describe(CALL_cuArrayGetDescriptor_v2, &whole, array);
    if (!error)
        *d = (struct array_descriptor){whole.width, whole.height, whole.format, whole.channels};
    return error;
}
SHIM_EXPORT int cuArray3DGetDescriptor_v2(struct array3d_descriptor *d, void *array);
int cuArray3DGetDescriptor_v2(struct array3d_descriptor *d, void *array) {
    if (!d) return driver_fail(CALL_cuArray3DGetDescriptor_v2, HEDDLE_cudaErrorInvalidValue);
    return describe(CALL_cuArray3DGetDescriptor_v2, d, array);
}

/* ---- copies of boxes */

enum { MEMORY_HOST = 1, MEMORY_DEVICE, MEMORY_ARRAY, MEMORY_UNIFIED };

/* The CUDA_MEMCPY structures: one side of a copy, and the copy. x and width count bytes, y and
 * height rows, z and depth layers. A side names its memory by the pointer that its `type` selects.
 */
struct side {            /* of CUDA_MEMCPY3D */
    size_t x, y, z, lod; /* lod must be 0 */
    int type;            /* MEMORY_... */
    const void *host;
    void *device, *array, *reserved;
    size_t pitch, height; /* of memory: bytes from row to row, rows of a layer */
};
struct box { /* CUDA_MEMCPY3D */
    struct side src, dst;
    size_t width, height, depth;
};
struct flat_side { /* of CUDA_MEMCPY2D */
    size_t x, y;
    int type;
    const void *host;
    void *device, *array;
    size_t pitch;
};
struct flat { /* CUDA_MEMCPY2D */
    struct flat_side src, dst;
    size_t width, height;
};

/* Turns one side of the driver's box into the runtime's. It always sets *pos, and *array for an
 * array or *p for memory. A byte position in an array becomes texels of `texel` bytes. Sends
 * nothing. @return cudaError_t: cudaErrorInvalidValue for a mipmap level, an unknown memory type,
 * or a position within a texel. */
static int side_of(const struct side *s, size_t texel, void **array, struct shim_pos *pos,
                   struct shim_pitched_ptr *p) {
    if (s->lod || s->type < MEMORY_HOST || s->type > MEMORY_UNIFIED)
        return HEDDLE_cudaErrorInvalidValue;
    *pos = (struct shim_pos){s->x, s->y, s->z};
    if (s->type == MEMORY_ARRAY) {
        if (s->x % texel) return HEDDLE_cudaErrorInvalidValue;
        *array = s->array;
        pos->x /= texel;
        return CUDA_SUCCESS;
    }
    p->ptr = s->type == MEMORY_HOST ? (void *)(uintptr_t)s->host : s->device;
    p->pitch = s->pitch;
    p->ysize = s->height;
    return CUDA_SUCCESS;
}

/* Turns the program's CUDA_MEMCPY3D into the runtime's description, `c`, which it clears first. If
 * an array takes part, the width becomes texels of that array, otherwise it stays in bytes. Sends
 * nothing and counts no call. @return cudaError_t: cudaErrorInvalidValue for no box, an array's
 * handle that encodes no texel, a width that is no whole number of texels, or a side that side_of()
 * refuses. */
int driver_read_box(const void *box, struct shim_copy3d *c) {
    enum { ANY = 4 }; /* cudaMemcpyDefault: the server tells the direction by the addresses */
    const struct box *b = box;
    memset(c, 0, sizeof *c);
    if (!b) return HEDDLE_cudaErrorInvalidValue;
    const struct side *with = b->dst.type == MEMORY_ARRAY ? &b->dst : &b->src;
    size_t texel = with->type == MEMORY_ARRAY ? shim_array_texel(with->array) : 1;
    if (!texel || b->width % texel) return HEDDLE_cudaErrorInvalidValue;
    int error = side_of(&b->src, texel, &c->src_array, &c->src_pos, &c->src);
    if (!error) error = side_of(&b->dst, texel, &c->dst_array, &c->dst_pos, &c->dst);
    c->extent = (struct shim_extent){b->width / texel, b->height, b->depth};
    c->kind = ANY;
    return error;
}

/* Turns one side of the runtime's box, in memory, into the driver's. An address in the GPU's
 * memory (shim.device_base) gives a device side, any other one a host side. */
static struct side written(const struct shim_pitched_ptr *p) {
    struct side s = {.pitch = p->pitch, .height = p->ysize};
    bool device = (uintptr_t)p->ptr - shim.device_base < shim.device_bytes;
    s.type = device ? MEMORY_DEVICE : MEMORY_HOST;
    if (device)
        s.device = p->ptr;
    else
        s.host = p->ptr;
    return s;
}
/* The inverse, for a copy without arrays. `box`: the program's CUDA_MEMCPY3D, all of which this
 * overwrites. Sends nothing. */
void driver_write_box(void *box, const struct shim_copy3d *c) {
    *(struct box *)box = (struct box){written(&c->src), written(&c->dst), c->extent.width,
                                      c->extent.height, c->extent.depth};
}

/* Makes the call `id`, which copies a box (shim_copy3d). While it waits, the server pulls pageable
 * memory of the program or pushes into it. `stream` NULL: the default stream, or a call without a
 * stream. A box that driver_read_box() refuses is an error. */
static int copy_box(enum cuda_call_id id, const struct box *b, void *stream) {
    struct shim_copy3d c;
    int error = driver_ready(id);
    if (!error) error = driver_read_box(b, &c);
    if (error) return driver_fail(id, error);
    DRIVER_KEEPING_LAST_ERROR(error = shim_copy3d(id, &c, stream));
    return cuda_result(error);
}

/* Turns a side of a 2D copy into that of a 3D copy. */
static struct side raise(const struct flat_side *s) {
    return (struct side){.x = s->x,
                         .y = s->y,
                         .type = s->type,
                         .host = s->host,
                         .device = s->device,
                         .array = s->array,
                         .pitch = s->pitch};
}

/* Makes the call `id`, which copies a rectangle, as copy_box() does. A side without a pitch gets
 * one if there is only one row. `f` NULL is cudaErrorInvalidValue. */
static int copy_flat(enum cuda_call_id id, const struct flat *f, void *stream) {
    if (!f) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct box b = {raise(&f->src), raise(&f->dst), f->width, f->height, 1};
    /* A single row needs no pitch. */
    if (!b.src.pitch && f->height == 1) b.src.pitch = f->src.x + f->width;
    if (!b.dst.pitch && f->height == 1) b.dst.pitch = f->dst.x + f->width;
    return copy_box(id, &b, stream);
}

/* In these three `shape` is a CUDA_MEMCPY2D, in the next two a CUDA_MEMCPY3D. */
SHIM_EXPORT int cuMemcpy2D_v2(const void *shape);
int cuMemcpy2D_v2(const void *shape) {
    return copy_flat(CALL_cuMemcpy2D_v2, shape, NULL);
}
SHIM_EXPORT int cuMemcpy2DUnaligned_v2(const void *shape);
int cuMemcpy2DUnaligned_v2(const void *shape) {
    return copy_flat(CALL_cuMemcpy2DUnaligned_v2, shape, NULL);
}
SHIM_EXPORT int cuMemcpy2DAsync_v2(const void *shape, void *stream);
int cuMemcpy2DAsync_v2(const void *shape, void *stream) {
    return copy_flat(CALL_cuMemcpy2DAsync_v2, shape, stream);
}
SHIM_EXPORT int cuMemcpy3D_v2(const void *shape);
int cuMemcpy3D_v2(const void *shape) {
    return copy_box(CALL_cuMemcpy3D_v2, shape, NULL);
}
SHIM_EXPORT int cuMemcpy3DAsync_v2(const void *shape, void *stream);
int cuMemcpy3DAsync_v2(const void *shape, void *stream) {
    return copy_box(CALL_cuMemcpy3DAsync_v2, shape, stream);
}

/* Makes the call `id`, which copies `bytes` of one row, as copy_box() does. A side may be an
 * array. */
static int copy_row(enum cuda_call_id id, struct side dst, struct side src, size_t bytes,
                    void *stream) {
    const struct box b = {src, dst, bytes, 1, 1};
    return copy_box(id, &b, stream);
}
/* A side of a copy of one row, in an array: its first row, from byte `x` on. */
static struct side in_array(void *array, size_t x) {
    return (struct side){.x = x, .type = MEMORY_ARRAY, .array = array};
}
/* A side of a copy of one row, in memory of the program or the GPU. */
static struct side in_memory(const void *address, size_t bytes) {
    return (struct side){
        .type = MEMORY_UNIFIED, .device = (void *)(uintptr_t)address, .pitch = bytes, .height = 1};
}

/* These copy `bytes` between an array and memory of the host (H) or the device (D), or between
 * arrays (A). `x`: the first byte, in the array's first row. */
SHIM_EXPORT int cuMemcpyHtoA_v2(void *dst, size_t x, const void *src, size_t bytes);
int cuMemcpyHtoA_v2(void *dst, size_t x, const void *src, size_t bytes) {
    return copy_row(CALL_cuMemcpyHtoA_v2, in_array(dst, x), in_memory(src, bytes), bytes, NULL);
}
SHIM_EXPORT int cuMemcpyHtoAAsync_v2(void *dst, size_t x, const void *src, size_t bytes,
                                     void *stream);
int cuMemcpyHtoAAsync_v2(void *dst, size_t x, const void *src, size_t bytes, void *stream) {
    return copy_row(CALL_cuMemcpyHtoAAsync_v2, in_array(dst, x), in_memory(src, bytes), bytes,
                    stream);
}
SHIM_EXPORT int cuMemcpyAtoH_v2(void *dst, void *src, size_t x, size_t bytes);
int cuMemcpyAtoH_v2(void *dst, void *src, size_t x, size_t bytes) {
    return copy_row(CALL_cuMemcpyAtoH_v2, in_memory(dst, bytes), in_array(src, x), bytes, NULL);
}
SHIM_EXPORT int cuMemcpyAtoHAsync_v2(void *dst, void *src, size_t x, size_t bytes, void *stream);
int cuMemcpyAtoHAsync_v2(void *dst, void *src, size_t x, size_t bytes, void *stream) {
    return copy_row(CALL_cuMemcpyAtoHAsync_v2, in_memory(dst, bytes), in_array(src, x), bytes,
                    stream);
}
SHIM_EXPORT int cuMemcpyDtoA_v2(void *dst, size_t x, void *src, size_t bytes);
int cuMemcpyDtoA_v2(void *dst, size_t x, void *src, size_t bytes) {
    return copy_row(CALL_cuMemcpyDtoA_v2, in_array(dst, x), in_memory(src, bytes), bytes, NULL);
}
SHIM_EXPORT int cuMemcpyAtoD_v2(void *dst, void *src, size_t x, size_t bytes);
int cuMemcpyAtoD_v2(void *dst, void *src, size_t x, size_t bytes) {
    return copy_row(CALL_cuMemcpyAtoD_v2, in_memory(dst, bytes), in_array(src, x), bytes, NULL);
}
SHIM_EXPORT int cuMemcpyAtoA_v2(void *dst, size_t dst_x, void *src, size_t src_x, size_t bytes);
int cuMemcpyAtoA_v2(void *dst, size_t dst_x, void *src, size_t src_x, size_t bytes) {
    return copy_row(CALL_cuMemcpyAtoA_v2, in_array(dst, dst_x), in_array(src, src_x), bytes, NULL);
}
