// Stands for a header of NVIDIA's that programs include; Heddle's cuda_runtime.h contains all of
// it.
#include "cuda_runtime.h"
