// tensor.cu - nvcuda::wmma compared with plain arithmetic: every shape, layout and type of
// accumulator. The elements are small integers, so that all sums are exact.
#include <mma.h>
#include <stdio.h>

namespace wmma = nvcuda::wmma;

// Returns the index of row r, column c in a matrix stored by rows or columns, which are ldm
// elements apart.
__host__ __device__ static int place(bool columns, int r, int c, int ldm) {
    return columns ? c * ldm + r : r * ldm + c;
}
__host__ __device__ static int a_value(int r, int c) {
    return (r * 7 + c * 3) % 11 - 5;
}
__host__ __device__ static int b_value(int r, int c) {
    return (r * 5 + c * 13) % 9 - 4;
}
__host__ __device__ static int c_value(int r, int c) {
    return r - 2 * c;
}

struct tiles {
    __half a[32 * 40], b[32 * 40];
    __half c_half[32 * 40], d_half[32 * 40];
    float c_float[32 * 40], d_float[32 * 40];
};

__device__ __half *c_of(tiles *t, __half) {
    return t->c_half;
}
__device__ float *c_of(tiles *t, float) {
    return t->c_float;
}
__device__ __half *d_of(tiles *t, __half) {
    return t->d_half;
}
__device__ float *d_of(tiles *t, float) {
    return t->d_float;
}

template <int M, int N, class LA, class LB, class C, class D>
__global__ void multiply(tiles *t, int ldm, wmma::layout_t layout) {
    wmma::fragment<wmma::matrix_a, M, N, 16, __half, LA> a;
    wmma::fragment<wmma::matrix_b, M, N, 16, __half, LB> b;
    wmma::fragment<wmma::accumulator, M, N, 16, C> c;
    wmma::fragment<wmma::accumulator, M, N, 16, D> d;
    wmma::load_matrix_sync(a, t->a, ldm);
    wmma::load_matrix_sync(b, t->b, ldm);
    wmma::load_matrix_sync(c, c_of(t, C()), ldm, layout);
    wmma::mma_sync(d, a, b, c);
    for (int i = 0; i < d.num_elements; i++) d.x[i] = d.x[i] + D(1.0f);
    wmma::fill_fragment(c, C(0.0f));
    for (int i = 0; i < c.num_elements; i++) d.x[i] = d.x[i] + D((float)c.x[i]);
    wmma::store_matrix_sync(d_of(t, D()), d, ldm, layout);
}

template <int M, int N, class LA, class LB, class C, class D>
static int check(tiles *t, bool result_in_columns) {
    const int ldm = 40;
    bool a_columns = LA::heddle_column, b_columns = LB::heddle_column;
    for (int r = 0; r < M; r++)
        for (int k = 0; k < 16; k++)
            t->a[place(a_columns, r, k, ldm)] = __half((float)a_value(r, k));
    for (int k = 0; k < 16; k++)
        for (int c = 0; c < N; c++)
            t->b[place(b_columns, k, c, ldm)] = __half((float)b_value(k, c));
    for (int r = 0; r < M; r++)
        for (int c = 0; c < N; c++) {
            int at = place(result_in_columns, r, c, ldm);
            t->c_half[at] = __half((float)c_value(r, c));
            t->c_float[at] = (float)c_value(r, c);
            t->d_half[at] = __half(0.0f);
            t->d_float[at] = 0;
        }
    multiply<M, N, LA, LB, C, D>
        <<<1, 32>>>(t, ldm, result_in_columns ? wmma::mem_col_major : wmma::mem_row_major);
    if (cudaDeviceSynchronize() != cudaSuccess) return 1;
    int wrong = 0;
    for (int r = 0; r < M; r++)
        for (int c = 0; c < N; c++) {
            int want = c_value(r, c) + 1, at = place(result_in_columns, r, c, ldm);
            for (int k = 0; k < 16; k++) want += a_value(r, k) * b_value(k, c);
            float got = sizeof(D) == 2 ? (float)t->d_half[at] : t->d_float[at];
            wrong += got != (float)want;
        }
    if (wrong) {
        printf("%dx%d, a %d b %d result %d, sizes %zu %zu: %d wrong\n", M, N, a_columns, b_columns,
               result_in_columns, sizeof(C), sizeof(D), wrong);
    }
    return wrong;
}

template <int M, int N, class LA, class LB> static int types(tiles *t) {
    return check<M, N, LA, LB, float, float>(t, false) +
           check<M, N, LA, LB, float, float>(t, true) +
           check<M, N, LA, LB, __half, __half>(t, false) +
           check<M, N, LA, LB, __half, __half>(t, true) +
           check<M, N, LA, LB, __half, float>(t, false) +
           check<M, N, LA, LB, float, __half>(t, true);
}
template <int M, int N> static int layouts(tiles *t) {
    return types<M, N, wmma::row_major, wmma::row_major>(t) +
           types<M, N, wmma::row_major, wmma::col_major>(t) +
           types<M, N, wmma::col_major, wmma::row_major>(t) +
           types<M, N, wmma::col_major, wmma::col_major>(t);
}

int main() {
    tiles *t;
    if (cudaMallocManaged(&t, sizeof *t) != cudaSuccess) return 1;
    int wrong = layouts<16, 16>(t) + layouts<32, 8>(t) + layouts<8, 32>(t);
    printf("tensor: %s 72 products\n", wrong ? "FAIL" : "PASS");
    return wrong != 0;
}
