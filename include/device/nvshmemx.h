// NVSHMEM's own calls: nvshmem.h has them too.
#ifndef HEDDLE_DEVICE_NVSHMEMX_H
#define HEDDLE_DEVICE_NVSHMEMX_H

#include "nvshmem.h"

#endif
