/* nodes.cu - a program of several nodes for tests: each PE does work of its own size in one or more
 * host threads, and prints what it has got, when, and where.
 *
 * nodes [THREADS [SEED [FILE]]]: SEED > 0 makes pauses of random length between calls: sleeps, and
 * loops that compute. FILE: PE 0 leaves a handle of its memory there for PE 1. All lines begin with
 * the PE's number, since those of several PEs mix. */
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { MOST_THREADS = 8, ROUNDS = 4 };

static int pe, num_threads = 1;
static unsigned seed;
static char text[MOST_THREADS][4000];

static void check(cudaError_t e, const char *what) {
    if (e == cudaSuccess) return;
    fprintf(stderr, "PE %d: %s: %s\n", pe, what, cudaGetErrorString(e));
    exit(1);
}

__global__ void steps(int *data, int n, int rounds) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    int x = i < n ? data[i] : 0;
    for (int k = 0; k < rounds; k++) x = x * 5 + k;
    if (i < n) data[i] = x;
}

/* Host time that must not matter. */
static void dawdle(unsigned *state) {
    if (!seed) return;
    const unsigned us = (unsigned)rand_r(state) % 1500, kind = (unsigned)rand_r(state) % 3;
    if (kind == 0) usleep(us);
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do clock_gettime(CLOCK_MONOTONIC, &now);
    while (kind == 1 && (now.tv_sec - begin.tv_sec) * 1000000 +
                                (now.tv_nsec - begin.tv_nsec) / 1000 < (long)us);
}

static void *work(void *argument) {
    const int me = (int)(size_t)argument;
    unsigned state = seed * 1000 + (unsigned)(pe * 16 + me);
    const int n = 2000 + 700 * pe + 300 * me;
    char *out = text[me];
    size_t room = sizeof text[me];
    int *host = (int *)malloc((size_t)n * sizeof *host), *pinned, *data;
    cudaStream_t stream;
    cudaEvent_t begin, end, first;
    for (int i = 0; i < n; i++) host[i] = i + pe;
    dawdle(&state);
    check(cudaStreamCreate(&stream), "a stream");
    check(cudaEventCreate(&first), "an event");
    check(cudaEventRecord(first, stream), "an event");
    for (int r = 0; r < ROUNDS; r++) {
        float ms = 0, since = 0;
        dawdle(&state);
        check(cudaEventCreate(&begin), "an event");
        check(cudaEventCreate(&end), "an event");
        check(cudaMalloc(&data, (size_t)n * sizeof *data), "memory");
        check(cudaMallocHost(&pinned, (size_t)n * sizeof *pinned), "pinned memory");
        dawdle(&state);
        check(cudaMemcpy(data, host, (size_t)n * sizeof *data, cudaMemcpyHostToDevice), "a copy");
        dawdle(&state);
        check(cudaEventRecord(begin, stream), "an event");
        steps<<<(n + 127) / 128, 128, 0, stream>>>(data, n, 60 + 90 * ((pe + r) % 3));
        check(cudaGetLastError(), "a launch");
        dawdle(&state);
        check(cudaEventRecord(end, stream), "an event");
        if (r % 2) check(cudaStreamSynchronize(stream), "a stream");
        check(cudaMemcpyAsync(pinned, data, (size_t)n * sizeof *data, cudaMemcpyDeviceToHost,
                              stream),
              "a copy");
        dawdle(&state);
        check(cudaEventSynchronize(end), "an event");
        check(cudaEventElapsedTime(&ms, begin, end), "a time");
        check(cudaEventElapsedTime(&since, first, end), "a time");
        check(cudaMemcpyAsync(host, data, (size_t)n * sizeof *data, cudaMemcpyDeviceToHost, stream),
              "a copy");
        unsigned sum = 0;
        for (int i = 0; i < n; i++) sum = sum * 31 + (unsigned)host[i];
        dawdle(&state);
        check(cudaDeviceSynchronize(), "the device");
        for (int i = 0; i < n; i++) sum += (unsigned)(pinned[i] != host[i]);
        const int length = snprintf(
            out, room, "PE %d.%d round %d: sum %08x, %.6f us of %.6f us, at %p and %p\n", pe, me, r,
            sum, ms * 1e3, since * 1e3, (void *)data, (void *)pinned);
        out += length;
        room -= (size_t)length;
        check(cudaFree(data), "memory");
        check(cudaFreeHost(pinned), "pinned memory");
    }
    check(cudaStreamDestroy(stream), "a stream");
    free(host);
    return NULL;
}

