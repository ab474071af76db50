/* no_pagemap.c - preloaded: /proc/self/pagemap cannot be opened. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    va_list args;
    va_start(args, flags);
    if (flags & O_CREAT) mode = va_arg(args, mode_t);
    va_end(args);
    if (strcmp(path, "/proc/self/pagemap") == 0) {
        errno = EACCES;
        return -1;
    }
    int (*next)(const char *, int, ...);
    *(void **)&next = dlsym(RTLD_NEXT, "open");
    return next(path, flags, mode);
}
