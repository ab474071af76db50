/* shim_load.c - runs when the dynamic linker loads a libcudart.so.N, and connects that thread of
 * the program to the server (shim_attach, which prints one line about it). */
#include "cuda/shim/shim.h"

__attribute__((constructor)) static void load(void) {
    shim_attach("libcudart.so." HEDDLE_CUDART_SONAME, HEDDLE_CUDART_VERSION);
}
