/* mir_module.h - building a MIR module; for the front ends only. */
#ifndef HEDDLE_MIR_MIR_MODULE_H
#define HEDDLE_MIR_MIR_MODULE_H

#include "common/arena.h"
#include "mir/mir.h"

/* An empty module with an arena of its own; keeps a copy of `name`. The caller frees it with
 * mir_module_free(). Ends the process if memory is short. */
struct mir_module *mir_module_create(const char *name);
/* The module's arena: everything in the module is allocated from it. */
struct arena *mir_module_arena(struct mir_module *m);
/* A zero-terminated copy in the module's arena. */
const char *mir_module_text(struct mir_module *m, const char *text);

#endif
