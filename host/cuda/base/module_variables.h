/* module_variables.h - places the variables of a module in device memory: their addresses, the
 * constant bank, and the bank of addresses. Files of host/cuda/object do so for each device of a
 * program, the library for its GPU.
 *
 * Threads: the caller's. */
#ifndef HEDDLE_CUDA_BASE_MODULE_VARIABLES_H
#define HEDDLE_CUDA_BASE_MODULE_VARIABLES_H

#include <stdbool.h>
#include <stdint.h>

#include "mir/mir.h"

/* A module's variables on one device. Starts as zeros. */
struct module_copy {
    bool placed;
    uint64_t const_bank;    /* device address of MIR_BANK_USER, 0: empty */
    uint64_t *address_bank; /* MIR_BANK_ADDRESS */
    uint64_t *address;      /* of each mir symbol */
};

/* Allocates `bytes` > 0 of memory for a variable, NULL: for the constant bank, and writes the
 * variable's first value, else zeros. @return its address, which is a pointer of this process as
 * well; 0: no memory. */
typedef uint64_t (*module_place_fn)(void *user, const struct mir_symbol *symbol, uint64_t bytes);

/* Places all variables, relocates addresses in their first values, and fills *on, which counts as
 * placed even after a failure. @return false: no memory; what was allocated stays the owner's. */
bool module_copy_place(struct module_copy *on, const struct mir_module *mir, module_place_fn place,
                       void *user);
/* Frees what *on owns, which is no device memory, and zeroes it. */
void module_copy_clear(struct module_copy *on);

#endif
