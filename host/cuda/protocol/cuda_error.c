/* cuda_error.c - the texts of tables/cuda_errors.def, in the shim and in the server; see
 * cuda_error.h */
#include "cuda/protocol/cuda_error.h"

/* The formatter would move the #include behind a macro into the macro. */
/* clang-format off */

const char *cuda_error_name(int error) {
    switch (error) {
#define CUDA_ERR(name, value, sticky, sentence) \
    case value: return #name;
#include "tables/cuda_errors.def"
    default: return "unrecognized error code";
    }
}

const char *cuda_error_text(int error) {
    switch (error) {
#define CUDA_ERR(name, value, sticky, sentence) \
    case value: return sentence;
#include "tables/cuda_errors.def"
    default: return "unrecognized error code";
    }
}

bool cuda_error_is_sticky(int error) {
    switch (error) {
#define CUDA_ERR(name, value, sticky, sentence) \
    case value: return sticky;
#include "tables/cuda_errors.def"
    default: return false;
    }
}
