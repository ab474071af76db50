// Prints the type of every public call, as C++ writes it in symbol names: parameters and result,
// no default arguments. Compiled with our headers (CUDA 12) and with the toolkit's (CUDA 13),
// prototypes.cmake compares.
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <typeinfo>

#if CUDART_VERSION >= 13000
// Exported by libcudart.so.13, no longer declared.
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
