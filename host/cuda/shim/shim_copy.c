/* shim_copy.c - copies between the program's memory and the GPU's.
 *
 * The server knows which addresses are device, pinned or the program's own; the shim only offers
 * the program's side, so that the server can pull from or push to it where it is pageable. */
#include <string.h>

#include "cuda/shim/shim.h"

enum {
    COPY_HOST_TO_HOST,
    COPY_HOST_TO_DEVICE,
    COPY_DEVICE_TO_HOST,
    COPY_DEVICE_TO_DEVICE,
    COPY_DEFAULT
};

/* True when the server reaches the address itself. */
static bool is_shared(const void *p) {
    uint64_t a = (uintptr_t)p;
    return a - shim.device_base < shim.device_bytes || a - shim.pinned_base < shim.pinned_bytes;
}

/* Offers the program's sides of a copy of `height` rows; a side that the server reaches itself, or
 * that the direction says is the device's, is not offered. */
static int copy(struct shim_call *call, void *dst, size_t dpitch, const void *src, size_t spitch,
                size_t width, size_t height, int kind) {
    int error = shim_ready(); /* before the first connection the ranges are not known */
    if (error) return shim_fail(call->id, error);
    uint64_t bytes = (uint64_t)width * height;
    bool from_host = kind == COPY_HOST_TO_HOST || kind == COPY_HOST_TO_DEVICE ||
                     kind == COPY_DEFAULT;
    bool to_host = kind == COPY_HOST_TO_HOST || kind == COPY_DEVICE_TO_HOST || kind == COPY_DEFAULT;
    if (from_host && !is_shared(src)) {
        call->source = (struct shim_rows){(void *)(uintptr_t)src, height > 1 ? width : 0, spitch};
        call->payload_bytes = bytes;
    }
    if (to_host && !is_shared(dst)) {
        call->target = (struct shim_rows){dst, height > 1 ? width : 0, dpitch};
        call->target_bytes = bytes;
    }
    return shim_call(call);
}

SHIM_EXPORT int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind) {
    struct shim_call call = {.id = CALL_cudaMemcpy,
                             .in = {(uintptr_t)dst, (uintptr_t)src, bytes, (uint64_t)kind}};
    return copy(&call, dst, 0, src, 0, bytes, 1, kind);
}

SHIM_EXPORT int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream);
int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream) {
    struct shim_call call = {
        .id = CALL_cudaMemcpyAsync,
        .in = {(uintptr_t)dst, (uintptr_t)src, bytes, (uint64_t)kind, (uintptr_t)stream}};
    return copy(&call, dst, 0, src, 0, bytes, 1, kind);
}

SHIM_EXPORT int cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                             size_t height, int kind);
int cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                 size_t height, int kind) {
    if (width > dpitch || width > spitch)
        return shim_fail(CALL_cudaMemcpy2D, HEDDLE_cudaErrorInvalidPitchValue);
    struct shim_call call = {
        .id = CALL_cudaMemcpy2D,
        .in = {(uintptr_t)dst, dpitch, (uintptr_t)src, spitch, width, height, (uint64_t)kind}};
    return copy(&call, dst, dpitch, src, spitch, width, height, kind);
}

SHIM_EXPORT int cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                  size_t width, size_t height, int kind, void *stream);
int cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                      size_t height, int kind, void *stream) {
    if (width > dpitch || width > spitch)
        return shim_fail(CALL_cudaMemcpy2DAsync, HEDDLE_cudaErrorInvalidPitchValue);
    struct shim_call call = {.id = CALL_cudaMemcpy2DAsync,
                             .in = {(uintptr_t)dst, dpitch, (uintptr_t)src, spitch, width, height,
                                    (uint64_t)kind, (uintptr_t)stream}};
    return copy(&call, dst, dpitch, src, spitch, width, height, kind);
}

/* ---- variables of the program's device code */

static int find_variable(const void *handle, struct shim_symbol **out) {
    int error = shim_ready();
    if (error) return error;
    *out = shim_find(handle, false);
    if (!*out) return HEDDLE_cudaErrorInvalidSymbol;
    return (*out)->error;
}

/* The symbol stands for the device side: only the other one may be the program's. */
static int copy_to_symbol(enum cuda_call_id id, const void *symbol, const void *src, size_t bytes,
                          size_t offset, int kind, void *stream) {
    struct shim_symbol *s;
    int error = find_variable(symbol, &s);
    if (error) return shim_fail(id, error);
    struct shim_call call = {
        .id = id, .in = {s->id, (uintptr_t)src, bytes, offset, (uint64_t)kind, (uintptr_t)stream}};
    return copy(&call, (void *)(uintptr_t)shim.device_base, 0, src, 0, bytes, 1, kind);
}

SHIM_EXPORT int cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset,
                                   int kind);
int cudaMemcpyToSymbol(const void *symbol, const void *src, size_t bytes, size_t offset, int kind) {
    return copy_to_symbol(CALL_cudaMemcpyToSymbol, symbol, src, bytes, offset, kind, NULL);
}

SHIM_EXPORT int cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes,
                                        size_t offset, int kind, void *stream);
int cudaMemcpyToSymbolAsync(const void *symbol, const void *src, size_t bytes, size_t offset,
                            int kind, void *stream) {
    return copy_to_symbol(CALL_cudaMemcpyToSymbolAsync, symbol, src, bytes, offset, kind, stream);
}

static int copy_from_symbol(enum cuda_call_id id, void *dst, const void *symbol, size_t bytes,
                            size_t offset, int kind, void *stream) {
    struct shim_symbol *s;
    int error = find_variable(symbol, &s);
    if (error) return shim_fail(id, error);
    struct shim_call call = {
        .id = id, .in = {(uintptr_t)dst, s->id, bytes, offset, (uint64_t)kind, (uintptr_t)stream}};
    return copy(&call, dst, 0, (void *)(uintptr_t)shim.device_base, 0, bytes, 1, kind);
}

SHIM_EXPORT int cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset,
                                     int kind);
int cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, int kind) {
    return copy_from_symbol(CALL_cudaMemcpyFromSymbol, dst, symbol, bytes, offset, kind, NULL);
}

SHIM_EXPORT int cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes,
                                          size_t offset, int kind, void *stream);
int cudaMemcpyFromSymbolAsync(void *dst, const void *symbol, size_t bytes, size_t offset, int kind,
                              void *stream) {
    return copy_from_symbol(CALL_cudaMemcpyFromSymbolAsync, dst, symbol, bytes, offset, kind,
                            stream);
}

static int ask_symbol(enum cuda_call_id id, const void *symbol, void *out) {
    struct shim_symbol *s;
    if (!out) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = find_variable(symbol, &s);
    if (error) return shim_fail(id, error);
    struct shim_call call = {.id = id, .in = {s->id}};
    error = shim_call(&call);
    if (!error) memcpy(out, &call.out[0], sizeof(void *));
    return error;
}

SHIM_EXPORT int cudaGetSymbolAddress(void **address, const void *symbol);
int cudaGetSymbolAddress(void **address, const void *symbol) {
    return ask_symbol(CALL_cudaGetSymbolAddress, symbol, address);
}

SHIM_EXPORT int cudaGetSymbolSize(size_t *bytes, const void *symbol);
int cudaGetSymbolSize(size_t *bytes, const void *symbol) {
    return ask_symbol(CALL_cudaGetSymbolSize, symbol, bytes);
}
