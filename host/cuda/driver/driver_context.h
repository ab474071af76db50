/* driver_context.h - contexts, for the files that create, select and destroy them
 * (driver_context.c, driver_context_table.c). Other files use driver.h.
 *
 * Any thread may call these functions. */
#ifndef HEDDLE_CUDA_DRIVER_DRIVER_CONTEXT_H
#define HEDDLE_CUDA_DRIVER_DRIVER_CONTEXT_H

#include "cuda/driver/driver.h"

enum { DRIVER_MAX_DEVICES = 64, DRIVER_MAX_DEPTH = 64 };

/* A context. `live` is written under the table's lock, `retained` is atomic, and the rest does not
 * change once the context is in the table, except a primary context's flags. */
struct driver_context {
    struct driver_context *next; /* of contexts that the program created */
    int device;
    bool primary, live; /* live: created by the program, not destroyed */
    /* flags: CU_CTX_*, as the program set them; without effect.
     * retained: calls of cuDevicePrimaryCtxRetain() less those of cuDevicePrimaryCtxRelease(). */
    unsigned flags, retained;
    uint64_t id; /* cuCtxGetId: unique in the process */
};

/* A thread's stack of contexts. Only its own thread uses it. */
struct driver_thread {
    struct driver_context *stack[DRIVER_MAX_DEPTH]; /* stack[depth - 1] is current */
    unsigned depth;                                 /* 0: no current context */
    int runtime_device; /* calls without a context go here: cudaSetDevice */
};

/* The calling thread's stack of contexts, allocated on first use and freed with the thread
 * (shim_thread.driver). NULL: no memory. */
struct driver_thread *driver_thread(void);
/* A device's primary context, for 0 <= device < DRIVER_MAX_DEVICES. It always exists;
 * driver_is_live() says whether it is in use. */
struct driver_context *driver_primary(int device);
/* Numbers a context that the program created and adds it to the table, under the table's lock. The
 * record stays for good, so that no later context gets the same handle. */
void driver_context_add(struct driver_context *c);
/* Marks a context as destroyed, under the table's lock. Its handle is invalid from now on. */
void driver_context_destroy(struct driver_context *c);

#endif
