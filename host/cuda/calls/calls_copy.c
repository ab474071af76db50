/* calls_copy.c - handlers of the copies and fills of libcudart; see copy.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". Each copy or fill is issued on the GPU, or added to a graph if its stream is
 * captured. Copies without a stream wait, except within device memory, and so do copies to pageable
 * memory: a wait drives the simulation, blocks the server and moves the thread's clock; a fault
 * becomes the sticky error (wait.c). Fills never wait; those without a stream go to the legacy
 * stream. A call with a symbol first loads the symbol's module, which may compile it. An unknown
 * stream is InvalidResourceHandle; addresses or sizes that do not fit are InvalidValue; what is not
 * supported is reported on standard error (NotSupported). The rules of captures are
 * capture_find_op_stream()'s. Sizes, pitches and offsets are bytes. */
#include <string.h>

#include "cuda/object/array.h"
#include "cuda/object/capture.h"
#include "cuda/calls/calls_fill.h"
#include "cuda/object/copy.h"
#include "cuda/base/diagnostics.h"
#include "cuda/object/module.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

enum { LEGACY_STREAM = 0, DEVICE_TO_DEVICE = 3 };

/* ---- copies */

/* A copy of `bytes` bytes in one row. */
static struct copy_shape line(uint64_t dst, uint64_t src, uint64_t bytes, uint64_t kind) {
    return (struct copy_shape){
        .dst = dst, .src = src, .width = bytes, .height = 1, .depth = 1, .kind = (int)kind};
}

/* Issues a copy on the legacy stream and waits, unless it is a copy within device memory
 * (copy_issue()). Invalidates captures that forbid it (StreamCaptureImplicit). */
static int copy_now(struct call *call, const struct copy_shape *s) {
    struct stream_ref ref;
    int error = capture_find_open_stream(call, LEGACY_STREAM, &ref);
    return error ? error : copy_issue(call, &ref, s, true);
}

/* Issues a copy on a stream, or adds it to the graph into which the stream is captured. A copy to
 * pageable memory waits nevertheless (copy_issue()). Reports array copies in a graph, which are not
 * supported (NotSupported), on standard error. */
static int copy_async(struct call *call, uint64_t stream, const struct copy_shape *s) {
    struct stream_ref ref;
    int error = capture_find_op_stream(call, stream, &ref);
    if (error) return error;
    if (!ref.capture) return copy_issue(call, &ref, s, false);
    if (s->dst_array || s->src_array) {
        server_error(call->server, "not supported: a copy from or to a CUDA array in a graph");
        return HEDDLE_cudaErrorNotSupported;
    }
    error = copy_check(call, s);
    struct node_work work = {.kind = NODE_COPY, .copy = *s};
    return error ? error : capture_add(call, &ref, &work);
}

int do_cudaMemcpy(struct call *call, uint64_t dst, uint64_t src, uint64_t bytes, uint64_t kind) {
    struct copy_shape s = line(dst, src, bytes, kind);
    return copy_now(call, &s);
}

int do_cudaMemcpyAsync(struct call *call, uint64_t dst, uint64_t src, uint64_t bytes, uint64_t kind,
                       uint64_t stream) {
    struct copy_shape s = line(dst, src, bytes, kind);
    return copy_async(call, stream, &s);
}

/* A copy of `height` rows of `width` bytes. */
static struct copy_shape rows(uint64_t dst, uint64_t dpitch, uint64_t src, uint64_t spitch,
                              uint64_t width, uint64_t height, uint64_t kind) {
    return (struct copy_shape){.dst = dst,
                               .dst_pitch = dpitch,
                               .src = src,
                               .src_pitch = spitch,
                               .width = width,
                               .height = height,
                               .depth = 1,
                               .kind = (int)kind};
}

int do_cudaMemcpy2D(struct call *call, uint64_t dst, uint64_t dpitch, uint64_t src, uint64_t spitch,
                    uint64_t width, uint64_t height, uint64_t kind) {
    struct copy_shape s = rows(dst, dpitch, src, spitch, width, height, kind);
    return copy_now(call, &s);
}

int do_cudaMemcpy2DAsync(struct call *call, uint64_t dst, uint64_t dpitch, uint64_t src,
                         uint64_t spitch, uint64_t width, uint64_t height, uint64_t kind,
                         uint64_t stream) {
    struct copy_shape s = rows(dst, dpitch, src, spitch, width, height, kind);
    return copy_async(call, stream, &s);
}

