/* program_memory.c - frees memory of ended programs when no work can use it; see program_memory.h.
 * Runs in the server, on its thread, when a program ends or memory is short. */
#include "cuda/object/program_memory.h"

#include "cuda/object/ipc.h"
#include "cuda/object/stream_op.h"

/* Kernels of all programs that are issued and have not ended, without those that resets of GPUs
 * dropped: *given_up. Computes them from server.launched, server.given_up and the records of the
 * GPUs; changes nothing. */
uint64_t program_kernels_pending(const struct server *s, uint64_t *given_up) {
    uint64_t kernels = 0;
    *given_up = 0;
    for (unsigned i = 0; i < server_devices(s); i++) {
        size_t done;
        gpu_kernels(server_gpu(s, i), &done);
        kernels += s->launched[i] - done - s->given_up[i];
        *given_up += s->given_up[i];
    }
    return kernels;
}

/* Frees the memory of all ended programs in the address space, or passes it to programs that have
 * it open; sets their program.space to NULL. Does nothing while any kernel or operation of any
 * program is pending. */
void program_collect_memory(struct server *s) {
    uint64_t given_up;
    if (program_kernels_pending(s, &given_up) || stream_op_count(s)) return;
    for (struct program *p = s->programs; p; p = p->next) {
        if (!p->gone || !p->space) continue;
        ipc_bequeath(s, p);
        address_space_release_owner(p->space, p);
        p->space = NULL;
    }
}
