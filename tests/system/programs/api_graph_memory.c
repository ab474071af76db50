/* api_graph_memory.c - memory that graphs allocate: its lifetime, who frees it, and the device's
 * counts of it. Arguments: the PTX file with kernel `scale`, and "stray" to touch such memory while
 * it is not allocated. A failed check ends the program with status 1. */
#include <string.h>

#include "graph_calls.h"

int cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value);
int cudaDeviceSetGraphMemAttribute(int device, int attribute, void *value);
int cudaDeviceGraphMemTrim(int device);
int cudaMemGetInfo(size_t *available, size_t *total);

enum { BYTES = 1 << 20, USED = 0, USED_HIGH = 1, RESERVED = 2, AUTO_FREE = 1, LEFT_OVER = 7 };

static struct device_image image;
static char scale;
static int counter, factor[4];

static unsigned long long given(int attribute) {
    unsigned long long bytes = 99;
    EXPECT(cudaDeviceGetGraphMemAttribute(0, attribute, &bytes), 0);
    return bytes;
}

/* Makes and instantiates a graph that allocates memory, fills it with sevens, and frees it if
 * `frees` is set. */
static void *filler(void **memory, int frees, unsigned long long flags) {
    void *graph, *alloc, *set, *release, *exec;
    struct alloc_params a = {.type = 1, .at = {LOCATION_DEVICE, 0}, .bytes = BYTES};
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    EXPECT(cudaGraphAddMemAllocNode(&alloc, graph, NULL, 0, &a), 0);
    struct fill_params f = {a.address, 0, LEFT_OVER, 1, BYTES, 1};
    EXPECT(cudaGraphAddMemsetNode(&set, graph, &alloc, 1, &f), 0);
    if (frees) EXPECT(cudaGraphAddMemFreeNode(&release, graph, &set, 1, a.address), 0);
    EXPECT(cudaGraphInstantiate(&exec, graph, flags), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    *memory = a.address;
    return exec;
}

static void check_filled(void *memory) {
    static unsigned char host[BYTES];
    memset(host, 0, BYTES);
    EXPECT(cudaMemcpy(host, memory, BYTES, TO_HOST), 0);
    CHECK(host[0] == LEFT_OVER && host[BYTES - 1] == LEFT_OVER);
}

/* Memory freed outside of the graph, in each possible way; each launch allocates it again. */
static void freed_outside(void) {
    void *memory, *stream, *graph, *node, *release;
    void *exec = filler(&memory, 0, 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaFree(memory), INVALID_VALUE); /* not allocated yet */
    EXPECT(cudaFreeAsync(memory, stream), INVALID_VALUE);
    CHECK(given(USED) == 0);
    EXPECT(cudaGraphLaunch(exec, stream), 0);
    EXPECT(cudaGraphLaunch(exec, stream), INVALID_VALUE); /* not freed */
    EXPECT(cudaStreamSynchronize(stream), 0);
    check_filled(memory);
    EXPECT(cudaFree(memory), 0);
    EXPECT(cudaFree(memory), INVALID_VALUE);
    for (int i = 0; i < 3; i++) { /* without waiting between launches */
        EXPECT(cudaGraphLaunch(exec, stream), 0);
        EXPECT(cudaFreeAsync(memory, stream), 0);
        EXPECT(cudaFreeAsync(memory, stream), INVALID_VALUE);
    }
    EXPECT(cudaGraphCreate(&graph, 0), 0);
    EXPECT(cudaGraphAddMemFreeNode(&node, graph, NULL, 0, memory), 0);
    EXPECT(cudaGraphInstantiate(&release, graph, 0), 0);
    EXPECT(cudaGraphLaunch(release, stream), INVALID_VALUE);
    EXPECT(cudaGraphLaunch(exec, stream), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    check_filled(memory);
    EXPECT(cudaGraphLaunch(release, stream), 0);
    EXPECT(cudaGraphLaunch(exec, stream), 0);
    EXPECT(cudaGraphExecDestroy(exec), 0); /* its memory exists until freed */
    EXPECT(cudaStreamSynchronize(stream), 0);
    check_filled(memory);
    EXPECT(cudaFree(memory), 0);
    EXPECT(cudaFree(memory), INVALID_VALUE);
    EXPECT(cudaGraphExecDestroy(release), 0);
    EXPECT(cudaGraphDestroy(graph), 0);
    EXPECT(cudaStreamDestroy(stream), 0);
}

static void freed_by_launch(void) {
    void *memory, *exec = filler(&memory, 0, AUTO_FREE);
    for (int i = 0; i < 3; i++) EXPECT(cudaGraphLaunch(exec, NULL), 0);
    check_filled(memory);
    EXPECT(cudaFree(memory), 0);
    EXPECT(cudaGraphExecDestroy(exec), 0);
}

/* Memory that is kept for the next launch counts as the graphs' until it is trimmed. */
static void counts(void) {
    unsigned long long zero = 0;
    void *memory, *exec = filler(&memory, 1, 0);
    EXPECT(cudaDeviceGraphMemTrim(0), 0);
    EXPECT(cudaDeviceSetGraphMemAttribute(0, USED_HIGH, &zero), 0);
    CHECK(given(USED) == 0 && given(USED_HIGH) == 0);
    for (int i = 0; i < 2; i++) EXPECT(cudaGraphLaunch(exec, NULL), 0);
    CHECK(given(USED) == BYTES && given(RESERVED) == BYTES && given(USED_HIGH) == BYTES);
    EXPECT(cudaDeviceGraphMemTrim(0), 0);
    CHECK(given(USED) == 0 && given(USED_HIGH) == BYTES);
    EXPECT(cudaDeviceSetGraphMemAttribute(0, USED, &zero), INVALID_VALUE);
    EXPECT(cudaDeviceGetGraphMemAttribute(0, 4, &zero), INVALID_VALUE);
    EXPECT(cudaDeviceGraphMemTrim(9), 101);
    EXPECT(cudaGraphExecDestroy(exec), 0);
}

/* A destroyed graph frees its addresses; so does a capture that allocates. */
static void nothing_stays(void) {
    size_t before, after, total;
    void *memory, *stream, *graph;
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(cudaMemGetInfo(&before, &total), 0);
    for (int i = 0; i < 3; i++) {
        void *exec = filler(&memory, 1, 0);
        EXPECT(cudaGraphLaunch(exec, stream), 0);
        EXPECT(cudaGraphExecDestroy(exec), 0);
        EXPECT(cudaStreamBeginCapture(stream, 0), 0);
        EXPECT(cudaMallocAsync(&memory, BYTES, stream), 0);
        EXPECT(cudaFreeAsync(memory, stream), 0);
        EXPECT(cudaStreamEndCapture(stream, &graph), 0);
        EXPECT(cudaGraphDestroy(graph), 0);
    }
    EXPECT(cudaDeviceSynchronize(), 0);
    EXPECT(cudaMemGetInfo(&after, &total), 0);
    CHECK(after == before);
    EXPECT(cudaStreamDestroy(stream), 0);
}

int main(int argc, char **argv) {
    void **module = open_module(&image, argv[1]);
    add_kernel(module, &scale, "scale");
    add_variable(module, &counter, "counter", sizeof counter, 0);
    add_variable(module, factor, "factor", sizeof factor, 1);
    __cudaRegisterFatBinaryEnd(module);
    if (argc > 2) {
        void *memory, *exec = filler(&memory, 1, 0);
        int n = 8;
        EXPECT(cudaGraphLaunch(exec, NULL), 0);
        EXPECT(cudaLaunchKernel(&scale, (struct dim3){1, 1, 1}, (struct dim3){32, 1, 1},
                                (void *[]){&memory, &n}, 0, NULL),
               0);
        EXPECT(cudaDeviceSynchronize(), 700);
        return 0;
    }
    freed_outside();
    freed_by_launch();
    counts();
    nothing_stays();
    printf("api_graph_memory: ok\n");
    return 0;
}
