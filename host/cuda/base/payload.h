/* payload.h - bytes that the server and a program exchange during a call: the call's payload and
 * results, the program's own memory, output of kernels.
 *
 * Everything passes through the staging memory of a connection, one message and its answer at a
 * time. If the program does not answer, these functions mark its thread dead (host_thread.dead) and
 * send nothing more. Bytes for the program go through server_options.answer first. */
#ifndef HEDDLE_CUDA_BASE_PAYLOAD_H
#define HEDDLE_CUDA_BASE_PAYLOAD_H

#include "cuda/base/context.h"

/* ---- the call's payload */

/* Fetches [offset, offset + bytes) of the payload into the staging memory, overwriting it.
 * @return the address there, or NULL when the program has died. bytes <= WIRE_STAGING_BYTES. */
const uint8_t *call_pull(struct call *call, uint64_t offset, uint32_t bytes);
/* The most bytes that a payload of each kind may have. */
#define PAYLOAD_NAME (UINT64_C(1) << 20)    /* of a kernel or a variable; C++ makes long ones */
#define PAYLOAD_NODES (UINT64_C(1) << 26)   /* a graph's node, with what it depends on, or a list */
#define PAYLOAD_MESSAGE (UINT64_C(1) << 40) /* to another PE */
#define PAYLOAD_IMAGE (UINT64_C(1) << 32)   /* device code */
/* Fetches the whole payload, through the staging memory, and appends a NUL. The caller frees it.
 * NULL: no memory, the program has died, or the payload has more than `most` bytes, which is
 * reported on standard error. */
uint8_t *call_take_payload(struct call *call, uint64_t most);
/* Sends bytes to the program and waits until it has taken them. @return false: dead. */
bool call_push(struct call *call, uint64_t offset, const void *bytes, uint32_t count);
/* Sends bytes with the reply: at most once a call. count <= WIRE_STAGING_BYTES. */
void call_push_last(struct call *call, uint64_t offset, const void *bytes, uint32_t count);
/* Sends the reason of a failure with the reply, cut to WIRE_WHY_BYTES. */
void call_push_why(struct call *call, const char *text);

/* ---- the program's memory */

/* Read or write at an address of the program, through the staging memory of the call being served.
 * @return false: that call is not the program's, or it died. count <= WIRE_STAGING_BYTES. */
bool program_read(struct server *s, struct program *p, uint64_t address, void *out, uint32_t count);
bool program_write(struct server *s, struct program *p, uint64_t address, const void *bytes,
                   uint32_t count);

/* The same at any time, of any length, by the helper thread of the program, which must have one
 * (shim_start_helper()). @return false: it has none, or it has gone. */
bool program_peek(struct server *s, struct program *p, uint64_t address, void *out, uint64_t count);
bool program_poke(struct server *s, struct program *p, uint64_t address, const void *bytes,
                  uint64_t count);

/* ---- the connection */

/* Sends a reply, without waiting. @return false: dead. */
bool thread_send(struct host_thread *t, const struct wire_reply *reply);
/* True when the program has closed the connection; marks the thread dead. NULL: false. */
bool thread_has_hung_up(struct host_thread *t);
/* Sends the program the output of finished kernels of all devices, so that it appears before the
 * call returns. */
void call_print_output(struct call *call);
/* Runs a host function on the program's helper thread and waits for it. callback: a
 * cudaStreamAddCallback function, which also gets the stream and the status. @return false: the
 * helper has gone. */
bool program_run_host_function(struct server *s, struct program *p, uint64_t function,
                               uint64_t argument, bool callback, uint64_t stream, int status);

#endif
