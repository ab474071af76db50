/* shim_tables.c - the tables of registered fat binaries, kernels and variables, in `shim`.
 *
 * Runs in the program's process, in libheddle_shim.so, on top of shim_link.c. The compiler's
 * start-up code (shim_register.c) and the driver API's module calls add records; every call that
 * names a kernel or variable looks one up, on the thread of the program that makes it. shim.h has
 * the contracts. shim.lock guards the tables. Records are never freed.
 *
 * The thread's first call that needs the server sends the records. Records registered later
 * (dlopen) follow when their symbol is used. */
#include <stdlib.h>
#include <string.h>

#include "cuda/shim/shim.h"

/* The place of a host handle in shim.hash. */
static unsigned hash(const void *p) {
    return (unsigned)(((uintptr_t)p * 0x9E3779B97F4A7C15ull) >> 52) % SHIM_HASH;
}

/* Finds a symbol by host handle, by record's address (kernels) or by a managed variable's address.
 * Holds shim.lock meanwhile. If the record is not yet sent and the registrations have begun
 * (shim.started), sends all that are not yet sent; those messages need the thread's connection,
 * which this does not make (shim_ready). @return NULL: none, or its module is unloaded. */
struct shim_symbol *shim_find(const void *host, bool is_function) {
    pthread_mutex_lock(&shim.lock);
    struct shim_symbol *s = shim.hash[hash(host)];
    while (s && (s->host != host || s->is_function != is_function)) s = s->hash_next;
    if (!s && is_function) /* a cudaKernel_t is the address of the record */
        for (s = shim.symbols; s && (const void *)s != host; s = s->next) {
        }
    if (!s && !is_function) /* the address of a managed variable */
        for (s = shim.symbols; s && (!s->managed || *s->managed != host); s = s->next) {
        }
    if (s && shim.started && !s->sent) shim_send_registrations();
    pthread_mutex_unlock(&shim.lock);
    return s && !s->module->unloaded ? s : NULL;
}

/* Allocates an empty module record and appends it, under shim.lock. `sent`: the server knows it,
 * and the caller fills in its number. Sends nothing. NULL: no memory. */
struct shim_module *shim_add_module(bool sent) {
    struct shim_module *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->sent = sent;
    pthread_mutex_lock(&shim.lock);
    *shim.modules_end = m;
    shim.modules_end = &m->next;
    pthread_mutex_unlock(&shim.lock);
    return m;
}

/* Allocates a symbol record, fills it, and appends and hashes it under shim.lock. Keeps the pointer
 * `name`. Without a host handle the server knows the symbol already, and the record's address is
 * its handle. Sends nothing. NULL: no memory, or no module. */
struct shim_symbol *shim_add_symbol(struct shim_module *module, const void *host, const char *name,
                                    bool is_function, uint64_t bytes, bool constant) {
    struct shim_symbol *s = module ? calloc(1, sizeof *s) : NULL;
    if (!s) return NULL;
    if (!host) { /* the server knows it; the record is its own handle */
        host = s;
        s->sent = true;
    }
    s->host = host;
    s->name = name;
    s->module = module;
    s->is_function = is_function;
    s->bytes = bytes;
    s->constant = constant;
    s->num_params = -1;
    pthread_mutex_lock(&shim.lock);
    *shim.symbols_end = s;
    shim.symbols_end = &s->next;
    s->hash_next = shim.hash[hash(host)];
    shim.hash[hash(host)] = s;
    pthread_mutex_unlock(&shim.lock);
    return s;
}

/* Sends one message for each record that is not yet sent, marks it as sent, and stores its number
 * or error there. The caller holds shim.lock, and its thread is connected; otherwise the records
 * keep that error. Uses shim_exchange(), because the program's registration calls are already
 * counted. */
void shim_send_registrations(void) {
    for (struct shim_module *m = shim.modules; m; m = m->next) {
        if (m->sent) continue;
        m->sent = true;
        if (m->error || m->unloaded) continue;
        struct shim_call call = {.id = CALL___cudaRegisterFatBinary,
                                 .source = {.base = (void *)(uintptr_t)m->image},
                                 .payload_bytes = m->bytes};
        m->error = shim_exchange(&call, WIRE_CALL);
        m->id = call.out[0];
    }
    for (struct shim_symbol *s = shim.symbols; s; s = s->next) {
        if (s->sent) continue;
        s->sent = true;
        s->error = s->module->error;
        if (s->error || s->module->unloaded) continue;
        struct shim_call call = {.source = {.base = (void *)(uintptr_t)s->name},
                                 .payload_bytes = strlen(s->name) + 1,
                                 .in = {s->module->id}};
        if (s->is_function) {
            call.id = CALL___cudaRegisterFunction;
        } else {
            call.id = CALL___cudaRegisterVar;
            call.in[1] = s->bytes;
            call.in[2] = s->managed ? 2 : s->constant;
        }
        s->error = shim_exchange(&call, WIRE_CALL);
        s->id = call.out[0];
    }
}
