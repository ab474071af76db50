/* fuzz_fatbin.c - the reader of fat binaries (cuda/base/fatbin.c) on any bytes: it returns PTX, or
 * an error with a message, and never crashes. */
#include <stdlib.h>

#include "cuda/base/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Called by libFuzzer for each input. Aborts when an error has no message, or when PTX lacks its
 * final NUL. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct heddle_diag diag = {0};
    struct fatbin_ptx ptx = {0};
    heddle_err e = fatbin_ptx(data, size, 70, &ptx, &diag);
    if (e ? !diag.text[0] || ptx.text : !ptx.text || ptx.text[ptx.bytes]) abort();
    fatbin_free(&ptx);
    return 0;
}
