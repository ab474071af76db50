// slow_padded: the transpose as it should be. Rows of 33 words put a column of the tile into
// different banks.
#include <cuda_runtime.h>

#define APP_NAME "slow_padded"
#include "transpose.h"

__global__ void padded(const float *in, float *out, int n) {
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x, y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
}

int main(int argc, char **argv) {
    return transpose_run(argc, argv, "Transposes a matrix through shared memory.", padded);
}
