/* api_devices.c - two devices: memory, streams, events and variables of each, copies between them.
 * Argument: the PTX file with kernel `scale`. Run with --devices 2. A failed check ends the program
 * with status 1. */
#include "api_calls.h"

static struct device_image image;
static char scale;
static int counter, factor[4];
static const struct dim3 ONE = {1, 1, 1}, BLOCK = {32, 1, 1};

static void run_scale(int *p, int n, void *stream, int want) {
    EXPECT(cudaLaunchKernel(&scale, ONE, BLOCK, (void *[]){&p, &n}, 0, stream), want);
}

int main(int argc, char **argv) {
    int count, can, device, *a, *b, host[8], back[8], value = 0;
    void *stream0, *stream1, *event0, *event1;
    size_t free0, free1, total;
    char id0[32], id1[32];
    (void)argc;
    void **module = open_module(&image, argv[1]);
    add_kernel(module, &scale, "scale");
    add_variable(module, &counter, "counter", sizeof counter, 0);
    add_variable(module, factor, "factor", sizeof factor, 1);
    __cudaRegisterFatBinaryEnd(module);
    EXPECT(cudaGetDeviceCount(&count), 0);
    CHECK(count == 2);
    EXPECT(cudaSetDevice(2), INVALID_DEVICE);
    EXPECT(cudaDeviceGetPCIBusId(id0, sizeof id0, 0), 0);
    EXPECT(cudaDeviceGetPCIBusId(id1, sizeof id1, 1), 0);
    CHECK(strcmp(id0, id1) != 0);
    EXPECT(cudaDeviceGetByPCIBusId(&device, id1), 0);
    CHECK(device == 1);
    EXPECT(cudaDeviceCanAccessPeer(&can, 0, 1), 0);
    CHECK(can == 1);
    EXPECT(cudaDeviceGetP2PAttribute(&can, 2, 0, 1), 0);
    CHECK(can == 1);
    EXPECT(cudaDeviceGetP2PAttribute(&can, 2, 1, 1), INVALID_DEVICE);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), 0);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), 704);
    EXPECT(cudaDeviceDisablePeerAccess(1), 0);
    EXPECT(cudaDeviceDisablePeerAccess(1), 705);
    EXPECT(cudaDeviceEnablePeerAccess(1, 0), 0);

    for (int i = 0; i < 8; i++) host[i] = i + 1;
    EXPECT(cudaStreamCreateWithFlags(&stream0, 1), 0);
    EXPECT(cudaEventCreate(&event0), 0);
    EXPECT(cudaMalloc((void **)&a, sizeof host), 0);
    EXPECT(cudaSetDevice(1), 0);
    EXPECT(cudaGetDevice(&device), 0);
    CHECK(device == 1);
    EXPECT(cudaMemGetInfo(&free1, &total), 0);
    EXPECT(cudaStreamCreateWithFlags(&stream1, 1), 0);
    EXPECT(cudaEventCreate(&event1), 0);
    EXPECT(cudaMalloc((void **)&b, sizeof host), 0);
    EXPECT(cudaMemGetInfo(&total, &free0), 0);
    CHECK(total < free1); /* the allocation took this device's memory */
    struct {
        int type, device;
        void *device_pointer, *host_pointer;
        long reserved[8];
    } attributes;
    EXPECT(cudaPointerGetAttributes(&attributes, b), 0);
    CHECK(attributes.device == 1);
    EXPECT(cudaPointerGetAttributes(&attributes, a), 0);
    CHECK(attributes.device == 0);

    /* Device 0 copies in and scales; device 1 waits, fetches and scales; device 0 waits and reads
     * back from device 1. */
    run_scale(a, 8, stream0, INVALID_HANDLE); /* a stream of the other device */
    EXPECT(cudaEventRecord(event1, stream0), INVALID_HANDLE);
    EXPECT(cudaSetDevice(0), 0);
    EXPECT(cudaMemcpyAsync(a, host, sizeof host, TO_DEVICE, stream0), 0);
    run_scale(a, 8, stream0, 0);
    EXPECT(cudaEventRecord(event0, stream0), 0);
    EXPECT(cudaSetDevice(1), 0);
    EXPECT(cudaStreamWaitEvent(stream1, event0, 0), 0);
    EXPECT(cudaMemcpyPeerAsync(b, 1, a, 0, sizeof host, stream1), 0);
    run_scale(b, 8, stream1, 0);
    EXPECT(cudaEventRecord(event1, stream1), 0);
    EXPECT(cudaStreamWaitEvent(stream0, event1, 0), 0);
    EXPECT(cudaMemcpyAsync(back, b, sizeof back, TO_HOST, stream0), 0);
    for (int i = 0; i < 8; i++) CHECK(back[i] == 4 * (i + 1));
    float ms;
    EXPECT(cudaEventElapsedTime(&ms, event0, event1), INVALID_HANDLE);
    /* A kernel uses the other device's memory. */
    run_scale(a, 8, stream1, 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(cudaMemcpyPeer(b, 1, a, 0, sizeof host), 0);
    EXPECT(cudaMemcpyPeer(b, 1, a, 7, sizeof host), INVALID_DEVICE);
    EXPECT(cudaMemcpy(back, b, sizeof back, BY_ADDRESS), 0);
    for (int i = 0; i < 8; i++) CHECK(back[i] == 4 * (i + 1));
    struct copy3d_peer box = {
        .src = {b, 8, 8, 2}, .src_device = 1, .dst = {a, 8, 8, 2}, .extent = {8, 2, 2}};
    EXPECT(cudaMemset(b, 0, sizeof host), 0);
    EXPECT(cudaMemcpy3DPeer(&box), 0);
    EXPECT(cudaMemcpy3DPeerAsync(&box, stream1), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(cudaMemcpy(back, a, sizeof back, TO_HOST), 0);
    CHECK(back[7] == 0);
    /* Each device has its own variables: the kernel adds 8 to `counter` (3) each time. */
    EXPECT(cudaMemcpyFromSymbol(&value, &counter, 4, 0, TO_HOST), 0);
    CHECK(value == 3 + 2 * 8);
    EXPECT(cudaSetDevice(0), 0);
    EXPECT(cudaMemcpyFromSymbol(&value, &counter, 4, 0, TO_HOST), 0);
    CHECK(value == 3 + 8);
    EXPECT(cudaFree(a), 0);
    EXPECT(cudaFree(b), 0);
    printf("api_devices: ok\n");
    return 0;
}
