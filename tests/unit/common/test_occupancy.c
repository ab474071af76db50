/* test_occupancy.c - common/occupancy.c, CTAs per SM: known cases of the V100, and a comparison
 * with NVIDIA's own rules (cuda_occupancy.h) where the toolkit is installed. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "common/occupancy.h"

static struct config *v100(void) {
    struct config *c;
    struct heddle_diag diag = {0};
    cr_assert_eq(config_load(&c, "v100", GPUS, NULL, 0, &diag), HEDDLE_OK, "%s", diag.text);
    return c;
}

Test(occupancy, known_cases) {
    static const struct {
        struct occupancy_need need;
        uint32_t ctas;
        occupancy_limit limit;
    } cases[] = {
        {{256, 32, 0}, 8, OCCUPANCY_WARPS},      {{1024, 32, 0}, 2, OCCUPANCY_WARPS},
        {{32, 16, 0}, 32, OCCUPANCY_CTAS},       {{256, 40, 0}, 6, OCCUPANCY_REGISTERS},
        {{128, 33, 0}, 12, OCCUPANCY_REGISTERS}, {{1024, 64, 0}, 1, OCCUPANCY_REGISTERS},
        {{64, 16, 12288}, 8, OCCUPANCY_SHARED},  {{64, 16, 98304}, 1, OCCUPANCY_SHARED},
        {{1024, 65, 0}, 0, OCCUPANCY_REGISTERS}, {{64, 16, 98305}, 0, OCCUPANCY_SHARED},
        {{96, 255, 0}, 2, OCCUPANCY_REGISTERS},  {{72, 130, 0}, 4, OCCUPANCY_REGISTERS},
        {{2080, 16, 0}, 0, OCCUPANCY_WARPS},
    };
    struct config *c = v100();
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        occupancy_limit limit;
        uint32_t n = occupancy_ctas(c, &cases[i].need, &limit);
        cr_expect_eq(n, cases[i].ctas, "case %u: %u CTAs, not %u", i, n, cases[i].ctas);
        cr_expect_eq(limit, cases[i].limit, "case %u: limited by %s", i,
                     occupancy_limit_name(limit));
    }
    config_free(c);
}

Test(occupancy, dynamic_shared) {
    struct config *c = v100();
    cr_expect_eq(occupancy_dynamic_shared(c, 1, 0), 98304);
    cr_expect_eq(occupancy_dynamic_shared(c, 3, 1000), 32768 - 1000);
    cr_expect_eq(occupancy_dynamic_shared(c, 0, 0), 0);
    cr_expect_eq(occupancy_dynamic_shared(c, 32, 8192), 0);
    config_free(c);
}

#ifdef HAVE_CUDA_OCCUPANCY
#define __OCC_INLINE static inline __attribute__((unused))
#include <cuda_occupancy.h>

Test(occupancy, as_nvidia_computes_it) {
    struct config *c = v100();
    struct cudaOccDeviceProp device = {
        .computeMajor = 7,
        .computeMinor = 0,
        .maxThreadsPerBlock = (int)c->sm_threads_per_cta,
        .maxThreadsPerMultiprocessor = (int)c->sm_warps * 32,
        .regsPerBlock = (int)c->sm_registers_per_cta,
        .regsPerMultiprocessor = (int)c->sm_registers,
        .warpSize = 32,
        .sharedMemPerBlock = c->sm_shared_per_cta,
        .sharedMemPerMultiprocessor = c->sm_shared_bytes,
        .numSms = (int)c->sm_count,
        .sharedMemPerBlockOptin = c->sm_shared_per_cta_optin,
        .reservedSharedMemPerBlock = c->sm_shared_reserved,
    };
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_SHARED};
    state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
    unsigned seed = 12345;
    for (int i = 0; i < 20000; i++) {
        int threads = (rand_r(&seed) % 32 + 1) * 32 - rand_r(&seed) % 32;
        int regs = rand_r(&seed) % 240 + 16;
        size_t shared = (size_t)(rand_r(&seed) % 3 ? rand_r(&seed) % 98304 : 0);
        cudaOccFuncAttributes f = {.maxThreadsPerBlock = 1024,
                                   .numRegs = regs,
                                   .sharedSizeBytes = 0,
                                   .partitionedGCConfig = PARTITIONED_GC_OFF,
                                   .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
                                   .maxDynamicSharedSizeBytes = 98304};
        cudaOccResult r;
        cudaOccError e = cudaOccMaxActiveBlocksPerMultiprocessor(&r, &device, &f, &state, threads,
                                                                 shared);
        cr_assert_eq(e, CUDA_OCC_SUCCESS);
        struct occupancy_need need = {(uint32_t)threads, (uint32_t)regs, shared};
        uint32_t ours = occupancy_ctas(c, &need, NULL);
        cr_assert_eq((int)ours, r.activeBlocksPerMultiprocessor,
                     "%d threads, %d registers, %zu bytes: %u, NVIDIA says %d", threads, regs,
                     shared, ours, r.activeBlocksPerMultiprocessor);
    }
    config_free(c);
}
#endif
