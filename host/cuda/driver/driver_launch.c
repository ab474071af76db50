/* driver_launch.c - launches, attributes and occupancy of kernels, and host functions in streams.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent. `function` and `kernel` are records in the runtime's tables (struct
 * shim_symbol), looked up under shim.lock (driver_function), which sends late registrations; a
 * wrong handle is cudaErrorInvalidResourceHandle.
 *
 * Helpers with an `id` make the call of that number. All functions return a CUresult and leave the
 * runtime's last error alone. This file keeps no state. */
#include <string.h>

#include "cuda/driver/driver.h"

/* ---- launches */

/* Reads the list of a launch's `extra`, pairs of a key and a pointer, ended by END: *buffer points
 * to the program's parameters, *bytes of them. Sends and counts nothing. @return CUDA_SUCCESS, or
 * cudaErrorInvalidValue: an unknown key, more than SHIM_MAX_PARAM_BYTES, or a size without a
 * buffer. */
int driver_read_extra(void *const *extra, const void **buffer, size_t *bytes) {
    enum { END = 0, POINTER = 1, SIZE = 2 };
    *buffer = NULL;
    *bytes = 0;
    for (unsigned i = 0; (uintptr_t)extra[i] != END; i += 2) {
        if ((uintptr_t)extra[i] == POINTER)
            *buffer = extra[i + 1];
        else if ((uintptr_t)extra[i] == SIZE)
            *bytes = *(const size_t *)extra[i + 1];
        else
            return HEDDLE_cudaErrorInvalidValue;
    }
    return *bytes > SHIM_MAX_PARAM_BYTES || (*bytes && !*buffer) ? HEDDLE_cudaErrorInvalidValue
                                                                 : CUDA_SUCCESS;
}

/* Packs a launch's parameters into `room`, of SHIM_MAX_PARAM_BYTES, from a pointer to each or from
 * one buffer (`extra`), which must not both be given. *bytes receives their size. The first launch
 * of a kernel asks the server for the layout, which counts as no call, and stores it in `f`
 * (shim_learn_parameters). @return CUresult; the caller counts the failure. */
static int parameters_of(struct shim_symbol *f, void **parameters, void **extra, uint8_t *room,
                         size_t *bytes) {
    const void *buffer;
    int error;
    if (parameters && extra) return HEDDLE_cudaErrorInvalidValue;
    if (extra) {
        error = driver_read_extra(extra, &buffer, bytes);
        if (!error) error = cuda_result(shim_learn_parameters(f));
        if (!error && *bytes < f->param_bytes) error = HEDDLE_cudaErrorInvalidValue;
        *bytes = f->param_bytes; /* the buffer may be longer than the parameters */
        if (!error && *bytes) memcpy(room, buffer, *bytes);
        return error;
    }
    DRIVER_KEEPING_LAST_ERROR(error = shim_pack_parameters(f, parameters, room));
    *bytes = f->param_bytes;
    return cuda_result(error);
}

/* Makes the call `id`, which launches a kernel with the configuration `c` and the wire's `flags`;
 * returns before the kernel runs. First it checks the module's references, which report wrong
 * bindings only here, and packs the parameters; the kernel's first launch sends a second message
 * (parameters_of). An error that the kernel's registration left in its record is returned. */
static int launch(enum cuda_call_id id, void *function, const struct shim_launch_config *c,
                  uint64_t flags, void **parameters, void **extra) {
    uint8_t room[SHIM_MAX_PARAM_BYTES];
    size_t bytes;
    int error = driver_ready(id);
    if (error) return driver_fail(id, error);
    struct shim_symbol *f = driver_function(function);
    if (!f || f->error)
        return driver_fail(id, f ? f->error : HEDDLE_cudaErrorInvalidResourceHandle);
    error = driver_check_references(f->module);
    if (error) return driver_fail(id, error);
    error = parameters_of(f, parameters, extra, room, &bytes);
    if (error) return driver_fail(id, error);
    DRIVER_KEEPING_LAST_ERROR(error = shim_send_launch(id, f, c, flags, room, bytes));
    return cuda_result(error);
}

SHIM_EXPORT int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                               unsigned by, unsigned bz, unsigned shared_bytes, void *stream,
                               void **parameters, void **extra);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared_bytes, void *stream, void **parameters,
                   void **extra) {
    struct shim_launch_config c = {{gx, gy, gz}, {bx, by, bz}, shared_bytes, stream};
    return launch(CALL_cuLaunchKernel, function, &c, 0, parameters, extra);
}

