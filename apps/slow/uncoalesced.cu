// slow_uncoalesced: a transpose whose threads store down a column, each to a sector of its own.
#include <cuda_runtime.h>

#define APP_NAME "slow_uncoalesced"
#include "transpose.h"

__global__ void uncoalesced(const float *in, float *out, int n) {
    int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS) {
        float value = in[(y + j) * n + x];
        out[x * n + y + j] = value; // the culprit
    }
}

int main(int argc, char **argv) {
    return transpose_run(argc, argv, "Transposes a matrix with stores that are not coalesced.",
                         uncoalesced);
}
