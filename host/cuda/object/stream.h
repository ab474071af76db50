/* stream.h - streams: each device's legacy default stream, per-thread default streams, and streams
 * created by the program. */
#ifndef HEDDLE_CUDA_OBJECT_STREAM_H
#define HEDDLE_CUDA_OBJECT_STREAM_H

#include "cuda/base/context.h"

/* A stream, in program.streams or host_thread.own. The legacy streams have no record. */
struct stream {
    uint64_t handle; /* 0: a thread's default stream */
    bool live;       /* false: destroyed */
    unsigned device; /* of the program */
    struct gpu *gpu;
    uint32_t gpu_stream;     /* its number on the GPU */
    uint32_t flags;          /* 1: non-blocking */
    int priority;            /* STREAM_GREATEST_PRIORITY .. 0 */
    gpu_ticket last;         /* newest operation */
    struct capture *capture; /* takes its operations instead of the GPU, or NULL (capture.h) */
    GArray *nodes; /* while capturing: uint64_t handles of the nodes that the next one depends on */
};

/* A stream to issue operations on. Valid while the stream lives. */
struct stream_ref {
    unsigned device;
    struct gpu *gpu;
    uint32_t gpu_stream;
    gpu_ticket *last;        /* the stream's newest operation; whoever issues one updates it */
    struct stream *stream;   /* NULL: the legacy default stream */
    struct capture *capture; /* NULL: operations go to the GPU */
};

/* Looks a handle up. 0 is the current device's legacy default stream or, in a per-thread call, the
 * thread's default stream, which is created on the GPU on first use. Handlers that issue an
 * operation use capture_find_op_stream(). @return false: no such stream. */
bool stream_find(struct call *call, uint64_t handle, struct stream_ref *out);
/* A living stream created by the program, or NULL. */
struct stream *stream_created(const struct program *p, uint64_t handle);
/* Creates a stream on the current device's GPU and adds it to program.streams; clamps the priority.
 * @return cudaError_t. */
int stream_create(struct call *call, uint64_t flags, int priority, uint64_t *handle);
enum { STREAM_GREATEST_PRIORITY = -5 };
/* Invalidates the handle; pending work is still performed. @return cudaError_t. */
int stream_destroy(struct stream *stream);
/* Frees the record; `stream` is a struct stream * or NULL. */
void stream_free(void *stream);
/* Calls `visit` for every living stream of the program, those of its threads included. */
void stream_each(struct server *s, struct program *p, void (*visit)(struct stream *s, void *user),
                 void *user);

/* ---- order */

/* Makes the stream wait for an operation (0: none) of any device: issues a wait on the GPU, which
 * becomes the stream's newest operation. If the operation is another device's, drives the
 * simulation until it is performed, and issues a marker instead. @return cudaError_t. */
int stream_follow(struct call *call, const struct stream_ref *ref, unsigned device,
                  gpu_ticket ticket);
/* Issues a marker: an operation that ends when all earlier ones of the stream have ended. @return
 * cudaError_t. */
int stream_mark(struct call *call, const struct stream_ref *ref, gpu_ticket *ticket);

#endif
