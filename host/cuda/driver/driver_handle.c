/* driver_handle.c - handles of modules and kernels. They are addresses of the runtime's records;
 * this file looks them up in its tables (struct shim) under shim.lock. */
#include "cuda/driver/driver_module.h"

struct shim_module *driver_module(const void *handle) {
    pthread_mutex_lock(&shim.lock);
    struct shim_module *m = shim.modules;
    while (m && ((const void *)m != handle || m->unloaded)) m = m->next;
    pthread_mutex_unlock(&shim.lock);
    return m;
}

void driver_forget_module(uint64_t id) {
    pthread_mutex_lock(&shim.lock);
    for (struct shim_module *m = shim.modules; m; m = m->next)
        if (m->id == id) m->unloaded = true;
    pthread_mutex_unlock(&shim.lock);
}

struct shim_symbol *driver_function(void *handle) {
    return handle ? shim_find(handle, true) : NULL;
}
