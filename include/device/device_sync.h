// Barriers of a block and of a warp, memory fences, traps.
//
// __syncthreads() is a builtin of the compiler. Barriers with numbers 1 to 15 count the threads
// that take part, in whole warps; bar.arrive has no C function in CUDA, programs write it in PTX.
#ifndef HEDDLE_DEVICE_DEVICE_SYNC_H
#define HEDDLE_DEVICE_DEVICE_SYNC_H

#include "host_defines.h"

#define HEDDLE_DEVICE static __inline__ __device__ __attribute__((always_inline))

// Barrier 0 of the block, and what is true of all its threads.
HEDDLE_DEVICE int __syncthreads_count(int predicate) {
    return __nvvm_bar0_popc(predicate);
}
HEDDLE_DEVICE int __syncthreads_and(int predicate) {
    return __nvvm_bar0_and(predicate);
}
HEDDLE_DEVICE int __syncthreads_or(int predicate) {
    return __nvvm_bar0_or(predicate);
}

// Named barriers.
HEDDLE_DEVICE void __barrier_sync(unsigned id) {
    __nvvm_barrier_sync(id);
}
HEDDLE_DEVICE void __barrier_sync_count(unsigned id, unsigned threads) {
    __nvvm_barrier_sync_cnt(id, threads);
}

// Threads of one warp wait for each other; orders their memory accesses.
HEDDLE_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) {
    __nvvm_bar_warp_sync(mask);
}

// Fences: this thread's earlier accesses are performed before its later ones, as seen by its
// block, by the device, by the system.
HEDDLE_DEVICE void __threadfence_block(void) {
    __nvvm_membar_cta();
}
HEDDLE_DEVICE void __threadfence(void) {
    __nvvm_membar_gl();
}
HEDDLE_DEVICE void __threadfence_system(void) {
    __nvvm_membar_sys();
}

HEDDLE_DEVICE void __trap(void) {
    __asm__ volatile("trap;");
}
HEDDLE_DEVICE void __brkpt(void) {
    __asm__ volatile("brkpt;");
}
HEDDLE_DEVICE void __nanosleep(unsigned ns) {
    __asm__ volatile("nanosleep.u32 %0;" ::"r"(ns) : "memory");
}

#endif
