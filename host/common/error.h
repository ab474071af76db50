/* error.h - every error of Heddle's functions, in one list, with a sentence for each.
 *
 * A function that can fail returns heddle_err. Where the reader needs more than the sentence of the
 * list, it also fills a struct heddle_diag that its caller owns. Values are fixed: add at the end
 * of a group, never renumber. */
#ifndef HEDDLE_COMMON_ERROR_H
#define HEDDLE_COMMON_ERROR_H

#include <stdarg.h>

/*        name                     value  sentence */
#define HEDDLE_ERR_MAP(X)                                                       \
    X(HEDDLE_OK, 0, "no error")                                                 \
    X(HEDDLE_ERR_NOMEM, 1, "out of host memory")                                \
    X(HEDDLE_ERR_IO, 2, "input or output failed")                               \
    X(HEDDLE_ERR_ARGUMENT, 3, "argument out of range")                          \
    X(HEDDLE_ERR_INTERNAL, 4, "internal error, please report it")               \
    X(HEDDLE_ERR_CONFIG, 10, "configuration not valid")                         \
    X(HEDDLE_ERR_FATBIN, 20, "fat binary damaged or not understood")            \
    X(HEDDLE_ERR_PTX_SYNTAX, 30, "PTX syntax error")                            \
    X(HEDDLE_ERR_PTX_UNSUPPORTED, 31, "PTX not supported")                      \
    X(HEDDLE_ERR_PTX_RESOURCES, 32, "kernel does not fit the GPU")              \
    X(HEDDLE_ERR_NO_SYMBOL, 33, "symbol not found in module")                   \
    X(HEDDLE_ERR_ILLEGAL_ADDRESS, 40, "illegal address")                        \
    X(HEDDLE_ERR_MISALIGNED, 41, "misaligned address")                          \
    X(HEDDLE_ERR_TRAP, 42, "trap instruction executed")                         \
    X(HEDDLE_ERR_BARRIER, 43, "barrier used wrongly")                           \
    X(HEDDLE_ERR_DEADLOCK, 44, "no warp can make progress")                     \
    X(HEDDLE_ERR_LAUNCH, 45, "launch configuration not possible")               \
    X(HEDDLE_ERR_STOPPED, 46, "given up on request")                            \
    X(HEDDLE_ERR_RACE, 47, "race on shared memory")                             \
    X(HEDDLE_ERR_UNINITIALISED, 48, "shared memory read before it was written") \
    X(HEDDLE_ERR_ASSERT, 49, "device-side assert failed")                       \
    X(HEDDLE_ERR_BACKEND, 50, "timing core not available")                      \
    X(HEDDLE_ERR_PROTOCOL, 51, "timing core and host disagree")                 \
    X(HEDDLE_ERR_GLOBAL_RACE, 60, "race on global memory")                      \
    X(HEDDLE_ERR_WAITING, 61, "a stream waits for a word of memory")            \
    X(HEDDLE_ERR_UNWRITTEN, 62, "global memory read before it was written")     \
    X(HEDDLE_ERR_TIMEOUT, 63, "kernel took too long")

typedef enum heddle_err {
#define X(name, value, sentence) name = value,
    HEDDLE_ERR_MAP(X)
#undef X
} heddle_err;

/* The description of an error for the user. */
struct heddle_diag {
    heddle_err err;
    char text[1024]; /* NUL-terminated, one or several lines, no trailing newline */
};

/* @return the sentence for e: static text, never NULL. */
const char *heddle_err_text(heddle_err e);
/* What a user can do about an errno, to be written behind its text; "": nothing special. */
const char *heddle_advice(int error);

/* Fills diag (may be NULL) and returns e, so that `return heddle_fail(d, E, "...", ...)` works. */
heddle_err heddle_fail(struct heddle_diag *diag, heddle_err e, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
