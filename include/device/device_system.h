// System functions for device code: printf, assert, malloc and free, new and delete, memcpy.
//
// malloc uses a heap on the device. Only a kernel can free its memory.
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

static __inline__ __device__ void *memcpy(void *to, const void *from, size_t bytes) {
    return __builtin_memcpy(to, from, bytes);
}
static __inline__ __device__ void *memmove(void *to, const void *from, size_t bytes) {
    return __builtin_memmove(to, from, bytes);
}
static __inline__ __device__ void *memset(void *to, int value, size_t bytes) {
    return __builtin_memset(to, value, bytes);
}

// The entry of a pure virtual function in a table of virtual functions.
extern "C" __device__ __attribute__((weak)) void __cxa_pure_virtual(void) {
    __trap();
}

// Called by the C library's assert().
static __inline__ __device__ void __assert_fail(const char *condition, const char *file,
                                                unsigned line, const char *function) {
    __assertfail(condition, file, line, function, 1);
}

// The compiler's own header: defines new and delete of device code by malloc and free.
#include <new>

#endif
