/* copy.c - copies and fills: checks, the operations, and moving the bytes; see copy.h.
 *
 * Runs in the server. Handlers check and issue on the server's thread. act_copy() and act_fill()
 * move the bytes on the simulation's thread that performs the operation (stream_op.c); the server's
 * thread is in a wait then, so they alone use the call, the staging memory and the caller's
 * variables. Device, pinned and managed memory lie in this process at the program's addresses. Only
 * pageable memory needs messages to the program (payload.h); a program that does not answer has its
 * thread marked dead. Sizes and offsets are bytes. Functions that return int return a cudaError_t,
 * named here without the prefix "cudaError". */
#include "cuda/object/copy.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/object/array.h"
#include "cuda/object/ipc.h"
#include "cuda/base/diagnostics.h"
#include "cuda/base/payload.h"
#include "cuda/object/stream_op.h"
#include "cuda/object/wait.h"

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT_KIND };

/* A copy that is issued and not yet performed. from_program, to_program: that side is pageable
 * memory; by_address: it is reached by address, not through the call's payload. */
struct copy {
    struct stream_op head;
    struct call *call; /* the waiting call, which reaches pageable memory; NULL: none (any more) */
    struct copy_shape shape;
    bool from_program, to_program, by_address;
    uint8_t *buffer;        /* the payload, taken when the copy was issued, or NULL; owned */
    struct issued *waiting; /* of the thread that waits for it; NULL: nobody (any more) */
};

/* A fill that is issued and not yet performed. */
struct fill {
    struct stream_op head;
    struct fill_shape shape;
};

/* Address of byte `offset` of the box's bytes, counted without gaps, on the side with this base,
 * pitch and slice. Reads nothing. */
static uint8_t *at(uint64_t base, uint64_t pitch, uint64_t slice, const struct copy_shape *s,
                   uint64_t offset) {
    uint64_t row = offset / s->width;
    return (uint8_t *)(uintptr_t)(base + row / s->height * slice + row % s->height * pitch +
                                  offset % s->width);
}

/* Bytes of the whole box. */
static uint64_t volume(const struct copy_shape *s) {
    return s->width * s->height * s->depth;
}

/* ---- moving bytes */

/* Copies n bytes of one row of the source, an array or memory in the server's address space, into a
 * buffer. `offset`: byte of the box, counted without gaps. Sends nothing. */
static void read_row(const struct copy_shape *s, uint64_t offset, uint8_t *to, uint64_t n) {
    uint64_t row = offset / s->width;
    if (s->src_array)
        array_read(s->src_array, s->src + offset % s->width, s->src_pitch + row % s->height,
                   s->src_slice + row / s->height, to, n);
    else
        memmove(to, at(s->src, s->src_pitch, s->src_slice, s, offset), n);
}

/* Copies n bytes from a buffer into one row of the destination, an array or memory in the server's
 * address space. `offset` as for read_row(). Sends nothing. */
static void write_row(const struct copy_shape *s, uint64_t offset, const uint8_t *from,
                      uint64_t n) {
    uint64_t row = offset / s->width;
    if (s->dst_array)
        array_write(s->dst_array, s->dst + offset % s->width, s->dst_pitch + row % s->height,
                    s->dst_slice + row / s->height, from, n);
    else
        memmove(at(s->dst, s->dst_pitch, s->dst_slice, s, offset), from, n);
}

/* Tells the check of unwritten memory that the box has been written. */
static void note_written(const struct server *server, const struct copy_shape *s) {
    for (uint64_t o = 0, total = volume(s); !s->dst_array && o < total; o += s->width)
        address_space_note_write(server->o.space,
                                 (uintptr_t)at(s->dst, s->dst_pitch, s->dst_slice, s, o), s->width);
}

/* Reads n bytes of the source, all of one row. An array's come into `room`, a piece of memory.
 * Pageable memory comes through the call's payload (call_pull()) or, by address, from the program
 * into `room`; both exchange messages with the program. Other memory, and the buffer, is read in
 * place. @return where the bytes are; NULL: the program does not answer. */
static const uint8_t *fetch(struct copy *c, uint64_t offset, uint32_t n, uint8_t *room) {
    const struct copy_shape *s = &c->shape;
    if (s->src_array) {
        read_row(s, offset, room, n);
        return room;
    }
    if (!c->from_program)
        return c->buffer ? c->buffer + offset : at(s->src, s->src_pitch, s->src_slice, s, offset);
    if (!c->by_address) return call_pull(c->call, offset, n);
    uint64_t from = (uintptr_t)at(s->src, s->src_pitch, s->src_slice, s, offset);
    return program_read(c->head.server, c->head.program, from, room, n) ? room : NULL;
}

