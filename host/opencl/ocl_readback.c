/* ocl_readback.c - copies from the device to the program's memory.
 *
 * CUDA's copy into pageable memory returns when the bytes are there. A command that does not block
 * may wait for a user event that the program sets later, on this thread: then the copy goes to
 * pinned memory, and a function that the stream calls on the host hands the bytes on. */
#include <stdlib.h>
#include <string.h>

#include "opencl/opencl.h"

/* A copy under way; in the context's list until its memory is freed. */
struct ocl_readback {
    unsigned char *pinned, *to; /* rows of `width` bytes; the program's memory */
    size_t width, height, depth, row, slice;
    atomic_bool done;
    struct ocl_readback *next;
};

/* Called in the stream's order, on a thread of the CUDA driver library. */
static void hand_on(void *user) {
    struct ocl_readback *r = user;
    const unsigned char *from = r->pinned;
    for (size_t z = 0; z < r->depth; z++)
        for (size_t y = 0; y < r->height; y++, from += r->width)
            memcpy(r->to + z * r->slice + y * r->row, from, r->width);
    atomic_store(&r->done, true);
}

void ocl_readback_free(cl_context context, bool all) {
    pthread_mutex_lock(&context->lock);
    for (struct ocl_readback **link = &context->readbacks; *link;) {
        struct ocl_readback *r = *link;
        if (!all && !atomic_load(&r->done)) {
            link = &r->next;
            continue;
        }
        *link = r->next;
        cuMemFreeHost(r->pinned);
        free(r);
    }
    pthread_mutex_unlock(&context->lock);
}

/* The copy by way of pinned memory. */
static int copy_later(cl_command_queue q, const struct cu_copy3d *copy) {
    cl_context context = q->context;
    struct ocl_readback *r = calloc(1, sizeof *r);
    if (!r) return CU_OUT_OF_MEMORY;
    r->width = copy->width;
    r->height = copy->height;
    r->depth = copy->depth;
    r->row = copy->dst_pitch;
    r->slice = copy->dst_pitch * copy->dst_height;
    r->to = (unsigned char *)copy->dst_host + copy->dst_z * r->slice + copy->dst_y * r->row +
            copy->dst_x;
    void *pinned = NULL;
    int result = cuMemHostAlloc(&pinned, r->width * r->height * r->depth, 0);
    if (result) {
        free(r);
        return result;
    }
    r->pinned = pinned;
    struct cu_copy3d first = *copy;
    first.dst_host = pinned;
    first.dst_x = first.dst_y = first.dst_z = 0;
    first.dst_pitch = r->width;
    first.dst_height = r->height;
    result = cuMemcpy3DAsync_v2(&first, q->stream);
    if (!result) result = cuLaunchHostFunc(q->stream, hand_on, r);
    if (result) atomic_store(&r->done, true); /* nobody hands it on */
    pthread_mutex_lock(&context->lock);
    r->next = context->readbacks;
    context->readbacks = r;
    pthread_mutex_unlock(&context->lock);
    return result;
}

int ocl_readback(cl_command_queue q, const struct cu_copy3d *copy, bool blocking) {
    if (!blocking && atomic_load(&q->context->open_events)) return copy_later(q, copy);
    return cuMemcpy3DAsync_v2(copy, q->stream);
}

int ocl_readback_bytes(cl_command_queue q, void *to, uint64_t from, size_t size, bool blocking) {
    if (blocking || !atomic_load(&q->context->open_events))
        return cuMemcpyDtoHAsync_v2(to, from, size, q->stream);
    const struct cu_copy3d copy = {.src_type = CU_MEMORY_DEVICE,
                                   .src_device = from,
                                   .src_pitch = size,
                                   .src_height = 1,
                                   .dst_type = CU_MEMORY_HOST,
                                   .dst_host = to,
                                   .dst_pitch = size,
                                   .dst_height = 1,
                                   .width = size,
                                   .height = 1,
                                   .depth = 1};
    return copy_later(q, &copy);
}
