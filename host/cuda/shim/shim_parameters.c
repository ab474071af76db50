/* shim_parameters.c - launches: kernels by handle, the layout of their parameters, and the
 * message. Both interfaces use it.
 *
 * Runs in the program's process, in libheddle_shim.so, on the thread of the program that launches
 * or asks; shim.h has the contracts. A kernel or variable is a record in the tables of `shim`,
 * under shim.lock. The functions return a cudaError_t. Only shim_send_launch() makes a call and
 * sets the last error. */
#include <stdlib.h>
#include <string.h>

#include "cuda/shim/shim.h"

/* Connects if necessary and finds a kernel's record (shim_find, under shim.lock), which sends late
 * registrations. *out: the record. @return an error of shim_ready();
 * cudaErrorInvalidDeviceFunction: none, or its module is unloaded; else the record's own error.
 * Counts nothing and leaves the last error alone. */
int shim_find_function(const void *handle, struct shim_symbol **out) {
    int error = shim_ready();
    if (error) return error;
    *out = shim_find(handle, true);
    if (!*out) return HEDDLE_cudaErrorInvalidDeviceFunction;
    return (*out)->error;
}

/* The same for a variable; cudaErrorInvalidSymbol: there is none. */
int shim_find_variable(const void *handle, struct shim_symbol **out) {
    int error = shim_ready();
    if (error) return error;
    *out = shim_find(handle, false);
    if (!*out) return HEDDLE_cudaErrorInvalidSymbol;
    return (*out)->error;
}

/* Asks the server for a kernel's layout and stores it in `f`, once. Sends WIRE_PARAMETERS, which
 * counts as no call, without shim.lock, so two threads may ask at once; the first answer counts.
 * `num_params` is stored last: a thread that reads it sees the layout. The thread must be
 * connected. @return cudaError_t: the server's; cudaErrorInvalidKernelImage for an impossible
 * layout; cudaErrorMemoryAllocation. */
int shim_learn_parameters(struct shim_symbol *f) {
    if (__atomic_load_n(&f->num_params, __ATOMIC_ACQUIRE) >= 0) return CUDA_SUCCESS;
    static const unsigned most = SHIM_MAX_PARAM_BYTES;
    struct shim_param *param = calloc(most, sizeof *param);
    if (!param) return HEDDLE_cudaErrorMemoryAllocation;
    struct shim_call call = {.id = CALL_cudaLaunchKernel,
                             .in = {f->id},
                             .target = {.base = param},
                             .target_bytes = most * sizeof *param};
    int error = shim_exchange(&call, WIRE_PARAMETERS);
    if (error == CUDA_SUCCESS && (call.out[0] > most || call.out[1] > SHIM_MAX_PARAM_BYTES))
        error = HEDDLE_cudaErrorInvalidKernelImage;
    if (error) {
        free(param);
        return error;
    }
    struct shim_param *fitting = realloc(param, (call.out[0] + 1) * sizeof *param);
    if (fitting) param = fitting;
    pthread_mutex_lock(&shim.lock);
    if (f->num_params < 0) {
        f->param = param;
        f->param_bytes = (uint32_t)call.out[1];
        __atomic_store_n(&f->num_params, (int)call.out[0], __ATOMIC_RELEASE);
    } else {
        free(param);
    }
    pthread_mutex_unlock(&shim.lock);
    return CUDA_SUCCESS;
}

/* Two 32-bit words in one of 64 bits. */
static uint64_t pair(uint32_t low, uint32_t high) {
    return low | (uint64_t)high << 32;
}

/* Makes the call `id`, one message, with the configuration in its arguments and the packed
 * parameters, of `bytes`, as payload. Does not wait for the kernel. @return cudaError_t, also the
 * last error. */
