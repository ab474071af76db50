/* mpi_remote.c - windows of MPI; contracts in mpi_remote.h. */
#include "cuda/object/mpi_remote.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/base/payload.h"

/* A PE's part of a window. */
struct part {
    struct program *program; /* NULL: it has ended */
    uint64_t window, pe, base, bytes;
    uint64_t holders; /* PEs that hold its lock, a bit each */
    bool exclusive;   /* there is one, alone */
};

struct mpi_remote {
    GArray *parts; /* struct part */
};

static struct mpi_remote *remote_of(struct server *s) {
    if (s->remote) return s->remote;
    s->remote = heddle_alloc(sizeof *s->remote, "windows");
    s->remote->parts = g_array_new(FALSE, FALSE, sizeof(struct part));
    return s->remote;
}

void mpi_remote_drop(struct server *s) {
    if (!s->remote) return;
    g_array_unref(s->remote->parts);
    free(s->remote);
    s->remote = NULL;
}

static struct part *find(const struct server *s, uint64_t window, uint64_t pe) {
    for (unsigned i = 0; s->remote && i < s->remote->parts->len; i++) {
        struct part *p = &g_array_index(s->remote->parts, struct part, i);
        if (p->window == window && p->pe == pe) return p;
    }
    return NULL;
}

int mpi_remote_open(struct call *call, uint64_t window, uint64_t base, uint64_t bytes) {
    const struct mpi_remote *r = remote_of(call->server);
    const struct address_space *space = call->server->o.space;
    const struct part part = {call->program, window, call->program->node, base, bytes, 0, false};
    if (find(call->server, window, part.pe)) return HEDDLE_cudaErrorAlreadyMapped;
    if (bytes && region_is_device(address_space_region(space, base)) &&
        !address_space_reachable(space, base, bytes)) {
        server_error(call->server,
                     "%s (process %d): a window of %llu bytes at 0x%llx: no allocation of device "
                     "memory has all of them",
                     call->program->name, call->program->pid, (unsigned long long)bytes,
                     (unsigned long long)base);
        return HEDDLE_cudaErrorInvalidValue;
    }
    g_array_append_val(r->parts, part);
    return CUDA_SUCCESS;
}

void mpi_remote_close(struct call *call, uint64_t window) {
    GArray *parts = remote_of(call->server)->parts;
    for (unsigned i = 0; i < parts->len; i++) {
        const struct part *p = &g_array_index(parts, struct part, i);
        if (p->window != window || p->pe != call->program->node) continue;
        g_array_remove_index(parts, i);
        return;
    }
}

void mpi_remote_leave(struct server *s, const struct program *program) {
    for (unsigned i = 0; s->remote && i < s->remote->parts->len; i++) {
        struct part *p = &g_array_index(s->remote->parts, struct part, i);
        if (p->program == program) p->program = NULL;
        p->holders &= ~(UINT64_C(1) << program->node);
    }
    s->met = true; /* its locks are free */
}

/* Whether the server reaches the part's memory itself. */
static bool is_shared(const struct server *s, const struct part *p) {
    return address_space_region(s->o.space, p->base) != REGION_HOST;
}

/* The part, if it has the range and its program lives. */
static enum wire_mpi_state check(const struct server *s, uint64_t window, uint64_t pe,
                                 uint64_t offset, uint64_t bytes, const struct part **out) {
    const struct part *p = *out = find(s, window, pe);
    if (!p || !p->program) return WIRE_MPI_ENDED;
    return bytes <= p->bytes && offset <= p->bytes - bytes ? WIRE_MPI_DONE : WIRE_MPI_RANGE;
}

enum wire_mpi_state mpi_remote_check(const struct server *s, uint64_t window, uint64_t pe,
                                     uint64_t offset, uint64_t bytes, uint64_t *device) {
    const struct part *p;
    const enum wire_mpi_state state = check(s, window, pe, offset, bytes, &p);
    const bool is_device = state == WIRE_MPI_DONE &&
                           region_is_device(address_space_region(s->o.space, p->base));
    *device = is_device ? p->base + offset : 0;
    return state;
}

enum wire_mpi_state mpi_remote_read(struct server *s, uint64_t window, uint64_t pe, uint64_t offset,
                                    void *out, uint64_t bytes) {
    const struct part *p;
    const enum wire_mpi_state state = check(s, window, pe, offset, bytes, &p);
    if (state != WIRE_MPI_DONE || !bytes) return state;
    if (is_shared(s, p))
        memcpy(out, (const void *)(uintptr_t)(p->base + offset), bytes);
    else if (!program_peek(s, p->program, p->base + offset, out, bytes))
        return WIRE_MPI_ENDED;
    return WIRE_MPI_DONE;
}

enum wire_mpi_state mpi_remote_write(struct server *s, uint64_t window, uint64_t pe,
                                     uint64_t offset, const void *in, uint64_t bytes) {
    const struct part *p;
    const enum wire_mpi_state state = check(s, window, pe, offset, bytes, &p);
    if (state != WIRE_MPI_DONE || !bytes) return state;
    if (is_shared(s, p)) {
        memcpy((void *)(uintptr_t)(p->base + offset), in, bytes);
        address_space_note_write(s->o.space, p->base + offset, bytes);
    } else if (!program_poke(s, p->program, p->base + offset, in, bytes)) {
        return WIRE_MPI_ENDED;
    }
    return WIRE_MPI_DONE;
}

bool mpi_remote_takes(uint64_t operation, uint64_t basic, uint64_t count) {
    if (basic >= NUM_BASICS) return false;
    if (operation == WIRE_MPI_COMPARE_AND_SWAP) return count == 1;
    return operation < OP_USER &&
           mpi_reduce_takes((enum mpi_op_kind)operation, (enum mpi_basic)basic);
}

void mpi_remote_combine(uint64_t operation, uint64_t basic, const uint8_t *operand, uint8_t *values,
                        uint64_t count) {
    const size_t one = mpi_basic_size((enum mpi_basic)basic);
    if (operation != WIRE_MPI_COMPARE_AND_SWAP)
        mpi_reduce_basic((enum mpi_op_kind)operation, (enum mpi_basic)basic, operand, values,
                         count);
    else if (memcmp(values, operand, one) == 0)
        memcpy(values, operand + one, one);
}

enum wire_mpi_state mpi_remote_lock(struct server *s, uint64_t window, uint64_t pe, uint64_t by,
                                    bool exclusive) {
    struct part *p = find(s, window, pe);
    const uint64_t own = UINT64_C(1) << by;
    if (!p) return WIRE_MPI_ENDED;
    if (p->holders & own) return WIRE_MPI_WRONG;
    if (p->holders && (exclusive || p->exclusive)) return WIRE_MPI_PENDING;
    p->holders |= own;
    p->exclusive = exclusive;
    return WIRE_MPI_DONE;
}

enum wire_mpi_state mpi_remote_unlock(struct server *s, uint64_t window, uint64_t pe, uint64_t by) {
    struct part *p = find(s, window, pe);
    const uint64_t own = UINT64_C(1) << by;
    if (!p || !(p->holders & own)) return WIRE_MPI_WRONG;
    p->holders &= ~own;
    p->exclusive = false;
    s->met = true; /* another may wait for it */
    return WIRE_MPI_DONE;
}

bool mpi_remote_holds(const struct server *s, uint64_t window, uint64_t pe, uint64_t by) {
    const struct part *p = find(s, window, pe);
    return p && p->holders & UINT64_C(1) << by;
}
