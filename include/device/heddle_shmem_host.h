// The host's side of SHMEM: the calls of the simulator's runtime, and work that the host gives to a
// CTA of its PE.
//
// SHMEM's host calls report no errors; one that fails ends the program with a message.
#ifndef HEDDLE_DEVICE_SHMEM_HOST_H
#define HEDDLE_DEVICE_SHMEM_HOST_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "heddle_host.h"
#include "heddle_shmem_core.h"
#include "heddle_shmem_teams.h"

namespace heddle_shmem_core {

struct host_team {
    int start, stride, size, mine; // size 0: there is none
};
struct host_state {
    int pe = -1, num_pes = 0;
    char *heap = NULL;
    uint64_t heap_bytes = 0;
    int *answer = NULL; // device memory for results of requests
    host_team team[NUM_TEAMS] = {};
};
inline host_state &host() {
    static host_state state;
    return state;
}

// Ends the program with a message, written as a whole, since other PEs may write theirs.
[[noreturn]] inline void host_refuse(const char *format, ...) {
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fprintf(stderr, "%s\n", text);
    exit(1);
}
inline void host_check(cudaError_t error, const char *call) {
    if (error != cudaSuccess) host_refuse("%s: %s", call, cudaGetErrorString(error));
}
inline host_state &host_ready(const char *call) {
    if (!host().num_pes) host_refuse("%s: called before the initialization of SHMEM", call);
    return host();
}

// A call of the simulator's runtime library.
template <class F> inline F host_function(const char *name) {
    void *address = heddle_host_function(name);
    if (!address) host_refuse("%s: there is no such call: run the program with `heddle run`", name);
    return reinterpret_cast<F>(address);
}
template <class... A> inline void host_call(const char *name, A... arguments) {
    host_check(host_function<cudaError_t (*)(A...)>(name)(arguments...), name);
}

// ---- work for a CTA

template <class F> __global__ void on_device(F call) {
    call(BLOCK);
}
template <class F> inline void host_launch(const F &call, cudaStream_t stream) {
    enum { THREADS = 128 };
    void *arguments[] = {(void *)&call};
    // its own result: cudaGetLastError() may be of a call of the program's
    const void *const kernel = (const void *)on_device<F>;
    host_check(cudaLaunchKernel(kernel, dim3(1), dim3(THREADS), arguments, 0, stream),
               "a kernel of the SHMEM library");
}
// On the host: gives the call to a CTA and waits for it. On the device: makes it. nvcc knows no
// functions of one name for both sides, so it gets one with two bodies; a kernel that only one of
// them names has to be named in the other as well (keep_kernel).
#ifdef __clang__
template <class F> __device__ inline int run(const F &call) {
    call(THREAD);
    return 0;
}
template <class F> inline int run(const F &call) {
    host_launch(call, 0);
    host_check(cudaStreamSynchronize(0), "a call of the SHMEM library");
    return 0;
}
template <class F> __host__ __device__ inline int keep_kernel() {
    return 0;
}
#else
template <class F> __host__ __device__ inline int keep_kernel() {
    if (false) {
        void (*kernel)(F) = on_device<F>;
        (void)kernel;
    }
    return 0;
}
template <class F> __host__ __device__ inline int run(const F &call) {
#ifdef __CUDA_ARCH__
    keep_kernel<F>();
    call(THREAD);
#else
    host_launch(call, 0);
    host_check(cudaStreamSynchronize(0), "a call of the SHMEM library");
#endif
    return 0;
}
#endif
template <class F> __device__ inline int run(scope s, const F &call) {
    call(s);
    return 0;
}
template <class F> inline int run_on_stream(const F &call, cudaStream_t stream) {
    host_launch(call, stream);
    return 0;
}

// ---- the program's PE

// Bytes of the symmetric heap: HEDDLE_SHMEM_SIZE or NVSHMEM_SYMMETRIC_SIZE (K, M, G may follow), or
// 256 MiB, and what the library needs. A size that is given becomes one of whole pages of 2 MiB:
// programs that ask for just their arrays rely on room for some words more.
inline uint64_t host_heap_bytes() {
    const char *text = getenv("HEDDLE_SHMEM_SIZE");
    if (!text) text = getenv("NVSHMEM_SYMMETRIC_SIZE");
    const uint64_t own = HEDDLE_SHMEM_RESERVED + ALL_SCRATCH;
    if (!text) return (UINT64_C(256) << 20) + own;
    char *end;
    double bytes = strtod(text, &end);
    for (const char *unit = "KMG"; *unit; unit++) {
        const bool is_it = *end == *unit || *end == *unit + 32;
        if (is_it) bytes *= *unit == 'K' ? 1024. : *unit == 'M' ? 1048576. : 1073741824.;
    }
    if (!(bytes > 0) || bytes > 1e12)
        host_refuse("the symmetric heap's size %s is not a number of bytes", text);
    const uint64_t page = UINT64_C(2) << 20;
    return ((uint64_t)bytes + page - 1) / page * page + own;
}

inline void *host_malloc(const char *call, size_t bytes, size_t alignment) {
    host_ready(call);
    void *address = NULL;
    host_call<uint64_t, uint64_t, void **>("__heddleShmemMalloc", bytes, alignment, &address);
    return address;
}
inline void host_free(const char *call, void *address) {
    host_ready(call);
    host_call<void *>("__heddleShmemFree", address);
}
inline void *host_calloc(const char *call, size_t count, size_t bytes) {
    if (bytes && count > SIZE_MAX / bytes) return NULL;
    void *address = host_malloc(call, count * bytes, 0);
    if (address) host_check(cudaMemset(address, 0, count * bytes), call);
    if (address) host_check(cudaDeviceSynchronize(), call);
    host_call("__heddleShmemBarrier"); // nobody writes there before all zeros do
    return address;
}

// A team as the host sees it. Ends the program if there is none.
inline const host_team &host_team_of(const char *call, int number) {
    host_ready(call);
    if (number < 0 || number >= NUM_TEAMS || !host().team[number].size)
        host_refuse("%s: there is no team %d", call, number);
    return host().team[number];
}

// Makes the program a PE, with the teams that all programs have. The first allocation is the
// library's own and shows where the heap is.
inline void host_init(const char *call) {
    host_state &h = host();
    if (h.num_pes) host_refuse("%s: called twice: this program is PE %d already", call, h.pe);
    const char *queues = getenv("HEDDLE_SHMEM_QUEUES");
    int pe, num_pes;
    h.heap_bytes = host_heap_bytes();
    host_call<uint64_t, uint64_t, int *, int *>(
        "__heddleShmemInit", h.heap_bytes, queues ? strtoull(queues, NULL, 0) : 0, &pe, &num_pes);
    h.pe = pe;
    h.num_pes = num_pes;
    char *scratch = (char *)host_malloc(call, ALL_SCRATCH, 0);
    h.heap = scratch - HEDDLE_SHMEM_RESERVED;
    host_check(cudaMalloc((void **)&h.answer, 128), "cudaMalloc");
    const host_team all = {0, 1, num_pes, pe}, alone = {pe, 1, 1, 0};
    const host_team teams[NUM_FIXED_TEAMS] = {all, alone, alone, all, alone, all};
    for (int i = 0; i < NUM_FIXED_TEAMS; i++) {
        team t = {};
        h.team[i] = teams[i];
        t.start = teams[i].start;
        t.stride = teams[i].stride;
        t.size = teams[i].size;
        t.mine = teams[i].mine;
        t.scratch = scratch + i * SCRATCH_BYTES;
        host_check(cudaMemcpy(h.heap + i * sizeof t, &t, sizeof t, cudaMemcpyHostToDevice), call);
    }
    host_call("__heddleShmemBarrier"); // nobody uses a team that a PE has yet to write
}
inline void host_finalize(const char *call) {
    host_ready(call);
    host_check(cudaFree(host().answer), "cudaFree");
    host_call("__heddleShmemFinalize");
    host() = host_state();
}
// Waits for this program's kernels and for all that they have sent, then for all other PEs.
inline void host_barrier(const char *call) {
    host_ready(call);
    host_check(cudaDeviceSynchronize(), call);
    host_launch(quiet_call(), 0);
    host_check(cudaDeviceSynchronize(), call);
    host_call("__heddleShmemBarrier");
}
inline void host_sync(const char *call) {
    host_ready(call);
    host_check(cudaDeviceSynchronize(), call);
    host_call("__heddleShmemBarrier");
}
// `address` if it is this PE's; another PE's memory is behind the network.
inline void *host_ptr(const char *call, const void *address, int pe) {
    const host_state &h = host_ready(call);
    const char *at = (const char *)address;
    return pe == h.pe && at >= h.heap && at < h.heap + h.heap_bytes ? (void *)at : NULL;
}
template <class T> inline T host_get_value(const T *from, int pe) {
    T value;
    run(get_call{host_ready("g").answer, from, sizeof value, pe, true});
    host_check(cudaMemcpy(&value, host().answer, sizeof value, cudaMemcpyDeviceToHost), "g");
    return value;
}

// ---- teams

inline int host_translate(const char *call, int from, int pe, int to) {
    if (from == NO_TEAM || to == NO_TEAM) return -1;
    const host_team &f = host_team_of(call, from), &t = host_team_of(call, to);
    return translate(f.start, f.stride, f.size, pe, t.start, t.stride, t.size);
}

// Splits a team (collective over it). @return 0, or -1 if there is no room or the numbers are
// wrong.
inline int host_split(const char *call, int parent, int start, int stride, int size, int *made) {
    *made = NO_TEAM;
    if (parent == NO_TEAM) return -1;
    const host_team p = host_team_of(call, parent);
    const int last = start + stride * (size - 1);
    if (start < 0 || start >= p.size || size < 1 || last < 0 || last >= p.size) return -1;
    if (stride == 0 && size > 1) return -1;
    int slot;
    const split_call split = {parent, start, stride ? stride : 1, size, host().answer};
    run(split);
    host_check(cudaMemcpy(&slot, host().answer, sizeof slot, cudaMemcpyDeviceToHost), call);
    if (slot < 0) return -1;
    const int at = split.place_of(p.mine);
    if (at < 0) return 0;
    host().team[slot] = {p.start + start * p.stride, split.stride * p.stride, size, at};
    *made = slot;
    return 0;
}
// Teams of a grid with rows of `columns` PEs: that of this PE's row and that of its column.
inline int host_split_2d(const char *call, int parent, int columns, int *row, int *column) {
    *row = *column = NO_TEAM;
    if (parent == NO_TEAM) return -1;
    const int size = host_team_of(call, parent).size;
    if (columns < 1) return -1;
    if (columns > size) columns = size;
    int made, error = 0;
    for (int first = 0; first < size && !error; first += columns) {
        const int count = size - first < columns ? size - first : columns;
        error = host_split(call, parent, first, 1, count, &made);
        if (made != NO_TEAM) *row = made;
    }
    for (int first = 0; first < columns && !error; first++) {
        error = host_split(call, parent, first, columns, (size - first - 1) / columns + 1, &made);
        if (made != NO_TEAM) *column = made;
    }
    return error;
}
inline void host_destroy(const char *call, int number) {
    if (number == NO_TEAM) return;
    host_team_of(call, number);
    if (number < NUM_FIXED_TEAMS) host_refuse("%s: team %d is there for good", call, number);
    run(destroy_call{number});
    host().team[number].size = 0;
}

// ---- launches of kernels whose CTAs wait for one another

inline int host_most_ctas(const char *call, const void *kernel, dim3 block, size_t shared,
                          int *most) {
    int device, processors, each;
    host_ready(call);
    cudaError_t error = cudaGetDevice(&device);
    if (!error) error = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
    if (!error)
        error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(
            &each, kernel, (int)(block.x * block.y * block.z), shared);
    if (error) fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(error));
    *most = error ? 0 : each * processors;
    return error;
}
// A grid of no CTAs asks for as many as fit. @return 0 or an error, with a message.
inline int host_collective_launch(const char *call, const void *kernel, dim3 grid, dim3 block,
                                  void **arguments, size_t shared, cudaStream_t stream) {
    int most;
    const int error = host_most_ctas(call, kernel, block, shared, &most);
    if (error) return error;
    if (!grid.x && !grid.y && !grid.z) grid = dim3(most);
    const unsigned long long ctas = 1ull * grid.x * grid.y * grid.z;
    if (!ctas || ctas > (unsigned)most) {
        fprintf(stderr,
                "%s: %llu CTAs, of which %d fit on the GPU at once: CTAs that wait for one "
                "another would never all run\n",
                call, ctas, most);
        return cudaErrorCooperativeLaunchTooLarge;
    }
    const cudaError_t launched = cudaLaunchCooperativeKernel(kernel, grid, block, arguments, shared,
                                                             stream);
    if (launched) fprintf(stderr, "%s: %s\n", call, cudaGetErrorString(launched));
    return launched;
}

} // namespace heddle_shmem_core
#endif
