/* cuda_error.h - the values of cudaError_t, their names and sentences (tables/cuda_errors.def).
 *
 * Shared by the shim and the server; needs libc alone. */
#ifndef HEDDLE_CUDA_PROTOCOL_CUDA_ERROR_H
#define HEDDLE_CUDA_PROTOCOL_CUDA_ERROR_H

#include <stdbool.h>

typedef enum cuda_error {
#define CUDA_ERR(name, value, sticky, sentence) HEDDLE_##name = value,
#include "tables/cuda_errors.def"
} cuda_error;

/* Short names of the values that generated code uses. */
enum { CUDA_SUCCESS = HEDDLE_cudaSuccess, CUDA_ERROR_INVALID_VALUE = HEDDLE_cudaErrorInvalidValue };

/* The name of the value, as the toolkit's headers spell it, and its sentence; "unrecognized error
 * code" if there is no such value. The texts are constants. */
const char *cuda_error_name(int error);
const char *cuda_error_text(int error);
/* True when the error leaves the context unusable: every later call returns it. */
bool cuda_error_is_sticky(int error);

#endif
