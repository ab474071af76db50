/* copy.h - copies and fills as stream operations.
 *
 * The bytes move when the operation takes effect in target time, possibly long after the call.
 * Pageable memory can only be reached during the program's calls, so a copy from there either waits
 * or reads a buffer that the call filled. */
#ifndef HEDDLE_CUDA_OBJECT_COPY_H
#define HEDDLE_CUDA_OBJECT_COPY_H

#include "cuda/object/stream.h"

struct array;

/* A copy of a box of bytes. With one row pitches do not matter, with one layer slices do not. */
struct copy_shape {
    uint64_t dst, dst_pitch, dst_slice; /* address, bytes from row to row, from layer to layer */
    uint64_t src, src_pitch, src_slice;
    uint64_t width, height, depth; /* bytes of a row, rows, layers (0 counts as 1) */
    int kind;                      /* cudaMemcpyKind */
    /* A side that is a CUDA array: its `dst` or `src` is the first byte within a row, its pitch the
     * first row, its slice the first layer. NULL: memory. */
    const struct array *dst_array, *src_array;
};

/* A fill of a box with the first `element` bytes (1, 2 or 4) of `value`, repeated. */
struct fill_shape {
    uint64_t dst, pitch, slice;
    uint64_t width, height, depth; /* width in bytes, a multiple of `element` */
    uint32_t value, element;
};

/* Issues a copy on a stream. Pageable sides go through the call's payload. `waits`: the synchronous
 * form; it does not wait for a copy within device memory. A copy that waits, as every copy to
 * pageable memory does, drives the simulation and moves the thread's clock. @return cudaError_t. */
int copy_issue(struct call *call, const struct stream_ref *ref, const struct copy_shape *shape,
               bool waits);
/* The call of the thread has ended: a copy that it has waited for, and that is still to come, does
 * not use it. */
void copy_let_go(struct host_thread *t);
/* Issues a copy of a graph. Pageable sides are reached by address, so the program must still be in
 * this call when the copy takes effect. Does not wait. *ticket: the operation. @return
 * cudaError_t. */
int copy_issue_by_address(struct call *call, const struct stream_ref *ref,
                          const struct copy_shape *shape, gpu_ticket *ticket);
/* True when a side of the copy is pageable memory. */
bool copy_is_pageable(const struct call *call, const struct copy_shape *shape);
/* Checks addresses and direction, and issues nothing. @return cudaError_t. */
int copy_check(struct call *call, const struct copy_shape *shape);
/* Checks a fill of device, pinned or managed memory and issues it on a stream. Does not wait.
 * *ticket may be NULL. @return cudaError_t. */
int fill_issue(struct call *call, const struct stream_ref *ref, const struct fill_shape *shape,
               gpu_ticket *ticket);
/* Checks addresses and sizes. @return cudaError_t. */
int fill_check(struct call *call, const struct fill_shape *shape);

#endif
