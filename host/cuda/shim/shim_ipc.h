/* shim_ipc.h - memory and events shared with other processes, for both interfaces.
 *
 * Each interface includes this file once. Before, it defines the names of its functions and calls
 * (IPC_NAME, IPC_ID) and its functions that make or fail a call (IPC_CALL, IPC_FAIL). Each function
 * here is one call: one message to the server, its result written only on success, and the
 * interface's error returned. NULL for a result is cudaErrorInvalidValue; a handle of another kind
 * is cudaErrorInvalidResourceHandle; neither is sent. A handle (cudaIpcMemHandle_t, CUipcMemHandle,
 * ...) is 64 bytes, which programs copy to other processes and pass by value. */
#ifndef HEDDLE_CUDA_SHIM_SHIM_IPC_H
#define HEDDLE_CUDA_SHIM_SHIM_IPC_H

#include <stdint.h>

#include "cuda/shim/shim.h"

enum shim_ipc_kind { SHIM_IPC_MEMORY = 1, SHIM_IPC_EVENT };
#define SHIM_IPC_MAGIC UINT64_C(0x6370692d6c646865) /* "ehdl-ipc" */

/* What the program passes on. */
struct shim_ipc_handle {
    uint64_t magic, kind; /* SHIM_IPC_MAGIC, enum shim_ipc_kind */
    uint64_t address;     /* of memory */
    uint64_t number;      /* of the allocation, or of the event */
    uint64_t zero[4];
};
_Static_assert(sizeof(struct shim_ipc_handle) == 64, "CUDA_IPC_HANDLE_SIZE");

/* The handle's 64 bytes, and the check of a handle from the program. They send nothing. */
static inline struct shim_ipc_handle shim_ipc_handle(enum shim_ipc_kind kind, uint64_t address,
                                                     uint64_t number) {
    return (struct shim_ipc_handle){
        .magic = SHIM_IPC_MAGIC, .kind = kind, .address = address, .number = number};
}
static inline int shim_ipc_is(const struct shim_ipc_handle *h, enum shim_ipc_kind kind) {
    return h->magic == SHIM_IPC_MAGIC && h->kind == kind;
}

/* *handle: one for the allocation at `p`, which another process may open. */
SHIM_EXPORT int IPC_NAME(IpcGetMemHandle)(struct shim_ipc_handle *handle, void *p);
int IPC_NAME(IpcGetMemHandle)(struct shim_ipc_handle *handle, void *p) {
    struct shim_call call = {.id = IPC_ID(IpcGetMemHandle), .in = {(uintptr_t)p}};
    if (!handle) return IPC_FAIL(call.id, HEDDLE_cudaErrorInvalidValue);
    int error = IPC_CALL(&call);
    if (!error) *handle = shim_ipc_handle(SHIM_IPC_MEMORY, (uintptr_t)p, call.out[0]);
    return error;
}

/* Makes the call `id`: asks the server to share an allocation of another process. *p: its address
 * here, the same as there. Refuses a handle of another kind. */
static int ipc_open_memory(enum cuda_call_id id, void **p, const struct shim_ipc_handle *handle,
                           unsigned flags) {
    struct shim_call call = {.id = id, .in = {handle->address, handle->number, flags}};
    if (!p) return IPC_FAIL(id, HEDDLE_cudaErrorInvalidValue);
    if (!shim_ipc_is(handle, SHIM_IPC_MEMORY))
        return IPC_FAIL(id, HEDDLE_cudaErrorInvalidResourceHandle);
    int error = IPC_CALL(&call);
    if (!error) *p = (void *)(uintptr_t)call.out[0];
    return error;
}
/* *handle: one for `event`, which another process may open. */
SHIM_EXPORT int IPC_NAME(IpcGetEventHandle)(struct shim_ipc_handle *handle, void *event);
int IPC_NAME(IpcGetEventHandle)(struct shim_ipc_handle *handle, void *event) {
    struct shim_call call = {.id = IPC_ID(IpcGetEventHandle), .in = {(uintptr_t)event}};
    if (!handle) return IPC_FAIL(call.id, HEDDLE_cudaErrorInvalidValue);
    int error = IPC_CALL(&call);
    if (!error) *handle = shim_ipc_handle(SHIM_IPC_EVENT, 0, call.out[0]);
    return error;
}

/* *event: this process's handle of an event of another process. */
SHIM_EXPORT int IPC_NAME(IpcOpenEventHandle)(void **event, struct shim_ipc_handle handle);
int IPC_NAME(IpcOpenEventHandle)(void **event, struct shim_ipc_handle handle) {
    struct shim_call call = {.id = IPC_ID(IpcOpenEventHandle), .in = {handle.number}};
    if (!event) return IPC_FAIL(call.id, HEDDLE_cudaErrorInvalidValue);
    if (!shim_ipc_is(&handle, SHIM_IPC_EVENT))
        return IPC_FAIL(call.id, HEDDLE_cudaErrorInvalidResourceHandle);
    int error = IPC_CALL(&call);
    if (!error) *event = (void *)(uintptr_t)call.out[0];
    return error;
}

#endif
