/* memory.c - allocation and every kind of copy, large and small, with pinned and pageable memory.
 * Each function tests one subject; a failed check ends the program with status 1. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "cuda_calls.h"

enum { LARGE = 5 * 1024 * 1024 + 77 }; /* several staging pieces and a rest */

static unsigned char pattern(size_t i) {
    return (unsigned char)(i * 31 + i / 257);
}

static void round_trip(size_t bytes) {
    unsigned char *from = malloc(bytes), *to = calloc(1, bytes);
    void *a, *b;
    for (size_t i = 0; i < bytes; i++) from[i] = pattern(i);
    EXPECT(cudaMalloc(&a, bytes), 0);
    EXPECT(cudaMalloc(&b, bytes), 0);
    CHECK(((uintptr_t)a & 255) == 0 && a != b);
    EXPECT(cudaMemcpy(a, from, bytes, TO_DEVICE), 0);
    EXPECT(cudaMemcpy(b, a, bytes, IN_DEVICE), 0);
    EXPECT(cudaMemcpy(to, b, bytes, BY_ADDRESS), 0);
    CHECK(memcmp(from, to, bytes) == 0);
    EXPECT(cudaMemset(b, 0x5a, bytes), 0);
    EXPECT(cudaMemcpyAsync(a, from, bytes, TO_DEVICE, NULL), 0);
    memset(from, 0, bytes); /* the copy took the bytes when it was called */
    EXPECT(cudaMemcpy(to, a, bytes, TO_HOST), 0);
    for (size_t i = 0; i < bytes; i++) CHECK(to[i] == pattern(i));
    EXPECT(cudaMemcpy(to, b, bytes, TO_HOST), 0);
    for (size_t i = 0; i < bytes; i++) CHECK(to[i] == 0x5a);
    EXPECT(cudaFree(a), 0);
    EXPECT(cudaFree(b), 0);
    free(from);
    free(to);
}

static void rows(void) {
    enum { WIDTH = 100, HEIGHT = 37, PITCH = 131 };
    static unsigned char from[PITCH * HEIGHT], to[PITCH * HEIGHT];
    void *d;
    size_t pitch;
    for (size_t i = 0; i < sizeof from; i++) from[i] = pattern(i);
    EXPECT(cudaMallocPitch(&d, &pitch, WIDTH, HEIGHT), 0);
    CHECK(pitch >= WIDTH);
    EXPECT(cudaMemcpy2D(d, pitch, from, PITCH, WIDTH, HEIGHT, TO_DEVICE), 0);
    EXPECT(cudaMemcpy2D(to, PITCH, d, pitch, WIDTH, HEIGHT, TO_HOST), 0);
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < PITCH; x++)
            CHECK(to[y * PITCH + x] == (x < WIDTH ? from[y * PITCH + x] : 0));
    EXPECT(cudaFree(d), 0);
}