/* A box as it travels. Either side may be an array: then its address is the handle of the array,
 * its pitch the byte in a row, and its slice row | layer << 32. Flags in `kind` mark such a
 * side. */
enum { TO_ARRAY = 0x100, FROM_ARRAY = 0x200, KIND = 0xff };

/* Turns one side of a box, as it travels, into an array's side of a copy_shape: *address the byte
 * in a row, *pitch the row, *slice the layer, *out the array. @return InvalidResourceHandle: no
 * such array. */
static int array_side(const struct call *call, uint64_t *address, uint64_t *pitch, uint64_t *slice,
                      const struct array **out) {
    uint64_t handle = *address, at = *slice;
    *address = *pitch;
    *pitch = (uint32_t)at;
    *slice = at >> 32;
    *out = array_find(call->program, handle);
    return *out ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidResourceHandle;
}

/* Resolves height 0, which means `width` bytes in reading order from a place in an array on, while
 * the other side has no gaps: sets rows and pitches. The bytes must lie within one row or be whole
 * rows; reports any other shape on standard error (NotSupported). */
static int in_reading_order(const struct call *call, struct copy_shape *s) {
    const struct array *a = s->dst_array ? s->dst_array : s->src_array;
    uint64_t row = array_row(a), x = s->dst_array ? s->dst : s->src;
    s->height = 1;
    if (s->dst_array && s->src_array && array_row(s->dst_array) != array_row(s->src_array))
        row = UINT64_MAX; /* rows differ: only a copy within one row fits */
    if (x + s->width <= row) return CUDA_SUCCESS;
    if (x || s->width % row) {
        server_error(call->server,
                     "not supported: %s() of %llu bytes from byte %llu of a row of %llu on; copy "
                     "within one row, or whole rows",
                     call->row->name, (unsigned long long)s->width, (unsigned long long)x,
                     (unsigned long long)row);
        return HEDDLE_cudaErrorNotSupported;
    }
    s->height = s->width / row;
    s->width = row;
    if (!s->dst_array) s->dst_pitch = row;
    if (!s->src_array) s->src_pitch = row;
    return CUDA_SUCCESS;
}

/* Turns a box, as it travels, into a copy: looks its arrays up and resolves height 0. *s: in and
 * out. @return InvalidResourceHandle or NotSupported. */
static int box_of(const struct call *call, struct copy_shape *s) {
    int to = s->kind & TO_ARRAY, from = s->kind & FROM_ARRAY, error = CUDA_SUCCESS;
    s->kind &= KIND;
    if (to) error = array_side(call, &s->dst, &s->dst_pitch, &s->dst_slice, &s->dst_array);
    if (from && !error)
        error = array_side(call, &s->src, &s->src_pitch, &s->src_slice, &s->src_array);
    if (error || s->height || !(to || from)) return error;
    return in_reading_order(call, s);
}

/* A synchronous copy of a box as it travels (see above); depth 0 copies nothing. Serves the
 * synchronous copies of arrays, too (calls_array.c). */
int do_cudaMemcpy3D(struct call *call, uint64_t dst, uint64_t dpitch, uint64_t dslice, uint64_t src,
                    uint64_t spitch, uint64_t sslice, uint64_t width, uint64_t height,
                    uint64_t depth, uint64_t kind) {
    struct copy_shape s = {dst,   dpitch, dslice, src,       spitch, sslice,
                           width, height, depth,  (int)kind, NULL,   NULL};
    int error = box_of(call, &s);
    return error ? error : depth ? copy_now(call, &s) : CUDA_SUCCESS;
}

/* The copy of do_cudaMemcpy3D() on a stream. */
int do_cudaMemcpy3DAsync(struct call *call, uint64_t dst, uint64_t dpitch, uint64_t dslice,
                         uint64_t src, uint64_t spitch, uint64_t sslice, uint64_t width,
                         uint64_t height, uint64_t depth, uint64_t kind, uint64_t stream) {
    struct copy_shape s = {dst,   dpitch, dslice, src,       spitch, sslice,
                           width, height, depth,  (int)kind, NULL,   NULL};
    int error = box_of(call, &s);
    return error ? error : depth ? copy_async(call, stream, &s) : CUDA_SUCCESS;
}

/* ---- between devices: the address determines the device; the device numbers are only checked */

