/* fuzz_fatbin.c - any bytes as a fat binary: an error or PTX, never a crash, and what is named as
 * the error is told in words. */
#include <stdlib.h>

#include "cuda/base/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct heddle_diag diag = {0};
    struct fatbin_ptx ptx = {0};
    heddle_err e = fatbin_ptx(data, size, 70, &ptx, &diag);
    if (e ? !diag.text[0] || ptx.text : !ptx.text || ptx.text[ptx.bytes]) abort();
    fatbin_free(&ptx);
    return 0;
}
