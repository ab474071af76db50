/* shim_register.c - the functions that the compiler's start-up code calls to register fat
 * binaries, kernels and variables.
 *
 * Runs in the program's process, in libcudart.so.N: before main() on its first thread, or in
 * dlopen() for a library loaded later. The program has usually not used CUDA yet and may still
 * fork, so these functions count the call and fill the tables of `shim` (shim_tables.c, under
 * shim.lock), but send nothing. Exceptions: __cudaInitModule() places managed variables, and
 * __cudaUnregisterFatBinary() tells the server. Both send messages.
 *
 * `handle` is the module's record (struct shim_module), `host` the program's handle of a kernel or
 * variable, and `name` its name in the PTX, a text that the program keeps. The other parameters
 * are ignored. */
#include <stdlib.h>
#include <string.h>

#include "cuda/shim/shim.h"

/* Makes the module's image (m->image, m->bytes) of the containers that were linked, `object`, ended
 * by NULL. A program compiled with -rdc=true registers linked machine code, and beside it the
 * inputs of the link, which hold the PTX. The image is a container of those containers; it is
 * allocated here and never freed. Sends nothing. @return CUDA_SUCCESS; cudaErrorInvalidKernelImage
 * for a damaged container, which is printed; cudaErrorMemoryAllocation. */
static int join_objects(struct shim_module *m, const void *const *object) {
    struct shim_fatbin_head outer = {SHIM_FATBIN_MAGIC, 1, sizeof outer, 0};
    for (unsigned i = 0; object[i]; i++) {
        uint64_t bytes = shim_container_bytes(object[i]);
        if (!bytes) return HEDDLE_cudaErrorInvalidKernelImage;
        outer.payload_bytes += bytes;
    }
    m->bytes = sizeof outer + outer.payload_bytes;
    char *p = malloc(m->bytes);
    if (!p) return HEDDLE_cudaErrorMemoryAllocation;
    m->image = p;
    memcpy(p, &outer, sizeof outer);
    p += sizeof outer;
    for (unsigned i = 0; object[i]; i++) {
        uint64_t bytes = shim_container_bytes(object[i]);
        memcpy(p, object[i], bytes);
        p += bytes;
    }
    return CUDA_SUCCESS;
}

/* Adds a module to the table, under shim.lock. A damaged fat binary is printed and stored as the
 * module's error, which every call about its kernels returns. @return the handle; NULL: no memory.
 */
SHIM_EXPORT void **__cudaRegisterFatBinary(const struct shim_fatbin_wrapper *wrapper);
void **__cudaRegisterFatBinary(const struct shim_fatbin_wrapper *wrapper) {
    enum { LINKED = 2 };
    shim_local(CALL___cudaRegisterFatBinary);
    struct shim_module *m = shim_add_module(false);
    if (!m) return NULL;
    const struct shim_fatbin_head *head = NULL;
    if (wrapper && shim_is_mapped(wrapper, sizeof *wrapper) && wrapper->magic == SHIM_WRAPPER_MAGIC)
        head = wrapper->image;
    if (!head) {
        shim_say("error: damaged fat binary: the wrapper does not begin with 0x%08x",
                 (unsigned)SHIM_WRAPPER_MAGIC);
        m->error = HEDDLE_cudaErrorInvalidKernelImage;
    } else if (wrapper->version == LINKED && wrapper->objects && wrapper->objects[0]) {
        m->error = join_objects(m, wrapper->objects);
    } else {
        m->image = head;
        m->bytes = shim_container_bytes(head);
        if (!m->bytes) m->error = HEDDLE_cudaErrorInvalidKernelImage;
    }
    return (void **)m;
}

/* Only counted: the module needs no end. */
SHIM_EXPORT void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFatBinaryEnd(void **handle) {
    (void)handle;
    shim_local(CALL___cudaRegisterFatBinaryEnd);
}

/* Asks the server for the addresses of the module's managed variables, maps their pages
 * (shim_map_allocation, under shim.lock), and stores the addresses in the program's pointers. Each
 * message counts as no call. Connects if necessary, which sends the registrations. Walks
 * shim.symbols without the lock: records are never removed. Prints the variable that fails and
 * stops. @return cudaError_t. */
