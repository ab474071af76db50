// types.cu - __half and __nv_bfloat16: operations on every pair of a set of operands give the same
// bits on the device and on the host, conversions are right, shuffles and atomics work.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <vector>

enum { OPERATIONS = 12 };

template <class T> static __host__ __device__ T from_bits(unsigned short bits) {
    return T(heddle_raw(), bits);
}
// Computes operation number `operation`; the same source for host and device.
template <class T, class P> static __host__ __device__ T compute(int operation, T a, T b) {
    T c = from_bits<T>((unsigned short)(a.bits * 7919u + b.bits * 31u));
    T flag[2] = {T(0.0f), T(1.0f)};
    switch (operation) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / b;
    case 4: return __hfma(a, b, c);
    case 5: return (P(a, b) * P(b, c)).y;
    case 6: return __hfma2(P(a, b), P(b, a), P(c, c)).x;
    case 7: return flag[a < b] + flag[a == b] + flag[__hgeu(a, b)];
    case 8: return __hmax(a, b);
    case 9: return __hmin(a, b);
    case 10: return T((double)(float)a * 1.0009765624999 + (double)(float)b * 0x1p-30);
    default: return __hsub_sat(a, b);
    }
}
template <class T, class P>
__global__ void evaluate(const unsigned short *x, int n, int operation, unsigned short *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n * n) {
        y[i] = compute<T, P>(operation, from_bits<T>(x[i / n]), from_bits<T>(x[i % n])).bits;
    }
}
// Sums over the warp, and over all threads.
template <class T, class P> __global__ void sums(T *total, P *pairs, float *root) {
    T v((int)threadIdx.x % 4);
    for (int with = 16; with > 0; with /= 2) v += __shfl_xor_sync(~0u, v, with);
    if (threadIdx.x % 32 == 0) {
        atomicAdd(total + 1, v);
        atomicAdd(pairs, P(v, T(1.0f)));
    }
    if (threadIdx.x == 0) *root = hsqrt(T(16.0f));
}

template <class T, class P> static int check(const char *name, int fraction) {
    std::vector<unsigned short> x;
    for (unsigned sign = 0; sign <= 0x8000; sign += 0x8000) {
        for (unsigned bits :
             {0u,      1u,      2u,      0x3ffu,  0x400u,  0x401u,  0x3bffu, 0x3c00u,
              0x3c01u, 0x3f80u, 0x3f81u, 0x4000u, 0x5555u, 0x2aabu, 0x7bffu, 0x7c00u,
              0x7f7fu, 0x7f80u, 0x7fffu, 0x1234u, 0x80u,   0x7fu,   0x0abcu, 0x6789u}) {
            x.push_back((unsigned short)(sign | bits));
        }
    }
    unsigned state = 1;
    for (int i = 0; i < 80; i++) x.push_back((unsigned short)((state = state * 1664525 + 1) >> 13));
    int n = (int)x.size(), wrong = 0;
    unsigned short *device_x, *device_y;
    std::vector<unsigned short> y(n * n);
    if (cudaMalloc(&device_x, n * 2) || cudaMalloc(&device_y, n * n * 2)) return 1;
    cudaMemcpy(device_x, x.data(), n * 2, cudaMemcpyHostToDevice);
    for (int operation = 0; operation < OPERATIONS; operation++) {
        evaluate<T, P><<<(n * n + 127) / 128, 128>>>(device_x, n, operation, device_y);
        if (cudaMemcpy(y.data(), device_y, n * n * 2, cudaMemcpyDeviceToHost)) return 1;
        for (int i = 0; i < n * n; i++) {
            T a = from_bits<T>(x[i / n]), b = from_bits<T>(x[i % n]);
            T want = compute<T, P>(operation, a, b), got = from_bits<T>(y[i]);
            if (want.bits == got.bits || (__hisnan(want) && __hisnan(got))) continue;
            if (wrong++ < 5) {
                printf("%s operation %d: %04x %04x -> %04x, expected %04x\n", name, operation,
                       a.bits, b.bits, got.bits, want.bits);
            }
        }
    }
    // Compares the host's conversions with arithmetic: every value, and the halfway point above it.
    double half_ulp = exp2(-fraction - 1);
    for (unsigned bits = 0; bits < 0x10000; bits++) {
        T h = from_bits<T>((unsigned short)bits), up = from_bits<T>((unsigned short)(bits + 1));
        if (__hisnan(h)) continue;
        bool same = T((float)h).bits == bits && T((double)(float)h).bits == bits;
        if (!__hisinf(h) && !__hisinf(up) && (bits & 0x7fff) != 0x7fff) {
            double middle = ((double)(float)h + (double)(float)up) / 2,
                   away = middle * (1 + half_ulp / 1e6);
            same &= T(middle).bits == (bits & 1 ? up.bits : h.bits) && T(away).bits == up.bits;
        }
        if (!same && wrong++ < 5) printf("%s conversion of %04x\n", name, bits);
    }
    T *total;
    if (cudaMalloc(&total, 16)) return 1;
    cudaMemset(total, 0, 16);
    sums<T, P><<<1, 128>>>(total, (P *)(total + 2), (float *)(total + 4));
    T sum[4];
    float root = 0;
    cudaMemcpy(sum, total, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(&root, total + 4, 4, cudaMemcpyDeviceToHost);
    if ((float)sum[0] != 0 || (float)sum[1] != 192 || (float)sum[2] != 192 || (float)sum[3] != 4 ||
        root != 4) {
        printf("%s sums: %g %g %g %g, root %g\n", name, (float)sum[0], (float)sum[1], (float)sum[2],
               (float)sum[3], root);
        wrong++;
    }
    return wrong;
}

int main() {
    int wrong = check<__half, __half2>("half", 10);
    wrong += check<__nv_bfloat16, __nv_bfloat162>("bfloat16", 7);
    if (__half2float(__float2half(0.1f)) != 0.0999755859375f) wrong++;
    if (__bfloat162float(__float2bfloat16(0.1f)) != 0.10009765625f) wrong++;
    printf(wrong ? "types: FAIL %d\n" : "types: PASS %d wrong\n", wrong);
    return wrong != 0;
}
