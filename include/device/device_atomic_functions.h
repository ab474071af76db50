// A name that programs use for a part of NVIDIA's cuda_runtime.h; ours comes in one piece.
#include "cuda_runtime.h"
