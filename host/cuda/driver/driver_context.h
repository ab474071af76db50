/* driver_context.h - contexts, for the files that make, choose and end them (driver_context.c,
 * driver_context_table.c). The others use driver.h. */
#ifndef HEDDLE_CUDA_DRIVER_DRIVER_CONTEXT_H
#define HEDDLE_CUDA_DRIVER_DRIVER_CONTEXT_H

#include "cuda/driver/driver.h"

enum { DRIVER_MAX_DEVICES = 64, DRIVER_MAX_DEPTH = 64 };

struct driver_context {
    struct driver_context *next; /* of the program's own */
    int device;
    bool primary, live; /* live: of an own one, not yet destroyed */
    unsigned flags, retained;
    uint64_t id;
};

struct driver_thread {
    struct driver_context *stack[DRIVER_MAX_DEPTH];
    unsigned depth;
    int runtime_device; /* where calls go when there is no context: cudaSetDevice */
};

/* The calling thread's stack, made when first asked for. NULL: no memory. */
struct driver_thread *driver_thread(void);
/* A device's primary context, which is always there. */
struct driver_context *driver_primary(int device);
/* Takes a context of the program's own into the table, for good, and numbers it. */
void driver_context_add(struct driver_context *c);
/* Its handle is refused from now on. */
void driver_context_destroy(struct driver_context *c);

#endif
