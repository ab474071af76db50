/* copy_traffic.h - the requests of device memory that copies make, beside those of L2: a line at a
 * time, at an even rate from the copy's begin to its end.
 *
 * They matter only to kernels, which find their channels busy. So those that come QUIET_PS or more
 * after the last request of L2 are left out, and a copy beside no kernel costs no host time.
 *
 * Owner: the memory port, on whose thread all functions run. Times: ps of target time. */
#ifndef HEDDLE_SCHED_COPY_TRAFFIC_H
#define HEDDLE_SCHED_COPY_TRAFFIC_H

#include "models/hbm/hbm.h"
#include "timing/l2_slices.h"

/* At most one copy of each kind is under way. */
enum copy_stream_kind {
    COPY_TO_DEVICE,
    COPY_TO_HOST,
    COPY_FROM_PEER,
    COPY_TO_PEER,
    COPY_WITHIN_FROM, /* source and destination of a copy within the device */
    COPY_WITHIN_TO,   /* or of a fill */
    COPY_STREAMS
};

struct copy_stream {
    uint64_t next_ps, step_ps; /* of its next line; from one line to the next, at least 1 */
    uint32_t line, left;       /* 128-byte line of device memory; lines */
    bool write;
};

/* Zeros but for the slices at first. */
struct copy_traffic {
    struct l2_layout l2_layout; /* struct timing_config */
    uint64_t heard_ps;          /* the last request of L2 */
    struct copy_stream stream[COPY_STREAMS];
};

/* hbm_request.user of a request of a copy. */
#define COPY_TRAFFIC UINT64_MAX

/* A copy begins. */
void copy_traffic_begin(struct copy_traffic *t, enum copy_stream_kind kind,
                        const struct copy_stream *stream);
/* L2 makes a request at at_ps; all requests of copies before have been taken. */
void copy_traffic_hear(struct copy_traffic *t, uint64_t at_ps);
/* The next request of a copy before `before_ps`, in order of time. @return false: none is left. */
bool copy_traffic_take(struct copy_traffic *t, uint64_t before_ps, struct hbm_request *request);

#endif
