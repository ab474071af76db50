/* late.cu - a program of several nodes for tests, whose threads, or processes with threads, begin
 * while others make calls.
 *
 * late threads|children SEED: SEED > 0 makes pauses of random length. Children are programs of the
 * same node, each with threads. All lines begin with the PE's number, and those of a thread with
 * when its kernels ran. */
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 6, ROUNDS = 6, CHILDREN = 2 };

static int pe, seed;
static char text[THREADS][1500];

__global__ void steps(int *p, int n) {
    for (int i = 0; i < n; i++) p[threadIdx.x] = p[threadIdx.x] * 3 + i;
}

static void dawdle(unsigned *state) {
    if (seed && rand_r(state) % 2) usleep((unsigned)rand_r(state) % 2000);
}

static void *work(void *argument) {
    const int me = (int)(size_t)argument;
    unsigned state = (unsigned)(seed * 77 + pe * 8 + me);
    size_t used = 0;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    int *p;
    float us;
    if (cudaStreamCreate(&stream) || cudaEventCreate(&begin) || cudaEventCreate(&end) ||
        cudaMalloc(&p, 256))
        exit(1);
    for (int r = 0; r < ROUNDS; r++) {
        int polls = 0;
        dawdle(&state);
        cudaEventRecord(begin, stream);
        steps<<<1, 32, 0, stream>>>(p, 100 + 50 * me);
        cudaEventRecord(end, stream);
        dawdle(&state);
        while (cudaEventQuery(end) == cudaErrorNotReady) polls++;
        if (cudaEventElapsedTime(&us, begin, end)) exit(1);
        used += (size_t)snprintf(text[me] + used, sizeof text[me] - used,
                                 "PE %d.%d round %d: %.6f us, %d polls, at %p\n", pe, me, r,
                                 us * 1e3, polls, (void *)p);
    }
    return NULL;
}

/* Starts this program CHILDREN times. @return whether one of them has failed. */
static int start_children(char **argv) {
    int status, failed = 0;
    for (int i = 0; i < CHILDREN; i++)
        if (fork() == 0) {
            execl(argv[0], argv[0], "threads", argv[2], (char *)NULL);
            _exit(1);
        }
    while (wait(&status) > 0) failed |= status != 0;
    return failed;
}

int main(int argc, char **argv) {
    pthread_t thread[THREADS];
    int devices = 0;
    if (argc < 3) return 2;
    pe = atoi(getenv("HEDDLE_PE"));
    seed = atoi(argv[2]);
    unsigned state = (unsigned)(seed + pe * 3);
    if (!strcmp(argv[1], "children")) return start_children(argv);
    if (cudaGetDeviceCount(&devices)) return 1;
    for (int i = 0; i < THREADS; i++) {
        dawdle(&state);
        pthread_create(&thread[i], NULL, work, (void *)(size_t)i);
        dawdle(&state);
        if (i % 2 && cudaDeviceSynchronize()) return 1;
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    printf("PE %d of %s: devices %d\n", pe, getenv("HEDDLE_NODES"), devices);
    for (int i = 0; i < THREADS; i++) fputs(text[i], stdout);
    return 0;
}