/* The call's number tells the server that all CTAs must run at once. */
SHIM_EXPORT int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz,
                                          unsigned bx, unsigned by, unsigned bz,
                                          unsigned shared_bytes, void *stream, void **parameters);
int cuLaunchCooperativeKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                              unsigned by, unsigned bz, unsigned shared_bytes, void *stream,
                              void **parameters) {
    struct shim_launch_config c = {{gx, gy, gz}, {bx, by, bz}, shared_bytes, stream};
    return launch(CALL_cuLaunchCooperativeKernel, function, &c, 0, parameters, NULL);
}

struct launch_config { /* CUlaunchConfig */
    struct shim_dim3 grid, block;
    unsigned shared_bytes;
    void *stream;
    const struct shim_launch_attribute *attribute;
    unsigned num_attributes;
};

/* Attributes that Heddle supports become flags of the message; another one is printed and is
 * cudaErrorNotSupported (shim_launch_flags). */
SHIM_EXPORT int cuLaunchKernelEx(const struct launch_config *config, void *function,
                                 void **parameters, void **extra);
int cuLaunchKernelEx(const struct launch_config *config, void *function, void **parameters,
                     void **extra) {
    uint64_t flags;
    if (!config) return driver_fail(CALL_cuLaunchKernelEx, HEDDLE_cudaErrorInvalidValue);
    int error = shim_launch_flags(CALL_cuLaunchKernelEx, config->attribute, config->num_attributes,
                                  &flags);
    if (error) return driver_fail(CALL_cuLaunchKernelEx, error);
    struct shim_launch_config c = {config->grid, config->block, config->shared_bytes,
                                   config->stream};
    return launch(CALL_cuLaunchKernelEx, function, &c, flags, parameters, extra);
}

/* Adds `function` to the stream; it runs later, on the helper thread (shim_helper.c), which the
 * process's first such call starts. That thread connects by messages of its own. The helper thread
 * may make no CUDA calls. */
SHIM_EXPORT int cuLaunchHostFunc(void *stream, void *function, void *argument);
int cuLaunchHostFunc(void *stream, void *function, void *argument) {
    int error = driver_ready(CALL_cuLaunchHostFunc);
    if (error) return driver_fail(CALL_cuLaunchHostFunc, error);
    DRIVER_KEEPING_LAST_ERROR(
        error = shim_add_host_function(CALL_cuLaunchHostFunc, stream, function, argument, 0));
    return cuda_result(error);
}

/* As cuLaunchHostFunc(). */
SHIM_EXPORT int cuStreamAddCallback(void *stream, void *function, void *argument, unsigned flags);
int cuStreamAddCallback(void *stream, void *function, void *argument, unsigned flags) {
    int error = driver_ready(CALL_cuStreamAddCallback);
    if (error) return driver_fail(CALL_cuStreamAddCallback, error);
    DRIVER_KEEPING_LAST_ERROR(error = shim_add_host_function(CALL_cuStreamAddCallback, stream,
                                                             function, argument, flags));
    return cuda_result(error);
}

/* ---- attributes */

/* The members that both versions of cudaFuncAttributes share; 144 bytes, as the server writes. */
struct attributes {
    size_t shared_bytes, const_bytes, local_bytes;
    int max_threads, num_registers, ptx_version, binary_version, cache_mode, max_dynamic_bytes,
        carveout;
    char rest[144 - 52];
};
enum { ATTRIBUTE_COUNT = 16 }; /* of CUfunction_attribute */

/* Makes the call `id`, which reads all attributes of a kernel, and writes the one
 * (CUfunction_attribute) to *value on success. An unknown attribute or no `value` is
 * cudaErrorInvalidValue. */
static int get_attribute(enum cuda_call_id id, int *value, int attribute, void *function) {
    struct attributes a;
    memset(&a, 0, sizeof a);
    const struct shim_symbol *f = driver_function(function);
    if (!value || !f)
        return driver_fail(id, f ? HEDDLE_cudaErrorInvalidValue
                                 : HEDDLE_cudaErrorInvalidResourceHandle);
    struct shim_call call = {
        .id = id, .in = {f->id}, .target = {.base = &a}, .target_bytes = sizeof a};
    if (attribute < 0 || attribute >= ATTRIBUTE_COUNT)
        return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = driver_call(&call);
    /* The last six, about clusters, are 0: kernels require no cluster. */
    const int values[ATTRIBUTE_COUNT] = {
        a.max_threads,       (int)a.shared_bytes, (int)a.const_bytes, (int)a.local_bytes,
        a.num_registers,     a.ptx_version,       a.binary_version,   a.cache_mode,
        a.max_dynamic_bytes, a.carveout};
    if (!error) *value = values[attribute];
    return error;
}

