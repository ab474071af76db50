/* shared_code.h - the code of a module, which several programs may share: the copies of one program
 * on several nodes bring the same PTX, which is then read and compiled once.
 *
 * Kernels lie in a module's code space in the order in which they were compiled. So programs share
 * code only if their calls are served in the order of target time (server.in_order): else that
 * order, and with it what instruction caches find, would depend on the host. Owner: the server, on
 * its thread. */
#ifndef HEDDLE_CUDA_OBJECT_SHARED_CODE_H
#define HEDDLE_CUDA_OBJECT_SHARED_CODE_H

#include <glib.h>

#include "cuda/base/server_options.h"

/* Code, and how many modules have it. */
struct shared_code {
    struct mir_module *mir;
    unsigned users;
    GHashTable *store; /* where others find it, or NULL */
    char key[];        /* its name there; empty without a store */
};

/* Reads n PTX texts as o->compile does, or takes what is in the store under the same texts and
 * name. `store`: text to struct shared_code, borrowed as long as any of its code is in use; NULL:
 * nothing is shared. The caller gives *out back. @return the compiler's error, with the reason in
 * *diag. */
heddle_err shared_code_take(GHashTable *store, const struct server_options *o,
                            const struct server_ptx *ptx, unsigned n, const char *name,
                            struct shared_code **out, struct heddle_diag *diag);
/* Gives code back; the last user's call frees it. Accepts NULL. */
void shared_code_release(struct shared_code *c);

#endif
