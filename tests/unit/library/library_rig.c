/* library_rig.c - see library_rig.h. */
#include "library_rig.h"

const char add_one[] = ".version 6.4\n"
                       ".target sm_70\n"
                       ".address_size 64\n"
                       ".visible .global .u32 counts[4] = {1, 2, 3, 4};\n"
                       ".visible .const .u32 step = 1;\n"
                       ".visible .entry add_one(.param .u64 data, .param .u32 n) {\n"
                       "    .reg .pred %p;\n"
                       "    .reg .b32 %r<8>;\n"
                       "    .reg .b64 %d<4>;\n"
                       "    mov.u32 %r0, %ctaid.x;\n"
                       "    mov.u32 %r1, %ntid.x;\n"
                       "    mov.u32 %r2, %tid.x;\n"
                       "    mad.lo.u32 %r3, %r0, %r1, %r2;\n"
                       "    ld.param.u32 %r4, [n];\n"
                       "    setp.ge.u32 %p, %r3, %r4;\n"
                       "    @%p bra done;\n"
                       "    ld.param.u64 %d0, [data];\n"
                       "    mul.wide.u32 %d1, %r3, 4;\n"
                       "    add.u64 %d2, %d0, %d1;\n"
                       "    ld.global.u32 %r5, [%d2];\n"
                       "    ld.const.u32 %r6, [step];\n"
                       "    add.u32 %r5, %r5, %r6;\n"
                       "    st.global.u32 [%d2], %r5;\n"
                       "done:\n"
                       "    ret;\n"
                       "}\n";

heddle_gpu *new_gpu(void) {
    heddle_gpu *gpu;
    const struct heddle_gpu_options options = {.timing = HEDDLE_TIMING_NONE};
    GOOD(heddle_gpu_create(&gpu, &options, &diag));
    return gpu;
}

heddle_module *load(heddle_gpu *gpu, const char *ptx) {
    heddle_module *module;
    GOOD(heddle_module_load(gpu, ptx, strlen(ptx), "test.ptx", &module, &diag));
    return module;
}

uint64_t words(heddle_gpu *gpu, uint32_t n) {
    uint64_t address;
    GOOD(heddle_gpu_alloc(gpu, 4ull * n, &address, &diag));
    return address;
}

heddle_err launch_add_one(heddle_gpu *gpu, heddle_kernel *kernel, uint64_t data, uint32_t n,
                          uint32_t threads, struct heddle_diag *diag) {
    const struct heddle_argument arguments[] = {{&data, sizeof data}, {&n, sizeof n}};
    const struct heddle_launch launch = {.grid = {(n + threads - 1) / threads},
                                         .block = {threads},
                                         .arguments = arguments,
                                         .num_arguments = 2};
    return heddle_gpu_launch(gpu, kernel, &launch, NULL, diag);
}
