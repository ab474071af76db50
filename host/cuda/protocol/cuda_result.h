/* cuda_result.h - CUresult, the driver API's errors (tables/cuda_results.def), beside cudaError_t.
 *
 * Shared by libcuda.so.1 and the server; needs libc alone. */
#ifndef HEDDLE_CUDA_PROTOCOL_CUDA_RESULT_H
#define HEDDLE_CUDA_PROTOCOL_CUDA_RESULT_H

/* The CUresult of a cudaError_t: most have the same number. */
int cuda_result(int error);
/* The name of the value, as the toolkit's headers spell it, and its sentence; NULL if there is no
 * such value. The texts are constants. */
const char *cuda_result_name(int result);
const char *cuda_result_text(int result);

#endif
