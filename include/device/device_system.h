// What device code asks of the system: printf, assert, malloc and free, new and delete.
//
// The heap is the device's own: what a kernel has allocated, a kernel frees.
#ifndef HEDDLE_DEVICE_DEVICE_SYSTEM_H
#define HEDDLE_DEVICE_DEVICE_SYSTEM_H

#include "device_sync.h"

extern "C" {
// The compiler turns printf into vprintf with the arguments in memory.
__device__ int printf(const char *format, ...);
__device__ int vprintf(const char *format, void *arguments);
__device__ void *malloc(size_t bytes);
__device__ void free(void *memory);
__device__ void __assertfail(const char *condition, const char *file, unsigned line,
                             const char *function, size_t bytes_of_a_character);
}

// What the C library's assert() calls.
static __inline__ __device__ void __assert_fail(const char *condition, const char *file,
                                                unsigned line, const char *function) {
    __assertfail(condition, file, line, function, 1);
}

// The compiler's own header: new and delete of device code, by malloc and free.
#include <new>

#endif
