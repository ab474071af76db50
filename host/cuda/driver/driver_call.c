/* driver_call.c - errors of the driver API, and how its calls are made. */
#include <string.h>

#include "cuda/driver/driver.h"

/* ---- errors */

int driver_result(int error) {
    switch (error) {
    case HEDDLE_cudaErrorInvalidSymbol: return RESULT_NOT_FOUND;
    case HEDDLE_cudaErrorInvalidDeviceFunction: return HEDDLE_cudaErrorInvalidResourceHandle;
    case HEDDLE_cudaErrorInvalidConfiguration:
    case HEDDLE_cudaErrorInvalidPitchValue:
    case HEDDLE_cudaErrorInvalidHostPointer:
    case HEDDLE_cudaErrorInvalidDevicePointer:
    case HEDDLE_cudaErrorInvalidTexture:
    case HEDDLE_cudaErrorInvalidTextureBinding:
    case HEDDLE_cudaErrorInvalidChannelDescriptor:
    case HEDDLE_cudaErrorInvalidMemcpyDirection:
    case HEDDLE_cudaErrorInvalidFilterSetting:
    case HEDDLE_cudaErrorInvalidNormSetting:
    case HEDDLE_cudaErrorInvalidSurface: return HEDDLE_cudaErrorInvalidValue;
    default: return error;
    }
}

/* The formatter would draw the #include behind a macro into it. */
/* clang-format off */
static const char *result_name(int result) {
    switch (result) {
#define CU_RESULT(name, value) \
    case value: return #name;
#include "tables/cuda_results.def"
    default: return NULL;
    }
}
/* clang-format on */

SHIM_EXPORT int cuGetErrorName(int result, const char **name);
int cuGetErrorName(int result, const char **name) {
    if (!name) return HEDDLE_cudaErrorInvalidValue;
    shim_local(CALL_cuGetErrorName);
    *name = result_name(result);
    return *name ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidValue;
}

SHIM_EXPORT int cuGetErrorString(int result, const char **text);
int cuGetErrorString(int result, const char **text) {
    if (!text) return HEDDLE_cudaErrorInvalidValue;
    shim_local(CALL_cuGetErrorString);
    *text = result_name(result) ? cuda_error_text(result) : NULL;
    return *text ? CUDA_SUCCESS : HEDDLE_cudaErrorInvalidValue;
}

/* ---- start */

static bool initialized;

__attribute__((constructor)) static void load(void) {
    shim_attach("libcuda.so.1", 0);
}

SHIM_EXPORT int cuInit(unsigned flags);
int cuInit(unsigned flags) {
    if (flags) return driver_fail(CALL_cuInit, HEDDLE_cudaErrorInvalidValue);
    int error = shim_ready();
    if (error) return driver_fail(CALL_cuInit, error);
    shim_local(CALL_cuInit);
    initialized = true;
    return CUDA_SUCCESS;
}

SHIM_EXPORT int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version) {
    if (!version) return driver_fail(CALL_cuDriverGetVersion, HEDDLE_cudaErrorInvalidValue);
    shim_local(CALL_cuDriverGetVersion);
    *version = DRIVER_VERSION;
    return CUDA_SUCCESS;
}

/* ---- calls */

int driver_ready(enum cuda_call_id id) {
    if (!initialized && !shim_self()->uses_runtime) return RESULT_NOT_INITIALIZED;
    if (strncmp(shim_call_names[id], "cuDevice", 8) == 0) return CUDA_SUCCESS;
    return driver_current() ? CUDA_SUCCESS : RESULT_INVALID_CONTEXT;
}

int driver_local(enum cuda_call_id id) {
    int error = driver_ready(id);
    if (!error) shim_local(id);
    return error ? driver_fail(id, error) : CUDA_SUCCESS;
}

int driver_fail(enum cuda_call_id id, int error) {
    DRIVER_KEEPING_LAST_ERROR(shim_fail(id, error));
    return driver_result(error);
}

int driver_refuse(enum cuda_call_id id) {
    DRIVER_KEEPING_LAST_ERROR(shim_refuse(id));
    return RESULT_NOT_SUPPORTED;
}

int driver_call(struct shim_call *call) {
    int error = driver_ready(call->id);
    if (error) return driver_fail(call->id, error);
    DRIVER_KEEPING_LAST_ERROR(error = shim_call(call));
    if (!error) driver_note(driver_current(), call);
    return driver_result(error);
}

int driver_ask(struct shim_call *call) {
    int error = shim_ready();
    return error ? error : shim_exchange(call, WIRE_CALL);
}

/* Tells a profiler where to begin and end. There is none; the report covers the whole run. */
SHIM_EXPORT int cuProfilerStart(void);
int cuProfilerStart(void) {
    return driver_local(CALL_cuProfilerStart);
}
SHIM_EXPORT int cuProfilerStop(void);
int cuProfilerStop(void) {
    return driver_local(CALL_cuProfilerStop);
}
