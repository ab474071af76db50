/* driver.h - libcuda.so.1: the driver API inside the program under test.
 *
 * These files run in the program's process. They may use libheddle_shim.so (cuda/shim/), which
 * holds the connection to the server and the tables, cuda/protocol/, and libc.
 *
 * Most driver calls equal a runtime call with another name and a context. The server receives them
 * under their own numbers and serves them as the runtime's (tables/cuda_driver.def). Handles of
 * streams, events, memory, arrays and kernels are the runtime's, so that a program may use both.
 * The build generates the functions whose arguments travel unchanged (kind FORWARD in the table);
 * these files hold the others.
 *
 * A context is a device plus the objects created while it was current. All contexts of a device
 * share its memory. Only this library knows contexts; the server knows the device of each thread.
 *
 * Threads: a call runs on the thread of the program that makes it, and that thread waits for the
 * server's answer. Any thread may call any function here. Each thread has its own connection
 * (struct shim_thread) and its own stack of contexts (struct driver_thread). A thread holds a lock
 * while it waits for the server only to connect and to send registrations (shim.lock).
 *
 * Errors are CUresults, unless a function's comment says cudaError_t. No function here changes the
 * runtime's last error. A call that fails is counted like one that succeeds. */
#ifndef HEDDLE_CUDA_DRIVER_DRIVER_H
#define HEDDLE_CUDA_DRIVER_DRIVER_H

#include "cuda/protocol/cuda_result.h"
#include "cuda/shim/shim_twin.h"

/* DRIVER_VERSION: the CUDA version that this library reports (1000 * major + 10 * minor). The
 * others are CUresults. A CUresult without a name here is the cudaError_t of the same number. */
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

/* A context: driver_context.h. A CUcontext is its address. */
struct driver_context;

/* Makes the call in the current context, as driver_ready() allows: counts it, sends one message,
 * and waits for the answer. @return CUresult. */
int driver_call(struct shim_call *call);
/* Checks that a call may be made: after cuInit or a runtime call, and with a live current context
 * unless the table says CUDA_NO_CONTEXT. Connects the thread if necessary, and may make a context
 * current (driver_current). @return CUresult. */
int driver_ready(enum cuda_call_id id);
/* Counts a call that this library answers itself (shim_local). It reaches the server with the
 * thread's next message. @return CUresult of driver_ready(). */
int driver_local(enum cuda_call_id id);
/* Counts a call that fails before driver_local() or driver_call(). Sends no message. @param error
 * a cudaError_t or CUresult. @return the CUresult of `error`. */
int driver_fail(enum cuda_call_id id, int error);
/* Counts a call that Heddle does not support, and prints its name the first time.
 * @return CUresult. */
int driver_refuse(enum cuda_call_id id);
/* How shim_twin.h makes the calls that both interfaces have: driver_call() and driver_fail(). */
extern const struct shim_interface driver_interface;
/* Sends a message of the library's own and waits for the answer. Does not count a call. Connects
 * the thread if necessary. @return cudaError_t. */
int driver_ask(struct shim_call *call);
/* Runs a function of libheddle_shim.so and restores the runtime's last error, which it may set. */
#define DRIVER_KEEPING_LAST_ERROR(statement)           \
    do {                                               \
        int kept_last_error = shim_self()->last_error; \
        statement;                                     \
        shim_self()->last_error = kept_last_error;     \
    } while (0)

/* ---- contexts (driver_context_table.c, driver_context.c) */

/* The calling thread's current context, or NULL. First does what the runtime's calls have asked for
 * (shim_thread.wants, which it clears): puts a primary context on top of the thread's stack. */
struct driver_context *driver_current(void);
/* True if a context is not destroyed. A primary context is live while the program retains it or
 * the runtime uses its device (shim.runtime_on). */
bool driver_is_live(const struct driver_context *c);
/* True if the address is that of a live context; any address may be given. Takes the table's
 * lock. */
bool driver_is_context(const struct driver_context *c);
/* The number of a context's device. */
int driver_device_of(const struct driver_context *c);
/* The context to report for an object of a device: the current one if it is on that device, else
 * the primary one. NULL if the thread has no current context. */
struct driver_context *driver_context_on(int device);
/* Checks a device's number: asks the server how many there are. @return CUresult. */
int driver_check_device(int device);

/* ---- objects owned by a context (driver_context_objects.c) */

/* Destroys the objects created in a context, the newest first. Sends one message for each, which
 * counts as no call, and ignores errors. Takes the list's lock. */
void driver_destroy_objects(const struct driver_context *c);

/* ---- arrays (driver_array.c) */

/* Turns a CUarray_format of `count` channels (1, 2 or 4) into the runtime's description. Prints an
 * unsupported format with the name of the call `id`. Sends no message. @return cudaError_t. */
int driver_channels(enum cuda_call_id id, int format, unsigned count, struct shim_channels *c);

/* Turn a CUDA_MEMCPY3D into the runtime's description, and back (without arrays). They send no
 * message. The driver's structure counts bytes; the runtime's counts texels if an array takes
 * part. A NULL `box` to read is an error. The description points to the memory that the box names.
 * @return cudaError_t. */
int driver_read_box(const void *box, struct shim_copy3d *c);
void driver_write_box(void *box, const struct shim_copy3d *c);

/* ---- launches (driver_launch.c) */

/* Reads a launch's `extra`: the buffer with all parameters, and its size in bytes. *buffer points
 * into the program's memory. @return CUresult. */
int driver_read_extra(void *const *extra, const void **buffer, size_t *bytes);

/* ---- modules (driver_module.c) */

/* Finds a kernel: CUfunction and CUkernel are the runtime's record. Takes shim.lock; may send late
 * registrations (shim_find). @return NULL if there is no such handle, or if its module is
 * unloaded. */
struct shim_symbol *driver_function(void *handle);
/* Finds the record of a CUmodule or CUlibrary. Takes shim.lock. @return NULL: no such handle, or
 * the module is unloaded. */
struct shim_module *driver_module(const void *handle);

/* ---- stream memory operations (driver_stream_mem_op.c) */

enum { DRIVER_MEM_OP_BYTES = 48, DRIVER_MEM_OPS_MAX = 255 };
/* Copies a batch of operations from the program's `list` to `out`, with room for `count` of
 * DRIVER_MEM_OP_BYTES each, and replaces addresses in registered memory by the server's
 * (shim_translate). @return false if the batch is longer than DRIVER_MEM_OPS_MAX, or missing. */
bool driver_read_mem_ops(const void *list, unsigned count, void *out);

/* ---- references (driver_reference.c) */

/* Checks a module's references before a launch: reads the error that the last attempt to bind each
 * of them stored. Takes the references' lock; sends no message. @return CUresult of the first
 * error. */
int driver_check_references(const struct shim_module *m);

#endif
