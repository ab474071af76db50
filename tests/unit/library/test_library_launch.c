/* test_library_launch.c - launches of the library: results, what is refused, kernels that fail,
 * what kernels print, and figures. */
#include <fenv.h>
#include <math.h>

#include "library_rig.h"

Test(library_launch, refuses_what_does_not_fit) {
    heddle_gpu *gpu = new_gpu();
    heddle_kernel *kernel;
    uint64_t data = words(gpu, 10);
    uint32_t n = 10;
    uint8_t byte = 1;
    GOOD(heddle_module_kernel(gpu, load(gpu, add_one), "add_one", &kernel, &diag));
    FAILS(HEDDLE_ERR_LAUNCH, "1 x 1 x 1 CTAs of 2048 x 1 x 1 threads cannot be launched",
          launch_add_one(gpu, kernel, data, n, 2048, &diag));
    const struct heddle_argument good[] = {{&data, 8}, {&n, 4}},
                                 shorter[] = {{&data, 8}, {&byte, 1}},
                                 none[] = {{&data, 8}, {NULL, 4}};
    struct heddle_launch l = {.grid = {1}, .block = {32}, .arguments = good, .num_arguments = 1};
    FAILS(HEDDLE_ERR_LAUNCH, "kernel add_one: 1 arguments were given, it has 2 parameters",
          heddle_gpu_launch(gpu, kernel, &l, NULL, &diag));
    l.num_arguments = 2;
    l.arguments = shorter;
    FAILS(HEDDLE_ERR_LAUNCH, "argument 1 has 1 bytes, parameter 1 has 4",
          heddle_gpu_launch(gpu, kernel, &l, NULL, &diag));
    l.arguments = none;
    FAILS(HEDDLE_ERR_LAUNCH, "argument 1 is NULL", heddle_gpu_launch(gpu, kernel, &l, NULL, &diag));
    l.arguments = NULL;
    FAILS(HEDDLE_ERR_ARGUMENT, "arguments is NULL",
          heddle_gpu_launch(gpu, kernel, &l, NULL, &diag));
    l.arguments = good;
    l.grid[0] = 0;
    FAILS(HEDDLE_ERR_LAUNCH, "a grid of 0 x 1 x 1",
          heddle_gpu_launch(gpu, kernel, &l, NULL, &diag));
    l.grid[0] = 1;
    l.shared_bytes = 1 << 20;
    FAILS(HEDDLE_ERR_PTX_RESOURCES, "1048576 bytes of shared memory does not fit an SM",
          heddle_gpu_launch(gpu, kernel, &l, NULL, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "no kernel of this GPU",
          heddle_gpu_launch(gpu, (heddle_kernel *)(void *)&data, &l, NULL, &diag));
    heddle_gpu_destroy(gpu);
}

Test(library_launch, keeps_what_kernels_demand) {
    static const char ptx[] = ".version 6.4\n.target sm_70\n.address_size 64\n"
                              ".visible .entry few() .maxntid 64, 1, 1 {\n    ret;\n}\n"
                              ".visible .entry exact() .reqntid 8, 8, 1 {\n    ret;\n}\n";
    heddle_gpu *gpu = new_gpu();
    heddle_kernel *few, *exact;
    heddle_module *module = load(gpu, ptx);
    struct heddle_kernel_info info;
    struct heddle_launch l = {.grid = {1}, .block = {65}};
    GOOD(heddle_module_kernel(gpu, module, "few", &few, &diag));
    GOOD(heddle_module_kernel(gpu, module, "exact", &exact, &diag));
    GOOD(heddle_kernel_info(gpu, few, &info, &diag));
    cr_expect_eq(info.max_threads, 64);
    FAILS(HEDDLE_ERR_LAUNCH, "a CTA has 65 threads, .maxntid allows 64",
          heddle_gpu_launch(gpu, few, &l, NULL, &diag));
    l.block[0] = 64;
    GOOD(heddle_gpu_launch(gpu, few, &l, NULL, &diag));
    FAILS(HEDDLE_ERR_LAUNCH, "64 x 1 x 1 threads, .reqntid demands 8 x 8 x 1",
          heddle_gpu_launch(gpu, exact, &l, NULL, &diag));
    l.block[0] = l.block[1] = 8;
    GOOD(heddle_gpu_launch(gpu, exact, &l, NULL, &diag));
    GOOD(heddle_gpu_synchronize(gpu, &diag));
    heddle_gpu_destroy(gpu);
}

Test(library_launch, a_failed_kernel_is_told_once) {
    heddle_gpu *gpu = new_gpu();
    heddle_kernel *kernel;
    uint64_t data = words(gpu, 10), count;
    uint32_t word;
    GOOD(heddle_module_kernel(gpu, load(gpu, add_one), "add_one", &kernel, &diag));
    GOOD(launch_add_one(gpu, kernel, data + (1 << 24), 10, 32, &diag));
    FAILS(HEDDLE_ERR_ILLEGAL_ADDRESS, "kernel add_one", heddle_gpu_synchronize(gpu, &diag));
    GOOD(heddle_gpu_synchronize(gpu, &diag));
    GOOD(launch_add_one(gpu, kernel, data + (1 << 24), 10, 32, &diag));
    FAILS(HEDDLE_ERR_ILLEGAL_ADDRESS, "nearest allocation",
          heddle_gpu_read(gpu, &word, data, 4, &diag));
    word = 5;
    GOOD(heddle_gpu_write(gpu, data, &word, 4, &diag));
    GOOD(launch_add_one(gpu, kernel, data, 1, 32, &diag));
    GOOD(heddle_gpu_read(gpu, &word, data, 4, &diag));
    cr_expect_eq(word, 6);
    GOOD(heddle_gpu_num_launches(gpu, &count, &diag));
    cr_expect_eq(count, 1, "only the launch that did not fail");
    heddle_gpu_destroy(gpu);
}

Test(library_launch, output_of_printf) {
    static const char ptx[] =
        ".version 6.4\n.target sm_70\n.address_size 64\n"
        ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
        ".global .align 1 .b8 text[7] = {104, 101, 108, 108, 111, 10, 0};\n"
        ".visible .entry say() {\n"
        "    .reg .b64 %d<3>;\n"
        "    .reg .b32 %r;\n"
        "    mov.u64 %d0, text;\n"
        "    cvta.global.u64 %d1, %d0;\n"
        "    mov.u64 %d2, 0;\n"
        "    {\n"
        "    .param .b64 a;\n    .param .b64 b;\n    .param .b32 r;\n"
        "    st.param.b64 [a], %d1;\n    st.param.b64 [b], %d2;\n"
        "    call.uni (r), vprintf, (a, b);\n"
        "    ld.param.b32 %r, [r];\n"
        "    }\n"
        "    ret;\n}\n";
    heddle_gpu *gpu = new_gpu();
    heddle_kernel *say;
    const char *text;
    size_t bytes;
    const struct heddle_launch l = {.grid = {3}, .block = {1}};
    GOOD(heddle_module_kernel(gpu, load(gpu, ptx), "say", &say, &diag));
    GOOD(heddle_gpu_launch(gpu, say, &l, NULL, &diag));
    GOOD(heddle_gpu_synchronize(gpu, &diag));
    GOOD(heddle_gpu_output(gpu, &text, &bytes, &diag));
    cr_expect_str_eq(text, "hello\nhello\nhello\n");
    cr_expect_eq(bytes, 18);
    GOOD(heddle_gpu_output(gpu, &text, &bytes, &diag));
    cr_expect_eq(bytes, 0);
    heddle_gpu_destroy(gpu);
}

Test(library_launch, figures_by_name) {
    heddle_gpu *gpu = new_gpu();
    heddle_kernel *kernel;
    uint64_t data = words(gpu, 100), count, number = 9, value;
    double figure;
    const char *json;
    GOOD(heddle_module_kernel(gpu, load(gpu, add_one), "add_one", &kernel, &diag));
    const uint32_t n = 100;
    const struct heddle_argument arguments[] = {{&data, 8}, {&n, 4}};
    const struct heddle_launch l = {
        .grid = {4}, .block = {32}, .arguments = arguments, .num_arguments = 2};
    for (uint64_t i = 0; i < 3; i++) {
        GOOD(heddle_gpu_launch(gpu, kernel, &l, &number, &diag));
        cr_expect_eq(number, i);
    }
    GOOD(heddle_gpu_synchronize(gpu, &diag));
    GOOD(heddle_gpu_num_launches(gpu, &count, &diag));
    cr_assert_eq(count, 3);
    GOOD(heddle_launch_statistic(gpu, 2, "launch", &figure, &diag));
    cr_expect_eq(figure, 2);
    GOOD(heddle_launch_statistic(gpu, 0, "registers", &figure, &diag));
    cr_expect_gt(figure, 0);
    GOOD(heddle_launch_statistic(gpu, 0, "timed", &figure, &diag));
    cr_expect_eq(figure, 0);
    GOOD(heddle_launch_statistic(gpu, 0, "l1_hit_rate", &figure, &diag));
    cr_expect(isnan(figure), "no accesses are counted with timing off");
    FAILS(HEDDLE_ERR_ARGUMENT, "a launch has no figure 'cycle'",
          heddle_launch_statistic(gpu, 0, "cycle", &figure, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "launch 3: the GPU has kept 3",
          heddle_launch_statistic(gpu, 3, "cycles", &figure, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "a GPU has no statistic 'host_calls'",
          heddle_gpu_statistic(gpu, "host_calls", &value, &diag));
    size_t rows;
    const struct heddle_statistic *all = heddle_launch_statistics(&rows);
    for (size_t i = 0; i < rows; i++)
        GOOD(heddle_launch_statistic(gpu, 1, all[i].name, &figure, &diag));
    all = heddle_gpu_statistics(&rows);
    for (size_t i = 0; i < rows; i++) GOOD(heddle_gpu_statistic(gpu, all[i].name, &value, &diag));
    GOOD(heddle_launch_json(gpu, 1, &json, &diag));
    cr_expect(strstr(json, "\"name\":\"add_one\""), "%s", json);
    cr_expect(!strstr(json, "wall_s"));
    GOOD(heddle_gpu_forget_launches(gpu, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "launch 0: the GPU has kept 0",
          heddle_launch_json(gpu, 0, &json, &diag));
    heddle_gpu_destroy(gpu);
}

/* The program around the library may have set another rounding mode. */
Test(library_launch, surroundings_do_not_matter) {
    fesetround(FE_UPWARD);
    heddle_gpu *gpu = new_gpu();
    uint64_t data = words(gpu, 1);
    float sum;
    static const char ptx[] = ".version 6.4\n.target sm_70\n.address_size 64\n"
                              ".visible .entry third(.param .u64 to, .param .f32 x) {\n"
                              "    .reg .f32 %f<2>;\n    .reg .b64 %d;\n"
                              "    ld.param.f32 %f0, [x];\n    ld.param.u64 %d, [to];\n"
                              "    mul.f32 %f1, %f0, 0f3DCCCCCD;\n" /* 0.1 */
                              "    st.global.f32 [%d], %f1;\n    ret;\n}\n";
    heddle_kernel *third;
    GOOD(heddle_module_kernel(gpu, load(gpu, ptx), "third", &third, &diag));
    const float x = 0.1f;
    const struct heddle_argument arguments[] = {{&data, 8}, {&x, 4}};
    const struct heddle_launch l = {
        .grid = {1}, .block = {1}, .arguments = arguments, .num_arguments = 2};
    GOOD(heddle_gpu_launch(gpu, third, &l, NULL, &diag));
    GOOD(heddle_gpu_read(gpu, &sum, data, 4, &diag));
    cr_expect_eq(fegetround(), FE_UPWARD, "and stays");
    fesetround(FE_TONEAREST);
    const volatile float a = 0.1f;
    cr_expect_eq(sum, a * a);
    heddle_gpu_destroy(gpu);
}
