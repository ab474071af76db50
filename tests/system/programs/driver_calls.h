/* driver_calls.h - declares the driver API with CUDA 13's ABI, so that gcc alone can build the test
 * programs. Handles are void *. */
#ifndef TEST_DRIVER_CALLS_H
#define TEST_DRIVER_CALLS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- structures */

struct cu_array { /* CUDA_ARRAY_DESCRIPTOR */
    size_t width, height;
    int format;
    unsigned channels;
};
struct cu_array3d { /* CUDA_ARRAY3D_DESCRIPTOR */
    size_t width, height, depth;
    int format;
    unsigned channels, flags;
};
struct cu_flat_side {
    size_t x, y;
    int type;
    const void *host;
    void *device, *array;
    size_t pitch;
};
struct cu_flat { /* CUDA_MEMCPY2D */
    struct cu_flat_side src, dst;
    size_t width, height;
};
struct cu_box_side {
    size_t x, y, z, lod;
    int type;
    const void *host;
    void *device, *array, *reserved;
    size_t pitch, height;
};
struct cu_box { /* CUDA_MEMCPY3D */
    struct cu_box_side src, dst;
    size_t width, height, depth;
};
struct cu_resource { /* CUDA_RESOURCE_DESC */
    int type;
    union {
        void *array;
        struct {
            void *address;
            int format;
            unsigned channels;
            size_t bytes;
        } linear;
        struct {
            void *address;
            int format;
            unsigned channels;
            size_t width, height, pitch;
        } pitched;
        int reserved[32];
    } of;
    unsigned flags;
};
struct cu_texture { /* CUDA_TEXTURE_DESC */
    int address[3], filter;
    unsigned flags, anisotropy;
    int mip_filter;
    float bias, min, max, border[4];
    int reserved[12];
};
struct cu_attribute { /* CUlaunchAttribute */
    int id, pad;
    union {
        char bytes[64];
        int number;
        unsigned dim[3];
    } value;
};
struct cu_config { /* CUlaunchConfig */
    unsigned grid[3], block[3], shared;
    void *stream;
    struct cu_attribute *attributes;
    unsigned num_attributes;
};
struct cu_properties { /* CUdevprop */
    int threads, block[3], grid[3], shared, constant, warp, pitch, registers, clock, align;
};

/* ---- start, devices, errors */
int cuInit(unsigned flags);
int cuDriverGetVersion(int *version);
int cuGetErrorName(int result, const char **name);
int cuGetErrorString(int result, const char **text);
int cuGetProcAddress(const char *name, void **function, int version, uint64_t flags);
int cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags,
                        int *status);
