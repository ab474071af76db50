/* shim_launch.c - the runtime's launches, and its other calls that name a kernel.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent; one that is made is noted for the driver API, even if it fails
 * (note_runtime() in shim_call.c). They return a cudaError_t; an error also becomes the thread's
 * last error. A NULL pointer for a result is cudaErrorInvalidValue.
 *
 * A kernel is named by its host handle, or by the address of its record (struct shim_symbol); both
 * are found in the tables of `shim` under shim.lock, which may send late registrations. An unknown
 * one is cudaErrorInvalidDeviceFunction; an error that its registration left is returned. A
 * launch's message holds the configuration and the packed parameters; the call returns before the
 * kernel runs. The first launch of a kernel also asks the server for the layout of its parameters,
 * which counts as no call.
 *
 * Between <<<>>> and the launch, the configuration lies in the thread's record (struct
 * shim_thread). Helpers with an `id` make the call of that number. */
#include <stdlib.h>
#include <string.h>

#include "cuda/shim/shim.h"

/* Makes the call `id`, which launches a kernel: finds it by `handle` and packs its arguments. The
 * first launch of a kernel also asks the server for the layout of its parameters, and stores it in
 * the kernel's record (shim_learn_parameters). @return cudaError_t, also the last error. */
static int launch(enum cuda_call_id id, const void *handle, const struct shim_launch_config *c,
                  void **arguments) {
    struct shim_symbol *f;
    uint8_t parameters[SHIM_MAX_PARAM_BYTES];
    int error = shim_find_function(handle, &f);
    if (!error) error = shim_pack_parameters(f, arguments, parameters);
    return error ? shim_fail(id, error) : shim_send_launch(id, f, c, 0, parameters, f->param_bytes);
}

SHIM_EXPORT int cudaLaunchKernel(const void *function, struct shim_dim3 grid,
                                 struct shim_dim3 block, void **arguments, size_t shared_bytes,
                                 void *stream);
int cudaLaunchKernel(const void *function, struct shim_dim3 grid, struct shim_dim3 block,
                     void **arguments, size_t shared_bytes, void *stream) {
    struct shim_launch_config c = {grid, block, shared_bytes, stream};
    return launch(CALL_cudaLaunchKernel, function, &c, arguments);
}

SHIM_EXPORT int cudaLaunchCooperativeKernel(const void *function, struct shim_dim3 grid,
                                            struct shim_dim3 block, void **arguments,
                                            size_t shared_bytes, void *stream);
int cudaLaunchCooperativeKernel(const void *function, struct shim_dim3 grid, struct shim_dim3 block,
                                void **arguments, size_t shared_bytes, void *stream) {
    struct shim_launch_config c = {grid, block, shared_bytes, stream};
    return launch(CALL_cudaLaunchCooperativeKernel, function, &c, arguments);
}

#if HEDDLE_CUDART_VERSION >= 12
struct launch_config { /* cudaLaunchConfig_t */
    struct shim_dim3 grid, block;
    size_t shared_bytes;
    void *stream;
    const struct shim_launch_attribute *attribute;
    unsigned num_attributes;
};
/* Attributes that Heddle supports become flags of the message; another one is printed and is
 * cudaErrorNotSupported (shim_launch_flags). Otherwise as launch(). */
SHIM_EXPORT int cudaLaunchKernelExC(const struct launch_config *config, const void *function,
                                    void **arguments);
int cudaLaunchKernelExC(const struct launch_config *config, const void *function,
                        void **arguments) {
    static const enum cuda_call_id id = CALL_cudaLaunchKernelExC;
    uint64_t flags;
    int error = config ? shim_launch_flags(id, config->attribute, config->num_attributes, &flags)
                       : HEDDLE_cudaErrorInvalidValue;
    if (error) return shim_fail(id, error);
    struct shim_symbol *f;
    uint8_t parameters[SHIM_MAX_PARAM_BYTES];
    struct shim_launch_config c = {config->grid, config->block, config->shared_bytes,
                                   config->stream};
    error = shim_find_function(function, &f);
    if (!error) error = shim_pack_parameters(f, arguments, parameters);
    return error ? shim_fail(id, error)
                 : shim_send_launch(id, f, &c, flags, parameters, f->param_bytes);
}

