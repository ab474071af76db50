// The C++ forms of the runtime API: typed pointers, kernels and symbols by name.
//
// Each function only casts and calls its C counterpart in cuda_runtime_api.h.
#ifndef HEDDLE_DEVICE_RUNTIME_TEMPLATES_H
#define HEDDLE_DEVICE_RUNTIME_TEMPLATES_H

#include "cuda_runtime_api.h"

template <class T> static inline cudaError_t cudaMalloc(T **pointer, size_t size) {
    return ::cudaMalloc((void **)pointer, size);
}
template <class T>
static inline cudaError_t cudaMallocPitch(T **pointer, size_t *pitch, size_t width, size_t height) {
    return ::cudaMallocPitch((void **)pointer, pitch, width, height);
}
template <class T>
static inline cudaError_t cudaMallocManaged(T **pointer, size_t size,
                                            unsigned int flags = cudaMemAttachGlobal) {
    return ::cudaMallocManaged((void **)pointer, size, flags);
}
template <class T>
static inline cudaError_t cudaMallocAsync(T **pointer, size_t size, cudaStream_t stream) {
    return ::cudaMallocAsync((void **)pointer, size, stream);
}
template <class T> static inline cudaError_t cudaMallocHost(T **pointer, size_t size) {
    return ::cudaMallocHost((void **)pointer, size);
}
template <class T>
static inline cudaError_t cudaMallocHost(T **pointer, size_t size, unsigned int flags) {
    return ::cudaHostAlloc((void **)pointer, size, flags);
}
template <class T>
static inline cudaError_t cudaHostAlloc(T **pointer, size_t size, unsigned int flags) {
    return ::cudaHostAlloc((void **)pointer, size, flags);
}
template <class T>
static inline cudaError_t cudaMallocFromPoolAsync(T **pointer, size_t size, cudaMemPool_t pool,
                                                  cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync((void **)pointer, size, pool, stream);
}
template <class T>
static inline cudaError_t cudaHostGetDevicePointer(T **device, void *host, unsigned int flags) {
    return ::cudaHostGetDevicePointer((void **)device, host, flags);
}

// Symbols: programs pass the __device__ or __constant__ variable itself.
template <class T>
static inline cudaError_t cudaMemcpyToSymbol(const T &symbol, const void *from, size_t size,
                                             size_t offset = 0,
                                             enum cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cudaMemcpyToSymbol((const void *)&symbol, from, size, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbol(void *to, const T &symbol, size_t size,
                                               size_t offset = 0,
                                               enum cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cudaMemcpyFromSymbol(to, (const void *)&symbol, size, offset, kind);
}
template <class T>
static inline cudaError_t cudaMemcpyToSymbolAsync(const T &symbol, const void *from, size_t size,
                                                  size_t offset, enum cudaMemcpyKind kind,
                                                  cudaStream_t stream = 0) {
    return ::cudaMemcpyToSymbolAsync((const void *)&symbol, from, size, offset, kind, stream);
}
template <class T>
static inline cudaError_t cudaMemcpyFromSymbolAsync(void *to, const T &symbol, size_t size,
                                                    size_t offset, enum cudaMemcpyKind kind,
                                                    cudaStream_t stream = 0) {
    return ::cudaMemcpyFromSymbolAsync(to, (const void *)&symbol, size, offset, kind, stream);
}
template <class T> static inline cudaError_t cudaGetSymbolAddress(void **at, const T &symbol) {
    return ::cudaGetSymbolAddress(at, (const void *)&symbol);
}
template <class T> static inline cudaError_t cudaGetSymbolSize(size_t *size, const T &symbol) {
    return ::cudaGetSymbolSize(size, (const void *)&symbol);
}

// Kernels
template <class T>
static inline cudaError_t cudaLaunchKernel(T *kernel, dim3 grid, dim3 block, void **arguments,
                                           size_t shared_bytes = 0, cudaStream_t stream = 0) {
    return ::cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
template <class T>
static inline cudaError_t cudaLaunchCooperativeKernel(T *kernel, dim3 grid, dim3 block,
                                                      void **arguments, size_t shared_bytes = 0,
                                                      cudaStream_t stream = 0) {
    return ::cudaLaunchCooperativeKernel((const void *)kernel, grid, block, arguments, shared_bytes,
                                         stream);
}
template <class T>
static inline cudaError_t cudaFuncSetCacheConfig(T *kernel, enum cudaFuncCache config) {
    return ::cudaFuncSetCacheConfig((const void *)kernel, config);
}
template <class T>
static inline cudaError_t cudaFuncSetSharedMemConfig(T *kernel, enum cudaSharedMemConfig config) {
    return ::cudaFuncSetSharedMemConfig((const void *)kernel, config);
}
template <class T>
static inline cudaError_t cudaFuncSetAttribute(T *kernel, enum cudaFuncAttribute attribute,
                                               int value) {
    return ::cudaFuncSetAttribute((const void *)kernel, attribute, value);
}
template <class T>
static inline cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *attributes, T *kernel) {
    return ::cudaFuncGetAttributes(attributes, (const void *)kernel);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, T kernel,
                                                                        int block_size,
                                                                        size_t shared_bytes) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, (const void *)kernel, block_size,
                                                           shared_bytes);
}
template <class T>
static inline cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, T kernel, int block_size,
                                                       size_t shared_bytes, unsigned int flags) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks, (const void *)kernel, block_size, shared_bytes, flags);
}
template <class T>
static inline cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *size, T *kernel,
                                                                    int blocks, int block_size) {
    return ::cudaOccupancyAvailableDynamicSMemPerBlock(size, (const void *)kernel, blocks,
                                                       block_size);
}

