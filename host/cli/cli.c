/* cli.c - see cli.h */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int cli_error(const char *format, ...) {
    va_list args;
    va_start(args, format);
    fputs("heddle: error: ", stderr);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    return EXIT_HEDDLE;
}

bool cli_find_paths(struct cli_paths *out) {
    char exe[400];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (n <= 0 || n == sizeof exe - 1) return false; /* or a part of it */
    exe[n] = '\0';
    for (int up = 0; up < 2; up++) { /* .../bin/heddle */
        char *slash = strrchr(exe, '/');
        if (!slash) return false;
        *slash = '\0';
    }
    snprintf(out->lib, sizeof out->lib, "%s/lib", exe);
    snprintf(out->gpus, sizeof out->gpus, "%s/share/heddle/gpus", exe);
    return true;
}
