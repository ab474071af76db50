// setup [WHAT]: begin and end, memory, launches; WHAT is a wrong use.
#include "shmem_test.h"

__global__ void query(const int *address, int *all_fit) {
    EXPECT(S(ptr)(address, S(my_pe)()) == address, "ptr");
    EXPECT(S(ptr)(address, S(my_pe)() + 1) == NULL, "ptr of another PE");
    EXPECT(S(ptr)(&test_failures, S(my_pe)()) == NULL, "ptr of another variable");
    // all CTAs run at once
    if (is_thread_0()) {
        atomicAdd(all_fit, 1);
        while (atomicAdd(all_fit, 0) < (int)gridDim.x) {
        }
    }
    __syncthreads();
    if (blockIdx.x == 0) SB(barrier_all)();
}
__global__ void put(int *to, int pe) {
    S(int_p)(to, 1, pe);
    S(quiet)();
}
__global__ void bad_team() {
    S(team_sync)(17);
}

// Puts to this PE itself, whose other memory is as good as its heap.
__global__ void put_to_self(int *to, int *from) {
    S(int_p)(to, 7, S(my_pe)());
    S(quiet)();
    S(int_get)(from, to, 1, S(my_pe)());
    EXPECT(*from == 7, "put to this PE itself, outside the heap");
}

#ifdef NVSHMEM_NAMES
// NVSHMEM's ways to begin: with a number that PE 0 has got and all have been told.
static void begin_with_number(int rank, int ranks, bool got) {
    static nvshmemx_uniqueid_t number = NVSHMEMX_UNIQUEID_INITIALIZER;
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    if (got) HOST_EXPECT(!nvshmemx_get_uniqueid(&number));
    HOST_EXPECT(!nvshmemx_set_attr_uniqueid_args(rank, ranks, &number, &attributes));
    HOST_EXPECT(!nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes));
}
static void begin_wrongly(const char *what, int me, int n) {
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    unsigned flags = 0;
    if (!strcmp(what, "mpi")) flags = NVSHMEMX_INIT_WITH_MPI_COMM;
    if (!strcmp(what, "openshmem")) flags = NVSHMEMX_INIT_WITH_SHMEM;
    if (!strcmp(what, "threads")) flags = NVSHMEMX_INIT_THREAD_PES;
    if (!strcmp(what, "flags")) flags = 64;
    const bool number = !strcmp(what, "number"), rank = !strcmp(what, "rank");
    if (!flags && !number && !rank) return;
    nvshmem_finalize();
    if (number || rank) begin_with_number(rank ? me + 1 : me, n, rank);
    nvshmemx_set_attr_mpi_comm_args(&flags, &attributes);
    nvshmemx_init_attr(flags, &attributes);
}
#endif

// Wrong uses; each ends the program with a message, or the kernel with an error.
static int wrong(const char *what) {
    if (!strcmp(what, "early")) return S(my_pe)();
    S(init)();
    int *memory = (int *)S(malloc)(128), *other;
    const int me = S(my_pe)(), n = S(n_pes)();
    CHECK(cudaMalloc(&other, 4));
    if (!strcmp(what, "twice")) S(init)();
    if (!strcmp(what, "outside")) put<<<1, 1>>>(other, (me + 1) % n);
    if (!strcmp(what, "pe")) put<<<1, 1>>>(memory, n);
    if (!strcmp(what, "negative_pe")) put<<<1, 1>>>(memory, -1);
    if (!strcmp(what, "team")) bad_team<<<1, 1>>>();
    if (!strcmp(what, "host_team")) S(team_n_pes)(17);
    if (!strcmp(what, "world")) S(team_destroy)(SC(TEAM_WORLD));
    if (!strcmp(what, "free")) S(free)(memory + 1);
    if (!strcmp(what, "mask")) S(team_split_strided)(SC(TEAM_WORLD), 0, 1, n, NULL, 1,
            (int *)other);
    if (!strcmp(what, "mismatch")) {
        if (me) S(malloc)(256);
        else S(barrier_all)();
    }
    if (!strcmp(what, "large")) {
        void *arguments[] = {&memory, &other};
        return SX(collective_launch)((const void *)query, 100000, 64, arguments, 0, 0) != 0;
    }
#ifdef NVSHMEM_NAMES
    begin_wrongly(what, me, n);
    if (!strcmp(what, "symmetric")) nvshmemx_buffer_register_symmetric(other, 4, 0);
#endif
    const cudaError_t error = cudaDeviceSynchronize();
    printf("PE %d: %s\n", me, cudaGetErrorString(error));
    return error != cudaSuccess;
}