// The block size, a multiple of a warp, with which an SM holds the most threads (the largest such
// size), and the number of blocks that fill the GPU. shared_bytes(block_size) is the dynamic shared
// memory of a block.
template <class F, class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
    int *grid_size, int *block_size, T kernel, F shared_bytes, int limit = 0,
    unsigned int flags = 0) {
    if (!grid_size || !block_size || !kernel) return cudaErrorInvalidValue;
    int device, warp, sms;
    struct cudaFuncAttributes attributes;
    cudaError_t error = cudaGetDevice(&device);
    if (!error) error = cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device);
    if (!error) error = cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    if (!error) error = cudaFuncGetAttributes(&attributes, (const void *)kernel);
    if (error) return error;
    int most = attributes.maxThreadsPerBlock, best = 0;
    if (limit > 0 && limit < most) most = limit;
    *grid_size = *block_size = 0;
    for (int size = (most + warp - 1) / warp * warp; size > 0; size -= warp) {
        int threads = size < most ? size : most, blocks;
        error = ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
            &blocks, (const void *)kernel, threads, (size_t)shared_bytes(threads), flags);
        if (error) return error;
        if (blocks * threads > best) {
            best = blocks * threads;
            *grid_size = blocks * sms;
            *block_size = threads;
        }
    }
    return cudaSuccess;
}
template <class F, class T>
static inline cudaError_t
cudaOccupancyMaxPotentialBlockSizeVariableSMem(int *grid_size, int *block_size, T kernel,
                                               F shared_bytes, int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(grid_size, block_size, kernel,
                                                                   shared_bytes, limit);
}
template <class T>
static inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int *grid_size, int *block_size,
                                                             T kernel, size_t shared_bytes = 0,
                                                             int limit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(
        grid_size, block_size, kernel, [=](int) { return shared_bytes; }, limit);
}
template <class... P, class... A>
static inline cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t *config,
                                             void (*kernel)(P...), A &&...values) {
    return [&](P... operands) {
        void *arguments[] = {(void *)&operands..., nullptr};
        return ::cudaLaunchKernelExC(config, (const void *)kernel, arguments);
    }(static_cast<A &&>(values)...);
}
// Forms from before CUDA 12, and those of CUDA 13.
static inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
                                               cudaGraphNode_t *wrong, char *log, size_t log_size) {
    if (wrong) *wrong = 0;
    if (log && log_size) *log = 0;
    return ::cudaGraphInstantiate(exec, graph, 0);
}
static inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
                                              cudaGraphNode_t *wrong,
                                              enum cudaGraphExecUpdateResult *result) {
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t error = ::cudaGraphExecUpdate(exec, graph, &info);
    if (wrong) *wrong = info.errorNode;
    if (result) *result = info.result;
    return error;
}
static inline cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size,
                                               struct cudaMemLocation location, unsigned int flags,
                                               cudaStream_t stream = 0) {
    return ::cudaMemPrefetchAsync_v2(pointer, size, location, flags, stream);
}
static inline cudaError_t cudaMemAdvise(const void *pointer, size_t size,
                                        enum cudaMemoryAdvise advice,
                                        struct cudaMemLocation location) {
    return ::cudaMemAdvise_v2(pointer, size, advice, location);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t *event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}

#endif
