// micro_launch: how fast CTAs start, how fast they pass, and what stores cost at a kernel's end.
//
//   start.T          time from one start of a CTA of T threads to the next, in a grid that fits
//   pass.T           the same of CTAs that do nothing, by the time that more of them take: slower,
//                    if it is the ends that limit them
//   kernel.empty     time of a kernel in a graph, one behind another,
//   kernel.store     and of one whose last instruction is a store: more, if the kernel's end waits
//                    for that before anything else
#define APP_NAME "micro_launch"
#include "events.h"
#include "micro.h"

#include <algorithm>
#include <vector>

#define STAY 2500 // ns

static long most_ctas = 4; // times those that fit, of those that do nothing
static long kernels = 20;  // of a graph

DEVICE u64 nanoseconds() {
    u64 ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns)::"memory");
    return ns;
}

// Notes when each CTA starts; it stays until `stay` ns later, so that all are there at once.
__global__ void starts(u64 *at, u64 stay) {
    const u64 start = nanoseconds();
    if (threadIdx.x == 0) at[blockIdx.x] = start;
    while (threadIdx.x == 0 && nanoseconds() - start < stay) __nanosleep(200);
    __syncthreads();
}

__global__ void nothing() {}
__global__ void store(u32 *words) { words[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x; }

static double start_ns(int ctas, int threads) {
    u64 *at = app_zeros_on_device<u64>(ctas);
    std::vector<u64> all(ctas);
    double least = 1e30;
    for (int run = 0; run < 2; run++) { // the first one fetches the code
        starts<<<ctas, threads>>>(at, STAY);
        WAIT("starts");
        app_to_host(all.data(), at, ctas);
        const auto ends = std::minmax_element(all.begin(), all.end());
        least = std::min(least, (double)(*ends.second - *ends.first) / (ctas - 1));
    }
    CHECK(cudaFree(at));
    return least;
}

// ns of a kernel in a graph, of which launch() launches one.
template <class Launch> static double in_graph_ns(cudaStream_t stream, Launch launch) {
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (long i = 0; i < kernels; i++) launch();
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphInstantiate(&exec, graph, NULL, NULL, 0));
    const double s = beyond("graph", 1, 2, [&](long times) {
        for (long i = 0; i < times; i++) CHECK(cudaGraphLaunch(exec, 0));
    });
    CHECK(cudaGraphExecDestroy(exec));
    CHECK(cudaGraphDestroy(graph));
    return s * 1e9 / kernels;
}

int main(int argc, char **argv) {
    const app_option options[] = {
        {"-n", "times as many CTAs that do nothing as there is room for", &most_ctas, 2, 1000},
        {"-k", "kernels of a graph", &kernels, 2, 1000},
    };
    app_start(argc, argv, "Measures starts and ends of CTAs and kernels.", options, 2);
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    char key[64];
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    for (int threads : {32, 128, 256, 512, 1024}) {
        const int fit = std::min(prop.maxThreadsPerMultiProcessor / threads,
                                 prop.maxBlocksPerMultiProcessor);
        const int room = prop.multiProcessorCount * fit;
        snprintf(key, sizeof key, "start.%d", threads);
        figure(key, 1000 * start_ns(room, threads), "ps");
        snprintf(key, sizeof key, "pass.%d", threads);
        const int many = (int)most_ctas * room;
        const auto grid = [&](int n) { nothing<<<n, threads, 0, stream>>>(); };
        const double more = in_graph_ns(stream, [&] { grid(many); }) -
                            in_graph_ns(stream, [&] { grid(room); });
        figure(key, 1000 * more / (many - room), "ps");
    }
    const int ctas = prop.multiProcessorCount, threads = 128;
    u32 *words = app_zeros_on_device<u32>((size_t)ctas * threads);
    figure("kernel.empty", in_graph_ns(stream, [&] { nothing<<<ctas, threads, 0, stream>>>(); }),
           "ns");
    figure("kernel.store", in_graph_ns(stream, [&] { store<<<ctas, threads, 0, stream>>>(words); }),
           "ns");
    CHECK(cudaStreamDestroy(stream));
    CHECK(cudaFree(words));
    return measured("starts and ends of CTAs and kernels");
}
