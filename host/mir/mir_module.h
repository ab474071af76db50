/* mir_module.h - building a MIR module: for the front ends alone. */
#ifndef HEDDLE_MIR_MIR_MODULE_H
#define HEDDLE_MIR_MIR_MODULE_H

#include "common/arena.h"
#include "mir/mir.h"

/* An empty module with an arena of its own; freed by mir_module_free(). */
struct mir_module *mir_module_create(const char *name);
struct arena *mir_module_arena(struct mir_module *m);
/* A zero-terminated copy in the module's arena. */
const char *mir_module_text(struct mir_module *m, const char *text);

#endif
