/* context_reset.c - a fault breaks the context: every call returns the error until cudaDeviceReset,
 * after which the context is as at the beginning and works again. The argument is faults.ptx. A
 * failed check ends the program with status 1. */
#include "device_image.h"

int cudaDeviceReset(void);

static struct device_image image;
static char stray, add, caught, endless; /* their addresses are the kernels' handles */

static void *allocate(void) {
    void *p;
    EXPECT(cudaMalloc(&p, 4096), 0);
    EXPECT(cudaMemset(p, 0, 4096), 0);
    return p;
}

static int launch(const void *kernel, void *p, unsigned ctas) {
    struct dim3 grid = {ctas, 1, 1}, block = {64, 1, 1};
    return cudaLaunchKernel(kernel, grid, block, (void *[]){&p}, 0, NULL);
}

static void expect_sum(void *p, int want) {
    int sum = -1;
    EXPECT(cudaMemcpy(&sum, p, sizeof sum, TO_HOST), 0);
    CHECK(sum == want);
}

/* Breaks the context by a kernel that faults with `error`, checks every call's result, and resets
 * the device. */
static void break_context(const void *kernel, int error) {
    size_t free_before, free_after, total;
    EXPECT(cudaMemGetInfo(&free_before, &total), 0);
    void *p = allocate(), *q, *stream;
    EXPECT(launch(&add, p, 3), 0);
    EXPECT(launch(kernel, p, 5), 0);
    EXPECT(launch(&add, p, 2), 0); /* after the fault: never executed */
    EXPECT(cudaMemset(p, 7, 16), 0);
    EXPECT(cudaDeviceSynchronize(), error);
    EXPECT(cudaMalloc(&q, 16), error);
    EXPECT(launch(&add, p, 1), error);
    EXPECT(cudaStreamCreate(&stream), error);
    EXPECT(cudaGetLastError(), error);
    EXPECT(cudaGetLastError(), error); /* sticky */
    EXPECT(cudaDeviceReset(), 0);
    EXPECT(cudaGetLastError(), 0);
    EXPECT(cudaMemGetInfo(&free_after, &total), 0);
    CHECK(free_after == free_before); /* the allocations are gone */
    EXPECT(cudaMemset(p, 0, 4096), 1);
    EXPECT(cudaGetLastError(), 1);
    p = allocate();
    EXPECT(launch(&add, p, 4), 0);
    expect_sum(p, 4 * 64);
    EXPECT(cudaFree(p), 0);
}

/* A reset frees the memory of all devices: it waits for what uses it on the other one. After a
 * fault it waits for no kernel that would not end by itself, on either. */
static void reset_two_devices(void) {
    int devices;
    EXPECT(cudaGetDeviceCount(&devices), 0);
    if (devices < 2) return;
    EXPECT(cudaSetDevice(1), 0);
    EXPECT(launch(&add, allocate(), 2000), 0);
    EXPECT(cudaSetDevice(0), 0);
    EXPECT(cudaDeviceReset(), 0);
    EXPECT(cudaSetDevice(1), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(launch(&endless, allocate(), 1), 0);
    EXPECT(cudaSetDevice(0), 0);
    EXPECT(launch(&stray, allocate(), 1), 0);
    EXPECT(cudaDeviceSynchronize(), 700);
    EXPECT(cudaDeviceReset(), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(cudaSetDevice(1), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
}

int main(int argc, char **argv) {
    (void)argc;
    void **module = open_module(&image, argv[1]);
    add_kernel(module, &stray, "stray");
    add_kernel(module, &add, "add");
    add_kernel(module, &caught, "caught");
    add_kernel(module, &endless, "endless");
    __cudaRegisterFatBinaryEnd(module);
    EXPECT(launch(&add, allocate(), 1), 0);
    EXPECT(cudaDeviceReset(), 0); /* a context without a fault can be reset as well */
    break_context(&stray, 700);
    break_context(&caught, 719);
    break_context(&stray, 700);
    reset_two_devices();
    printf("context_reset: ok\n");
    return 0;
}