int cuGetExportTable(const void **table, const void *id);
int cuProfilerStart(void);
int cuProfilerStop(void);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetCount(int *count);
int cuDeviceGetName(char *name, int length, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceTotalMem_v2(size_t *bytes, int device);
int cuDeviceGetUuid(void *uuid, int device);
int cuDeviceGetUuid_v2(void *uuid, int device);
int cuDeviceGetProperties(struct cu_properties *p, int device);
int cuDeviceComputeCapability(int *major, int *minor, int device);
int cuDeviceGetPCIBusId(char *text, int length, int device);
int cuDeviceGetByPCIBusId(int *device, const char *text);
int cuDeviceCanAccessPeer(int *can, int device, int peer);
int cuDeviceGetP2PAttribute(int *value, int attribute, int device, int peer);
int cuDeviceGetDefaultMemPool(void **pool, int device);
int cuDeviceGetMemPool(void **pool, int device);
int cuDeviceSetMemPool(int device, void *pool);
int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxReset_v2(int device);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuDevicePrimaryCtxSetFlags_v2(int device, unsigned flags);

/* ---- contexts */
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxCreate_v3(void **context, void *affinity, int count, unsigned flags, int device);
int cuCtxCreate_v4(void **context, void *parameters, unsigned flags, int device);
int cuCtxDestroy_v2(void *context);
int cuCtxPushCurrent_v2(void *context);
int cuCtxPopCurrent_v2(void **context);
int cuCtxSetCurrent(void *context);
int cuCtxGetCurrent(void **context);
int cuCtxGetDevice(int *device);
int cuCtxGetDevice_v2(int *device, void *context);
int cuCtxSynchronize_v2(void *context);
int cuCtxGetApiVersion(void *context, unsigned *version);
int cuCtxGetFlags(unsigned *flags);
int cuCtxGetId(void *context, unsigned long long *id);
int cuCtxGetSharedMemConfig(int *config);
int cuCtxSetSharedMemConfig(int config);
int cuCtxSynchronize(void);
int cuCtxGetLimit(size_t *value, int limit);
int cuCtxSetLimit(int limit, size_t value);
int cuCtxGetCacheConfig(int *config);
int cuCtxSetCacheConfig(int config);
int cuCtxGetStreamPriorityRange(int *least, int *greatest);
int cuCtxEnablePeerAccess(void *context, unsigned flags);
int cuCtxDisablePeerAccess(void *context);

/* ---- device code */
int cuModuleLoad(void **module, const char *file);
int cuModuleLoadData(void **module, const void *image);
int cuModuleLoadDataEx(void **module, const void *image, unsigned n, int *option, void **value);
int cuModuleLoadFatBinary(void **module, const void *image);
int cuModuleUnload(void *module);
int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetGlobal_v2(void **address, size_t *bytes, void *module, const char *name);
int cuModuleGetLoadingMode(int *mode);
int cuLibraryLoadData(void **library, const void *image, int *option, void **value, unsigned n,
                      int *library_option, void **library_value, unsigned library_n);
int cuLibraryLoadFromFile(void **library, const char *file, int *option, void **value, unsigned n,
                          int *library_option, void **library_value, unsigned library_n);
int cuLibraryUnload(void *library);
int cuLibraryGetKernel(void **kernel, void *library, const char *name);
int cuLibraryGetGlobal(void **address, size_t *bytes, void *library, const char *name);
int cuLibraryGetModule(void **module, void *library);
int cuLinkCreate_v2(unsigned n, int *option, void **value, void **state);
int cuLinkAddData_v2(void *state, int type, void *data, size_t bytes, const char *name, unsigned n,
                     int *option, void **value);
int cuLinkAddFile_v2(void *state, int type, const char *file, unsigned n, int *option,
                     void **value);
int cuLinkComplete(void *state, void **output, size_t *bytes);
int cuLinkDestroy(void *state);
int cuFuncGetName(const char **name, void *function);
int cuFuncGetModule(void **module, void *function);
int cuFuncGetParamInfo(void *function, size_t index, size_t *offset, size_t *bytes);
int cuFuncGetAttribute(int *value, int attribute, void *function);
int cuFuncSetAttribute(void *function, int attribute, int value);
int cuFuncSetCacheConfig(void *function, int config);
int cuFuncSetSharedMemConfig(void *function, int config);
int cuFuncLoad(void *function);
int cuFuncIsLoaded(int *state, void *function);
int cuKernelGetFunction(void **function, void *kernel);
int cuKernelGetLibrary(void **library, void *kernel);
int cuKernelGetName(const char **name, void *kernel);
int cuKernelGetParamInfo(void *kernel, size_t index, size_t *offset, size_t *bytes);
int cuKernelGetAttribute(int *value, int attribute, void *kernel, int device);
int cuKernelSetAttribute(int attribute, int value, void *kernel, int device);
int cuKernelSetCacheConfig(void *kernel, int config, int device);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, void *f, int size, size_t shared);
int cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, void *f, int size,
                                                         size_t shared, unsigned flags);
int cuOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, void *f, int blocks, int size);
int cuOccupancyMaxPotentialBlockSize(int *grid, int *block, void *f, size_t (*bytes_of)(int),
                                     size_t shared, int limit);
int cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, void *f,
                                              size_t (*bytes_of)(int), size_t shared, int limit,
                                              unsigned flags);

/* ---- memory */
int cuMemAlloc_v2(void *pointer, size_t bytes);
int cuMemAllocPitch_v2(void *pointer, size_t *pitch, size_t width, size_t height, unsigned size);
int cuMemAllocManaged(void *pointer, size_t bytes, unsigned flags);
int cuMemAllocHost_v2(void *pointer, size_t bytes);
int cuMemHostAlloc(void *pointer, size_t bytes, unsigned flags);
int cuMemFree_v2(void *pointer);
int cuMemFreeHost(void *pointer);
int cuMemHostRegister_v2(void *pointer, size_t bytes, unsigned flags);
int cuMemHostUnregister(void *pointer);
int cuMemHostGetDevicePointer_v2(void *device, void *host, unsigned flags);
int cuMemHostGetFlags(unsigned *flags, void *host);
int cuMemGetInfo_v2(size_t *available, size_t *total);
int cuMemGetAddressRange_v2(void *base, size_t *bytes, void *pointer);
int cuMemPoolDestroy(void *pool);
int cuMemPoolTrimTo(void *pool, size_t bytes);
int cuPointerGetAttribute(void *value, int attribute, const void *pointer);
int cuPointerGetAttributes(unsigned n, int *attribute, void **value, const void *pointer);

