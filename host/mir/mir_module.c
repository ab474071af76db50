/* mir_module.c - a module and the memory it owns. Front ends build modules on the thread that
 * compiles; the owner of a module frees it when no thread uses it any more. Memory comes from the
 * module's arena, which ends the process when memory is short, so nothing here fails. */
#include "mir/mir_module.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* @return the arena that everything in the module is allocated from; it ends with the module. */
struct arena *mir_module_arena(struct mir_module *m) {
    return m->arena;
}

/* @return a zero-terminated copy of `text` in the module's arena. */
const char *mir_module_text(struct mir_module *m, const char *text) {
    size_t n = strlen(text) + 1;
    return memcpy(arena_alloc(m->arena, n), text, n);
}

/* @return an empty module with a copy of `name`. The arena is allocated from the heap; the module
 * itself lies in it. The caller frees both with mir_module_free(). */
struct mir_module *mir_module_create(const char *name) {
    struct arena *a = heddle_alloc(sizeof *a, "a module");
    arena_init(a);
    struct mir_module *m = ARENA_NEW(a, struct mir_module);
    m->arena = a;
    m->name = mir_module_text(m, name);
    return m;
}

heddle_err mir_module_compile(struct mir_module *m, uint32_t i, struct heddle_diag *diag) {
    return m->functions[i].code ? HEDDLE_OK : m->source->compile(m->source, i, diag);
}

struct mir_text *mir_text_create(const char *text, size_t bytes) {
    struct mir_text *t = heddle_alloc(sizeof *t, "a module's text");
    *t = (struct mir_text){1, bytes, heddle_alloc(bytes + 1, "a module's text")};
    memcpy(t->text, text, bytes);
    t->text[bytes] = 0;
    return t;
}

struct mir_text *mir_text_share(struct mir_text *t) {
    if (t) t->users++;
    return t;
}

void mir_text_release(struct mir_text *t) {
    if (!t || --t->users) return;
    free(t->text);
    free(t);
}

/* Frees the arena with everything in it, the module included. Accepts NULL. */
void mir_module_free(struct mir_module *m) {
    if (!m) return;
    if (m->source) m->source->free(m->source);
    mir_text_release(m->text);
    struct arena *a = m->arena;
    arena_free(a);
    free(a);
}
