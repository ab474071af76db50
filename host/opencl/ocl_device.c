/* ocl_device.c - what a device says of itself; the values come from the GPU's description through
 * the CUDA driver library. */
#include <stdio.h>
#include <string.h>

#include "opencl/opencl.h"

#define EXTENSIONS                                                           \
    "cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics " \
    "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics "   \
    "cl_khr_int64_base_atomics cl_khr_int64_extended_atomics "               \
    "cl_khr_byte_addressable_store cl_khr_fp64 cl_khr_3d_image_writes "      \
    "cl_nv_device_attribute_query"

/* cl_nv_device_attribute_query: programs for NVIDIA's GPUs ask for it. */
enum {
    NV_COMPUTE_CAPABILITY_MAJOR = 0x4000,
    NV_COMPUTE_CAPABILITY_MINOR = 0x4001,
    NV_REGISTERS_PER_BLOCK = 0x4002,
    NV_WARP_SIZE = 0x4003,
    NV_GPU_OVERLAP = 0x4004,
    NV_KERNEL_EXEC_TIMEOUT = 0x4005,
    NV_INTEGRATED_MEMORY = 0x4006,
    NV_ASYNC_ENGINES = 0x4007,
    NV_PCI_BUS_ID = 0x4008,
    NV_PCI_SLOT_ID = 0x4009,
};

#define ANSWER(type, ...)                                                   \
    do {                                                                    \
        const type answer_ = (__VA_ARGS__);                                 \
        return ocl_answer(size, value, size_out, &answer_, sizeof answer_); \
    } while (0)
#define TEXT(text) return ocl_answer_text(size, value, size_out, text)

static size_t total_memory(cl_device_id d) {
    size_t bytes = 0;
    return cuDeviceTotalMem_v2(&bytes, d->number) ? 0 : bytes;
}

/* Names, versions and lists. @return CL_INVALID_VALUE: none of these. */
static cl_int text_info(cl_device_id d, cl_device_info name, size_t size, void *value,
                        size_t *size_out) {
    char text[256] = "";
    switch (name) {
    case CL_DEVICE_NAME:
        if (cuDeviceGetName(text, sizeof text, d->number)) return CL_OUT_OF_RESOURCES;
        TEXT(text);
    case CL_DEVICE_VENDOR: TEXT("Heddle");
    case CL_DRIVER_VERSION: TEXT(HEDDLE_VERSION);
    case CL_DEVICE_PROFILE: TEXT("FULL_PROFILE");
    case CL_DEVICE_VERSION: TEXT("OpenCL 1.2 Heddle");
    case CL_DEVICE_OPENCL_C_VERSION: TEXT("OpenCL C 1.2 clang");
    case CL_DEVICE_EXTENSIONS: TEXT(EXTENSIONS);
    case CL_DEVICE_BUILT_IN_KERNELS: TEXT("");
    case CL_DEVICE_PLATFORM: {
        cl_platform_id p = NULL;
        clGetPlatformIDs(1, &p, NULL);
        ANSWER(cl_platform_id, p);
    }
    case CL_DEVICE_PARTITION_PROPERTIES: ANSWER(cl_device_partition_property, 0);
    case CL_DEVICE_PARTITION_TYPE: return ocl_answer(size, value, size_out, NULL, 0);
    case CL_DEVICE_PARTITION_AFFINITY_DOMAIN: ANSWER(cl_device_affinity_domain, 0);
    case CL_DEVICE_PARENT_DEVICE: ANSWER(cl_device_id, NULL);
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
        size_t sizes[3];
        for (int i = 0; i < 3; i++) sizes[i] = (size_t)ocl_attribute(d, CU_MAX_BLOCK_DIM_X + i);
        return ocl_answer(size, value, size_out, sizes, sizeof sizes);
    }
    }
    return CL_INVALID_VALUE;
}

