/* calls_mpi.c - handlers of the calls that libmpi makes; see mpi_world.h, mpi_window_access.h.
 *
 * Runs in the server, on its thread. session.c calls do_NAME() through call_table;
 * tables/cuda_calls.def gives the parameters. A call that waits is suspended and runs again from
 * its beginning. Before anything else each charges the host time of the program's MPI calls,
 * once. */
#include <stdlib.h>
#include <string.h>

#include "cuda/base/payload.h"
#include "cuda/object/mpi_remote.h"
#include "cuda/object/mpi_window_access.h"
#include "cuda/object/mpi_world.h"
#include "cuda_call_handlers.h"

/* Moves the thread's clock by the cost of `calls` MPI calls, when the call is served first. */
static void charge(struct call *call, uint64_t calls) {
    if (!call->thread->is_suspended) call->thread->now_ps += calls * call->server->o.mpi.call_ps;
}

/* A wait that has not ended: later. */
static int later(struct call *call) {
    call->repeatable = true;
    return CALL_SUSPENDED;
}

static void move_clock(struct call *call, uint64_t at_ps) {
    if (at_ps > call->thread->now_ps) call->thread->now_ps = at_ps;
}

int do___heddleMpiBegin(struct call *call, uint64_t *rank, uint64_t *size) {
    return mpi_world_begin(call, rank, size);
}

int do___heddleMpiEnd(struct call *call) {
    mpi_world_leave(call->server, call->program);
    return CUDA_SUCCESS;
}

int do___heddleMpiSend(struct call *call, uint64_t calls, uint64_t target, uint64_t context,
                       uint64_t tag, uint64_t mode, uint64_t address, uint64_t bytes,
                       uint64_t *request) {
    const struct mpi_envelope to = {target, context, tag};
    uint8_t *data = NULL;
    charge(call, calls);
    if (!address && call->payload_bytes != bytes) return HEDDLE_cudaErrorInvalidValue;
    if (!address && bytes) {
        data = call_take_payload(call, PAYLOAD_MESSAGE);
        if (!data) return HEDDLE_cudaErrorMemoryAllocation;
    }
    return mpi_world_send(call, &to, (enum wire_mpi_mode)mode, address, bytes, data, request);
}

int do___heddleMpiReceive(struct call *call, uint64_t calls, uint64_t source, uint64_t context,
                          uint64_t tag, uint64_t address, uint64_t bytes, uint64_t message,
                          uint64_t *request) {
    const struct mpi_envelope from = {source, context, tag};
    charge(call, calls);
    return mpi_world_receive(call, &from, address, bytes, message, request);
}

/* Sends the program bytes for the memory that it has offered. */
static void hand_over(struct call *call, const uint8_t *data, uint64_t bytes) {
    uint64_t at = 0;
    for (; bytes - at > WIRE_STAGING_BYTES; at += WIRE_STAGING_BYTES)
        if (!call_push(call, at, data + at, WIRE_STAGING_BYTES)) return;
    if (bytes > at) call_push_last(call, at, data + at, (uint32_t)(bytes - at));
}

int do___heddleMpiFinish(struct call *call, uint64_t calls, uint64_t request, uint64_t wait,
                         uint64_t *state, uint64_t *source, uint64_t *tag, uint64_t *bytes) {
    const struct mpi_request *r = mpi_world_request(call, request);
    charge(call, calls);
    if (!r) return HEDDLE_cudaErrorInvalidResourceHandle;
    *state = WIRE_MPI_PENDING;
    if (!mpi_world_has_ended(call, r, wait)) return wait ? later(call) : CUDA_SUCCESS;
    *state = r->state;
    move_clock(call, r->at_ps);
    *source = r->envelope.peer;
    *tag = r->envelope.tag;
    *bytes = r->bytes;
    if (!r->address && r->data) hand_over(call, r->data, r->bytes < r->room ? r->bytes : r->room);
    mpi_world_forget(call, request);
    return CUDA_SUCCESS;
}

int do___heddleMpiWaitAny(struct call *call, uint64_t calls, uint64_t count, uint64_t wait,
                          uint64_t *index) {
    enum { MOST = WIRE_STAGING_BYTES / sizeof(uint64_t) };
    const bool again = call->thread->is_suspended;
    struct host_thread *t = call->thread;
    charge(call, calls);
    *index = WIRE_MPI_NONE;
    if (!count || count > MOST || call->payload_bytes != count * sizeof(uint64_t))
        return HEDDLE_cudaErrorInvalidValue;
    /* the staging memory still has the numbers when the call runs again: no one else writes it */
    const uint64_t *number = again ? (const uint64_t *)(const void *)t->staging
                                   : (const uint64_t *)(const void *)call_pull(
                                         call, 0, (uint32_t)call->payload_bytes);
    if (!number) return HEDDLE_cudaErrorUnknown;
    uint64_t first_ps = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        const struct mpi_request *r = mpi_world_request(call, number[i]);
        if (!r) return HEDDLE_cudaErrorInvalidResourceHandle;
        if (!mpi_world_has_ended(call, r, wait)) continue;
        const uint64_t at_ps = r->at_ps > t->now_ps ? r->at_ps : t->now_ps;
        if (at_ps >= first_ps) continue;
        first_ps = at_ps;
        *index = i;
    }
    if (*index == WIRE_MPI_NONE) return wait ? later(call) : CUDA_SUCCESS;
    move_clock(call, first_ps);
    return CUDA_SUCCESS;
}

