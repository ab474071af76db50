/* error.c - the sentences of errors, and the function that describes an error to the user; the list
 * is in error.h. Every part of Heddle calls it, on any thread; nothing is touched but the caller's
 * diag. */
#include "common/error.h"

#include <errno.h>
#include <stdio.h>

/* @return the sentence for e, static text; "unknown error" for a value outside the list. */
const char *heddle_err_text(heddle_err e) {
    switch (e) {
#define X(name, value, sentence) \
    case name: return sentence;
        HEDDLE_ERR_MAP(X)
#undef X
    }
    return "unknown error";
}

const char *heddle_advice(int error) {
    switch (error) {
    case EMFILE: return "; raise the limit of open files (ulimit -n)";
    case EFBIG: return "; raise the limit of files (ulimit -f)";
    default: return "";
    }
}

/* Formats a message into diag, unless that is NULL, and returns e. */
heddle_err heddle_fail(struct heddle_diag *diag, heddle_err e, const char *format, ...) {
    if (diag) {
        va_list args;
        va_start(args, format);
        diag->err = e;
        vsnprintf(diag->text, sizeof diag->text, format, args);
        va_end(args);
    }
    return e;
}
