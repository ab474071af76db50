// divergence: threads of one warp take different paths, and all must compute the right values.
//
// Four kernels: nested branches; loops with a different trip count in each lane; lanes that exit
// early while the others vote; and a chain in which each lane waits for the next lane of its own
// warp, which terminates only if lanes make progress independently.
#include <cuda_runtime.h>

#define APP_NAME "divergence"
#include "../common/app.h"

#include <vector>

#define WARP 32

// Three levels of branches, each on a different bit, and a switch.
static __host__ __device__ unsigned nested_value(unsigned i) {
    unsigned v = i * 7 + 1;
    if (i & 1) {
        if (i & 2) {
            v = v * 3 + 5;
        } else {
            if (i & 4) {
                v ^= 0x55;
            } else {
                v += 1000;
            }
            v = v << 1 | 1;
        }
    } else {
        if (i & 8) v -= i / 3;
        switch (i % 5) {
        case 0: v += 11; break;
        case 1: v *= 13; break;
        case 2: v ^= v >> 3; break;
        default: v = ~v; break;
        }
    }
    return v;
}

__global__ void nested(unsigned *out, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = nested_value(i);
}

// Steps of the 3n + 1 sequence: from 0 to over 100, with large differences between neighbours.
static __host__ __device__ unsigned collatz_steps(unsigned n) {
    unsigned steps = 0;
    while (n != 1) {
        n = n & 1 ? 3 * n + 1 : n >> 1;
        steps++;
    }
    return steps;
}

__global__ void trip_counts(unsigned *out, int n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = collatz_steps(i + 1);
}

// Lanes whose bit in `stay` is clear return; the others go on to vote and shuffle with each other.
__global__ void early_exit(unsigned *out, unsigned stay) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned lane = i % WARP;
    if (!(stay >> lane & 1)) {
        out[i] = ~0u;
        return;
    }
    unsigned odd = __ballot_sync(stay, lane & 1);
    unsigned first = __shfl_sync(stay, i, __ffs(stay) - 1);
    out[i] = odd + first;
}

// Lane 31 starts; lane l waits until lane l + 1 has stored its count. Gives up after `limit` spins.
__global__ void lane_chain(unsigned *out, unsigned limit) {
    __shared__ volatile unsigned token[WARP + 1];
    unsigned lane = threadIdx.x;
    token[lane] = 0;
    if (lane == 0) token[WARP] = 1;
    __syncwarp();
    unsigned spins = 0, got;
    while ((got = token[lane + 1]) == 0 && spins < limit) spins++;
    token[lane] = got + 1;
    out[lane] = spins < limit ? got : 0;
}

// Compares results with the expected values, and prints the first difference.
static bool compare(const char *kernel, const std::vector<unsigned> &got,
                    const std::vector<unsigned> &expected) {
    for (size_t i = 0; i < got.size(); i++) {
        if (got[i] != expected[i]) {
            app_fail("%s: thread %zu has %u, not %u", kernel, i, got[i], expected[i]);
            return false;
        }
    }
    return true;
}

static std::vector<unsigned> fetch_and_free(unsigned *device, long n) {
    std::vector<unsigned> values(n);
    app_to_host(values.data(), device, n);
    CHECK(cudaFree(device));
    return values;
}

int main(int argc, char **argv) {
    long n = 1024, limit = 200000;
    const app_option options[] = {
        {"-n", "threads", &n, 1, 1L << 20},
        {"-s", "spins before a lane gives up", &limit, 1, 1L << 30},
    };
    app_start(argc, argv, "Sends the lanes of a warp different ways.", options, 2);
    int ctas = (int)((n + 127) / 128);
    std::vector<unsigned> expected(n);

    unsigned *device = app_zeros_on_device<unsigned>(n);
    nested<<<ctas, 128>>>(device, (int)n);
    WAIT("nested");
    for (long i = 0; i < n; i++) expected[i] = nested_value((unsigned)i);
    if (!compare("nested", fetch_and_free(device, n), expected)) return 1;

    device = app_zeros_on_device<unsigned>(n);
    trip_counts<<<ctas, 128>>>(device, (int)n);
    WAIT("trip_counts");
    for (long i = 0; i < n; i++) expected[i] = collatz_steps((unsigned)i + 1);
    if (!compare("trip_counts", fetch_and_free(device, n), expected)) return 1;

    const unsigned stay = 0xF0C4B2A8u;
    const int first_lane = 3;
    device = app_zeros_on_device<unsigned>(4 * WARP);
    early_exit<<<2, 2 * WARP>>>(device, stay);
    WAIT("early_exit");
    expected.assign(4 * WARP, 0);
    for (unsigned i = 0; i < expected.size(); i++) {
        unsigned lane = i % WARP;
        expected[i] = stay >> lane & 1 ? (stay & 0xAAAAAAAAu) + (i - lane + first_lane) : ~0u;
    }
    if (!compare("early_exit", fetch_and_free(device, 4 * WARP), expected)) return 1;

    device = app_zeros_on_device<unsigned>(WARP);
    lane_chain<<<1, WARP>>>(device, (unsigned)limit);
    WAIT("lane_chain");
    std::vector<unsigned> chain = fetch_and_free(device, WARP);
    expected.assign(WARP, 0);
    for (int lane = 0; lane < WARP; lane++) expected[lane] = WARP - lane;
    if (chain[0] == 0) {
        return app_fail("lane_chain did not terminate: a lane waited %ld spins for its neighbour",
                        limit);
    }
    if (!compare("lane_chain", chain, expected)) return 1;
    return app_pass("4 kernels, %ld threads", n);
}
