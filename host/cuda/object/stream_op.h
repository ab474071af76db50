/* stream_op.h - work of the server as an operation of a stream: copies, fills, host functions, the
 * freeing of memory. A record waits in the stream and acts when it takes effect in target time,
 * which may be long after the call that issued it. */
#ifndef HEDDLE_CUDA_OBJECT_STREAM_OP_H
#define HEDDLE_CUDA_OBJECT_STREAM_OP_H

#include "cuda/object/stream.h"

/* Head of a record that was allocated with calloc; the list server.ops owns it once issued. */
struct stream_op {
    struct stream_op *next, *previous;
    struct server *server;
    struct program *program;
    struct gpu *gpu;
    void (*act)(struct stream_op *op);  /* once; the record is freed behind it */
    void (*drop)(struct stream_op *op); /* frees what hangs from it, acted or not; may be NULL */
};

/* Puts the record on a stream. `cost` says what it costs (kind, device address, bytes; perform and
 * user are set here). On failure the record is freed. @return cudaError_t. */
int stream_op_issue(struct call *call, const struct stream_ref *ref, struct stream_op *op,
                    const struct gpu_copy *cost, gpu_ticket *ticket);
/* Issued by any program and not yet carried out. */
uint64_t stream_op_count(const struct server *s);
/* Frees those of a GPU that has been reset, NULL: all. They never act. */
void stream_op_drop_all(struct server *s, const struct gpu *gpu);

#endif
