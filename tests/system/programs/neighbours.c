/* neighbours.c PTX - two processes of a run: one is told where the other's device memory lies, and
 * tries to read and write it, with copies, fills, frees and a kernel. To it, that memory is not
 * there, as on a GPU, where each process has page tables of its own. */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "device_image.h"

enum { BYTES = 1 << 16, INVALID_VALUE = 1, ILLEGAL_ADDRESS = 700, UNREGISTERED = 0 };

static struct device_image image;
static char touch; /* its address is the kernel's handle */

static void register_kernel(const char *file) {
    void **module = open_module(&image, file);
    add_kernel(module, &touch, "touch");
    __cudaRegisterFatBinaryEnd(module);
}

static int add_one(uint32_t *p) {
    const struct dim3 one = {1, 1, 1};
    int launch = cudaLaunchKernel(&touch, one, one, (void *[]){&p}, 0, NULL);
    return launch ? launch : cudaDeviceSynchronize();
}

/* The process that tries; `there` is the other's memory. */
static int try_all(char *there, const char *file) {
    static char host[BYTES];
    char *own;
    struct {
        int type, device;
        void *device_pointer, *host_pointer;
        long reserved[8];
    } a;
    register_kernel(file);
    EXPECT(cudaMalloc((void **)&own, BYTES), 0);
    EXPECT(cudaMemset(own, 1, BYTES), 0);
    EXPECT(cudaMemcpy(host, there, BYTES, TO_HOST), INVALID_VALUE);
    EXPECT(cudaMemcpy(there, host, BYTES, TO_DEVICE), INVALID_VALUE);
    EXPECT(cudaMemcpy(own, there, BYTES, IN_DEVICE), INVALID_VALUE);
    EXPECT(cudaMemcpy(there, own, BYTES, IN_DEVICE), INVALID_VALUE);
    EXPECT(cudaMemset(there, 0, BYTES), INVALID_VALUE);
    EXPECT(cudaFree(there), INVALID_VALUE);
    EXPECT(cudaPointerGetAttributes(&a, there), 0);
    EXPECT(a.type, UNREGISTERED);
    EXPECT(add_one((uint32_t *)(void *)own), 0);
    EXPECT(add_one((uint32_t *)(void *)there), ILLEGAL_ADDRESS);
    return 0;
}

int main(int argc, char **argv) {
    int where[2], status;
    static char host[BYTES];
    char *p = NULL;
    CHECK(argc > 1 && pipe(where) == 0);
    const pid_t child = fork();
    if (child == 0) {
        CHECK(read(where[0], &p, sizeof p) == (ssize_t)sizeof p);
        return try_all(p, argv[1]);
    }
    register_kernel(argv[1]);
    EXPECT(cudaMalloc((void **)&p, BYTES), 0);
    EXPECT(cudaMemset(p, 0x5a, BYTES), 0);
    CHECK(write(where[1], &p, sizeof p) == (ssize_t)sizeof p);
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    EXPECT(add_one((uint32_t *)(void *)p), 0);
    EXPECT(cudaMemcpy(host, p, BYTES, TO_HOST), 0);
    CHECK(host[0] == 0x5b);
    for (int i = 1; i < BYTES; i++) CHECK(host[i] == 0x5a);
    puts("neighbours: ok");
    return 0;
}
