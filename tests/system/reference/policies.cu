// policies.cu - kernels whose time depends on one policy of an SM (policies.sh):
//   policies sequence   one warp reads line after line, each address from the line before
//   policies reuse      few lines are read again and again, between many that are read once
//   policies phases     warps load, compute for long, and load again, all at the same time
#include <cstdio>
#include <cstring>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t e = (call);                                            \
        if (e != cudaSuccess) {                                            \
            printf("policies: FAIL " #call ": %s\n", cudaGetErrorName(e)); \
            return 1;                                                      \
        }                                                                  \
    } while (0)

enum { LINE = 32 }; // ints

__global__ void sequence(const int *next, int lines, int *out) {
    int at = 0;
    for (int i = 0; i < lines; i++) at = next[at];
    *out = at;
}

// 32 new lines, then HOT old ones, in each round.
enum { HOT = 16, ROUNDS = 128 };
__global__ void reuse(const int *hot, const int *stream, int *out) {
    int sum = 0, at = 0;
    for (int round = 0; round < ROUNDS; round++) {
        sum += stream[(round * 32 + threadIdx.x) * LINE];
        for (int i = 0; i < HOT; i++) at = hot[at]; // once around
    }
    out[threadIdx.x] = sum + at;
}

enum { PHASES = 6, WORK = 128 };
__global__ void phases(const int *in, float *out) {
    const int me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
    float x = 1.0f;
    for (int p = 0; p < PHASES; p++) {
        const float y = (float)in[p * all + me];
#pragma unroll 16
        for (int i = 0; i < WORK; i++) x = x * y + 0.5f;
    }
    out[me] = x;
}

int main(int argc, char **argv) {
    const char *what = argc > 1 ? argv[1] : "";
    const int lines = 8192, ints = lines * LINE;
    int *memory, *out;
    CHECK(cudaMalloc((void **)&memory, ints * sizeof(int)));
    CHECK(cudaMalloc((void **)&out, 2048 * sizeof(int)));
    CHECK(cudaMemset(memory, 0, ints * sizeof(int)));
    if (!strcmp(what, "sequence") || !strcmp(what, "reuse")) {
        static int next[512 * LINE]; // each line names the one behind it
        for (int i = 0; i < 512; i++) next[i * LINE] = (i + 1) % 512 * LINE;
        next[(HOT - 1) * LINE] = *what == 's' ? HOT * LINE : 0;
        CHECK(cudaMemcpy(memory, next, sizeof next, cudaMemcpyHostToDevice));
    }
    if (!strcmp(what, "sequence"))
        sequence<<<1, 1>>>(memory, 256, out);
    else if (!strcmp(what, "reuse"))
        reuse<<<1, 32>>>(memory, memory + 512 * LINE, out);
    else if (!strcmp(what, "phases"))
        phases<<<1, 1024>>>(memory, (float *)out);
    else {
        printf("policies: sequence, reuse or phases\n");
        return 2;
    }
    CHECK(cudaDeviceSynchronize());
    printf("policies: PASS %s\n", what);
    return 0;
}