static void pinned(void) {
    int *h, *d;
    EXPECT(cudaHostAlloc((void **)&h, 4096, 0), 0);
    EXPECT(cudaMalloc((void **)&d, 4096), 0);
    for (int i = 0; i < 1024; i++) h[i] = i;
    EXPECT(cudaMemcpyAsync(d, h, 4096, TO_DEVICE, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    memset(h, 0, 4096);
    EXPECT(cudaMemcpyAsync(h, d, 4096, TO_HOST, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    for (int i = 0; i < 1024; i++) CHECK(h[i] == i);
    EXPECT(cudaFreeHost(h), 0);
    EXPECT(cudaFree(d), 0);
}

static void wrong_use(void) {
    char host[64];
    void *d = NULL, *nothing = NULL;
    EXPECT(cudaMalloc(&nothing, 0), 0);
    CHECK(nothing == NULL);
    EXPECT(cudaMalloc(&d, (size_t)1 << 60), 2);
    EXPECT(cudaGetLastError(), 2);
    EXPECT(cudaGetLastError(), 0);
    EXPECT(cudaMalloc(&d, 32), 0);
    EXPECT(cudaMemcpy(d, host, 33, TO_DEVICE), 1); /* one byte too many */
    EXPECT(cudaPeekAtLastError(), 1);
    EXPECT(cudaGetLastError(), 1);
    EXPECT(cudaMemcpy(host, host, 8, TO_DEVICE), 1);
    EXPECT(cudaMemcpy(d, host, 8, 9), 21);
    EXPECT(cudaFree((char *)d + 8), 1);
    EXPECT(cudaFree(d), 0);
    EXPECT(cudaFree(d), 1);
    EXPECT(cudaFree(NULL), 0);
    EXPECT(cudaMalloc(NULL, 8), 1);
}

/* An impossible size is an error before the program's memory is read beyond its end: here one page,
 * with nothing mapped behind it. */
static void wrong_sizes(void) {
    enum { PAGE = 4096 };
    char *host = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    void *d;
    CHECK(host != MAP_FAILED && mprotect(host + PAGE, PAGE, PROT_NONE) == 0);
    EXPECT(cudaMalloc(&d, PAGE), 0);
    static const size_t wrong[] = {(64 << 10) + 1, 1 << 20, (size_t)1 << 40, SIZE_MAX};
    for (unsigned i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        EXPECT(cudaMemcpy(d, host, wrong[i], TO_DEVICE), 1);
        EXPECT(cudaMemcpyAsync(d, host, wrong[i], TO_DEVICE, NULL), 1);
        EXPECT(cudaMemcpy(host, d, wrong[i], TO_HOST), 1);
    }
    EXPECT(cudaMemcpy2D(d, PAGE, host, PAGE, PAGE, 100, TO_DEVICE), 1);
    EXPECT(cudaFree(d), 0);
    munmap(host, 2 * PAGE);
}

/* Copies longer than the memory on both sides: the device's is checked before the program's is
 * read. */
static void at_the_end_of_memory(void) {
    enum { PAGE = 4096, FAR = 60000 };
    char *two = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *last = two + PAGE - 100;
    void *d;
    CHECK(two != MAP_FAILED && mprotect(two + PAGE, PAGE, PROT_NONE) == 0);
    EXPECT(cudaMalloc(&d, 300), 0);
    EXPECT(cudaMemcpy(d, last, FAR, TO_DEVICE), 1);
    EXPECT(cudaMemcpyAsync(d, last, FAR, TO_DEVICE, NULL), 1);
    EXPECT(cudaMemcpy2D(d, 200, last, 200, 100, 2, TO_HOST), 1);
    EXPECT(cudaMemcpy2D(d, 50, last, 50, 50, 300, TO_DEVICE), 1);
    memset(last, 7, 100);
    EXPECT(cudaMemcpy(d, last, 100, TO_DEVICE), 0); /* up to the very end */
    memset(last, 0, 100);
    EXPECT(cudaMemcpy(last, d, 100, TO_HOST), 0);
    for (int i = 0; i < 100; i++) CHECK(last[i] == 7);
    EXPECT(cudaFree(d), 0);
    munmap(two, 2 * PAGE);
}

/* Allocates most of the device's memory and ends without freeing it, in the way `how`. */
static int take_all(const char *how) {
    size_t available, total;
    void *p;
    EXPECT(cudaMemGetInfo(&available, &total), 0);
    EXPECT(cudaMalloc(&p, available / 4 * 3), 0);
    EXPECT(cudaMemset(p, 1, 100), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    puts("taken");
    fflush(stdout);
    if (strcmp(how, "kill") == 0) raise(SIGKILL);
    return 0;
}

int main(int argc, char **argv) {
    size_t before, after, total;
    if (argc > 1) return take_all(argv[1]);
    EXPECT(cudaMemGetInfo(&before, &total), 0);
    CHECK(before == total);
    round_trip(1);
    round_trip(4096);
    round_trip(LARGE);
    rows();
    pinned();
    wrong_use();
    wrong_sizes();
    at_the_end_of_memory();
    EXPECT(cudaMemGetInfo(&after, &total), 0);
    CHECK(after == before);
    printf("memory: ok\n");
    return 0;
}
