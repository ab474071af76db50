/* payload.h - bytes that move between the server and a program while one of its calls is carried
 * out: the call's payload, results, the program's own memory, output of kernels.
 *
 * All of it goes through the staging memory of a connection, one message and its answer at a time.
 * When a program does not answer, its thread is marked dead, and nothing more is sent to it. Bytes
 * that go to the program pass server_options.answer first. */
#ifndef HEDDLE_CUDA_BASE_PAYLOAD_H
#define HEDDLE_CUDA_BASE_PAYLOAD_H

#include "cuda/base/context.h"

/* ---- the call's payload */

/* Brings [offset, offset + bytes) of the payload into the staging memory, over what was there.
 * @return its address there, or NULL when the program has died. bytes <= WIRE_STAGING_BYTES. */
const uint8_t *call_pull(struct call *call, uint64_t offset, uint32_t bytes);
/* Takes the whole payload, with a NUL behind it. The caller frees it. NULL: no memory, or dead. */
uint8_t *call_take_payload(struct call *call);
/* Gives bytes to the program: copies to staging memory and has it taken. @return false: dead. */
bool call_push(struct call *call, uint64_t offset, const void *bytes, uint32_t count);
/* The same with the reply, once a call; count <= WIRE_STAGING_BYTES. */
void call_push_last(struct call *call, uint64_t offset, const void *bytes, uint32_t count);
/* Why the call fails, for a program that wants to read it: at most WIRE_WHY_BYTES. */
void call_push_why(struct call *call, const char *text);

/* ---- the program's memory */

/* At an address, while one of the program's threads is in a call: through that thread's connection.
 * @return false: none is, or it died. count <= WIRE_STAGING_BYTES. */
bool program_read(struct server *s, struct program *p, uint64_t address, void *out, uint32_t count);
bool program_write(struct server *s, struct program *p, uint64_t address, const void *bytes,
                   uint32_t count);

/* ---- the connection */

/* Sends a reply, without waiting. @return false: dead. */
bool thread_send(struct host_thread *t, const struct wire_reply *reply);
/* Has the other end closed the connection? Marks the thread dead then. NULL: no. */
bool thread_has_hung_up(struct host_thread *t);
/* What kernels that have ended have printed, of all devices, appears before the call returns. */
void call_print_output(struct call *call);
/* Has the program's helper run a host function and waits for its end. @return false: the helper has
 * gone. `callback`: of the older kind, which is told stream and status. */
bool program_run_host_function(struct program *p, uint64_t function, uint64_t argument,
                               bool callback, uint64_t stream, int status);

#endif
