// allreduce: the sum of all PEs' arrays at all PEs, by rings of puts within one kernel.
//
// Each CTA has a slice of the array and passes it around a ring of its own, in as many chunks as
// there are PEs. In the first n - 1 steps a PE adds what has come to its own chunk and sends it
// on; then each chunk is complete at one PE. In n - 1 more steps the complete chunks go around.
// What comes in the first half lands beside the array, a chunk for each step, so that no PE waits
// for room.
#define APP_NAME "allreduce"
#include "shmem_app.h"

__global__ void allreduce(float *array, float *landing, uint64_t *signals, size_t chunk,
                          unsigned long long *ns) {
    const int me = nvshmem_my_pe(), n = nvshmem_n_pes(), right = (me + 1) % n;
    float *slice = array + blockIdx.x * chunk * n;
    float *landed = landing + blockIdx.x * chunk * n;
    uint64_t *signal = signals + blockIdx.x * 2 * n; // one for each step
    const unsigned long long begin = app_now();
    int c = me; // the chunk that is sent
    for (int step = 0; step < n - 1; step++) {
        nvshmemx_float_put_signal_nbi_block(landed + step * chunk, slice + c * chunk, chunk,
                                            signal + step, 1, NVSHMEM_SIGNAL_SET, right);
        c = (c + n - 1) % n;
        if (threadIdx.x == 0) nvshmem_signal_wait_until(signal + step, NVSHMEM_CMP_EQ, 1);
        __syncthreads();
        for (size_t i = threadIdx.x; i < chunk; i += blockDim.x)
            slice[c * chunk + i] += landed[step * chunk + i];
    }
    for (int step = n - 1; step < 2 * n - 2; step++) {
        nvshmemx_float_put_signal_nbi_block(slice + c * chunk, slice + c * chunk, chunk,
                                            signal + step, 1, NVSHMEM_SIGNAL_SET, right);
        c = (c + n - 1) % n;
        if (threadIdx.x == 0) nvshmem_signal_wait_until(signal + step, NVSHMEM_CMP_EQ, 1);
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        nvshmem_quiet();
        atomicMax(ns, app_now() - begin);
    }
}

int main(int argc, char **argv) {
    long elements = 8192, rings = 4, threads = 128;
    const app_option options[] = {
        {"-n", "elements, rounded up to a multiple of rings x PEs", &elements, 1, 1L << 28},
        {"-c", "rings, a CTA each", &rings, 1, 1024},
        {"-t", "threads per CTA", &threads, 32, 1024},
    };
    app_start(argc, argv, "Adds up the arrays of all PEs.", options, 3);
    const int me = app_begin_pe(1), n = nvshmem_n_pes();
    size_t chunk = (elements + rings * n - 1) / (rings * n);
    const size_t all = chunk * rings * n;
    float *array = app_symmetric<float>(all), *landing = app_symmetric<float>(all);
    uint64_t *signals = app_symmetric<uint64_t>(rings * 2 * n);
    unsigned long long *ns = app_zeros_on_device<unsigned long long>(1), time;
    std::vector<float> values(all);
    for (size_t i = 0; i < all; i++) values[i] = (float)(i % 1021 + me * 3);
    CHECK(cudaMemcpy(array, values.data(), all * sizeof(float), cudaMemcpyHostToDevice));
    nvshmem_barrier_all();
    void *arguments[] = {&array, &landing, &signals, &chunk, &ns};
    if (nvshmemx_collective_launch((const void *)allreduce, dim3(rings), dim3(threads),
            arguments, 0,
                                   0))
        return app_fail("the CTAs do not fit on the GPU at once");
    WAIT("allreduce");
    app_to_host(values.data(), array, all);
    app_to_host(&time, ns, 1);
    const char *error = NULL;
    for (size_t i = 0; i < all; i++)
        if (values[i] != (float)(i % 1021) * n + 3.f * (n * (n - 1) / 2))
            error = "the sum is not as expected";
    char result[120];
    snprintf(result, sizeof result, "%zu elements, %d PEs, %ld rings: %.3f us", all, n, rings,
             time / 1e3);
    return app_end_pe(error, result);
}
