// What heddle-cc looks at in the PTX that clang wrote.
#ifndef HEDDLE_CC_PTX_H
#define HEDDLE_CC_PTX_H

#include <stdbool.h>

// Functions that the simulated GPU provides itself; calls of others cannot be resolved.
// @return the name of the first function that the PTX calls and nobody defines, to be freed by the
//         caller, or NULL if there is none
char *cc_ptx_find_undefined(const char *ptx);

#endif
