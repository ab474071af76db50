// cc_ptx.c - see cc_ptx.h. Pure but for the allocated result.
#define _GNU_SOURCE
#include "cc_ptx.h"

#include <stdlib.h>
#include <string.h>

// Functions that the simulated GPU provides.
static const char *const provided[] = {"vprintf", "malloc", "free", "__assertfail"};

static bool is_provided(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof provided / sizeof provided[0]; i++) {
        if (strlen(provided[i]) == length && strncmp(provided[i], name, length) == 0) return true;
    }
    return false;
}

// Scans the text for declarations ".extern .func".
char *cc_ptx_find_undefined(const char *ptx) {
    // ".extern .func [(.param .b32 result)] name" then "(" or an end of line.
    static const char declaration[] = ".extern .func";
    for (const char *at = ptx; (at = strstr(at, declaration));) {
        at += strlen(declaration);
        at += strspn(at, " \t\n");
        if (*at == '(') {
            at += strcspn(at, ")");
            if (*at) at++;
            at += strspn(at, " \t\n");
        }
        size_t length = strcspn(at, " \t\n(;");
        if (!is_provided(at, length)) return strndup(at, length);
    }
    return NULL;
}
