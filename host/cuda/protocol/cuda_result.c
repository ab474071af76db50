/* cuda_result.c - translates cudaError_t to CUresult, and the texts of tables/cuda_results.def; see
 * cuda_result.h. The runtime has several errors that the driver reports as
 * CUDA_ERROR_INVALID_VALUE. Pure functions, for any thread of libcuda.so.1 and for the server's
 * trace. */
#include "cuda/protocol/cuda_result.h"

#include <stddef.h>

#include "cuda/protocol/cuda_error.h"

enum { RESULT_NOT_FOUND = 500 }; /* CUDA_ERROR_NOT_FOUND */

/* The CUresult of a cudaError_t. The driver lacks some values of the runtime; they become the value
 * that it returns in their place. All others keep their number. */
int cuda_result(int error) {
    switch (error) {
    case HEDDLE_cudaErrorInvalidSymbol: return RESULT_NOT_FOUND;
    case HEDDLE_cudaErrorInvalidDeviceFunction: return HEDDLE_cudaErrorInvalidResourceHandle;
    case HEDDLE_cudaErrorInvalidConfiguration:
    case HEDDLE_cudaErrorInvalidPitchValue:
    case HEDDLE_cudaErrorInvalidHostPointer:
    case HEDDLE_cudaErrorInvalidDevicePointer:
    case HEDDLE_cudaErrorInvalidTexture:
    case HEDDLE_cudaErrorInvalidTextureBinding:
    case HEDDLE_cudaErrorInvalidChannelDescriptor:
    case HEDDLE_cudaErrorInvalidMemcpyDirection:
    case HEDDLE_cudaErrorInvalidFilterSetting:
    case HEDDLE_cudaErrorInvalidNormSetting:
    case HEDDLE_cudaErrorInvalidSurface: return HEDDLE_cudaErrorInvalidValue;
    default: return error;
    }
}

/* The formatter would move the #include behind a macro into the macro. */
/* clang-format off */

/* The name of the value as the toolkit's headers spell it, a constant; NULL: not in the table. */
const char *cuda_result_name(int result) {
    switch (result) {
#define CU_RESULT(name, value) \
    case value: return #name;
#include "tables/cuda_results.def"
    default: return NULL;
    }
}

/* The sentence of the value, a constant: its own, else that of the cudaError_t of the same number.
 * NULL: the value is not in the table. */
const char *cuda_result_text(int result) {
    switch (result) {
#define CU_RESULT_ALONE(name, value, sentence) \
    case value: return sentence;
#include "tables/cuda_results.def"
    default: return cuda_result_name(result) ? cuda_error_text(result) : NULL;
    }
}
