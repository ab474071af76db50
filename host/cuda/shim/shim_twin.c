/* shim_twin.c - calls that libcudart and libcuda have in common; shim_twin.h has the contracts.
 *
 * Runs in the program's process, in libheddle_shim.so, on the thread of the program that makes the
 * call; shim_memory.c, shim_device.c and shim_capture.c call it for the runtime, driver_pool.c,
 * driver_device.c and driver_capture.c for the driver API. Every function with an interface, `in`,
 * makes the call `id` by it: in->call() counts it, sends one message and waits for the answer.
 * Results are written through pointers only on success. A NULL pointer is cudaErrorInvalidValue by
 * in->fail(), which counts the call and sends nothing. Each returns the interface's error; the
 * runtime's also becomes the thread's last error. */
#include "cuda/shim/shim_twin.h"

#include <string.h>

const struct shim_interface shim_runtime_interface = {shim_call, shim_fail};

/* ---- memory pools */

/* *pool: the new pool's handle. Refuses pools for other processes, with a message and
 * cudaErrorNotSupported. */
int shim_pool_create(const struct shim_interface *in, enum cuda_call_id id, void **pool,
                     const struct shim_pool_properties *p) {
    if (!pool || !p) return in->fail(id, HEDDLE_cudaErrorInvalidValue);
    if (p->handle_types) {
        shim_say("not supported: %s() with handles for other processes", shim_call_names[id]);
        return in->fail(id, HEDDLE_cudaErrorNotSupported);
    }
    struct shim_call call = {
        .id = id, .in = {(uint64_t)p->type, (uint64_t)p->location.type, (uint64_t)p->location.id}};
    int error = in->call(&call);
    if (!error) memcpy(pool, &call.out[0], sizeof *pool);
    return error;
}

/* Bytes of a pool attribute's value: the reuse attributes are ints, the others 64 bits wide. */
static size_t attribute_bytes(int attribute) {
    enum { LAST_REUSE_ATTRIBUTE = 3 };
    return attribute <= LAST_REUSE_ATTRIBUTE ? sizeof(int) : sizeof(uint64_t);
}

/* Writes an attribute to the program's `value`, 4 or 8 bytes wide (attribute_bytes); the server
 * checks `attribute`. */
int shim_pool_get_attribute(const struct shim_interface *in, enum cuda_call_id id, void *pool,
                            int attribute, void *value) {
    if (!value) return in->fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uintptr_t)pool, (uint64_t)attribute}};
    int error = in->call(&call);
    if (!error) memcpy(value, &call.out[0], attribute_bytes(attribute));
    return error;
}

/* Sends the program's `value` of an attribute, 4 or 8 bytes wide (attribute_bytes). */
int shim_pool_set_attribute(const struct shim_interface *in, enum cuda_call_id id, void *pool,
                            int attribute, const void *value) {
    if (!value) return in->fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uintptr_t)pool, (uint64_t)attribute}};
    memcpy(&call.in[2], value, attribute_bytes(attribute));
    return in->call(&call);
}

/* *flags: how the one place may access a pool's memory (CUmemAccess_flags). */
int shim_pool_get_access(const struct shim_interface *in, enum cuda_call_id id, int *flags,
                         void *pool, const struct shim_location *location) {
    if (!flags || !location) return in->fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {
        .id = id, .in = {(uintptr_t)pool, (uint64_t)location->type, (uint64_t)location->id}};
    int error = in->call(&call);
    if (!error) *flags = (int)call.out[0];
    return error;
}

/* A device's number, or -1 for the host, as a location. Sends nothing. */
struct shim_location shim_location_of(int device) {
    enum { LOCATION_DEVICE = 1, LOCATION_HOST = 2 };
    return device < 0 ? (struct shim_location){LOCATION_HOST, 0}
                      : (struct shim_location){LOCATION_DEVICE, device};
}

/* ---- devices */

/* Writes the device's PCI bus id to `text`, cut to `length` bytes with its terminating zero. No
 * room is cudaErrorInvalidValue. */
int shim_get_bus_id(const struct shim_interface *in, enum cuda_call_id id, char *text, int length,
                    int device) {
    char whole[16] = "";
    if (!text || length <= 0) return in->fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id,
                             .in = {(uint64_t)device},
                             .target = {.base = whole},
                             .target_bytes = sizeof whole - 1};
    int error = in->call(&call);
    if (error) return error;
    size_t n = strlen(whole) < (size_t)length - 1 ? strlen(whole) : (size_t)length - 1;
    memcpy(text, whole, n);
    text[n] = '\0';
    return CUDA_SUCCESS;
}

/* *device: the number of the device with the PCI bus id `text`, which travels as the call's
 * payload. */
int shim_find_bus_id(const struct shim_interface *in, enum cuda_call_id id, int *device,
                     const char *text) {
    if (!device || !text) return in->fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {
        .id = id, .source = {.base = (void *)(uintptr_t)text}, .payload_bytes = strlen(text) + 1};
    int error = in->call(&call);
    if (!error) *device = (int)call.out[0];
    return error;
}

/* ---- stream capture */

/* Sets the thread's capture mode to *mode, and writes the previous one there. */
int shim_exchange_capture_mode(const struct shim_interface *in, enum cuda_call_id id, int *mode) {
    if (!mode) return in->fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id, .in = {(uint64_t)*mode}};
    int error = in->call(&call);
    if (!error) *mode = (int)call.out[0];
    return error;
}
