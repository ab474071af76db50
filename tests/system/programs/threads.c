/* threads.c - several host threads share one device and one address space; each has its own last
 * error. A failed check ends the program with status 1. */
#include <pthread.h>

#include "cuda_calls.h"

enum { THREADS = 6, ROUNDS = 40, BYTES = 20000 };

static void *work(void *user) {
    int number = *(int *)user;
    unsigned char *h = malloc(BYTES), *back = malloc(BYTES);
    void *d;
    for (int round = 0; round < ROUNDS; round++) {
        memset(h, number * 16 + round % 16, BYTES);
        EXPECT(cudaMalloc(&d, BYTES), 0);
        EXPECT(cudaMemcpy(d, h, BYTES, TO_DEVICE), 0);
        if (number % 2) EXPECT(cudaSetDevice(9), 101); /* an error of this thread only */
        EXPECT(cudaMemcpy(back, d, BYTES, TO_HOST), 0);
        CHECK(memcmp(h, back, BYTES) == 0);
        EXPECT(cudaFree(d), 0);
        EXPECT(cudaGetLastError(), number % 2 ? 101 : 0);
    }
    free(h);
    free(back);
    return NULL;
}

int main(void) {
    pthread_t thread[THREADS];
    int number[THREADS];
    for (int i = 0; i < THREADS; i++) {
        number[i] = i;
        CHECK(pthread_create(&thread[i], NULL, work, &number[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) pthread_join(thread[i], NULL);
    EXPECT(cudaDeviceSynchronize(), 0);
    printf("threads: ok\n");
    return 0;
}
