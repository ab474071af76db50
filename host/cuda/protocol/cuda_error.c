/* cuda_error.c - the texts of tables/cuda_errors.def; see cuda_error.h. Pure functions, linked into
 * the shim and into the server, for any thread. */
#include "cuda/protocol/cuda_error.h"

/* The formatter would move the #include behind a macro into the macro. */
/* clang-format off */

/* The name of the value as the toolkit's headers spell it, a constant; "unrecognized error code"
 * for a value that is not in the table. */
const char *cuda_error_name(int error) {
    switch (error) {
#define CUDA_ERR(name, value, sticky, sentence) \
    case value: return #name;
#include "tables/cuda_errors.def"
    default: return "unrecognized error code";
    }
}

/* The sentence of the value, a constant; "unrecognized error code" for a value that is not in the
 * table. */
const char *cuda_error_text(int error) {
    switch (error) {
#define CUDA_ERR(name, value, sticky, sentence) \
    case value: return sentence;
#include "tables/cuda_errors.def"
    default: return "unrecognized error code";
    }
}

/* True if the error leaves the context unusable; false for a value that is not in the table. */
bool cuda_error_is_sticky(int error) {
    switch (error) {
#define CUDA_ERR(name, value, sticky, sentence) \
    case value: return sticky;
#include "tables/cuda_errors.def"
    default: return false;
    }
}
