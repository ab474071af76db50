/* ocl_dispatch.c - the dispatch table of the ICD, made from tables/opencl_calls.def, and the
 * look-up of functions by name. */
#include <string.h>

#include "opencl/opencl.h"

static const cl_icd_dispatch table = {
#define OPENCL_SERVED(name, since, note) .name = name,
#define OPENCL_REFUSED(name, since, what) .name = name,
#include "tables/opencl_calls.def"
};

/* The loader's first call. */
CL_API_ENTRY cl_int CL_API_CALL clIcdGetPlatformIDsKHR(cl_uint num_entries,
                                                       cl_platform_id *platforms,
                                                       cl_uint *num_platforms) {
    ocl_use_dispatch(&table);
    return clGetPlatformIDs(num_entries, platforms, num_platforms);
}

/* Only extensions' functions have to be found by name, but programs ask for others too. */
CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddress(const char *name) {
    static const struct {
        const char *name;
        void (*function)(void);
    } rows[] = {
#define OPENCL_SERVED(name, since, note) {#name, (void (*)(void))name},
#include "tables/opencl_calls.def"
        {"clIcdGetPlatformIDsKHR", (void (*)(void))clIcdGetPlatformIDsKHR},
    };
    for (size_t i = 0; name && i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].name, name) == 0) return (void *)(uintptr_t)rows[i].function;
    return NULL;
}

CL_API_ENTRY void *CL_API_CALL clGetExtensionFunctionAddressForPlatform(cl_platform_id platform,
                                                                        const char *name) {
    return ocl_is(platform, OCL_PLATFORM) ? clGetExtensionFunctionAddress(name) : NULL;
}
