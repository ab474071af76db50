/* opencl_local.c - local memory and barriers: a reduction with a __local argument, a tiled matrix
 * product with local arrays, a histogram with local and global atomics. */
#include "check.h"

enum { N = 4096, GROUP = 128, DIM = 48, TILE = 16, BINS = 32 };

static const char source[] =
    "__kernel void reduce(__global const int *in, __local int *part, __global int *out,\n"
    "                     __local char *more) {\n"
    "  int l = get_local_id(0), n = get_local_size(0);\n"
    "  part[l] = in[get_global_id(0)];\n"
    "  more[l] = 1;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int s = n / 2; s > 0; s >>= 1) {\n"
    "    if (l < s) { part[l] += part[l + s]; more[l] += more[l + s]; }\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  if (l == 0) out[get_group_id(0)] = part[0] + (uchar)more[0];\n"
    "}\n"
    "#define TILE 16\n"
    "__attribute__((reqd_work_group_size(TILE, TILE, 1)))\n"
    "__kernel void multiply(__global const float *a, __global const float *b,\n"
    "                       __global float *c, int n) {\n"
    "  __local float ta[TILE][TILE], tb[TILE][TILE];\n"
    "  int x = get_global_id(0), y = get_global_id(1);\n"
    "  int lx = get_local_id(0), ly = get_local_id(1);\n"
    "  float sum = 0;\n"
    "  for (int t = 0; t < n; t += TILE) {\n"
    "    ta[ly][lx] = a[y * n + t + lx];\n"
    "    tb[ly][lx] = b[(t + ly) * n + x];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    for (int k = 0; k < TILE; k++) sum += ta[ly][k] * tb[k][lx];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  }\n"
    "  c[y * n + x] = sum;\n"
    "}\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n"
    "__kernel void wide(volatile __global ulong *out, volatile __global long *limits) {\n"
    "  volatile __local ulong mine;\n"
    "  if (get_local_id(0) == 0) mine = 1ul << 40;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  atom_add(&mine, (ulong)get_local_id(0) << 32);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (get_local_id(0) == 0) atom_add(out, mine);\n"
    "  atom_inc(out);\n"
    "  atom_min(&limits[0], -(long)get_global_id(0));\n"
    "  atom_max(&limits[1], (long)get_global_id(0) << 33);\n"
    "}\n"
    "__kernel void carry(__global const int *in, __global int *out, int n) {\n"
    "  __local int last;\n"
    "  int l = get_local_id(0), size = get_local_size(0), before;\n"
    "  last = 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (int i = l; i < n; i += size) {\n"
    "    before = last;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    if (l == size - 1) last = in[i];\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    out[i] = in[i] + before;\n"
    "  }\n"
    "}\n"
    "__kernel void copies(__global const float3 *in, __global float3 *out, __global int *every) {\n"
    "  __local float3 part[64]; __local int few[16];\n"
    "  size_t first = get_group_id(0) * 64;\n"
    "  prefetch(in + first, 64);\n"
    "  event_t e = async_work_group_copy(part, in + first, 64, 0);\n"
    "  e = async_work_group_strided_copy(few, (__global const int *)(in + first), 16, 4, e);\n"
    "  wait_group_events(1, &e);\n"
    "  part[get_local_id(0)] += (float3)(few[get_local_id(0) % 16] != 0);\n"
    "  e = async_work_group_copy(out + first, part, 64, 0);\n"
    "  wait_group_events(1, &e);\n"
    "  e = async_work_group_strided_copy(every + 32 * get_group_id(0), few, 16, 2, 0);\n"
    "  wait_group_events(1, &e);\n"
    "}\n"
    "__kernel void histogram(__global const uint *in, volatile __global int *bins, uint n) {\n"
    "  __local int mine[32];\n"
    "  if (get_local_id(0) < 32) mine[get_local_id(0)] = 0;\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  for (uint i = get_global_id(0); i < n; i += get_global_size(0))\n"
    "    atomic_inc(&mine[in[i] % 32]);\n"
    "  barrier(CLK_LOCAL_MEM_FENCE);\n"
    "  if (get_local_id(0) < 32) atomic_add(&bins[get_local_id(0)], mine[get_local_id(0)]);\n"
    "}\n";

