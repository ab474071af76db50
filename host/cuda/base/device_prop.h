/* device_prop.h - cudaDeviceProp of a simulated GPU. */
#ifndef HEDDLE_CUDA_BASE_DEVICE_PROP_H
#define HEDDLE_CUDA_BASE_DEVICE_PROP_H

#include "cuda/protocol/device_prop_layout.h"

struct config;

/* Fills device_prop_bytes(version) bytes at `out`, in the layout of CUDA 11, 12 or 13. */
void device_prop_fill(int version, const struct config *config, void *out);

#endif