/* A host function of a stream, and the thread that waits for it outside of calls. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int called;

static void call(void *unused) {
    (void)unused;
    pthread_mutex_lock(&lock);
    called++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

/* Calls that wait in other ways than a copy or a stream. */
static void ways_to_wait(int devices) {
    enum { N = 4096 };
    static int host[N], back[N];
    unsigned state = seed + (unsigned)pe;
    int *data, *other, polls = 0;
    cudaStream_t stream;
    cudaEvent_t begin, end;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    float ms = 0;
    for (int i = 0; i < N; i++) host[i] = i * (pe + 1);
    check(cudaStreamCreate(&stream), "a stream");
    check(cudaEventCreate(&begin), "an event");
    check(cudaEventCreate(&end), "an event");
    check(cudaMalloc(&data, sizeof host), "memory");
    check(cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice), "a copy");
    dawdle(&state);
    check(cudaEventRecord(begin, stream), "an event");
    steps<<<N / 128, 128, 0, stream>>>(data, N, 3000 + 500 * pe);
    check(cudaEventRecord(end, stream), "an event");
    while (cudaEventQuery(end) == cudaErrorNotReady) {
        polls++;
        dawdle(&state);
    }
    steps<<<N / 128, 128, 0, stream>>>(data, N, 100);
    check(cudaLaunchHostFunc(stream, call, NULL), "a host function");
    pthread_mutex_lock(&lock);
    while (!called) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    dawdle(&state);
    /* a graph with a copy to memory that only this process reaches */
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal), "a capture");
    steps<<<N / 128, 128, 0, stream>>>(data, N, 50);
    check(cudaMemcpyAsync(back, data, sizeof back, cudaMemcpyDeviceToHost, stream), "a copy");
    check(cudaStreamEndCapture(stream, &graph), "a capture");
    check(cudaGraphInstantiate(&exec, graph, 0), "a graph");
    check(cudaGraphLaunch(exec, stream), "a graph");
    check(cudaStreamSynchronize(stream), "a stream");
    check(cudaEventElapsedTime(&ms, begin, end), "a time");
    unsigned sum = 0;
    for (int i = 0; i < N; i++) sum = sum * 31 + (unsigned)back[i];
    printf("PE %d: %d polls of %.6f us, %d function, sum %08x\n", pe, polls, ms * 1e3, called, sum);
    for (int d = 1; d < devices; d++) {
        cudaStream_t there;
        check(cudaEventRecord(end, stream), "an event");
        check(cudaSetDevice(d), "a device");
        check(cudaStreamCreate(&there), "a stream");
        check(cudaMalloc(&other, sizeof host), "memory");
        steps<<<N / 128, 128, 0, stream>>>(data, N, 200);
        check(cudaStreamWaitEvent(there, end, 0), "a stream");
        dawdle(&state);
        check(cudaMemcpyPeer(other, d, data, 0, sizeof host), "a copy");
        check(cudaMemcpy(back, other, sizeof back, cudaMemcpyDeviceToHost), "a copy");
        for (int i = 0; i < N; i++) sum = sum * 31 + (unsigned)back[i];
        printf("PE %d: from device %d %08x\n", pe, d, sum);
        check(cudaSetDevice(0), "a device");
    }
}

/* PE 0 leaves a handle of its memory in a file; PE 1 cannot open it. */
static void strangers(const char *file) {
    cudaIpcMemHandle_t handle;
    void *p, *theirs = NULL;
    char name[500];
    check(cudaMalloc(&p, 1000), "memory");
    check(cudaIpcGetMemHandle(&handle, p), "a handle");
    snprintf(name, sizeof name, "%s.part", file);
    if (pe == 0) {
        FILE *f = fopen(name, "w");
        if (!f || fwrite(&handle, sizeof handle, 1, f) != 1 || fclose(f) || rename(name, file))
            exit(1);
    } else if (pe == 1) {
        FILE *f;
        while (!(f = fopen(file, "r"))) usleep(1000);
        if (fread(&handle, sizeof handle, 1, f) != 1) exit(1);
        fclose(f);
        const cudaError_t e = cudaIpcOpenMemHandle(&theirs, handle, cudaIpcMemLazyEnablePeerAccess);
        printf("PE 1: memory of PE 0: %s\n", cudaGetErrorName(e));
    }
}

int main(int argc, char **argv) {
    const char *own = getenv("HEDDLE_PE"), *nodes = getenv("HEDDLE_NODES");
    pthread_t thread[MOST_THREADS];
    int devices = 0, can = 0;
    size_t available, total;
    if (!own || !nodes) return 2;
    pe = atoi(own);
    if (argc > 1) num_threads = atoi(argv[1]);
    if (argc > 2) seed = (unsigned)atoi(argv[2]);
    check(cudaGetDeviceCount(&devices), "the devices");
    check(cudaMemGetInfo(&available, &total), "memory");
    if (devices > 1) check(cudaDeviceCanAccessPeer(&can, 0, 1), "a peer");
    if (num_threads == 1)
        work(NULL);
    else {
        for (int i = 0; i < num_threads; i++)
            pthread_create(&thread[i], NULL, work, (void *)(size_t)i);
        for (int i = 0; i < num_threads; i++) pthread_join(thread[i], NULL);
    }
    printf("PE %d of %s: devices %d, peers %d, %zu of %zu bytes are free; beyond: %s\n", pe, nodes,
           devices, can, available, total, cudaGetErrorName(cudaSetDevice(devices)));
    for (int i = 0; i < num_threads; i++) fputs(text[i], stdout);
    ways_to_wait(devices);
    if (argc > 3) strangers(argv[3]);
    return 0;
}
