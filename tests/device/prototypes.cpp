// prototypes.cpp - prints the type of every public call in C++'s symbol-name form: parameters and
// result, without default arguments. prototypes.cmake compares the output with Heddle's headers
// (CUDA 12) and with the toolkit's (CUDA 13).
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <typeinfo>

#if CUDART_VERSION >= 13000
// libcudart.so.13 exports these calls, but its headers no longer declare them.
extern "C" {
cudaError_t cudaConfigureCall(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream);
cudaError_t cudaSetupArgument(const void *argument, size_t size, size_t offset);
cudaError_t cudaLaunch(const void *function);
}
#endif

#define cudaCreateChannelDesc cudaGetLastError // of use for arrays alone, not declared yet
#define CUDA_PUBLIC(call) std::printf("%s %s\n", #call, typeid(call).name());
int main() {
#if CUDART_VERSION >= 13000
#include "cuda_public_13.def"
#else
#include "cuda_public_12.def"
#endif
    return 0;
}
