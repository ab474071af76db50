/* stream.h - streams: the legacy default stream of each device, the default streams per thread, and
 * those that a program creates. */
#ifndef HEDDLE_CUDA_OBJECT_STREAM_H
#define HEDDLE_CUDA_OBJECT_STREAM_H

#include "cuda/base/context.h"

struct stream {
    uint64_t handle; /* 0: a thread's default stream */
    bool live;
    unsigned device;
    uint32_t gpu_stream;
    uint32_t flags;
    int priority;
    gpu_ticket last;         /* newest operation */
    struct capture *capture; /* into which its operations go, or NULL (capture.h) */
    GArray *nodes;           /* then: handles of what the next operation depends on; NULL: none */
};

/* Where an operation goes. Valid while the stream lives. */
struct stream_ref {
    unsigned device;
    struct gpu *gpu;
    uint32_t gpu_stream;
    gpu_ticket *last;        /* of the stream, to be kept up to date */
    struct stream *stream;   /* NULL: the legacy default stream */
    struct capture *capture; /* NULL: operations are carried out */
};

/* The stream of a handle: 0 is the legacy default stream of the current device, or the thread's own
 * in a per-thread call, which is made when it is first asked for. @return false: no such stream.
 * Operations go through capture_find_op_stream(). */
bool stream_find(struct call *call, uint64_t handle, struct stream_ref *out);
/* A stream that the program has created, or NULL. */
struct stream *stream_created(const struct program *p, uint64_t handle);
/* A new stream on the current device. CUDA clamps the priority. @return cudaError_t. */
int stream_create(struct call *call, uint64_t flags, int priority, uint64_t *handle);
enum { STREAM_GREATEST_PRIORITY = -5 };
/* Its handle means nothing from now on; its work is carried out. @return cudaError_t. */
int stream_destroy(struct server *s, struct stream *stream);
/* Frees the record; `stream` is a struct stream * or NULL. */
void stream_free(void *stream);
/* Calls `visit` for every living stream of the program, those of its threads included. */
void stream_each(struct server *s, struct program *p, void (*visit)(struct stream *s, void *user),
                 void *user);

/* ---- order */

/* The stream waits for an operation of any device. One of another device is carried out now, which
 * drives the simulation. @return cudaError_t. */
int stream_follow(struct call *call, const struct stream_ref *ref, unsigned device,
                  gpu_ticket ticket);
/* A point of the stream. @return cudaError_t. */
int stream_mark(struct call *call, const struct stream_ref *ref, gpu_ticket *ticket);

#endif
