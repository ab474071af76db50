/* shim_box.c - copies of boxes of bytes between memory and CUDA arrays. shim_copy3d.c, shim_node.c
 * and the driver API call it.
 *
 * Runs in the program's process, in libheddle_shim.so, on the thread of the program that copies.
 * The functions that make a call return its cudaError_t, which is also the thread's last error;
 * shim.h has their contracts. An address in registered memory becomes the server's
 * (shim_translate, under shim.lock).
 *
 * On the wire a side of a copy is three words. Memory: address, pitch, slice (bytes from layer to
 * layer). An array: its handle, the first byte in a row, and row | layer << 32.
 *
 * An array's handle encodes its bytes per texel, as the server's cuda/object/array.h defines. So
 * this file needs no message to learn them. */
#include <string.h>

#include "cuda/shim/shim.h"

enum { ARRAY_STEP = 4096, CHANNEL_BITS = 8, MOST_BITS = 128 };
enum { DEVICE_TO_DEVICE = 3 }; /* cudaMemcpyKind */

/* Bytes of an array's texel, encoded in its handle. Does not check the handle: another value gives
 * a meaningless number, perhaps 0. Sends nothing. */
size_t shim_array_texel(const void *array) {
    return (uintptr_t)array % ARRAY_STEP;
}

/* @return the word that travels: 8 bits for each channel's size, and the kind from bit 32 on. A
 * size out of range travels as 128, which the server refuses. */
uint64_t shim_pack_channels(const struct shim_channels *c) {
    uint64_t bits = (uint64_t)(uint32_t)c->kind << 32;
    for (unsigned i = 0; i < 4; i++)
        bits |= (uint64_t)(c->bits[i] >= 0 && c->bits[i] <= MOST_BITS ? c->bits[i] : MOST_BITS)
                << CHANNEL_BITS * i;
    return bits;
}
/* The inverse of shim_pack_channels(). */
void shim_unpack_channels(uint64_t bits, struct shim_channels *c) {
    for (unsigned i = 0; i < 4; i++) c->bits[i] = (int)(bits >> CHANNEL_BITS * i & 0xff);
    c->kind = (int)(bits >> 32);
}

/* One side of a copy in memory: first byte, pitch and slice of the position `pos`. Takes shim.lock
 * if memory is registered. */
static struct shim_box side(const struct shim_pitched_ptr *p, const struct shim_pos *pos) {
    size_t slice = p->pitch * p->ysize;
    const char *first = (const char *)p->ptr + pos->z * slice + pos->y * p->pitch + pos->x;
    return (struct shim_box){shim_translate(first), p->pitch, slice};
}

/* Connects if necessary and refuses arrays, with a message on standard error and
 * cudaErrorNotSupported. `p`: the program's structure; NULL is cudaErrorInvalidValue. A failure is
 * counted and becomes the last error. */
static int refuse_arrays(enum cuda_call_id id, const void *p, const void *src_array,
                         const void *dst_array) {
    int error = p ? shim_ready() : HEDDLE_cudaErrorInvalidValue;
    if (!error && (src_array || dst_array)) {
        shim_say("not supported: %s() from or to a CUDA array; copy between addresses",
                 shim_call_names[id]);
        error = HEDDLE_cudaErrorNotSupported;
    }
    return error ? shim_fail(id, error) : CUDA_SUCCESS;
}

/* Finds the two sides of a copy of a box, for the call `id`, which is not made here. Connects if
 * necessary. `p` NULL is cudaErrorInvalidValue; a side in an array is cudaErrorNotSupported, with a
 * line on standard error. An error counts the call. @return cudaError_t, also the last error. */
int shim_copy3d_sides(enum cuda_call_id id, const struct shim_copy3d *p, struct shim_box *dst,
                      struct shim_box *src) {
    int error = refuse_arrays(id, p, p ? p->src_array : NULL, p ? p->dst_array : NULL);
    if (error) return error;
    *dst = side(&p->dst, &p->dst_pos);
    *src = side(&p->src, &p->src_pos);
    return CUDA_SUCCESS;
}

/* Makes the call of a copy between addresses, whose in[0] to in[8] it fills; the caller has filled
 * the rest. Rows that overlap are cudaErrorInvalidPitchValue, layers that overlap
 * cudaErrorInvalidValue, counted but not sent. */