/* Writes n bytes, all of one row, to the destination. For pageable memory this sends them to the
 * program, through the staging memory, and waits until it has them; a checkpoint logs them, and a
 * resumed run replaces them (payload.c). @return false: the program does not answer or, by address,
 * no call of it is being served. */
static bool store(struct copy *c, uint64_t offset, const uint8_t *from, uint32_t n) {
    const struct copy_shape *s = &c->shape;
    if (!c->to_program) {
        write_row(s, offset, from, n);
        return true;
    }
    uint8_t *to = at(s->dst, s->dst_pitch, s->dst_slice, s, offset);
    if (!c->by_address) return call_push(c->call, offset, from, n);
    return program_write(c->head.server, c->head.program, (uintptr_t)to, from, n);
}

/* Moves the whole shape, row by row; a row that travels by messages, or comes from an array, goes
 * in pieces that fit the staging memory. Allocates a piece of memory meanwhile if need be. @return
 * false: the program does not answer; a part may have been moved. */
static bool move(struct copy *c) {
    enum { PIECE = WIRE_STAGING_BYTES };
    const struct copy_shape *s = &c->shape;
    bool pieces = c->from_program || c->to_program || s->src_array;
    bool buffered = (c->from_program && c->by_address) || s->src_array;
    uint8_t *room = buffered ? heddle_alloc_aligned(64, PIECE, "a piece of a copy") : NULL;
    uint64_t total = volume(s);
    bool good = true;
    for (uint64_t offset = 0; offset < total && good;) {
        uint64_t n = s->width - offset % s->width;
        if ((pieces || n > UINT32_MAX) && n > PIECE) n = PIECE;
        const uint8_t *from = fetch(c, offset, (uint32_t)n, room);
        good = from && store(c, offset, from, (uint32_t)n);
        offset += n;
    }
    free(room);
    return good;
}

/* Moves the whole shape as move() does. A message carries as many rows as fit the staging memory,
 * to save a round trip for each row. @return false: the program does not answer; a part may have
 * been moved. */
static bool move_packed(struct copy *c) {
    const struct copy_shape *s = &c->shape;
    const uint64_t total = volume(s), w = s->width;
    if (!total || s->height * s->depth == 1 || w > WIRE_STAGING_BYTES / 2 || c->by_address ||
        c->from_program == c->to_program)
        return move(c);
    const uint64_t rows = WIRE_STAGING_BYTES / w * w, most = rows < total ? rows : total;
    uint8_t *room = c->to_program ? heddle_alloc_aligned(64, most, "rows of a copy") : NULL;
    bool good = true;
    for (uint64_t offset = 0; offset < total && good; offset += most) {
        const uint64_t n = total - offset < most ? total - offset : most;
        const uint8_t *from = room ? NULL : call_pull(c->call, offset, (uint32_t)n);
        for (uint64_t o = 0; from && o < n; o += w) write_row(s, offset + o, from + o, w);
        for (uint64_t o = 0; room && o < n; o += w) read_row(s, offset + o, room + o, w);
        good = room ? call_push(c->call, offset, room, (uint32_t)n) : from != NULL;
    }
    free(room);
    return good;
}

/* stream_op.act, on the simulation's thread when the copy takes effect: moves the bytes, and
 * tells the thread that waits in copy_issue(). Moves nothing if a fault
 * ended that wait and the copy needs its payload. Reports on standard error if a copy by address
 * could not reach the program. */
static void act_copy(struct stream_op *op) {
    struct copy *c = (struct copy *)op;
    bool through_call = (c->from_program || c->to_program) && !c->by_address;
    bool good = true;
    if (!through_call || c->call) good = move_packed(c); /* else a fault ended the wait */
    if (!c->to_program) note_written(op->server, &c->shape);
    if (c->waiting) {
        c->waiting->failed = !good;
        c->waiting->copy = NULL;
    }
    if (!good && c->by_address)
        server_error(op->server,
                     "%s: a copy to or from the program's memory at 0x%llx could not "
                     "be carried out: no thread of the program was in a CUDA call",
                     op->program->name,
                     (unsigned long long)(c->to_program ? c->shape.dst : c->shape.src));
}

/* stream_op.drop: frees the buffer. Called once, before the record is freed: after act_copy() on
 * its thread, or on the server's thread when the copy cannot be issued, its GPU is reset or the
 * server ends. */
