// pointer_chase: cycles per load from L1, L2 and DRAM, measured by the kernel's own clock.
//
// The host writes a chain of pointers over a footprint; one thread follows it, so each load waits
// for the one before. For L1 and L2 the whole warp first touches every sector of the footprint. For
// DRAM nothing does, and the footprint is larger than L2, where the copy of the chain can have left
// only its end. No sector is visited twice.
#include <cuda_runtime.h>

#define APP_NAME "pointer_chase"
#include "../common/app.h"

#include <vector>

#define SECTOR 32 // bytes
#define UNROLL 8  // loads per iteration, to hide the cost of the loop

typedef unsigned long long u64;

// What the kernel measured.
struct result {
    u64 end;          // last pointer of the chain
    u64 cycles;       // for all loads
    u64 clock_cycles; // between two reads of the clock with nothing between them
};

// In PTX, so that loads are of global memory (a loaded pointer would be generic), and so that the
// compiler does not move the reads of the clock.
static __device__ __forceinline__ u64 load(u64 from) {
    u64 value;
    asm volatile("ld.global.u64 %0, [%1];" : "=l"(value) : "l"(from) : "memory");
    return value;
}
static __device__ __forceinline__ u64 now() {
    u64 cycles;
    asm volatile("mov.u64 %0, %%clock64;" : "=l"(cycles)::"memory");
    return cycles;
}

__global__ void chase(u64 chain, long footprint, int loads, int warm, result *out) {
    if (warm) {
        // The sum, which is never odd, keeps the loads from being optimized away.
        u64 sum = 0;
        for (long at = threadIdx.x * SECTOR; at < footprint; at += blockDim.x * SECTOR) {
            sum += load(chain + at);
        }
        if (sum & 1) asm volatile("trap;");
        __syncthreads();
    }
    if (threadIdx.x != 0) return;

    u64 p = chain;
    u64 start = now();
    for (int i = 0; i < loads; i += UNROLL) {
        for (int k = 0; k < UNROLL; k++) p = load(p);
    }
    // The branch waits for the last load; only then is the clock read.
    if (p == 0) asm volatile("trap;");
    u64 stop = now();
    u64 again = now();
    out->end = p;
    out->cycles = stop - start;
    out->clock_cycles = again - stop;
}

// A footprint to measure. warm: touch it first.
struct level {
    const char *name;
    long footprint; // bytes
    bool warm;
};

// Runs one footprint and prints its line. @return the cycles between two clock reads, or -1
static long measure(const level &level, long loads) {
    long sectors = level.footprint / loads / SECTOR;
    if (sectors > 1) sectors = (sectors - 1) | 1; // odd, so that all banks and slices are used
    long stride = sectors * SECTOR;
    if (stride == 0) {
        app_fail("%s: %ld loads do not fit in %ld bytes", level.name, loads, level.footprint);
        return -1;
    }
    u64 chain;
    CHECK(cudaMalloc((void **)&chain, level.footprint));
    std::vector<u64> cells(level.footprint / sizeof(u64), 0);
    for (long i = 0; i < loads; i++) {
        long next = i + 1 < loads ? i + 1 : 0;
        cells[i * stride / sizeof(u64)] = chain + next * stride;
    }
    CHECK(cudaMemcpy((void *)chain, cells.data(), level.footprint, cudaMemcpyHostToDevice));
    result *device = app_zeros_on_device<result>(1);

    chase<<<1, 32>>>(chain, level.footprint, (int)loads, level.warm, device);
    WAIT("chase");
    result result;
    app_to_host(&result, device, 1);
    CHECK(cudaFree((void *)chain));
    CHECK(cudaFree(device));
    if (result.end != chain) {
        app_fail("%s: the chain ends at offset %lld, not 0", level.name,
                 (long long)(result.end - chain));
        return -1;
    }
    printf(APP_NAME ": %s %ld bytes %.1f cycles/load\n", level.name, level.footprint,
           (double)result.cycles / (double)loads);
    return (long)result.clock_cycles;
}

int main(int argc, char **argv) {
    long loads = 512, l1_kb = 16, l2_kb = 1024, dram_kb = 65536;
    const app_option options[] = {
        {"-l", "loads per footprint, a multiple of 8", &loads, 8, 1L << 20},
        {"-1", "footprint in L1, KB", &l1_kb, 1, 1L << 20},
        {"-2", "footprint in L2, KB, larger than L1", &l2_kb, 1, 1L << 20},
        {"-d", "footprint in DRAM, KB, larger than L2", &dram_kb, 1, 1L << 22},
    };
    app_start(argc, argv, "Measures load latencies with a chain of pointers.", options, 4);
    if (loads % UNROLL != 0) {
        fprintf(stderr, APP_NAME ": -l must be a multiple of %d, not %ld\n", UNROLL, loads);
        return 2;
    }

    const level levels[] = {
        {"L1", l1_kb * 1024, true},
        {"L2", l2_kb * 1024, true},
        {"DRAM", dram_kb * 1024, false},
    };
    long clock_cycles = 0;
    for (const level &level : levels) {
        clock_cycles = measure(level, loads);
        if (clock_cycles < 0) return 1;
    }
    printf(APP_NAME ": clock64 %ld cycles between two reads\n", clock_cycles);
    return app_pass("%ld loads per footprint", loads);
}
