/* copy.c - see copy.h */
#include "cuda/copy.h"

#include <stdlib.h>
#include <string.h>

enum { HOST_TO_HOST, HOST_TO_DEVICE, DEVICE_TO_HOST, DEVICE_TO_DEVICE, DEFAULT_KIND };

/* An operation on its way. Freed when performed. */
struct op {
    struct op *next, *previous;
    struct server *server;
    struct call *call; /* pageable memory is reached through it; NULL: not (any more) */
    struct copy_shape shape;
    bool from_program, to_program, fill;
    uint8_t value;
    uint8_t *buffer;  /* copy of the source, or NULL */
    bool *failed;     /* the caller's, while it waits: the program died */
    struct op **self; /* the caller's pointer, cleared when performed */
};

static uint8_t *at(uint64_t base, uint64_t pitch, uint64_t width, uint64_t offset) {
    return (uint8_t *)(uintptr_t)(base + offset / width * pitch + offset % width);
}

/* Moves the whole shape in pieces that are one row at most and fit the staging memory. */
static bool move(struct op *op) {
    const struct copy_shape *s = &op->shape;
    uint64_t total = s->width * s->height;
    for (uint64_t offset = 0; offset < total;) {
        uint64_t row_left = s->width - offset % s->width;
        bool staged = op->from_program || op->to_program;
        uint64_t n = staged && row_left > WIRE_STAGING_BYTES ? WIRE_STAGING_BYTES : row_left;
        const uint8_t *from;
        if (op->from_program)
            from = call_pull(op->call, offset, (uint32_t)n);
        else
            from = op->buffer ? op->buffer + offset : at(s->src, s->src_pitch, s->width, offset);
        if (!from) return false;
        if (op->to_program) {
            if (!call_push(op->call, offset, from, (uint32_t)n)) return false;
        } else {
            memmove(at(s->dst, s->dst_pitch, s->width, offset), from, n);
        }
        offset += n;
    }
    return true;
}

/* Rows that fit the staging memory together travel together. */
static bool move_packed(struct op *op) {
    const struct copy_shape *s = &op->shape;
    uint64_t total = s->width * s->height;
    if (s->height == 1 || total > WIRE_STAGING_BYTES || op->from_program == op->to_program)
        return move(op);
    if (op->from_program) {
        const uint8_t *from = call_pull(op->call, 0, (uint32_t)total);
        if (!from) return false;
        for (uint64_t row = 0; row < s->height; row++)
            memcpy(at(s->dst + row * s->dst_pitch, 0, s->width, 0), from + row * s->width,
                   s->width);
        return true;
    }
    uint8_t *packed = malloc(total);
    if (!packed) return false;
    for (uint64_t row = 0; row < s->height; row++)
        memcpy(packed + row * s->width, at(s->src + row * s->src_pitch, 0, s->width, 0), s->width);
    bool good = call_push(op->call, 0, packed, (uint32_t)total);
    free(packed);
    return good;
}

static void unlink_and_free(struct op *op) {
    if (op->next) op->next->previous = op->previous;
    *(op->previous ? &op->previous->next : &op->server->ops) = op->next;
    free(op->buffer);
    free(op);
}

uint64_t copy_pending(const struct server *s) {
    uint64_t n = 0;
    for (const struct op *op = s->ops; op; op = op->next) n++;
    return n;
}

void copy_drop_all(struct server *s) {
    while (s->ops) unlink_and_free(s->ops);
}

static void perform(void *user) {
    struct op *op = user;
    bool through_program = op->from_program || op->to_program;
    bool good = true;
    if (op->fill)
        memset((void *)(uintptr_t)op->shape.dst, op->value, op->shape.width);
    else if (!through_program || op->call) /* else: its call was given up after a fault */
        good = move_packed(op);
    if (op->failed) *op->failed = !good;
    if (op->self) *op->self = NULL;
    unlink_and_free(op);
}

/* True when the program offered its memory for this side (see shim_copy.c). */
static bool shared_range(const struct call *call, uint64_t address, uint64_t pitch, uint64_t width,
                         uint64_t height) {
    return space_find(call->server->o.space, address, (height - 1) * pitch + width) != NULL;
}

