/* shim_load.c - runs when a libcudart.so.N is loaded, and connects the program (shim_attach). */
#include "cuda/shim/shim.h"

__attribute__((constructor)) static void load(void) {
    shim_attach("libcudart.so." HEDDLE_CUDART_SONAME, HEDDLE_CUDART_VERSION);
}
