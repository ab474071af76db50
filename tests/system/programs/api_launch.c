/* api_launch.c - cooperative and extended launches, host functions, callbacks, priorities.
 * Argument: the PTX file with kernel `meet`, a barrier of all CTAs. A failed check ends the program
 * with status 1. */
#include <pthread.h>
#include <time.h>

#include "api_calls.h"

static struct device_image image;
static char meet;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int calls, nested = -1, order[8], told_status = -1;
static void *told_stream;

/* A host function: appends its argument to `order` and tries a CUDA call, which must fail. */
static void note(void *argument) {
    void *p;
    pthread_mutex_lock(&lock);
    order[calls++] = (int)(size_t)argument;
    nested = cudaMalloc(&p, 4);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void callback(void *stream, int status, void *argument) {
    told_stream = stream;
    told_status = status;
    note(argument);
}

static void wait_for(int count) {
    pthread_mutex_lock(&lock);
    while (calls < count) pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
}

static void host_functions(void) {
    void *stream, *other, *event;
    char *d, host = 0;
    EXPECT(cudaStreamCreateWithFlags(&stream, 1), 0);
    EXPECT(cudaStreamCreateWithFlags(&other, 1), 0);
    EXPECT(cudaEventCreate(&event), 0);
    EXPECT(cudaMalloc((void **)&d, 16), 0);
    EXPECT(cudaMemsetAsync(d, 1, 16, stream), 0);
    EXPECT(cudaLaunchHostFunc(stream, note, (void *)1), 0);
    EXPECT(cudaStreamAddCallback(stream, callback, (void *)2, 0), 0);
    EXPECT(cudaEventRecord(event, stream), 0);
    EXPECT(cudaStreamWaitEvent(other, event, 0), 0);
    EXPECT(cudaLaunchHostFunc(other, note, (void *)3), 0);
    EXPECT(cudaStreamSynchronize(other), 0);
    CHECK(calls == 3 && order[0] == 1 && order[1] == 2 && order[2] == 3);
    CHECK(nested == NOT_PERMITTED); /* a host function makes no CUDA calls */
    CHECK(told_stream == stream && told_status == 0);
    /* The program waits for a host function without a CUDA call. */
    EXPECT(cudaMemsetAsync(d, 2, 16, stream), 0);
    EXPECT(cudaLaunchHostFunc(stream, note, (void *)4), 0);
    wait_for(4);
    EXPECT(cudaMemcpy(&host, d, 1, TO_HOST), 0);
    CHECK(host == 2 && order[3] == 4);
    EXPECT(cudaLaunchHostFunc(stream, NULL, NULL), INVALID_VALUE);
    EXPECT(cudaStreamAddCallback(stream, callback, NULL, 5), INVALID_VALUE);
    EXPECT(cudaGetLastError(), INVALID_VALUE);
    EXPECT(cudaGetLastError(), 0); /* the host function's error does not become this thread's */
    EXPECT(cudaStreamDestroy(stream), 0);
    EXPECT(cudaStreamDestroy(other), 0);
}

static void cooperative(void) {
    unsigned *words, zero[2] = {0, 0}, got[2];
    int rounds = 5, sms, per_sm;
    size_t offset, bytes;
    void *kernel, *bad;
    struct dim3 block = {64, 1, 1}, grid = {0, 1, 1};
    EXPECT(cudaMalloc((void **)&words, sizeof zero), 0);
    bad = words + 1;
    EXPECT(cudaDeviceGetAttribute(&sms, 16, 0), 0);
    EXPECT(cudaDeviceGetAttribute(&per_sm, 95, 0), 0);
    CHECK(per_sm == 1); /* cooperative launches are supported */
    EXPECT(cudaDeviceGetAttribute(&per_sm, 96, 0), 0);
    CHECK(per_sm == 0); /* on several devices they are not supported */
    EXPECT(cudaDeviceGetAttribute(&per_sm, 102, 0), 0);
    CHECK(per_sm == 1); /* virtual memory management is supported */
    grid.x = 2 * (unsigned)sms;
    void *arguments[] = {&words, &bad, &rounds};
    EXPECT(cudaMemcpy(words, zero, sizeof zero, TO_DEVICE), 0);
    EXPECT(cudaLaunchCooperativeKernel(&meet, grid, block, arguments, 0, NULL), 0);
    EXPECT(cudaMemcpy(got, words, sizeof got, TO_HOST), 0);
    CHECK(got[0] == 5 * grid.x && got[1] == 0);
    EXPECT(cudaMemcpy(words, zero, sizeof zero, TO_DEVICE), 0);
    struct launch_attribute attribute[2] = {{.id = 2, .value.number = 1}, {.id = 0}};
    struct launch_config config = {grid, block, 0, NULL, attribute, 2};
    EXPECT(cudaLaunchKernelExC(&config, &meet, arguments), 0);
    EXPECT(cudaMemcpy(got, words, sizeof got, TO_HOST), 0);
    CHECK(got[0] == 5 * grid.x && got[1] == 0);
    grid.x = 64u * (unsigned)sms;
    EXPECT(cudaLaunchCooperativeKernel(&meet, grid, block, arguments, 0, NULL), TOO_LARGE);
    attribute[1].id = 7; /* an event in the middle of the kernel */
    EXPECT(cudaLaunchKernelExC(&config, &meet, arguments), NOT_SUPPORTED);
    attribute[1].id = 6; /* it may begin early, but need not */
    config.grid.x = 2;
    EXPECT(cudaMemcpy(words, zero, sizeof zero, TO_DEVICE), 0);
    EXPECT(cudaLaunchKernelExC(&config, &meet, arguments), 0);
    EXPECT(cudaMemcpy(got, words, sizeof got, TO_HOST), 0);
    CHECK(got[0] == 5 * 2 && got[1] == 0);
    EXPECT(cudaLaunchKernelExC(NULL, &meet, arguments), INVALID_VALUE);
    EXPECT(cudaFuncGetParamInfo(&meet, 2, &offset, &bytes), 0);
    CHECK(offset == 16 && bytes == 4);
    EXPECT(cudaFuncGetParamInfo(&meet, 3, &offset, &bytes), INVALID_VALUE);
    EXPECT(cudaGetFuncBySymbol(&kernel, &meet), 0);
    grid.x = 1;
    EXPECT(cudaLaunchKernel(kernel, grid, block, arguments, 0, NULL), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(cudaFree(words), 0);
}

int main(int argc, char **argv) {
    (void)argc;
    void **module = open_module(&image, argv[1]);
    add_kernel(module, &meet, "meet");
    __cudaRegisterFatBinaryEnd(module);
    host_functions();
    cooperative();
    printf("api_launch: ok\n");
    return 0;
}
