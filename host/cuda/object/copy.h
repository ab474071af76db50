/* copy.h - copies and fills as operations of a stream.
 *
 * The bytes move when the operation takes effect in target time, which may be long after the call.
 * A program's own (pageable) memory can only be reached during its calls, so a copy from there is
 * either waited for or reads a buffer that was filled at once. */
#ifndef HEDDLE_CUDA_OBJECT_COPY_H
#define HEDDLE_CUDA_OBJECT_COPY_H

#include "cuda/object/stream.h"

struct array;

/* A box of bytes. One row: pitches do not matter; one layer: slices do not. */
struct copy_shape {
    uint64_t dst, dst_pitch, dst_slice; /* address, bytes from row to row, from layer to layer */
    uint64_t src, src_pitch, src_slice;
    uint64_t width, height, depth; /* bytes of a row, rows, layers (0 counts as 1) */
    int kind;                      /* cudaMemcpyKind */
    /* A side that is a CUDA array: its address is a byte of a row, its pitch the first row, its
     * slice the first layer. NULL: memory. */
    const struct array *dst_array, *src_array;
};

/* `element` bytes (1, 2 or 4) of `value`, again and again. */
struct fill_shape {
    uint64_t dst, pitch, slice;
    uint64_t width, height, depth; /* width in bytes, a multiple of `element` */
    uint32_t value, element;
};

/* Carries out a copy on a stream. `waits`: the synchronous form. @return cudaError_t. */
int copy_issue(struct call *call, const struct stream_ref *ref, const struct copy_shape *shape,
               bool waits);
/* The same for a copy whose program side is reached by address, not through the call's payload
 * (graphs): it must end within the call that serves it. *ticket: the operation. */
int copy_issue_by_address(struct call *call, const struct stream_ref *ref,
                          const struct copy_shape *shape, gpu_ticket *ticket);
/* True when a side of the copy is the program's own memory. */
bool copy_is_pageable(const struct call *call, const struct copy_shape *shape);
/* Checks addresses and direction. @return cudaError_t. */
int copy_check(struct call *call, const struct copy_shape *shape);
/* Fills device, pinned or managed memory. *ticket may be NULL. */
int fill_issue(struct call *call, const struct stream_ref *ref, const struct fill_shape *shape,
               gpu_ticket *ticket);
int fill_check(struct call *call, const struct fill_shape *shape);

#endif
