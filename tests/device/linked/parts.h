// parts.h - device declarations shared by both translation units.
template <class T> __device__ __noinline__ T twice(T x) {
    return x + x;
}
extern __device__ int shared_counter;
__device__ int other(int x);
void run_second(int *out);
