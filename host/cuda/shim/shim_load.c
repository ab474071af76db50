/* shim_load.c - announces a libcudart.so.N: the dynamic linker runs it when it loads the library,
 * on the loading thread, usually before main(). It connects that thread to the server and prints
 * one line about that (shim_attach). */
#include "cuda/shim/shim.h"

/* Sets shim.runtime to this library's major version, too. */
__attribute__((constructor)) static void load(void) {
    shim_attach("libcudart.so." HEDDLE_CUDART_SONAME, HEDDLE_CUDART_VERSION);
}
