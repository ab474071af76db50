/* streams.c - streams and events: handles, order, wrong use. */
#include <stdint.h>

#include "cuda_calls.h"

int main(void) {
    enum { N = 1 << 16 };
    void *stream, *other, *a, *b, *d;
    float ms = -1;
    static int host[N], back[N];
    for (int i = 0; i < N; i++) host[i] = i;
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaStreamCreate(&other), 0);
    CHECK(stream != other && stream && other);
    EXPECT(cudaEventCreate(&a), 0);
    EXPECT(cudaEventCreate(&b), 0);
    EXPECT(cudaEventQuery(a), 0); /* never recorded: done */
    EXPECT(cudaEventElapsedTime(&ms, a, b), 400);
    EXPECT(cudaMalloc(&d, sizeof host), 0);
    EXPECT(cudaEventRecord(a, stream), 0);
    EXPECT(cudaMemcpyAsync(d, host, sizeof host, TO_DEVICE, stream), 0);
    EXPECT(cudaEventRecord(b, stream), 0);
    EXPECT(cudaMemcpyAsync(back, d, sizeof back, TO_HOST, stream), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    CHECK(memcmp(host, back, sizeof host) == 0);
    EXPECT(cudaEventSynchronize(b), 0);
    EXPECT(cudaEventElapsedTime(&ms, a, b), 0);
    CHECK(ms >= 0);
    EXPECT(cudaStreamQuery(stream), 0);
    EXPECT(cudaStreamQuery((void *)(uintptr_t)4), 400);
    EXPECT(cudaStreamSynchronize((void *)(uintptr_t)0x123456), 400);
    EXPECT(cudaEventRecord((void *)(uintptr_t)0x10, NULL), 400);
    EXPECT(cudaStreamSynchronize((void *)(uintptr_t)1), 0); /* cudaStreamLegacy */
    EXPECT(cudaEventDestroy(a), 0);
    EXPECT(cudaEventDestroy(a), 400);
    EXPECT(cudaStreamDestroy(stream), 0);
    EXPECT(cudaStreamSynchronize(stream), 400);
    EXPECT(cudaStreamDestroy(other), 0);
    EXPECT(cudaGetLastError(), 400);
    EXPECT(cudaGetLastError(), 0);
    printf("streams: ok\n");
    return 0;
}
