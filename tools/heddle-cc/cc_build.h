// The steps from source files to a program: device compilation, fat binary, host compilation, link.
#ifndef HEDDLE_CC_BUILD_H
#define HEDDLE_CC_BUILD_H

#include <stdbool.h>

#include "cc_options.h"

// Where heddle-cc stands; everything it needs lies relative to that.
struct cc_places {
    char *headers;     // include/device
    char *library;     // lib
    const char *clang; // a word for exec
};

// @return false if the program's own path cannot be found (a message was printed)
bool cc_places_find(struct cc_places *places);
void cc_places_free(struct cc_places *places);

// Builds what the options ask for; temporary files are gone afterwards, whatever happens.
// @return false if a step failed; it has been named on stderr
bool cc_build(const struct cc_options *options, const struct cc_places *places);

#endif
