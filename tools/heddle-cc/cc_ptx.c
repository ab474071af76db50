// cc_ptx.c - finds a function that PTX declares but nothing defines, before a program is built with
// it. cc_build.c calls it in heddle-cc's one thread. Pure but for the allocated result.
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

// Scans the text for declarations ".extern .func". @return the name of the first function that the
// simulated GPU does not provide, a new string that the caller frees; NULL: there is none.
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