static void test_reduce(cl_program program) {
    static cl_int in[N], out[N / GROUP];
    cl_int sum = 0, got = 0;
    for (int i = 0; i < N; i++) in[i] = i % 37, sum += in[i];
    cl_mem di = buffer(CL_MEM_COPY_HOST_PTR, sizeof in, in), dout = buffer(0, sizeof out, NULL);
    cl_kernel reduce = kernel_of(program, "reduce");
    OK(clSetKernelArg(reduce, 0, sizeof di, &di));
    OK(clSetKernelArg(reduce, 1, GROUP * sizeof(cl_int), NULL));
    OK(clSetKernelArg(reduce, 2, sizeof dout, &dout));
    size_t global = N, local = GROUP;
    CHECK_IS(clEnqueueNDRangeKernel(queue, reduce, 1, NULL, &global, &local, 0, NULL, NULL),
             CL_INVALID_KERNEL_ARGS);
    OK(clSetKernelArg(reduce, 3, GROUP, NULL));
    cl_ulong bytes;
    OK(clGetKernelWorkGroupInfo(reduce, device, CL_KERNEL_LOCAL_MEM_SIZE, sizeof bytes, &bytes,
                                NULL));
    CHECK(bytes == GROUP * sizeof(cl_int) + GROUP);
    OK(clEnqueueNDRangeKernel(queue, reduce, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, dout, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N / GROUP; i++) got += out[i] - GROUP;
    CHECK(got == sum);
    /* more local memory than a CTA may have */
    OK(clSetKernelArg(reduce, 1, 1 << 20, NULL));
    CHECK_IS(clEnqueueNDRangeKernel(queue, reduce, 1, NULL, &global, &local, 0, NULL, NULL),
             CL_OUT_OF_RESOURCES);
    /* sizes that do not divide */
    OK(clSetKernelArg(reduce, 1, GROUP * sizeof(cl_int), NULL));
    global = N - 1;
    CHECK_IS(clEnqueueNDRangeKernel(queue, reduce, 1, NULL, &global, &local, 0, NULL, NULL),
             CL_INVALID_WORK_GROUP_SIZE);
}

static void test_multiply(cl_program program) {
    static float a[DIM * DIM], b[DIM * DIM], c[DIM * DIM];
    for (int i = 0; i < DIM * DIM; i++) a[i] = (float)(i % 7), b[i] = (float)(i % 5);
    cl_mem da = buffer(CL_MEM_COPY_HOST_PTR, sizeof a, a);
    cl_mem db = buffer(CL_MEM_COPY_HOST_PTR, sizeof b, b);
    cl_mem dc = buffer(CL_MEM_WRITE_ONLY, sizeof c, NULL);
    cl_int n = DIM;
    cl_kernel multiply = kernel_of(program, "multiply");
    OK(clSetKernelArg(multiply, 0, sizeof da, &da));
    OK(clSetKernelArg(multiply, 1, sizeof db, &db));
    OK(clSetKernelArg(multiply, 2, sizeof dc, &dc));
    OK(clSetKernelArg(multiply, 3, sizeof n, &n));
    size_t global[2] = {DIM, DIM}, wrong[2] = {8, 8}, size[3];
    OK(clGetKernelWorkGroupInfo(multiply, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof size,
                                size, NULL));
    CHECK(size[0] == TILE && size[1] == TILE && size[2] == 1);
    CHECK_IS(clEnqueueNDRangeKernel(queue, multiply, 2, NULL, global, wrong, 0, NULL, NULL),
             CL_INVALID_WORK_GROUP_SIZE);
    OK(clEnqueueNDRangeKernel(queue, multiply, 2, NULL, global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int y = 0; y < DIM; y++)
        for (int x = 0; x < DIM; x++) {
            float sum = 0;
            for (int k = 0; k < DIM; k++) sum += a[y * DIM + k] * b[k * DIM + x];
            CHECK(c[y * DIM + x] == sum);
        }
}

/* A __local variable that one work-item writes between barriers, and all read in the next round. */
static void test_carry(cl_program program) {
    static cl_int in[N], out[N];
    cl_int n = N;
    for (int i = 0; i < N; i++) in[i] = i * 3 + 1;
    cl_mem di = buffer(CL_MEM_COPY_HOST_PTR, sizeof in, in), dout = buffer(0, sizeof out, NULL);
    cl_kernel carry = kernel_of(program, "carry");
    OK(clSetKernelArg(carry, 0, sizeof di, &di));
    OK(clSetKernelArg(carry, 1, sizeof dout, &dout));
    OK(clSetKernelArg(carry, 2, sizeof n, &n));
    size_t group = GROUP;
    OK(clEnqueueNDRangeKernel(queue, carry, 1, NULL, &group, &group, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, dout, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    for (int i = 0; i < N; i++)
        CHECK(out[i] == in[i] + (i < GROUP ? 0 : in[i / GROUP * GROUP - 1]));
}

/* The copies of a work-group, also of vectors of three. */
static void test_copies(cl_program program) {
    enum { GROUPS = 4, ITEMS = 64 * GROUPS };
    static float in[ITEMS][4], out[ITEMS][4];
    static cl_int every[32 * GROUPS];
    for (int i = 0; i < ITEMS; i++)
        for (int c = 0; c < 4; c++) in[i][c] = (float)(i * 4 + c);
    cl_mem di = buffer(CL_MEM_COPY_HOST_PTR, sizeof in, in), dout = buffer(0, sizeof out, NULL),
           de = buffer(CL_MEM_COPY_HOST_PTR, sizeof every, every);
    cl_kernel copies = kernel_of(program, "copies");
    OK(clSetKernelArg(copies, 0, sizeof di, &di));
    OK(clSetKernelArg(copies, 1, sizeof dout, &dout));
    OK(clSetKernelArg(copies, 2, sizeof de, &de));
    size_t global = ITEMS, local = 64;
    OK(clEnqueueNDRangeKernel(queue, copies, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, dout, CL_TRUE, 0, sizeof out, out, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, de, CL_TRUE, 0, sizeof every, every, 0, NULL, NULL));
    for (int i = 0; i < ITEMS; i++) {
        int first = i / 64 * 64 + i % 16; /* every fourth int is the first of a vector */
        float add = in[first][0] != 0 ? 1 : 0;
        for (int c = 0; c < 3; c++) CHECK(out[i][c] == in[i][c] + add);
    }
    for (int g = 0; g < GROUPS; g++)
        for (int k = 0; k < 32; k++) {
            cl_int want = 0;
            if (k % 2 == 0) memcpy(&want, &in[64 * g + k / 2][0], sizeof want);
            CHECK(every[32 * g + k] == want);
        }
}

static void test_histogram(cl_program program) {
    static cl_uint in[N];
    cl_int bins[BINS] = {0}, wanted[BINS] = {0};
    for (cl_uint i = 0; i < N; i++) in[i] = i * i, wanted[in[i] % BINS]++;
    cl_mem di = buffer(CL_MEM_COPY_HOST_PTR, sizeof in, in), db = buffer(0, sizeof bins, NULL);
    cl_int zero = 0;
    cl_uint n = N;
    OK(clEnqueueFillBuffer(queue, db, &zero, sizeof zero, 0, sizeof bins, 0, NULL, NULL));
    cl_kernel histogram = kernel_of(program, "histogram");
    OK(clSetKernelArg(histogram, 0, sizeof di, &di));
    OK(clSetKernelArg(histogram, 1, sizeof db, &db));
    OK(clSetKernelArg(histogram, 2, sizeof n, &n));
    size_t global = 512, local = 64;
    OK(clEnqueueNDRangeKernel(queue, histogram, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, db, CL_TRUE, 0, sizeof bins, bins, 0, NULL, NULL));
    CHECK(memcmp(bins, wanted, sizeof bins) == 0);
}

static void test_wide(cl_program program) {
    cl_ulong sum = 0;
    cl_long limits[2] = {0, 0};
    cl_mem ds = buffer(CL_MEM_COPY_HOST_PTR, sizeof sum, &sum);
    cl_mem dl = buffer(CL_MEM_COPY_HOST_PTR, sizeof limits, limits);
    cl_kernel wide = kernel_of(program, "wide");
    OK(clSetKernelArg(wide, 0, sizeof ds, &ds));
    OK(clSetKernelArg(wide, 1, sizeof dl, &dl));
    size_t global = 256, local = 64;
    OK(clEnqueueNDRangeKernel(queue, wide, 1, NULL, &global, &local, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, ds, CL_TRUE, 0, sizeof sum, &sum, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, dl, CL_TRUE, 0, sizeof limits, limits, 0, NULL, NULL));
    CHECK(sum == 4 * ((1ull << 40) + (2016ull << 32)) + 256);
    CHECK(limits[0] == -255 && limits[1] == (cl_long)255 << 33);
}

int main(void) {
    start(0);
    cl_program program = build(source, NULL);
    test_reduce(program);
    test_multiply(program);
    test_carry(program);
    test_copies(program);
    test_histogram(program);
    test_wide(program);
    stop();
    printf("opencl_local: ok\n");
    return 0;
}
