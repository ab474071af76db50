// Rings that add up the arrays of all PEs: by puts within a kernel, and by MPI's messages.
//
// A ring has an array of as many chunks as there are PEs, n. In the first n - 1 steps a PE adds
// what has come to its own chunk and sends it on; then each chunk is complete at one PE. In n - 1
// more steps the complete chunks go around. What comes in the first half lands beside the array.
#ifndef HEDDLE_APPS_SHMEM_RING_SUM_H
#define HEDDLE_APPS_SHMEM_RING_SUM_H

#include "app_mpi.h"

// The ring of a CTA, whose threads all call this. `landed`: as long as `slice`, a chunk for each
// step of the first half, so that no PE waits for room. `signal`: 2 n words, of which each was less
// than `round` at all PEs. Both are symmetric, as is the slice.
//
// A PE that is ahead by a round disturbs nobody: it has got the last chunk of this round from its
// left, which had it only when all PEs had added what landed in this round. But its slice belongs
// to puts until it has called nvshmem_quiet().
__device__ static inline void ring_sum(float *slice, float *landed, uint64_t *signal, size_t chunk,
                                       uint64_t round) {
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
    int c = me; // the chunk that is sent
    for (int step = 0; step < n - 1; step++) {
        nvshmemx_float_put_signal_nbi_block(landed + step * chunk, slice + c * chunk, chunk,
                                            signal + step, round, NVSHMEM_SIGNAL_SET, right);
        c = (c + n - 1) % n;
        if (threadIdx.x == 0) nvshmem_signal_wait_until(signal + step, NVSHMEM_CMP_GE, round);
        __syncthreads();
        for (size_t i = threadIdx.x; i < chunk; i += blockDim.x)
            slice[c * chunk + i] += landed[step * chunk + i];
    }
    for (int step = n - 1; step < 2 * n - 2; step++) {
        nvshmemx_float_put_signal_nbi_block(slice + c * chunk, slice + c * chunk, chunk,
                                            signal + step, round, NVSHMEM_SIGNAL_SET, right);
        c = (c + n - 1) % n;
        if (threadIdx.x == 0) nvshmem_signal_wait_until(signal + step, NVSHMEM_CMP_GE, round);
        __syncthreads();
    }
}

// One ring over a whole array, by MPI. `landing`: two chunks.
struct ring {
    const app_mpi *mpi;
    int me, n;
    size_t all;   // elements of the array, a multiple of n
    float *array; // both in device memory, or both in the host's
    float *landing;
    size_t chunk() const { return all / n; }
};

// Goes around the ring; `combine` adds what has come. A chunk travels in pieces: each is added and
// sent on while the next ones are on their way. What is to be added lands in one half of `landing`,
// while the other one is used.
template <class COMBINE> static void ring_go_around(const ring &r, COMBINE combine) {
    enum { PIECE = 1 << 16 }; // elements
    const int right = (r.me + 1) % r.n, left = (r.me + r.n - 1) % r.n;
    const int adding = r.n - 1, steps = 2 * adding;
    const size_t chunk = r.chunk(), pieces = (chunk + PIECE - 1) / PIECE;
    app_messages in = {r.mpi}, out = {r.mpi};
    const auto at = [&](float *begin, size_t i) { return begin + i * PIECE; };
    const auto length = [&](size_t i) {
        return i + 1 < pieces ? (size_t)PIECE : chunk - i * PIECE;
    };
    const auto chunk_of = [&](int step) { // what comes in this step
        return r.array + (r.me + 2 * r.n - step - 1) % r.n * chunk;
    };
    const auto landed = [&](int step) {
        return step < adding ? r.landing + step % 2 * chunk : chunk_of(step);
    };
    const auto receive = [&](int step) {
        for (size_t i = 0; i < pieces; i++) in.receive(at(landed(step), i), length(i), left);
    };
    if (!steps) return;
    receive(0);
    for (size_t i = 0; i < pieces; i++) out.send(at(chunk_of(-1), i), length(i), right);
    for (int step = 0; step < steps; step++) {
        if (step) out.wait(pieces); // those of the step before: their chunk is free
        if (step >= adding) receive(step);
        if (step + 1 < adding) receive(step + 1);
        for (size_t i = 0; i < pieces; i++) {
            in.wait(1);
            if (step < adding) combine(at(chunk_of(step), i), at(landed(step), i), length(i));
            if (step + 1 < steps) out.send(at(chunk_of(step), i), length(i), right);
        }
    }
    out.wait(pieces);
}

__global__ void ring_add(float *to, const float *from, size_t count) {
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] += from[i];
}

// Kernels of so many threads a CTA add, in device memory.
static inline void ring_sum_by_kernels(const ring &r, long threads) {
    ring_go_around(r, [&](float *to, const float *from, size_t n) {
        ring_add<<<(n + threads - 1) / threads, threads>>>(to, from, n);
        CHECK(cudaDeviceSynchronize());
    });
}

// The CPU adds, in the host's memory.
static inline void ring_sum_on_cpu(const ring &r) {
    ring_go_around(r, [](float *to, const float *from, size_t n) {
        for (size_t i = 0; i < n; i++) to[i] += from[i];
        heddle_host_work(n, 3 * n * sizeof(float), 2 * n * sizeof(float));
    });
}

#endif
