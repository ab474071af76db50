/* driver_ipc.c - the driver's calls that share memory and events with other processes. shim_ipc.h
 * defines them and says how; here it makes them by driver_call() and driver_fail().
 *
 * Runs in the program's process, in libcuda.so.1, on the thread of the program that makes the call.
 * Each counts the call, sends the server one message, writes its result only on success, and
 * returns a CUresult. A handle that a check here refuses sends nothing. The runtime's last error is
 * unchanged. */
#include "cuda/driver/driver.h"

#define IPC_NAME(name) cu##name
#define IPC_ID(name) CALL_cu##name
#define IPC_CALL driver_call
#define IPC_FAIL driver_fail
#include "cuda/shim/shim_ipc.h"

/* This and the next (the same call under its later name) open memory that another process shares.
 * *p: its address, the same as in that process. */
SHIM_EXPORT int cuIpcOpenMemHandle(void **p, struct shim_ipc_handle handle, unsigned flags);
int cuIpcOpenMemHandle(void **p, struct shim_ipc_handle handle, unsigned flags) {
    return ipc_open_memory(CALL_cuIpcOpenMemHandle, p, &handle, flags);
}
SHIM_EXPORT int cuIpcOpenMemHandle_v2(void **p, struct shim_ipc_handle handle, unsigned flags);
int cuIpcOpenMemHandle_v2(void **p, struct shim_ipc_handle handle, unsigned flags) {
    return ipc_open_memory(CALL_cuIpcOpenMemHandle_v2, p, &handle, flags);
}
