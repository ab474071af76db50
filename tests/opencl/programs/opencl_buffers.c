/* opencl_buffers.c - buffers: sub-buffers, mapping, filling, copies of boxes, host pointers. */
#include <stdint.h>

#include "check.h"

enum { N = 1024 };

static void test_fill(void) {
    static uint8_t got[N];
    cl_mem m = buffer(0, N, NULL);
    const uint8_t pattern[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    for (size_t bytes = 1; bytes <= 16; bytes *= 2) {
        const uint8_t zero = 0;
        OK(clEnqueueFillBuffer(queue, m, &zero, 1, 0, N, 0, NULL, NULL));
        OK(clEnqueueFillBuffer(queue, m, pattern, bytes, 32, 64, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, N, got, 0, NULL, NULL));
        for (size_t i = 0; i < N; i++)
            CHECK(got[i] == (i < 32 || i >= 96 ? 0 : pattern[(i - 32) % bytes]));
    }
    CHECK_IS(clEnqueueFillBuffer(queue, m, pattern, 3, 0, 12, 0, NULL, NULL), CL_INVALID_VALUE);
    OK(clReleaseMemObject(m));
}

static void test_sub_buffers(void) {
    static int all[N], part[N / 2];
    cl_int error;
    for (int i = 0; i < N; i++) all[i] = i;
    cl_mem m = buffer(CL_MEM_COPY_HOST_PTR, sizeof all, all);
    cl_buffer_region region = {sizeof part, sizeof part}, wrong = {4, 4};
    cl_mem sub = clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &region, &error);
    OK(error);
    CHECK(!clCreateSubBuffer(m, 0, CL_BUFFER_CREATE_TYPE_REGION, &wrong, &error));
    CHECK(error == CL_MISALIGNED_SUB_BUFFER_OFFSET);
    OK(clReleaseMemObject(m)); /* the sub-buffer keeps it */
    int minus = -1;
    OK(clEnqueueWriteBuffer(queue, sub, CL_TRUE, 8, sizeof minus, &minus, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, sub, CL_TRUE, 0, sizeof part, part, 0, NULL, NULL));
    for (int i = 0; i < N / 2; i++) CHECK(part[i] == (i == 2 ? -1 : N / 2 + i));
    size_t offset;
    OK(clGetMemObjectInfo(sub, CL_MEM_OFFSET, sizeof offset, &offset, NULL));
    CHECK(offset == sizeof part);
    OK(clReleaseMemObject(sub));
}

/* The flags of the host's access hold for each way of it. */
static void test_host_access(void) {
    static int host[N];
    const size_t origin[3] = {0, 0, 0}, box[3] = {16, 2, 1};
    cl_int error;
    cl_mem only_read = buffer(CL_MEM_HOST_READ_ONLY, sizeof host, NULL),
           only_write = buffer(CL_MEM_HOST_WRITE_ONLY, sizeof host, NULL);
    CHECK_IS(clEnqueueWriteBufferRect(queue, only_read, CL_TRUE, origin, origin, box, 0, 0, 0, 0,
                                      host, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    CHECK_IS(clEnqueueReadBufferRect(queue, only_write, CL_TRUE, origin, origin, box, 0, 0, 0, 0,
                                     host, 0, NULL, NULL),
             CL_INVALID_OPERATION);
    OK(clEnqueueReadBufferRect(queue, only_read, CL_TRUE, origin, origin, box, 0, 0, 0, 0, host, 0,
                               NULL, NULL));
    CHECK(
        !clEnqueueMapBuffer(queue, only_read, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL, NULL, &error));
    CHECK(error == CL_INVALID_OPERATION);
    CHECK(
        !clEnqueueMapBuffer(queue, only_write, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL, NULL, &error));
    CHECK(error == CL_INVALID_OPERATION);
    OK(clReleaseMemObject(only_read));
    OK(clReleaseMemObject(only_write));
}

static void test_mapping(void) {
    static int host[N], got[N];
    cl_int error;
    cl_uint count;
    for (int i = 0; i < N; i++) host[i] = i;
    for (int use = 0; use < 2; use++) {
        cl_mem m = buffer(use ? CL_MEM_USE_HOST_PTR : CL_MEM_ALLOC_HOST_PTR, sizeof host,
                          use ? host : NULL);
        int *p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0,
                                    sizeof host, 0, NULL, NULL, &error);
        OK(error);
        CHECK(!use || p == host);
        for (int i = 0; i < N; i++) p[i] = 2 * i;
        OK(clGetMemObjectInfo(m, CL_MEM_MAP_COUNT, sizeof count, &count, NULL));
        CHECK(count == 1);
        OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
        OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof got, got, 0, NULL, NULL));
        for (int i = 0; i < N; i++) CHECK(got[i] == 2 * i);
        int one = 1;
        OK(clEnqueueFillBuffer(queue, m, &one, sizeof one, 0, sizeof host, 0, NULL, NULL));
        p = clEnqueueMapBuffer(queue, m, CL_TRUE, CL_MAP_READ, 400, 40, 0, NULL, NULL, &error);
        OK(error);
        for (int i = 0; i < 10; i++) CHECK(p[i] == 1);
        OK(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL));
        CHECK_IS(clEnqueueUnmapMemObject(queue, m, p, 0, NULL, NULL), CL_INVALID_VALUE);
        OK(clFinish(queue));
        OK(clReleaseMemObject(m));
    }
}

