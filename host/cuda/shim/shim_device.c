/* shim_device.c - the runtime's errors and versions, and its calls whose structures depend on the
 * CUDA version.
 *
 * Runs in the program's process, in libcudart.so.N. Functions with CUDA names implement the runtime
 * call of that name, on the thread of the program that makes it, and count it. Those that use
 * shim_local() are answered here; the others send the server one message and wait for the answer.
 * Unless a comment says otherwise, results are written through their pointers on success only, and
 * a NULL pointer is cudaErrorInvalidValue, without a message. They return a cudaError_t, unless the
 * signature says otherwise; an error also becomes the thread's last error. `device` is a device's
 * number, which the server checks. Helpers with an `id` make the call of that number. */
#include <string.h>

#include "cuda/protocol/device_prop_layout.h"
#include "cuda/shim/shim_twin.h"

/* ---- errors: each thread has a last error; the server keeps the context's sticky one */

/* Makes the call `id`, which asks the server for the context's sticky error, and stores that in the
 * thread's last error if there is one. @return the last error, which stays set. */
static int last_error(enum cuda_call_id id) {
    struct shim_thread *t = shim_self();
    struct shim_call call = {.id = id};
    int before = t->last_error;
    int now = shim_call(&call); /* the server answers with the context's sticky error */
    t->last_error = now ? now : before;
    return t->last_error;
}

/* @return the sticky error or the thread's last error. Clears the last error, not the sticky one.
 */
SHIM_EXPORT int cudaGetLastError(void);
int cudaGetLastError(void) {
    int error = last_error(CALL_cudaGetLastError);
    shim_self()->last_error = CUDA_SUCCESS; /* the next call returns a sticky one again */
    return error;
}

/* As cudaGetLastError(), but leaves the last error set. */
SHIM_EXPORT int cudaPeekAtLastError(void);
int cudaPeekAtLastError(void) {
    return last_error(CALL_cudaPeekAtLastError);
}

/* The texts are static. */
SHIM_EXPORT const char *cudaGetErrorName(int error);
const char *cudaGetErrorName(int error) {
    shim_local(CALL_cudaGetErrorName);
    return cuda_error_name(error);
}

SHIM_EXPORT const char *cudaGetErrorString(int error);
const char *cudaGetErrorString(int error) {
    shim_local(CALL_cudaGetErrorString);
    return cuda_error_text(error);
}

/* ---- versions: the newest minor release of each major one */