/* ---- arrays */
int cuArrayCreate_v2(void **array, const struct cu_array *d);
int cuArray3DCreate_v2(void **array, const struct cu_array3d *d);
int cuArrayDestroy(void *array);
int cuArrayGetDescriptor_v2(struct cu_array *d, void *array);
int cuArray3DGetDescriptor_v2(struct cu_array3d *d, void *array);
int cuMipmappedArrayCreate(void **array, const struct cu_array3d *d, unsigned levels);
int cuMipmappedArrayGetLevel(void **level, void *array, unsigned n);
int cuMipmappedArrayDestroy(void *array);
int cuTexObjectCreate(uint64_t *object, const struct cu_resource *r, const struct cu_texture *t,
                      const void *view);
int cuTexObjectDestroy(uint64_t object);
int cuSurfObjectCreate(uint64_t *object, const struct cu_resource *r);
int cuSurfObjectDestroy(uint64_t object);

/* ---- streams, events, graphs */
int cuStreamCreate(void **stream, unsigned flags);
int cuStreamCreateWithPriority(void **stream, unsigned flags, int priority);
int cuStreamDestroy_v2(void *stream);
int cuEventCreate(void **event, unsigned flags);
int cuEventQuery(void *event);
int cuEventSynchronize(void *event);
int cuEventElapsedTime(float *ms, void *from, void *to);
int cuEventElapsedTime_v2(float *ms, void *from, void *to);
int cuEventDestroy_v2(void *event);
int cuGraphCreate(void **graph, unsigned flags);
int cuGraphDestroy(void *graph);
int cuGraphClone(void **clone, void *graph);
int cuGraphNodeFindInClone(void **node, void *original, void *clone);
int cuGraphDestroyNode(void *node);
int cuGraphNodeGetType(void *node, int *type);
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cuGraphExecDestroy(void *exec);
int cuGraphExecGetFlags(void *exec, uint64_t *flags);
int cuGraphNodeSetEnabled(void *exec, void *node, unsigned enabled);
int cuGraphNodeGetEnabled(void *exec, void *node, unsigned *enabled);

/* ---- calls that have a form for default streams per thread; `ds`, `sz`: its suffix, or nothing */
#define GRID \
    unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared
#define STREAM_CALLS(ds, sz)                                                                       \
    int cuMemcpy##ds(void *dst, const void *src, size_t n);                                        \
    int cuMemcpyAsync##sz(void *dst, const void *src, size_t n, void *s);                          \
    int cuMemcpyHtoD_v2##ds(void *dst, const void *src, size_t n);                                 \
    int cuMemcpyDtoH_v2##ds(void *dst, const void *src, size_t n);                                 \
    int cuMemcpyDtoD_v2##ds(void *dst, const void *src, size_t n);                                 \
    int cuMemcpyHtoDAsync_v2##sz(void *dst, const void *src, size_t n, void *s);                   \
    int cuMemcpyDtoHAsync_v2##sz(void *dst, const void *src, size_t n, void *s);                   \
    int cuMemcpyDtoDAsync_v2##sz(void *dst, const void *src, size_t n, void *s);                   \
    int cuMemcpyPeer##ds(void *dst, void *dst_context, const void *src, void *src_context,         \
                         size_t n);                                                                \
    int cuMemcpyPeerAsync##sz(void *dst, void *dst_context, const void *src, void *src_context,    \
                              size_t n, void *s);                                                  \
    int cuMemcpy2D_v2##ds(const struct cu_flat *c);                                                \
    int cuMemcpy2DUnaligned_v2##ds(const struct cu_flat *c);                                       \
    int cuMemcpy2DAsync_v2##sz(const struct cu_flat *c, void *s);                                  \
    int cuMemcpy3D_v2##ds(const struct cu_box *c);                                                 \
    int cuMemcpy3DAsync_v2##sz(const struct cu_box *c, void *s);                                   \
    int cuMemcpyHtoA_v2##ds(void *dst, size_t x, const void *src, size_t n);                       \
    int cuMemcpyAtoH_v2##ds(void *dst, void *src, size_t x, size_t n);                             \
    int cuMemcpyDtoA_v2##ds(void *dst, size_t x, const void *src, size_t n);                       \
    int cuMemcpyAtoD_v2##ds(void *dst, void *src, size_t x, size_t n);                             \
    int cuMemcpyAtoA_v2##ds(void *dst, size_t dst_x, void *src, size_t src_x, size_t n);           \
    int cuMemcpyHtoAAsync_v2##sz(void *dst, size_t x, const void *src, size_t n, void *s);         \
    int cuMemcpyAtoHAsync_v2##sz(void *dst, void *src, size_t x, size_t n, void *s);               \
    int cuMemsetD8_v2##ds(void *p, unsigned char v, size_t n);                                     \
    int cuMemsetD16_v2##ds(void *p, unsigned short v, size_t n);                                   \
    int cuMemsetD32_v2##ds(void *p, unsigned v, size_t n);                                         \
    int cuMemsetD2D8_v2##ds(void *p, size_t pitch, unsigned char v, size_t w, size_t h);           \
    int cuMemsetD2D16_v2##ds(void *p, size_t pitch, unsigned short v, size_t w, size_t h);         \
    int cuMemsetD2D32_v2##ds(void *p, size_t pitch, unsigned v, size_t w, size_t h);               \
    int cuMemsetD8Async##sz(void *p, unsigned char v, size_t n, void *s);                          \
    int cuMemsetD16Async##sz(void *p, unsigned short v, size_t n, void *s);                        \
    int cuMemsetD32Async##sz(void *p, unsigned v, size_t n, void *s);                              \
    int cuMemsetD2D8Async##sz(void *p, size_t pitch, unsigned char v, size_t w, size_t h,          \
                              void *s);                                                            \
    int cuMemsetD2D16Async##sz(void *p, size_t pitch, unsigned short v, size_t w, size_t h,        \
                               void *s);                                                           \
    int cuMemsetD2D32Async##sz(void *p, size_t pitch, unsigned v, size_t w, size_t h, void *s);    \
    int cuMemAllocAsync##sz(void *pointer, size_t n, void *s);                                     \
    int cuMemAllocFromPoolAsync##sz(void *pointer, size_t n, void *pool, void *s);                 \
    int cuMemFreeAsync##sz(void *pointer, void *s);                                                \
    int cuLaunchKernel##sz(void *f, GRID, void *s, void **parameters, void **extra);               \
    int cuLaunchKernelEx##sz(const struct cu_config *c, void *f, void **parameters, void **extra); \
    int cuLaunchCooperativeKernel##sz(void *f, GRID, void *s, void **parameters);                  \
    int cuLaunchHostFunc##sz(void *s, void (*f)(void *), void *argument);                          \
    int cuStreamAddCallback##sz(void *s, void (*f)(void *, int, void *), void *argument,           \
                                unsigned flags);                                                   \
    int cuStreamSynchronize##sz(void *s);                                                          \
    int cuStreamQuery##sz(void *s);                                                                \
    int cuStreamWaitEvent##sz(void *s, void *event, unsigned flags);                               \
    int cuStreamGetFlags##sz(void *s, unsigned *flags);                                            \
    int cuStreamGetPriority##sz(void *s, int *priority);                                           \
    int cuStreamGetId##sz(void *s, unsigned long long *id);                                        \
    int cuStreamGetDevice##sz(void *s, int *device);                                               \
    int cuStreamGetCtx##sz(void *s, void **context);                                               \
    int cuStreamBeginCapture_v2##sz(void *s, int mode);                                            \
    int cuStreamEndCapture##sz(void *s, void **graph);                                             \
    int cuStreamIsCapturing##sz(void *s, int *status);                                             \
    int cuEventRecord##sz(void *event, void *s);                                                   \
    int cuEventRecordWithFlags##sz(void *event, void *s, unsigned flags);                          \
    int cuGraphLaunch##sz(void *exec, void *s);                                                    \
    int cuGraphUpload##sz(void *exec, void *s);
/* clang-format off */
STREAM_CALLS(,)
STREAM_CALLS(_ptds, _ptsz)
/* clang-format on */

/* ---- values */
enum {
    OK = 0,
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NOT_INITIALIZED = 3,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    NO_BINARY = 209,
    INVALID_PTX = 218,
    FILE_NOT_FOUND = 301,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    ILLEGAL_ADDRESS = 700,
    CONTEXT_IS_DESTROYED = 709,
    TOO_LARGE = 720,
    NOT_PERMITTED = 800,
    NOT_SUPPORTED = 801,
    ON_HOST = 1,
    ON_DEVICE = 2,
    IN_ARRAY = 3,
    UNIFIED = 4,
    UNSIGNED_8 = 1,
    UNSIGNED_16 = 2,
    UNSIGNED_32 = 3,
    SIGNED_32 = 10,
    HALF = 16,
    FLOAT = 32,
};

/* Ends the program with status 1 when a call does not return what it should. */
#define CU(call, want)                                                                             \
    do {                                                                                           \
        int got_ = (call);                                                                         \
        if (got_ != (want)) {                                                                      \
            printf("%s:%d: %s returned %d, not %d\n", __FILE__, __LINE__, #call, got_, (int)want); \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)
#ifndef CHECK
#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            printf("%s:%d: %s does not hold\n", __FILE__, __LINE__, #condition); \
            exit(1);                                                             \
        }                                                                        \
    } while (0)
#endif

/* The whole of a file, and a NUL; the caller frees it. */
static inline char *read_text(const char *name) {
    FILE *f = fopen(name, "r");
    char *text = f ? calloc(1, 1 << 16) : NULL;
    CHECK(text);
    CHECK(fread(text, 1, (1 << 16) - 1, f) > 0);
    fclose(f);
    return text;
}

#endif