/* Offset and size in bytes of one parameter (`bytes` may be NULL). Answered from the kernel's
 * record; asks the server for the layout the first time, which counts as no call.
 * cudaErrorInvalidValue: no such parameter. */
SHIM_EXPORT int cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset,
                                     size_t *bytes);
int cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes) {
    struct shim_symbol *f;
    int error = offset ? shim_find_function(function, &f) : HEDDLE_cudaErrorInvalidValue;
    if (!error) error = shim_learn_parameters(f);
    if (!error && index >= (size_t)f->num_params) error = HEDDLE_cudaErrorInvalidValue;
    if (error) return shim_fail(CALL_cudaFuncGetParamInfo, error);
    shim_local(CALL_cudaFuncGetParamInfo);
    *offset = f->param[index].offset;
    if (bytes) *bytes = f->param[index].bytes;
    return CUDA_SUCCESS;
}
#endif

/* ---- the <<<>>> of nvcc and clang: push, pop, launch. Push and pop send no message. */

/* Pushes the configuration onto the thread's stack. @return 0, or 1 if the stack is full: then the
 * compiler's code skips the launch. */
SHIM_EXPORT unsigned __cudaPushCallConfiguration(struct shim_dim3 grid, struct shim_dim3 block,
                                                 size_t shared_bytes, void *stream);
unsigned __cudaPushCallConfiguration(struct shim_dim3 grid, struct shim_dim3 block,
                                     size_t shared_bytes, void *stream) {
    shim_part(CALL___cudaPushCallConfiguration);
    struct shim_thread *t = shim_self();
    if (t->config_depth == SHIM_CONFIG_DEPTH) return 1;
    t->config[t->config_depth++] = (struct shim_launch_config){grid, block, shared_bytes, stream};
    return 0;
}

/* Pops the thread's newest configuration into the compiler's variables; `stream` points to a
 * stream's handle. cudaErrorMissingConfiguration: there is none. */
SHIM_EXPORT int __cudaPopCallConfiguration(struct shim_dim3 *grid, struct shim_dim3 *block,
                                           size_t *shared_bytes, void *stream);
int __cudaPopCallConfiguration(struct shim_dim3 *grid, struct shim_dim3 *block,
                               size_t *shared_bytes, void *stream) {
    struct shim_thread *t = shim_self();
    if (t->config_depth == 0)
        return shim_fail(CALL___cudaPopCallConfiguration, HEDDLE_cudaErrorMissingConfiguration);
    shim_part(CALL___cudaPopCallConfiguration);
    const struct shim_launch_config *c = &t->config[--t->config_depth];
    *grid = c->grid;
    *block = c->block;
    *shared_bytes = c->shared_bytes;
    memcpy(stream, &c->stream, sizeof c->stream);
    return CUDA_SUCCESS;
}

/* ---- the older form: configure, one call an argument, launch. Only the last sends a message. */

/* Pushes the configuration onto the thread's stack and empties the buffer of arguments. A full
 * stack is cudaErrorInvalidConfiguration. */
SHIM_EXPORT int cudaConfigureCall(struct shim_dim3 grid, struct shim_dim3 block,
                                  size_t shared_bytes, void *stream);
int cudaConfigureCall(struct shim_dim3 grid, struct shim_dim3 block, size_t shared_bytes,
                      void *stream) {
    struct shim_thread *t = shim_self();
    if (t->config_depth == SHIM_CONFIG_DEPTH)
        return shim_fail(CALL_cudaConfigureCall, HEDDLE_cudaErrorInvalidConfiguration);
    shim_local(CALL_cudaConfigureCall);
    t->config[t->config_depth++] = (struct shim_launch_config){grid, block, shared_bytes, stream};
    t->argument_bytes = 0;
    return CUDA_SUCCESS;
}

/* Copies `bytes` of one argument to byte `offset` of the thread's buffer (shim_thread.argument),
 * which has SHIM_MAX_PARAM_BYTES; more is cudaErrorInvalidValue. */
SHIM_EXPORT int cudaSetupArgument(const void *argument, size_t bytes, size_t offset);
int cudaSetupArgument(const void *argument, size_t bytes, size_t offset) {
    struct shim_thread *t = shim_self();
    if (!argument || offset > SHIM_MAX_PARAM_BYTES || bytes > SHIM_MAX_PARAM_BYTES - offset)
        return shim_fail(CALL_cudaSetupArgument, HEDDLE_cudaErrorInvalidValue);
    shim_local(CALL_cudaSetupArgument);
    memcpy(t->argument + offset, argument, bytes);
    if (t->argument_bytes < offset + bytes) t->argument_bytes = offset + bytes;
    return CUDA_SUCCESS;
}

