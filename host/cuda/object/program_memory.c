/* program_memory.c - frees what ended programs had when no work can use it; see program_memory.h.
 * Runs in the server, on its thread, when a program ends or memory is short. */
#include "cuda/object/program_memory.h"

#include <stdlib.h>

#include "cuda/object/capture.h"
#include "cuda/object/graph.h"
#include "cuda/object/ipc.h"
#include "cuda/object/stream_op.h"

/* Whether launches, copies or fills of the program have not ended. */
static bool has_work(const struct server *s, const struct program *p) {
    bool any = stream_op_count(s, p) != 0;
    for (unsigned i = 0; i < server_devices(s) && !any; i++) any = gpu_pending(server_gpu(s, i), p);
    return any;
}

/* Frees code and graphs of a program, and adds its counts to the server's: a run may have many
 * short programs. */
static void shrink(struct server *s, struct program *p) {
    captures_free(p);
    graphs_destroy(p);
    g_ptr_array_set_size(p->symbols, 0);
    g_ptr_array_set_size(p->functions, 0);
    g_ptr_array_set_size(p->modules, 0);
    for (unsigned i = 0; i < CUDA_NUM_CALLS; i++) s->ended_calls[i] += p->control->count[i];
    free(p->control);
    p->control = NULL;
}

void program_collect_memory(struct server *s) {
    for (struct program *p = s->programs; p; p = p->next) {
        if (!p->gone || !p->space || has_work(s, p)) continue;
        ipc_bequeath(s, p);
        ipc_leave(s, p);
        address_space_release_owner(p->space, p);
        p->space = NULL;
        shrink(s, p);
    }
}
