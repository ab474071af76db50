/* driver_context_table.c - the records of all contexts of the process, and each thread's stack of
 * them (driver_context.h; also driver_current() and its neighbours in driver.h).
 *
 * Runs in the program's process, in libcuda.so.1. The other files of this folder call it, on any
 * thread of the program. It sends no messages. A mutex guards the list of contexts that the
 * program created; a stack belongs to its thread. */
#include <stdlib.h>

#include "cuda/driver/driver_context.h"

/* All contexts of the process. */
static struct {
    pthread_mutex_t lock;
    struct driver_context primary[DRIVER_MAX_DEVICES]; /* by device */
    struct driver_context
        *own;              /* created by the program, the newest first; destroyed ones as well */
    uint64_t num_contexts; /* in `own` */
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The calling thread's stack, allocated by its first call here (shim_thread.driver); shim_link.c
 * frees it when the thread ends. NULL: no memory. */
struct driver_thread *driver_thread(void) {
    struct shim_thread *t = shim_self();
    if (!t->driver) t->driver = calloc(1, sizeof(struct driver_thread));
    return t->driver;
}

/* The record of a device's primary context, which always exists. `device` must be in range. */
struct driver_context *driver_primary(int device) {
    return &contexts.primary[device];
}

/* Runs when the library is loaded: fills the primary contexts' records. */
__attribute__((constructor)) static void load(void) {
    for (int d = 0; d < DRIVER_MAX_DEVICES; d++)
        contexts.primary[d] = (struct driver_context){
            .device = d, .primary = true, .id = (uint64_t)d + 1};
}

/* The calling thread's current context, or NULL (none, or no memory for the stack). Reads and
 * clears what the runtime's calls of this thread want (shim_thread.wants), and replaces or sets the
 * top of its stack by the primary context of the thread's device. Sends no message: the runtime has
 * already sent the server the device. Takes no lock. */
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

/* A created context is live until cuCtxDestroy(). A primary one is live while the program retains
 * it, or while the runtime uses its device (its bit in shim.runtime_on). `c` must be a context's
 * record. Takes no lock. */
bool driver_is_live(const struct driver_context *c) {
    if (!c->primary) return c->live;
    return __atomic_load_n(&c->retained, __ATOMIC_RELAXED) ||
           __atomic_load_n(&shim.runtime_on, __ATOMIC_RELAXED) >> c->device & 1;
}

/* The number of the context's device; driver.h keeps the record's form from the other files. */
int driver_device_of(const struct driver_context *c) {
    return c->device;
}

/* Compares the address with all contexts', and reads it only if it is one. Takes the list's lock.
 */
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

/* Numbers the context and adds it to the list for good, under the lock. `c` is the caller's
 * allocation, with the other members filled. */
void driver_context_add(struct driver_context *c) {
    pthread_mutex_lock(&contexts.lock);
    c->id = DRIVER_MAX_DEVICES + ++contexts.num_contexts;
    c->next = contexts.own; /* stays when destroyed: no other context gets its handle */
    contexts.own = c;
    pthread_mutex_unlock(&contexts.lock);
}

/* Marks the context as destroyed, under the lock. Its record stays in the list. */
void driver_context_destroy(struct driver_context *c) {
    pthread_mutex_lock(&contexts.lock);
    c->live = false;
    pthread_mutex_unlock(&contexts.lock);
}
