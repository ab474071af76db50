// Prints names, values, sizes and offsets of the runtime API's types. Compiled with our headers
// and with the toolkit's, it must print the same.
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdio.h>
#include <vector_types.h>

// cudaDeviceProp changed its layout in CUDA 13, which has also renamed an attribute that nobody
// supports any more. What the versions have in common is compared, the rest is pinned below.
#if CUDART_VERSION >= 13000
#define cudaDevAttrCooperativeMultiDeviceLaunch cudaDevAttrReserved96
#else
_Static_assert(sizeof(struct cudaDeviceProp) == 1032, "as in CUDA 12");
_Static_assert(offsetof(struct cudaDeviceProp, clockRate) == 348, "as in CUDA 12");
_Static_assert(offsetof(struct cudaDeviceProp, major) == 360, "as in CUDA 12");
_Static_assert(offsetof(struct cudaDeviceProp, multiProcessorCount) == 388, "as in CUDA 12");
_Static_assert(offsetof(struct cudaDeviceProp, l2CacheSize) == 616, "as in CUDA 12");
_Static_assert(offsetof(struct cudaDeviceProp, reserved) == 792, "as in CUDA 12");
#endif

static void print_size(const char *type, size_t size, size_t alignment) {
    printf("%s size %zu alignment %zu\n", type, size, alignment);
}
#define SIZE(type) print_size(#type, sizeof(type), _Alignof(type))
#define OFFSET(type, member)                                                             \
    printf("%s.%s offset %zu size %zu\n", #type, #member, offsetof(struct type, member), \
           sizeof(((struct type *)0)->member))
#define VALUE(name) printf("%s %ld\n", #name, (long)(name))

static void print_value(const char *name, long value, long table) {
    printf("%s %ld%s\n", name, value, value == table ? "" : " unlike the table");
}

static void print_tables(void) {
#define X(name, value) print_value(#name, name, value);
#include "cuda_errors.def"
#include "cuda_device_attributes.def"
#undef X
}

static void print_enumerations(void) {
    VALUE(cudaMemcpyHostToHost);
    VALUE(cudaMemcpyHostToDevice);
    VALUE(cudaMemcpyDeviceToHost);
    VALUE(cudaMemcpyDeviceToDevice);
    VALUE(cudaMemcpyDefault);
    VALUE(cudaFuncAttributeMaxDynamicSharedMemorySize);
    VALUE(cudaFuncAttributePreferredSharedMemoryCarveout);
    VALUE(cudaFuncAttributeMax);
    VALUE(cudaFuncCachePreferNone);
    VALUE(cudaFuncCachePreferEqual);
    VALUE(cudaSharedMemBankSizeEightByte);
    VALUE(cudaSharedmemCarveoutDefault);
    VALUE(cudaSharedmemCarveoutMaxShared);
    VALUE(cudaLimitStackSize);
    VALUE(cudaLimitPersistingL2CacheSize);
    VALUE(cudaComputeModeExclusiveProcess);
    VALUE(cudaMemoryTypeManaged);
    VALUE(cudaHostAllocMapped);
    VALUE(cudaHostAllocWriteCombined);
    VALUE(cudaHostRegisterReadOnly);
    VALUE(cudaMemAttachSingle);
    VALUE(cudaStreamNonBlocking);
    VALUE(cudaEventDisableTiming);
    VALUE(cudaEventInterprocess);
    VALUE(cudaDeviceScheduleBlockingSync);
    VALUE(cudaDeviceMapHost);
    VALUE(cudaDeviceLmemResizeToMax);
    VALUE(cudaOccupancyDisableCachingOverride);
    VALUE(cudaCpuDeviceId);
    VALUE(cudaInvalidDeviceId);
    VALUE(cudaStreamLegacy);
    VALUE(cudaStreamPerThread);
}

static void print_structures(void) {
    OFFSET(cudaDeviceProp, name);
    OFFSET(cudaDeviceProp, uuid);
    OFFSET(cudaDeviceProp, luid);
    OFFSET(cudaDeviceProp, luidDeviceNodeMask);
    OFFSET(cudaDeviceProp, totalGlobalMem);
    OFFSET(cudaDeviceProp, sharedMemPerBlock);
    OFFSET(cudaDeviceProp, regsPerBlock);
    OFFSET(cudaDeviceProp, warpSize);
    OFFSET(cudaDeviceProp, memPitch);
    OFFSET(cudaDeviceProp, maxThreadsPerBlock);
    OFFSET(cudaDeviceProp, maxThreadsDim);
    OFFSET(cudaDeviceProp, maxGridSize);
    SIZE(struct cudaFuncAttributes);
    OFFSET(cudaFuncAttributes, sharedSizeBytes);
    OFFSET(cudaFuncAttributes, maxThreadsPerBlock);
    OFFSET(cudaFuncAttributes, numRegs);
    OFFSET(cudaFuncAttributes, binaryVersion);
    OFFSET(cudaFuncAttributes, maxDynamicSharedSizeBytes);
    OFFSET(cudaFuncAttributes, nonPortableClusterSizeAllowed);
    OFFSET(cudaPointerAttributes, type);
    OFFSET(cudaPointerAttributes, device);
    OFFSET(cudaPointerAttributes, devicePointer);
    OFFSET(cudaPointerAttributes, hostPointer);
    SIZE(struct cudaExtent);
    SIZE(struct cudaPitchedPtr);
    SIZE(struct cudaPos);
    SIZE(cudaUUID_t);
    SIZE(cudaStream_t);
    SIZE(cudaError_t);
    SIZE(dim3);
}

#define VECTORS(name) \
    SIZE(name##1);    \
    SIZE(name##2);    \
    SIZE(name##3);    \
    SIZE(name##4)

static void print_vectors(void) {
    VECTORS(char);
    VECTORS(uchar);
    VECTORS(short);
    VECTORS(ushort);
    VECTORS(int);
    VECTORS(uint);
    VECTORS(long);
    VECTORS(ulong);
    VECTORS(longlong);
    VECTORS(ulonglong);
    VECTORS(float);
    VECTORS(double);
}

int main(void) {
    print_tables();
    print_enumerations();
    print_structures();
    print_vectors();
    return 0;
}
