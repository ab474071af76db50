/* driver_memory.c - allocations that the program reaches, copies between addresses, fills, and
 * questions about addresses. Copies of boxes are in driver_array.c.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent. The server allocates the memory. These functions translate arguments and
 * results; an address in registered memory becomes the server's address of it (shim_translate,
 * under shim.lock). driver_ready() comes first: it may connect the thread (messages, under
 * shim.lock) and make a primary context the thread's current one, and refuses a call without a live
 * context. They keep no state of their own.
 *
 * A helper with an `id` makes the call of that number for several CUDA functions. All functions
 * return a CUresult and leave the runtime's last error alone. A NULL pointer for a result is
 * cudaErrorInvalidValue, unless a comment says otherwise. Sizes and pitches are bytes. */
#include <string.h>

#include "cuda/driver/driver.h"

/* ---- allocations */

/* Device memory: the program cannot reach it, so nothing is mapped. */
SHIM_EXPORT int cuMemAlloc_v2(void **out, size_t bytes);
int cuMemAlloc_v2(void **out, size_t bytes) {
    struct shim_call call = {.id = CALL_cuMemAlloc_v2, .in = {bytes}};
    if (!out || !bytes) return driver_fail(call.id, HEDDLE_cudaErrorInvalidValue);
    int error = driver_call(&call);
    if (!error) *out = (void *)(uintptr_t)call.out[0];
    return error;
}

/* Makes the call, which allocates in[0] bytes of pinned or managed memory, and maps its pages in
 * this process (shim_allocate, which adds them to shim.pinned under shim.lock and prints a failure
 * to map). *out: the address, the same in program and server. */
static int allocate(struct shim_call *call, void **out) {
    int error = driver_ready(call->id);
    if (error) return driver_fail(call->id, error);
    DRIVER_KEEPING_LAST_ERROR(error = shim_allocate(call, out));
    return cuda_result(error);
}

/* Pinned memory. */
SHIM_EXPORT int cuMemAllocHost_v2(void **out, size_t bytes);
int cuMemAllocHost_v2(void **out, size_t bytes) {
    struct shim_call call = {.id = CALL_cuMemAllocHost_v2, .in = {bytes}};
    return allocate(&call, out);
}
/* Pinned memory; `flags`: CU_MEMHOSTALLOC_*. */
SHIM_EXPORT int cuMemHostAlloc(void **out, size_t bytes, unsigned flags);
int cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
    struct shim_call call = {.id = CALL_cuMemHostAlloc, .in = {bytes, flags}};
    return allocate(&call, out);
}
/* Managed memory, which the program reaches at the same address. */
SHIM_EXPORT int cuMemAllocManaged(void **out, size_t bytes, unsigned flags);
int cuMemAllocManaged(void **out, size_t bytes, unsigned flags) {
    struct shim_call call = {.id = CALL_cuMemAllocManaged, .in = {bytes, flags}};
    return allocate(&call, out);
}

/* Device memory for `height` rows of `width` bytes, *pitch bytes apart. `element` must be 4, 8 or
 * 16 bytes, and is not sent: the server pads rows alike for all of them. An empty allocation is
 * cudaErrorInvalidValue. */
SHIM_EXPORT int cuMemAllocPitch_v2(void **out, size_t *pitch, size_t width, size_t height,
                                   unsigned element);
int cuMemAllocPitch_v2(void **out, size_t *pitch, size_t width, size_t height, unsigned element) {
    struct shim_call call = {.id = CALL_cuMemAllocPitch_v2, .in = {width, height}};
    bool known = element == 4 || element == 8 || element == 16;
    if (!out || !pitch || !known || !width || !height)
        return driver_fail(call.id, HEDDLE_cudaErrorInvalidValue);
    int error = driver_call(&call);
    if (error) return error;
    *out = (void *)(uintptr_t)call.out[0];
    *pitch = call.out[1];
    return CUDA_SUCCESS;
}

/* Makes the call `id` by `free_it`, a function of libheddle_shim.so that runs here once:
 * shim_free(), shim_free_pinned() or shim_unregister_memory(). It frees memory or ends a
 * registration, and unmaps or replaces pages in this process; it takes shim.lock to change the list
 * of mapped memory. */
