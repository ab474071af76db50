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
    return a - shim.device_base < shim.device_bytes || a - shim.pinned_base < shim.pinned_bytes ||
           a - shim.managed_base < shim.managed_bytes;
}

static struct shim_rows rows(struct shim_box b, size_t width, size_t height, size_t depth) {
    bool many = height > 1 || depth > 1;
    return (struct shim_rows){(void *)(uintptr_t)b.base, many ? width : 0, b.pitch,
                              depth > 1 ? height : 0, b.slice};
}

int shim_copy(struct shim_call *call, struct shim_box dst, struct shim_box src, size_t width,
              size_t height, size_t depth, int kind) {
    uint64_t bytes = (uint64_t)width * height * depth;
    bool from_host = kind == COPY_HOST_TO_HOST || kind == COPY_HOST_TO_DEVICE ||
                     kind == COPY_DEFAULT;
    bool to_host = kind == COPY_HOST_TO_HOST || kind == COPY_DEVICE_TO_HOST || kind == COPY_DEFAULT;
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

/* `dst_at` and `src_at`: where the addresses stand among the call's arguments. */
static int copy(struct shim_call *call, int dst_at, size_t dpitch, int src_at, size_t spitch,
                size_t width, size_t height, int kind) {
    int error = shim_ready(); /* before the first connection the ranges are not known */
    if (error) return shim_fail(call->id, error);
    void *dst = shim_translate((void *)(uintptr_t)call->in[dst_at]);
    void *src = shim_translate((void *)(uintptr_t)call->in[src_at]);
    call->in[dst_at] = (uintptr_t)dst;
    call->in[src_at] = (uintptr_t)src;
    return shim_copy(call, (struct shim_box){dst, dpitch, 0}, (struct shim_box){src, spitch, 0},
                     width, height, 1, kind);
}

SHIM_EXPORT int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind) {
    struct shim_call call = {.id = CALL_cudaMemcpy,
                             .in = {(uintptr_t)dst, (uintptr_t)src, bytes, (uint64_t)kind}};
    return copy(&call, 0, 0, 1, 0, bytes, 1, kind);
}

SHIM_EXPORT int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream);
int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream) {
    struct shim_call call = {
        .id = CALL_cudaMemcpyAsync,
        .in = {(uintptr_t)dst, (uintptr_t)src, bytes, (uint64_t)kind, (uintptr_t)stream}};
    return copy(&call, 0, 0, 1, 0, bytes, 1, kind);
}

SHIM_EXPORT int cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                             size_t height, int kind);
int cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                 size_t height, int kind) {
    if (height > 1 && (width > dpitch || width > spitch))
        return shim_fail(CALL_cudaMemcpy2D, HEDDLE_cudaErrorInvalidPitchValue);
    struct shim_call call = {
        .id = CALL_cudaMemcpy2D,
        .in = {(uintptr_t)dst, dpitch, (uintptr_t)src, spitch, width, height, (uint64_t)kind}};
    return copy(&call, 0, dpitch, 2, spitch, width, height, kind);
}

SHIM_EXPORT int cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch,
                                  size_t width, size_t height, int kind, void *stream);
int cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                      size_t height, int kind, void *stream) {
    if (height > 1 && (width > dpitch || width > spitch))
        return shim_fail(CALL_cudaMemcpy2DAsync, HEDDLE_cudaErrorInvalidPitchValue);
    struct shim_call call = {.id = CALL_cudaMemcpy2DAsync,
                             .in = {(uintptr_t)dst, dpitch, (uintptr_t)src, spitch, width, height,
                                    (uint64_t)kind, (uintptr_t)stream}};
    return copy(&call, 0, dpitch, 2, spitch, width, height, kind);
}

/* ---- variables of the program's device code */

int shim_find_variable(const void *handle, struct shim_symbol **out) {
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
    int error = shim_find_variable(symbol, &s);
    if (error) return shim_fail(id, error);
    struct shim_call call = {
        .id = id, .in = {s->id, (uintptr_t)src, bytes, offset, (uint64_t)kind, (uintptr_t)stream}};
    void *from = shim_translate(src), *device = (void *)(uintptr_t)shim.device_base;
    call.in[1] = (uintptr_t)from;
    const struct shim_box there = {.base = device}, here = {.base = from};
    return shim_copy(&call, there, here, bytes, 1, 1, kind);
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
    int error = shim_find_variable(symbol, &s);
    if (error) return shim_fail(id, error);
    struct shim_call call = {
        .id = id, .in = {(uintptr_t)dst, s->id, bytes, offset, (uint64_t)kind, (uintptr_t)stream}};
    void *to = shim_translate(dst), *device = (void *)(uintptr_t)shim.device_base;
    call.in[0] = (uintptr_t)to;
    const struct shim_box target = {.base = to}, source = {.base = device};
    return shim_copy(&call, target, source, bytes, 1, 1, kind);
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
    int error = shim_find_variable(symbol, &s);
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
