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
/* A call that may not be made while a capture is going on (cudaMalloc, cudaDeviceSynchronize):
 * invalidates those that forbid it. @return cudaError_t. */
int capture_forbids(struct call *call);
/* An operation on the legacy stream: invalidates the captures of blocking streams. @return any? */
bool capture_invalidate_implicit(struct call *call);

/* ---- a capture's life. @return cudaError_t. */

/* Begins a capture on a stream. `graph`: the program's own to add to, NULL: a new one. */
int capture_begin(struct call *call, const struct stream_ref *ref, enum capture_mode mode,
                  struct graph *graph);
/* Ends the capture of the stream that it began with. *graph: what was captured, NULL: failed. */
int capture_end(struct call *call, const struct stream_ref *ref, struct graph **graph);
/* Gives a capture up; its graph stays. */
void capture_cancel(struct call *call, struct capture *c);
/* A captured stream is destroyed. The origin stream invalidates the capture; another stream leaves
 * its last nodes to be joined. */
void capture_leave(struct call *call, struct stream *s);
/* Frees all captures of a program. The caller resets the streams and events that point to them. */
void captures_free(struct program *p);

/* ---- what is captured. @return cudaError_t. */

/* An operation on a captured stream. `work` as for graph_add(). */
int capture_add(struct call *call, const struct stream_ref *ref, struct node_work *work);
/* Event record and wait within the capture, and their external forms as nodes. */
int capture_record(const struct stream_ref *ref, struct event *event);
int capture_wait(const struct stream_ref *ref, struct event *event);
int capture_event(struct call *call, const struct stream_ref *ref, enum node_kind kind,
                  uint64_t event);
/* Nodes of the graph that the stream's next operation shall depend on, besides or instead of
 * (replace) those that it would. */
int capture_set_dependencies(struct call *call, const struct stream_ref *ref, const uint64_t *nodes,
                             size_t count, bool replace);

/* ---- questions */
enum capture_status capture_status(const struct stream_ref *ref);
uint64_t capture_id(const struct capture *c);
const struct graph *capture_graph(const struct capture *c);

#endif
