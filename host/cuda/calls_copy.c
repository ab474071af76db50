/* calls_copy.c - the copy and fill calls of libcudart. */
#include "cuda/copy.h"
#include "cuda_call_handlers.h"

enum { LEGACY_STREAM = 0 };

static struct copy_shape line(uint64_t dst, uint64_t src, uint64_t bytes, uint64_t kind) {
    return (struct copy_shape){
        .dst = dst, .src = src, .width = bytes, .height = 1, .kind = (int)kind};
}

int do_cudaMemcpy(struct call *call, uint64_t dst, uint64_t src, uint64_t bytes, uint64_t kind) {
    struct copy_shape s = line(dst, src, bytes, kind);
    return copy_issue(call, LEGACY_STREAM, &s, true);
}

int do_cudaMemcpyAsync(struct call *call, uint64_t dst, uint64_t src, uint64_t bytes, uint64_t kind,
                       uint64_t stream) {
    struct copy_shape s = line(dst, src, bytes, kind);
    return copy_issue(call, stream, &s, false);
}

int do_cudaMemcpy2D(struct call *call, uint64_t dst, uint64_t dpitch, uint64_t src, uint64_t spitch,
                    uint64_t width, uint64_t height, uint64_t kind) {
    struct copy_shape s = {dst, dpitch, src, spitch, width, height, (int)kind};
    return copy_issue(call, LEGACY_STREAM, &s, true);
}

int do_cudaMemcpy2DAsync(struct call *call, uint64_t dst, uint64_t dpitch, uint64_t src,
                         uint64_t spitch, uint64_t width, uint64_t height, uint64_t kind,
                         uint64_t stream) {
    struct copy_shape s = {dst, dpitch, src, spitch, width, height, (int)kind};
    return copy_issue(call, stream, &s, false);
}

/* Address of `bytes` at `offset` of a variable. */
static int locate(struct call *call, uint64_t symbol, uint64_t offset, uint64_t bytes,
                  uint64_t *address) {
    uint64_t size;
    int error = symbol_resolve(call, symbol, address, &size);
    if (error) return error;
    if (offset > size || bytes > size - offset) return CUDA_ERROR_INVALID_VALUE;
    *address += offset;
    return CUDA_SUCCESS;
}

static int to_symbol(struct call *call, uint64_t symbol, uint64_t src, uint64_t bytes,
                     uint64_t offset, uint64_t kind, uint64_t stream, bool waits) {
    uint64_t address;
    int error = locate(call, symbol, offset, bytes, &address);
    if (error) return error;
    struct copy_shape s = line(address, src, bytes, kind);
    return copy_issue(call, stream, &s, waits);
}

int do_cudaMemcpyToSymbol(struct call *call, uint64_t symbol, uint64_t src, uint64_t bytes,
                          uint64_t offset, uint64_t kind) {
    return to_symbol(call, symbol, src, bytes, offset, kind, LEGACY_STREAM, true);
}

int do_cudaMemcpyToSymbolAsync(struct call *call, uint64_t symbol, uint64_t src, uint64_t bytes,
                               uint64_t offset, uint64_t kind, uint64_t stream) {
    return to_symbol(call, symbol, src, bytes, offset, kind, stream, false);
}

static int from_symbol(struct call *call, uint64_t dst, uint64_t symbol, uint64_t bytes,
                       uint64_t offset, uint64_t kind, uint64_t stream, bool waits) {
    uint64_t address;
    int error = locate(call, symbol, offset, bytes, &address);
    if (error) return error;
    struct copy_shape s = line(dst, address, bytes, kind);
    return copy_issue(call, stream, &s, waits);
}

int do_cudaMemcpyFromSymbol(struct call *call, uint64_t dst, uint64_t symbol, uint64_t bytes,
                            uint64_t offset, uint64_t kind) {
    return from_symbol(call, dst, symbol, bytes, offset, kind, LEGACY_STREAM, true);
}

int do_cudaMemcpyFromSymbolAsync(struct call *call, uint64_t dst, uint64_t symbol, uint64_t bytes,
                                 uint64_t offset, uint64_t kind, uint64_t stream) {
    return from_symbol(call, dst, symbol, bytes, offset, kind, stream, false);
}

int do_cudaMemset(struct call *call, uint64_t pointer, uint64_t value, uint64_t bytes) {
    return copy_fill(call, LEGACY_STREAM, pointer, (uint8_t)value, bytes);
}

int do_cudaMemsetAsync(struct call *call, uint64_t pointer, uint64_t value, uint64_t bytes,
                       uint64_t stream) {
    return copy_fill(call, stream, pointer, (uint8_t)value, bytes);
}

int do_cudaGetSymbolAddress(struct call *call, uint64_t symbol, uint64_t *address) {
    uint64_t bytes;
    return symbol_resolve(call, symbol, address, &bytes);
}

int do_cudaGetSymbolSize(struct call *call, uint64_t symbol, uint64_t *bytes) {
    uint64_t address;
    return symbol_resolve(call, symbol, &address, bytes);
}
