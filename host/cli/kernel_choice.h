/* kernel_choice.h - the kernels of a module that a user names. */
#ifndef HEDDLE_CLI_KERNEL_CHOICE_H
#define HEDDLE_CLI_KERNEL_CHOICE_H

#include <stdbool.h>

#include "mir/mir.h"

/* Whether each kernel of the module is named by `wanted`: its name, mangled or demangled; or, where
 * no kernel has it, its name without template arguments; or, where none has that, a part of it.
 * NULL names all. @return the list, m->num_functions long, which the caller frees with g_free();
 * NULL after an error that names the kernels of `file`: none fits. */
bool *kernel_choose(const struct mir_module *m, const char *file, const char *wanted);

#endif
