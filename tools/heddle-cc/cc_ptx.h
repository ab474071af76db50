// cc_ptx.h - checks of the PTX that clang wrote.
#ifndef HEDDLE_CC_PTX_H
#define HEDDLE_CC_PTX_H

#include <stdbool.h>

// Finds a function that the PTX declares as external. The simulated GPU provides some; calls of
// others cannot be resolved.
// @return the name of the first one that it does not provide, to be freed by the caller, or NULL if
//         there is none
char *cc_ptx_find_undefined(const char *ptx);

#endif