// Work of the host takes the time that the node "modern" takes for it: 1.5 us, and 100 us for what
// 30.72 MB take that lie in no cache.
static void host_works() {
    const uint64_t call_ps = 5000000; // a call itself takes less
    const uint64_t a = heddle_host_work(0, 0, 0), b = heddle_host_work(0, 0, 0);
    const uint64_t c = heddle_host_work(1000, 30720000, 1u << 30);
    if (!a) return; // a run without nodes
    HOST_EXPECT(b - a >= 1500000 && b - a < 1500000 + call_ps);
    HOST_EXPECT(c - b >= 101500000 && c - b < 101500000 + call_ps);
}

int main(int argc, char **argv) {
    if (argc > 1) return wrong(argv[1]);
    int provided;
    HOST_EXPECT(!S(init_thread)(SC(THREAD_MULTIPLE), &provided));
    HOST_EXPECT(provided == SC(THREAD_MULTIPLE));
    setenv("NVSHMEM_SYMMETRIC_SIZE", "8K", 1); // makes a page of 2 MiB
#ifdef NVSHMEM_NAMES // begins again, after its end
    const int rank = S(my_pe)(), ranks = S(n_pes)();
    S(finalize)();
    begin_with_number(rank, ranks, true);
    HOST_EXPECT(!nvshmemx_cumodule_init(NULL) && !nvshmemx_cumodule_finalize(NULL));
    HOST_EXPECT(!nvshmemx_buffer_register(NULL, 0) && !nvshmemx_buffer_unregister(NULL));
#else
    S(finalize)();
    S(init)();
#endif
    host_works();
    const int n = S(n_pes)(), me = S(my_pe)();
    const char *node = getenv("HEDDLE_PE");
    HOST_EXPECT(me >= 0 && me < n && (!node || atoi(node) == me));
    int *first = (int *)S(malloc)(100), *second = (int *)S(align)(4096, 1000);
    int *third = (int *)S(calloc)(1000, 4);
    HOST_EXPECT((size_t)second % 4096 == 0 && (char *)third >= (char *)second + 1000);
    void *most_of_page = S(malloc)(2000000);
    HOST_EXPECT(most_of_page != NULL);
    S(free)(most_of_page);
    int zeros[1000];
    CHECK(cudaMemcpy(zeros, third, sizeof zeros, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 1000; i++) HOST_EXPECT(zeros[i] == 0);
    HOST_EXPECT(S(malloc)((size_t)1 << 40) == NULL);
    HOST_EXPECT(S(calloc)((size_t)1 << 40, (size_t)1 << 40) == NULL);
    HOST_EXPECT(S(malloc)(0) == NULL);
    S(free)(first);
    HOST_EXPECT(S(malloc)(100) == first); // the room is free again
    S(free)(NULL);
    HOST_EXPECT(S(ptr)(first, me) == first && !S(ptr)(first, me + 1) && !S(ptr)(&n, me));

    int most, *all_fit;
    CHECK(cudaMalloc(&all_fit, sizeof *all_fit));
    CHECK(cudaMemset(all_fit, 0, sizeof *all_fit));
    void *arguments[] = {&first, &all_fit};
    HOST_EXPECT(!SX(collective_launch_query_gridsize)((const void *)query, 64, arguments, 0,
            &most));
    HOST_EXPECT(most >= 80);
    HOST_EXPECT(!SX(collective_launch)((const void *)query, 40, 64, arguments, 0, 0));
    FINISH();
    CHECK(cudaMemset(all_fit, 0, sizeof *all_fit));
    HOST_EXPECT(!SX(collective_launch)((const void *)query, dim3(0, 0, 0), 1024, arguments, 0, 0));
    FINISH();
    put_to_self<<<1, 1>>>(all_fit, first);
    FINISH();
    CHECK(cudaFree(all_fit));
    int major, minor;
    char name[SC(MAX_NAME_LEN)];
    S(info_get_version)(&major, &minor);
    S(info_get_name)(name);
    HOST_EXPECT(major == 1 && minor == SC(MINOR_VERSION) && strlen(name) > 0);
    S(query_thread)(&provided);
    S(sync_all)();
    S(barrier_all)();
    S(fence)();
    S(quiet)();
    S(free)(first);
    S(free)(second);
    S(free)(third);
    return test_end("setup");
}
