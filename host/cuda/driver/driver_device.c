/* driver_device.c - queries about devices. Most answers are parts of the property structure that
 * the runtime's cudaGetDeviceProperties() reads.
 *
 * Runs in the program's process, in libcuda.so.1. Functions with CUDA names implement the driver
 * call of that name, on the thread of the program that makes it. Unless its comment says otherwise,
 * each counts the call, sends the server one message, waits for the answer, and writes results
 * through its pointers only on success. A call that a check here refuses is counted, but its
 * message is not sent. They need no current context.
 *
 * `device` is a device's number, which the server checks. Helpers with an `id` make the call of
 * that number; the pointers that they get must not be NULL, unless their comment says otherwise.
 * All functions return a CUresult and leave the runtime's last error alone. This file keeps no
 * state. */
#include <string.h>

#include "cuda/protocol/device_prop_layout.h"
#include "cuda/driver/driver.h"

enum { LAYOUT = 13, UUID_BYTES = 16, NAME_BYTES = 256 }; /* LAYOUT: cudaDeviceProp of CUDA 13 */

/* Makes the call `id`, which reads all properties of a device into `p`, of `room` bytes, in the
 * layout of CUDA 13. Too little room is cudaErrorUnknown, without a message. */
static int properties(enum cuda_call_id id, int device, unsigned char *p, size_t room) {
    size_t bytes = device_prop_bytes(LAYOUT);
    struct shim_call call = {
        .id = id, .in = {(uint64_t)device, LAYOUT}, .target = {.base = p}, .target_bytes = bytes};
    if (bytes > room) return driver_fail(id, HEDDLE_cudaErrorUnknown);
    return driver_call(&call);
}

/* Makes the call `id`, which reads all properties, and copies the one called `name`, of `bytes`, to
 * `out` on success. `out` NULL is cudaErrorInvalidValue. */
static int property(enum cuda_call_id id, int device, const char *name, void *out, size_t bytes) {
    unsigned char p[2048];
    if (!out) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = properties(id, device, p, sizeof p);
    if (!error) memcpy(out, p + device_prop_offset(LAYOUT, name), bytes);
    return error;
}

/* Writes the name to `name`, cut to `length` bytes with its terminating zero. No room is
 * cudaErrorInvalidValue. */
SHIM_EXPORT int cuDeviceGetName(char *name, int length, int device);
int cuDeviceGetName(char *name, int length, int device) {
    char whole[NAME_BYTES];
    if (!name || length <= 0)
        return driver_fail(CALL_cuDeviceGetName, HEDDLE_cudaErrorInvalidValue);
    int error = property(CALL_cuDeviceGetName, device, "name", whole, sizeof whole);
    if (error) return error;
    size_t n = strnlen(whole, sizeof whole);
    if (n > (size_t)length - 1) n = (size_t)length - 1;
    memcpy(name, whole, n);
    name[n] = '\0';
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    return property(CALL_cuDeviceTotalMem_v2, device, "totalGlobalMem", bytes, sizeof *bytes);
}

SHIM_EXPORT int cuDeviceGetUuid(void *uuid, int device);
int cuDeviceGetUuid(void *uuid, int device) {
    return property(CALL_cuDeviceGetUuid, device, "uuid", uuid, UUID_BYTES);
}
SHIM_EXPORT int cuDeviceGetUuid_v2(void *uuid, int device);
int cuDeviceGetUuid_v2(void *uuid, int device) {
    return property(CALL_cuDeviceGetUuid_v2, device, "uuid", uuid, UUID_BYTES);
}

/* Makes the call `id`, which asks the server for one attribute (CUdevice_attribute), and writes it
 * to *value on success. */
static int ask_attribute(enum cuda_call_id id, int *value, int attribute, int device) {
    struct shim_call call = {.id = id, .in = {(uint64_t)attribute, (uint64_t)device}};
    int error = driver_call(&call);
    if (!error) *value = (int)call.out[0];
    return error;
}

/* Sends two messages, one for each number; the second one counts as no call. *major is written even
 * if the second one fails. */
SHIM_EXPORT int cuDeviceComputeCapability(int *major, int *minor, int device);
int cuDeviceComputeCapability(int *major, int *minor, int device) {
    enum { MAJOR = 75, MINOR }; /* CUdevice_attribute */
    static const enum cuda_call_id id = CALL_cuDeviceComputeCapability;
    if (!major || !minor) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = ask_attribute(id, major, MAJOR, device);
    struct shim_call second = {.id = id, .in = {MINOR, (uint64_t)device}};
    if (!error) error = cuda_result(driver_ask(&second));
    if (!error) *minor = (int)second.out[0];
    return error;
}

struct old_properties { /* CUdevprop; sizes in bytes, clock in kHz */
    int threads_per_block, block[3], grid[3], shared_bytes, const_bytes, warp, pitch, registers,
        clock, texture_align;
};

/* Sends 15 messages: the call's own, which only checks the device here, and one for each of the 14
 * attributes, which count as no calls. *out is written if all succeed. */
SHIM_EXPORT int cuDeviceGetProperties(struct old_properties *out, int device);
int cuDeviceGetProperties(struct old_properties *out, int device) {
    enum { NUMBER = 14 }; /* attributes 1 to 14, in this order */
    static const enum cuda_call_id id = CALL_cuDeviceGetProperties;
    int value[NUMBER];
    unsigned char p[2048];
    _Static_assert(sizeof value == sizeof *out, "one attribute a member");
    if (!out) return driver_fail(id, HEDDLE_cudaErrorInvalidValue);
    int error = properties(id, device, p, sizeof p);
    for (unsigned i = 0; i < NUMBER && !error; i++) {
        struct shim_call call = {.id = CALL_cuDeviceGetAttribute, .in = {i + 1, (uint64_t)device}};
        error = cuda_result(driver_ask(&call));
        value[i] = (int)call.out[0];
    }
    if (!error) memcpy(out, value, sizeof value);
    return error;
}

/* Writes the device's PCI bus id to `text`, cut to `length` bytes with its terminating zero
 * (shim_get_bus_id). */
SHIM_EXPORT int cuDeviceGetPCIBusId(char *text, int length, int device);
int cuDeviceGetPCIBusId(char *text, int length, int device) {
    return shim_get_bus_id(&driver_interface, CALL_cuDeviceGetPCIBusId, text, length, device);
}
/* *device: the device with this PCI bus id (shim_find_bus_id). */
SHIM_EXPORT int cuDeviceGetByPCIBusId(int *device, const char *text);
int cuDeviceGetByPCIBusId(int *device, const char *text) {
    return shim_find_bus_id(&driver_interface, CALL_cuDeviceGetByPCIBusId, device, text);
}
