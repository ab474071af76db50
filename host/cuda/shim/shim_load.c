/* shim_load.c - a libcudart.so.N is loaded. */
#include "cuda/shim/shim.h"

__attribute__((constructor)) static void load(void) {
    shim_attach("libcudart.so." HEDDLE_CUDART_SONAME, HEDDLE_CUDART_VERSION);
}
