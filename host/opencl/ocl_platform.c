/* ocl_platform.c - the platform "Heddle" and its list of devices, which the first call reads from
 * the CUDA driver library. */
#include <string.h>

#include "opencl/opencl.h"

#define EXTENSIONS "cl_khr_icd"

static struct _cl_platform_id platform;

static struct ocl_devices devices;

static void find_devices(void) {
    int count = 0;
    if (cuInit(0) || cuDeviceGetCount(&count)) return;
    if (count > OCL_MAX_DEVICES) {
        ocl_say("%d devices: programs see the first %d", count, OCL_MAX_DEVICES);
        count = OCL_MAX_DEVICES;
    }
    ocl_init(&platform.object, OCL_PLATFORM);
    for (int i = 0; i < count; i++) {
        ocl_init(&devices.device[i].object, OCL_DEVICE);
        devices.device[i].number = i;
    }
    devices.count = (unsigned)count;
}

struct ocl_devices *ocl_devices(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_devices);
    return &devices;
}

int ocl_attribute(const struct _cl_device_id *device, int attribute) {
    atomic_llong *known = &devices.device[device->number].attribute[attribute];
    long long found = atomic_load(known);
    int value = 0;
    if (found) return (int)(uint32_t)found;
    if (cuDeviceGetAttribute(&value, attribute, device->number)) return 0;
    atomic_store(known, 1LL << 32 | (uint32_t)value);
    return value;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms,
                                                 cl_uint *num_platforms) {
    if ((platforms && !num_entries) || (!platforms && !num_platforms)) return CL_INVALID_VALUE;
    if (!ocl_devices()->count) { /* not under `heddle run` */
        if (num_platforms) *num_platforms = 0;
        return CL_PLATFORM_NOT_FOUND_KHR;
    }
    if (platforms) platforms[0] = &platform;
    if (num_platforms) *num_platforms = 1;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id p, cl_platform_info name,
                                                  size_t size, void *value, size_t *size_out) {
    if (p && p != &platform) return CL_INVALID_PLATFORM;
    switch (name) {
    case CL_PLATFORM_PROFILE: return ocl_answer_text(size, value, size_out, "FULL_PROFILE");
    case CL_PLATFORM_VERSION: return ocl_answer_text(size, value, size_out, "OpenCL 1.2 Heddle");
    case CL_PLATFORM_NAME: return ocl_answer_text(size, value, size_out, "Heddle");
    case CL_PLATFORM_VENDOR: return ocl_answer_text(size, value, size_out, "Heddle");
    case CL_PLATFORM_EXTENSIONS: return ocl_answer_text(size, value, size_out, EXTENSIONS);
    case CL_PLATFORM_ICD_SUFFIX_KHR: return ocl_answer_text(size, value, size_out, "HEDDLE");
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceIDs(cl_platform_id p, cl_device_type type,
                                               cl_uint num_entries, cl_device_id *out,
                                               cl_uint *num_devices) {
    const cl_device_type known = CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU |
                                 CL_DEVICE_TYPE_ACCELERATOR | CL_DEVICE_TYPE_CUSTOM |
                                 CL_DEVICE_TYPE_DEFAULT;
    struct ocl_devices *all = ocl_devices();
    if (p && p != &platform) return CL_INVALID_PLATFORM;
    if (type != CL_DEVICE_TYPE_ALL && (!type || (type & ~known))) return CL_INVALID_DEVICE_TYPE;
    if ((out && !num_entries) || (!out && !num_devices)) return CL_INVALID_VALUE;
    unsigned count = type & (CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_DEFAULT) ? all->count : 0;
    if (num_devices) *num_devices = count;
    for (unsigned i = 0; out && i < count && i < num_entries; i++) out[i] = &all->device[i];
    return count ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadCompiler(void) {
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clUnloadPlatformCompiler(cl_platform_id p) {
    return p == &platform ? CL_SUCCESS : CL_INVALID_PLATFORM;
}
