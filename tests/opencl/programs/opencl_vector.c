/* opencl_vector.c - vector addition, with arguments of several types, an offset, and printf. */
#include "check.h"

enum { N = 1000 };

static const char source[] =
    "typedef struct { int bias; float4 scale; } extra;\n"
    "__constant int table[4] = {1, 2, 3, 4};\n"
    "__attribute__((noinline)) inline float sum(float a, float b) { return a + b; }\n"
    "__kernel void add(__global const float *a, __global const float *b, __global float *c) {\n"
    "  size_t i = get_global_id(0);\n"
    "  c[i] = sum(a[i], b[i]);\n"
    "}\n"
    "__kernel void mixed(__global float *c, char q, extra e, float3 v, uint n, ulong z) {\n"
    "  size_t i = get_global_id(0);\n"
    "  if (i < n) c[i] += q + e.bias + e.scale.w + v.z + (float)z + table[i & 3]\n"
    "      + 1000 * get_work_dim() + 10000 * get_global_offset(0);\n"
    "}\n"
    "__kernel void say(int i, float f, __constant int *c) {\n"
    "  if (get_global_id(0) != 1) return;\n"
    "  printf(\"said %d %.2f %s %d\\n\", i, f, \"text\", c[2]);\n"
    "  printf(\"vectors %d %.1v4hlf|%v2hhd|%3v2hlx|%v2ld %% %s\\n\", i, (float4)(f, 2, 3, 4),\n"
    "         (char2)(-1, 2), (uint2)(17, 18), (long2)(-5, 6), \"end\");\n"
    "  printf(\"lengths %hx %hhx %hd %hhd %hho %lx nan %f %f\\n\", -32767, -128, 98305, 511, -1, "
    "-1l,\n"
    "         nan(0ul), nan(0u));\n"
    "}\n";

struct extra {
    cl_int bias;
    cl_float4 scale;
};

int main(void) {
    static float a[N], b[N], c[N];
    start(0);
    for (int i = 0; i < N; i++) a[i] = (float)i, b[i] = 2.5f * (float)i;
    cl_program program = build(source, "-cl-std=CL1.2 -DUNUSED=\"a b\"");
    cl_mem da = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof a, a);
    cl_mem db = buffer(CL_MEM_READ_ONLY, sizeof b, NULL);
    cl_mem dc = buffer(CL_MEM_READ_WRITE, sizeof c, NULL);
    OK(clEnqueueWriteBuffer(queue, db, CL_FALSE, 0, sizeof b, b, 0, NULL, NULL));
    cl_kernel add = kernel_of(program, "add");
    cl_mem buffers[] = {da, db, dc};
    for (cl_uint i = 0; i < 3; i++) OK(clSetKernelArg(add, i, sizeof(cl_mem), &buffers[i]));
    size_t global = N;
    OK(clEnqueueNDRangeKernel(queue, add, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int i = 0; i < N; i++) CHECK(c[i] == a[i] + b[i]);

    cl_kernel mixed = kernel_of(program, "mixed");
    cl_char q = -3;
    struct extra e = {7, {{0, 0, 0, 100}}};
    cl_float3 v = {{0, 0, 0.5f}};
    cl_uint n = 20;
    cl_ulong z = 5;
    OK(clSetKernelArg(mixed, 0, sizeof dc, &dc));
    OK(clSetKernelArg(mixed, 1, sizeof q, &q));
    OK(clSetKernelArg(mixed, 2, sizeof e, &e));
    OK(clSetKernelArg(mixed, 3, sizeof v, &v));
    OK(clSetKernelArg(mixed, 4, sizeof n, &n));
    OK(clSetKernelArg(mixed, 5, sizeof z, &z));
    size_t offset[2] = {4, 0}, area[2] = {32, 1}, group[2] = {8, 1};
    OK(clEnqueueNDRangeKernel(queue, mixed, 2, offset, area, group, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, dc, CL_TRUE, 0, sizeof c, c, 0, NULL, NULL));
    for (int i = 0; i < N; i++) {
        float plus = -3 + 7 + 100 + 0.5f + 5 + (float)(i % 4 + 1) + 2000 + 40000;
        CHECK(c[i] == a[i] + b[i] + (i >= 4 && i < 20 ? plus : 0));
    }

    cl_kernel say = kernel_of(program, "say");
    cl_int number = 42, constants[4] = {1, 2, 33, 4};
    cl_float f = 1.5f;
    cl_mem dk = buffer(CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof constants, constants);
    OK(clSetKernelArg(say, 0, sizeof number, &number));
    OK(clSetKernelArg(say, 1, sizeof f, &f));
    OK(clSetKernelArg(say, 2, sizeof dk, &dk));
    global = 2;
    OK(clEnqueueNDRangeKernel(queue, say, 1, NULL, &global, NULL, 0, NULL, NULL));
    OK(clFinish(queue));

    char type[32];
    cl_kernel_arg_address_qualifier space;
    OK(clGetKernelArgInfo(mixed, 3, CL_KERNEL_ARG_TYPE_NAME, sizeof type, type, NULL));
    CHECK(strcmp(type, "float3") == 0);
    OK(clGetKernelArgInfo(say, 2, CL_KERNEL_ARG_ADDRESS_QUALIFIER, sizeof space, &space, NULL));
    CHECK(space == CL_KERNEL_ARG_ADDRESS_CONSTANT);
    stop();
    printf("opencl_vector: ok\n");
    return 0;
}
