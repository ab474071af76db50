/* calls_ipc.c - handlers that share memory and events with other programs (cudaIpc*); see ipc.h and
 * event.h. A handle contains the address and number of an allocation, or the number of an event.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table for the program's
 * call NAME and for driver calls that are served like it; tables/cuda_calls.def and cuda_driver.def
 * give the parameters (a uint64_t each; pointers are results, which the reply carries only on
 * success). Functions that return int return a cudaError_t, named here without the prefix
 * "cudaError". They change program.imported, program.events and holders of shared events. Only
 * closing memory waits. */
#include "cuda/object/capture.h"
#include "cuda/object/event.h"
#include "cuda/object/ipc.h"
#include "cuda/object/wait.h"
#include "cuda_call_handlers.h"

enum { LAZY_ENABLE_PEER_ACCESS = 1 };

/* ---- memory */

/* The whole allocation on a device that begins at the address, or NULL. */
static const struct memory_block *allocation(const struct call *call, uint64_t address) {
    const struct address_space *s = call->server->o.space;
    const struct memory_block *b = address_space_find(s, address, 1);
    bool good = b && b->address == address && b->open &&
                region_is_device(address_space_region(s, address));
    return good ? b : NULL;
}

/* *number: of the program's own allocation, on a device, that begins at the pointer. @return
 * InvalidValue: there is none. */
int do_cudaIpcGetMemHandle(struct call *call, uint64_t pointer, uint64_t *number) {
    const struct memory_block *b = allocation(call, pointer);
    if (!b || b->owner != call->program) return CUDA_ERROR_INVALID_VALUE;
    *number = b->number;
    return CUDA_SUCCESS;
}

/* Adds an opening to program.imported (ipc_open()); *pointer is the same address. As in CUDA, the
 * program that made the handle cannot open it. @return InvalidValue: other flags;
 * InvalidResourceHandle: own memory, another node's, or it has been freed. */
int do_cudaIpcOpenMemHandle(struct call *call, uint64_t *pointer, uint64_t address, uint64_t number,
                            uint64_t flags) {
    if (flags != LAZY_ENABLE_PEER_ACCESS) return CUDA_ERROR_INVALID_VALUE;
    const struct memory_block *b = allocation(call, address);
    struct program *p = call->program;
    bool own = b && b->owner == p && !ipc_has_opened(p, address);
    bool near = b && program_device_of(p, address_space_region(call->server->o.space, address)) <
                         call_devices(call); /* else it is another node's */
    if (!near || b->number != number || own) return HEDDLE_cudaErrorInvalidResourceHandle;
    if (!ipc_open(p, address)) return HEDDLE_cudaErrorMemoryAllocation;
    *pointer = address;
    return CUDA_SUCCESS;
}

/* Waits for all work of all GPUs, which may use the memory, and removes an opening; memory whose
 * owner has ended is freed with the last one. The wait drives the simulation and blocks the server;
 * a fault becomes the sticky error (wait.c). @return InvalidValue: the program has not opened it;
 * StreamCaptureUnsupported: a capture forbids it, and is invalidated. */
int do_cudaIpcCloseMemHandle(struct call *call, uint64_t pointer) {
    if (!ipc_has_opened(call->program, pointer)) return CUDA_ERROR_INVALID_VALUE;
    int error = capture_forbids(call);
    if (!error) error = wait_all_first(call);
    if (!error) ipc_close(call->server, call->program, pointer);
    return error;
}

/* ---- events */

/* *number: of the interprocess event's shared record. @return InvalidResourceHandle: no such event,
 * or not interprocess. */
int do_cudaIpcGetEventHandle(struct call *call, uint64_t event, uint64_t *number) {
    const struct event *e = event_find(call->program, event);
    if (!e || !e->shared) return HEDDLE_cudaErrorInvalidResourceHandle;
    *number = e->shared->number;
    return CUDA_SUCCESS;
}

/* Adds an event to program.events that shares the record, of which it is one more holder. @return
 * InvalidResourceHandle: all its holders have gone, or it is another node's. */
int do_cudaIpcOpenEventHandle(struct call *call, uint64_t *event, uint64_t number) {
    struct shared_event *shared = event_find_shared(call->server, number);
    if (!shared || shared->node != call->program->node)
        return HEDDLE_cudaErrorInvalidResourceHandle;
    struct event *e = event_create(call->program, call->thread->device,
                                   EVENT_DISABLE_TIMING | EVENT_INTERPROCESS, event);
    event_join_shared(e, shared);
    return CUDA_SUCCESS;
}
