// micro_code: how fast code comes from the caches of instructions, measured by the kernel's own
// clock.
//
//   code.chain.warps1.N        cycles an instruction of a chain of FFMAs takes, in a loop of N KB
//   code.independent.warpsW.N  the same of four chains in turn, W warps of a CTA side by side
//   code.first.ctasC.N         the same in the first turn of a launch, C CTAs of a warp, each on an
//                              SM of its own: how the code gets there
#define APP_NAME "micro_code"
#include "micro.h"

#include <algorithm>
#include <vector>

#define TURNS 4
#define PIECE 256 // instructions of 16 bytes: 4 KB
#define KB(pieces) ((pieces) * PIECE * 16 / 1024)

static long most_kb = 160; // of a loop
static long ctas = 80;     // of the first turn, besides 1

DEVICE void ffma(float &x, float by) {
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(by));
}

// CHAINS chains of FFMAs in turn: PIECES times PIECE instructions.
template <int CHAINS, int PIECES> __global__ void turns(float by, span *spans, float *result) {
    float x[CHAINS];
    for (int i = 0; i < CHAINS; i++) x[i] = by + i;
#pragma unroll 1
    for (int turn = 0; turn < TURNS; turn++) {
        __syncthreads();
        const u64 start = now();
#pragma unroll
        for (int piece = 0; piece < PIECES; piece++)
#pragma unroll
            for (int i = 0; i < PIECE; i++) ffma(x[i % CHAINS], by);
        const u64 stop = now();
        const u32 warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
        const u32 warps = gridDim.x * blockDim.x / 32;
        if (threadIdx.x % 32 == 0) spans[turn * warps + warp] = {start, stop};
    }
    for (int i = 0; i < CHAINS; i++) *result += x[i];
}

// Cycles an instruction takes: in the first turn the mean of the CTAs, else in the last turn.
template <int CHAINS, int PIECES>
static void turn(const char *key, int of_ctas, int warps, bool first) {
    if (KB(PIECES) > most_kb) return;
    const int all = of_ctas * warps;
    span *spans = app_zeros_on_device<span>(TURNS * all);
    float *result = app_zeros_on_device<float>(1);
    std::vector<span> host(TURNS * all);
    turns<CHAINS, PIECES><<<of_ctas, warps * 32>>>(1, spans, result);
    WAIT("turns");
    app_to_host(host.data(), spans, TURNS * all);
    CHECK(cudaFree(spans));
    CHECK(cudaFree(result));
    const span *of = host.data() + (first ? 0 : (TURNS - 1) * all);
    double cycles = 0;
    for (int i = 0; i < all; i++) cycles += (double)(of[i].stop - of[i].start);
    char name[80];
    snprintf(name, sizeof name, "code.%s%d.%dKB", key, first ? of_ctas : warps, KB(PIECES));
    figure(name, cycles / all / (PIECES * PIECE), "cycles/instruction");
}

template <int PIECES> static void size(void) {
    turn<4, PIECES>("first.ctas", 1, 1, true);
    turn<4, PIECES>("first.ctas", (int)ctas, 1, true);
    turn<4, PIECES>("independent.warps", 1, 1, false);
    turn<4, PIECES>("independent.warps", 1, 4, false);
    turn<1, PIECES>("chain.warps", 1, 1, false);
}

int main(int argc, char **argv) {
    const app_option options[] = {{"-m", "KB of code at most", &most_kb, 4, 160},
                                  {"-c", "CTAs of the first turn, besides 1", &ctas, 2, 144}};
    app_start(argc, argv, "Measures how fast code comes from the caches of instructions.", options,
              2);
    size<1>();
    size<4>();
    size<6>();
    size<12>();
    size<28>();
    size<40>();
    return measured("figures of code");
}
