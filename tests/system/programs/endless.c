/* endless.c - does one thing until a signal ends it: an endless kernel of a PTX file, or copies.
 *
 * endless FILE KERNEL|copies PROGRAMS. The 1 or 2 programs wait for each other before they begin
 * with it, and write "running" to standard error. The kernel gets a pointer to 4,096 bytes of
 * zeros, and has 300 CTAs of 64 threads. */
#include <sys/socket.h>
#include <unistd.h>

#include "device_image.h"

enum { BYTES = 64 << 20 };
static struct device_image image;
static char stub; /* its address is the kernel's handle */

static int other[2] = {-1, -1}; /* the connection to the other program, this one's end first */

/* Becomes two programs, before the first call. */
static void divide(void) {
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, other) == 0);
    pid_t child = fork();
    CHECK(child >= 0);
    if (child) return;
    int end = other[0];
    other[0] = other[1];
    other[1] = end;
}

static void say_running(void) {
    char ready = 0;
    if (other[0] >= 0) CHECK(write(other[0], &ready, 1) == 1 && read(other[0], &ready, 1) == 1);
    fputs("running\n", stderr);
    fflush(stderr);
}

/* @return after a failed copy. */
static void copy_for_ever(void) {
    char *host = calloc(1, BYTES);
    void *device;
    CHECK(host);
    EXPECT(cudaMalloc(&device, BYTES), 0);
    EXPECT(cudaMemcpy(device, host, BYTES, TO_DEVICE), 0);
    say_running();
    while (!cudaMemcpy(host, device, BYTES, TO_HOST) &&
           !cudaMemcpy(device, host, BYTES, TO_DEVICE)) {
    }
}

int main(int argc, char **argv) {
    CHECK(argc == 4);
    if (!strcmp(argv[3], "2")) divide();
    if (!strcmp(argv[2], "copies")) {
        copy_for_ever();
        return 1;
    }
    void **module = open_module(&image, argv[1]), *p;
    add_kernel(module, &stub, argv[2]);
    __cudaRegisterFatBinaryEnd(module);
    EXPECT(cudaMalloc(&p, 4096), 0);
    EXPECT(cudaMemset(p, 0, 4096), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    say_running();
    EXPECT(cudaLaunchKernel(&stub, (struct dim3){300, 1, 1}, (struct dim3){64, 1, 1},
                            (void *[]){&p}, 0, NULL),
           0);
    cudaDeviceSynchronize();
    return 1;
}
