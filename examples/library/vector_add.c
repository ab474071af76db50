/* vector_add.c - two simulated GPUs in one program: both add two vectors with the same PTX, and the
 * program compares their cycles.
 *
 *     cc vector_add.c $(pkg-config --cflags --libs libheddle) -o vector_add
 *     ./vector_add [ELEMENTS [GPU GPU]] */
#include <heddle.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 256 };

static const char ptx[] =
    ".version 6.4\n"
    ".target sm_70\n"
    ".address_size 64\n"
    ".visible .entry vector_add(.param .u64 a, .param .u64 b, .param .u64 c, .param .u32 n) {\n"
    "    .reg .pred %p;\n"
    "    .reg .f32 %f<3>;\n"
    "    .reg .b32 %r<5>;\n"
    "    .reg .b64 %rd<8>;\n"
    "    mov.u32 %r0, %ctaid.x;\n"
    "    mov.u32 %r1, %ntid.x;\n"
    "    mov.u32 %r2, %tid.x;\n"
    "    mad.lo.u32 %r3, %r0, %r1, %r2;\n"
    "    ld.param.u32 %r4, [n];\n"
    "    setp.ge.u32 %p, %r3, %r4;\n"
    "    @%p bra done;\n"
    "    ld.param.u64 %rd0, [a];\n"
    "    ld.param.u64 %rd1, [b];\n"
    "    ld.param.u64 %rd2, [c];\n"
    "    mul.wide.u32 %rd3, %r3, 4;\n"
    "    add.u64 %rd4, %rd0, %rd3;\n"
    "    add.u64 %rd5, %rd1, %rd3;\n"
    "    add.u64 %rd6, %rd2, %rd3;\n"
    "    ld.global.f32 %f0, [%rd4];\n"
    "    ld.global.f32 %f1, [%rd5];\n"
    "    add.f32 %f2, %f0, %f1;\n"
    "    st.global.f32 [%rd6], %f2;\n"
    "done:\n"
    "    ret;\n"
    "}\n";

/* Ends the program with the message of an error. The library itself never does. */
static void need(heddle_err e, const struct heddle_diag *diag) {
    if (!e) return;
    fprintf(stderr, "vector_add: %s\n", diag->text);
    exit(1);
}

/* Adds n elements on a GPU and checks the sums. @return the kernel's cycles. */
static double add_on(heddle_gpu *gpu, uint32_t n) {
    struct heddle_diag diag;
    heddle_module *module;
    heddle_kernel *kernel;
    uint64_t a, b, c;
    float *host = malloc(3 * n * sizeof *host);
    for (uint32_t i = 0; i < n; i++) {
        host[i] = (float)i;
        host[n + i] = 0.5f * (float)i;
    }
    need(heddle_gpu_alloc(gpu, n * sizeof *host, &a, &diag), &diag);
    need(heddle_gpu_alloc(gpu, n * sizeof *host, &b, &diag), &diag);
    need(heddle_gpu_alloc(gpu, n * sizeof *host, &c, &diag), &diag);
    need(heddle_gpu_write(gpu, a, host, n * sizeof *host, &diag), &diag);
    need(heddle_gpu_write(gpu, b, host + n, n * sizeof *host, &diag), &diag);
    need(heddle_module_load(gpu, ptx, sizeof ptx, "vector_add.ptx", &module, &diag), &diag);
    need(heddle_module_kernel(gpu, module, "vector_add", &kernel, &diag), &diag);
    const struct heddle_argument arguments[] = {
        {&a, sizeof a}, {&b, sizeof b}, {&c, sizeof c}, {&n, sizeof n}};
    const struct heddle_launch launch = {.grid = {(n + THREADS - 1) / THREADS},
                                         .block = {THREADS},
                                         .arguments = arguments,
                                         .num_arguments = 4};
    need(heddle_gpu_launch(gpu, kernel, &launch, NULL, &diag), &diag);
    need(heddle_gpu_synchronize(gpu, &diag), &diag);
    need(heddle_gpu_read(gpu, host + 2 * n, c, n * sizeof *host, &diag), &diag);
    uint32_t wrong = 0;
    for (uint32_t i = 0; i < n; i++) wrong += host[2 * n + i] != host[i] + host[n + i];
    free(host);
    if (wrong) {
        fprintf(stderr, "vector_add: %u sums are wrong\n", wrong);
        exit(1);
    }
    double cycles;
    need(heddle_launch_statistic(gpu, 0, "cycles", &cycles, &diag), &diag);
    return cycles;
}

int main(int argc, char **argv) {
    const uint32_t n = argc > 1 ? (uint32_t)atol(argv[1]) : 10000;
    const char *const names[] = {argc > 3 ? argv[2] : "v100", argc > 3 ? argv[3] : "a100-40"};
    heddle_gpu *gpu[2];
    double cycles[2];
    struct heddle_diag diag;
    for (int i = 0; i < 2; i++) {
        const struct heddle_gpu_options options = {.gpu = names[i]};
        need(heddle_gpu_create(&gpu[i], &options, &diag), &diag);
    }
    for (int i = 0; i < 2; i++) {
        cycles[i] = add_on(gpu[i], n);
        printf("%s: %u elements, %.0f cycles\n", names[i], n, cycles[i]);
    }
    printf("%s takes %.2f times the cycles of %s\n", names[1], cycles[1] / cycles[0], names[0]);
    for (int i = 0; i < 2; i++) heddle_gpu_destroy(gpu[i]);
    return 0;
}