SHIM_EXPORT int cudaDriverGetVersion(int *version);
int cudaDriverGetVersion(int *version) {
    if (!version) return shim_fail(CALL_cudaDriverGetVersion, HEDDLE_cudaErrorInvalidValue);
    shim_local(CALL_cudaDriverGetVersion);
    *version = SHIM_CUDA_VERSION;
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cudaRuntimeGetVersion(int *version);
int cudaRuntimeGetVersion(int *version) {
    if (!version) return shim_fail(CALL_cudaRuntimeGetVersion, HEDDLE_cudaErrorInvalidValue);
    shim_local(CALL_cudaRuntimeGetVersion);
    *version = SHIM_CUDA_VERSION;
    return CUDA_SUCCESS;
}

/* ---- structures */

/* Makes the call `id`, which fills the program's structure, of device_prop_bytes(layout) bytes.
 * `layout`: the CUDA version that introduced its form (device_prop_layout.h). */
static int get_properties(enum cuda_call_id id, void *properties, int device, int layout) {
    if (!properties) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    size_t bytes = device_prop_bytes(layout);
    struct shim_call call = {.id = id,
                             .in = {(uint64_t)device, (uint64_t)layout},
                             .target = {.base = properties},
                             .target_bytes = bytes};
    return shim_call(&call);
}

/* In CUDA 12 the old name still takes the old structure, and a new name the new one. In CUDA 13 the
 * old name takes a third structure. */
SHIM_EXPORT int cudaGetDeviceProperties(void *properties, int device);
int cudaGetDeviceProperties(void *properties, int device) {
    return get_properties(CALL_cudaGetDeviceProperties, properties, device,
                          HEDDLE_CUDART_VERSION >= 13 ? 13 : 11);
}

#if HEDDLE_CUDART_VERSION == 12
SHIM_EXPORT int cudaGetDeviceProperties_v2(void *properties, int device);
int cudaGetDeviceProperties_v2(void *properties, int device) {
    return get_properties(CALL_cudaGetDeviceProperties_v2, properties, device, 12);
}
#endif

/* Writes the device's PCI bus id to `text`, cut to `length` bytes with its terminating zero. */
SHIM_EXPORT int cudaDeviceGetPCIBusId(char *text, int length, int device);
int cudaDeviceGetPCIBusId(char *text, int length, int device) {
    return shim_get_bus_id(&shim_runtime_interface, CALL_cudaDeviceGetPCIBusId, text, length,
                           device);
}
/* *device: the device with this PCI bus id. */
SHIM_EXPORT int cudaDeviceGetByPCIBusId(int *device, const char *text);
int cudaDeviceGetByPCIBusId(int *device, const char *text) {
    return shim_find_bus_id(&shim_runtime_interface, CALL_cudaDeviceGetByPCIBusId, device, text);
}

/* Bytes of cudaPointerAttributes: CUDA 13 added a reserve. */
enum { POINTER_ATTRIBUTES_BYTES = HEDDLE_CUDART_VERSION >= 13 ? 88 : 24 };

/* Clears the program's structure, POINTER_ATTRIBUTES_BYTES, and writes the server's answer to its
 * first 24 bytes, even if the call fails: then all is zero. Of registered memory the server knows
 * its own address only, so the host's address is translated back (shim_translate_back, under
 * shim.lock). */
SHIM_EXPORT int cudaPointerGetAttributes(void *attributes, const void *pointer);
int cudaPointerGetAttributes(void *attributes, const void *pointer) {
    if (!attributes) return shim_fail(CALL_cudaPointerGetAttributes, HEDDLE_cudaErrorInvalidValue);
    struct {
        int type, device;
        void *device_pointer, *host_pointer;
    } a = {0};
    struct shim_call call = {.id = CALL_cudaPointerGetAttributes,
                             .in = {(uintptr_t)shim_translate(pointer)},
                             .target = {.base = &a},
                             .target_bytes = sizeof a};
    int error = shim_call(&call);
    a.host_pointer = shim_translate_back(a.host_pointer);
    memset(attributes, 0, POINTER_ATTRIBUTES_BYTES);
    memcpy(attributes, &a, sizeof a);
    return error;
}

/* Sends the list of `count` devices as the call's payload. A negative count or a missing list is
 * cudaErrorInvalidValue. */
SHIM_EXPORT int cudaSetValidDevices(const int *devices, int count);
int cudaSetValidDevices(const int *devices, int count) {
    static const enum cuda_call_id id = CALL_cudaSetValidDevices;
    if (count < 0 || (count && !devices)) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id,
                             .in = {(uint64_t)count},
                             .source = {.base = (void *)(uintptr_t)devices},
                             .payload_bytes = (uint64_t)count * sizeof *devices};
    return shim_call(&call);
}

/* Does not send the wanted properties: the server always answers device 0. */
SHIM_EXPORT int cudaChooseDevice(int *device, const void *properties);
int cudaChooseDevice(int *device, const void *properties) {
    static const enum cuda_call_id id = CALL_cudaChooseDevice;
    if (!device || !properties) return shim_fail(id, HEDDLE_cudaErrorInvalidValue);
    struct shim_call call = {.id = id};
    int error = shim_call(&call);
    if (!error) *device = (int)call.out[0];
    return error;
}

/* Both are answered here. Shared memory always has banks of four bytes, as on all GPUs since
 * Maxwell. Setting has no effect. */
SHIM_EXPORT int cudaDeviceGetSharedMemConfig(int *config);
int cudaDeviceGetSharedMemConfig(int *config) {
    enum { FOUR_BYTES = 1 };
    if (!config) return shim_fail(CALL_cudaDeviceGetSharedMemConfig, HEDDLE_cudaErrorInvalidValue);
    shim_local(CALL_cudaDeviceGetSharedMemConfig);
    *config = FOUR_BYTES;
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cudaDeviceSetSharedMemConfig(int config);
int cudaDeviceSetSharedMemConfig(int config) {
    if (config < 0 || config > 2)
        return shim_fail(CALL_cudaDeviceSetSharedMemConfig, HEDDLE_cudaErrorInvalidValue);
    shim_local(CALL_cudaDeviceSetSharedMemConfig);
    return CUDA_SUCCESS;
}

/* These two mark the part of a run to profile. Heddle counts them only: its report covers the whole
 * run. */
SHIM_EXPORT int cudaProfilerStart(void);
int cudaProfilerStart(void) {
    shim_local(CALL_cudaProfilerStart);
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cudaProfilerStop(void);
int cudaProfilerStop(void) {
    shim_local(CALL_cudaProfilerStop);
    return CUDA_SUCCESS;
}

struct channel_desc { /* cudaChannelFormatDesc: bits of each channel, and its kind */
    int x, y, z, w, kind;
};
SHIM_EXPORT struct channel_desc cudaCreateChannelDesc(int x, int y, int z, int w, int kind);
struct channel_desc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) {
    shim_local(CALL_cudaCreateChannelDesc);
    return (struct channel_desc){x, y, z, w, kind};
}
