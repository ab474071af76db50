/* device.cu - device memory as MPI buffers: messages, gaps, collective operations, windows; and
 * kernels between the calls. */
#include "mpi_test.h"

#include <cuda_runtime.h>

#define CUDA(call) CHECK((call) == cudaSuccess)

enum { N = 5000 };

__global__ void fill(int *v, int n, int first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] = first + i;
}

__global__ void add(int *v, int n, int what) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] += what;
}

static int *device(int n) {
    int *p;
    CUDA(cudaMalloc(&p, n * sizeof *p));
    CUDA(cudaMemset(p, 0xff, n * sizeof *p));
    return p;
}

static void get(int *host, const int *dev, int n) {
    CUDA(cudaMemcpy(host, dev, n * sizeof *host, cudaMemcpyDeviceToHost));
}

int main(int argc, char **argv) {
    static int host[64 * N];
    begin(&argc, &argv);
    const int next = (rank + 1) % size, before = (rank - 1 + size) % size;
    int *a = device(N), *b = device(N), *all = device(size * N);
    MPI_Request r[2];

    fill<<<(N + 255) / 256, 256>>>(a, N, rank * N);
    CUDA(cudaDeviceSynchronize());
    MPI_Irecv(b, N, MPI_INT, before, 1, MPI_COMM_WORLD, &r[0]);
    MPI_Isend(a, N, MPI_INT, next, 1, MPI_COMM_WORLD, &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    add<<<(N + 255) / 256, 256>>>(b, N, 1);
    get(host, b, N);
    for (int i = 0; i < N; i++) CHECK(host[i] == before * N + i + 1);

    // device to host, and back
    MPI_Sendrecv(a, 10, MPI_INT, next, 2, host, 10, MPI_INT, before, 2, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    for (int i = 0; i < 10; i++) CHECK(host[i] == before * N + i);
    MPI_Sendrecv(host, 10, MPI_INT, next, 3, b, 10, MPI_INT, before, 3, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    get(host, b, 10);
    for (int i = 0; i < 10; i++) CHECK(host[i] == (before - 1 + size) % size * N + i);

    // every tenth element, into every fifth
    MPI_Datatype ten, five;
    MPI_Type_vector(100, 1, 10, MPI_INT, &ten);
    MPI_Type_vector(100, 1, 5, MPI_INT, &five);
    MPI_Type_commit(&ten);
    MPI_Type_commit(&five);
    CUDA(cudaMemset(b, 0, N * sizeof *b));
    MPI_Sendrecv(a, 1, ten, next, 4, b, 1, five, before, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    get(host, b, 500);
    for (int i = 0; i < 500; i++) CHECK(host[i] == (i % 5 ? 0 : before * N + i * 2));

    MPI_Allgather(a, N, MPI_INT, all, N, MPI_INT, MPI_COMM_WORLD);
    get(host, all, size * N);
    for (int i = 0; i < size * N; i++) CHECK(host[i] == i);
    MPI_Allreduce(a, b, N, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    get(host, b, N);
    for (int i = 0; i < N; i++) CHECK(host[i] == size * (size - 1) / 2 * N + size * i);
    MPI_Bcast(b, 100, MPI_INT, size - 1, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, a, 3, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    get(host, a, 4);
    for (int i = 0; i < 4; i++) CHECK(host[i] == (i < 3 ? size - 1 : rank) * N + i);

    MPI_Win win;
    MPI_Win_create(all, size * N * sizeof *all, sizeof *all, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
    MPI_Win_fence(0, win);
    MPI_Put(&rank, 1, MPI_INT, next, 7, 1, MPI_INT, win);
    MPI_Put(b, 10, MPI_INT, next, 100, 10, MPI_INT, win);
    MPI_Win_fence(0, win);
    get(host, all, 110);
    CHECK(host[7] == before && host[105] == size * (size - 1) / 2 * N + size * 5);
    MPI_Win_free(&win);
    CUDA(cudaFree(a));
    CUDA(cudaFree(b));
    CUDA(cudaFree(all));
    return end();
}