static int place_managed(const struct shim_module *m) {
    int error = CUDA_SUCCESS;
    for (struct shim_symbol *s = shim.symbols; s && !error; s = s->next) {
        if (s->module != m || !s->managed) continue;
        struct shim_call call = {.id = CALL_cudaGetSymbolAddress};
        error = shim_ready();
        if (!error) error = s->error;
        call.in[0] = s->id;
        if (!error) error = shim_exchange(&call, WIRE_CALL);
        if (!error) error = shim_map_allocation(call.out[0], s->bytes ? s->bytes : 1);
        if (error)
            shim_say("error: managed variable %s has no place: %s", s->name,
                     cuda_error_text(error));
        else
            *s->managed = (void *)(uintptr_t)call.out[0];
    }
    return error;
}

/* Places the module's managed variables, and so connects and sends messages if it has any. Leaves
 * the last error alone. @return 1, or 0 if the module is damaged or a managed variable has no
 * place. */
SHIM_EXPORT char __cudaInitModule(void **handle);
char __cudaInitModule(void **handle) {
    shim_local(CALL___cudaInitModule);
    struct shim_module *m = (struct shim_module *)handle;
    if (!m || m->error) return 0;
    return place_managed(m) == CUDA_SUCCESS;
}

/* Runs when the program or a library ends, on the thread that ends it. Marks the module as
 * unloaded, and tells the server if it knows the module (one message, the call itself); otherwise
 * counts the call only. Records stay in the tables. */
SHIM_EXPORT void __cudaUnregisterFatBinary(void **handle);
void __cudaUnregisterFatBinary(void **handle) {
    struct shim_module *m = (struct shim_module *)handle;
    if (!m) return;
    if (m->sent && !m->error && !shim.forked && !shim.lost) {
        struct shim_call call = {.id = CALL___cudaUnregisterFatBinary, .in = {m->id}};
        shim_call(&call);
    } else {
        shim_local(CALL___cudaUnregisterFatBinary);
    }
    m->unloaded = true;
}

/* Adds a kernel to the table (shim_add_symbol, under shim.lock). Without memory it is left out,
 * without a message. */
SHIM_EXPORT void __cudaRegisterFunction(void **handle, const char *host, char *device,
                                        const char *name, int thread_limit, void *tid, void *bid,
                                        void *block, void *grid, int *warp_size);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, void *tid, void *bid, void *block, void *grid,
                            int *warp_size) {
    (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid;
    (void)warp_size;
    shim_local(CALL___cudaRegisterFunction);
    shim_add_symbol((struct shim_module *)handle, host, name, true, 0, false);
}

/* Adds a variable of `bytes` to the table; `constant`: it lies in constant memory. */
SHIM_EXPORT void __cudaRegisterVar(void **handle, char *host, char *device, const char *name,
                                   int external, size_t bytes, int constant, int global);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int external,
                       size_t bytes, int constant, int global) {
    (void)device, (void)external, (void)global;
    shim_local(CALL___cudaRegisterVar);
    shim_add_symbol((struct shim_module *)handle, host, name, false, bytes, constant != 0);
}

/* Adds a managed variable. `host` is the address of the program's pointer, which
 * __cudaInitModule() sets. The program may name the variable by the pointer's address or by the
 * pointer's value. Code compiled with the runtime's headers passes the value. */
SHIM_EXPORT void __cudaRegisterManagedVar(void **handle, void **host, char *device,
                                          const char *name, int external, size_t bytes,
                                          int constant, int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name,
                              int external, size_t bytes, int constant, int global) {
    (void)device, (void)external, (void)constant, (void)global;
    shim_local(CALL___cudaRegisterManagedVar);
    struct shim_symbol *s = shim_add_symbol((struct shim_module *)handle, host, name, false, bytes,
                                            false);
    if (s) s->managed = host;
}

/* Adds a texture or surface reference to the table, for shim_texture.c. `host`: the address of the
 * program's reference; `read_mode`: a texture's. Takes shim.lock; counts and sends nothing. */
void shim_add_reference(void **handle, const void *host, const char *name, int read_mode) {
    struct shim_symbol *s = shim_add_symbol((struct shim_module *)handle, host, name, false, 0,
                                            false);
    if (s) s->read_mode = read_mode;
}