/* @return InvalidDevice: one of the two device numbers does not exist. */
static int check_devices(const struct call *call, uint64_t a, uint64_t b) {
    unsigned n = call_devices(call);
    return a < n && b < n ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidDevice;
}

/* Waits for all work of both devices, as CUDA orders these copies behind it. @return InvalidDevice,
 * or the error of a wait. */
static int after_both(struct call *call, uint64_t dst_device, uint64_t src_device) {
    int error = check_devices(call, dst_device, src_device);
    if (call->thread->issued.any) return error; /* the copy is issued, and the call was suspended */
    call->repeatable = true;                    /* until the copy is issued */
    if (!error) error = wait_device(call, call_gpu_of(call, (unsigned)dst_device));
    if (!error) error = wait_device(call, call_gpu_of(call, (unsigned)src_device));
    call->repeatable = false;
    return error;
}

/* Waits for both devices (after_both()), then issues the copy on the legacy stream of the current
 * device. */
int do_cudaMemcpyPeer(struct call *call, uint64_t dst, uint64_t dst_device, uint64_t src,
                      uint64_t src_device, uint64_t bytes) {
    struct copy_shape s = line(dst, src, bytes, DEVICE_TO_DEVICE);
    int error = after_both(call, dst_device, src_device);
    return error ? error : copy_now(call, &s);
}

/* Checks the devices and issues the copy on the stream; waits for neither device. */
int do_cudaMemcpyPeerAsync(struct call *call, uint64_t dst, uint64_t dst_device, uint64_t src,
                           uint64_t src_device, uint64_t bytes, uint64_t stream) {
    struct copy_shape s = line(dst, src, bytes, DEVICE_TO_DEVICE);
    int error = check_devices(call, dst_device, src_device);
    return error ? error : copy_async(call, stream, &s);
}

/* Waits for both devices (after_both()), then copies the box. devices: destination | source <<
 * 32. */
int do_cudaMemcpy3DPeer(struct call *call, uint64_t dst, uint64_t dpitch, uint64_t dslice,
                        uint64_t src, uint64_t spitch, uint64_t sslice, uint64_t width,
                        uint64_t height, uint64_t depth, uint64_t devices) {
    int error = after_both(call, (uint32_t)devices, devices >> 32);
    return error ? error
                 : do_cudaMemcpy3D(call, dst, dpitch, dslice, src, spitch, sslice, width, height,
                                   depth, DEVICE_TO_DEVICE);
}

/* Checks the devices and issues the copy of the box on the stream. devices: destination | source <<
 * 32. */
int do_cudaMemcpy3DPeerAsync(struct call *call, uint64_t dst, uint64_t dpitch, uint64_t dslice,
                             uint64_t src, uint64_t spitch, uint64_t sslice, uint64_t width,
                             uint64_t height, uint64_t depth, uint64_t devices, uint64_t stream) {
    int error = check_devices(call, (uint32_t)devices, devices >> 32);
    return error ? error
                 : do_cudaMemcpy3DAsync(call, dst, dpitch, dslice, src, spitch, sslice, width,
                                        height, depth, DEVICE_TO_DEVICE, stream);
}

/* ---- variables of device code */

/* Copies between a variable, from byte `offset` on, and the address `other`. Loads the module of
 * the variable on the current device, which may compile it and report errors on standard error.
 * stream NULL: the synchronous form (copy_now()). @return InvalidSymbol, the module's error, or
 * that of the copy. */
static int copy_symbol(struct call *call, bool to_symbol, uint64_t symbol, uint64_t other,
                       uint64_t bytes, uint64_t offset, uint64_t kind, const uint64_t *stream) {
    uint64_t address;
    int error = symbol_locate(call, symbol, offset, bytes, &address);
    if (error) return error;
    struct copy_shape s = to_symbol ? line(address, other, bytes, kind)
                                    : line(other, address, bytes, kind);
    return stream ? copy_async(call, *stream, &s) : copy_now(call, &s);
}

int do_cudaMemcpyToSymbol(struct call *call, uint64_t symbol, uint64_t src, uint64_t bytes,
                          uint64_t offset, uint64_t kind) {
    return copy_symbol(call, true, symbol, src, bytes, offset, kind, NULL);
}

int do_cudaMemcpyToSymbolAsync(struct call *call, uint64_t symbol, uint64_t src, uint64_t bytes,
                               uint64_t offset, uint64_t kind, uint64_t stream) {
    return copy_symbol(call, true, symbol, src, bytes, offset, kind, &stream);
}

