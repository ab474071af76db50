/* card_memory.c - patterns through a card's memory, for first_light.h: a buffer beside the rings,
 * without a run of the kernel. A wrong byte is the fault of the card's memory, of PCIe or of the
 * driver. */
#include <stdlib.h>

#include "common/memory.h"
#include "timing/first_light.h"

enum { PATTERNS = 3 };

/* Word i of pattern n: walking ones, their complement, and words that are all different. */
static uint64_t pattern(unsigned n, size_t i) {
    uint64_t one = UINT64_C(1) << i % 64;
    return n == 0 ? one : n == 1 ? ~one : (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
}

/* One pattern to the card and back. */
static heddle_err one_pattern(struct core *core, uint64_t *words, size_t bytes, unsigned n,
                              struct heddle_diag *diag) {
    for (size_t i = 0; i < bytes / 8; i++) words[i] = pattern(n, i);
    heddle_err e = core_echo(core, words, bytes);
    if (e) return heddle_fail(diag, e, "%s", core_error(core));
    for (size_t i = 0; i < bytes / 8; i++)
        if (words[i] != pattern(n, i))
            return heddle_fail(diag, HEDDLE_ERR_PROTOCOL,
                               "byte %zu of %zu came back from the card's memory as part of "
                               "0x%016llx instead of 0x%016llx",
                               8 * i, bytes, (unsigned long long)words[i],
                               (unsigned long long)pattern(n, i));
    return HEDDLE_OK;
}

heddle_err first_light_memory(const struct core_options *options, size_t bytes,
                              struct heddle_diag *diag) {
    struct core *core;
    heddle_err e = core_create(&core, options, diag);
    if (e) return e;
    uint64_t *words = heddle_alloc(bytes, "patterns of memory");
    for (unsigned n = 0; n < PATTERNS && !e; n++) e = one_pattern(core, words, bytes, n, diag);
    free(words);
    core_free(core);
    return e;
}