/* Memory: sizes in bytes. @return CL_INVALID_VALUE: none of these. */
static cl_int memory_info(cl_device_id d, cl_device_info name, size_t size, void *value,
                          size_t *size_out) {
    switch (name) {
    case CL_DEVICE_GLOBAL_MEM_SIZE: ANSWER(cl_ulong, total_memory(d));
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE: ANSWER(cl_ulong, total_memory(d) / 4);
    case CL_DEVICE_GLOBAL_MEM_CACHE_TYPE: ANSWER(cl_device_mem_cache_type, CL_READ_WRITE_CACHE);
    case CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE: ANSWER(cl_uint, 128);
    case CL_DEVICE_GLOBAL_MEM_CACHE_SIZE: ANSWER(cl_ulong, (cl_ulong)ocl_attribute(d, CU_L2_BYTES));
    case CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE:
        ANSWER(cl_ulong, (cl_ulong)ocl_attribute(d, CU_CONSTANT_MEMORY));
    case CL_DEVICE_MAX_CONSTANT_ARGS: ANSWER(cl_uint, 9);
    case CL_DEVICE_LOCAL_MEM_TYPE: ANSWER(cl_device_local_mem_type, CL_LOCAL);
    case CL_DEVICE_LOCAL_MEM_SIZE:
        ANSWER(cl_ulong, (cl_ulong)ocl_attribute(d, CU_MAX_SHARED_MEMORY_PER_BLOCK));
    case CL_DEVICE_ERROR_CORRECTION_SUPPORT: ANSWER(cl_bool, ocl_attribute(d, CU_ECC) != 0);
    case CL_DEVICE_HOST_UNIFIED_MEMORY: ANSWER(cl_bool, ocl_attribute(d, CU_INTEGRATED) != 0);
    case CL_DEVICE_MEM_BASE_ADDR_ALIGN: ANSWER(cl_uint, OCL_ADDRESS_ALIGN * 8);
    case CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE: ANSWER(cl_uint, 128);
    case CL_DEVICE_MAX_PARAMETER_SIZE: ANSWER(size_t, 4096);
    case CL_DEVICE_PRINTF_BUFFER_SIZE: ANSWER(size_t, 1 << 20);
    case CL_DEVICE_PREFERRED_INTEROP_USER_SYNC: ANSWER(cl_bool, CL_TRUE);
    case CL_DEVICE_IMAGE_SUPPORT: ANSWER(cl_bool, CL_TRUE);
    case CL_DEVICE_MAX_READ_IMAGE_ARGS: ANSWER(cl_uint, OCL_MAX_IMAGES);
    case CL_DEVICE_MAX_WRITE_IMAGE_ARGS: ANSWER(cl_uint, OCL_MAX_IMAGES);
    case CL_DEVICE_MAX_SAMPLERS: ANSWER(cl_uint, OCL_SAMPLERS);
    case CL_DEVICE_IMAGE2D_MAX_WIDTH: ANSWER(size_t, OCL_MAX_IMAGE_WIDTH);
    case CL_DEVICE_IMAGE2D_MAX_HEIGHT: ANSWER(size_t, OCL_MAX_IMAGE_HEIGHT);
    case CL_DEVICE_IMAGE3D_MAX_WIDTH:
    case CL_DEVICE_IMAGE3D_MAX_HEIGHT:
    case CL_DEVICE_IMAGE3D_MAX_DEPTH: ANSWER(size_t, OCL_MAX_VOLUME);
    case CL_DEVICE_IMAGE_MAX_BUFFER_SIZE: ANSWER(size_t, OCL_MAX_IMAGE_BUFFER);
    case CL_DEVICE_IMAGE_MAX_ARRAY_SIZE: ANSWER(size_t, OCL_MAX_IMAGE_LAYERS);
    }
    return CL_INVALID_VALUE;
}

