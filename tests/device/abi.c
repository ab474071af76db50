// abi.c - prints names, values, sizes and offsets of the runtime API's types. Compiled with
// Heddle's headers and with the toolkit's, it must print the same (abi.cmake).
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <stdio.h>
#include <vector_types.h>

// CUDA 13 changed the layout of cudaDeviceProp and renamed an attribute that no GPU supports any
// more. The program prints what the versions have in common; the rest is checked below.
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

static void print_work_enumerations(void) {
    VALUE(cudaMemAdviseSetReadMostly);
    VALUE(cudaMemAdviseUnsetAccessedBy);
    VALUE(cudaMemLocationTypeInvalid);
    VALUE(cudaMemLocationTypeDevice);
    VALUE(cudaMemLocationTypeHost);
    VALUE(cudaMemAccessFlagsProtRead);
    VALUE(cudaMemAccessFlagsProtReadWrite);
    VALUE(cudaMemAllocationTypePinned);
    VALUE(cudaMemAllocationTypeMax);
    VALUE(cudaMemHandleTypePosixFileDescriptor);
    VALUE(cudaMemPoolReuseFollowEventDependencies);
    VALUE(cudaMemPoolAttrReleaseThreshold);
    VALUE(cudaMemPoolAttrUsedMemHigh);
    VALUE(cudaDevP2PAttrPerformanceRank);
    VALUE(cudaDevP2PAttrCudaArrayAccessSupported);
    VALUE(cudaLaunchAttributeCooperative);
    VALUE(cudaLaunchAttributeClusterDimension);
    VALUE(cudaStreamCaptureStatusInvalidated);
    VALUE(cudaStreamCaptureModeThreadLocal);
    VALUE(cudaStreamCaptureModeRelaxed);
    VALUE(cudaStreamAddCaptureDependencies);
    VALUE(cudaStreamSetCaptureDependencies);
    VALUE(cudaGraphNodeTypeKernel);
    VALUE(cudaGraphNodeTypeGraph);
    VALUE(cudaGraphNodeTypeEventRecord);
    VALUE(cudaGraphNodeTypeMemFree);
    VALUE(cudaGraphExecUpdateErrorTopologyChanged);
    VALUE(cudaGraphExecUpdateErrorAttributesChanged);
    VALUE(cudaGraphInstantiateFlagAutoFreeOnLaunch);
    VALUE(cudaGraphInstantiateFlagUseNodePriority);
    VALUE(cudaGraphInstantiateMultipleDevicesNotSupported);
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
    OFFSET(cudaPitchedPtr, xsize);
    OFFSET(cudaPitchedPtr, ysize);
    SIZE(cudaUUID_t);
    SIZE(cudaStream_t);
    SIZE(cudaError_t);
    SIZE(dim3);
}

static void print_work_structures(void) {
    SIZE(struct cudaMemcpy3DParms);
    OFFSET(cudaMemcpy3DParms, srcPos);
    OFFSET(cudaMemcpy3DParms, srcPtr);
    OFFSET(cudaMemcpy3DParms, dstArray);
    OFFSET(cudaMemcpy3DParms, dstPtr);
    OFFSET(cudaMemcpy3DParms, extent);
    OFFSET(cudaMemcpy3DParms, kind);
    SIZE(struct cudaMemcpy3DPeerParms);
    OFFSET(cudaMemcpy3DPeerParms, srcDevice);
    OFFSET(cudaMemcpy3DPeerParms, dstDevice);
    OFFSET(cudaMemcpy3DPeerParms, extent);
    SIZE(struct cudaMemLocation);
    OFFSET(cudaMemLocation, id);
    SIZE(struct cudaMemAccessDesc);
    OFFSET(cudaMemAccessDesc, flags);
    SIZE(struct cudaMemPoolProps);
    OFFSET(cudaMemPoolProps, location);
    OFFSET(cudaMemPoolProps, maxSize);
    OFFSET(cudaMemPoolProps, usage);
    SIZE(cudaLaunchAttribute);
    OFFSET(cudaLaunchAttribute_st, val);
    OFFSET(cudaLaunchAttribute_st, val.clusterDim);
    OFFSET(cudaLaunchAttribute_st, val.programmaticEvent);
    SIZE(cudaLaunchConfig_t);
    OFFSET(cudaLaunchConfig_st, dynamicSmemBytes);
    OFFSET(cudaLaunchConfig_st, stream);
    OFFSET(cudaLaunchConfig_st, attrs);
    OFFSET(cudaLaunchConfig_st, numAttrs);
    SIZE(struct cudaKernelNodeParams);
    OFFSET(cudaKernelNodeParams, blockDim);
    OFFSET(cudaKernelNodeParams, sharedMemBytes);
    OFFSET(cudaKernelNodeParams, kernelParams);
    OFFSET(cudaKernelNodeParams, extra);
    SIZE(struct cudaMemsetParams);
    OFFSET(cudaMemsetParams, value);
    OFFSET(cudaMemsetParams, elementSize);
    OFFSET(cudaMemsetParams, width);
    SIZE(struct cudaHostNodeParams);
    SIZE(struct cudaMemAllocNodeParams);
    OFFSET(cudaMemAllocNodeParams, accessDescs);
    OFFSET(cudaMemAllocNodeParams, dptr);
    SIZE(struct cudaGraphNodeParams);
    OFFSET(cudaGraphNodeParams, kernel.extra);
    OFFSET(cudaGraphNodeParams, memcpy.copyParams);
    OFFSET(cudaGraphNodeParams, memset.height);
    OFFSET(cudaGraphNodeParams, host.userData);
    OFFSET(cudaGraphNodeParams, graph.graph);
    OFFSET(cudaGraphNodeParams, eventWait.event);
    OFFSET(cudaGraphNodeParams, eventRecord.event);
    OFFSET(cudaGraphNodeParams, alloc.dptr);
    OFFSET(cudaGraphNodeParams, free.dptr);
    SIZE(cudaGraphEdgeData);
    OFFSET(cudaGraphEdgeData_st, type);
    SIZE(cudaGraphExecUpdateResultInfo);
    OFFSET(cudaGraphExecUpdateResultInfo_st, errorNode);
    OFFSET(cudaGraphExecUpdateResultInfo_st, errorFromNode);
    SIZE(cudaGraphInstantiateParams);
    OFFSET(cudaGraphInstantiateParams_st, uploadStream);
    OFFSET(cudaGraphInstantiateParams_st, result_out);
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
    print_work_enumerations();
    print_structures();
    print_work_structures();
    print_vectors();
    return 0;
}
