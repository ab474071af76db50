// names.cu - the smaller headers, and functions that Heddle's own programs do not use: complex
// numbers, constants, min and max on the host, address spaces, packed loads, partitions of groups.
#include "check.h"

#include <builtin_types.h>
#include <cooperative_groups.h>
#include <cuComplex.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <device_atomic_functions.h>
#include <device_functions.h>
#include <device_launch_parameters.h>
#include <device_types.h>
#include <math_constants.h>
#include <math_functions.h>
#include <string.h>

#if !defined(__CUDACC__) || !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__)
#error "names by which programs know where they are"
#endif
static_assert(CUDA_VERSION == CUDART_VERSION, "one version");
static_assert(CUDART_PI > 3.14159265358979 && CUDART_PI < 3.1415926535898, "");
static_assert(CUDART_MAX_NORMAL_F > 3.4e38 && CUDART_INF_F > CUDART_MAX_NORMAL_F, "");
static_assert(CUDART_MIN_DENORM > 0 && CUDART_TWO_TO_M1022 < 2.3e-308, "");

namespace cg = cooperative_groups;

// Exact in both types: the same on host and device.
template <class T, class R> struct results {
    T product, quotient, sum, fused;
    R size, large, nothing;
};
__host__ __device__ static void compute(results<cuFloatComplex, float> *r) {
    cuFloatComplex a = make_cuFloatComplex(3, -4), b = make_cuFloatComplex(0.5f, 2);
    *r = {cuCmulf(a, b),
          cuCdivf(a, make_cuFloatComplex(0, 2)),
          cuCaddf(a, cuConjf(b)),
          cuCfmaf(a, b, b),
          cuCabsf(a),
          cuCabsf(make_cuFloatComplex(3e38f, 0)),
          cuCabsf(make_cuFloatComplex(0, 0))};
}
__host__ __device__ static void compute(results<cuDoubleComplex, double> *r) {
    cuDoubleComplex a = make_cuDoubleComplex(3, -4), b = make_cuDoubleComplex(0.5, 2);
    *r = {cuCmul(a, b),
          cuCdiv(a, make_cuDoubleComplex(0, 2)),
          cuCadd(a, cuConj(b)),
          cuCfma(a, b, b),
          cuCabs(a),
          cuCabs(make_cuDoubleComplex(1e308, 0)),
          cuCabs(make_cuDoubleComplex(0, 0))};
}
template <class T, class R> __global__ void complex_numbers(results<T, R> *r) {
    compute(r);
}
template <class T, class R> static void check_complex(R large) {
    results<T, R> *device, host;
    if (cudaMallocManaged(&device, sizeof *device) != cudaSuccess) return;
    complex_numbers<<<1, 1>>>(device);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    compute(&host);
    const results<T, R> *both[] = {device, &host};
    for (const results<T, R> *r : both) {
        CHECK(r->product.x == 9.5f && r->product.y == 4);
        CHECK(r->quotient.x == -2 && r->quotient.y == -1.5f);
        CHECK(r->sum.x == 3.5f && r->sum.y == -6);
        CHECK(r->fused.x == 10 && r->fused.y == 6);
        CHECK(r->size == 5 && r->large == large && r->nothing == 0);
    }
    cudaFree(device);
}

struct found {
    unsigned spaces, partitions, matches, copies;
    uchar4 bytes;
    short2 halves;
    int dot;
    unsigned unsigned_dot;
};
__device__ uchar4 some_bytes = {1, 2, 3, 250};

__global__ void device_functions(found *f, ushort4 *words) {
    __shared__ int shared;
    int local;
    unsigned lane = threadIdx.x;
    shared = 7;
    __syncthreads();
    size_t address = __cvta_generic_to_shared(&shared);
    int through;
    __asm__ volatile("ld.shared.s32 %0, [%1];" : "=r"(through) : "l"(address) : "memory");
    bool back = __cvta_shared_to_generic(address) == &shared;
    bool spaces = through == 7 && back && __isShared(&shared) && !__isGlobal(&shared) &&
                  __isGlobal(f) && !__isLocal(f) && __isLocal(&local);
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::coalesced_group third = cg::labeled_partition(warp, lane % 3);
    cg::coalesced_group half = cg::binary_partition(warp, lane < 10);
    bool partitions = third.size() == (lane % 3 == 2 ? 10 : 11) &&
                      third.thread_rank() == lane / 3 && half.size() == (lane < 10 ? 10 : 22) &&
                      half.thread_rank() == (lane < 10 ? lane : lane - 10);
    bool matches = __match_any_sync(~0u, lane < 4 ? 1.5f : 2.5f) == (lane < 4 ? 0xfu : ~0xfu) &&
                   __match_any_sync(~0u, lane & 1 ? -0.0 : 0.0) ==
                       (lane & 1 ? 0xaaaaaaaau : 0x55555555u);
    struct {
        int part[5];
    } from = {{1, 2, 3, 4, 5}}, to;
    memset(&to, 0xff, sizeof to);
    memcpy(&to, &from, 4 * (1 + lane % 4));
    bool copies = to.part[0] == 1 && to.part[4] == -1 && to.part[3] == (lane % 4 == 3 ? 4 : -1);
    unsigned all_copies = __ballot_sync(~0u, copies);
    unsigned all_spaces = __ballot_sync(~0u, spaces);
    unsigned all_partitions = __ballot_sync(~0u, partitions);
    unsigned all_matches = __ballot_sync(~0u, matches);
    __stcg(&words[lane], make_ushort4(lane, 2, 3, 65535));
    if (lane) return;
    f->spaces = all_spaces;
    f->partitions = all_partitions;
    f->matches = all_matches;
    f->copies = all_copies;
    f->bytes = __ldg(&some_bytes);
    f->halves = __ldcg((const short2 *)&words[0].z);
    f->dot = __dp4a(make_char4(-1, 2, -3, 4), make_char4(5, 6, 7, -8), 100);
    f->unsigned_dot = __dp4a(0xff010203u, 0x02030405u, 1u);
}

int main() {
    check_complex<cuFloatComplex, float>(3e38f);
    check_complex<cuDoubleComplex, double>(1e308);
    CHECK(cuComplexFloatToDouble(make_cuComplex(1, 2)).y == 2);
    CHECK(cuCrealf(cuComplexDoubleToFloat(make_cuDoubleComplex(1, 2))) == 1);
    CHECK(max(1.0f, 2.0f) == 2 && min(1.0, 2.0f) == 1 && max(-1, 2u) == ~0u && umin(3, 4) == 3);
    CHECK(llmax(-1, 1) == 1 && ullmin(~0ull, 1) == 1);
    CHECK(CUDART_NAN_F != CUDART_NAN_F && CUDART_NAN != CUDART_NAN);

    found *f;
    ushort4 *words;
    cudaMallocManaged(&f, sizeof *f);
    cudaMallocManaged(&words, 32 * sizeof *words);
    device_functions<<<1, 32>>>(f, words);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(f->spaces == ~0u && f->partitions == ~0u && f->matches == ~0u);
    CHECK(f->copies == ~0u);
    CHECK(f->bytes.x == 1 && f->bytes.w == 250 && f->halves.x == 3 && f->halves.y == -1);
    CHECK(words[31].x == 31 && words[31].w == 65535);
    CHECK(f->dot == 100 - 5 + 12 - 21 - 32);
    CHECK(f->unsigned_dot == 1 + 255 * 2 + 1 * 3 + 2 * 4 + 3 * 5);
    printf("names: %s %d wrong\n", wrong ? "FAIL" : "PASS", wrong);
    return wrong != 0;
}
