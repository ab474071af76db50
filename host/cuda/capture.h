/* capture.h - streams that collect their operations in a graph instead of carrying them out.
 *
 * A capture begins on one stream; other streams join it by waiting for an event that was recorded
 * in it, and must be joined back before it ends. What is not allowed meanwhile spoils the capture:
 * its end then returns an error and no graph, as in CUDA. */
#ifndef HEDDLE_CUDA_CAPTURE_H
#define HEDDLE_CUDA_CAPTURE_H

#include "cuda/call.h"
#include "cuda/graph.h"

enum capture_mode { CAPTURE_GLOBAL, CAPTURE_THREAD_LOCAL, CAPTURE_RELAXED };

bool capture_is_spoilt(const struct capture *c);
void capture_spoil(struct capture *c);
/* An operation on the legacy stream: spoils the captures of blocking streams. @return any? */
bool capture_spoil_implicit(struct call *call);
/* A call that may not be made while a capture is going on (cudaMalloc, cudaDeviceSynchronize):
 * spoils those that forbid it. @return cudaError_t. */
int capture_forbids(struct call *call);
/* The stream is destroyed: that it began with spoils the capture, another one leaves its nodes. */
void capture_leave(struct call *call, struct stream *s);

/* The program has ended. */
void captures_free(struct program *p);

/* An operation on a captured stream. @return cudaError_t. `work` as for graph_add(). */
int capture_add(struct call *call, const struct stream_ref *ref, struct node_work *work,
                struct graph_node **out);
/* Event record, wait, and the external forms as nodes. */
int capture_record(struct call *call, const struct stream_ref *ref, struct event *event);
int capture_wait(struct call *call, const struct stream_ref *ref, struct event *event);
int capture_event(struct call *call, const struct stream_ref *ref, enum node_kind kind,
                  uint64_t event);

#endif
