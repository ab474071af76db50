// cc_build.h - the steps from source files to a program: device compilation, fat binary, host
// compilation, link.
#ifndef HEDDLE_CC_BUILD_H
#define HEDDLE_CC_BUILD_H

#include <stdbool.h>

#include "cc_options.h"

// The files that heddle-cc needs; folders are found relative to its own path.
struct cc_places {
    char *headers;     // path of include/device, owned
    char *library;     // path of lib, owned
    const char *clang; // name or path of clang++ (HEDDLE_CLANG), borrowed
};

// Reads /proc/self/exe and the environment.
// @return false if the program's own path cannot be found (a message was printed)
bool cc_places_find(struct cc_places *places);
void cc_places_free(struct cc_places *places);

// Builds the inputs as the options say. Deletes its temporary files, also when a step fails.
// @return false if a step failed; a message on stderr names it
bool cc_build(const struct cc_options *options, const struct cc_places *places);

#endif