static cl_int nvidia_info(cl_device_id d, cl_device_info name, size_t size, void *value,
                          size_t *size_out) {
    static const struct {
        cl_device_info name;
        int attribute;
    } rows[] = {
        {NV_COMPUTE_CAPABILITY_MAJOR, CU_CAPABILITY_MAJOR},
        {NV_COMPUTE_CAPABILITY_MINOR, CU_CAPABILITY_MINOR},
        {NV_REGISTERS_PER_BLOCK, CU_MAX_REGISTERS_PER_BLOCK},
        {NV_WARP_SIZE, CU_WARP_SIZE},
        {NV_PCI_BUS_ID, CU_PCI_BUS},
        {NV_PCI_SLOT_ID, CU_PCI_DEVICE},
        {NV_INTEGRATED_MEMORY, CU_INTEGRATED},
        {NV_ASYNC_ENGINES, CU_ASYNC_ENGINES},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (rows[i].name == name) ANSWER(cl_uint, (cl_uint)ocl_attribute(d, rows[i].attribute));
    if (name == NV_GPU_OVERLAP) ANSWER(cl_bool, CL_TRUE);
    if (name == NV_KERNEL_EXEC_TIMEOUT) ANSWER(cl_bool, CL_FALSE);
    return CL_INVALID_VALUE;
}

static cl_int compute_info(cl_device_id d, cl_device_info name, size_t size, void *value,
                           size_t *size_out) {
    const cl_device_fp_config fp = CL_FP_DENORM | CL_FP_INF_NAN | CL_FP_ROUND_TO_NEAREST |
                                   CL_FP_ROUND_TO_ZERO | CL_FP_ROUND_TO_INF | CL_FP_FMA;
    switch (name) {
    case CL_DEVICE_TYPE: ANSWER(cl_device_type, CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_VENDOR_ID: ANSWER(cl_uint, 0x10de); /* programs choose code by it */
    case CL_DEVICE_MAX_COMPUTE_UNITS:
        ANSWER(cl_uint, (cl_uint)ocl_attribute(d, CU_MULTIPROCESSORS));
    case CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS: ANSWER(cl_uint, 3);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE:
        ANSWER(size_t, (size_t)ocl_attribute(d, CU_MAX_THREADS_PER_BLOCK));
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_INT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE: ANSWER(cl_uint, 1);
    case CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF:
    case CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF: ANSWER(cl_uint, 0);
    case CL_DEVICE_MAX_CLOCK_FREQUENCY:
        ANSWER(cl_uint, (cl_uint)ocl_attribute(d, CU_CLOCK_KHZ) / 1000);
    case CL_DEVICE_ADDRESS_BITS: ANSWER(cl_uint, 64);
    case CL_DEVICE_SINGLE_FP_CONFIG:
        ANSWER(cl_device_fp_config, fp | CL_FP_CORRECTLY_ROUNDED_DIVIDE_SQRT);
    case CL_DEVICE_DOUBLE_FP_CONFIG: ANSWER(cl_device_fp_config, fp);
    case CL_DEVICE_HALF_FP_CONFIG: ANSWER(cl_device_fp_config, 0);
    case CL_DEVICE_PROFILING_TIMER_RESOLUTION: ANSWER(size_t, 1000);
    case CL_DEVICE_ENDIAN_LITTLE:
    case CL_DEVICE_AVAILABLE:
    case CL_DEVICE_COMPILER_AVAILABLE:
    case CL_DEVICE_LINKER_AVAILABLE: ANSWER(cl_bool, CL_TRUE);
    case CL_DEVICE_EXECUTION_CAPABILITIES: ANSWER(cl_device_exec_capabilities, CL_EXEC_KERNEL);
    case CL_DEVICE_QUEUE_PROPERTIES:
        ANSWER(cl_command_queue_properties,
               CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE);
    case CL_DEVICE_REFERENCE_COUNT: ANSWER(cl_uint, 1);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: ANSWER(cl_uint, 0);
    }
    return CL_INVALID_VALUE;
}

CL_API_ENTRY cl_int CL_API_CALL clGetDeviceInfo(cl_device_id d, cl_device_info name, size_t size,
                                                void *value, size_t *size_out) {
    static cl_int (*const parts[])(cl_device_id, cl_device_info, size_t, void *,
                                   size_t *) = {compute_info, text_info, memory_info, nvidia_info};
    if (!ocl_is(d, OCL_DEVICE)) return CL_INVALID_DEVICE;
    cl_int error = CL_INVALID_VALUE;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && error == CL_INVALID_VALUE; i++)
        error = parts[i](d, name, size, value, size_out);
    return error;
}

/* Devices are the platform's own: counts have no effect. */
CL_API_ENTRY cl_int CL_API_CALL clRetainDevice(cl_device_id d) {
    return ocl_is(d, OCL_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

CL_API_ENTRY cl_int CL_API_CALL clReleaseDevice(cl_device_id d) {
    return ocl_is(d, OCL_DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}
