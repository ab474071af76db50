/* test_library_gpu.c - the library's GPUs: their options, lives and threads, and the list of
 * errors. */
#include <pthread.h>
#include <stdlib.h>

#include "library_rig.h"

Test(library_gpu, refuses_what_it_cannot_make) {
    heddle_gpu *gpu;
    const char *const wrong[] = {"sm.cuont=4"}, *const high[] = {"sm.count=100000"};
    FAILS(HEDDLE_ERR_CONFIG, "v101.ini",
          heddle_gpu_create(&gpu, &(struct heddle_gpu_options){.gpu = "v101"}, &diag));
    cr_expect_null(gpu);
    FAILS(HEDDLE_ERR_CONFIG, "sm.count",
          heddle_gpu_create(
              &gpu, &(struct heddle_gpu_options){.settings = wrong, .num_settings = 1}, &diag));
    FAILS(HEDDLE_ERR_CONFIG, "sm.count",
          heddle_gpu_create(&gpu, &(struct heddle_gpu_options){.settings = high, .num_settings = 1},
                            &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "timing 7",
          heddle_gpu_create(&gpu, &(struct heddle_gpu_options){.timing = (enum heddle_timing)7},
                            &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "threads 5000",
          heddle_gpu_create(&gpu, &(struct heddle_gpu_options){.threads = 5000}, &diag));
    cr_expect_eq(heddle_gpu_create(NULL, NULL, NULL), HEDDLE_ERR_ARGUMENT);
}

Test(library_gpu, ends_once) {
    heddle_gpu *gpu = new_gpu();
    uint64_t ps;
    cr_expect_eq(heddle_gpu_destroy(gpu), HEDDLE_OK);
    cr_expect_eq(heddle_gpu_destroy(gpu), HEDDLE_ERR_ARGUMENT);
    cr_expect_eq(heddle_gpu_destroy(NULL), HEDDLE_OK);
    FAILS(HEDDLE_ERR_ARGUMENT, "this is no GPU", heddle_gpu_time(gpu, &ps, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "this is no GPU", heddle_gpu_synchronize(gpu, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "GPU is NULL", heddle_gpu_synchronize(NULL, &diag));
    cr_expect_eq(heddle_gpu_synchronize(gpu, NULL), HEDDLE_ERR_ARGUMENT, "without a diag");
}

Test(library_gpu, a_hundred_lives) {
    for (int i = 0; i < 100; i++) {
        heddle_gpu *gpu = new_gpu();
        heddle_kernel *kernel;
        heddle_module *module = load(gpu, add_one);
        GOOD(heddle_module_kernel(gpu, module, "add_one", &kernel, &diag));
        GOOD(launch_add_one(gpu, kernel, words(gpu, 100), 100, 32, &diag));
        if (i % 2) GOOD(heddle_gpu_synchronize(gpu, &diag)); /* else its work is dropped */
        heddle_gpu_destroy(gpu);
    }
}

/* Runs kernels on a GPU of its own. */
static void *work(void *unused) {
    heddle_gpu *gpu = new_gpu();
    heddle_kernel *kernel;
    uint32_t host[1000] = {0};
    uint64_t data = words(gpu, 1000);
    GOOD(heddle_module_kernel(gpu, load(gpu, add_one), "add_one", &kernel, &diag));
    GOOD(heddle_gpu_write(gpu, data, host, sizeof host, &diag));
    for (int i = 0; i < 20; i++) GOOD(launch_add_one(gpu, kernel, data, 1000, 128, &diag));
    GOOD(heddle_gpu_read(gpu, host, data, sizeof host, &diag));
    for (int i = 0; i < 1000; i++) cr_assert_eq(host[i], 20);
    heddle_gpu_destroy(gpu);
    return unused;
}

Test(library_gpu, several_at_once) {
    pthread_t thread[4];
    for (int i = 0; i < 4; i++) cr_assert_eq(pthread_create(&thread[i], NULL, work, NULL), 0);
    for (int i = 0; i < 4; i++) pthread_join(thread[i], NULL);
}

Test(library_gpu, memories_do_not_meet) {
    heddle_gpu *gpu[8];
    uint64_t data[8];
    for (uint32_t i = 0; i < 8; i++) {
        gpu[i] = new_gpu();
        data[i] = words(gpu[i], 1);
        GOOD(heddle_gpu_write(gpu[i], data[i], &i, sizeof i, &diag));
        for (uint32_t k = 0; k < i; k++) cr_expect_neq(data[i], data[k]);
    }
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t word;
        GOOD(heddle_gpu_read(gpu[i], &word, data[i], sizeof word, &diag));
        cr_expect_eq(word, i);
        FAILS(HEDDLE_ERR_ARGUMENT, "they do not lie in one allocation",
              heddle_gpu_read(gpu[i], &word, data[(i + 1) % 8], sizeof word, &diag));
    }
    for (int i = 0; i < 8; i++) heddle_gpu_destroy(gpu[i]);
    heddle_gpu *again = new_gpu();
    cr_expect_eq(words(again, 1), data[0], "addresses are the same again");
    heddle_gpu_destroy(again);
}

Test(library_gpu, as_many_as_there_is_room_for) {
    heddle_gpu *gpu[65] = {NULL};
    const struct heddle_gpu_options options = {.timing = HEDDLE_TIMING_NONE};
    int n = 0;
    while (n < 64 && !heddle_gpu_create(&gpu[n], &options, NULL)) n++;
    cr_assert_geq(n, 32, "%d", n); /* a sanitizer has some of the places */
    FAILS(HEDDLE_ERR_IO, "a process has 64 places for the memory of GPUs, and all are taken",
          heddle_gpu_create(&gpu[n], &options, &diag));
    heddle_gpu_destroy(gpu[20]);
    GOOD(heddle_gpu_create(&gpu[20], &options, &diag));
    for (int i = 0; i < n; i++) heddle_gpu_destroy(gpu[i]);
}

static heddle_gpu *asked;
/* A progress function that makes a call, which is refused, and gives up. */
static bool call_back(void *user, const struct heddle_progress *p) {
    FAILS(HEDDLE_ERR_ARGUMENT, "another call on this GPU is under way",
          heddle_gpu_synchronize(asked, &diag));
    ++*(int *)user;
    cr_expect_str_eq(p->kernel, "endless");
    cr_expect_eq(p->ctas, 1);
    return false;
}

Test(library_gpu, progress_stops_a_kernel) {
    static const char endless[] = ".version 6.4\n.target sm_70\n.address_size 64\n"
                                  ".visible .entry endless() {\n"
                                  "again:\n"
                                  "    bra again;\n"
                                  "}\n";
    int calls = 0;
    heddle_kernel *kernel;
    heddle_gpu *gpu = asked = new_gpu();
    GOOD(heddle_gpu_set_progress(gpu, call_back, &calls, &diag));
    GOOD(heddle_module_kernel(gpu, load(gpu, endless), "endless", &kernel, &diag));
    const struct heddle_launch launch = {.grid = {1}, .block = {1}};
    GOOD(heddle_gpu_launch(gpu, kernel, &launch, NULL, &diag));
    FAILS(HEDDLE_ERR_STOPPED, "given up", heddle_gpu_synchronize(gpu, &diag));
    cr_expect_eq(calls, 1);
    GOOD(heddle_gpu_synchronize(gpu, &diag)); /* the GPU goes on */
    heddle_gpu_destroy(gpu);
}

/* ---- errors. error.h declares the same enumerators, so only its list is read here. */

static const struct {
    const char *name;
    int value;
} list[] = {
#include "error_list.inc"
};

Test(library_gpu, errors_are_those_of_the_header) {
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        cr_expect_str_eq(heddle_err_name(list[i].value), list[i].name);
        cr_expect_str_neq(heddle_err_text((heddle_err)list[i].value), "unknown error");
    }
    int names = 0;
    for (int value = 0; value < 1000; value++) names += heddle_err_name(value) != NULL;
    cr_expect_eq((size_t)names, sizeof list / sizeof *list, "the header lacks an error");
    cr_expect_null(heddle_err_name(-1));
}
