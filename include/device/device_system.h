// What device code asks of the system: printf, assert, malloc and free, new and delete, memcpy.
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

static __inline__ __device__ void *memcpy(void *to, const void *from, size_t bytes) {
    return __builtin_memcpy(to, from, bytes);
}
static __inline__ __device__ void *memmove(void *to, const void *from, size_t bytes) {
    return __builtin_memmove(to, from, bytes);
}
static __inline__ __device__ void *memset(void *to, int value, size_t bytes) {
    return __builtin_memset(to, value, bytes);
}

// What stands in a table of virtual functions for one that is not defined.
extern "C" __device__ __attribute__((weak)) void __cxa_pure_virtual(void) {
    __trap();
}

// What the C library's assert() calls.
static __inline__ __device__ void __assert_fail(const char *condition, const char *file,
                                                unsigned line, const char *function) {
    __assertfail(condition, file, line, function, 1);
}

// The compiler's own header: new and delete of device code, by malloc and free.
#include <new>

#endif