static int copy(struct shim_call *call, struct shim_box dst, struct shim_box src,
                const struct shim_extent *e, int kind) {
    bool rows = e->height > 1 || e->depth > 1;
    if (rows && (e->width > dst.pitch || e->width > src.pitch))
        return shim_fail(call->id, HEDDLE_cudaErrorInvalidPitchValue);
    if (e->depth > 1 && (e->height * dst.pitch > dst.slice || e->height * src.pitch > src.slice))
        return shim_fail(call->id, HEDDLE_cudaErrorInvalidValue);
    const uint64_t in[] = {(uintptr_t)dst.base,
                           dst.pitch,
                           dst.slice,
                           (uintptr_t)src.base,
                           src.pitch,
                           src.slice,
                           e->width,
                           e->height,
                           e->depth};
    memcpy(call->in, in, sizeof in);
    return shim_copy(call, dst, src, e->width, e->height, e->depth, kind);
}

/* Writes one side of a copy, an array, to in[0] to in[2]. @return the side for shim_copy(): it
 * begins in the GPU's memory, so that the call does not offer it to the server. */
static struct shim_box array_side(uint64_t *in, const void *array, const struct shim_pos *pos) {
    in[0] = (uintptr_t)array;
    in[1] = pos->x * shim_array_texel(array);
    in[2] = (uint32_t)pos->y | (uint64_t)pos->z << 32;
    return (struct shim_box){.base = (void *)(uintptr_t)shim.device_base};
}
/* Writes one side of a copy, in memory, to in[0] to in[2]. @return the side for shim_copy(). */
static struct shim_box memory_side(uint64_t *in, const struct shim_pitched_ptr *p,
                                   const struct shim_pos *pos) {
    struct shim_box b = side(p, pos);
    in[0] = (uintptr_t)b.base;
    in[1] = b.pitch;
    in[2] = b.slice;
    return b;
}

/* Makes the call of a copy with at least one array; the caller has filled in[9] and in[10]. The
 * extent and an array's position count texels. Arrays with different texels are
 * cudaErrorInvalidValue, rows in memory that overlap cudaErrorInvalidPitchValue, layers that
 * overlap cudaErrorInvalidValue; none of these is sent. */
static int copy_arrays(struct shim_call *call, const struct shim_copy3d *p) {
    const void *to = p->dst_array, *from = p->src_array;
    struct shim_box dst = to ? array_side(&call->in[0], to, &p->dst_pos)
                             : memory_side(&call->in[0], &p->dst, &p->dst_pos);
    struct shim_box src = from ? array_side(&call->in[3], from, &p->src_pos)
                               : memory_side(&call->in[3], &p->src, &p->src_pos);
    struct shim_extent e = p->extent;
    e.width *= shim_array_texel(to ? to : from);
    bool rows = e.height > 1 || e.depth > 1;
    if (to && from && shim_array_texel(to) != shim_array_texel(from))
        return shim_fail(call->id, HEDDLE_cudaErrorInvalidValue);
    if (rows && ((!to && e.width > dst.pitch) || (!from && e.width > src.pitch)))
        return shim_fail(call->id, HEDDLE_cudaErrorInvalidPitchValue);
    if (e.depth > 1 &&
        ((!to && e.height * dst.pitch > dst.slice) || (!from && e.height * src.pitch > src.slice)))
        return shim_fail(call->id, HEDDLE_cudaErrorInvalidValue);
    if (!e.height) e.width = 0, e.height = 1; /* nothing */
    call->in[6] = e.width;
    call->in[7] = e.height;
    call->in[8] = e.depth;
    call->in[9] |= (to ? SHIM_TO_ARRAY : 0) | (from ? SHIM_FROM_ARRAY : 0);
    return shim_copy(call, dst, src, e.width, e.height, e.depth, p->kind);
}

/* Makes the call `id`, which copies a box between memory and arrays. */
int shim_copy3d(enum cuda_call_id id, const struct shim_copy3d *p, void *stream) {
    int error = p ? shim_ready() : HEDDLE_cudaErrorInvalidValue;
    if (error) return shim_fail(id, error);
    struct shim_call call = {.id = id};
    call.in[9] = (uint32_t)p->kind;
    call.in[10] = (uintptr_t)stream;
    if (p->src_array || p->dst_array) return copy_arrays(&call, p);
    return copy(&call, side(&p->dst, &p->dst_pos), side(&p->src, &p->src_pos), &p->extent, p->kind);
}

/* Makes the call `id`, one message, which copies a box between two devices. Refuses arrays
 * (refuse_arrays). @return cudaError_t, also the last error. */
int shim_copy3d_peer(enum cuda_call_id id, const struct shim_copy3d_peer *p, void *stream) {
    int error = refuse_arrays(id, p, p ? p->src_array : NULL, p ? p->dst_array : NULL);
    if (error) return error;
    struct shim_call call = {.id = id};
    call.in[9] = (uint32_t)p->dst_device | (uint64_t)(uint32_t)p->src_device << 32;
    call.in[10] = (uintptr_t)stream;
    return copy(&call, side(&p->dst, &p->dst_pos), side(&p->src, &p->src_pos), &p->extent,
                DEVICE_TO_DEVICE);
}
