/* deferred.h - what happens when a stream gets there: copies, fills, host functions, the freeing
 * of memory. A record waits as an operation of the stream and acts when it takes effect in target
 * time, which may be long after the call that issued it. */
#ifndef HEDDLE_CUDA_DEFERRED_H
#define HEDDLE_CUDA_DEFERRED_H

#include "cuda/call.h"

/* Head of a record that was allocated with calloc; the list owns it once issued. */
struct deferred {
    struct deferred *next, *previous;
    struct server *server;
    struct program *program;
    struct gpu *gpu;
    void (*act)(struct deferred *d);  /* once; the record is freed behind it */
    void (*drop)(struct deferred *d); /* frees what hangs from it, acted or not; may be NULL */
};

/* Puts the record on a stream. `cost` says what it costs (kind, device address, bytes; perform and
 * user are set here). On failure the record is freed. @return cudaError_t. */
int deferred_issue(struct call *call, const struct stream_ref *ref, struct deferred *d,
                   const struct gpu_copy *cost, gpu_ticket *ticket);
uint64_t deferred_pending(const struct server *s);
/* Those of a GPU, NULL: all. */
void deferred_drop(struct server *s, const struct gpu *gpu);

#endif
