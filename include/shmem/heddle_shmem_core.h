// What every SHMEM call is made of: commands of kernels to the command processor, and the host's
// calls. heddle_shmem.h and nvshmem.h have the names that programs use.
//
// A CTA writes its commands into one queue of its PE (heddle_shmem_abi.h); CTAs share queues if
// there are fewer of these. Any thread may write a command. A PE that is no PE of a run under
// Heddle has no state: the first call traps.
#ifndef HEDDLE_DEVICE_SHMEM_CORE_H
#define HEDDLE_DEVICE_SHMEM_CORE_H

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "heddle_shmem_abi.h"

namespace heddle_shmem_core {

// ---- host

struct host_state {
    int pe = -1, num_pes = 0;
};
inline host_state &host() {
    static host_state state;
    return state;
}

// Ends the program: SHMEM's calls report no errors.
inline void host_check(cudaError_t error, const char *call) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    exit(1);
}

// A call of the simulator's runtime library, which a program is not linked to.
template <class F> inline F host_function(const char *name) {
    void *address = dlsym(RTLD_DEFAULT, name);
    // In place of a runtime that is linked into the program, it was loaded for itself alone.
    const char *const libraries[] = {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0"};
    for (int i = 0; i < 3 && !address; i++) {
        void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) address = dlsym(library, name);
    }
    if (!address) {
        fprintf(stderr, "%s: there is no such call: run the program with `heddle run`\n", name);
        exit(1);
    }
    return reinterpret_cast<F>(address);
}
template <class... A> inline cudaError_t host_call(const char *name, A... arguments) {
    return host_function<cudaError_t (*)(A...)>(name)(arguments...);
}

// Bytes of the symmetric heap: HEDDLE_SHMEM_SIZE or NVSHMEM_SYMMETRIC_SIZE (K, M, G may follow), or
// 256 MiB.
inline uint64_t host_heap_bytes() {
    const char *text = getenv("HEDDLE_SHMEM_SIZE");
    if (!text) text = getenv("NVSHMEM_SYMMETRIC_SIZE");
    if (!text) return UINT64_C(256) << 20;
    char *end;
    double bytes = strtod(text, &end);
    for (const char *unit = "KMG"; *unit; unit++) {
        const bool is_it = *end == *unit || *end == *unit + 32;
        if (is_it) bytes *= *unit == 'K' ? 1024. : *unit == 'M' ? 1048576. : 1073741824.;
    }
    if (!(bytes > 0) || bytes > 1e12) {
        fprintf(stderr, "the symmetric heap's size %s is not a number of bytes\n", text);
        exit(1);
    }
    return ((uint64_t)bytes + HEDDLE_SHMEM_RESERVED + 127) / 128 * 128;
}

inline void host_init() {
    if (host().num_pes) return;
    const char *queues = getenv("HEDDLE_SHMEM_QUEUES");
    int pe, num_pes;
    host_check(host_call<uint64_t, uint64_t, int *, int *>("__heddleShmemInit", host_heap_bytes(),
                                                           queues ? strtoull(queues, NULL, 0) : 0,
                                                           &pe, &num_pes),
               "__heddleShmemInit");
    host().pe = pe;
    host().num_pes = num_pes;
}
inline void host_finalize() {
    host_check(host_call("__heddleShmemFinalize"), "__heddleShmemFinalize");
    host() = host_state();
}
inline void *host_malloc(size_t bytes, size_t alignment) {
    void *address = NULL;
    host_check(
        host_call<uint64_t, uint64_t, void **>("__heddleShmemMalloc", bytes, alignment, &address),
        "__heddleShmemMalloc");
    return address;
}
inline void host_free(void *address) {
    host_check(host_call<void *>("__heddleShmemFree", address), "__heddleShmemFree");
}
inline void host_barrier() {
    host_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    host_check(host_call("__heddleShmemBarrier"), "__heddleShmemBarrier");
}

// ---- device