/* Decides where both sides are. @return cudaError_t. */
static int classify(struct call *call, struct op *op, gpu_copy_kind *kind) {
    const struct space *space = call->server->o.space;
    const struct copy_shape *s = &op->shape;
    space_region dst = space_where(space, s->dst), src = space_where(space, s->src);
    if (s->kind < HOST_TO_HOST || s->kind > DEFAULT_KIND)
        return HEDDLE_cudaErrorInvalidMemcpyDirection;
    bool to_device = s->kind == HOST_TO_DEVICE || s->kind == DEVICE_TO_DEVICE;
    bool from_device = s->kind == DEVICE_TO_HOST || s->kind == DEVICE_TO_DEVICE;
    if (s->kind != DEFAULT_KIND) {
        /* Pinned memory is reached from both sides; device memory is not the host's, and the
         * program's own memory not the device's. */
        if (to_device ? dst == SPACE_HOST : dst == SPACE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
        if (from_device ? src == SPACE_HOST : src == SPACE_DEVICE) return CUDA_ERROR_INVALID_VALUE;
    }
    if (dst != SPACE_HOST && !shared_range(call, s->dst, s->dst_pitch, s->width, s->height))
        return CUDA_ERROR_INVALID_VALUE;
    if (src != SPACE_HOST && !shared_range(call, s->src, s->src_pitch, s->width, s->height))
        return CUDA_ERROR_INVALID_VALUE;
    op->to_program = dst == SPACE_HOST;
    op->from_program = src == SPACE_HOST;
    to_device = dst == SPACE_DEVICE || (dst == SPACE_PINNED && s->kind == DEVICE_TO_DEVICE);
    from_device = src == SPACE_DEVICE || (src == SPACE_PINNED && s->kind == DEVICE_TO_DEVICE);
    *kind = to_device     ? from_device ? GPU_COPY_DEVICE_TO_DEVICE : GPU_COPY_HOST_TO_DEVICE
            : from_device ? GPU_COPY_DEVICE_TO_HOST
                          : GPU_COPY_HOST_TO_HOST;
    return CUDA_SUCCESS;
}

/* Puts the operation on the stream; on failure it is freed. */
static int issue(struct call *call, uint64_t handle, struct op *op, gpu_copy_kind kind,
                 gpu_ticket *ticket) {
    uint32_t stream;
    find_stream(call->program, handle, &stream);
    struct gpu_copy copy = {
        .kind = kind,
        .device_address = kind == GPU_COPY_DEVICE_TO_HOST ? op->shape.src : op->shape.dst,
        .bytes = op->shape.width * op->shape.height,
        .perform = perform,
        .user = op,
    };
    op->next = call->server->ops;
    if (op->next) op->next->previous = op;
    call->server->ops = op;
    heddle_err e = gpu_copy(call->server->o.gpu, stream, &copy, call->thread->now_ps, ticket);
    if (!e) {
        stream_issued(call->program, handle, *ticket);
        return CUDA_SUCCESS;
    }
    unlink_and_free(op);
    return error_of(e);
}

int copy_issue(struct call *call, uint64_t handle, const struct copy_shape *shape, bool waits) {
    uint32_t stream;
    if (!find_stream(call->program, handle, &stream)) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (shape->width == 0 || shape->height == 0) return CUDA_SUCCESS;
    if (shape->width > UINT64_MAX / shape->height) return CUDA_ERROR_INVALID_VALUE;
    struct op *op = calloc(1, sizeof *op);
    if (!op) return HEDDLE_cudaErrorMemoryAllocation;
    op->server = call->server;
    op->shape = *shape;
    gpu_copy_kind kind = GPU_COPY_HOST_TO_HOST;
    int error = classify(call, op, &kind);
    if (error) {
        free(op);
        return error;
    }
    if (kind == GPU_COPY_DEVICE_TO_DEVICE) waits = false; /* CUDA: the host does not wait */
    if (op->to_program) waits = true;                     /* CUDA: returns once it is there */
    if (op->from_program && !waits) {
        op->buffer = call_take_payload(call);
        if (!op->buffer) {
            free(op);
            return call->thread->dead ? HEDDLE_cudaErrorUnknown : HEDDLE_cudaErrorMemoryAllocation;
        }
        op->from_program = false;
    }
    bool failed = false;
    struct op *waiting = op;
    if (waits) {
        op->call = call;
        op->failed = &failed;
        op->self = &waiting;
    }
    gpu_ticket ticket = 0;
    error = issue(call, handle, op, kind, &ticket);
    if (error || !waits) return error;
    error = wait_ticket(call, ticket);
    if (waiting) { /* an earlier fault of the stream: never performed, or later without us */
        waiting->call = NULL;
        waiting->failed = NULL;
        waiting->self = NULL;
    }
    return error ? error : failed ? HEDDLE_cudaErrorUnknown : CUDA_SUCCESS;
}

int copy_fill(struct call *call, uint64_t handle, uint64_t address, uint8_t value, uint64_t bytes) {
    uint32_t stream;
    if (!find_stream(call->program, handle, &stream)) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (bytes == 0) return CUDA_SUCCESS;
    if (!space_find(call->server->o.space, address, bytes)) return CUDA_ERROR_INVALID_VALUE;
    struct op *op = calloc(1, sizeof *op);
    if (!op) return HEDDLE_cudaErrorMemoryAllocation;
    op->server = call->server;
    op->fill = true;
    op->value = value;
    op->shape = (struct copy_shape){.dst = address, .width = bytes, .height = 1};
    gpu_ticket ticket;
    return issue(call, handle, op, GPU_MEMSET, &ticket);
}
