// team.cuh - a CTA's threads, or the CPU in their place: code in phases, which runs on both sides
// and gives the same bits.
//
// Outside phases every thread has the same values. A phase is a function of the thread's number; it
// may write what only this thread reads before the next phase.

#define THREADS 64
#define WARPS (THREADS / 32)

// Runs a phase on all threads and waits for them.
template <class F> BOTH void team(F phase) {
#ifdef __CUDA_ARCH__
    phase((int)threadIdx.x);
    __syncthreads();
#else
    for (int thread = 0; thread < THREADS; thread++) phase(thread);
#endif
}

// The sum of all threads' parts: by halves within a warp, then warp after warp. Parts are lost.
BOTH float team_sum(float part[THREADS]) {
#ifdef __CUDA_ARCH__
    float mine = part[threadIdx.x];
    for (int half = 16; half > 0; half /= 2) mine += __shfl_down_sync(0xffffffff, mine, half);
    __syncthreads();
    if (threadIdx.x % 32 == 0) part[threadIdx.x] = mine;
    __syncthreads();
#else
    for (int half = 16; half > 0; half /= 2)
        for (int thread = 0; thread < THREADS; thread++)
            if (thread % 32 < half) part[thread] += part[thread + half];
#endif
    float sum = part[0];
    for (int warp = 1; warp < WARPS; warp++) sum += part[32 * warp];
#ifdef __CUDA_ARCH__
    __syncthreads(); // before parts are written again
#endif
    return sum;
}
