/* fuzz_profile.c - any bytes as a profile: an error in words and no kernel, or kernels whose known
 * metrics are finite and not negative; never a crash or a hang. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "project/read_profile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST = 1 << 16 };
    if (size > MOST) return 0;
    struct project_kernels kernels = {0};
    struct project_gpu gpu;
    struct heddle_diag diag = {0};
    char *text = malloc(size + 1);
    if (!text) abort();
    memcpy(text, data, size);
    text[size] = '\0';
    heddle_err e = project_read_text(&kernels, &gpu, text, size, "fuzz", &diag);
    if (e ? !diag.text[0] || kernels.count : !kernels.count) abort();
    for (size_t i = 0; i < kernels.count; i++)
        for (int m = 0; m < NUM_PROJECT_METRICS; m++) {
            const struct project_kernel *k = &kernels.at[i];
            if (k->known[m] && !(isfinite(k->of[m]) && k->of[m] >= 0)) abort();
        }
    project_kernels_clear(&kernels);
    free(text);
    return 0;
}
