/* fuzz_config.c - any text as a GPU's file, and what is behind a NUL as an argument of --set: a
 * GPU, or an error in words; never a crash or a hang.
 *
 * The linker puts in the fopen() below for the C library's: the text is no file on a disk. Files
 * that it is based on are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/config.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__real_fopen(const char *path, const char *mode);

enum { MOST = 4096 };
static const char name[] = "fuzz/gpu.ini";
static char text[MOST];
static size_t bytes;

FILE *__wrap_fopen(const char *path, const char *mode) {
    return strcmp(path, name) ? __real_fopen(path, mode) : fmemopen(text, bytes, "r");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct config *config = NULL;
    struct heddle_diag diag = {0};
    char set[MOST];
    const char *const sets[] = {set};
    if (size >= MOST) return 0;
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    bytes = end ? (size_t)(end - data) : size;
    if (!bytes) return 0; /* fmemopen() takes no empty one */
    memcpy(text, data, bytes);
    const size_t n = end ? size - bytes - 1 : 0;
    if (n) memcpy(set, end + 1, n);
    set[n] = '\0';
    const heddle_err e = config_load(&config, name, GPUS, sets, n != 0, &diag);
    if (e ? config || !diag.text[0] : !config) abort();
    config_free(config);
    return 0;
}
