/* shim_copy3d.c - boxes of bytes: cudaMemcpy3D and its kin, cudaMalloc3D, cudaMemset3D. */
#include <string.h>

#include "cuda/shim/shim.h"

enum { DEVICE_TO_DEVICE = 3 };

/* One side of a copy: its first byte, and the bytes from layer to layer. */
static struct shim_box side(const struct shim_pitched_ptr *p, const struct shim_pos *pos) {
    size_t slice = p->pitch * p->ysize;
    const char *first = (const char *)p->ptr + pos->z * slice + pos->y * p->pitch + pos->x;
    return (struct shim_box){shim_translate(first), p->pitch, slice};
}

static int check(enum cuda_call_id id, const void *p, const void *src_array,
                 const void *dst_array) {
    int error = p ? shim_ready() : HEDDLE_cudaErrorInvalidValue;
    if (!error && (src_array || dst_array)) {
        shim_say("not supported: %s() from or to a CUDA array; copy between addresses",
                 shim_call_names[id]);
        error = HEDDLE_cudaErrorNotSupported;
    }
    return error ? shim_fail(id, error) : CUDA_SUCCESS;
}

int shim_copy3d_sides(enum cuda_call_id id, const struct shim_copy3d *p, struct shim_box *dst,
                      struct shim_box *src) {
    int error = check(id, p, p ? p->src_array : NULL, p ? p->dst_array : NULL);
    if (error) return error;
    *dst = side(&p->dst, &p->dst_pos);
    *src = side(&p->src, &p->src_pos);
    return CUDA_SUCCESS;
}

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

static int copy3d(enum cuda_call_id id, const struct shim_copy3d *p, void *stream) {
    int error = check(id, p, p ? p->src_array : NULL, p ? p->dst_array : NULL);
    if (error) return error;
    struct shim_call call = {.id = id};
    call.in[9] = (uint64_t)p->kind;
    call.in[10] = (uintptr_t)stream;
    return copy(&call, side(&p->dst, &p->dst_pos), side(&p->src, &p->src_pos), &p->extent, p->kind);
}

SHIM_EXPORT int cudaMemcpy3D(const struct shim_copy3d *p);
int cudaMemcpy3D(const struct shim_copy3d *p) {
    return copy3d(CALL_cudaMemcpy3D, p, NULL);
}

SHIM_EXPORT int cudaMemcpy3DAsync(const struct shim_copy3d *p, void *stream);
int cudaMemcpy3DAsync(const struct shim_copy3d *p, void *stream) {
    return copy3d(CALL_cudaMemcpy3DAsync, p, stream);
}

static int copy3d_peer(enum cuda_call_id id, const struct shim_copy3d_peer *p, void *stream) {
    int error = check(id, p, p ? p->src_array : NULL, p ? p->dst_array : NULL);
    if (error) return error;
    struct shim_call call = {.id = id};
    call.in[9] = (uint32_t)p->dst_device | (uint64_t)(uint32_t)p->src_device << 32;
    call.in[10] = (uintptr_t)stream;
    return copy(&call, side(&p->dst, &p->dst_pos), side(&p->src, &p->src_pos), &p->extent,
                DEVICE_TO_DEVICE);
}

SHIM_EXPORT int cudaMemcpy3DPeer(const struct shim_copy3d_peer *p);
int cudaMemcpy3DPeer(const struct shim_copy3d_peer *p) {
    return copy3d_peer(CALL_cudaMemcpy3DPeer, p, NULL);
}

SHIM_EXPORT int cudaMemcpy3DPeerAsync(const struct shim_copy3d_peer *p, void *stream);
int cudaMemcpy3DPeerAsync(const struct shim_copy3d_peer *p, void *stream) {
    return copy3d_peer(CALL_cudaMemcpy3DPeerAsync, p, stream);
}

/* A pitched allocation of height * depth rows. */
SHIM_EXPORT int cudaMalloc3D(struct shim_pitched_ptr *p, struct shim_extent extent);
int cudaMalloc3D(struct shim_pitched_ptr *p, struct shim_extent extent) {
    if (!p) return shim_fail(CALL_cudaMalloc3D, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = CALL_cudaMallocPitch,
                             .in = {extent.width, extent.height * extent.depth}};
    int error = shim_ready();
    if (error) return shim_fail(CALL_cudaMalloc3D, error);
    shim_local(CALL_cudaMalloc3D);
    error = shim_exchange(&call, WIRE_CALL);
    if (error) {
        shim_self()->last_error = error;
        return error;
    }
    *p = (struct shim_pitched_ptr){(void *)(uintptr_t)call.out[0], call.out[1], extent.width,
                                   extent.height};
    return CUDA_SUCCESS;
}

static int fill3d(enum cuda_call_id id, const struct shim_pitched_ptr *p, int value,
                  const struct shim_extent *e, void *stream) {
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)shim_translate(p->ptr), p->pitch,
                                    p->pitch * p->ysize, (uint64_t)value, e->width, e->height,
                                    e->depth, (uintptr_t)stream}};
    return shim_call(&call);
}

SHIM_EXPORT int cudaMemset3D(struct shim_pitched_ptr p, int value, struct shim_extent extent);
int cudaMemset3D(struct shim_pitched_ptr p, int value, struct shim_extent extent) {
    return fill3d(CALL_cudaMemset3D, &p, value, &extent, NULL);
}

SHIM_EXPORT int cudaMemset3DAsync(struct shim_pitched_ptr p, int value, struct shim_extent extent,
                                  void *stream);
int cudaMemset3DAsync(struct shim_pitched_ptr p, int value, struct shim_extent extent,
                      void *stream) {
    return fill3d(CALL_cudaMemset3DAsync, &p, value, &extent, stream);
}
