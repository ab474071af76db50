/* driver_context_table.c - all contexts of the process, and the stack of each thread. A mutex
 * guards the list of contexts; a stack belongs to its thread. */
#include <stdlib.h>

#include "cuda/driver/driver_context.h"

static struct {
    pthread_mutex_t lock;
    struct driver_context primary[DRIVER_MAX_DEVICES];
    struct driver_context *own;
    uint64_t num_contexts;
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

struct driver_thread *driver_thread(void) {
    struct shim_thread *t = shim_self();
    if (!t->driver) t->driver = calloc(1, sizeof(struct driver_thread));
    return t->driver;
}

struct driver_context *driver_primary(int device) {
    return &contexts.primary[device];
}

__attribute__((constructor)) static void load(void) {
    for (int d = 0; d < DRIVER_MAX_DEVICES; d++)
        contexts.primary[d] = (struct driver_context){
            .device = d, .primary = true, .id = (uint64_t)d + 1};
}

struct driver_context *driver_current(void) {
    struct shim_thread *t = shim_self();
    struct driver_thread *s = driver_thread();
    if (!s) return NULL;
    int wants = t->wants;
    t->wants = SHIM_WANTS_NOTHING;
    if (wants == SHIM_WANTS_PRIMARY) s->runtime_device = t->device;
    if (wants == SHIM_WANTS_PRIMARY || (wants == SHIM_WANTS_CONTEXT && !s->depth)) {
        if (!s->depth) s->depth = 1;
        s->stack[s->depth - 1] = driver_primary(t->device);
    }
    return s->depth ? s->stack[s->depth - 1] : NULL;
}

bool driver_is_live(const struct driver_context *c) {
    if (!c->primary) return c->live;
    return __atomic_load_n(&c->retained, __ATOMIC_RELAXED) ||
           __atomic_load_n(&shim.runtime_on, __ATOMIC_RELAXED) >> c->device & 1;
}

int driver_device_of(const struct driver_context *c) {
    return c->device;
}

bool driver_is_context(const struct driver_context *c) {
    if (c >= contexts.primary && c < contexts.primary + DRIVER_MAX_DEVICES)
        return driver_is_live(c);
    pthread_mutex_lock(&contexts.lock);
    const struct driver_context *o = contexts.own;
    while (o && o != c) o = o->next;
    bool found = o && o->live;
    pthread_mutex_unlock(&contexts.lock);
    return found;
}

void driver_context_add(struct driver_context *c) {
    pthread_mutex_lock(&contexts.lock);
    c->id = DRIVER_MAX_DEVICES + ++contexts.num_contexts;
    c->next = contexts.own; /* stays when destroyed, so that no other gets its handle */
    contexts.own = c;
    pthread_mutex_unlock(&contexts.lock);
}

void driver_context_destroy(struct driver_context *c) {
    pthread_mutex_lock(&contexts.lock);
    c->live = false;
    pthread_mutex_unlock(&contexts.lock);
}
