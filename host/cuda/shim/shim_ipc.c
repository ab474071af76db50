/* shim_ipc.c - the runtime's calls that share memory and events with other processes. shim_ipc.h
 * defines them and says how; here it makes them by shim_call() and shim_fail().
 *
 * Runs in the program's process, in libcudart.so.N, on the thread of the program that makes the
 * call. Each counts the call, sends the server one message, writes its result only on success, and
 * returns a cudaError_t, which is also the thread's last error. A handle that a check here refuses
 * sends nothing. */
#define IPC_NAME(name) cuda##name
#define IPC_ID(name) CALL_cuda##name
#define IPC_CALL shim_call
#define IPC_FAIL shim_fail
#include "cuda/shim/shim_ipc.h"

/* Opens memory that another process shares. *p: its address, the same as in that process. */
SHIM_EXPORT int cudaIpcOpenMemHandle(void **p, struct shim_ipc_handle handle, unsigned flags);
int cudaIpcOpenMemHandle(void **p, struct shim_ipc_handle handle, unsigned flags) {
    return ipc_open_memory(CALL_cudaIpcOpenMemHandle, p, &handle, flags);
}
