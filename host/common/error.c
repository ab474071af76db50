/* error.c - see error.h. Pure but for the caller's diag; any thread. */
#include "common/error.h"

#include <stdio.h>

const char *heddle_err_text(heddle_err e) {
    switch (e) {
#define X(name, value, sentence) \
    case name: return sentence;
        HEDDLE_ERR_MAP(X)
#undef X
    }
    return "unknown error";
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
