/* calls_graph_memory.c - handlers that query and reset the counts of memory that graphs have on a
 * device (program_device.graph_memory, bytes). "Used", as in CUDA, includes memory that is kept for
 * the next launch.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". An unknown device is InvalidDevice, an unknown attribute InvalidValue. No memory is
 * allocated or freed. */
#include "cuda/base/context.h"
#include "cuda_call_handlers.h"

/* cudaGraphMemAttributeType */
enum { ATTR_USED = 0, ATTR_USED_HIGH = 1, ATTR_RESERVED = 2, ATTR_RESERVED_HIGH = 3 };

/* *value: a count in bytes of the program's graphs on the device. Changes nothing. */
int do_cudaDeviceGetGraphMemAttribute(struct call *call, uint64_t device, uint64_t attribute,
                                      uint64_t *value) {
    if (device >= call_devices(call)) return HEDDLE_cudaErrorInvalidDevice;
    const struct graph_memory_counts *c = &call->program->device[device].graph_memory;
    switch (attribute) {
    case ATTR_USED:
    case ATTR_RESERVED: *value = c->kept; break;
    case ATTR_USED_HIGH: *value = c->used_high; break;
    case ATTR_RESERVED_HIGH: *value = c->kept_high; break;
    default: return CUDA_ERROR_INVALID_VALUE;
    }
    return CUDA_SUCCESS;
}

/* Sets a high-water mark to 0, which CUDA defines as the present count. @return InvalidValue:
 * another value or attribute. */
int do_cudaDeviceSetGraphMemAttribute(struct call *call, uint64_t device, uint64_t attribute,
                                      uint64_t value) {
    if (device >= call_devices(call)) return HEDDLE_cudaErrorInvalidDevice;
    struct graph_memory_counts *c = &call->program->device[device].graph_memory;
    if (value || (attribute != ATTR_USED_HIGH && attribute != ATTR_RESERVED_HIGH))
        return CUDA_ERROR_INVALID_VALUE;
    *(attribute == ATTR_USED_HIGH ? &c->used_high : &c->kept_high) = c->kept;
    return CUDA_SUCCESS;
}

/* Gives up what the program's graphs keep on the device for the next launch: sets the count of kept
 * bytes to the used ones. */
int do_cudaDeviceGraphMemTrim(struct call *call, uint64_t device) {
    if (device >= call_devices(call)) return HEDDLE_cudaErrorInvalidDevice;
    struct graph_memory_counts *c = &call->program->device[device].graph_memory;
    c->kept = c->used;
    return CUDA_SUCCESS;
}
