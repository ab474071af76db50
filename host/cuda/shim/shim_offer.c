/* shim_offer.c - copies between the program's memory and the GPU's.
 *
 * Runs in the program's process, in libheddle_shim.so, on the thread of the program that copies,
 * for both interfaces; shim.h has the contracts. The functions make the call that they get
 * (shim_call: one message) and return its cudaError_t, which is also the thread's last error.
 *
 * The server knows which addresses are device, pinned, managed or pageable memory. It reaches the
 * first three itself. For pageable memory the shim offers the program's side with the call, and the
 * server pulls from it or pushes to it while the call waits. */
#include "cuda/shim/shim.h"

/* cudaMemcpyKind */
enum {
    COPY_HOST_TO_HOST,
    COPY_HOST_TO_DEVICE,
    COPY_DEVICE_TO_HOST,
    COPY_DEVICE_TO_DEVICE,
    COPY_DEFAULT
};

/* True if the server reaches the address itself: it lies in one of the ranges in `shim`. */
static bool is_shared(const void *p) {
    uint64_t a = (uintptr_t)p;
    return a - shim.device_base < shim.device_bytes || a - shim.pinned_base < shim.pinned_bytes ||
           a - shim.managed_base < shim.managed_bytes;
}

/* The rows of one side, as the payload's description. A single row is one contiguous piece. */
static struct shim_rows rows(struct shim_box b, size_t width, size_t height, size_t depth) {
    bool many = height > 1 || depth > 1;
    return (struct shim_rows){(void *)(uintptr_t)b.base, many ? width : 0, b.pitch,
                              depth > 1 ? height : 0, b.slice};
}

/* Offers the server the sides of the copy that it cannot reach (call->source, call->target), and
 * makes the call, whose arguments the caller has filled. `width` bytes by `height` rows by `depth`
 * layers. A `kind` that names the device for a side keeps that side back. The thread must be
 * connected, because the connection sets the ranges of is_shared(). */
int shim_copy(struct shim_call *call, struct shim_box dst, struct shim_box src, size_t width,
              size_t height, size_t depth, int kind) {
    uint64_t bytes = (uint64_t)width * height * depth;
    bool from_host = kind == COPY_HOST_TO_HOST || kind == COPY_HOST_TO_DEVICE ||
                     kind == COPY_DEFAULT;
    bool to_host = kind == COPY_HOST_TO_HOST || kind == COPY_DEVICE_TO_HOST || kind == COPY_DEFAULT;
    if (bytes && ((from_host && !src.base) || (to_host && !dst.base)))
        return shim_fail(call->id, HEDDLE_cudaErrorInvalidValue);
    if (from_host && !is_shared(src.base)) {
        call->source = rows(src, width, height, depth);
        call->payload_bytes = bytes;
    }
    if (to_host && !is_shared(dst.base)) {
        call->target = rows(dst, width, height, depth);
        call->target_bytes = bytes;
    }
    return shim_call(call);
}

/* Connects if necessary, translates the addresses in in[dst_at] and in[src_at] (shim_translate,
 * under shim.lock), and makes the call, as shim_copy() does. A failed connection is counted. */
int shim_copy_rows(struct shim_call *call, int dst_at, size_t dpitch, int src_at, size_t spitch,
                   size_t width, size_t height, int kind) {
    int error = shim_ready(); /* the connection sets the ranges that is_shared() uses */
    if (error) return shim_fail(call->id, error);
    void *dst = shim_translate((void *)(uintptr_t)call->in[dst_at]);
    void *src = shim_translate((void *)(uintptr_t)call->in[src_at]);
    call->in[dst_at] = (uintptr_t)dst;
    call->in[src_at] = (uintptr_t)src;
    return shim_copy(call, (struct shim_box){dst, dpitch, 0}, (struct shim_box){src, spitch, 0},
                     width, height, 1, kind);
}
