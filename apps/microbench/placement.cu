// micro_placement: on which sub-cores the warps of CTAs lie. Warps of one sub-core that all compute
// share its FMA pipe; those of different ones do not.
//
//   pair.N           time of warps 0 and N of a CTA that is alone on its SM, beside that of warp 0
//   heavy.N.C        cycles of C CTAs of N warps on each SM, warp 0 of each with FACTOR times the
//                    work of the others, beside those of the best division among four sub-cores
//   crowd.N.C        heavy warps on the sub-core (%warpid modulo 4) that has most of them
//   replaced.N.C     as heavy, ROUNDS times as many CTAs: each follows another one
#define APP_NAME "micro_placement"
#include "micro.h"

#include <algorithm>
#include <vector>

#define SUBCORES 4
#define FACTOR 4
#define ROUNDS 8
#define CHAINS 4 // of dependent FFMA in a warp
#define MOST_SHARED 40960

static long steps = 64; // of a light warp

// What a warp has noted.
struct seat {
    span cycles;
    u32 sm, slot;
};

DEVICE u32 slot_of_warp() {
    u32 slot;
    asm volatile("mov.u32 %0, %%warpid;" : "=r"(slot));
    return slot;
}
DEVICE u32 sm_of_warp() {
    u32 sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    return sm;
}

// Each warp w of a CTA whose bit of `active` is set makes `light` steps, warp 0 `heavy` ones.
__global__ void work(seat *seats, float *sums, u32 active, int light, int heavy) {
    extern __shared__ u32 unused[];
    const u32 warp = threadIdx.x / 32;
    float sum[CHAINS];
    for (int k = 0; k < CHAINS; k++) sum[k] = (float)(threadIdx.x + k);
    __syncthreads();
    const u64 start = now();
    if (active >> warp & 1)
        for (int i = warp == 0 ? heavy : light; i > 0; i--)
#pragma unroll
            for (int k = 0; k < 8 * CHAINS; k++)
                sum[k % CHAINS] = __fmaf_rn(sum[k % CHAINS], 0.5f, 1.0f);
    float all = 0;
    for (int k = 0; k < CHAINS; k++) all += sum[k];
    sums[blockIdx.x * blockDim.x + threadIdx.x] = all;
    const u64 stop = now();
    if (threadIdx.x % 32 == 0) {
        seat s = {{start, stop}, sm_of_warp(), slot_of_warp()};
        seats[blockIdx.x * (blockDim.x / 32) + warp] = s;
    }
}

struct result {
    double cycles; // of the SM that takes longest
    u32 crowd;     // most heavy warps of a sub-core
};

// Runs `ctas` CTAs of `warps` warps, `resident` of them at a time on each SM.
static result run(int ctas, int resident, int warps, u32 active, long heavy) {
    const int n = ctas * warps;
    seat *seats = app_zeros_on_device<seat>(n);
    float *sums = app_zeros_on_device<float>(32 * n);
    const int shared = resident > 1 ? 98304 / resident / 256 * 256 : MOST_SHARED;
    for (int launch = 0; launch < 2; launch++) // the first one fetches the code
        work<<<ctas, 32 * warps, shared < MOST_SHARED ? shared : MOST_SHARED>>>(
            seats, sums, active, (int)steps, (int)heavy);
    WAIT("work");
    std::vector<seat> all(n);
    app_to_host(all.data(), seats, n);
    CHECK(cudaFree(seats));
    CHECK(cudaFree(sums));
    result r = {0, 0};
    std::vector<u64> first(1024, ~0ull), last(1024, 0);
    std::vector<u32> count(1024 * SUBCORES, 0);
    for (int i = 0; i < n; i++) {
        const seat &s = all[i];
        if (!(active >> (i % warps) & 1)) continue;
        first[s.sm % 1024] = std::min(first[s.sm % 1024], s.cycles.start);
        last[s.sm % 1024] = std::max(last[s.sm % 1024], s.cycles.stop);
        r.cycles = std::max(r.cycles, (double)(last[s.sm % 1024] - first[s.sm % 1024]));
        if (i % warps == 0)
            r.crowd = std::max(r.crowd, ++count[s.sm % 1024 * SUBCORES + s.slot % SUBCORES]);
    }
    return r;
}

// The best division of the work of `ctas` CTAs among sub-cores, in cycles: 16 lanes each.
static double best(int ctas, int warps) {
    const double instructions = (double)ctas * (FACTOR + warps - 1) * steps * 8 * CHAINS;
    const double alone = FACTOR * steps * 8 * CHAINS; // of a heavy warp
    return 2 * std::max(instructions / SUBCORES, alone);
}

int main(int argc, char **argv) {
    const app_option options[] = {
        {"-s", "steps of 32 FFMA of a light warp", &steps, 1, 100000},
    };
    app_start(argc, argv, "Measures on which sub-cores the warps of CTAs lie.", options, 1);
    cudaDeviceProp prop;
    CHECK(cudaGetDeviceProperties(&prop, 0));
    const int sms = prop.multiProcessorCount;
    char key[64];
    const double alone = run(1, 1, 8, 1, steps).cycles;
    for (int w = 1; w < 8; w++) {
        snprintf(key, sizeof key, "pair.%d", w);
        figure(key, run(1, 1, 8, 1u | 1u << w, steps).cycles / alone, "times");
    }
    for (int warps = 1; warps <= 8; warps++) {
        const int resident = 4;
        const result r = run(resident * sms, resident, warps, ~0u, FACTOR * steps);
        snprintf(key, sizeof key, "heavy.%d.%d", warps, resident);
        figure(key, r.cycles / best(resident, warps), "times");
        snprintf(key, sizeof key, "crowd.%d.%d", warps, resident);
        figure(key, r.crowd, "warps");
    }
    for (int warps = 4; warps <= 8; warps += 4) {
        const int resident = 4;
        const result r = run(ROUNDS * resident * sms, resident, warps, ~0u, FACTOR * steps);
        snprintf(key, sizeof key, "replaced.%d.%d", warps, resident);
        figure(key, r.cycles / best(ROUNDS * resident, warps), "times");
    }
    return measured("placement of warps");
}
