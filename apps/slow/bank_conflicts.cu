// slow_bank_conflicts: a transpose through shared memory, whose warps read a column of the tile: 32
// words of one bank.
#include <cuda_runtime.h>

#define APP_NAME "slow_bank_conflicts"
#include "transpose.h"

__global__ void bank_conflicts(const float *in, float *out, int n) {
    __shared__ float tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        float value = tile[threadIdx.x][threadIdx.y + j]; // the culprit
        out[(y + j) * n + x] = value;
    }
}

int main(int argc, char **argv) {
    return transpose_run(argc, argv, "Transposes a matrix through shared memory, with conflicts.",
                         bank_conflicts);
}
