/* opencl_builds.c - building: logs of errors, options, binaries, compiling and linking by parts,
 * queries; and what is refused. */
#include "check.h"

static const char broken[] = "__kernel void f(__global int *a) { a[0] = missing; }\n";
static const char undefined[] = "float far(float x);\n"
                                "__kernel void f(__global float *o) { o[0] = far(1); }\n";
static const char option[] = "__kernel void f(__global int *a) { a[0] = VALUE; }\n";

/* A build that fails with `wanted`, and `text` in its log. */
static void fails(const char *source, const char *options, cl_int wanted, const char *text) {
    static char log[65536];
    cl_int error;
    cl_build_status status;
    cl_program p = clCreateProgramWithSource(context, 1, &source, NULL, &error);
    OK(error);
    CHECK_IS(clBuildProgram(p, 0, NULL, options, NULL, NULL), wanted);
    OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    OK(clGetProgramBuildInfo(p, device, CL_PROGRAM_BUILD_STATUS, sizeof status, &status, NULL));
    CHECK(status == CL_BUILD_ERROR);
    if (!strstr(log, text)) printf("the log lacks '%s':\n%s\n", text, log);
    CHECK(strstr(log, text));
    CHECK(!clCreateKernel(p, "f", &error) && error == CL_INVALID_PROGRAM_EXECUTABLE);
    OK(clReleaseProgram(p));
}

/* Runs the kernel f of a program on one work-item. @return what it stores. */
static int result_of(cl_program p) {
    cl_int got = 0;
    cl_mem m = buffer(0, sizeof got, NULL);
    cl_kernel f = kernel_of(p, "f");
    OK(clSetKernelArg(f, 0, sizeof m, &m));
    OK(clEnqueueTask(queue, f, 0, NULL, NULL));
    OK(clEnqueueReadBuffer(queue, m, CL_TRUE, 0, sizeof got, &got, 0, NULL, NULL));
    OK(clReleaseKernel(f));
    OK(clReleaseMemObject(m));
    return got;
}

