/* capture.h - stream capture: streams that add their operations to a graph instead of performing
 * them.
 *
 * A capture begins on one stream; other streams join it by waiting for an event that was recorded
 * in it, and must be joined back before it ends. A forbidden call meanwhile invalidates the
 * capture: its end then returns an error and no graph, as in CUDA. program.captures lists the
 * captures in progress. A captured stream, and an event recorded in one, points to its capture. */
#ifndef HEDDLE_CUDA_OBJECT_CAPTURE_H
#define HEDDLE_CUDA_OBJECT_CAPTURE_H

#include "cuda/object/event.h"
#include "cuda/object/graph.h"

enum capture_mode { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED };
enum capture_status { CAPTURE_NONE, CAPTURE_ACTIVE, CAPTURE_INVALIDATED };

/* ---- streams, as calls name them */

/* The stream of a handle (stream_find()), for an operation. Fails for a stream whose capture is
 * invalid, and for the legacy stream while a capture forbids it; the latter invalidates that
 * capture. @return cudaError_t. */
int capture_find_op_stream(struct call *call, uint64_t handle, struct stream_ref *out);
/* The same for a call that cannot be captured; on a captured stream it invalidates the capture. */
int capture_find_open_stream(struct call *call, uint64_t handle, struct stream_ref *out);
/* For a call that a capture may forbid (cudaMalloc, cudaDeviceSynchronize): invalidates the
 * captures that forbid it. @return cudaError_t, an error if there is one. */
int capture_forbids(struct call *call);
/* For an operation on the legacy stream, which would wait for the blocking streams: invalidates
 * their captures. @return true if there was one. */
bool capture_invalidate_implicit(struct call *call);

/* ---- a capture's life. @return cudaError_t. */

/* Begins a capture on a stream: adds it to program.captures. `graph`: the program's graph to add
 * nodes to; NULL: a new graph. */
int capture_begin(struct call *call, const struct stream_ref *ref, enum capture_mode mode,
                  struct graph *graph);
/* Ends the capture that began on this stream and frees it. *graph: the captured graph; NULL:
 * failed, and a new graph is destroyed. */
int capture_end(struct call *call, const struct stream_ref *ref, struct graph **graph);
/* Frees a capture. Its streams and events leave it; its graph stays. */
void capture_cancel(struct call *call, struct capture *c);
/* A captured stream is destroyed. The origin stream invalidates the capture; another stream leaves
 * its last nodes to be joined. */
void capture_leave(struct stream *s);
/* Frees all captures of a program. The caller resets the streams and events that point to them. */
void captures_free(struct program *p);

/* ---- captured operations. @return cudaError_t. */

/* Adds an operation of a captured stream to the graph; the stream's next operation depends on it.
 * `work` as for graph_add(). A failure invalidates the capture. */
int capture_add(struct call *call, const struct stream_ref *ref, struct node_work *work);
/* Event record and wait within the capture add no node: they pass dependencies on. A wait makes the
 * stream join the event's capture. A forbidden wait invalidates the captures concerned.
 * capture_event() adds a node for the external forms. */
int capture_record(const struct stream_ref *ref, struct event *event);
int capture_wait(const struct stream_ref *ref, struct event *event);
int capture_event(struct call *call, const struct stream_ref *ref, enum node_kind kind,
                  uint64_t event);
/* Makes the stream's next operation depend on these nodes of the graph. replace: on these only;
 * else on its present ones, too. */
int capture_set_dependencies(struct call *call, const struct stream_ref *ref, const uint64_t *nodes,
                             size_t count, bool replace);

/* ---- questions */
enum capture_status capture_status(const struct stream_ref *ref);
uint64_t capture_id(const struct capture *c);
const struct graph *capture_graph(const struct capture *c);

#endif