static void drop_copy(struct stream_op *op) {
    free(((struct copy *)op)->buffer);
}

/* ---- checks */

/* True if the box lies in one allocation of any program, and its rows do not overlap: else it could
 * have more bytes than anybody can move. Depth and height are at least 1. The program chooses pitch
 * and slice, so a size that 64 bits do not hold is one that no allocation has. */
static bool fits(const struct call *call, uint64_t address, uint64_t pitch, uint64_t slice,
                 uint64_t width, uint64_t height, uint64_t depth) {
    uint64_t layers, rows, extent;
    if (__builtin_mul_overflow(depth - 1, slice, &layers) ||
        __builtin_mul_overflow(height - 1, pitch, &rows) || (height > 1 && pitch < width) ||
        (depth > 1 && (slice < width || slice - width < rows)) ||
        __builtin_add_overflow(layers, rows, &extent) ||
        __builtin_add_overflow(extent, width, &extent))
        return false;
    return ipc_reachable(call, address, extent) != NULL;
}

/* True if a box of the shape's size that begins at byte x of row y of layer z lies in the array. */
static bool inside(const struct array *a, uint64_t x, uint64_t y, uint64_t z,
                   const struct copy_shape *s) {
    const struct texture_level *v = &a->image.level[0];
    uint64_t row = array_row(a), layers = a->image.dims == 3 ? v->depth : a->image.layers;
    return x <= row && s->width <= row - x && y <= v->height && s->height <= v->height - y &&
           z <= layers && s->depth <= layers - z;
}

/* Finds the regions of both sides, checks their sizes against allocations and the direction, and
 * sets c->to_program, c->from_program and *kind, the kind for the copy's time. @return
 * cudaError_t. */
