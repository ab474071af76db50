/* driver_handle.c - handles of modules and kernels (contracts in driver.h and driver_module.h).
 * They are addresses of the runtime's records; this file looks them up in its tables (struct shim)
 * under shim.lock.
 *
 * Runs in the program's process, in libcuda.so.1, on the thread that makes a call with such a
 * handle. A handle from the program may be any value: it is compared with the records' addresses,
 * and read only if it is one. Modules and kernels are never removed from the tables. */
#include "cuda/driver/driver_module.h"

/* The loaded module with this handle, or NULL: no such handle, or the module is unloaded. Walks the
 * list of modules under shim.lock; sends nothing. The record stays valid after the unlock, because
 * none is ever freed. */
struct shim_module *driver_module(const void *handle) {
    pthread_mutex_lock(&shim.lock);
    struct shim_module *m = shim.modules;
    while (m && ((const void *)m != handle || m->unloaded)) m = m->next;
    pthread_mutex_unlock(&shim.lock);
    return m;
}

/* Marks the module with the server's number `id` as unloaded, under shim.lock; does nothing if
 * there is none. Sends nothing. The caller tells the server. */
void driver_forget_module(uint64_t id) {
    pthread_mutex_lock(&shim.lock);
    for (struct shim_module *m = shim.modules; m; m = m->next)
        if (m->id == id) m->unloaded = true;
    pthread_mutex_unlock(&shim.lock);
}

/* The kernel with this handle, or NULL: no such handle, or its module is unloaded. Takes shim.lock,
 * and sends registrations that are not yet sent (shim_find). */
struct shim_symbol *driver_function(void *handle) {
    return handle ? shim_find(handle, true) : NULL;
}