static int end(enum cuda_call_id id, void *address, int (*free_it)(enum cuda_call_id, void *)) {
    int error = driver_ready(id);
    if (error) return driver_fail(id, error);
    DRIVER_KEEPING_LAST_ERROR(error = free_it(id, address));
    return cuda_result(error);
}

/* Frees device or managed memory. */
SHIM_EXPORT int cuMemFree_v2(void *address);
int cuMemFree_v2(void *address) {
    return end(CALL_cuMemFree_v2, address, shim_free);
}
/* Frees pinned memory. */
SHIM_EXPORT int cuMemFreeHost(void *address);
int cuMemFreeHost(void *address) {
    return end(CALL_cuMemFreeHost, address, shim_free_pinned);
}
/* Gives the program private pages with the same contents back (shim_unregister_memory).
 * cudaErrorHostMemoryNotRegistered: no registration begins at the address. */
SHIM_EXPORT int cuMemHostUnregister(void *address);
int cuMemHostUnregister(void *address) {
    return end(CALL_cuMemHostUnregister, address, shim_unregister_memory);
}

/* Replaces the program's pages by pinned memory with the same contents, and adds them to
 * shim.registered (shim_register_memory). If the pages cannot be replaced, a second message, which
 * counts as no call, frees them in the server. */
SHIM_EXPORT int cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags);
int cuMemHostRegister_v2(void *address, size_t bytes, unsigned flags) {
    int error = driver_ready(CALL_cuMemHostRegister_v2);
    if (error) return driver_fail(CALL_cuMemHostRegister_v2, error);
    DRIVER_KEEPING_LAST_ERROR(
        error = shim_register_memory(CALL_cuMemHostRegister_v2, address, bytes, flags));
    return cuda_result(error);
}

/* *device: where the GPU reaches the program's pinned or registered memory. */
SHIM_EXPORT int cuMemHostGetDevicePointer_v2(void **device, void *host, unsigned flags);
int cuMemHostGetDevicePointer_v2(void **device, void *host, unsigned flags) {
    struct shim_call call = {.id = CALL_cuMemHostGetDevicePointer_v2,
                             .in = {(uintptr_t)shim_translate(host), flags}};
    if (!device) return driver_fail(call.id, HEDDLE_cudaErrorInvalidValue);
    int error = driver_call(&call);
    if (!error) *device = (void *)(uintptr_t)call.out[0];
    return error;
}

SHIM_EXPORT int cuMemHostGetFlags(unsigned *flags, void *host);
int cuMemHostGetFlags(unsigned *flags, void *host) {
    struct shim_call call = {.id = CALL_cuMemHostGetFlags, .in = {(uintptr_t)shim_translate(host)}};
    if (!flags) return driver_fail(call.id, HEDDLE_cudaErrorInvalidValue);
    int error = driver_call(&call);
    if (!error) *flags = (unsigned)call.out[0];
    return error;
}

/* ---- copies between addresses */

enum { HOST_TO_DEVICE = 1, DEVICE_TO_HOST, DEVICE_TO_DEVICE, ANY }; /* cudaMemcpyKind */

/* Makes the call `id`, which copies `bytes`. The server pulls pageable memory from this process, or
 * pushes into it, while this waits (shim_copy_rows). `kind`: the direction; ANY lets the addresses
 * tell. `stream` NULL: the default stream, or a call without a stream. */
static int copy(enum cuda_call_id id, void *dst, const void *src, size_t bytes, int kind,
                void *stream) {
    struct shim_call call = {
        .id = id, .in = {(uintptr_t)dst, (uintptr_t)src, bytes, (uint64_t)kind, (uintptr_t)stream}};
    int error = driver_ready(id);
    if (error) return driver_fail(id, error);
    DRIVER_KEEPING_LAST_ERROR(error = shim_copy_rows(&call, 0, 0, 1, 0, bytes, 1, kind));
    return cuda_result(error);
}