int shim_send_launch(enum cuda_call_id id, const struct shim_symbol *f,
                     const struct shim_launch_config *c, uint64_t flags, uint8_t *parameters,
                     size_t bytes) {
    struct shim_call call = {
        .id = id,
        .in = {f->id, pair(c->grid.x, c->grid.y), c->grid.z, pair(c->block.x, c->block.y),
               c->block.z, c->shared_bytes, (uintptr_t)c->stream, flags},
        .source = {.base = parameters},
        .payload_bytes = bytes,
    };
    return shim_call(&call);
}

/* Copies the arguments to `room`, of SHIM_MAX_PARAM_BYTES, at their places in the device's layout,
 * which it asks for the first time (shim_learn_parameters); clears the gaps. Reads f->num_params
 * pointers of `arguments`. @return cudaError_t: cudaErrorInvalidValue if a kernel with parameters
 * gets no arguments. Leaves the last error alone. */
int shim_pack_parameters(struct shim_symbol *f, void **arguments, uint8_t *room) {
    int error = shim_learn_parameters(f);
    if (!error && f->num_params && !arguments) error = HEDDLE_cudaErrorInvalidValue;
    if (error) return error;
    memset(room, 0, f->param_bytes);
    for (int i = 0; i < f->num_params; i++)
        memcpy(room + f->param[i].offset, arguments[i], f->param[i].bytes);
    return CUDA_SUCCESS;
}

/* cudaLaunchAttributeID */
enum {
    ATTRIBUTE_IGNORE = 0,
    ATTRIBUTE_ACCESS_POLICY_WINDOW = 1,
    ATTRIBUTE_COOPERATIVE = 2,
    ATTRIBUTE_SYNCHRONIZATION_POLICY = 3,
    ATTRIBUTE_CLUSTER = 4,
    ATTRIBUTE_CLUSTER_SCHEDULING = 5,
    ATTRIBUTE_PROGRAMMATIC_SERIALIZATION = 6,
    ATTRIBUTE_MEMORY_DOMAIN_MAP = 9,
    ATTRIBUTE_MEMORY_DOMAIN = 10,
    ATTRIBUTE_CARVEOUT_PREFERENCE = 14,
};

/* Attributes that may be ignored: hints, and the permission to start before the previous kernel
 * ends. */
static bool is_permission(int id) {
    switch (id) {
    case ATTRIBUTE_IGNORE:
    case ATTRIBUTE_ACCESS_POLICY_WINDOW:
    case ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case ATTRIBUTE_CLUSTER_SCHEDULING:
    case ATTRIBUTE_PROGRAMMATIC_SERIALIZATION:
    case ATTRIBUTE_MEMORY_DOMAIN_MAP:
    case ATTRIBUTE_MEMORY_DOMAIN:
    case ATTRIBUTE_CARVEOUT_PREFERENCE: return true;
    default: return false;
    }
}

/* Writes the attributes that Heddle supports to *flags: bit 0 for a cooperative launch. Hints and a
 * cluster of one CTA are accepted without effect; another attribute is printed with the name of the
 * call `id`, and is cudaErrorNotSupported. A missing list is cudaErrorInvalidValue. Sends and
 * counts nothing. */
int shim_launch_flags(enum cuda_call_id id, const struct shim_launch_attribute *attribute,
                      unsigned count, uint64_t *flags) {
    enum { LAUNCH_COOPERATIVE = 1 };
    *flags = 0;
    if (count && !attribute) return HEDDLE_cudaErrorInvalidValue;
    for (unsigned i = 0; i < count; i++) {
        const struct shim_launch_attribute *a = &attribute[i];
        bool one = a->value.dim.x * a->value.dim.y * a->value.dim.z == 1;
        if (a->id == ATTRIBUTE_COOPERATIVE) {
            if (a->value.number) *flags |= LAUNCH_COOPERATIVE;
        } else if (!is_permission(a->id) && !(a->id == ATTRIBUTE_CLUSTER && one)) {
            shim_say("not supported: %s() with launch attribute %d; leave it out (supported: "
                     "cooperative launch, a cluster of one CTA, hints)",
                     shim_call_names[id], a->id);
            return HEDDLE_cudaErrorNotSupported;
        }
    }
    return CUDA_SUCCESS;
}
