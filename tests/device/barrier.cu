// barrier.cu - barriers of a block as programs use them: cuda::barrier, cuda::memcpy_async and
// cuda::pipeline of NVIDIA's toolkit, which compile to mbarrier and cp.async. The program checks
// its own results.
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cooperative_groups.h>

#include "check.h"

using barrier = cuda::barrier<cuda::thread_scope_block>;

const int THREADS = 128, WARPS = THREADS / 32, ROUNDS = 5;

// The first warp produces, the others consume, two buffers; tokens on one side, arrive_and_wait and
// wait_parity on the other.
__global__ void produce_and_consume(const int *in, int *out) {
    __shared__ int buffer[2][32];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier full[2], empty[2];
    int lane = threadIdx.x % 32;
    if (threadIdx.x < 2) {
        init(&full[threadIdx.x], THREADS);
        init(&empty[threadIdx.x], THREADS);
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        for (int i = 0; i < ROUNDS; i++) {
            empty[i % 2].arrive_and_wait();
            buffer[i % 2][lane] = in[32 * i + lane];
            (void)full[i % 2].arrive();
        }
    } else {
        int sum = 0;
        (void)empty[0].arrive();
        (void)empty[1].arrive();
        for (int i = 0; i < ROUNDS; i++) {
            full[i % 2].arrive_and_wait();
            sum = sum * 5 + buffer[i % 2][31 - lane];
            barrier::arrival_token token = empty[i % 2].arrive();
            (void)token;
        }
        out[threadIdx.x] = sum;
    }
}

// Every thread waits for the phase of its own token; then the warps leave for good, one per round.
__global__ void leave(int *out) {
    __shared__ barrier all;
    __shared__ int count;
    if (threadIdx.x == 0) {
        init(&all, THREADS);
        count = 0;
    }
    __syncthreads();
    for (unsigned round = 0; round < WARPS; round++) {
        atomicAdd(&count, 1);
        all.wait(all.arrive());
        if (threadIdx.x == 32 * round) out[round] = count;
        all.wait(all.arrive());
        if (threadIdx.x / 32 == round) {
            all.arrive_and_drop();
            return;
        }
        all.arrive_and_wait();
    }
}

// Asynchronous copies that a barrier waits for.
__global__ void copy(const int *in, int *out) {
    __shared__ barrier come;
    __shared__ alignas(16) int part[2][THREADS];
    if (threadIdx.x == 0) init(&come, THREADS);
    __syncthreads();
    cuda::memcpy_async(&part[0][threadIdx.x], &in[threadIdx.x], cuda::aligned_size_t<4>(4), come);
    if (threadIdx.x % 4 == 0)
        cuda::memcpy_async(&part[1][threadIdx.x], &in[threadIdx.x], cuda::aligned_size_t<16>(16),
                           come);
    come.arrive_and_wait();
    int other = THREADS - 1 - threadIdx.x;
    out[threadIdx.x] = part[0][other] + 1000 * part[1][other];
}

// A pipeline of the block with two stages in flight.
__global__ void pipeline(const int *in, int *out) {
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
    __shared__ int stage[2][THREADS];
    auto pipe = cuda::make_pipeline(cooperative_groups::this_thread_block(), &state);
    int sum = 0;
    for (int next = 0, done = 0; done < ROUNDS; done++) {
        for (; next < ROUNDS && next < done + 2; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&stage[next % 2][threadIdx.x], &in[next + threadIdx.x], 4, pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum = sum * 3 + stage[done % 2][THREADS - 1 - threadIdx.x];
        pipe.consumer_release();
    }
    out[threadIdx.x] = sum;
}

int main() {
    const int n = 32 * ROUNDS + THREADS;
    int host[n], out[THREADS], *in, *result;
    for (int i = 0; i < n; i++) host[i] = i * i % 1009;
    cudaMalloc(&in, sizeof host);
    cudaMalloc(&result, sizeof out);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);

    produce_and_consume<<<1, THREADS>>>(in, result);
    CHECK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int t = 32; t < THREADS; t++) {
        int sum = 0;
        for (int i = 0; i < ROUNDS; i++) sum = sum * 5 + host[32 * i + 31 - t % 32];
        CHECK(out[t] == sum);
    }
    leave<<<1, THREADS>>>(result);
    CHECK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int i = 0, count = 0; i < WARPS; i++) CHECK(out[i] == (count += THREADS - 32 * i));

    copy<<<1, THREADS>>>(in, result);
    CHECK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int t = 0; t < THREADS; t++) CHECK(out[t] == 1001 * host[THREADS - 1 - t]);

    pipeline<<<1, THREADS>>>(in, result);
    CHECK(cudaMemcpy(out, result, sizeof out, cudaMemcpyDeviceToHost) == cudaSuccess);
    for (int t = 0; t < THREADS; t++) {
        int sum = 0;
        for (int i = 0; i < ROUNDS; i++) sum = sum * 3 + host[i + THREADS - 1 - t];
        CHECK(out[t] == sum);
    }
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    if (!wrong) printf("barrier: PASS 4 kernels\n");
    return wrong != 0;
}
