/* shim_driver.c - gives runtime programs the addresses of driver functions
 * (cudaGetDriverEntryPoint).
 *
 * Runs in the program's process, in libcudart.so.N, on the thread of the program that makes the
 * call. It loads Heddle's libcuda.so.1, which lies beside this library, and sends no message. The
 * functions return a cudaError_t; an error also becomes the thread's last error. */
#include <dlfcn.h>

#include "cuda/shim/shim.h"

/* cuGetProcAddress_v2() of libcuda.so.1. */
typedef int (*get_address)(const char *name, void **function, int version, uint64_t flags,
                           int *status);

/* Makes the call `id`, answered here: writes the function's address to *function, NULL if libcuda
 * has none of that name and version, and a cudaDriverEntryPointQueryResult to *status (`status` may
 * be NULL). A missing function is a success. Without flags, a call by its per-thread name asks for
 * the per-thread form. Loads libcuda.so.1 for good; if that fails, prints why and returns
 * cudaErrorSharedObjectInitFailed. */
static int find(enum cuda_call_id id, const char *name, void **function, int version,
                unsigned long long flags, int *status) {
    enum { PER_THREAD_STREAM = 2, NOT_FOUND = HEDDLE_cudaErrorSymbolNotFound };
    get_address get = NULL;
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library) *(void **)&get = dlsym(library, "cuGetProcAddress_v2");
    if (!get) {
        shim_say("error: %s(): %s", shim_call_names[id], dlerror());
        return shim_fail(id, HEDDLE_cudaErrorSharedObjectInitFailed);
    }
    if (shim_self()->per_thread && !flags) flags = PER_THREAD_STREAM;
    shim_local(id);
    int error = name && function ? get(name, function, version, flags, status)
                                 : HEDDLE_cudaErrorInvalidValue;
    if (error == NOT_FOUND) return CUDA_SUCCESS; /* *function and *status say so */
    shim_self()->last_error = error ? error : shim_self()->last_error;
    return error;
}

/* The version is that of this library. */
SHIM_EXPORT int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                        int *status);
int cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                            int *status) {
    bool has_status = HEDDLE_CUDART_VERSION >= 12; /* CUDA 11 calls it without */
    return find(CALL_cudaGetDriverEntryPoint, name, function, SHIM_CUDA_VERSION, flags,
                has_status ? status : NULL);
}

#if HEDDLE_CUDART_VERSION >= 12
SHIM_EXPORT int cudaGetDriverEntryPointByVersion(const char *name, void **function,
                                                 unsigned version, unsigned long long flags,
                                                 int *status);
int cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                     unsigned long long flags, int *status) {
    return find(CALL_cudaGetDriverEntryPointByVersion, name, function, (int)version, flags, status);
}
#endif