// This PE's state: the simulator has its address in two registers of the environment.
__device__ inline heddle_shmem_state *self() {
    unsigned low, high;
    asm("mov.b32 %0, %%envreg3;" : "=r"(low));
    asm("mov.b32 %0, %%envreg4;" : "=r"(high));
    if (!(low | high)) __trap();
    return reinterpret_cast<heddle_shmem_state *>((unsigned long long)high << 32 | low);
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

// The queue of this CTA.
__device__ inline heddle_shmem_queue *queue() {
    const heddle_shmem_state *s = self();
    const unsigned cta = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    return reinterpret_cast<heddle_shmem_queue *>(s->queues) + cta % s->num_queues;
}

// Writes a command into the queue. Returns its number.
__device__ inline unsigned post(heddle_shmem_queue *q, const heddle_shmem_entry &command) {
    const unsigned number = atomicAdd(&q->write_idx, 1u);
    while (number - load_acquire(&q->read_idx) >= HEDDLE_SHMEM_ENTRIES) {
    }
    heddle_shmem_entry *to = &q->entry[number % HEDDLE_SHMEM_ENTRIES];
    to->op = command.op;
    to->flags = command.flags;
    to->amo = command.amo;
    to->width = command.width;
    to->pe = command.pe;
    to->remote = command.remote;
    to->local = command.flags & HEDDLE_SHMEM_FETCH
                    ? (unsigned long long)&q->result[number % HEDDLE_SHMEM_ENTRIES]
                    : command.local;
    to->bytes = command.bytes;
    to->signal = command.signal;
    to->operand = command.operand;
    store_release(&to->status, (number & HEDDLE_SHMEM_NUMBER) << 2 | HEDDLE_SHMEM_READY);
    return number;
}

// Waits until the command is done; a later one in its place shows that it is.
__device__ inline void wait_done(const heddle_shmem_queue *q, unsigned number) {
    const unsigned *status = &q->entry[number % HEDDLE_SHMEM_ENTRIES].status;
    for (;;) {
        const unsigned now = load_acquire(status);
        const unsigned later = ((now >> 2) - number) & HEDDLE_SHMEM_NUMBER;
        if (later == 0 ? (now & 3) == HEDDLE_SHMEM_DONE : later <= HEDDLE_SHMEM_NUMBER / 2) return;
    }
}

// Writes a command and waits for it. Returns its result, if it has one.
__device__ inline unsigned long long call(const heddle_shmem_entry &command) {
    heddle_shmem_queue *q = queue();
    const unsigned number = post(q, command);
    if (!(command.flags & HEDDLE_SHMEM_BLOCKING)) return 0;
    wait_done(q, number);
    if (!(command.flags & HEDDLE_SHMEM_FETCH)) return 0;
    const unsigned long long result =
        *(volatile unsigned long long *)&q->result[number % HEDDLE_SHMEM_ENTRIES];
    store_release(&q->entry[number % HEDDLE_SHMEM_ENTRIES].status,
                  (number & HEDDLE_SHMEM_NUMBER) << 2 | HEDDLE_SHMEM_FREE);
    return result;
}

__device__ inline void put(void *remote, const void *local, size_t bytes, int pe, bool blocking) {
    if (!bytes) return;
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_PUT;
    e.flags = blocking ? HEDDLE_SHMEM_BLOCKING : 0;
    e.pe = pe;
    e.remote = (unsigned long long)remote;
    e.local = (unsigned long long)local;
    e.bytes = bytes;
    call(e);
}
__device__ inline void put_signal(void *remote, const void *local, size_t bytes, uint64_t *signal,
                                  uint64_t value, int amo, int pe, bool blocking) {
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
__device__ inline void get(void *local, const void *remote, size_t bytes, int pe, bool blocking) {
    if (!bytes) return;
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

template <class T> __device__ inline void put_value(T *remote, T value, int pe) {
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_PUT;
    e.flags = HEDDLE_SHMEM_IN_ENTRY;
    e.pe = pe;
    e.remote = (unsigned long long)remote;
    e.local = bits_of(value);
    e.bytes = sizeof value;
    call(e);
}
template <class T> __device__ inline T get_value(const T *remote, int pe) {
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_GET;
    e.flags = HEDDLE_SHMEM_BLOCKING | HEDDLE_SHMEM_FETCH;
    e.pe = pe;
    e.remote = (unsigned long long)remote;
    e.bytes = sizeof(T);
    return value_of<T>(call(e));
}

// An atomic operation at the PE; with `fetch` it returns the old value.
template <class T>
__device__ inline T atomic(T *remote, int amo, T operand, T compare, int pe, bool fetch) {
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

// Waits until all earlier commands of this CTA have completed.
__device__ inline void quiet() {
    heddle_shmem_entry e = {};
    e.op = HEDDLE_SHMEM_QUIET;
    e.flags = HEDDLE_SHMEM_BLOCKING;
    __threadfence_system();
    call(e);
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
template <class T> __device__ inline void wait_until(const T *p, int comparison, T with) {
    while (!holds(load(p), comparison, with)) {
    }
}

// All PEs, by one thread of each: in round r it adds to a flag of the PE 2^r behind, and waits for
// the one 2^r ahead (dissemination).
__device__ inline void sync_all() {
    heddle_shmem_state *s = self();
    const int n = s->num_pes;
    const unsigned long long epoch = atomicAdd(&s->epoch, 1ull) + 1;
    unsigned long long *flags = reinterpret_cast<unsigned long long *>(s->heap);
    for (int round = 0; 1 << round < n; round++) {
        unsigned long long *flag = flags + 16 * round;
        atomic(flag, HEDDLE_SHMEM_AMO_ADD, 1ull, 0ull, (s->pe + (1 << round)) % n, false);
        wait_until(flag, GREATER_EQUAL, epoch);
    }
}

// ---- groups of threads: all call, one acts

enum scope { THREAD, WARP, BLOCK };
__device__ inline void meet(scope s) {
    if (s == WARP) __syncwarp();
    if (s == BLOCK) __syncthreads();
}
__device__ inline bool acts(scope s) {
    const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    return s == THREAD || (s == WARP && thread % 32 == 0) || (s == BLOCK && thread == 0);
}
template <class F> __device__ inline void together(scope s, F act) {
    meet(s);
    if (acts(s)) act();
    meet(s);
}

} // namespace heddle_shmem_core
#endif
