// make_cudaExtent, make_cudaPos, make_cudaPitchedPtr: build the structures of boxes of memory.
#ifndef HEDDLE_DEVICE_DRIVER_FUNCTIONS_H
#define HEDDLE_DEVICE_DRIVER_FUNCTIONS_H

#include "driver_types.h"

static __inline__ __host__ struct cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
    struct cudaExtent extent = {w, h, d};
    return extent;
}
static __inline__ __host__ struct cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
    struct cudaPos pos = {x, y, z};
    return pos;
}
static __inline__ __host__ struct cudaPitchedPtr make_cudaPitchedPtr(void *p, size_t pitch,
                                                                     size_t xsize, size_t ysize) {
    struct cudaPitchedPtr pointer = {p, pitch, xsize, ysize};
    return pointer;
}

#endif