/* Makes the call `id`, which sets something of a kernel. `what` and `value` are the message's next
 * words: an attribute and its value, or a cache configuration and 0. */
static int set(enum cuda_call_id id, void *function, int what, int value) {
    const struct shim_symbol *f = driver_function(function);
    if (!f) return driver_fail(id, HEDDLE_cudaErrorInvalidResourceHandle);
    struct shim_call call = {.id = id, .in = {f->id, (uint64_t)what, (uint64_t)value}};
    return driver_call(&call);
}

SHIM_EXPORT int cuFuncGetAttribute(int *value, int attribute, void *function);
int cuFuncGetAttribute(int *value, int attribute, void *function) {
    return get_attribute(CALL_cuFuncGetAttribute, value, attribute, function);
}
SHIM_EXPORT int cuFuncSetAttribute(void *function, int attribute, int value);
int cuFuncSetAttribute(void *function, int attribute, int value) {
    return set(CALL_cuFuncSetAttribute, function, attribute, value);
}
SHIM_EXPORT int cuFuncSetCacheConfig(void *function, int config);
int cuFuncSetCacheConfig(void *function, int config) {
    return set(CALL_cuFuncSetCacheConfig, function, config, 0);
}
/* Counted and checked (0 to 2, else cudaErrorInvalidValue), without a message and without effect:
 * shared memory always has banks of four bytes, as on all GPUs since Maxwell. */
SHIM_EXPORT int cuFuncSetSharedMemConfig(void *function, int config);
int cuFuncSetSharedMemConfig(void *function, int config) {
    int error = driver_local(CALL_cuFuncSetSharedMemConfig);
    if (!error && !driver_function(function)) error = HEDDLE_cudaErrorInvalidResourceHandle;
    return error || (config >= 0 && config <= 2) ? error : HEDDLE_cudaErrorInvalidValue;
}

/* This and the next two are about a kernel on one device. They check its number by asking the
 * server, a message that counts as no call, and then make the call; otherwise all devices are
 * alike. */
SHIM_EXPORT int cuKernelGetAttribute(int *value, int attribute, void *kernel, int device);
int cuKernelGetAttribute(int *value, int attribute, void *kernel, int device) {
    int error = driver_check_device(device);
    if (error) return driver_fail(CALL_cuKernelGetAttribute, error);
    return get_attribute(CALL_cuKernelGetAttribute, value, attribute, kernel);
}
SHIM_EXPORT int cuKernelSetAttribute(int attribute, int value, void *kernel, int device);
int cuKernelSetAttribute(int attribute, int value, void *kernel, int device) {
    int error = driver_check_device(device);
    if (error) return driver_fail(CALL_cuKernelSetAttribute, error);
    return set(CALL_cuKernelSetAttribute, kernel, attribute, value);
}
SHIM_EXPORT int cuKernelSetCacheConfig(void *kernel, int config, int device);
int cuKernelSetCacheConfig(void *kernel, int config, int device) {
    int error = driver_check_device(device);
    if (error) return driver_fail(CALL_cuKernelSetCacheConfig, error);
    return set(CALL_cuKernelSetCacheConfig, kernel, config, 0);
}

/* ---- occupancy */

/* Makes the call `call` about a kernel, whose number it stores in in[0], and copies the first
 * `out_bytes` of its first result to `out` on success. `out` NULL is cudaErrorInvalidValue. */
static int occupancy(struct shim_call *call, void *function, void *out, size_t out_bytes) {
    const struct shim_symbol *f = driver_function(function);
    if (!out || !f)
        return driver_fail(call->id, f ? HEDDLE_cudaErrorInvalidValue
                                       : HEDDLE_cudaErrorInvalidResourceHandle);
    call->in[0] = f->id;
    int error = driver_call(call);
    if (!error) memcpy(out, &call->out[0], out_bytes);
    return error;
}

/* *blocks: the CTAs of `block_size` threads that fit on an SM at once. */
SHIM_EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function,
                                                            int block_size, size_t shared_bytes);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *function, int block_size,
                                                size_t shared_bytes) {
    struct shim_call call = {.id = CALL_cuOccupancyMaxActiveBlocksPerMultiprocessor,
                             .in = {0, (uint64_t)block_size, shared_bytes}};
    return occupancy(&call, function, blocks, sizeof *blocks);
}

