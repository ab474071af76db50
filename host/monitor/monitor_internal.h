/* monitor_internal.h - the inside of a monitor, shared by monitor.c, monitor_moment.c (wishes,
 * moments), monitor_json.c (pictures as JSON), monitor_http.c (the server) and monitor_page.c.
 *
 * `lock` guards everything below it. Threads of the server hold it while they make JSON of a
 * picture, the thread that simulates while it takes one: both are brief. */
#ifndef HEDDLE_MONITOR_MONITOR_INTERNAL_H
#define HEDDLE_MONITOR_MONITOR_INTERNAL_H

#include <pthread.h>
#include <stddef.h>

#include "monitor/monitor.h"
#include "sched/gpu_view.h"

struct MHD_Daemon;

/* What clients want of the run. */
enum monitor_mode { MONITOR_RUN, MONITOR_STEP /* to the next end of a kernel */, MONITOR_PAUSE };

/* A wish of a client: it lies on the stack of the client's thread, and is granted at a moment. */
struct monitor_wish {
    enum { WISH_PICTURE, WISH_WARPS, WISH_SNAPSHOT } kind;
    uint32_t device, sm;            /* WISH_WARPS */
    struct timing_warp_view *warps; /* WISH_WARPS: room for TIMING_VIEW_WARPS, */
    unsigned num_warps;             /* and how many there are */
    char said[1200];                /* WISH_SNAPSHOT */
    bool granted, good;
    struct monitor_wish *next;
};

/* A GPU in the picture. */
struct monitor_gpu {
    struct gpu_view view;
    struct timing_sm_view *sm,
        *before;       /* [sms]: now, and at an earlier picture, `interval` cycles */
    uint64_t interval; /* before; 0: there is none */
};

struct monitor {
    struct monitor_options o;
    char token[33], address[100], hosts[2][40];
    int socket;
    struct MHD_Daemon *daemon;
    char *page; /* owned, of page_bytes bytes */
    size_t page_bytes;
    pthread_mutex_t lock;
    pthread_cond_t granted, go; /* a wish is granted; a client wants something. CLOCK_MONOTONIC */
    enum monitor_mode mode;
    bool is_held;              /* the simulation is held up now, */
    double held_since, held_s; /* since then; and so long before */
    bool ending, ended;        /* it was asked to end, or has ended: nothing is held up any more */
    struct monitor_wish *wishes;
    struct run_status status;
    struct monitor_gpu *gpu; /* [o.gpus]; the picture, */
    double taken;            /* wall time at which it was taken; 0: there is none yet */
};

/* A word for the state of the run. Under the lock. */
const char *monitor_state(const struct monitor *m);
/* Grants a wish at the next moment. @return false: none came within `ms`. Without the lock. */
bool monitor_wish(struct monitor *m, struct monitor_wish *w, unsigned ms);
/* Sets what clients want. @return false: the run is about to end. */
bool monitor_want(struct monitor *m, enum monitor_mode mode);

/* The resources of the server, as JSON for the caller to free. They take the lock. */
struct json_t *monitor_status_json(struct monitor *m);
struct json_t *monitor_sms_json(struct monitor *m);
struct json_t *monitor_warps_json(struct monitor *m, const struct monitor_wish *w);

/* The server: starts it on the open socket, and ends it. */
heddle_err monitor_http_begin(struct monitor *m, struct heddle_diag *diag);
void monitor_http_end(struct monitor *m);

/* Makes the page: m->page. */
heddle_err monitor_page_make(struct monitor *m, struct heddle_diag *diag);

#endif
