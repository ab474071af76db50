/* driver.h - libcuda.so.1: the driver API inside the program under test.
 *
 * Most of its calls are the runtime's by other names and with a context: the server receives them
 * under their own numbers and serves them as the runtime's (tables/cuda_driver.def). Handles of
 * streams, events, memory, arrays and kernels are the runtime's, so that a program may use both.
 *
 * A context is a device plus the objects created while it was current; all contexts of a device
 * share its memory. Errors are CUresults. */
#ifndef HEDDLE_CUDA_DRIVER_DRIVER_H
#define HEDDLE_CUDA_DRIVER_DRIVER_H

#include "cuda/protocol/cuda_result.h"
#include "cuda/shim/shim_twin.h"

enum {
    DRIVER_VERSION = 13000,
    RESULT_NOT_INITIALIZED = 3,
    RESULT_INVALID_DEVICE = 101,
    RESULT_INVALID_CONTEXT = 201,
    RESULT_NO_BINARY_FOR_GPU = 209,
    RESULT_CONTEXT_IS_DESTROYED = 709,
    RESULT_NOT_SUPPORTED = 801,
    RESULT_NOT_FOUND = 500,
};

struct driver_context;

/* Makes the call in the current context and waits for the answer. Leaves the runtime's last error
 * alone, as all functions here. @return CUresult. */
int driver_call(struct shim_call *call);
/* Whether a call may be made: after cuInit, and with a context unless the table says
 * CUDA_NO_CONTEXT. Connects the thread. @return CUresult. */
int driver_ready(enum cuda_call_id id);
/* Counts a call that is answered in the program. @return CUresult: whether it may be made. */
int driver_local(enum cuda_call_id id);
/* Counts a call that fails before driver_local or driver_call. @return the CUresult of `error`. */
int driver_fail(enum cuda_call_id id, int error);
int driver_refuse(enum cuda_call_id id);
/* For the calls that both interfaces have (shim_twin.h). */
extern const struct shim_interface driver_interface;
/* The library's own query: not counted. @return cudaError_t. */
int driver_ask(struct shim_call *call);
/* Runs a function of libheddle_shim.so, whose errors are the runtime's. */
#define DRIVER_KEEPING_LAST_ERROR(statement)           \
    do {                                               \
        int kept_last_error = shim_self()->last_error; \
        statement;                                     \
        shim_self()->last_error = kept_last_error;     \
    } while (0)

/* ---- contexts (driver_context_table.c, driver_context.c) */

/* The calling thread's current context, or NULL. First makes a context current that the runtime
 * asked for (shim_thread.wants). */
struct driver_context *driver_current(void);
/* Not yet destroyed; for a primary context: in use. */
bool driver_is_live(const struct driver_context *c);
/* Whether any address is a living context. */
bool driver_is_context(const struct driver_context *c);
int driver_device_of(const struct driver_context *c);
/* The context to report for an object of a device: the current one if it is on that device, else
 * the primary one. */
struct driver_context *driver_context_on(int device);
/* @return CUresult. */
int driver_check_device(int device);

/* ---- objects owned by a context (driver_context_objects.c) */

/* Destroys the objects created in a context, the newest first, by calls that are not counted. */
void driver_destroy_objects(const struct driver_context *c);

/* ---- arrays (driver_array.c) */

/* A CUarray_format of `count` channels as the runtime describes it. @return cudaError_t. */
int driver_channels(enum cuda_call_id id, int format, unsigned count, struct shim_channels *c);

/* A CUDA_MEMCPY3D as the runtime describes it, and back (without arrays). @return cudaError_t. */
int driver_read_box(const void *box, struct shim_copy3d *c);
void driver_write_box(void *box, const struct shim_copy3d *c);

/* ---- launches (driver_launch.c) */

/* A launch's `extra`: the buffer with all parameters and its size. @return CUresult. */
int driver_read_extra(void *const *extra, const void **buffer, size_t *bytes);

/* ---- modules (driver_module.c) */

/* A kernel of a module: CUfunction and CUkernel are the runtime's record. NULL: no such handle. */
struct shim_symbol *driver_function(void *handle);
/* Of a CUmodule or CUlibrary, NULL: no such handle. */
struct shim_module *driver_module(const void *handle);

/* ---- stream memory operations (driver_stream_mem_op.c) */

enum { DRIVER_MEM_OP_BYTES = 48, DRIVER_MEM_OPS_MAX = 255 };
/* A batch of them, at the addresses that the server knows; `out` has room for `count`.
 * @return false: they are too many, or none are there. */
bool driver_read_mem_ops(const void *list, unsigned count, void *out);

/* ---- references (driver_reference.c) */

/* Is what the program has bound to the module's references possible? @return CUresult. */
int driver_check_references(const struct shim_module *m);

#endif
