// simd.cu - the SIMD intrinsics on a fixed set of operands: computes a checksum of each and
// compares it with simd.def, whose checksums are those of the functions in NVIDIA's headers.
//   simd             compares
//   simd print       prints the rows
#include <stdio.h>
#include <string.h>

enum { OPERANDS = 512 };

#define ONE(name, two, four)                                      \
    __global__ void name##2_all(const unsigned *x, unsigned *y) { \
        int i = threadIdx.x;                                      \
        y[i] = __##name##2(x[i]);                                 \
    }                                                             \
    __global__ void name##4_all(const unsigned *x, unsigned *y) { \
        int i = threadIdx.x;                                      \
        y[i] = __##name##4(x[i]);                                 \
    }
#define TWO(name, two, four)                                      \
    __global__ void name##2_all(const unsigned *x, unsigned *y) { \
        int i = threadIdx.x;                                      \
        y[i] = __##name##2(x[i], x[OPERANDS + i]);                \
    }                                                             \
    __global__ void name##4_all(const unsigned *x, unsigned *y) { \
        int i = threadIdx.x;                                      \
        y[i] = __##name##4(x[i], x[OPERANDS + i]);                \
    }
#include "simd.def"
#undef ONE
#undef TWO

struct row {
    const char *kind, *name;
    void (*two)(const unsigned *, unsigned *), (*four)(const unsigned *, unsigned *);
    unsigned want[2];
};
#define ONE(name, two, four) {"ONE", #name, name##2_all, name##4_all, {two, four}},
#define TWO(name, two, four) {"TWO", #name, name##2_all, name##4_all, {two, four}},
static const row rows[] = {
#include "simd.def"
};

// Makes random words; every other one has lanes at the ends of their ranges.
static void make_operands(unsigned *x) {
    unsigned state = 12345;
    for (int i = 0; i < 2 * OPERANDS; i++) {
        static const unsigned char ends[8] = {0, 1, 0x7e, 0x7f, 0x80, 0x81, 0xfe, 0xff};
        x[i] = 0;
        for (int b = 0; b < 32; b += 8) {
            state = state * 1664525u + 1013904223u;
            x[i] |= (i & 1 ? ends[state >> 29] : state >> 24) << b;
        }
    }
}

int main(int argc, char **argv) {
    unsigned *x, *y, found[2];
    int wrong = 0;
    if (cudaMallocManaged(&x, 2 * OPERANDS * sizeof *x) != cudaSuccess ||
        cudaMallocManaged(&y, OPERANDS * sizeof *y) != cudaSuccess) {
        return 1;
    }
    make_operands(x);
    for (const row &r : rows) {
        for (int form = 0; form < 2; form++) {
            (form ? r.four : r.two)<<<1, OPERANDS>>>(x, y);
            if (cudaGetLastError() != cudaSuccess || cudaDeviceSynchronize() != cudaSuccess) {
                return 1;
            }
            found[form] = 2166136261u;
            for (int i = 0; i < OPERANDS; i++) found[form] = (found[form] ^ y[i]) * 16777619u;
        }
        if (argc > 1 && !strcmp(argv[1], "print")) {
            printf("%s(%s, 0x%08xu, 0x%08xu)\n", r.kind, r.name, found[0], found[1]);
        } else if (found[0] != r.want[0] || found[1] != r.want[1]) {
            printf("__%s: %s%s\n", r.name, found[0] == r.want[0] ? "" : "2 ",
                   found[1] == r.want[1] ? "" : "4");
            wrong++;
        }
    }
    size_t count = 2 * sizeof rows / sizeof rows[0];
    if (argc == 1) printf("simd: %s %zu functions\n", wrong ? "FAIL" : "PASS", count);
    return wrong != 0;
}