/* This and the functions below copy `bytes` between addresses, waiting or in a stream (copy). */
SHIM_EXPORT int cuMemcpy(void *dst, void *src, size_t bytes);
int cuMemcpy(void *dst, void *src, size_t bytes) {
    return copy(CALL_cuMemcpy, dst, src, bytes, ANY, NULL);
}
SHIM_EXPORT int cuMemcpyAsync(void *dst, void *src, size_t bytes, void *stream);
int cuMemcpyAsync(void *dst, void *src, size_t bytes, void *stream) {
    return copy(CALL_cuMemcpyAsync, dst, src, bytes, ANY, stream);
}
SHIM_EXPORT int cuMemcpyHtoD_v2(void *dst, const void *src, size_t bytes);
int cuMemcpyHtoD_v2(void *dst, const void *src, size_t bytes) {
    return copy(CALL_cuMemcpyHtoD_v2, dst, src, bytes, HOST_TO_DEVICE, NULL);
}
SHIM_EXPORT int cuMemcpyHtoDAsync_v2(void *dst, const void *src, size_t bytes, void *stream);
int cuMemcpyHtoDAsync_v2(void *dst, const void *src, size_t bytes, void *stream) {
    return copy(CALL_cuMemcpyHtoDAsync_v2, dst, src, bytes, HOST_TO_DEVICE, stream);
}
SHIM_EXPORT int cuMemcpyDtoH_v2(void *dst, void *src, size_t bytes);
int cuMemcpyDtoH_v2(void *dst, void *src, size_t bytes) {
    return copy(CALL_cuMemcpyDtoH_v2, dst, src, bytes, DEVICE_TO_HOST, NULL);
}
SHIM_EXPORT int cuMemcpyDtoHAsync_v2(void *dst, void *src, size_t bytes, void *stream);
int cuMemcpyDtoHAsync_v2(void *dst, void *src, size_t bytes, void *stream) {
    return copy(CALL_cuMemcpyDtoHAsync_v2, dst, src, bytes, DEVICE_TO_HOST, stream);
}
SHIM_EXPORT int cuMemcpyDtoD_v2(void *dst, void *src, size_t bytes);
int cuMemcpyDtoD_v2(void *dst, void *src, size_t bytes) {
    return copy(CALL_cuMemcpyDtoD_v2, dst, src, bytes, DEVICE_TO_DEVICE, NULL);
}
SHIM_EXPORT int cuMemcpyDtoDAsync_v2(void *dst, void *src, size_t bytes, void *stream);
int cuMemcpyDtoDAsync_v2(void *dst, void *src, size_t bytes, void *stream) {
    return copy(CALL_cuMemcpyDtoDAsync_v2, dst, src, bytes, DEVICE_TO_DEVICE, stream);
}

/* Makes the call `id`, which copies between the devices of two contexts. The message names the
 * devices. RESULT_INVALID_CONTEXT: one of them is not a live context. Addresses travel as they are.
 */
static int copy_between(enum cuda_call_id id, void *dst, const struct driver_context *dst_context,
                        void *src, const struct driver_context *src_context, size_t bytes,
                        void *stream) {
    int error = driver_ready(id);
    if (!error && (!driver_is_context(dst_context) || !driver_is_context(src_context)))
        error = RESULT_INVALID_CONTEXT;
    if (error) return driver_fail(id, error);
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)dst, (uint64_t)driver_device_of(dst_context),
                                    (uintptr_t)src, (uint64_t)driver_device_of(src_context), bytes,
                                    (uintptr_t)stream}};
    return driver_call(&call);
}

SHIM_EXPORT int cuMemcpyPeer(void *dst, void *dst_context, void *src, void *src_context,
                             size_t bytes);
int cuMemcpyPeer(void *dst, void *dst_context, void *src, void *src_context, size_t bytes) {
    return copy_between(CALL_cuMemcpyPeer, dst, dst_context, src, src_context, bytes, NULL);
}
SHIM_EXPORT int cuMemcpyPeerAsync(void *dst, void *dst_context, void *src, void *src_context,
                                  size_t bytes, void *stream);
int cuMemcpyPeerAsync(void *dst, void *dst_context, void *src, void *src_context, size_t bytes,
                      void *stream) {
    return copy_between(CALL_cuMemcpyPeerAsync, dst, dst_context, src, src_context, bytes, stream);
}

/* ---- fills with elements of 2 and 4 bytes; the build generates those of 1 byte */

/* Makes the call `id`, which fills `height` rows of `width` elements with `value`. `element`:
 * bytes of an element. `pitch`: bytes from row to row, 0 for a single row. */