static int classify(struct call *call, struct copy *c, gpu_copy_kind *kind) {
    const struct address_space *space = call->server->o.space;
    const struct copy_shape *s = &c->shape;
    memory_region dst = s->dst_array ? program_region(call->program, s->dst_array->device)
                                     : address_space_region(space, s->dst),
                  src = s->src_array ? program_region(call->program, s->src_array->device)
                                     : address_space_region(space, s->src);
    if (s->kind < HOST_TO_HOST || s->kind > DEFAULT_KIND)
        return HEDDLE_cudaErrorInvalidMemcpyDirection;
    bool to_device = s->kind == HOST_TO_DEVICE || s->kind == DEVICE_TO_DEVICE;
    bool from_device = s->kind == DEVICE_TO_HOST || s->kind == DEVICE_TO_DEVICE;
    if (s->kind != DEFAULT_KIND) {
        /* Host and device both reach pinned and managed memory. The host does not reach device
         * memory, nor the device pageable memory. */
        if (to_device ? dst == REGION_HOST : region_is_device(dst)) return CUDA_ERROR_INVALID_VALUE;
        if (from_device ? src == REGION_HOST : region_is_device(src))
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (s->dst_array && !inside(s->dst_array, s->dst, s->dst_pitch, s->dst_slice, s))
        return CUDA_ERROR_INVALID_VALUE;
    if (s->src_array && !inside(s->src_array, s->src, s->src_pitch, s->src_slice, s))
        return CUDA_ERROR_INVALID_VALUE;
    if (dst != REGION_HOST && !s->dst_array &&
        !fits(call, s->dst, s->dst_pitch, s->dst_slice, s->width, s->height, s->depth))
        return CUDA_ERROR_INVALID_VALUE;
    if (src != REGION_HOST && !s->src_array &&
        !fits(call, s->src, s->src_pitch, s->src_slice, s->width, s->height, s->depth))
        return CUDA_ERROR_INVALID_VALUE;
    c->to_program = dst == REGION_HOST;
    c->from_program = src == REGION_HOST;
    to_device = region_is_device(dst) || dst == REGION_MANAGED ||
                (dst == REGION_PINNED && s->kind == DEVICE_TO_DEVICE);
    from_device = region_is_device(src) || src == REGION_MANAGED ||
                  (src == REGION_PINNED && s->kind == DEVICE_TO_DEVICE);
    *kind = to_device     ? from_device ? GPU_COPY_DEVICE_TO_DEVICE : GPU_COPY_HOST_TO_DEVICE
            : from_device ? GPU_COPY_DEVICE_TO_HOST
                          : GPU_COPY_HOST_TO_HOST;
    /* Copies between devices go over the CPU-GPU link: the model has no NVLink. */
    if (region_is_device(dst) && region_is_device(src) && dst != src)
        *kind = GPU_COPY_HOST_TO_DEVICE;
    return CUDA_SUCCESS;
}

/* Creates a checked copy, which is not issued yet and needs no buffer so far; the caller owns it.
 * Depth 0 becomes 1. *kind: what the GPU times. @return InvalidValue or InvalidMemcpyDirection;
 * *out NULL: error, or nothing to copy. */
static int make(struct call *call, const struct copy_shape *shape, struct copy **out,
                gpu_copy_kind *kind) {
    struct copy_shape s = *shape;
    *out = NULL;
    if (s.depth == 0) s.depth = 1;
    if (s.width == 0 || s.height == 0) return CUDA_SUCCESS;
    if (s.width > UINT32_MAX * 4096ull || s.height > UINT32_MAX || s.depth > UINT32_MAX ||
        s.width > (UINT64_MAX >> 8) / s.height / s.depth)
        return CUDA_ERROR_INVALID_VALUE;
    struct copy *c = heddle_alloc(sizeof *c, "a copy");
    c->shape = s;
    c->head.act = act_copy;
    c->head.drop = drop_copy;
    int error = classify(call, c, kind);
    if (error)
        free(c);
    else
        *out = c;
    return error;
}

/* True if a side of the copy is memory of the program that is neither device, pinned nor managed
 * memory. */
bool copy_is_pageable(const struct call *call, const struct copy_shape *s) {
    const struct address_space *space = call->server->o.space;
    return (!s->dst_array && address_space_region(space, s->dst) == REGION_HOST) ||
           (!s->src_array && address_space_region(space, s->src) == REGION_HOST);
}

/* Checks a copy as an issue of it would, and issues nothing. @return as make(). */
int copy_check(struct call *call, const struct copy_shape *shape) {
    struct copy *c;
    gpu_copy_kind kind;
    int error = make(call, shape, &c, &kind);
    free(c);
    return error;
}

/* ---- issue */

/* What decides the copy's time on the GPU: kind, an address and the bytes. For an array, its first
 * byte stands for the box. */
static struct gpu_copy cost_of(const struct copy *c, gpu_copy_kind kind) {
    const struct copy_shape *s = &c->shape;
    uint64_t dst = s->dst_array ? s->dst_array->image.level[0].base : s->dst,
             src = s->src_array ? s->src_array->image.level[0].base : s->src;
    return (struct gpu_copy){.kind = kind,
                             .device_address = kind == GPU_COPY_DEVICE_TO_HOST ? src : dst,
                             .source_address = src,
                             .bytes = volume(s)};
}

/* Waits for the copy that the call has issued, and moves the thread's clock to its end. @return the
 * error of the wait; Unknown: the program does not answer; CALL_SUSPENDED, if calls are served in
 * the order of target time: copy_issue() is then called again. */
static int wait_issued(struct call *call) {
    const struct issued *issued = &call->thread->issued;
    call->repeatable = call->server->in_order;
    int error = wait_ticket(call, issued->gpu, issued->ticket);
    if (error == CALL_SUSPENDED) return error;
    const bool failed = issued->failed;
    copy_let_go(call->thread);
    return error ? error : failed ? HEDDLE_cudaErrorUnknown : CUDA_SUCCESS;
}

/* Issues a copy as an operation of the stream, or nothing for an empty shape. It waits if `waits`
 * is set, except for a copy within device memory (GPU_COPY_DEVICE_TO_DEVICE), and always if it goes
 * to pageable memory; a copy from pageable memory that does not wait first takes the payload into a
 * buffer. A wait drives the simulation and moves the thread's clock; a fault in it becomes the
 * sticky error of the programs concerned (wait.c). @return the error of the check, the issue or the
 * wait; MemoryAllocation: no buffer; Unknown: the program does not answer. */
int copy_issue(struct call *call, const struct stream_ref *ref, const struct copy_shape *shape,
               bool waits) {
    gpu_copy_kind kind = GPU_COPY_HOST_TO_HOST;
    struct copy *c;
    struct issued *issued = &call->thread->issued;
    if (issued->any) return wait_issued(call); /* the call was suspended */
    int error = make(call, shape, &c, &kind);
    if (!c) return error;
    if (kind == GPU_COPY_DEVICE_TO_DEVICE) waits = false; /* CUDA: the host does not wait */
    if (c->to_program) waits = true; /* CUDA: returns when the bytes have arrived */
    if (c->from_program && !waits) {
        /* The payload is the packed box: the copy would read behind a shorter one. */
        const uint64_t bytes = volume(&c->shape);
        if (call->payload_bytes != bytes) {
            free(c);
            return CUDA_ERROR_INVALID_VALUE;
        }
        c->buffer = call_take_payload(call, bytes);
        if (!c->buffer) {
            free(c);
            return call->thread->dead ? HEDDLE_cudaErrorUnknown : HEDDLE_cudaErrorMemoryAllocation;
        }
        c->from_program = false; /* the buffer is packed, whatever the pitch of the source */
    }
    if (waits) {
        c->call = call;
        c->waiting = issued;
    }
    gpu_ticket ticket = 0;
    struct gpu_copy cost = cost_of(c, kind);
    error = stream_op_issue(call, ref, &c->head, &cost, &ticket);
    if (error || !waits) return error;
    *issued = (struct issued){.any = true, .gpu = ref->gpu, .ticket = ticket, .copy = c};
    return wait_issued(call);
}

void copy_let_go(struct host_thread *t) {
    if (t->issued.copy) { /* a fault ended the wait first */
        t->issued.copy->call = NULL;
        t->issued.copy->waiting = NULL;
    }
    t->issued = (struct issued){.any = false};
}

/* Called by graph_exec.c on the server's thread: issues a copy of a graph as an operation of the
 * stream, whose newest one it becomes (*ticket, *ref->last), or a marker if there is nothing to
 * copy. The record joins server.ops, which frees it (stream_op.c). Does not wait; the caller does,
 * inside the program's call, if copy_is_pageable(). @return the error of the check or the issue. */
int copy_issue_by_address(struct call *call, const struct stream_ref *ref,
                          const struct copy_shape *shape, gpu_ticket *ticket) {
    gpu_copy_kind kind = GPU_COPY_HOST_TO_HOST;
    struct copy *c;
    int error = make(call, shape, &c, &kind);
    if (!c) return error ? error : stream_mark(call, ref, ticket);
    c->by_address = true;
    struct gpu_copy cost = cost_of(c, kind);
    return stream_op_issue(call, ref, &c->head, &cost, ticket);
}

/* ---- fills */

/* stream_op.act, on the simulation's thread when the fill takes effect: writes the value into every
 * element of the box, which lies in this process. Sends nothing. */
static void act_fill(struct stream_op *op) {
    const struct fill_shape *s = &((struct fill *)op)->shape;
    for (uint64_t z = 0; z < s->depth; z++)
        for (uint64_t y = 0; y < s->height; y++) {
            uint8_t *row = (uint8_t *)(uintptr_t)(s->dst + z * s->slice + y * s->pitch);
            address_space_note_write(op->server->o.space, (uintptr_t)row, s->width);
            if (s->element == 1)
                memset(row, (int)s->value, s->width);
            else /* little-endian: the first bytes of the value */
                for (uint64_t x = 0; x < s->width; x += s->element)
                    memcpy(row + x, &s->value, s->element);
        }
}

/* Checks alignment, sizes and that the box lies in one allocation; issues nothing. An empty box is
 * correct. @return InvalidValue or CUDA_SUCCESS. */
int fill_check(struct call *call, const struct fill_shape *s) {
    bool good = (s->element == 1 || s->element == 2 || s->element == 4) &&
                s->width % s->element == 0 && s->dst % s->element == 0;
    if (!good || s->width > UINT64_MAX >> 20 || s->height > UINT32_MAX || s->depth > UINT32_MAX)
        return CUDA_ERROR_INVALID_VALUE;
    if (s->width == 0 || s->height == 0 || s->depth == 0) return CUDA_SUCCESS;
    return fits(call, s->dst, s->pitch, s->slice, s->width, s->height, s->depth)
               ? CUDA_SUCCESS
               : CUDA_ERROR_INVALID_VALUE;
}

/* Checks a fill (fill_check()) and issues it as an operation of the stream, also an empty one. Does
 * not wait. *ticket: the operation; ticket may be NULL. */
int fill_issue(struct call *call, const struct stream_ref *ref, const struct fill_shape *shape,
               gpu_ticket *ticket) {
    gpu_ticket none;
    if (!ticket) ticket = &none;
    int error = fill_check(call, shape);
    if (error) return error;
    struct fill *f = heddle_alloc(sizeof *f, "a fill");
    f->shape = *shape;
    f->head.act = act_fill;
    struct gpu_copy cost = {.kind = GPU_MEMSET,
                            .device_address = shape->dst,
                            .bytes = shape->width * shape->height * shape->depth};
    return stream_op_issue(call, ref, &f->head, &cost, ticket);
}
