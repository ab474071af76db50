/* calls_ipc.c - memory and events that a program gives to others (cudaIpc*).
 *
 * All programs of a run live in one address space and on the same GPUs, so memory has its address
 * everywhere: a handle says which allocation it is. An event of several processes has its point of
 * a stream in a record that they share. Memory whose program ends is kept for those that have it
 * open; freed by its program before, it is gone for all (CUDA: undefined). */
#include <stdlib.h>
#include <string.h>

#include "cuda/capture.h"
#include "cuda_call_handlers.h"

enum { LAZY_ENABLE_PEER_ACCESS = 1, EVENT_DISABLE_TIMING = 2, EVENT_INTERPROCESS = 4 };

/* ---- memory */

/* All of an allocation on a device, by its first address. */
static const struct space_block *allocation(const struct call *call, uint64_t address) {
    const struct space *s = call->server->o.space;
    const struct space_block *b = space_find(s, address, 1);
    bool good = b && b->address == address && b->open && space_is_device(space_where(s, address));
    return good ? b : NULL;
}

int do_cudaIpcGetMemHandle(struct call *call, uint64_t pointer, uint64_t *number) {
    const struct space_block *b = allocation(call, pointer);
    if (!b || b->owner != call->program) return CUDA_ERROR_INVALID_VALUE;
    *number = b->number;
    return CUDA_SUCCESS;
}

/* Not in the program that gave the handle, as CUDA has it. */
int do_cudaIpcOpenMemHandle(struct call *call, uint64_t *pointer, uint64_t address, uint64_t number,
                            uint64_t flags) {
    if (flags != LAZY_ENABLE_PEER_ACCESS) return CUDA_ERROR_INVALID_VALUE;
    const struct space_block *b = allocation(call, address);
    struct program *p = call->program;
    bool own = b && b->owner == p && !ipc_has_opened(p, address);
    if (!b || b->number != number || own) return HEDDLE_cudaErrorInvalidResourceHandle;
    uint64_t *more = realloc(p->imported, (p->num_imported + 1) * sizeof *more);
    if (!more) return HEDDLE_cudaErrorMemoryAllocation;
    p->imported = more;
    p->imported[p->num_imported++] = address;
    *pointer = address;
    return CUDA_SUCCESS;
}

bool ipc_has_opened(const struct program *p, uint64_t address) {
    for (size_t i = 0; i < p->num_imported; i++)
        if (p->imported[i] == address) return true;
    return false;
}

/* To another program that has it open. @return false: none has. */
static bool hand_on(struct server *s, uint64_t address, const struct program *from) {
    for (const struct program *p = s->programs; p; p = p->next)
        if (p != from && !p->gone && ipc_has_opened(p, address))
            return space_give(s->o.space, address, p);
    return false;
}

void ipc_bequeath(struct server *s, const struct program *p) {
    for (const struct program *q = s->programs; q; q = q->next)
        for (size_t i = 0; q != p && !q->gone && i < q->num_imported; i++) {
            const struct space_block *b = space_find(s->o.space, q->imported[i], 1);
            if (b && b->owner == p) hand_on(s, q->imported[i], p);
        }
}

/* Work under way may use it. Memory whose program has ended goes when nobody has it open. */
int do_cudaIpcCloseMemHandle(struct call *call, uint64_t pointer) {
    struct program *p = call->program;
    struct space *space = call->server->o.space;
    size_t i = 0;
    while (i < p->num_imported && p->imported[i] != pointer) i++;
    if (i == p->num_imported) return CUDA_ERROR_INVALID_VALUE;
    int error = capture_forbids(call);
    if (!error) error = wait_all(call);
    if (error) return error;
    p->imported[i] = p->imported[--p->num_imported];
    const struct space_block *b = space_find(space, pointer, 1);
    if (b && b->owner == p && !ipc_has_opened(p, pointer) && !hand_on(call->server, pointer, p))
        space_release(space, space_where(space, pointer), pointer);
    return CUDA_SUCCESS;
}

/* ---- events */

struct shared_event *share_event(struct server *s, unsigned device) {
    struct shared_event *e = calloc(1, sizeof *e);
    if (!e) return NULL;
    e->number = ++s->num_shared;
    e->holders = 1;
    e->device = device;
    e->next = s->shared_events;
    s->shared_events = e;
    return e;
}

void unshare_event(struct server *s, struct shared_event *e) {
    if (--e->holders) return;
    struct shared_event **at = &s->shared_events;
    while (*at != e) at = &(*at)->next;
    *at = e->next;
    free(e);
}

int do_cudaIpcGetEventHandle(struct call *call, uint64_t event, uint64_t *number) {
    const struct event *e = find_event(call->program, event);
    if (!e || !e->shared) return HEDDLE_cudaErrorInvalidResourceHandle;
    *number = e->shared->number;
    return CUDA_SUCCESS;
}

int do_cudaIpcOpenEventHandle(struct call *call, uint64_t *event, uint64_t number) {
    struct shared_event *shared = call->server->shared_events;
    while (shared && shared->number != number) shared = shared->next;
    if (!shared) return HEDDLE_cudaErrorInvalidResourceHandle;
    size_t i;
    if (!new_event(call->program, &i)) return HEDDLE_cudaErrorMemoryAllocation;
    struct event *e = &call->program->event[i];
    e->flags = EVENT_DISABLE_TIMING | EVENT_INTERPROCESS;
    e->device = call->thread->device; /* in whose streams this program may record it */
    e->shared = shared;
    shared->holders++;
    *event = handle_of(i);
    return CUDA_SUCCESS;
}
