/* test_library_code.c - modules of the library: what is loaded, what is refused and with which
 * words, kernels and variables. */
#include "library_rig.h"

/* Expects that code is refused. */
static void refuses(const void *code, size_t bytes, heddle_err error, const char *says) {
    heddle_gpu *gpu = new_gpu();
    heddle_module *module;
    FAILS(error, says, heddle_module_load(gpu, code, bytes, "bad.ptx", &module, &diag));
    cr_expect_null(module);
    heddle_gpu_destroy(gpu);
}

Test(library_code, names_line_of_a_fault) {
    static const char syntax[] = ".version 6.4\n.target sm_70\n.address_size 64\n"
                                 ".visible .entry f() {\n    mov.u32 %r0, ;\n}\n";
    static const char unknown[] = ".version 6.4\n.target sm_70\n.address_size 64\n"
                                  ".visible .entry f() {\n    .reg .b32 %r;\n"
                                  "    frobnicate.u32 %r, %r;\n    ret;\n}\n";
    refuses(syntax, sizeof syntax, HEDDLE_ERR_PTX_SYNTAX, "bad.ptx:5:");
    refuses(unknown, sizeof unknown, HEDDLE_ERR_PTX_UNSUPPORTED, "bad.ptx:6:");
    refuses("", 0, HEDDLE_ERR_PTX_SYNTAX, "bad.ptx:1:");
}

Test(library_code, refuses_what_the_gpu_cannot_run) {
    static const char newer[] = ".version 7.0\n.target sm_80\n.address_size 64\n"
                                ".visible .entry f() {\n    ret;\n}\n";
    static const char texture[] = ".version 6.4\n.target sm_70\n.address_size 64\n"
                                  ".global .texref image;\n"
                                  ".visible .entry f() {\n    ret;\n}\n";
    refuses(newer, sizeof newer, HEDDLE_ERR_PTX_UNSUPPORTED, "compute capability 8.0");
    refuses(texture, sizeof texture, HEDDLE_ERR_PTX_UNSUPPORTED, "texture reference 'image'");
    refuses("\x7f"
            "ELF and so on",
            13, HEDDLE_ERR_FATBIN, "an ELF file holds machine code");
    refuses("\x50\xed\x55\xba", 4, HEDDLE_ERR_FATBIN, "fat binary");
}

Test(library_code, variables_need_memory) {
    static const char large[] = ".version 6.4\n.target sm_70\n.address_size 64\n"
                                ".visible .global .b8 first[64];\n"
                                ".visible .global .b8 all[1073741824];\n"
                                ".visible .entry f() {\n    ret;\n}\n";
    const char *const small[] = {"dram.size=1073741824"};
    const struct heddle_gpu_options options = {
        .settings = small, .num_settings = 1, .timing = HEDDLE_TIMING_NONE};
    heddle_gpu *gpu;
    heddle_module *module;
    uint64_t address;
    GOOD(heddle_gpu_create(&gpu, &options, &diag));
    FAILS(HEDDLE_ERR_NOMEM, "no device memory for the module's variables",
          heddle_module_load(gpu, large, sizeof large, "bad.ptx", &module, &diag));
    GOOD(heddle_gpu_alloc(gpu, (1 << 30) - 256, &address, &diag)); /* all has been given back */
    heddle_gpu_destroy(gpu);
}

Test(library_code, reads_a_fat_binary) {
    uint8_t image[16 + 64 + 1024] = {0};
    const uint64_t padded = (strlen(add_one) + 8) & ~7ull;
    const uint64_t payload = 64 + padded;
    cr_assert_leq(padded, 1024);
    memcpy(image, "\x50\xed\x55\xba\x01\x00\x10\x00", 8);
    memcpy(image + 8, &payload, 8);
    uint8_t *entry = image + 16;
    memcpy(entry, "\x01\x00\x01\x01\x40\x00\x00\x00", 8);
    memcpy(entry + 8, &padded, 8);
    memcpy(entry + 28, "\x46", 1); /* 70 */
    memcpy(entry + 64, add_one, strlen(add_one));
    heddle_gpu *gpu = new_gpu();
    heddle_module *module;
    heddle_kernel *kernel;
    GOOD(heddle_module_load(gpu, image, 16 + payload, NULL, &module, &diag));
    GOOD(heddle_module_kernel(gpu, module, "add_one", &kernel, &diag));
    heddle_gpu_destroy(gpu);
}

Test(library_code, finds_kernels_and_variables) {
    heddle_gpu *gpu = new_gpu(), *other = new_gpu();
    heddle_module *module = load(gpu, add_one);
    heddle_kernel *kernel, *first;
    uint64_t address, bytes;
    uint32_t counts[4], step;
    GOOD(heddle_module_kernel(gpu, module, "add_one", &kernel, &diag));
    GOOD(heddle_module_kernel_at(gpu, module, 0, &first, &diag));
    cr_expect_eq(kernel, first);
    FAILS(HEDDLE_ERR_NO_SYMBOL, "test.ptx has 1 kernels",
          heddle_module_kernel_at(gpu, module, 1, &first, &diag));
    FAILS(HEDDLE_ERR_NO_SYMBOL, "test.ptx has no kernel 'add_two'",
          heddle_module_kernel(gpu, module, "add_two", &first, &diag));
    FAILS(HEDDLE_ERR_NO_SYMBOL, "test.ptx has no variable 'count'",
          heddle_module_variable(gpu, module, "count", NULL, NULL, &diag));
    GOOD(heddle_module_variable(gpu, module, "counts", &address, &bytes, &diag));
    cr_expect_eq(bytes, 16);
    GOOD(heddle_gpu_read(gpu, counts, address, bytes, &diag));
    for (uint32_t i = 0; i < 4; i++) cr_expect_eq(counts[i], i + 1);
    FAILS(HEDDLE_ERR_ARGUMENT, "no allocation begins at", heddle_gpu_free(gpu, address, &diag));
    GOOD(heddle_module_variable(gpu, module, "step", &address, NULL, &diag));
    GOOD(heddle_gpu_read(gpu, &step, address, 4, &diag));
    cr_expect_eq(step, 1);
    FAILS(HEDDLE_ERR_ARGUMENT, "no module of this GPU",
          heddle_module_kernel(other, module, "add_one", &first, &diag));
    struct heddle_kernel_info info;
    FAILS(HEDDLE_ERR_ARGUMENT, "no kernel of this GPU",
          heddle_kernel_info(other, kernel, &info, &diag));
    GOOD(heddle_kernel_info(gpu, kernel, &info, &diag));
    cr_expect_str_eq(info.name, "add_one");
    cr_expect_eq(info.num_parameters, 2);
    cr_expect_eq(info.parameter_bytes[0], 8);
    cr_expect_eq(info.parameter_bytes[1], 4);
    cr_expect_gt(info.registers, 0);
    cr_expect_eq(info.shared_bytes, 0);
    cr_expect_eq(info.max_threads, 0);
    heddle_gpu_destroy(gpu);
    heddle_gpu_destroy(other);
}
