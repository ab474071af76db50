/* shim_twin.h - calls that libcudart and libcuda have in common, with one body in
 * libheddle_shim.so. The interfaces differ in how they make a call and how they report failure, so
 * each passes its functions for that. Each function below, except shim_location_of(), makes one
 * call: one message to the server, counted as `id`. Any thread of the program may call them. A
 * NULL pointer to a result is an error. */
#ifndef HEDDLE_CUDA_SHIM_SHIM_TWIN_H
#define HEDDLE_CUDA_SHIM_SHIM_TWIN_H

#include "cuda/shim/shim.h"

#pragma GCC visibility push(default)

/* How an interface makes calls. Both functions run on the calling thread. The functions below
 * return what these return: cudaError_t or CUresult. */
struct shim_interface {
    int (*call)(struct shim_call *call); /* shim_call() or driver_call() */
    /* Counts a call that fails before it is made: shim_fail() or driver_fail(). */
    int (*fail)(enum cuda_call_id id, int error);
};

extern const struct shim_interface shim_runtime_interface; /* libcudart's */

/* ---- memory pools */

struct shim_pool_properties { /* the head of cudaMemPoolProps, CUmemPoolProps */
    int type, handle_types;
    struct shim_location location;
};
/* Creates a pool; *pool: its handle. Prints that pools shared with other processes are refused. */
int shim_pool_create(const struct shim_interface *in, enum cuda_call_id id, void **pool,
                     const struct shim_pool_properties *p);
/* Read and set an attribute of a pool. Its value is an int or 64 bits wide, as CUDA defines. */
int shim_pool_get_attribute(const struct shim_interface *in, enum cuda_call_id id, void *pool,
                            int attribute, void *value);
int shim_pool_set_attribute(const struct shim_interface *in, enum cuda_call_id id, void *pool,
                            int attribute, const void *value);
/* Asks who may access a pool's memory: *flags, for one place. */
int shim_pool_get_access(const struct shim_interface *in, enum cuda_call_id id, int *flags,
                         void *pool, const struct shim_location *location);

/* Turns the place that older calls name, a device's number or -1 for the host, into a location. */
struct shim_location shim_location_of(int device);

/* ---- devices */

/* Writes a device's PCI bus id to `text`, cut to `length` bytes with its terminating zero; and
 * finds the device with a bus id. */
int shim_get_bus_id(const struct shim_interface *in, enum cuda_call_id id, char *text, int length,
                    int device);
int shim_find_bus_id(const struct shim_interface *in, enum cuda_call_id id, int *device,
                     const char *text);

/* ---- stream capture */

/* Sets the thread's capture mode to *mode, and writes the previous one there. */
int shim_exchange_capture_mode(const struct shim_interface *in, enum cuda_call_id id, int *mode);

#pragma GCC visibility pop

#endif
