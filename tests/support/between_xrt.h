/* between_xrt.h - a library between the host and one with XRT's C functions: it exports them all,
 * and passes each call on. The file that includes this puts functions of its own into `front`, when
 * the library is loaded (between_loaded()), and calls those of the library behind through `behind`.
 * HEDDLE_XRT_BEHIND names that library; without it the process ends.
 *
 * Threads: as the library behind. */
#ifndef HEDDLE_TESTS_SUPPORT_BETWEEN_XRT_H
#define HEDDLE_TESTS_SUPPORT_BETWEEN_XRT_H

#include <dlfcn.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "core_regs.h"
#include "timing/xrt_abi.h"

/* The functions of the library behind, and those that are exported. */
static struct {
#define X(result, name, parameters, arguments) result(*name) parameters;
    XRT_FUNCTIONS(X)
#undef X
} behind, front;

/* Sets members of `front`. Defined by the file that includes this. */
static void between_loaded(void);

/* Opens the library behind when this one is loaded. */
__attribute__((constructor)) static void open_behind(void) {
    const char *path = getenv("HEDDLE_XRT_BEHIND");
    void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library) {
        fprintf(stderr, "HEDDLE_XRT_BEHIND=%s: cannot be loaded\n", path ? path : "");
        abort();
    }
#define X(result, name, parameters, arguments) *(void **)&behind.name = dlsym(library, #name);
    XRT_FUNCTIONS(X)
#undef X
    front = behind;
    between_loaded();
}

#define EXPORT __attribute__((visibility("default")))
#define X(result, name, parameters, arguments) \
    EXPORT result name parameters {            \
        return front.name arguments;           \
    }
XRT_FIXED_FUNCTIONS(X)
#undef X

/* Passes the argument on as the kernel's table says that it is. */
EXPORT int xrtRunSetArg(xrtRunHandle run, int number, ...) {
    static const bool buffers[CORE_NUM_ARGS] = {
#define X(number, offset, bits, buffer) buffer,
        CORE_ARG_MAP(X)
#undef X
    };
    va_list arguments;
    int r;
    va_start(arguments, number);
    if (number >= 0 && number < CORE_NUM_ARGS && buffers[number])
        r = front.xrtRunSetArg(run, number, va_arg(arguments, void *));
    else
        r = front.xrtRunSetArg(run, number, va_arg(arguments, uint32_t));
    va_end(arguments);
    return r;
}

#endif
