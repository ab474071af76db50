// What every SHMEM call of a kernel is made of: commands to the command processor.
// heddle_shmem.h and nvshmem.h have the names that programs use.
//
// A CTA writes its commands into one queue of its PE (heddle_shmem_abi.h); CTAs share queues if
// there are fewer of these. Any thread may write a command. A program that is no PE of a run under
// Heddle has no state: the first call of its kernels traps.
#ifndef HEDDLE_DEVICE_SHMEM_CORE_H
#define HEDDLE_DEVICE_SHMEM_CORE_H

#include <cuda_runtime.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "heddle_shmem_abi.h"

namespace heddle_shmem_core {

// This PE's state: the simulator has its address in two registers of the environment.
__device__ inline heddle_shmem_state *self() {
    unsigned low, high;
    asm("mov.b32 %0, %%envreg3;" : "=r"(low));
    asm("mov.b32 %0, %%envreg4;" : "=r"(high));
    if (!(low | high)) __trap();
    return reinterpret_cast<heddle_shmem_state *>((unsigned long long)high << 32 | low);
}

// Whether the PE is this one. Its memory is accessed by the calling threads, never by commands
// (heddle_shmem_own.h).
__device__ inline bool is_own(int pe) {
    int own;
    asm("mov.b32 %0, %%envreg5;" : "=r"(own));
    self();
    return pe == own;
}

__device__ inline unsigned long long load_relaxed(const unsigned long long *p) {
    unsigned long long value;
    asm volatile("ld.relaxed.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}
__device__ inline unsigned load_acquire(const unsigned *p) {
    unsigned value;
    asm volatile("ld.acquire.sys.global.u32 %0, [%1];" : "=r"(value) : "l"(p) : "memory");
    return value;
}
__device__ inline unsigned long long load_acquire(const unsigned long long *p) {
    unsigned long long value;
    asm volatile("ld.acquire.sys.global.u64 %0, [%1];" : "=l"(value) : "l"(p) : "memory");
    return value;
}
__device__ inline void store_release(unsigned *p, unsigned value) {
    asm volatile("st.release.sys.global.u32 [%0], %1;" : : "l"(p), "r"(value) : "memory");
}
// A release that only raises the word.
__device__ inline void raise_release(unsigned *p, unsigned value) {
    asm volatile("red.release.sys.global.max.u32 [%0], %1;" : : "l"(p), "r"(value) : "memory");
}
// Locked stores (docs/ptx-forms.md): L2 keeps the line until the command processor has looked at
// it.
__device__ inline void store_locked(unsigned *p, unsigned value) {
    asm volatile(".pragma \"heddle_locked\";\n\t"
                 "st.global.u32 [%0], %1;"
                 :
                 : "l"(p), "r"(value)
                 : "memory");
}
__device__ inline void store_locked(unsigned long long *p, unsigned long long first,
                                    unsigned long long second) {
    asm volatile(".pragma \"heddle_locked\";\n\t"
                 "st.global.v2.u64 [%0], {%1, %2};"
                 :
                 : "l"(p), "l"(first), "l"(second)
                 : "memory");
}
__device__ inline void store_release_locked(unsigned *p, unsigned value) {
    asm volatile(".pragma \"heddle_locked\";\n\t"
                 "st.release.sys.global.u32 [%0], %1;"
                 :
                 : "l"(p), "r"(value)
                 : "memory");
}

// A queue, both sides.
struct queue_ref {
    heddle_shmem_producer *producer;
    heddle_shmem_queue *queue;
};
__device__ inline queue_ref queue_number(unsigned number) {
    const heddle_shmem_state *s = self();
    return {reinterpret_cast<heddle_shmem_producer *>(s->producers) + number,
            reinterpret_cast<heddle_shmem_queue *>(s->queues) + number};
}
// A queue's write_idx (the low half) and `complete`.
__device__ inline const unsigned long long *queue_progress(unsigned number) {
    static_assert(offsetof(heddle_shmem_producer, write_idx) == 0 &&
                      offsetof(heddle_shmem_producer, complete) == sizeof(unsigned),
                  "one load sees both");
    return (const unsigned long long *)queue_number(number).producer;
}
// The queue of this CTA.
__device__ inline queue_ref queue() {
    const unsigned cta = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return queue_number(cta % self()->num_queues);
}

// Writes a command into the queue. Returns its number.
__device__ inline unsigned post(const queue_ref &q, const heddle_shmem_entry &command) {
    const unsigned number = atomicAdd(&q.producer->write_idx, 1u);
    unsigned read = load_acquire(&q.producer->read_seen);
    while (number - read >= HEDDLE_SHMEM_ENTRIES) {
        read = load_acquire(&q.queue->read_idx);
        store_release(&q.producer->read_seen, read);
    }
    heddle_shmem_entry *to = &q.queue->entry[number % HEDDLE_SHMEM_ENTRIES];
    // L2 has to keep what comes before the status, too: a stream could take it before the status is
    // there, which waits until all of it is
    const unsigned long long local =
        command.flags & HEDDLE_SHMEM_FETCH
            ? (unsigned long long)&q.producer->result[number % HEDDLE_SHMEM_ENTRIES]
            : command.local;
    store_locked(&to->what, command.what);
    store_locked(&to->pe, command.pe);
    store_locked(&to->remote, command.remote, local);
    store_locked(&to->bytes, command.bytes, command.signal);
    store_locked(&to->operand, command.operand, 0);
    store_release_locked(&to->status, (number & HEDDLE_SHMEM_NUMBER) << 2 | HEDDLE_SHMEM_READY);
    return number;
}

// Waits until the command is done; a later one in its place shows that it is.
__device__ inline void wait_done(const queue_ref &q, unsigned number) {
    const unsigned *status = &q.queue->entry[number % HEDDLE_SHMEM_ENTRIES].status;
    for (;;) {
        const unsigned now = load_acquire(status);
        const unsigned later = ((now >> 2) - number) & HEDDLE_SHMEM_NUMBER;
        if (later == 0 ? (now & 3) == HEDDLE_SHMEM_DONE : later <= HEDDLE_SHMEM_NUMBER / 2) return;
    }
}

// Writes a command and waits for it. Returns its result, if it has one.
__device__ inline unsigned long long call(const heddle_shmem_entry &command) {
    const queue_ref q = queue();
    const unsigned number = post(q, command);
    if (!(command.flags & HEDDLE_SHMEM_BLOCKING)) return 0;
    wait_done(q, number);
    if (!(command.flags & HEDDLE_SHMEM_FETCH)) return 0;
    const unsigned long long result =
        *(volatile unsigned long long *)&q.producer->result[number % HEDDLE_SHMEM_ENTRIES];
    store_release(&q.queue->entry[number % HEDDLE_SHMEM_ENTRIES].status,
                  (number & HEDDLE_SHMEM_NUMBER) << 2 | HEDDLE_SHMEM_FREE);
    return result;
}

// A put and a get whose local side is global memory, which the NIC can reach.
__device__ inline void put_global(void *remote, const void *local, size_t bytes, int pe,
                                  bool blocking) {
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_PUT;
    e.flags = blocking ? HEDDLE_SHMEM_BLOCKING : 0;
    e.pe = pe;
    e.remote = (unsigned long long)remote;
    e.local = (unsigned long long)local;
    e.bytes = bytes;
    call(e);
}
__device__ inline void put_signal_global(void *remote, const void *local, size_t bytes,
                                         uint64_t *signal, uint64_t value, int amo, int pe,
                                         bool blocking) {
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_PUT;
    e.flags = HEDDLE_SHMEM_SIGNAL | (blocking ? HEDDLE_SHMEM_BLOCKING : 0);
    e.amo = amo;
    e.pe = pe;
    e.remote = (unsigned long long)remote;
    e.local = (unsigned long long)local;
    e.bytes = bytes;
    e.signal = (unsigned long long)signal;
    e.operand = value;
    call(e);
}
__device__ inline void get_global(void *local, const void *remote, size_t bytes, int pe,
                                  bool blocking) {
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_GET;
    e.flags = blocking ? HEDDLE_SHMEM_BLOCKING : 0;
    e.pe = pe;
    e.remote = (unsigned long long)remote;
    e.local = (unsigned long long)local;
    e.bytes = bytes;
    call(e);
}

// A value's bits, and back.
template <class T> __device__ inline unsigned long long bits_of(T value) {
    static_assert(sizeof(T) <= HEDDLE_SHMEM_INLINE, "a value lies in its command");
    unsigned long long bits = 0;
    memcpy(&bits, &value, sizeof value);
    return bits;
}
template <class T> __device__ inline T value_of(unsigned long long bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// At most HEDDLE_SHMEM_INLINE bytes, to and from a register.
__device__ inline void put_bits(void *remote, unsigned long long bits, unsigned bytes, int pe) {
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_PUT;
    e.flags = HEDDLE_SHMEM_IN_ENTRY;
    e.pe = pe;
    e.remote = (unsigned long long)remote;
    e.local = bits;
    e.bytes = bytes;
    call(e);
}
__device__ inline unsigned long long get_bits(const void *remote, unsigned bytes, int pe) {
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_GET;
    e.flags = HEDDLE_SHMEM_BLOCKING | HEDDLE_SHMEM_FETCH;
    e.pe = pe;
    e.remote = (unsigned long long)remote;
    e.bytes = bytes;
    return call(e);
}

// An atomic operation at the PE; with `fetch` it returns the old value.
template <class T>
__device__ inline T atomic_remote(T *remote, int amo, T operand, T compare, int pe, bool fetch) {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "atomics have 4 or 8 bytes");
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_ATOMIC;
    e.flags = fetch ? HEDDLE_SHMEM_BLOCKING | HEDDLE_SHMEM_FETCH : 0;
    e.amo = amo;
    e.width = sizeof(T);
    e.pe = pe;
    e.remote = (unsigned long long)remote;
    e.operand = bits_of(operand);
    e.signal = bits_of(compare);
    return value_of<T>(call(e));
}

// Writes a QUIET into the queue. Returns its number.
__device__ inline unsigned post_quiet(const queue_ref &q) {
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_QUIET;
    e.flags = HEDDLE_SHMEM_BLOCKING;
    return post(q, e);
}

// Waits until all earlier commands of this CTA have completed: those of its queue, which OpenSHMEM
// would call its context.
__device__ inline void ctx_quiet() {
    const queue_ref q = queue();
    __threadfence_system();
    wait_done(q, post_quiet(q));
}

// Puts of this thread before the fence arrive at their target before those behind it. All its
// commands go to one queue, in order; the command processor issues a queue's commands in order, and
// what one NIC sends to another arrives in order. The target's bus begins a command's writes when
// all writes before it have been served. So there is nothing to wait for: only what this thread has
// written to its own memory has to be there before the NIC reads it.
__device__ inline void fence() {
    __threadfence_system();
}

// Comparisons of waits, numbered as in OpenSHMEM.
enum comparison { EQUAL, NOT_EQUAL, GREATER, LESS_EQUAL, LESS, GREATER_EQUAL };
template <class T> __device__ inline bool holds(T value, int comparison, T with) {
    switch (comparison) {
    case EQUAL: return value == with;
    case NOT_EQUAL: return value != with;
    case GREATER: return value > with;
    case LESS_EQUAL: return value <= with;
    case LESS: return value < with;
    default: return value >= with;
    }
}
template <class T> __device__ inline T load(const T *p) {
    if (sizeof(T) == 8) return value_of<T>(load_acquire((const unsigned long long *)p));
    if (sizeof(T) == 4) return value_of<T>(load_acquire((const unsigned *)p));
    const T value = *(const volatile T *)p;
    __threadfence_system();
    return value;
}
// ---- groups of threads: all call, one acts

enum scope { THREAD, WARP, BLOCK };
__device__ inline void meet(scope s) {
    if (s == WARP) __syncwarp();
    if (s == BLOCK) __syncthreads();
}
__device__ inline unsigned threads_of_cta() {
    return blockDim.x * blockDim.y * blockDim.z;
}
// This thread's number in its group, and the group's size.
__device__ inline unsigned rank_in(scope s) {
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return s == THREAD ? 0 : s == WARP ? thread % 32 : thread;
}
__device__ inline unsigned size_of(scope s) {
    if (s == THREAD) return 1;
    const unsigned threads = threads_of_cta();
    const unsigned left = threads - (rank_in(BLOCK) & ~31u);
    return s == BLOCK ? threads : left < 32 ? left : 32;
}
__device__ inline bool acts(scope s) {
    return rank_in(s) == 0;
}
template <class F> __device__ inline void together(scope s, F act) {
    meet(s);
    if (acts(s)) act();
    meet(s);
}

} // namespace heddle_shmem_core
#endif