/* Launches with the newest configuration, which it pops even if the launch fails, and the buffer of
 * arguments. One message. cudaErrorMissingConfiguration: there is no configuration. */
SHIM_EXPORT int cudaLaunch(const void *function);
int cudaLaunch(const void *function) {
    struct shim_thread *t = shim_self();
    if (t->config_depth == 0)
        return shim_fail(CALL_cudaLaunch, HEDDLE_cudaErrorMissingConfiguration);
    struct shim_launch_config c = t->config[--t->config_depth];
    struct shim_symbol *f;
    int error = shim_find_function(function, &f);
    if (error) return shim_fail(CALL_cudaLaunch, error);
    return shim_send_launch(CALL_cudaLaunch, f, &c, 0, t->argument, t->argument_bytes);
}

/* ---- nvcc 13: the program looks up the kernel's handle once, then launches by it */

/* Finds a kernel's record in the table and writes its address to *kernel. Counts the call `id`;
 * sends no message, except registrations that are not yet sent. Does not connect the thread. */
static int get_kernel(enum cuda_call_id id, void **kernel, const void *function) {
    struct shim_symbol *f = kernel ? shim_find(function, true) : NULL;
    if (!f)
        return shim_fail(id, kernel ? HEDDLE_cudaErrorInvalidDeviceFunction
                                    : HEDDLE_cudaErrorInvalidValue);
    shim_local(id);
    *kernel = f;
    return CUDA_SUCCESS;
}

#if HEDDLE_CUDART_VERSION >= 13
SHIM_EXPORT int __cudaGetKernel(void **kernel, const void *function);
int __cudaGetKernel(void **kernel, const void *function) {
    return get_kernel(CALL___cudaGetKernel, kernel, function);
}

SHIM_EXPORT int __cudaLaunchKernel(const void *kernel, struct shim_dim3 grid,
                                   struct shim_dim3 block, void **arguments, size_t shared_bytes,
                                   void *stream);
int __cudaLaunchKernel(const void *kernel, struct shim_dim3 grid, struct shim_dim3 block,
                       void **arguments, size_t shared_bytes, void *stream) {
    struct shim_launch_config c = {grid, block, shared_bytes, stream};
    return launch(CALL___cudaLaunchKernel, kernel, &c, arguments);
}
#endif

#if HEDDLE_CUDART_VERSION >= 12
/* *kernel: the record's address, which is a cudaKernel_t. No message of its own. */
SHIM_EXPORT int cudaGetKernel(void **kernel, const void *function);
int cudaGetKernel(void **kernel, const void *function) {
    return get_kernel(CALL_cudaGetKernel, kernel, function);
}

/* *name: the name in the kernel's record, which stays readable for good. No message of its own. */
SHIM_EXPORT int cudaFuncGetName(const char **name, const void *function);
int cudaFuncGetName(const char **name, const void *function) {
    struct shim_symbol *f = name ? shim_find(function, true) : NULL;
    if (!f)
        return shim_fail(CALL_cudaFuncGetName, name ? HEDDLE_cudaErrorInvalidDeviceFunction
                                                    : HEDDLE_cudaErrorInvalidValue);
    shim_local(CALL_cudaFuncGetName);
    *name = f->name;
    return CUDA_SUCCESS;
}
#endif

/* A cudaFunction_t and a cudaKernel_t are the address of the shim's record. */
SHIM_EXPORT int cudaGetFuncBySymbol(void **kernel, const void *function);
int cudaGetFuncBySymbol(void **kernel, const void *function) {
    return get_kernel(CALL_cudaGetFuncBySymbol, kernel, function);
}

/* ---- attributes and occupancy of a kernel */

/* Bytes of cudaFuncAttributes: CUDA 12 added the cluster fields and a reserve. */
enum { FUNC_ATTRIBUTES_BYTES = HEDDLE_CUDART_VERSION >= 12 ? 144 : 56 };

/* Clears the program's structure, of FUNC_ATTRIBUTES_BYTES, once the kernel is found; the server
 * fills it. */
