/* shim_copy.c - the runtime's copies between addresses, and its copies and queries of variables by
 * symbol.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error. While a copy waits, the server pulls pageable memory of the program or pushes into
 * it; an address in registered memory becomes the server's (shim_translate, under shim.lock).
 *
 * `kind` is a cudaMemcpyKind. Pitches are bytes; rows wider than a pitch are
 * cudaErrorInvalidPitchValue. A symbol is the host handle of a variable, found in the tables of
 * `shim` under shim.lock (shim_find_variable), which sends late registrations; a wrong one is
 * cudaErrorInvalidSymbol. Helpers with an `id` make the call of that number. */
#include <string.h>

#include "cuda/shim/shim.h"

/* This and the next copy `bytes` in one row, waiting or in a stream. */
SHIM_EXPORT int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind);
int cudaMemcpy(void *dst, const void *src, size_t bytes, int kind) {
    struct shim_call call = {.id = CALL_cudaMemcpy,
                             .in = {(uintptr_t)dst, (uintptr_t)src, bytes, (uint64_t)kind}};
    return shim_copy_rows(&call, 0, 0, 1, 0, bytes, 1, kind);
}

SHIM_EXPORT int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream);
int cudaMemcpyAsync(void *dst, const void *src, size_t bytes, int kind, void *stream) {
    struct shim_call call = {
        .id = CALL_cudaMemcpyAsync,
        .in = {(uintptr_t)dst, (uintptr_t)src, bytes, (uint64_t)kind, (uintptr_t)stream}};
    return shim_copy_rows(&call, 0, 0, 1, 0, bytes, 1, kind);
}

/* This and the next copy `height` rows of `width` bytes, waiting or in a stream. */
SHIM_EXPORT int cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                             size_t height, int kind);
int cudaMemcpy2D(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                 size_t height, int kind) {
    if (height > 1 && (width > dpitch || width > spitch))
        return shim_fail(CALL_cudaMemcpy2D, HEDDLE_cudaErrorInvalidPitchValue);
    struct shim_call call = {
        .id = CALL_cudaMemcpy2D,
        .in = {(uintptr_t)dst, dpitch, (uintptr_t)src, spitch, width, height, (uint64_t)kind}};
    return shim_copy_rows(&call, 0, dpitch, 2, spitch, width, height, kind);
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
    return shim_copy_rows(&call, 0, dpitch, 2, spitch, width, height, kind);
}

/* ---- variables of the program's device code */

/* Makes the call `id`, which copies `bytes` to a variable, from its byte `offset` on. The variable
 * is on the device, so the call offers the server the other side only. */
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

/* This and the next copy `bytes` to a variable, from its byte `offset` on. */
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

/* Makes the call `id`, which copies `bytes` from a variable, from its byte `offset` on. The call
 * offers the server the side `dst` only. */
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

/* Makes the call `id`, which asks for a variable's address or size in bytes, and writes the 8 bytes
 * of the answer to `out` on success. `out` NULL is cudaErrorInvalidValue. */
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
