/* device_code.c - registers and launches a kernel of a PTX file, as the compilers' start-up code does,
 * and prints what each step returned.
 *
 *   device_code FILE KERNEL [GRID BLOCK [damage|kill|newer]]
 * The kernel gets one pointer, to 4,096 bytes. `damage` breaks the fat binary; `kill` kills the process
 * half a second after the launch; `newer` says that the PTX is for compute capability 9.0. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

#include "cuda_calls.h"

struct dim3 {
    unsigned x, y, z;
};
void **__cudaRegisterFatBinary(const void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaUnregisterFatBinary(void **handle);
int cudaLaunchKernel(const void *function, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);

static struct {
    uint32_t magic;
    uint16_t version, head;
    uint64_t bytes;
    struct {
        uint16_t kind, version;
        uint32_t head;
        uint64_t bytes;
        uint32_t compressed, reserved;
        uint16_t minor, major;
        uint32_t target, name, name_bytes;
        uint64_t flags, zero, unpacked;
    } entry;
    char text[1 << 16];
} image = {.magic = 0xBA55ED50, .version = 1, .head = 16,
           .entry = {.kind = 1, .version = 0x101, .head = 64, .target = 70, .flags = 0x11}};
static struct {
    uint32_t magic, version;
    const void *image, *unused;
} wrapper = {.magic = 0x466243B1, .version = 1, .image = &image};
static char stub; /* its address is the kernel's handle */

static void *killer(void *unused) {
    (void)unused;
    usleep(500000);
    kill(getpid(), SIGKILL);
    return NULL;
}

int main(int argc, char **argv) {
    const char *how = argc > 5 ? argv[5] : "";
    FILE *f = fopen(argc > 2 ? argv[1] : "", "r");
    CHECK(f);
    size_t n = fread(image.text, 1, sizeof image.text - 1, f);
    fclose(f);
    image.entry.bytes = n + 1;
    image.bytes = sizeof image.entry + image.entry.bytes;
    if (!strcmp(how, "damage")) image.entry.bytes = 1u << 30;
    if (!strcmp(how, "newer")) image.entry.target = 90;
    void **module = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(module, &stub, NULL, argv[2], -1, NULL, NULL, NULL, NULL, NULL);
    __cudaRegisterFatBinaryEnd(module);

    void *p;
    EXPECT(cudaMalloc(&p, 4096), 0);
    EXPECT(cudaMemset(p, 0, 4096), 0);
    struct dim3 grid = {argc > 3 ? (unsigned)atoi(argv[3]) : 1, 1, 1};
    struct dim3 block = {argc > 4 ? (unsigned)atoi(argv[4]) : 1, 1, 1};
    pthread_t thread;
    if (!strcmp(how, "kill")) pthread_create(&thread, NULL, killer, NULL);
    int launch = cudaLaunchKernel(&stub, grid, block, (void *[]){&p}, 0, NULL);
    int wait = cudaDeviceSynchronize();
    void *q;
    int after = cudaMalloc(&q, 16);
    printf("launch: %s, wait: %s, after: %s\n", cudaGetErrorName(launch), cudaGetErrorName(wait),
           cudaGetErrorName(after));
    int first = 0;
    if (!launch && !wait) EXPECT(cudaMemcpy(&first, p, sizeof first, TO_HOST), 0);
    printf("first word: %d\n", first);
    __cudaUnregisterFatBinary(module);
    return launch || wait;
}
