// Puts, gets, values and atomics, by a thread, a warp or a CTA.
//
// The NIC reads and writes global memory. What a program keeps elsewhere (in a thread's own
// variables, in shared memory) travels as values, HEDDLE_SHMEM_INLINE bytes at a time. The NIC has
// no part in what a PE does to its own memory.
#ifndef HEDDLE_DEVICE_SHMEM_RMA_H
#define HEDDLE_DEVICE_SHMEM_RMA_H

#include "heddle_shmem_own.h"

namespace heddle_shmem_core {

__device__ inline bool is_global(const void *p) {
    unsigned is_it;
    asm("{ .reg .pred p; isspacep.global p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_it) : "l"(p));
    return is_it;
}

// ---- at another PE, by a thread

__device__ inline void put_remote(void *remote, const void *local, size_t bytes, int pe,
                                  bool blocking) {
    if (!bytes) return;
    if (is_global(local)) {
        put_global(remote, local, bytes, pe, blocking);
        return;
    }
    for (size_t at = 0; at < bytes; at += HEDDLE_SHMEM_INLINE) {
        const size_t left = bytes - at;
        const unsigned some = left < HEDDLE_SHMEM_INLINE ? (unsigned)left : HEDDLE_SHMEM_INLINE;
        unsigned long long bits = 0;
        memcpy(&bits, (const char *)local + at, some);
        put_bits((char *)remote + at, bits, some, pe);
    }
}
__device__ inline void get_remote(void *local, const void *remote, size_t bytes, int pe,
                                  bool blocking) {
    if (!bytes) return;
    if (is_global(local)) {
        get_global(local, remote, bytes, pe, blocking);
        return;
    }
    for (size_t at = 0; at < bytes; at += HEDDLE_SHMEM_INLINE) {
        const size_t left = bytes - at;
        const unsigned some = left < HEDDLE_SHMEM_INLINE ? (unsigned)left : HEDDLE_SHMEM_INLINE;
        const unsigned long long bits = get_bits((const char *)remote + at, some, pe);
        memcpy((char *)local + at, &bits, some);
    }
}
__device__ inline void signal_remote(uint64_t *signal, uint64_t value, int amo, int pe) {
    atomic_remote((unsigned long long *)signal, amo, (unsigned long long)value, 0ull, pe, false);
}
__device__ inline void put_signal_remote(void *remote, const void *local, size_t bytes,
                                         uint64_t *signal, uint64_t value, int amo, int pe,
                                         bool blocking) {
    if (bytes && is_global(local)) {
        put_signal_global(remote, local, bytes, signal, value, amo, pe, blocking);
        return;
    }
    put_remote(remote, local, bytes, pe, blocking); // in order: see fence()
    signal_remote(signal, value, amo, pe);
}

// ---- at any PE, by a thread

template <class T> __device__ inline void put_value(T *to, T value, int pe) {
    if (is_own(pe))
        store_own(to, value);
    else
        put_bits(to, bits_of(value), sizeof value, pe);
}
template <class T> __device__ inline T get_value(const T *from, int pe) {
    return is_own(pe) ? load_own(from) : value_of<T>(get_bits(from, sizeof(T), pe));
}
template <class T>
__device__ inline T atomic(T *at, int amo, T operand, T compare, int pe, bool fetch) {
    return is_own(pe) ? atomic_own(at, amo, operand, compare)
                      : atomic_remote(at, amo, operand, compare, pe, fetch);
}
// Sets a signal or adds to it.
__device__ inline void signal_op(uint64_t *signal, uint64_t value, int amo, int pe) {
    atomic((unsigned long long *)signal, amo, (unsigned long long)value, 0ull, pe, false);
}

// ---- what a thread, a warp or a CTA calls; the host has a CTA call it

struct put_call {
    void *to;
    const void *from;
    size_t bytes;
    int pe;
    bool blocking;
    __device__ void operator()(scope s) const {
        if (is_own(pe))
            move_own(s, to, from, bytes);
        else
            together(s, [&] { put_remote(to, from, bytes, pe, blocking); });
    }
};
struct get_call {
    void *to;
    const void *from;
    size_t bytes;
    int pe;
    bool blocking;
    __device__ void operator()(scope s) const {
        if (is_own(pe))
            move_own(s, to, from, bytes);
        else
            together(s, [&] { get_remote(to, from, bytes, pe, blocking); });
    }
};
struct put_signal_call {
    void *to;
    const void *from;
    size_t bytes;
    uint64_t *signal;
    uint64_t value;
    int amo, pe;
    bool blocking;
    __device__ void operator()(scope s) const {
        if (is_own(pe)) {
            move_own(s, to, from, bytes);
            together(s, [&] { signal_own(signal, value, amo); });
            return;
        }
        together(s, [&] { put_signal_remote(to, from, bytes, signal, value, amo, pe, blocking); });
    }
};
struct signal_call {
    uint64_t *signal;
    uint64_t value;
    int amo, pe;
    __device__ void operator()(scope s) const {
        together(s, [&] { signal_op(signal, value, amo, pe); });
    }
};
template <class T> struct p_call {
    T *to;
    T value;
    int pe;
    __device__ void operator()(scope s) const {
        together(s, [&] { put_value(to, value, pe); });
    }
};

// Elements with gaps: all threads of the group share them.
template <size_t BYTES> struct iput_call {
    void *to;
    const void *from;
    ptrdiff_t to_stride, from_stride; // in elements
    size_t count;
    int pe;
    __device__ void operator()(scope s) const {
        const bool own = is_own(pe);
        meet(s);
        for (size_t i = rank_in(s); i < count; i += size_of(s)) {
            char *target = (char *)to + (ptrdiff_t)i * to_stride * (ptrdiff_t)BYTES;
            const char *source = (const char *)from + (ptrdiff_t)i * from_stride * (ptrdiff_t)BYTES;
            if (own) copy(THREAD, target, source, BYTES);
            for (size_t at = 0; !own && at < BYTES; at += HEDDLE_SHMEM_INLINE) {
                const unsigned some = BYTES < HEDDLE_SHMEM_INLINE ? BYTES : HEDDLE_SHMEM_INLINE;
                unsigned long long bits = 0;
                memcpy(&bits, source + at, some);
                put_bits(target + at, bits, some, pe);
            }
        }
        meet(s);
    }
};
template <size_t BYTES> struct iget_call {
    void *to;
    const void *from;
    ptrdiff_t to_stride, from_stride;
    size_t count;
    int pe;
    __device__ void operator()(scope s) const {
        const bool own = is_own(pe);
        meet(s);
        for (size_t i = rank_in(s); i < count; i += size_of(s)) {
            char *target = (char *)to + (ptrdiff_t)i * to_stride * (ptrdiff_t)BYTES;
            const char *source = (const char *)from + (ptrdiff_t)i * from_stride * (ptrdiff_t)BYTES;
            if (own)
                copy(THREAD, target, source, BYTES);
            else
                get_remote(target, source, BYTES, pe, false);
        }
        if (!own && rank_in(s) < count) ctx_quiet();
        meet(s);
    }
};

} // namespace heddle_shmem_core
#endif
