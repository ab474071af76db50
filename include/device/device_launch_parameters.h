// NVIDIA's name for the declarations of threadIdx and its kin; ours come with cuda_runtime.h.
#include "cuda_runtime.h"
