/* gpu_text.c - loads a GPU's file from memory, to check it; contracts in gpu_text.h. cmd_import.c
 * and cmd_config_new.c call it on the main thread of `heddle`. */
#define _GNU_SOURCE /* memfd_create */
#include "cli/gpu_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/config.h"

heddle_err gpu_text_check(const char *text, size_t size, const char *gpus,
                          struct heddle_diag *diag) {
    char path[64];
    struct config *config = NULL;
    struct heddle_diag bad = {0};
    int fd = memfd_create("gpu", MFD_CLOEXEC);
    if (fd < 0 || write(fd, text, size) != (ssize_t)size) {
        int error = errno;
        if (fd >= 0) close(fd);
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot check the result: %s", strerror(error));
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    heddle_err e = config_load(&config, path, gpus, NULL, 0, &bad);
    const size_t n = strlen(path);
    const char *what = bad.text;
    if (e && !strncmp(what, path, n)) what += n + strcspn(what + n, " ") + 1; /* PATH:LINE: */
    config_free(config);
    close(fd);
    return e ? heddle_fail(diag, e, "%s", what) : e;
}
