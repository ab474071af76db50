/* findings.c - what the checks of all kernels of a run have found; see findings.h. A GPU calls
 * findings_add() through `heddle run` on the server's thread, as a kernel ends. */
#include "cuda/base/findings.h"

#include <glib.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/base/diagnostics.h"
#include "cuda/base/memory_near.h"

/* The entry of the place, or NULL. */
static struct finding *find(struct findings *all, const struct gpu_finding *f) {
    const struct exec_fault *x = f->example;
    for (unsigned i = 0; i < all->num; i++) {
        struct finding *p = &all->place[i];
        if (p->pc == x->pc && p->kind == x->err && p->ptx_line == x->inst->ptx_line &&
            p->other_pc == x->other_pc && !strcmp(p->kernel, f->kernel))
            return p;
    }
    return NULL;
}

void findings_add(struct server *s, const struct gpu_finding *f) {
    struct findings *all = &s->findings;
    struct finding *place = find(all, f);
    all->total += f->count;
    if (!place && all->num == FINDINGS_MOST) {
        all->beyond += f->count;
        return;
    }
    if (!place) {
        char near[MEMORY_NEAR_BYTES];
        memory_near_fault(s->o.space, f->example, near);
        place = &all->place[all->num++];
        *place = (struct finding){.kernel = g_strdup(f->kernel),
                                  .text = g_strconcat(f->text, near, NULL),
                                  .kind = f->example->err,
                                  .pc = f->example->pc,
                                  .other_pc = f->example->other_pc,
                                  .ptx_line = f->example->inst->ptx_line};
        if (all->num == 1) server_found(s, place->text);
    }
    place->count += f->count;
}

void findings_clear(struct findings *f) {
    for (unsigned i = 0; i < f->num; i++) {
        g_free(f->place[i].kernel);
        g_free(f->place[i].text);
    }
    *f = (struct findings){0};
}