/* A box of 3 x 4 x 2 bytes goes from a host's volume of 8 x 8 x 4 to the device, there to another
 * place, and back. */
static void test_boxes(void) {
    static uint8_t from[256], got[256];
    for (int i = 0; i < 256; i++) from[i] = (uint8_t)i;
    const size_t a[3] = {1, 2, 1}, b[3] = {4, 3, 2}, zero[3] = {0, 0, 0}, region[3] = {3, 4, 2};
    cl_mem m = buffer(0, 256, NULL), n = buffer(0, 256, NULL);
    const uint8_t clear = 0;
    OK(clEnqueueFillBuffer(queue, m, &clear, 1, 0, 256, 0, NULL, NULL));
    OK(clEnqueueFillBuffer(queue, n, &clear, 1, 0, 256, 0, NULL, NULL));
    OK(clEnqueueWriteBufferRect(queue, m, CL_FALSE, b, a, region, 8, 64, 8, 64, from, 0, NULL,
                                NULL));
    OK(clEnqueueCopyBufferRect(queue, m, n, b, zero, region, 8, 64, 0, 0, 0, NULL, NULL));
    OK(clEnqueueReadBufferRect(queue, n, CL_TRUE, zero, zero, region, 0, 0, 0, 0, got, 0, NULL,
                               NULL));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 4; y++)
            for (size_t x = 0; x < 3; x++)
                CHECK(got[(z * 4 + y) * 3 + x] == from[(z + 1) * 64 + (y + 2) * 8 + x + 1]);
    CHECK_IS(clEnqueueCopyBuffer(queue, m, m, 0, 8, 16, 0, NULL, NULL), CL_MEM_COPY_OVERLAP);
    OK(clEnqueueCopyBuffer(queue, m, n, 0, 0, 256, 0, NULL, NULL));
    CHECK_IS(clEnqueueReadBuffer(queue, n, CL_TRUE, 1, 256, got, 0, NULL, NULL), CL_INVALID_VALUE);
}

/* A box of more bytes than a message to the simulator carries, with gaps between its rows and its
 * layers: messages begin and end in the middle of layers. */
static void test_large_boxes(void) {
    enum { W = 1021, H = 700, D = 4, ROW = 1100, SLICE = ROW * (H + 5), BYTES = SLICE * D };
    const size_t origin[3] = {3, 2, 0}, zero[3] = {0, 0, 0}, box[3] = {W, H, D};
    unsigned char *in = malloc(BYTES), *out = malloc(BYTES), *all = malloc(BYTES);
    CHECK(in && out && all);
    for (int i = 0; i < BYTES; i++) in[i] = (unsigned char)(i * 2654435761U >> 24);
    memset(out, 7, BYTES);
    cl_mem m = buffer(0, BYTES, NULL);
    const unsigned char five = 5;
    OK(clEnqueueFillBuffer(queue, m, &five, 1, 0, BYTES, 0, NULL, NULL));
    OK(clEnqueueWriteBufferRect(queue, m, CL_TRUE, zero, origin, box, W, 0, ROW, SLICE, in, 0, NULL,
                                NULL));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, BYTES, all, 0, NULL, NULL));
    OK(clEnqueueReadBufferRect(queue, m, CL_TRUE, zero, origin, box, W, 0, ROW, SLICE, out, 0, NULL,
                               NULL));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            CHECK(memcmp(all + (z * H + y) * W, in + z * SLICE + (y + 2) * ROW + 3, W) == 0);
    CHECK(all[W * H * D] == 5 && all[BYTES - 1] == 5);
    for (int i = 0; i < BYTES; i++) {
        const int x = i % ROW - 3, y = i % SLICE / ROW - 2;
        CHECK(out[i] == (x >= 0 && x < W && y >= 0 && y < H ? in[i] : 7));
    }
    free(in);
    free(out);
    free(all);
    OK(clReleaseMemObject(m));
}

static int destroyed;

static void CL_CALLBACK note(cl_mem m, void *user) {
    (void)m;
    destroyed = 10 * destroyed + *(int *)user;
}

int main(void) {
    cl_int error;
    int one = 1, two = 2;
    start(0);
    test_fill();
    test_sub_buffers();
    test_host_access();
    test_mapping();
    test_boxes();
    test_large_boxes();
    CHECK(!clCreateBuffer(context, 0, 0, NULL, &error) && error == CL_INVALID_BUFFER_SIZE);
    CHECK(!clCreateBuffer(context, CL_MEM_USE_HOST_PTR, 4, NULL, &error));
    CHECK(error == CL_INVALID_HOST_PTR);
    cl_mem m = buffer(0, 4, NULL);
    OK(clSetMemObjectDestructorCallback(m, note, &one));
    OK(clSetMemObjectDestructorCallback(m, note, &two));
    OK(clReleaseMemObject(m));
    CHECK(destroyed == 21);
    stop();
    printf("opencl_buffers: ok\n");
    return 0;
}
