/* driver_context.h - contexts, for the files that create, select and destroy them
 * (driver_context.c, driver_context_table.c). Other files use driver.h. */
#ifndef HEDDLE_CUDA_DRIVER_DRIVER_CONTEXT_H
#define HEDDLE_CUDA_DRIVER_DRIVER_CONTEXT_H

#include "cuda/driver/driver.h"

enum { DRIVER_MAX_DEVICES = 64, DRIVER_MAX_DEPTH = 64 };

struct driver_context {
    struct driver_context *next; /* of contexts that the program created */
    int device;
    bool primary, live; /* live: created by the program, not destroyed */
    unsigned flags, retained;
    uint64_t id;
};

struct driver_thread {
    struct driver_context *stack[DRIVER_MAX_DEPTH];
    unsigned depth;
    int runtime_device; /* calls without a context go here: cudaSetDevice */
};

/* The calling thread's stack of contexts, allocated on first use and freed with the thread
 * (shim_thread.driver). NULL: no memory. */
struct driver_thread *driver_thread(void);
/* A device's primary context. It always exists; driver_is_live() says whether it is in use. */
struct driver_context *driver_primary(int device);
/* Numbers a context that the program created and adds it to the table, under the table's lock. The
 * record stays for good, so that no later context gets the same handle. */
void driver_context_add(struct driver_context *c);
/* Marks a context as destroyed, under the table's lock. Its handle is invalid from now on. */
void driver_context_destroy(struct driver_context *c);

#endif
