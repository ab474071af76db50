// micro_constants: operands in constant memory, and loads from it, measured by the kernel's own
// clock.
//
//   constant.hit   cycles of an FFMA in a chain, with an operand in constant memory that has been
//                  read before
//   constant.miss  extra cycles when its line misses: 64 lines in turn
//   indexed.N      cycles of a load in a chain of pointers over N KB of constant memory, one lane,
//                  in the second round
//   indexed4.hit   the same over one line, with four lanes that follow a pointer each
#define APP_NAME "micro_constants"
#include "micro.h"

#include <vector>

#define LINE 64     // bytes
#define LINES 64    // of operands, more than a sub-core's cache has
#define CHAIN_KB 16 // more than an SM's cache has
#define CHAIN (CHAIN_KB * 1024 / LINE)

__constant__ float operands[LINES * LINE / sizeof(float)];
__constant__ u64 pointers[CHAIN_KB * 1024 / sizeof(u64)];

// ---- operands

template <int STEP> __global__ void chain(float x, span *spans, float *result) {
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        __syncthreads();
        u64 start = now();
#pragma unroll
        for (int i = 0; i < LINES; i++)
            asm volatile("fma.rn.f32 %0, %1, %2, %1;"
                         : "=f"(x)
                         : "f"(x), "f"(operands[i * STEP * LINE / sizeof(float)]));
        if (x == 12345) asm volatile("trap;"); // the branch waits for the end of the chain
        note(spans, start, now());
    }
    *result = x;
}

template <int STEP> static double cycles_of_chain() {
    span *spans = app_zeros_on_device<span>(1), host;
    float *result = app_zeros_on_device<float>(1);
    chain<STEP><<<1, 32>>>(1, spans, result);
    WAIT("chain");
    app_to_host(&host, spans, 1);
    CHECK(cudaFree(spans));
    CHECK(cudaFree(result));
    return cycles_of(&host, 1) / LINES;
}

// ---- pointers

DEVICE u64 load_constant(u64 from) {
    u64 value;
    asm volatile("ld.const.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}

DEVICE u64 first_pointer() {
    u64 address;
    asm("cvta.to.const.u64 %0, %1;" : "=l"(address) : "l"(pointers));
    return address;
}

__global__ void where(u64 *address) {
    *address = first_pointer();
}

// Follows the chain for `length` loads, twice; lane n starts n pointers further on.
__global__ void follow(int lanes, int length, span *spans, u64 *end) {
    if (threadIdx.x >= lanes) return;
    u64 p = first_pointer() + threadIdx.x * sizeof(u64), start = 0;
#pragma unroll 1
    for (int round = 0; round < 2; round++) {
        start = now();
#pragma unroll 1
        for (int i = 0; i < length; i += 8)
            for (int k = 0; k < 8; k++) p = load_constant(p);
        if (p == 0) asm volatile("trap;"); // the branch waits for the last load
        if (round) note(spans, start, now());
    }
    end[threadIdx.x] = p;
}

static double cycles_of_pointers(int lines, int lanes) {
    u64 *from = app_zeros_on_device<u64>(1), first;
    where<<<1, 1>>>(from);
    WAIT("where");
    app_to_host(&first, from, 1);
    const int words = LINE / sizeof(u64);
    std::vector<u64> cells(CHAIN * words);
    for (int i = 0; i < lines; i++)
        for (int w = 0; w < words; w++)
            cells[i * words + w] = first + ((i + 1) % lines * words + w) * sizeof(u64);
    CHECK(cudaMemcpyToSymbol(pointers, cells.data(), cells.size() * sizeof(u64)));
    span *spans = app_zeros_on_device<span>(1), host;
    u64 *end = app_zeros_on_device<u64>(32), back;
    const int length = CHAIN; // a multiple of all numbers of lines
    follow<<<1, 32>>>(lanes, length, spans, end);
    WAIT("follow");
    app_to_host(&host, spans, 1);
    app_to_host(&back, end, 1);
    if (back != first) exit(app_fail("a chain of %d lines does not end where it began", lines));
    CHECK(cudaFree(from));
    CHECK(cudaFree(spans));
    CHECK(cudaFree(end));
    return cycles_of(&host, 1) / length;
}

int main(int argc, char **argv) {
    app_start(argc, argv, "Measures operands in constant memory, and loads from it.", NULL, 0);
    const double hit = cycles_of_chain<0>();
    figure("constant.hit", hit, "cycles");
    figure("constant.miss", cycles_of_chain<1>() - hit, "cycles");
    figure("indexed.1KB", cycles_of_pointers(1024 / LINE, 1), "cycles");
    figure("indexed.16KB", cycles_of_pointers(CHAIN, 1), "cycles");
    figure("indexed4.hit", cycles_of_pointers(1, 4), "cycles");
    return measured("figures of constant memory");
}