/* A program made of the binary of p. */
static cl_program from_binary(cl_program p) {
    cl_int error, status;
    size_t size;
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL));
    unsigned char *binary = malloc(size);
    OK(clGetProgramInfo(p, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    const unsigned char *again = binary;
    cl_program q = clCreateProgramWithBinary(context, 1, &device, &size, &again, &status, &error);
    OK(error);
    OK(status);
    free(binary);
    return q;
}

static void test_binary(void) {
    cl_int error, status;
    cl_program p = build(option, "-D VALUE=17 -cl-mad-enable -w");
    CHECK(result_of(p) == 17);
    cl_program q = from_binary(p);
    OK(clBuildProgram(q, 1, &device, "", NULL, NULL));
    CHECK(result_of(q) == 17);
    const unsigned char *wrong = (const unsigned char *)"not PTX";
    const size_t size = 8;
    CHECK(!clCreateProgramWithBinary(context, 1, &device, &size, &wrong, &status, &error));
    CHECK(error == CL_INVALID_BINARY && status == CL_INVALID_BINARY);
    OK(clReleaseProgram(p));
    OK(clReleaseProgram(q));
}

static void test_parts(void) {
    const char *text[] =
        {"#include \"parts/value.h\"\nint value(void) { return VALUE; }\n",
         "int value(void);\n__kernel void f(__global int *a) { a[0] = value(); }\n",
         "#define VALUE 23\n"},
               *name = "parts/value.h";
    cl_program p[3];
    cl_int error;
    for (int i = 0; i < 3; i++) {
        p[i] = clCreateProgramWithSource(context, 1, &text[i], NULL, &error);
        OK(error);
    }
    OK(clCompileProgram(p[0], 1, &device, NULL, 1, &p[2], &name, NULL, NULL));
    OK(clCompileProgram(p[1], 1, &device, NULL, 0, NULL, NULL, NULL, NULL));
    cl_program linked = clLinkProgram(context, 1, &device, NULL, 2, p, NULL, NULL, &error);
    OK(error);
    CHECK(result_of(linked) == 23);
    cl_program alone = clLinkProgram(context, 1, &device, NULL, 1, &p[1], NULL, NULL, &error);
    CHECK(error == CL_LINK_PROGRAM_FAILURE && alone);
    char log[4096];
    OK(clGetProgramBuildInfo(alone, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL));
    CHECK(strstr(log, "function 'value' is not defined"));
}

/* A program made of the binary of p, which is a compiled program or a library. */
static cl_program reload(cl_program p, cl_program_binary_type type) {
    cl_program_binary_type got;
    cl_program q = from_binary(p);
    OK(clGetProgramBuildInfo(q, device, CL_PROGRAM_BINARY_TYPE, sizeof got, &got, NULL));
    CHECK(got == type);
    return q;
}

/* A library, and compiled programs that come back from their binaries. */
static void test_library(void) {
    const char *text[] = {"int five(void) { return 5; }\n", "int two(void) { return 2; }\n",
                          "int five(void);\nint two(void);\n"
                          "__kernel void f(__global int *a) { a[0] = five() * 10 + two(); }\n"};
    cl_program p[3];
    cl_int error;
    for (int i = 0; i < 3; i++) {
        p[i] = clCreateProgramWithSource(context, 1, &text[i], NULL, &error);
        OK(error);
        OK(clCompileProgram(p[i], 1, &device, NULL, 0, NULL, NULL, NULL, NULL));
    }
    cl_program library = clLinkProgram(context, 1, &device, "-create-library", 2, p, NULL, NULL,
                                       &error);
    OK(error);
    cl_program parts[2] = {reload(library, CL_PROGRAM_BINARY_TYPE_LIBRARY),
                           reload(p[2], CL_PROGRAM_BINARY_TYPE_COMPILED_OBJECT)};
    CHECK_IS(clBuildProgram(parts[0], 1, &device, NULL, NULL, NULL), CL_INVALID_BINARY);
    cl_program linked = clLinkProgram(context, 1, &device, NULL, 2, parts, NULL, NULL, &error);
    OK(error);
    CHECK(result_of(linked) == 52);
}

/* A kernel calls another one, which has a __local variable. */
static void test_kernel_calls(void) {
    const char *text =
        "__kernel void part(__global int *a, int x) {\n"
        "  __local int l; l = x; barrier(CLK_LOCAL_MEM_FENCE); a[0] += l; }\n"
        "__kernel void f(__global int *a) {\n"
        "  a[0] = __OPENCL_VERSION__; part(a, 3);"
        "  a[0] += get_global_size(3) - 1 + get_local_size(3) - get_num_groups(9); part(a, 4); }\n";
    cl_program p = build(text, ""), slow = build(text, "-cl-opt-disable");
    CHECK(result_of(p) == 127);
    CHECK(result_of(slow) == 127);
}

static void test_refused(void) {
    cl_int error;
    CHECK(!clCreateProgramWithBuiltInKernels(context, 1, &device, "none", &error));
    CHECK(error == CL_INVALID_OPERATION);
    CHECK_IS(clCreateSubDevices(device, NULL, 0, NULL, NULL), CL_INVALID_OPERATION);
    CHECK_IS(clEnqueueNativeKernel(queue, NULL, NULL, 0, 0, NULL, NULL, 0, NULL, NULL),
             CL_INVALID_OPERATION);
}

int main(void) {
    start(0);
    fails(broken, "", CL_BUILD_PROGRAM_FAILURE,
          "program.cl:1:43: error: use of undeclared identifier 'missing'");
    fails(undefined, "", CL_BUILD_PROGRAM_FAILURE,
          "function 'far' is not defined, or not supported");
    fails(option, "-cl-std=CL2.0", CL_INVALID_BUILD_OPTIONS,
          "build option '-cl-std=CL2.0' is not supported");
    fails(option, "-D", CL_INVALID_BUILD_OPTIONS, "build option '-D' lacks its argument");
    test_binary();
    test_parts();
    test_library();
    test_kernel_calls();
    test_refused();
    stop();
    printf("opencl_builds: ok\n");
    return 0;
}
