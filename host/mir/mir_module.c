/* mir_module.c - a module and the memory it owns. Front ends build modules on the thread that
 * compiles; the owner of a module frees it when no thread uses it any more. Contracts are in
 * mir_module.h and mir.h. */
#include "mir/mir_module.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

struct arena *mir_module_arena(struct mir_module *m) {
    return m->arena;
}

const char *mir_module_text(struct mir_module *m, const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(arena_alloc(m->arena, n), text, n);
}

/* The arena is allocated from the heap; the module itself lies in it. */
struct mir_module *mir_module_create(const char *name) {
    struct arena *a = heddle_alloc(sizeof *a, "a module");
    arena_init(a);
    struct mir_module *m = ARENA_NEW(a, struct mir_module);
    m->arena = a;
    m->name = mir_module_text(m, name);
    return m;
}

/* Frees the arena with everything in it, the module included. */
void mir_module_free(struct mir_module *m) {
    if (!m) return;
    struct arena *a = m->arena;
    arena_free(a);
    free(a);
}
