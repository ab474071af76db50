// Waits and tests of symmetric variables that other PEs write: by loads of this PE's memory.
#ifndef HEDDLE_DEVICE_SHMEM_WAIT_H
#define HEDDLE_DEVICE_SHMEM_WAIT_H

#include "heddle_shmem_core.h"

namespace heddle_shmem_core {

template <class T> __device__ inline void wait_until(const T *p, int comparison, T with) {
    while (!holds(load(p), comparison, with)) {
    }
}
template <class T> struct wait_call {
    const T *p;
    int comparison;
    T with;
    __device__ void operator()(scope s) const {
        together(s, [&] { wait_until(p, comparison, with); });
    }
};

// Many variables, each with the same value or one of its own (`each`). status[i] other than 0
// leaves variable i out; NULL leaves out none.
template <class T> struct variables {
    const T *p;
    size_t count;
    const int *status;
    int comparison;
    T value;
    const T *each;
    __device__ bool is_out(size_t i) const {
        return status && status[i];
    }
    __device__ bool has(size_t i) const {
        return holds(load(p + i), comparison, each ? each[i] : value);
    }
    __device__ bool is_empty() const {
        for (size_t i = 0; i < count; i++)
            if (!is_out(i)) return false;
        return true;
    }
};

template <class T> __device__ inline int test_all(const variables<T> &v) {
    for (size_t i = 0; i < v.count; i++)
        if (!v.is_out(i) && !v.has(i)) return 0;
    return 1;
}
template <class T> __device__ inline void wait_all(const variables<T> &v) {
    for (size_t i = 0; i < v.count; i++)
        while (!v.is_out(i) && !v.has(i)) {
        }
}
// The first variable that has its value, SIZE_MAX: none.
template <class T> __device__ inline size_t test_any(const variables<T> &v) {
    for (size_t i = 0; i < v.count; i++)
        if (!v.is_out(i) && v.has(i)) return i;
    return SIZE_MAX;
}
template <class T> __device__ inline size_t wait_any(const variables<T> &v) {
    if (v.is_empty()) return SIZE_MAX;
    for (;;) {
        const size_t i = test_any(v);
        if (i != SIZE_MAX) return i;
    }
}
// Numbers of all variables that have their value, and how many there are.
template <class T> __device__ inline size_t test_some(const variables<T> &v, size_t *indices) {
    size_t found = 0;
    for (size_t i = 0; i < v.count; i++)
        if (!v.is_out(i) && v.has(i)) indices[found++] = i;
    return found;
}
template <class T> __device__ inline size_t wait_some(const variables<T> &v, size_t *indices) {
    if (v.is_empty()) return 0;
    for (;;) {
        const size_t found = test_some(v, indices);
        if (found) return found;
    }
}

__device__ inline uint64_t signal_fetch(const uint64_t *signal) {
    return load_acquire((const unsigned long long *)signal);
}
__device__ inline uint64_t signal_wait(const uint64_t *signal, int comparison, uint64_t with) {
    for (;;) {
        const uint64_t value = signal_fetch(signal);
        if (holds(value, comparison, with)) return value;
    }
}

} // namespace heddle_shmem_core
#endif
