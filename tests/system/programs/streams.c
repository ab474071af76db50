/* streams.c - streams and events: handles, order, wrong uses. A failed check ends the program with
 * status 1. */
#include <stdint.h>

#include "cuda_calls.h"

/* A stream that waits for an event is not ready until the event has happened. Only a timed run
 * shows this: without timing, a fill has ended before the next call. */
static void waits(void *stream, void *other, void *event) {
    enum { LARGE = 64 << 20 };
    void *large;
    EXPECT(cudaMalloc(&large, LARGE), 0);
    EXPECT(cudaMemsetAsync(large, 1, LARGE, stream), 0);
    EXPECT(cudaEventRecord(event, stream), 0);
    EXPECT(cudaStreamWaitEvent(other, event, 0), 0);
    EXPECT(cudaStreamQuery(other), 600); /* cudaErrorNotReady */
    EXPECT(cudaStreamSynchronize(other), 0);
    EXPECT(cudaStreamQuery(other), 0);
    EXPECT(cudaEventQuery(event), 0);
    EXPECT(cudaFree(large), 0);
}

/* With an argument, checks what needs target time, too. */
int main(int argc, char **argv) {
    (void)argv;
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
    if (argc > 1) waits(stream, other, b);
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
