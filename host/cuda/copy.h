/* copy.h - copies and fills as operations of a stream.
 *
 * The bytes move when the operation takes effect in target time, which may be long after the call.
 * A program's own (pageable) memory can only be reached during its call, so a copy from there is
 * either waited for or reads a buffer that was filled at once. */
#ifndef HEDDLE_CUDA_COPY_H
#define HEDDLE_CUDA_COPY_H

#include "cuda/call.h"

struct copy_shape {
    uint64_t dst, dst_pitch, src, src_pitch;
    uint64_t width, height; /* bytes of a row, rows; one row: pitches do not matter */
    int kind;               /* cudaMemcpyKind */
};

/* Copies and fills issued and not yet performed; drops them. */
uint64_t copy_pending(const struct server *s);
void copy_drop_all(struct server *s);

/* Carries out a copy on a stream (handle). `waits`: the synchronous form. @return cudaError_t. */
int copy_issue(struct call *call, uint64_t stream, const struct copy_shape *shape, bool waits);
/* Fills device or pinned memory. */
int copy_fill(struct call *call, uint64_t stream, uint64_t address, uint8_t value, uint64_t bytes);

#endif
