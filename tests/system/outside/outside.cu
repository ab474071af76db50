// outside.cu - kernels that reach memory outside their GPU: loads one behind another, streams of
// loads and stores with and without a copy beside them, a flag that is polled, atomics, another
// GPU's memory. Checks all data, and prints what outside.sh compares with the link's parameters.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { LINES = 64, STEP = 32, BLOCKS = 32, THREADS = 256, WORDS = 1 << 18, ADDERS = 256 };

static void need(bool good, const char *what) {
    if (good) return;
    printf("outside: wrong: %s\n", what);
    exit(1);
}
#define DO(call) need((call) == cudaSuccess, #call)

__global__ void chase(const volatile unsigned *from, unsigned n, unsigned *at, long long *cycles) {
    unsigned i = 0;
    const long long begin = clock64();
    for (unsigned k = 0; k < n; k++) i = from[i];
    *cycles = clock64() - begin;
    *at = i;
}

__device__ static unsigned long long now() {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
}

// When each block began, and had its loads.
struct span {
    unsigned long long begin, end;
};

__global__ void read(const float4 *from, float *sums, struct span *spans) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    float sum = 0;
    const unsigned long long begin = now();
    for (unsigned i = id; i < WORDS / 4; i += BLOCKS * THREADS) {
        const float4 v = from[i];
        sum += v.x + v.y + v.z + v.w;
    }
    sums[id] = sum;
    __syncthreads();
    if (!threadIdx.x) spans[blockIdx.x] = {begin, now()};
}

__global__ void write(float4 *to, unsigned words) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    for (unsigned i = id; i < words / 4; i += BLOCKS * THREADS)
        to[i] = make_float4(i, 2 * i, 3, 4);
}

__global__ void produce(volatile unsigned *data, volatile unsigned *flag) {
    for (unsigned i = 0; i < LINES; i++) data[i * STEP] = i + 1;
    __threadfence_system();
    *flag = 1;
}

__global__ void consume(volatile unsigned *data, volatile unsigned *flag, unsigned *sum,
                        unsigned *polls) {
    unsigned n = 1;
    while (!*flag) n++;
    unsigned all = 0;
    for (unsigned i = 0; i < LINES; i++) all += data[i * STEP];
    *sum = all;
    *polls = n;
}

__global__ void add(unsigned *to, unsigned *old) {
    const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
    old[id] = atomicAdd(to, 1);
    atomicAdd(to + STEP, 2);
    atomicMax(to + 2 * STEP, id);
}

// One of the memories that kernels of device 0 reach.
template <class T> static T *device_memory(size_t count) {
    void *p;
    DO(cudaMalloc(&p, count * sizeof(T)));
    return (T *)p;
}
template <class T> static T *host_memory(size_t count) {
    void *p;
    DO(cudaMallocHost(&p, count * sizeof(T)));
    return (T *)p;
}

// What each load of a second round takes longer than a first round alone.
static double cycles_of_a_load(const unsigned *from) {
    unsigned *at = device_memory<unsigned>(1);
    long long *cycles = device_memory<long long>(1), all[2];
    for (unsigned i = 0; i < 2; i++) {
        chase<<<1, 1>>>(from, (i + 1) * LINES, at, cycles);
        DO(cudaMemcpy(&all[i], cycles, sizeof all[i], cudaMemcpyDeviceToHost));
    }
    return (double)(all[1] - all[0]) / LINES;
}

static void make_ring(unsigned *ring) {
    for (unsigned i = 0; i < LINES; i++) ring[i * STEP] = (i + 1) % LINES * STEP;
}

// GB/s from the first block's begin to the last one's end.
static double rate(const struct span *spans) {
    struct span s[BLOCKS];
    DO(cudaMemcpy(s, spans, sizeof s, cudaMemcpyDeviceToHost));
    for (const struct span &x : s) {
        if (x.begin < s[0].begin) s[0].begin = x.begin;
        if (x.end > s[0].end) s[0].end = x.end;
    }
    return WORDS * 4.0 / (double)(s[0].end - s[0].begin);
}

static double read_rate(const float *from, cudaStream_t stream) {
    float *sums = device_memory<float>(BLOCKS * THREADS);
    struct span *spans = device_memory<struct span>(BLOCKS);
    static float got[BLOCKS * THREADS];
    read<<<BLOCKS, THREADS, 0, stream>>>((const float4 *)from, sums, spans);
    DO(cudaStreamSynchronize(stream));
    DO(cudaMemcpy(got, sums, sizeof got, cudaMemcpyDeviceToHost));
    double sum = 0;
    for (float x : got) sum += x;
    need(sum == WORDS, "the sum of what was read");
    return rate(spans);
}

