/* stream_op.h - operations that the server performs in stream order: copies, fills, host functions,
 * frees. The operation acts when it takes effect in target time, possibly long after the call that
 * issued it. */
#ifndef HEDDLE_CUDA_OBJECT_STREAM_OP_H
#define HEDDLE_CUDA_OBJECT_STREAM_OP_H

#include "cuda/object/stream.h"

/* Head of a record, allocated with calloc. Once issued, the list server.ops owns it. */
struct stream_op {
    struct stream_op *next, *previous;
    struct server *server;
    struct program *program;
    struct gpu *gpu;
    unsigned life; /* of the program; not performed in a later one */
    /* Performs the operation: called once, on the simulation's thread while the server's thread
     * waits (stream_op.c). Then the record is freed. */
    void (*act)(struct stream_op *op);
    /* Frees what the record owns, after act() or in its place; may be NULL. Runs on the thread of
     * act(), or on the server's thread for an operation that is never performed. */
    void (*drop)(struct stream_op *op);
};

/* Issues the operation on a stream and adds it to server.ops. `cost` gives kind, device address and
 * bytes; this function sets perform and user. On failure the record is freed. @return
 * cudaError_t. */
int stream_op_issue(struct call *call, const struct stream_ref *ref, struct stream_op *op,
                    const struct gpu_copy *cost, gpu_ticket *ticket);
/* Number of the program's operations that are not performed yet. */
uint64_t stream_op_count(const struct server *s, const struct program *p);
/* Frees the operations of a GPU that was reset (NULL: of all) without performing them. */
void stream_op_drop_all(struct server *s, const struct gpu *gpu);

#endif
