// declared.cu - compiles if heddle-cc's headers declare every implemented public call of
// libcudart.so.12; the compiler's error names a missing one.
#include <cuda_profiler_api.h>

#define CUDA_PUBLIC(call) using ::call;
namespace declared {
#include "cuda_public_12.def"
}
