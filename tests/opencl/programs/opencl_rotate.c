/* opencl_rotate.c - rotations by amounts of which only the low bits count: rotate() and what a
 * compiler takes for a rotation. */
#include <stdint.h>

#include "check.h"

enum { N = 256 };

static const char source[] =
    "__kernel void turn(__global const ulong *a, __global const ulong *n, __global ulong *left,\n"
    "                   __global ulong *right, __global ulong2 *pair, __global long *number,\n"
    "                   __global uint *half_left) {\n"
    "  int i = get_global_id(0);\n"
    "  ulong x = a[i], s = n[i];\n"
    "  left[i] = rotate(x, s);\n"
    "  right[i] = x >> (s & 63) | x << (-s & 63);\n"
    "  pair[i] = rotate((ulong2)(x, ~x), (ulong2)(s, s + 1));\n"
    "  number[i] = rotate((long)x, (long)s);\n"
    "  half_left[i] = rotate((uint)x, (uint)s);\n"
    "}\n";

static uint64_t turned(uint64_t x, uint64_t n) {
    return n & 63 ? x << (n & 63) | x >> (64 - (n & 63)) : x;
}

int main(void) {
    static cl_ulong a[N], n[N], left[N], right[N], pair[2 * N], number[N];
    static cl_uint half_left[N];
    start(0);
    cl_kernel turn = kernel_of(build(source, ""), "turn");
    uint64_t random = 12345;
    for (int i = 0; i < 2 * N; i++) {
        random = random * 6364136223846793005 + 1442695040888963407;
        if (i % 2)
            a[i / 2] = random ^ random >> 29;
        else
            n[i / 2] = i < 160 ? (cl_ulong)i / 2 : random ^ random >> 31; /* 0..79, and any */
    }
    void *const to[] = {a, n, left, right, pair, number, half_left};
    const size_t bytes[] = {sizeof a,    sizeof n,      sizeof left,     sizeof right,
                            sizeof pair, sizeof number, sizeof half_left};
    cl_mem m[7];
    for (cl_uint i = 0; i < 7; i++) {
        m[i] = buffer(CL_MEM_COPY_HOST_PTR, bytes[i], to[i]);
        OK(clSetKernelArg(turn, i, sizeof m[i], &m[i]));
    }
    const size_t global = N;
    OK(clEnqueueNDRangeKernel(queue, turn, 1, NULL, &global, NULL, 0, NULL, NULL));
    for (int i = 2; i < 7; i++)
        OK(clEnqueueReadBuffer(queue, m[i], CL_TRUE, 0, bytes[i], to[i], 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        const uint64_t want = turned(a[i], n[i]);
        const uint32_t low = (uint32_t)a[i], by = n[i] & 31;
        CHECK(left[i] == want && number[i] == want && pair[2 * i] == want);
        CHECK(right[i] == turned(a[i], -n[i]) && pair[2 * i + 1] == turned(~a[i], n[i] + 1));
        CHECK(half_left[i] == (by ? low << by | low >> (32 - by) : low));
    }
    for (int i = 0; i < 7; i++) OK(clReleaseMemObject(m[i]));
    stop();
    printf("opencl_rotate: ok\n");
    return 0;
}