static int fill(enum cuda_call_id id, void *address, size_t pitch, unsigned value, unsigned element,
                size_t width, size_t height, void *stream) {
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)shim_translate(address), pitch, value, element,
                                    width, height, (uintptr_t)stream}};
    return driver_call(&call);
}

/* Defines the four fills with elements of `bits`: a row or rows, waiting or in a stream. */
#define FILLS(bits, type)                                                                         \
    SHIM_EXPORT int cuMemsetD##bits##_v2(void *p, type value, size_t count);                      \
    int cuMemsetD##bits##_v2(void *p, type value, size_t count) {                                 \
        return fill(CALL_cuMemsetD##bits##_v2, p, 0, value, bits / 8, count, 1, NULL);            \
    }                                                                                             \
    SHIM_EXPORT int cuMemsetD##bits##Async(void *p, type value, size_t count, void *stream);      \
    int cuMemsetD##bits##Async(void *p, type value, size_t count, void *stream) {                 \
        return fill(CALL_cuMemsetD##bits##Async, p, 0, value, bits / 8, count, 1, stream);        \
    }                                                                                             \
    SHIM_EXPORT int cuMemsetD2D##bits##_v2(void *p, size_t pitch, type value, size_t width,       \
                                           size_t height);                                        \
    int cuMemsetD2D##bits##_v2(void *p, size_t pitch, type value, size_t width, size_t height) {  \
        return fill(CALL_cuMemsetD2D##bits##_v2, p, pitch, value, bits / 8, width, height, NULL); \
    }                                                                                             \
    SHIM_EXPORT int cuMemsetD2D##bits##Async(void *p, size_t pitch, type value, size_t width,     \
                                             size_t height, void *stream);                        \
    int cuMemsetD2D##bits##Async(void *p, size_t pitch, type value, size_t width, size_t height,  \
                                 void *stream) {                                                  \
        return fill(CALL_cuMemsetD2D##bits##Async, p, pitch, value, bits / 8, width, height,      \
                    stream);                                                                      \
    }
FILLS(16, uint16_t)
FILLS(32, unsigned)

/* ---- questions about addresses */

/* *base and *bytes: the allocation that the address lies in, as the server knows it. Either pointer
 * may be NULL. */
SHIM_EXPORT int cuMemGetAddressRange_v2(void **base, size_t *bytes, void *address);
int cuMemGetAddressRange_v2(void **base, size_t *bytes, void *address) {
    struct shim_call call = {.id = CALL_cuMemGetAddressRange_v2,
                             .in = {(uintptr_t)shim_translate(address)}};
    int error = driver_call(&call);
    if (error) return error;
    if (base) *base = (void *)(uintptr_t)call.out[0];
    if (bytes) *bytes = call.out[1];
    return CUDA_SUCCESS;
}

enum pointer_attribute { /* CUpointer_attribute */
                         POINTER_CONTEXT = 1,
                         POINTER_MEMORY_TYPE,
                         POINTER_DEVICE_POINTER,
                         POINTER_HOST_POINTER,
                         POINTER_IS_MANAGED = 8,
                         POINTER_DEVICE,
                         POINTER_RANGE_START = 11,
                         POINTER_RANGE_BYTES,
                         POINTER_MAPPED,
};

/* The server's answer about an address, as the wire has it. */
struct known {
    int type, device; /* type: UNKNOWN ... MANAGED */
    void *device_pointer, *host_pointer;
};
enum { UNKNOWN, HOST, DEVICE, MANAGED }; /* cudaMemoryType */

/* Makes the call `id`, which asks the server about the address. *k receives the answer; the caller
 * has cleared it. Of registered memory the server knows its own address only, so the host's address
 * is translated back (shim_translate_back). */
static int ask(enum cuda_call_id id, void *address, struct known *k) {
    struct shim_call call = {.id = id,
                             .in = {(uintptr_t)shim_translate(address)},
                             .target = {.base = k},
                             .target_bytes = sizeof *k};
    int error = driver_call(&call);
    k->host_pointer = shim_translate_back(k->host_pointer);
    return error;
}

