// Compiles if heddle-cc's headers declare every public call of libcudart.so.12 that is implemented;
// a call that they miss is an error with its name.
#include <cuda_profiler_api.h>

#define cudaCreateChannelDesc cudaGetLastError // of use for arrays alone, not declared yet
#define CUDA_PUBLIC(call) using ::call;
namespace declared {
#include "cuda_public_12.def"
}
