/* ocl_cuda.h - the calls of Heddle's CUDA driver library (libcuda.so.1) that the OpenCL platform
 * makes. All return a CUresult. Sizes are bytes; addresses are the device's. */
#ifndef HEDDLE_OPENCL_OCL_CUDA_H
#define HEDDLE_OPENCL_OCL_CUDA_H

#include <stddef.h>
#include <stdint.h>

struct cu_context;
struct cu_stream;
struct cu_event;
struct cu_module;
struct cu_function;

enum {
    CU_OUT_OF_MEMORY = 2,
    CU_NOT_READY = 600,
    CU_STREAM_NON_BLOCKING = 1,
    CU_MEMORY_HOST = 1,
    CU_MEMORY_DEVICE = 2,
    CU_MEMORY_ARRAY = 3,
    /* enum CUfunction_attribute */
    CU_FUNCTION_MAX_THREADS = 0,
    CU_FUNCTION_SHARED_BYTES = 1,
    CU_FUNCTION_LOCAL_BYTES = 3,
};
/* enum CUdevice_attribute */
enum {
    CU_MAX_THREADS_PER_BLOCK = 1,
    CU_MAX_BLOCK_DIM_X = 2,
    CU_MAX_GRID_DIM_X = 5,
    CU_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_CONSTANT_MEMORY = 9,
    CU_WARP_SIZE = 10,
    CU_MAX_REGISTERS_PER_BLOCK = 12,
    CU_CLOCK_KHZ = 13,
    CU_MULTIPROCESSORS = 16,
    CU_INTEGRATED = 18,
    CU_ECC = 32,
    CU_PCI_BUS = 33,
    CU_PCI_DEVICE = 34,
    CU_L2_BYTES = 38,
    CU_ASYNC_ENGINES = 40,
    CU_CAPABILITY_MAJOR = 75,
    CU_CAPABILITY_MINOR = 76,
    OCL_ATTRIBUTES = 128, /* numbers from 0 on */
};

/* CUDA_MEMCPY3D */
struct cu_copy3d {
    size_t src_x, src_y, src_z, src_lod;
    unsigned src_type;
    const void *src_host;
    uint64_t src_device;
    void *src_array, *reserved0;
    size_t src_pitch, src_height;
    size_t dst_x, dst_y, dst_z, dst_lod;
    unsigned dst_type;
    void *dst_host;
    uint64_t dst_device;
    void *dst_array, *reserved1;
    size_t dst_pitch, dst_height;
    size_t width, height, depth; /* width in bytes */
};

/* CUDA_ARRAY3D_DESCRIPTOR: extents in texels; 0: no such dimension. */
struct cu_array {
    size_t width, height, depth;
    int format; /* CUarray_format */
    unsigned channels, flags;
};
enum { CU_ARRAY_LAYERED = 1, CU_ARRAY_SURFACE = 2 };

/* CUDA_RESOURCE_DESC */
struct cu_resource {
    int type;
    union {
        void *array;
        struct {
            uint64_t address;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        int reserved[32];
    } of;
    unsigned flags;
};
enum { CU_RESOURCE_ARRAY = 0, CU_RESOURCE_LINEAR = 2 };

/* CUDA_TEXTURE_DESC */
struct cu_texture {
    int address[3], filter;
    unsigned flags, anisotropy;
    int mip_filter;
    float lod_bias, lod_min, lod_max, border[4];
    int reserved[12];
};
enum { CU_WRAP, CU_CLAMP, CU_MIRROR, CU_BORDER };
enum { CU_READ_AS_INTEGER = 1, CU_NORMALIZED_COORDINATES = 2 };

int cuInit(unsigned flags);
int cuGetErrorName(int error, const char **name);
int cuDeviceGetCount(int *count);
int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDevicePrimaryCtxRetain(struct cu_context **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuCtxSetCurrent(struct cu_context *context);
int cuCtxSynchronize(void);
int cuStreamCreate(struct cu_stream **stream, unsigned flags);
int cuStreamDestroy_v2(struct cu_stream *stream);
int cuStreamSynchronize(struct cu_stream *stream);
int cuStreamWaitEvent(struct cu_stream *stream, struct cu_event *event, unsigned flags);
int cuEventCreate(struct cu_event **event, unsigned flags);
int cuEventDestroy_v2(struct cu_event *event);
int cuEventRecord(struct cu_event *event, struct cu_stream *stream);
int cuEventQuery(struct cu_event *event);
int cuEventSynchronize(struct cu_event *event);
int cuEventElapsedTime(float *milliseconds, struct cu_event *start, struct cu_event *end);
int cuMemAlloc_v2(uint64_t *address, size_t bytes);
int cuMemFree_v2(uint64_t address);
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes);
int cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t bytes, struct cu_stream *stream);
int cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t bytes, struct cu_stream *stream);
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, struct cu_stream *stream);
int cuMemcpy3DAsync_v2(const struct cu_copy3d *copy, struct cu_stream *stream);
int cuMemsetD8Async(uint64_t to, unsigned char value, size_t count, struct cu_stream *stream);
int cuMemsetD16Async(uint64_t to, unsigned short value, size_t count, struct cu_stream *stream);
int cuMemsetD32Async(uint64_t to, unsigned value, size_t count, struct cu_stream *stream);
int cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned value, size_t width, size_t height,
                       struct cu_stream *stream);
int cuArray3DCreate_v2(void **array, const struct cu_array *descriptor);
int cuArrayDestroy(void *array);
int cuTexObjectCreate(uint64_t *object, const struct cu_resource *resource,
                      const struct cu_texture *texture, const void *view);
int cuTexObjectDestroy(uint64_t object);
int cuSurfObjectCreate(uint64_t *object, const struct cu_resource *resource);
int cuSurfObjectDestroy(uint64_t object);
int cuModuleLoadData(struct cu_module **module, const void *image);
int cuModuleUnload(struct cu_module *module);
int cuModuleGetFunction(struct cu_function **function, struct cu_module *module, const char *name);
int cuModuleGetGlobal_v2(uint64_t *address, size_t *bytes, struct cu_module *module,
                         const char *name);
int cuFuncGetAttribute(int *value, int attribute, struct cu_function *function);
int cuFuncGetParamInfo(struct cu_function *function, size_t index, size_t *offset, size_t *bytes);
int cuLaunchKernel(struct cu_function *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                   unsigned by, unsigned bz, unsigned shared_bytes, struct cu_stream *stream,
                   void **parameters, void **extra);

#endif
