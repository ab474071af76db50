/* shim_copy3d.c - the runtime's calls with boxes of bytes: the cudaMemcpy3D family, cudaMalloc3D
 * and cudaMemset3D. shim_box.c makes the copies, and says which boxes are errors.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error. An address in registered memory becomes the server's (shim_translate, under
 * shim.lock). */
#include "cuda/shim/shim.h"

SHIM_EXPORT int cudaMemcpy3D(const struct shim_copy3d *p);
int cudaMemcpy3D(const struct shim_copy3d *p) {
    return shim_copy3d(CALL_cudaMemcpy3D, p, NULL);
}

SHIM_EXPORT int cudaMemcpy3DAsync(const struct shim_copy3d *p, void *stream);
int cudaMemcpy3DAsync(const struct shim_copy3d *p, void *stream) {
    return shim_copy3d(CALL_cudaMemcpy3DAsync, p, stream);
}

SHIM_EXPORT int cudaMemcpy3DPeer(const struct shim_copy3d_peer *p);
int cudaMemcpy3DPeer(const struct shim_copy3d_peer *p) {
    return shim_copy3d_peer(CALL_cudaMemcpy3DPeer, p, NULL);
}

SHIM_EXPORT int cudaMemcpy3DPeerAsync(const struct shim_copy3d_peer *p, void *stream);
int cudaMemcpy3DPeerAsync(const struct shim_copy3d_peer *p, void *stream) {
    return shim_copy3d_peer(CALL_cudaMemcpy3DPeerAsync, p, stream);
}

/* Allocates height * depth rows of extent.width bytes. *p: the address, the bytes from row to row,
 * and the width and height that the program asked for. `p` NULL is cudaErrorInvalidValue. */
SHIM_EXPORT int cudaMalloc3D(struct shim_pitched_ptr *p, struct shim_extent extent);
int cudaMalloc3D(struct shim_pitched_ptr *p, struct shim_extent extent) {
    if (!p) return shim_fail(CALL_cudaMalloc3D, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = CALL_cudaMalloc3D,
                             .in = {extent.width, extent.height, extent.depth}};
    int error = shim_call(&call);
    if (error) return error;
    *p = (struct shim_pitched_ptr){(void *)(uintptr_t)call.out[0], call.out[1], extent.width,
                                   extent.height};
    return CUDA_SUCCESS;
}

/* Makes the call `id`, which fills a box of e->width bytes by rows by layers with the byte
 * `value`. */
static int fill3d(enum cuda_call_id id, const struct shim_pitched_ptr *p, int value,
                  const struct shim_extent *e, void *stream) {
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)shim_translate(p->ptr), p->pitch,
                                    p->pitch * p->ysize, (uint64_t)value, e->width, e->height,
                                    e->depth, (uintptr_t)stream}};
    return shim_call(&call);
}

/* These two fill a box with the byte `value`; the width counts bytes. */
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