SHIM_EXPORT int cudaFuncGetAttributes(void *attributes, const void *function);
int cudaFuncGetAttributes(void *attributes, const void *function) {
    struct shim_symbol *f;
    if (!attributes) return shim_fail(CALL_cudaFuncGetAttributes, HEDDLE_cudaErrorInvalidValue);
    int error = shim_find_function(function, &f);
    if (error) return shim_fail(CALL_cudaFuncGetAttributes, error);
    memset(attributes, 0, FUNC_ATTRIBUTES_BYTES);
    struct shim_call call = {.id = CALL_cudaFuncGetAttributes,
                             .in = {f->id},
                             .target = {.base = attributes},
                             .target_bytes = FUNC_ATTRIBUTES_BYTES};
    return shim_call(&call);
}

SHIM_EXPORT int cudaFuncSetAttribute(const void *function, int attribute, int value);
int cudaFuncSetAttribute(const void *function, int attribute, int value) {
    struct shim_symbol *f;
    int error = shim_find_function(function, &f);
    if (error) return shim_fail(CALL_cudaFuncSetAttribute, error);
    struct shim_call call = {.id = CALL_cudaFuncSetAttribute,
                             .in = {f->id, (uint64_t)attribute, (uint64_t)value}};
    return shim_call(&call);
}

SHIM_EXPORT int cudaFuncSetCacheConfig(const void *function, int config);
int cudaFuncSetCacheConfig(const void *function, int config) {
    struct shim_symbol *f;
    int error = shim_find_function(function, &f);
    if (error) return shim_fail(CALL_cudaFuncSetCacheConfig, error);
    struct shim_call call = {.id = CALL_cudaFuncSetCacheConfig, .in = {f->id, (uint64_t)config}};
    return shim_call(&call);
}

/* Checks the value (0 to 2) and the kernel. Sends no message of its own and has no effect: shared
 * memory always has banks of four bytes, as on all GPUs since Maxwell. */
SHIM_EXPORT int cudaFuncSetSharedMemConfig(const void *function, int config);
int cudaFuncSetSharedMemConfig(const void *function, int config) {
    struct shim_symbol *f;
    int error = config < 0 || config > 2 ? HEDDLE_cudaErrorInvalidValue
                                         : shim_find_function(function, &f);
    if (error) return shim_fail(CALL_cudaFuncSetSharedMemConfig, error);
    shim_local(CALL_cudaFuncSetSharedMemConfig);
    return CUDA_SUCCESS;
}

/* Makes the call `call` about a kernel, whose number it stores in in[0], and copies the first
 * `out_bytes` of the first result to `out` on success. */
static int occupancy(struct shim_call *call, const void *function, void *out, size_t out_bytes) {
    struct shim_symbol *f;
    if (!out) return shim_fail(call->id, HEDDLE_cudaErrorInvalidValue);
    int error = shim_find_function(function, &f);
    if (error) return shim_fail(call->id, error);
    call->in[0] = f->id;
    error = shim_call(call);
    if (!error) memcpy(out, &call->out[0], out_bytes);
    return error;
}

/* *blocks: the CTAs of `block_size` threads that fit on an SM at once. */
SHIM_EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function,
                                                              int block_size, size_t shared_bytes);
int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *function, int block_size,
                                                  size_t shared_bytes) {
    struct shim_call call = {.id = CALL_cudaOccupancyMaxActiveBlocksPerMultiprocessor,
                             .in = {0, (uint64_t)block_size, shared_bytes}};
    return occupancy(&call, function, blocks, sizeof *blocks);
}

SHIM_EXPORT int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *blocks, const void *function, int block_size, size_t shared_bytes, unsigned flags);
int cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *function,
                                                           int block_size, size_t shared_bytes,
                                                           unsigned flags) {
    struct shim_call call = {.id = CALL_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
                             .in = {0, (uint64_t)block_size, shared_bytes, flags}};
    return occupancy(&call, function, blocks, sizeof *blocks);
}

/* *bytes: the dynamic shared memory that each of `blocks` CTAs on an SM may use. */
SHIM_EXPORT int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function,
                                                          int blocks, int block_size);
int cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *function, int blocks,
                                              int block_size) {
    struct shim_call call = {.id = CALL_cudaOccupancyAvailableDynamicSMemPerBlock,
                             .in = {0, (uint64_t)blocks, (uint64_t)block_size}};
    return occupancy(&call, function, bytes, sizeof *bytes);
}
