/* device_prop.h - cudaDeviceProp in the layouts of CUDA 11, 12 and 13, from one table
 * (tables/device_prop.def). Needs libc alone: the shim asks for the size, the server fills it. */
#ifndef HEDDLE_CUDA_DEVICE_PROP_H
#define HEDDLE_CUDA_DEVICE_PROP_H

#include <stddef.h>
#include <stdint.h>

struct config;

/* Bytes of the structure in this version (11, 12 or 13), 0 for another. */
size_t device_prop_bytes(int version);

/* Offset of a field, for tests; (size_t)-1 when this version lacks it. */
size_t device_prop_offset(int version, const char *field);

/* Fills device_prop_bytes(version) bytes at `out`. */
void device_prop_fill(int version, const struct config *config, void *out);

#endif
