// The runtime API of CUDA arrays, textures and surfaces; channel_descriptor.h has the C++ form.
#ifndef HEDDLE_DEVICE_RUNTIME_TEXTURES_H
#define HEDDLE_DEVICE_RUNTIME_TEXTURES_H

#include "driver_functions.h"
#include "texture_types.h"

#if defined(__cplusplus)
#define HEDDLE_OR(value) = value // default argument
extern "C" {
#else
#define HEDDLE_OR(value)
#endif

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f);
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *desc, cudaArray_const_t array);

// Extents in texels; height 0: one dimension, depth 0: two, or the number of layers or faces.
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                            size_t width, size_t height HEDDLE_OR(0),
                            unsigned int flags HEDDLE_OR(0));
cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *desc,
                              struct cudaExtent extent, unsigned int flags HEDDLE_OR(0));
cudaError_t cudaMallocMipmappedArray(cudaMipmappedArray_t *array,
                                     const struct cudaChannelFormatDesc *desc,
                                     struct cudaExtent extent, unsigned int levels,
                                     unsigned int flags HEDDLE_OR(0));
cudaError_t cudaGetMipmappedArrayLevel(cudaArray_t *level, cudaMipmappedArray_const_t array,
                                       unsigned int number);
cudaError_t cudaFreeArray(cudaArray_t array);
cudaError_t cudaFreeMipmappedArray(cudaMipmappedArray_t array);
cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *desc, struct cudaExtent *extent,
                             unsigned int *flags, cudaArray_t array);
cudaError_t cudaDeviceGetTexture1DLinearMaxWidth(size_t *width,
                                                 const struct cudaChannelFormatDesc *desc,
                                                 int device);

// Copies. x in bytes, y in rows; those without a height copy within one row, or whole rows.
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t size,
                              enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                   size_t size, enum cudaMemcpyKind kind,
                                   cudaStream_t stream HEDDLE_OR(0));
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t size,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpyFromArrayAsync(void *to, cudaArray_const_t from, size_t x, size_t y,
                                     size_t size, enum cudaMemcpyKind kind,
                                     cudaStream_t stream HEDDLE_OR(0));
cudaError_t cudaMemcpyArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                   cudaArray_const_t from, size_t from_x, size_t from_y,
                                   size_t size,
                                   enum cudaMemcpyKind kind HEDDLE_OR(cudaMemcpyDeviceToDevice));
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from,
                                size_t from_pitch, size_t width, size_t height,
                                enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t from_pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream HEDDLE_OR(0));
cudaError_t cudaMemcpy2DFromArray(void *to, size_t to_pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t to_pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream HEDDLE_OR(0));
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t from_x, size_t from_y,
                                     size_t width, size_t height,
                                     enum cudaMemcpyKind kind HEDDLE_OR(cudaMemcpyDeviceToDevice));
// Objects
cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view);
cudaError_t cudaCreateTextureObject_v2(cudaTextureObject_t *object,
                                       const struct cudaResourceDesc *resource,
                                       const struct cudaTextureDesc *texture,
                                       const struct cudaResourceViewDesc *view);
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *desc,
                                             cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *desc,
                                            cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectTextureDesc_v2(struct cudaTextureDesc *desc,
                                               cudaTextureObject_t object);
cudaError_t cudaGetTextureObjectResourceViewDesc(struct cudaResourceViewDesc *desc,
                                                 cudaTextureObject_t object);
cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *resource);
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object);
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *desc,
                                             cudaSurfaceObject_t object);

#if defined(__cplusplus)
}
#endif
#undef HEDDLE_OR

#endif
