/* test_library_memory.c - device memory of the library: allocations, copies, fills, and what is
 * refused. */
#include "library_rig.h"

Test(library_memory, runs_out) {
    heddle_gpu *gpu = new_gpu();
    uint64_t address, rest;
    FAILS(HEDDLE_ERR_NOMEM, "out of device memory: 17179869185 bytes are asked for",
          heddle_gpu_alloc(gpu, (UINT64_C(16) << 30) + 1, &address, &diag));
    FAILS(HEDDLE_ERR_NOMEM, "out of device memory",
          heddle_gpu_alloc(gpu, UINT64_MAX, &address, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "0 bytes", heddle_gpu_alloc(gpu, 0, &address, &diag));
    cr_expect_eq(address, 0);
    GOOD(heddle_gpu_alloc(gpu, UINT64_C(15) << 30, &address, &diag));
    FAILS(HEDDLE_ERR_NOMEM, "out of device memory",
          heddle_gpu_alloc(gpu, UINT64_C(2) << 30, &rest, &diag));
    GOOD(heddle_gpu_free(gpu, address, &diag));
    GOOD(heddle_gpu_alloc(gpu, UINT64_C(2) << 30, &rest, &diag));
    heddle_gpu_destroy(gpu);
}

Test(library_memory, frees_once) {
    heddle_gpu *gpu = new_gpu();
    uint64_t address = words(gpu, 100);
    cr_expect_eq(address % 256, 0);
    FAILS(HEDDLE_ERR_ARGUMENT, "no allocation begins at", heddle_gpu_free(gpu, address + 4, &diag));
    GOOD(heddle_gpu_free(gpu, address, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "or it was freed", heddle_gpu_free(gpu, address, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "no allocation begins at 0x0", heddle_gpu_free(gpu, 0, &diag));
    heddle_gpu_destroy(gpu);
}

Test(library_memory, copies_within_an_allocation) {
    heddle_gpu *gpu = new_gpu();
    uint8_t out[64], in[64];
    uint64_t address = words(gpu, 16);
    for (int i = 0; i < 64; i++) out[i] = (uint8_t)i;
    GOOD(heddle_gpu_write(gpu, address, out, 64, &diag));
    GOOD(heddle_gpu_fill(gpu, address + 8, 0xab, 8, &diag));
    GOOD(heddle_gpu_read(gpu, in, address, 64, &diag));
    memset(out + 8, 0xab, 8);
    cr_expect_arr_eq(in, out, 64);
    GOOD(heddle_gpu_read(gpu, in, address + 60, 4, &diag));
    cr_expect_eq(in[3], 63);
    FAILS(HEDDLE_ERR_ARGUMENT, "do not lie in one allocation",
          heddle_gpu_read(gpu, in, address + 61, 4, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "do not lie in one allocation",
          heddle_gpu_write(gpu, (uintptr_t)out, out, 4, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "from is NULL", heddle_gpu_write(gpu, address, NULL, 4, &diag));
    FAILS(HEDDLE_ERR_ARGUMENT, "to is NULL", heddle_gpu_read(gpu, NULL, address, 4, &diag));
    GOOD(heddle_gpu_write(gpu, 0, NULL, 0, &diag)); /* nothing */
    heddle_gpu_destroy(gpu);
}