SHIM_EXPORT int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void *function,
                                                                     int block_size,
                                                                     size_t shared_bytes,
                                                                     unsigned flags);
int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void *function,
                                                         int block_size, size_t shared_bytes,
                                                         unsigned flags) {
    struct shim_call call = {.id = CALL_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                             .in = {0, (uint64_t)block_size, shared_bytes, flags}};
    return occupancy(&call, function, blocks, sizeof *blocks);
}

/* *bytes: the dynamic shared memory that each of `blocks` CTAs on an SM may use. */
SHIM_EXPORT int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, void *function, int blocks,
                                                        int block_size);
int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, void *function, int blocks,
                                            int block_size) {
    struct shim_call call = {.id = CALL_cuOccupancyAvailableDynamicSMemPerBlock,
                             .in = {0, (uint64_t)blocks, (uint64_t)block_size}};
    return occupancy(&call, function, bytes, sizeof *bytes);
}

/* Finds the block size that puts the most threads on an SM, as the runtime's header does: a
 * multiple of the warp's size, and the larger of two equal ones. *block: that size in threads.
 * *grid: the CTAs that fill the current device with it. `limit`: the largest size, 0 for none.
 * `bytes_of`: the program's function for the dynamic shared memory of a size, in bytes; it runs
 * here, on the calling thread, with no lock held. NULL: `shared_bytes`. Counts one call, but asks
 * the server for the kernel's attributes, about each size, and for the number of SMs. */
static int best_block(enum cuda_call_id id, int *grid, int *block, void *function,
                      size_t (*bytes_of)(int), size_t shared_bytes, int limit) {
    enum { WARP = 32, SM_COUNT = 16 };
    int most = 0, most_blocks = 0, best = 0, max_threads;
    if (!grid || !block) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct attributes a;
    memset(&a, 0, sizeof a);
    const struct shim_symbol *f = driver_function(function);
    if (!f) return driver_fail(id, HEDDLE_cudaErrorInvalidResourceHandle);
    struct shim_call ask = {.id = CALL_cudaFuncGetAttributes,
                            .in = {f->id},
                            .target = {.base = &a},
                            .target_bytes = sizeof a};
    int error = driver_ready(id);
    if (!error) error = cuda_result(driver_ask(&ask));
    if (error) return driver_fail(id, error);
    max_threads = a.max_threads;
    if (limit > 0 && limit < max_threads) max_threads = limit;
    shim_local(id);
    int first = max_threads < WARP ? max_threads : max_threads / WARP * WARP;
    for (int size = first; size > 0 && !error; size -= WARP) {
        struct shim_call call = {
            .id = CALL_cudaOccupancyMaxActiveBlocksPerMultiprocessor,
            .in = {f->id, (uint64_t)size, bytes_of ? bytes_of(size) : shared_bytes}};
        error = driver_ask(&call);
        int blocks = (int)call.out[0];
        if (!error && blocks * size > most) {
            most = blocks * size;
            most_blocks = blocks;
            best = size;
        }
    }
    struct shim_call count = {.id = CALL_cudaDeviceGetAttribute,
                              .in = {SM_COUNT, (uint64_t)driver_device_of(driver_current())}};
    if (!error) error = driver_ask(&count);
    if (error) return cuda_result(error);
    *block = best;
    *grid = most_blocks * (int)count.out[0];
    return CUDA_SUCCESS;
}

/* Sends several messages (best_block), which count as one call. */
SHIM_EXPORT int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function,
                                                 size_t (*bytes_of)(int), size_t shared_bytes,
                                                 int limit);
int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *function, size_t (*bytes_of)(int),
                                     size_t shared_bytes, int limit) {
    return best_block(CALL_cuOccupancyMaxPotentialBlockSize, grid, block, function, bytes_of,
                      shared_bytes, limit);
}

/* As cuOccupancyMaxPotentialBlockSize(); flags other than CACHING are cudaErrorInvalidValue. */
SHIM_EXPORT int cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, void *function,
                                                          size_t (*bytes_of)(int),
                                                          size_t shared_bytes, int limit,
                                                          unsigned flags);
int cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, void *function,
                                              size_t (*bytes_of)(int), size_t shared_bytes,
                                              int limit, unsigned flags) {
    static const enum cuda_call_id id = CALL_cuOccupancyMaxPotentialBlockSizeWithFlags;
    enum { CACHING = 1 }; /* in L1, which does not change occupancy */
    if (flags & ~(unsigned)CACHING) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    return best_block(id, grid, block, function, bytes_of, shared_bytes, limit);
}
