/* device_prop_layout.h - cudaDeviceProp in the layouts of CUDA 11, 12 and 13, from one table
 * (tables/device_prop.def). The shim needs the size; the server fills the structure
 * (device_prop.h). */
#ifndef HEDDLE_CUDA_PROTOCOL_DEVICE_PROP_LAYOUT_H
#define HEDDLE_CUDA_PROTOCOL_DEVICE_PROP_LAYOUT_H

#include <stddef.h>

/* Bytes of the structure in this version (11, 12 or 13), 0 for another. */
size_t device_prop_bytes(int version);

/* Offset of a field; (size_t)-1 when this version lacks it. */
size_t device_prop_offset(int version, const char *field);

#endif
