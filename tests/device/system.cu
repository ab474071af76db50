// system.cu - printf, malloc, new and assert in device code built by heddle-cc.
#include <assert.h>
#include <cstdio>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct node {
    node *next;
    int value;
};

__global__ void speak(int n) {
    if (threadIdx.x == 5) printf("thread %u, %d, %.3f, %s\n", threadIdx.x, n, 0.5 * n, "text");
    if (threadIdx.x == 5) std::printf("again %lld%%\n", (long long)n << 40);
}

// Each thread builds its own list on the heap and sums it.
__global__ void lists(int *sums) {
    node *list = NULL;
    for (int i = 0; i <= (int)threadIdx.x; i++) {
        node *more = i % 2 ? new node : (node *)malloc(sizeof *more);
        *more = {list, i};
        list = more;
    }
    int sum = 0;
    while (list) {
        node *next = list->next;
        sum += list->value;
        if (list->value % 2) {
            delete list;
        } else {
            free(list);
        }
        list = next;
    }
    assert(sum == (int)(threadIdx.x * (threadIdx.x + 1) / 2));
    sums[threadIdx.x] = sum;
}

__global__ void fail(int n) {
    assert(n == 3);
}

int main() {
    char text[200] = "";
    int pipes[2], kept = dup(1);
    if (kept < 0 || pipe(pipes) || dup2(pipes[1], 1) < 0) return 1;
    speak<<<1, 32>>>(7);
    cudaError_t error = cudaDeviceSynchronize();
    fflush(stdout);
    dup2(kept, 1);
    close(pipes[1]);
    ssize_t length = read(pipes[0], text, sizeof text - 1);
    const char *expected = "thread 5, 7, 3.500, text\nagain 7696581394432%\n";
    int wrong = error != cudaSuccess || length < 0 || strcmp(text, expected) != 0;
    if (wrong) printf("printf: '%s'\n", text);

    int *sums, host[64];
    if (cudaMalloc(&sums, sizeof host)) return 1;
    lists<<<1, 64>>>(sums);
    if (cudaMemcpy(host, sums, sizeof host, cudaMemcpyDeviceToHost)) return 1;
    for (int i = 0; i < 64; i++) wrong += host[i] != i * (i + 1) / 2;

    fail<<<1, 1>>>(4);
    error = cudaDeviceSynchronize();
    if (error != cudaErrorAssert) {
        printf("assert: %s\n", cudaGetErrorString(error));
        wrong++;
    }
    printf(wrong ? "system: FAIL %d\n" : "system: PASS %d wrong\n", wrong);
    return wrong != 0;
}
