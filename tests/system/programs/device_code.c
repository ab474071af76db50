/* device_code.c - registers a PTX file in the way of compilers' start-up code, launches a kernel of
 * it, and prints the result of each step.
 *
 * device_code FILE KERNEL [GRID BLOCK [damage|kill|newer|newer8|free|again|fresh]] The kernel gets
 * one pointer, to 4,096 bytes. `damage` breaks the fat binary; `kill` kills the process half a
 * second after the launch; `newer` says that the PTX is for compute capability 9.0, `newer8` for
 * 8.0; `free` frees the memory before the launch, `again` also allocates as much again; `fresh`
 * does not clear it. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "device_image.h"

static struct device_image image;
static char stub; /* its address is the kernel's handle */

static void *killer(void *unused) {
    (void)unused;
    usleep(500000);
    kill(getpid(), SIGKILL);
    return NULL;
}

int main(int argc, char **argv) {
    const char *how = argc > 5 ? argv[5] : "";
    CHECK(argc > 2);
    read_image(&image, argv[1]);
    if (!strcmp(how, "damage")) image.entry.bytes = 1u << 30;
    if (!strcmp(how, "newer")) image.entry.target = 90;
    if (!strcmp(how, "newer8")) image.entry.target = 80;
    void **module = __cudaRegisterFatBinary(&image.wrapper);
    add_kernel(module, &stub, argv[2]);
    __cudaRegisterFatBinaryEnd(module);

    void *p;
    EXPECT(cudaMalloc(&p, 4096), 0);
    if (strcmp(how, "fresh")) EXPECT(cudaMemset(p, 0, 4096), 0);
    struct dim3 grid = {argc > 3 ? (unsigned)atoi(argv[3]) : 1, 1, 1};
    struct dim3 block = {argc > 4 ? (unsigned)atoi(argv[4]) : 1, 1, 1};
    if (!strcmp(how, "free") || !strcmp(how, "again")) EXPECT(cudaFree(p), 0);
    void *q;
    if (!strcmp(how, "again")) EXPECT(cudaMalloc(&q, 4096), 0);
    pthread_t thread;
    if (!strcmp(how, "kill")) pthread_create(&thread, NULL, killer, NULL);
    int launch = cudaLaunchKernel(&stub, grid, block, (void *[]){&p}, 0, NULL);
    int wait = cudaDeviceSynchronize();
    int after = cudaMalloc(&q, 16);
    printf("launch: %s, wait: %s, after: %s\n", cudaGetErrorName(launch), cudaGetErrorName(wait),
           cudaGetErrorName(after));
    int first = 0;
    if (!launch && !wait && strcmp(how, "again"))
        EXPECT(cudaMemcpy(&first, p, sizeof first, TO_HOST), 0);
    printf("first word: %d\n", first);
    __cudaUnregisterFatBinary(module);
    return launch || wait;
}
