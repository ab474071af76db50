// managed.cu - kernels on managed memory that the host touches between them. Checks all data;
// managed.sh looks at the page faults of each launch, which its name tells.
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

enum { WORDS = 1 << 18, THREADS = 256, PER_PAGE = 4096 / 4 }; // 1 MiB, 16 blocks of 64 KiB

static void need(bool good, const char *what) {
    if (good) return;
    printf("managed: wrong: %s\n", what);
    exit(1);
}
#define DO(call) need((call) == cudaSuccess, #call)

// Each launch is of an instance of its own, so that the report names it.
template <int STEP> __global__ void add(const unsigned *a, const unsigned *b, unsigned *to) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    to[i] = a[i] + b[i] + STEP;
}
template <int STEP> __global__ void fill(unsigned *to) {
    to[blockIdx.x * THREADS + threadIdx.x] = STEP;
}

static unsigned *a, *b, *c;

template <int STEP> static void run() {
    add<STEP><<<WORDS / THREADS, THREADS>>>(a, b, c);
    DO(cudaDeviceSynchronize());
}

// The sum of one launch, without touching more than a page of `c`.
static void check(unsigned i, unsigned step) { need(c[i] == a[i] + b[i] + step, "a sum"); }

int main() {
    DO(cudaMallocManaged((void **)&a, WORDS * 4));
    DO(cudaMallocManaged((void **)&b, WORDS * 4));
    DO(cudaMallocManaged((void **)&c, WORDS * 4));
    for (unsigned i = 0; i < WORDS; i++) a[i] = i, b[i] = 7 * i;
    run<1>(); // a and b come from the host, c is filled with zeros
    run<2>(); // all is there
    a[3 * PER_PAGE] = 1000;
    run<3>(); // one block of a has gone
    for (unsigned i = 0; i < WORDS; i++) check(i, 3);
    for (unsigned i = 0; i < WORDS; i++) b[i] = i;
    DO(cudaMemPrefetchAsync(a, WORDS * 4, 0, 0));
    DO(cudaMemPrefetchAsync(b, WORDS * 4, 0, 0));
    DO(cudaMemPrefetchAsync(c, WORDS * 4, 0, 0));
    run<4>(); // all was prefetched
    check(WORDS - 1, 4);
    DO(cudaMemPrefetchAsync(c, WORDS * 4, cudaCpuDeviceId, 0));
    run<5>(); // a block of a and of b, and all of c
    DO(cudaMemset(a, 0, WORDS * 4));
    DO(cudaMemcpy(b, c, WORDS * 4, cudaMemcpyDefault));
    run<6>(); // a fill and a copy leave it on the GPU
    for (unsigned i = 0; i < WORDS; i++) check(i, 6);
    // memory that was freed and allocated again is untouched
    DO(cudaFree(c));
    DO(cudaMallocManaged((void **)&c, WORDS * 4));
    fill<7><<<WORDS / THREADS, THREADS>>>(c);
    fill<8><<<WORDS / THREADS, THREADS>>>(c);
    DO(cudaDeviceSynchronize());
    for (unsigned i = 0; i < WORDS; i++) need(c[i] == 8, "a fill");
    DO(cudaDeviceSynchronize());
    int devices;
    DO(cudaGetDeviceCount(&devices));
    for (int i = 1; i < devices; i++) { // the other GPU takes all, and the first one takes it back
        DO(cudaSetDevice(i));
        run<9>();
        run<10>();
        DO(cudaSetDevice(0));
        run<11>();
        run<12>();
        check(0, 12);
    }
    DO(cudaFree(a));
    DO(cudaFree(b));
    DO(cudaFree(c));
    printf("managed: ok\n");
    return 0;
}
