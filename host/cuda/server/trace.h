/* trace.h - `heddle run --trace-api`: every CUDA call of the programs, with arguments, result and
 * target time, as text (api.txt) and JSON (api.json) in the report's directory; and whoever else
 * hears of calls (server_options.called). */
#ifndef HEDDLE_CUDA_SERVER_TRACE_H
#define HEDDLE_CUDA_SERVER_TRACE_H

#include "cuda/base/context.h"
#include "cuda/server/server.h"

/* Writes the calls answered in the program, which a request lists. t NULL: nothing. */
void trace_local_calls(struct trace *t, const struct host_thread *thread,
                       const struct wire_request *request);
/* Writes a served call, from `begin_ps` to the thread's clock. t NULL: nothing. */
void trace_call(struct trace *t, const struct call *call, uint64_t begin_ps, int error);

/* Tells server_options.called of a served call, and of those answered in the program, from
 * `begin_ps` to the thread's clock. Does nothing if nobody hears. */
void trace_tell_call(const struct call *call, uint64_t begin_ps, int error);
void trace_tell_local_calls(const struct server *s, const struct host_thread *thread,
                            uint64_t begin_ps, uint64_t calls);

#endif
