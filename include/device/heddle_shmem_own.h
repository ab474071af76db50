// The own PE's memory: loads, stores and atomics of the calling threads, as NVSHMEM accesses it.
//
// Nothing of it becomes a command, so a call is over when it returns, and all addresses will do
// that kernels can access. The NIC's atomics are operations of the slice of L2 that has the word
// (host/node/l2_port.c), and so are those of threads: on the same word they are atomic with each
// other.
#ifndef HEDDLE_DEVICE_SHMEM_OWN_H
#define HEDDLE_DEVICE_SHMEM_OWN_H

#include "heddle_shmem_core.h"

namespace heddle_shmem_core {

// ---- copies

// The whole words of some bytes, by all threads of the group. @return the bytes that are copied;
// none where words are not aligned.
template <class WORD>
__device__ inline size_t copy_words(scope s, void *to, const void *from, size_t bytes) {
    if (((size_t)to | (size_t)from) % sizeof(WORD)) return 0;
    const size_t words = bytes / sizeof(WORD), size = size_of(s);
    for (size_t i = rank_in(s); i < words; i += size) ((WORD *)to)[i] = ((const WORD *)from)[i];
    return words * sizeof(WORD);
}
__device__ inline void copy(scope s, void *to, const void *from, size_t bytes) {
    if (to == from) return;
    size_t done = copy_words<int4>(s, to, from, bytes);
    done += copy_words<int>(s, (char *)to + done, (const char *)from + done, bytes - done);
    copy_words<char>(s, (char *)to + done, (const char *)from + done, bytes - done);
}

// Whether the address is a thread's own: each thread of a group has something else there.
__device__ inline bool is_private(const void *p) {
    unsigned is_it;
    asm("{ .reg .pred p; isspacep.local p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(is_it) : "l"(p));
    return is_it;
}
// A put or get of a group. The group's first thread is the one whose variables count.
__device__ __noinline__ inline void move_own(scope s, void *to, const void *from, size_t bytes) {
    meet(s);
    if (!is_private(to) && !is_private(from))
        copy(s, to, from, bytes);
    else if (acts(s))
        copy(THREAD, to, from, bytes);
    meet(s);
}

// ---- values

// A value that another thread may wait for, or change, meanwhile.
template <class T> __device__ inline void store_own(T *to, T value) {
    const unsigned long long bits = bits_of(value);
    if (sizeof(T) == 8) *(volatile unsigned long long *)to = bits;
    if (sizeof(T) == 4) *(volatile unsigned *)to = (unsigned)bits;
    if (sizeof(T) == 2) *(volatile unsigned short *)to = (unsigned short)bits;
    if (sizeof(T) == 1) *(volatile unsigned char *)to = (unsigned char)bits;
}
template <class T> __device__ inline T load_own(const T *from) {
    if (sizeof(T) == 8) return value_of<T>(*(const volatile unsigned long long *)from);
    if (sizeof(T) == 4) return value_of<T>(*(const volatile unsigned *)from);
    if (sizeof(T) == 2) return value_of<T>(*(const volatile unsigned short *)from);
    return value_of<T>(*(const volatile unsigned char *)from);
}

// ---- atomics: they return the old value

template <class WORD>
__device__ inline WORD atomic_word(WORD *at, int amo, WORD operand, WORD compare) {
    switch (amo) {
    case HEDDLE_SHMEM_AMO_SET: return atomicExch_system(at, operand);
    case HEDDLE_SHMEM_AMO_ADD: return atomicAdd_system(at, operand);
    case HEDDLE_SHMEM_AMO_AND: return atomicAnd_system(at, operand);
    case HEDDLE_SHMEM_AMO_OR: return atomicOr_system(at, operand);
    case HEDDLE_SHMEM_AMO_XOR: return atomicXor_system(at, operand);
    case HEDDLE_SHMEM_AMO_CAS: return atomicCAS_system(at, compare, operand);
    default: return *(volatile WORD *)at;
    }
}
template <class T> __device__ inline T atomic_own(T *at, int amo, T operand, T compare) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics have 4 or 8 bytes");
    const unsigned long long value = bits_of(operand), is = bits_of(compare);
    if (sizeof(T) == 8) return value_of<T>(atomic_word((unsigned long long *)at, amo, value, is));
    return value_of<T>(atomic_word((unsigned *)at, amo, (unsigned)value, (unsigned)is));
}
// Signals what this thread has written, and what it has seen that others have written.
__device__ inline void signal_own(uint64_t *signal, uint64_t value, int amo) {
    __threadfence_system();
    atomic_own((unsigned long long *)signal, amo, (unsigned long long)value, 0ull);
}

} // namespace heddle_shmem_core
#endif