int do_cudaMemcpyFromSymbol(struct call *call, uint64_t dst, uint64_t symbol, uint64_t bytes,
                            uint64_t offset, uint64_t kind) {
    return copy_symbol(call, false, symbol, dst, bytes, offset, kind, NULL);
}

int do_cudaMemcpyFromSymbolAsync(struct call *call, uint64_t dst, uint64_t symbol, uint64_t bytes,
                                 uint64_t offset, uint64_t kind, uint64_t stream) {
    return copy_symbol(call, false, symbol, dst, bytes, offset, kind, &stream);
}

/* Loads the module of the variable, as copy_symbol() does. *address: on the current device. @return
 * InvalidSymbol or the module's error. */
int do_cudaGetSymbolAddress(struct call *call, uint64_t symbol, uint64_t *address) {
    uint64_t bytes;
    return symbol_resolve(call, symbol, address, &bytes);
}

/* Loads the module of the variable, as copy_symbol() does. *bytes: its size. @return InvalidSymbol
 * or the module's error. */
int do_cudaGetSymbolSize(struct call *call, uint64_t symbol, uint64_t *bytes) {
    uint64_t address;
    return symbol_resolve(call, symbol, &address, bytes);
}

/* ---- fills */

/* Checks a fill and issues it, or adds it to the graph into which the stream is captured; an empty
 * fill is only checked. Does not wait. */
int fill_in_stream(struct call *call, uint64_t stream, const struct fill_shape *s) {
    struct stream_ref ref;
    int error = capture_find_op_stream(call, stream, &ref);
    if (!error) error = fill_check(call, s);
    if (error || s->width == 0 || s->height == 0 || s->depth == 0) return error;
    if (!ref.capture) return fill_issue(call, &ref, s, NULL);
    struct node_work work = {.kind = NODE_FILL, .fill = *s};
    return capture_add(call, &ref, &work);
}

/* A fill of a box with the lowest byte of `value`. */
static struct fill_shape box(uint64_t dst, uint64_t pitch, uint64_t slice, uint64_t value,
                             uint64_t width, uint64_t height, uint64_t depth) {
    return (struct fill_shape){dst, pitch, slice, width, height, depth, (uint8_t)value, 1};
}

/* Fills `bytes` bytes with the lowest byte of `value`, on the stream. */
int do_cudaMemsetAsync(struct call *call, uint64_t pointer, uint64_t value, uint64_t bytes,
                       uint64_t stream) {
    struct fill_shape s = box(pointer, 0, 0, value, bytes, 1, 1);
    return fill_in_stream(call, stream, &s);
}

int do_cudaMemset(struct call *call, uint64_t pointer, uint64_t value, uint64_t bytes) {
    return do_cudaMemsetAsync(call, pointer, value, bytes, LEGACY_STREAM);
}

/* Rows of `width` bytes; InvalidValue if rows overlap. */
int do_cudaMemset2DAsync(struct call *call, uint64_t pointer, uint64_t pitch, uint64_t value,
                         uint64_t width, uint64_t height, uint64_t stream) {
    if (height > 1 && width > pitch) return CUDA_ERROR_INVALID_VALUE;
    struct fill_shape s = box(pointer, pitch, 0, value, width, height, 1);
    return fill_in_stream(call, stream, &s);
}

int do_cudaMemset2D(struct call *call, uint64_t pointer, uint64_t pitch, uint64_t value,
                    uint64_t width, uint64_t height) {
    return do_cudaMemset2DAsync(call, pointer, pitch, value, width, height, LEGACY_STREAM);
}

/* Layers, `slice` bytes apart, of rows of `width` bytes; InvalidValue if rows overlap. */
int do_cudaMemset3DAsync(struct call *call, uint64_t pointer, uint64_t pitch, uint64_t slice,
                         uint64_t value, uint64_t width, uint64_t height, uint64_t depth,
                         uint64_t stream) {
    if (height > 1 && width > pitch) return CUDA_ERROR_INVALID_VALUE;
    struct fill_shape s = box(pointer, pitch, slice, value, width, height, depth);
    return fill_in_stream(call, stream, &s);
}

int do_cudaMemset3D(struct call *call, uint64_t pointer, uint64_t pitch, uint64_t slice,
                    uint64_t value, uint64_t width, uint64_t height, uint64_t depth) {
    return do_cudaMemset3DAsync(call, pointer, pitch, slice, value, width, height, depth,
                                LEGACY_STREAM);
}
