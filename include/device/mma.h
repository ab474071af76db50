// nvcuda::wmma for sm_70: products of tiles of halves by a warp, on the tensor cores.
//
// Tiles of 16x16x16, 32x8x16 and 8x32x16; A and B hold halves, the accumulators halves or floats.
// Every function is called by all 32 lanes together. Which lane holds which element is not
// specified; leading dimensions are in elements. Other types need a newer GPU.
#ifndef HEDDLE_DEVICE_MMA_H
#define HEDDLE_DEVICE_MMA_H

#include "cuda_fp16.h"

#if defined(__CUDA__)
namespace nvcuda {
namespace wmma {

struct row_major {
    enum { heddle_column = 0 };
};
struct col_major {
    enum { heddle_column = 1 };
};
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };

template <class T, int N> struct heddle_elements {
    enum { num_elements = N, num_storage_elements = N };
    typedef T element_type;
    typedef T storage_element_type;
    T x[N];
};
template <class Use, int M, int N, int K, class T, class Layout = void> class fragment;

template <class T, int N> HEDDLE_DEVICE void fill_fragment(heddle_elements<T, N> &f, const T &v) {
    for (T &element : f.x) element = v;
}

// An operand A or B, in the layout of its type.
#define HEDDLE_WMMA_OPERAND(M, N, K, use, letter)                                              \
    template <class L>                                                                         \
    class fragment<use, M, N, K, __half, L> : public heddle_elements<__half, 16> {};           \
    template <class L>                                                                         \
    HEDDLE_DEVICE void load_matrix_sync(fragment<use, M, N, K, __half, L> &f, const __half *p, \
                                        unsigned ldm) {                                        \
        int words[8];                                                                          \
        __hmma_m##M##n##N##k##K##_ld_##letter(words, (const int *)p, ldm, L::heddle_column);   \
        __builtin_memcpy(f.x, words, sizeof words);                                            \
    }
// An accumulator: elements of T in `count` registers of type W.
#define HEDDLE_WMMA_ACCUMULATOR(M, N, K, T, W, count, suffix)                              \
    template <> class fragment<accumulator, M, N, K, T> : public heddle_elements<T, 8> {}; \
    HEDDLE_DEVICE void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p,  \
                                        unsigned ldm, layout_t layout) {                   \
        W words[count];                                                                    \
        if (layout == mem_row_major) {                                                     \
            __hmma_m##M##n##N##k##K##_ld_c_##suffix(words, (const W *)p, ldm, 0);          \
        } else {                                                                           \
            __hmma_m##M##n##N##k##K##_ld_c_##suffix(words, (const W *)p, ldm, 1);          \
        }                                                                                  \
        __builtin_memcpy(f.x, words, sizeof words);                                        \
    }                                                                                      \
    HEDDLE_DEVICE void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, \
                                         unsigned ldm, layout_t layout) {                  \
        W words[count];                                                                    \
        __builtin_memcpy(words, f.x, sizeof words);                                        \
        if (layout == mem_row_major) {                                                     \
            __hmma_m##M##n##N##k##K##_st_c_##suffix((W *)p, words, ldm, 0);                \
        } else {                                                                           \
            __hmma_m##M##n##N##k##K##_st_c_##suffix((W *)p, words, ldm, 1);                \
        }                                                                                  \
    }
// D = A B + C.
#define HEDDLE_WMMA_PRODUCT(M, N, K, D, DW, C, CW, suffix)                                        \
    template <class LA, class LB>                                                                 \
    HEDDLE_DEVICE void mma_sync(                                                                  \
        fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, __half, LA> &a,   \
        const fragment<matrix_b, M, N, K, __half, LB> &b,                                         \
        const fragment<accumulator, M, N, K, C> &c, bool saturate = false) {                      \
        int a_words[8], b_words[8];                                                               \
        CW c_words[sizeof c.x / sizeof(CW)];                                                      \
        DW d_words[sizeof d.x / sizeof(DW)];                                                      \
        __builtin_memcpy(a_words, a.x, sizeof a_words);                                           \
        __builtin_memcpy(b_words, b.x, sizeof b_words);                                           \
        __builtin_memcpy(c_words, c.x, sizeof c_words);                                           \
        if (saturate) {                                                                           \
            __hmma_m##M##n##N##k##K##_mma_##suffix(d_words, a_words, b_words, c_words,            \
                                                   LA::heddle_column * 2 + LB::heddle_column, 1); \
        } else {                                                                                  \
            __hmma_m##M##n##N##k##K##_mma_##suffix(d_words, a_words, b_words, c_words,            \
                                                   LA::heddle_column * 2 + LB::heddle_column, 0); \
        }                                                                                         \
        __builtin_memcpy(d.x, d_words, sizeof d_words);                                           \
    }
#define HEDDLE_WMMA(M, N, K)                                        \
    HEDDLE_WMMA_OPERAND(M, N, K, matrix_a, a)                       \
    HEDDLE_WMMA_OPERAND(M, N, K, matrix_b, b)                       \
    HEDDLE_WMMA_ACCUMULATOR(M, N, K, __half, int, 4, f16)           \
    HEDDLE_WMMA_ACCUMULATOR(M, N, K, float, float, 8, f32)          \
    HEDDLE_WMMA_PRODUCT(M, N, K, __half, int, __half, int, f16f16)  \
    HEDDLE_WMMA_PRODUCT(M, N, K, float, float, __half, int, f32f16) \
    HEDDLE_WMMA_PRODUCT(M, N, K, __half, int, float, float, f16f32) \
    HEDDLE_WMMA_PRODUCT(M, N, K, float, float, float, float, f32f32)
HEDDLE_WMMA(16, 16, 16)
HEDDLE_WMMA(32, 8, 16)
HEDDLE_WMMA(8, 32, 16)
#undef HEDDLE_WMMA
#undef HEDDLE_WMMA_PRODUCT
#undef HEDDLE_WMMA_ACCUMULATOR
#undef HEDDLE_WMMA_OPERAND

} // namespace wmma
} // namespace nvcuda
#endif

#endif