int do___heddleMpiProbe(struct call *call, uint64_t calls, uint64_t source, uint64_t context,
                        uint64_t tag, uint64_t flags, uint64_t *state, uint64_t *out_source,
                        uint64_t *out_tag, uint64_t *bytes, uint64_t *message) {
    const struct mpi_envelope from = {source, context, tag};
    struct mpi_envelope found = {0};
    charge(call, calls);
    *state = mpi_world_look(call, &from, (unsigned)flags, &found, bytes, message);
    *out_source = found.peer;
    *out_tag = found.tag;
    return *state == WIRE_MPI_PENDING && flags & WIRE_MPI_WAIT ? later(call) : CUDA_SUCCESS;
}

int do___heddleMpiCancel(struct call *call, uint64_t calls, uint64_t request, uint64_t *cancelled) {
    charge(call, calls);
    *cancelled = mpi_world_cancel(call, request);
    return CUDA_SUCCESS;
}

/* ---- windows */

int do___heddleMpiWindow(struct call *call, uint64_t calls, uint64_t window, uint64_t base,
                         uint64_t bytes) {
    charge(call, calls);
    return mpi_remote_open(call, window, base, bytes);
}

int do___heddleMpiWindowEnd(struct call *call, uint64_t calls, uint64_t window) {
    charge(call, calls);
    mpi_remote_close(call, window);
    return CUDA_SUCCESS;
}

/* The payload of an access, at its first time. */
static bool take_data(struct call *call, struct mpi_access *a, uint64_t bytes) {
    a->data_bytes = bytes;
    if (call->thread->is_suspended) return true;
    if (call->payload_bytes == bytes) a->data = call_take_payload(call, PAYLOAD_MESSAGE);
    return a->data != NULL;
}

/* Makes an access, and sends the program what it returns. */
static int make(struct call *call, const struct mpi_access *a, uint64_t *state) {
    uint8_t *data;
    *state = mpi_access_make(call, a, &data);
    if (*state == WIRE_MPI_PENDING) return later(call);
    if (*state == WIRE_MPI_DONE && data) hand_over(call, data, a->bytes);
    free(data);
    return CUDA_SUCCESS;
}

int do___heddleMpiPut(struct call *call, uint64_t calls, uint64_t window, uint64_t target,
                      uint64_t offset, uint64_t bytes, uint64_t *state) {
    struct mpi_access a = {ACCESS_PUT, window, target, offset, bytes, 0, 0, 0, NULL, 0};
    charge(call, calls);
    if (!take_data(call, &a, bytes)) return HEDDLE_cudaErrorInvalidValue;
    return make(call, &a, state);
}

int do___heddleMpiGet(struct call *call, uint64_t calls, uint64_t window, uint64_t target,
                      uint64_t offset, uint64_t bytes, uint64_t *state) {
    const struct mpi_access a = {ACCESS_GET, window, target, offset, bytes, 0, 0, 0, NULL, 0};
    charge(call, calls);
    return bytes > PAYLOAD_MESSAGE ? HEDDLE_cudaErrorInvalidValue : make(call, &a, state);
}

/* The payload: the operands. The program gets the old values. */
int do___heddleMpiUpdate(struct call *call, uint64_t calls, uint64_t window, uint64_t target,
                         uint64_t offset, uint64_t operation, uint64_t basic, uint64_t count,
                         uint64_t *state) {
    const bool swaps = operation == WIRE_MPI_COMPARE_AND_SWAP;
    charge(call, calls);
    if (!mpi_remote_takes(operation, basic, count) || count > PAYLOAD_MESSAGE / 64)
        return HEDDLE_cudaErrorInvalidValue;
    const uint64_t bytes = count * mpi_basic_size((enum mpi_basic)basic);
    struct mpi_access a = {ACCESS_UPDATE, window, target, offset, bytes,
                           operation,     basic,  count,  NULL,   0};
    if (!take_data(call, &a, swaps ? 2 * bytes : bytes)) return HEDDLE_cudaErrorInvalidValue;
    return make(call, &a, state);
}

int do___heddleMpiFlush(struct call *call, uint64_t calls, uint64_t window, uint64_t target,
                        uint64_t *state) {
    (void)target; /* all */
    charge(call, calls);
    *state = mpi_access_flush(call, window);
    return *state == WIRE_MPI_PENDING ? later(call) : CUDA_SUCCESS;
}

int do___heddleMpiLock(struct call *call, uint64_t calls, uint64_t window, uint64_t target,
                       uint64_t exclusive, uint64_t *state) {
    const struct mpi_access a = {ACCESS_LOCK, window, target, 0, 0, exclusive, 0, 0, NULL, 0};
    charge(call, calls);
    return make(call, &a, state);
}

int do___heddleMpiUnlock(struct call *call, uint64_t calls, uint64_t window, uint64_t target,
                         uint64_t *state) {
    charge(call, calls);
    *state = mpi_access_unlock(call, window, target);
    return CUDA_SUCCESS;
}

int do___heddleMpiClock(struct call *call, uint64_t calls, uint64_t *ps) {
    charge(call, calls);
    *ps = call->thread->now_ps;
    return CUDA_SUCCESS;
}
