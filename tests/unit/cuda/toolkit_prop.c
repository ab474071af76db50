/* toolkit_prop.c - the offsets of the fields of cudaDeviceProp in the installed toolkit's header,
 * for test_device_prop.c. */
#include <cuda_runtime_api.h>
#include <stddef.h>
#include <string.h>

int toolkit_version(void);
size_t toolkit_prop_size(void);
size_t toolkit_prop_offset(const char *name);

int toolkit_version(void) {
    return CUDART_VERSION / 1000;
}
size_t toolkit_prop_size(void) {
    return sizeof(struct cudaDeviceProp);
}

#define FIELD_OF_13(field) \
    if (strcmp(name, #field) == 0) return offsetof(struct cudaDeviceProp, field);
size_t toolkit_prop_offset(const char *name) {
#if CUDART_VERSION / 1000 == 13
    FIELD_OF_13(uuid)
    FIELD_OF_13(totalGlobalMem)
    FIELD_OF_13(sharedMemPerBlock)
    FIELD_OF_13(warpSize)
    FIELD_OF_13(memPitch)
    FIELD_OF_13(maxThreadsDim)
    FIELD_OF_13(maxGridSize)
    FIELD_OF_13(totalConstMem)
    FIELD_OF_13(major)
    FIELD_OF_13(textureAlignment)
    FIELD_OF_13(multiProcessorCount)
    FIELD_OF_13(integrated)
    FIELD_OF_13(maxTexture2DLinear)
    FIELD_OF_13(maxSurfaceCubemapLayered)
    FIELD_OF_13(surfaceAlignment)
    FIELD_OF_13(ECCEnabled)
    FIELD_OF_13(asyncEngineCount)
    FIELD_OF_13(memoryBusWidth)
    FIELD_OF_13(l2CacheSize)
    FIELD_OF_13(maxThreadsPerMultiProcessor)
    FIELD_OF_13(sharedMemPerMultiprocessor)
    FIELD_OF_13(regsPerMultiprocessor)
    FIELD_OF_13(pageableMemoryAccess)
    FIELD_OF_13(cooperativeLaunch)
    FIELD_OF_13(sharedMemPerBlockOptin)
    FIELD_OF_13(reservedSharedMemPerBlock)
    FIELD_OF_13(memoryPoolSupportedHandleTypes)
    FIELD_OF_13(clusterLaunch)
    FIELD_OF_13(hostNumaMultinodeIpcSupported)
    FIELD_OF_13(reserved)
#else
    (void)name;
#endif
    return (size_t)-1;
}