/* Bytes of the attribute's value. 0: Heddle does not support the attribute. */
static size_t attribute_bytes(int attribute) {
    switch (attribute) {
    case POINTER_CONTEXT:
    case POINTER_DEVICE_POINTER:
    case POINTER_HOST_POINTER:
    case POINTER_RANGE_START:
    case POINTER_RANGE_BYTES: return sizeof(void *);
    case POINTER_MEMORY_TYPE:
    case POINTER_DEVICE: return sizeof(int);
    case POINTER_IS_MANAGED:
    case POINTER_MAPPED: return 1;
    default: return 0;
    }
}

/* Finds the value of one attribute in the server's answer `k`. For the range it asks the server
 * again, which counts as no call. Prints an unsupported attribute, which is RESULT_NOT_SUPPORTED.
 * @return CUresult; *value is 0 if the attribute is unsupported or missing. cudaErrorInvalidValue:
 * the address is not CUDA's, or it lacks the attribute. */
static int attribute_of(enum cuda_call_id id, const struct known *k, int attribute,
                        uint64_t *value) {
    enum { MEMORY_HOST = 1, MEMORY_DEVICE };
    struct shim_call range = {.id = CALL_cuMemGetAddressRange_v2,
                              .in = {(uintptr_t)k->device_pointer}};
    int error;
    *value = 0;
    if (!attribute_bytes(attribute)) {
        shim_say("not supported: %s() of attribute %d", shim_call_names[id], attribute);
        return RESULT_NOT_SUPPORTED;
    }
    if (k->type == UNKNOWN) return HEDDLE_cudaErrorInvalidValue;
    switch (attribute) {
    case POINTER_CONTEXT: *value = (uintptr_t)driver_context_on(k->device); return CUDA_SUCCESS;
    case POINTER_MEMORY_TYPE:
        *value = k->type == HOST ? MEMORY_HOST : MEMORY_DEVICE;
        return CUDA_SUCCESS;
    case POINTER_DEVICE_POINTER: *value = (uintptr_t)k->device_pointer; return CUDA_SUCCESS;
    case POINTER_HOST_POINTER:
        *value = (uintptr_t)k->host_pointer;
        return *value ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidValue;
    case POINTER_IS_MANAGED: *value = k->type == MANAGED; return CUDA_SUCCESS;
    case POINTER_DEVICE: *value = (uint64_t)k->device; return CUDA_SUCCESS;
    case POINTER_RANGE_START:
    case POINTER_RANGE_BYTES:
        error = driver_ask(&range);
        *value = range.out[attribute == POINTER_RANGE_BYTES];
        return cuda_result(error);
    default: *value = true; return CUDA_SUCCESS; /* POINTER_MAPPED */
    }
}

/* Writes one attribute (CUpointer_attribute) to `out`, in the attribute's size (attribute_bytes).
 * An attribute that the address lacks is an error. The attributes of a range take a second message,
 * which counts as no call. */
SHIM_EXPORT int cuPointerGetAttribute(void *out, int attribute, void *address);
int cuPointerGetAttribute(void *out, int attribute, void *address) {
    static const enum cuda_call_id id = CALL_cuPointerGetAttribute;
    struct known k = {0};
    uint64_t value;
    if (!out) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = ask(id, address, &k);
    if (!error) error = attribute_of(id, &k, attribute, &value);
    if (!error) memcpy(out, &value, attribute_bytes(attribute));
    return error;
}

/* Writes `count` attributes. Unlike cuPointerGetAttribute(), this call reports an attribute that
 * the address lacks as zero. An address that is not CUDA's lacks all of them. Each attribute of a
 * range takes another message, which counts as no call. An unsupported attribute ends the call with
 * an error; those before it are written. */
SHIM_EXPORT int cuPointerGetAttributes(unsigned count, int *attribute, void **out, void *address);
int cuPointerGetAttributes(unsigned count, int *attribute, void **out, void *address) {
    static const enum cuda_call_id id = CALL_cuPointerGetAttributes;
    struct known k = {0};
    if (!attribute || !out) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = ask(id, address, &k);
    for (unsigned i = 0; i < count && !error; i++) {
        uint64_t value;
        error = attribute_of(id, &k, attribute[i], &value);
        if (error == HEDDLE_cudaErrorInvalidValue) error = CUDA_SUCCESS;
        if (!error) memcpy(out[i], &value, attribute_bytes(attribute[i]));
    }
    return error;
}
