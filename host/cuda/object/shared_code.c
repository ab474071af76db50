/* shared_code.c - see shared_code.h. */
#include "cuda/object/shared_code.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* A digest of the name and the texts, each with its length, which the caller frees. */
static char *key_of(const struct server_ptx *ptx, unsigned n, const char *name) {
    GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_checksum_update(sum, (const guchar *)name, (gssize)strlen(name) + 1);
    for (unsigned i = 0; i < n; i++) {
        g_checksum_update(sum, (const guchar *)&ptx[i].bytes, sizeof ptx[i].bytes);
        g_checksum_update(sum, (const guchar *)ptx[i].text, (gssize)ptx[i].bytes);
    }
    char *key = g_strdup(g_checksum_get_string(sum));
    g_checksum_free(sum);
    return key;
}

/* Reads the texts into a new object, under the key in the store if there is one. */
static heddle_err read(GHashTable *store, const struct server_options *o,
                       const struct server_ptx *ptx, unsigned n, const char *name, const char *key,
                       struct shared_code **out, struct heddle_diag *diag) {
    struct mir_module *mir;
    heddle_err e = o->compile(o->config, &mir, ptx, n, name, diag);
    if (e) return e;
    struct shared_code *c = heddle_alloc(sizeof *c + strlen(key) + 1, "code of a module");
    c->mir = mir;
    c->users = 1;
    c->store = store;
    strcpy(c->key, key);
    if (store) g_hash_table_insert(store, c->key, c);
    *out = c;
    return HEDDLE_OK;
}

heddle_err shared_code_take(GHashTable *store, const struct server_options *o,
                            const struct server_ptx *ptx, unsigned n, const char *name,
                            struct shared_code **out, struct heddle_diag *diag) {
    if (!store) return read(NULL, o, ptx, n, name, "", out, diag);
    char *key = key_of(ptx, n, name);
    struct shared_code *there = g_hash_table_lookup(store, key);
    heddle_err e = HEDDLE_OK;
    if (there) {
        there->users++;
        *out = there;
    } else {
        e = read(store, o, ptx, n, name, key, out, diag);
    }
    g_free(key);
    return e;
}

void shared_code_release(struct shared_code *c) {
    if (!c || --c->users) return;
    if (c->store) g_hash_table_remove(c->store, c->key);
    mir_module_free(c->mir);
    free(c);
}
