/* api_calls.h - declares further calls and structures of the runtime API with CUDA 13's ABI
 * (cuda_calls.h has the basic ones). */
#ifndef TEST_API_CALLS_H
#define TEST_API_CALLS_H

#include "device_image.h"

struct pitched {
    void *ptr;
    size_t pitch, xsize, ysize;
};
struct extent {
    size_t width, height, depth;
};
struct pos {
    size_t x, y, z;
};
struct copy3d {
    void *src_array;
    struct pos src_pos;
    struct pitched src;
    void *dst_array;
    struct pos dst_pos;
    struct pitched dst;
    struct extent extent;
    int kind;
};
struct copy3d_peer {
    void *src_array;
    struct pos src_pos;
    struct pitched src;
    int src_device;
    void *dst_array;
    struct pos dst_pos;
    struct pitched dst;
    int dst_device;
    struct extent extent;
};
struct location {
    int type, id;
};
struct launch_config {
    struct dim3 grid, block;
    size_t shared;
    void *stream;
    void *attributes;
    unsigned num_attributes;
};
struct launch_attribute {
    int id, pad;
    union {
        char bytes[64];
        int number;
    } value;
};

int cudaMalloc3D(struct pitched *p, struct extent e);
int cudaMemcpy2DAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width,
                      size_t height, int kind, void *stream);
int cudaMemcpy3D(const struct copy3d *p);
int cudaMemcpy3DAsync(const struct copy3d *p, void *stream);
int cudaMemcpyPeer(void *dst, int dst_device, const void *src, int src_device, size_t bytes);
int cudaMemcpyPeerAsync(void *dst, int dst_device, const void *src, int src_device, size_t bytes,
                        void *stream);
int cudaMemcpy3DPeer(const struct copy3d_peer *p);
int cudaMemcpy3DPeerAsync(const struct copy3d_peer *p, void *stream);
int cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height);
int cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height, void *stream);
int cudaMemset3D(struct pitched p, int value, struct extent e);
int cudaMemset3DAsync(struct pitched p, int value, struct extent e, void *stream);
int cudaMemsetAsync(void *p, int value, size_t bytes, void *stream);
int cudaMallocAsync(void **p, size_t bytes, void *stream);
int cudaMallocFromPoolAsync(void **p, size_t bytes, void *pool, void *stream);
int cudaFreeAsync(void *p, void *stream);
int cudaDeviceGetDefaultMemPool(void **pool, int device);
int cudaDeviceGetMemPool(void **pool, int device);
int cudaDeviceSetMemPool(int device, void *pool);
int cudaMemPoolCreate(void **pool, const void *properties);
int cudaMemPoolDestroy(void *pool);
int cudaMemPoolTrimTo(void *pool, size_t bytes);
int cudaMemPoolGetAttribute(void *pool, int attribute, void *value);
int cudaMemPoolSetAttribute(void *pool, int attribute, void *value);
int cudaMemPoolSetAccess(void *pool, const void *list, size_t count);
int cudaMemPoolGetAccess(int *flags, void *pool, struct location *location);
int cudaMemAdvise(const void *p, size_t bytes, int advice, struct location at);
int cudaMemPrefetchAsync(const void *p, size_t bytes, struct location at, unsigned flags,
                         void *stream);
int cudaStreamAttachMemAsync(void *stream, void *p, size_t bytes, unsigned flags);
int cudaHostRegister(void *p, size_t bytes, unsigned flags);
int cudaHostUnregister(void *p);
int cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
int cudaMemcpyFromSymbol(void *dst, const void *symbol, size_t bytes, size_t offset, int kind);
int cudaLaunchCooperativeKernel(const void *function, struct dim3 grid, struct dim3 block,
                                void **arguments, size_t shared, void *stream);
int cudaLaunchKernelExC(const struct launch_config *config, const void *function, void **arguments);
int cudaFuncGetParamInfo(const void *function, size_t index, size_t *offset, size_t *bytes);
int cudaGetFuncBySymbol(void **kernel, const void *function);
int cudaFuncSetSharedMemConfig(const void *function, int config);
int cudaDeviceGetSharedMemConfig(int *config);
int cudaDeviceSetSharedMemConfig(int config);
int cudaChooseDevice(int *device, const void *properties);
int cudaSetValidDevices(int *devices, int count);
int cudaGetDevice(int *device);
int cudaDeviceGetByPCIBusId(int *device, const char *id);
int cudaDeviceGetPCIBusId(char *id, int length, int device);
int cudaDeviceSetLimit(int limit, size_t value);
int cudaDeviceGetLimit(size_t *value, int limit);
int cudaDeviceCanAccessPeer(int *can, int device, int peer);
int cudaDeviceEnablePeerAccess(int peer, unsigned flags);
int cudaDeviceDisablePeerAccess(int peer);
int cudaDeviceGetP2PAttribute(int *value, int attribute, int device, int peer);
int cudaProfilerStart(void);
int cudaProfilerStop(void);
int cudaStreamCreateWithFlags(void **stream, unsigned flags);
int cudaStreamWaitEvent(void *stream, void *event, unsigned flags);
int cudaLaunchHostFunc(void *stream, void (*function)(void *), void *argument);
int cudaStreamAddCallback(void *stream, void (*function)(void *, int, void *), void *argument,
                          unsigned flags);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamIsCapturing(void *stream, int *status);
int cudaThreadExchangeStreamCaptureMode(int *mode);
int cudaStreamGetCaptureInfo(void *stream, int *status, unsigned long long *id, void **graph,
                             void *const **nodes, const void **edges, size_t *count);
int cudaStreamUpdateCaptureDependencies(void *stream, void **nodes, const void *edges, size_t count,
                                        unsigned flags);
int cudaStreamBeginCaptureToGraph(void *stream, void *graph, void *const *from, const void *edges,
                                  size_t count, int mode);

/* Error codes and kinds that the tests use. */
enum {
    INVALID_VALUE = 1,
    MEMORY_ALLOCATION = 2,
    INVALID_CONFIGURATION = 9,
    INVALID_PITCH = 12,
    INVALID_DEVICE = 101,
    INVALID_HANDLE = 400,
    NOT_READY = 600,
    TOO_LARGE = 720,
    NOT_PERMITTED = 800,
    NOT_SUPPORTED = 801,
    LOCATION_DEVICE = 1,
    LOCATION_HOST = 2,
};

#endif
