// Barriers of a block and of a warp, memory fences, traps.
//
// Barriers with numbers 1 to 15 count the threads that take part, in whole warps. bar.arrive has no
// C function in CUDA; programs write it in PTX.
#ifndef HEDDLE_DEVICE_DEVICE_SYNC_H
#define HEDDLE_DEVICE_DEVICE_SYNC_H

#include "host_defines.h"

// Without debug information of their own, so that their code has the source line of the call.
#define HEDDLE_DEVICE static __inline__ __device__ __attribute__((always_inline, nodebug))

// All of these are PTX, not the compiler's builtins: clang 14 believes that a builtin barrier
// cannot touch a __shared__ variable whose address nobody takes, and moves its loads over the
// barrier.

// Barrier 0 of the block, also with a count or vote over its threads.
HEDDLE_DEVICE void heddle_syncthreads(void) {
    __asm__ volatile("bar.sync 0;" ::: "memory");
}
#define __syncthreads() heddle_syncthreads()

HEDDLE_DEVICE int __syncthreads_count(int predicate) {
    int count;
    __asm__ volatile("{ .reg .pred %%p; setp.ne.s32 %%p, %1, 0; bar.red.popc.u32 %0, 0, %%p; }"
                     : "=r"(count)
                     : "r"(predicate)
                     : "memory");
    return count;
}
HEDDLE_DEVICE int __syncthreads_and(int predicate) {
    int all;
    __asm__ volatile("{ .reg .pred %%p, %%q; setp.ne.s32 %%p, %1, 0; bar.red.and.pred %%q, 0, %%p; "
                     "selp.s32 %0, 1, 0, %%q; }"
                     : "=r"(all)
                     : "r"(predicate)
                     : "memory");
    return all;
}
HEDDLE_DEVICE int __syncthreads_or(int predicate) {
    int any;
    __asm__ volatile("{ .reg .pred %%p, %%q; setp.ne.s32 %%p, %1, 0; bar.red.or.pred %%q, 0, %%p; "
                     "selp.s32 %0, 1, 0, %%q; }"
                     : "=r"(any)
                     : "r"(predicate)
                     : "memory");
    return any;
}

// Named barriers.
HEDDLE_DEVICE void __barrier_sync(unsigned id) {
    __asm__ volatile("barrier.sync %0;" ::"r"(id) : "memory");
}
HEDDLE_DEVICE void __barrier_sync_count(unsigned id, unsigned threads) {
    __asm__ volatile("barrier.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

// Lets threads of one warp wait for each other, and orders their memory accesses.
HEDDLE_DEVICE void __syncwarp(unsigned mask = 0xffffffffu) {
    __asm__ volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}

// Fences: this thread's earlier accesses are performed before its later ones, as seen by its
// block, by the device, by the system.
HEDDLE_DEVICE void __threadfence_block(void) {
    __asm__ volatile("membar.cta;" ::: "memory");
}
HEDDLE_DEVICE void __threadfence(void) {
    __asm__ volatile("membar.gl;" ::: "memory");
}
HEDDLE_DEVICE void __threadfence_system(void) {
    __asm__ volatile("membar.sys;" ::: "memory");
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
