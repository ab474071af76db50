/* shim_ipc.c - the runtime's calls that share memory and events with other processes
 * (shim_ipc.h). */
#define IPC_NAME(name) cuda##name
#define IPC_ID(name) CALL_cuda##name
#define IPC_CALL shim_call
#define IPC_FAIL shim_fail
#include "cuda/shim/shim_ipc.h"

SHIM_EXPORT int cudaIpcOpenMemHandle(void **p, struct shim_ipc_handle handle, unsigned flags);
int cudaIpcOpenMemHandle(void **p, struct shim_ipc_handle handle, unsigned flags) {
    return ipc_open_memory(CALL_cudaIpcOpenMemHandle, p, &handle, flags);
}