static void streams() {
    float *data = host_memory<float>(WORDS);
    for (unsigned i = 0; i < WORDS; i++) data[i] = 1;
    printf("read %.3f GB/s\n", read_rate(data, 0));

    // a copy beside it, in the same direction, that lasts longer
    cudaStream_t other, own;
    DO(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    DO(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    enum { COPY = 8 << 20 };
    char *from = host_memory<char>(COPY), *to = device_memory<char>(COPY);
    cudaEvent_t begin, end;
    float ms;
    DO(cudaEventCreate(&begin));
    DO(cudaEventCreate(&end));
    DO(cudaEventRecord(begin, other));
    DO(cudaMemcpyAsync(to, from, COPY, cudaMemcpyHostToDevice, other));
    DO(cudaEventRecord(end, other));
    printf("read beside a copy %.3f GB/s\n", read_rate(data, own));
    DO(cudaStreamSynchronize(other));
    DO(cudaEventElapsedTime(&ms, begin, end));
    printf("copy beside reads %.0f ns\n", ms * 1e6);

    // a kernel lasts until its stores have arrived; one without stores takes the rest of its time
    float all[2];
    for (unsigned i = 0; i < 2; i++) {
        DO(cudaEventRecord(begin));
        write<<<BLOCKS, THREADS>>>((float4 *)data, i * WORDS);
        DO(cudaEventRecord(end));
        DO(cudaDeviceSynchronize());
        DO(cudaEventElapsedTime(&all[i], begin, end));
    }
    for (unsigned i = 0; i < WORDS / 4; i++)
        need(data[4 * i] == (float)i && data[4 * i + 1] == (float)(2 * i) && data[4 * i + 3] == 4,
             "what was written");
    printf("write %.3f GB/s\n", WORDS * 4.0 / (1e6 * (all[1] - all[0])));
}

static void flag() {
    unsigned *data = host_memory<unsigned>(LINES * STEP), *word = host_memory<unsigned>(1);
    unsigned *sum = host_memory<unsigned>(1), *polls = host_memory<unsigned>(1);
    cudaStream_t one, two;
    DO(cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking));
    DO(cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking));
    *word = 0;
    consume<<<1, 1, 0, one>>>(data, word, sum, polls);
    produce<<<1, 1, 0, two>>>(data, word);
    DO(cudaDeviceSynchronize());
    need(*sum == LINES * (LINES + 1) / 2, "what the flag guards");
    printf("polls %u\n", *polls);
}

static void atomics(unsigned *to, const char *where) {
    unsigned *old = device_memory<unsigned>(ADDERS), got[ADDERS], ends[3] = {}, zero[3] = {5, 0, 0};
    for (unsigned i = 0; i < 3; i++)
        DO(cudaMemcpy(to + i * STEP, &zero[i], 4, cudaMemcpyDefault));
    add<<<ADDERS / 64, 64>>>(to, old);
    DO(cudaMemcpy(got, old, sizeof got, cudaMemcpyDeviceToHost));
    bool seen[ADDERS] = {};
    for (unsigned x : got) {
        need(x >= 5 && x < 5 + ADDERS && !seen[x - 5], where);
        seen[x - 5] = true;
    }
    for (unsigned i = 0; i < 3; i++) DO(cudaMemcpy(&ends[i], to + i * STEP, 4, cudaMemcpyDefault));
    need(ends[0] == 5 + ADDERS && ends[1] == 2 * ADDERS && ends[2] == ADDERS - 1, where);
}

int main() {
    int devices;
    static unsigned ring[LINES * STEP];
    DO(cudaGetDeviceCount(&devices));
    make_ring(ring);
    unsigned *own = device_memory<unsigned>(LINES * STEP);
    unsigned *host = host_memory<unsigned>(LINES * STEP);
    make_ring(host);
    DO(cudaMemcpy(own, ring, sizeof ring, cudaMemcpyHostToDevice));
    printf("own load %.3f cycles\n", cycles_of_a_load(own));
    printf("host load %.3f cycles\n", cycles_of_a_load(host));
    streams();
    flag();
    atomics(host, "atomics on host memory");
    if (devices > 1) {
        DO(cudaSetDevice(1));
        unsigned *peer = device_memory<unsigned>(LINES * STEP);
        DO(cudaMemcpy(peer, ring, sizeof ring, cudaMemcpyHostToDevice));
        DO(cudaSetDevice(0));
        DO(cudaDeviceEnablePeerAccess(1, 0));
        printf("peer load %.3f cycles\n", cycles_of_a_load(peer));
        atomics(peer, "atomics on a peer's memory");
    }
    printf("outside: passed\n");
    return 0;
}
