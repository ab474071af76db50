/* monitor_moment.c - wishes of clients, and the moments at which the simulation grants them.
 *
 * monitor_moment() runs on the thread that simulates, monitor_wish() and monitor_want() on threads
 * of the server. The simulation is held up inside monitor_moment(), where it goes on to grant
 * wishes. */
#include <time.h>

#include "common/wall_time.h"
#include "monitor/monitor.h"
#include "monitor/monitor_internal.h"

enum { LOOK_MS = 100 }; /* while held up, between looks whether the run is to end */

/* ---- threads of the server */

/* The moment `ms` from now, for pthread_cond_timedwait(). */
static struct timespec in_ms(unsigned ms) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    t.tv_sec += ms / 1000;
    t.tv_nsec += (long)(ms % 1000) * 1000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_sec++;
        t.tv_nsec -= 1000000000;
    }
    return t;
}

const char *monitor_state(const struct monitor *m) {
    if (m->ended) return "ended";
    if (m->mode == MONITOR_PAUSE) return m->is_held ? "paused" : "pausing";
    if (m->mode == MONITOR_STEP) return "stepping";
    return m->ending ? "ending" : "running";
}

bool monitor_wish(struct monitor *m, struct monitor_wish *w, unsigned ms) {
    const struct timespec limit = in_ms(ms);
    int waited = 0;
    w->granted = false;
    pthread_mutex_lock(&m->lock);
    w->next = m->wishes;
    m->wishes = w;
    pthread_cond_signal(&m->go);
    while (!w->granted && !waited && !m->ended)
        waited = pthread_cond_timedwait(&m->granted, &m->lock, &limit);
    struct monitor_wish **link = &m->wishes;
    while (*link && *link != w) link = &(*link)->next;
    if (*link) *link = w->next;
    pthread_mutex_unlock(&m->lock);
    return w->granted;
}

bool monitor_want(struct monitor *m, enum monitor_mode mode) {
    pthread_mutex_lock(&m->lock);
    const bool good = mode == MONITOR_RUN || (!m->ending && !m->ended);
    if (good) m->mode = mode;
    pthread_cond_signal(&m->go);
    pthread_mutex_unlock(&m->lock);
    return good;
}

/* ---- the thread that simulates */

/* Takes a picture of a GPU. The rates of SMs are those since the last picture at which its clock
 * stood elsewhere. */
static void take_gpu(struct monitor *m, unsigned device) {
    struct monitor_gpu *g = &m->gpu[device];
    const uint64_t before = g->view.cycle;
    gpu_view_look(m->o.gpu[device], &g->view);
    if (!m->o.timed || g->view.cycle == before) return;
    struct timing_sm_view *older = g->sm;
    g->interval = g->view.cycle - before;
    g->sm = g->before;
    g->before = older;
    gpu_view_sms(m->o.gpu[device], g->sm);
}

static void take_picture(struct monitor *m) {
    for (unsigned i = 0; i < m->o.gpus; i++) take_gpu(m, i);
    m->status.launches_ended = m->o.launches_ended(m->o.user);
    m->taken = wall_seconds();
}

/* Grants all wishes. The lock is held. */
static void grant(struct monitor *m) {
    bool taken = false;
    if (!m->wishes) return;
    for (struct monitor_wish *w = m->wishes; w; w = w->next) {
        if (w->kind == WISH_PICTURE && !taken) {
            take_picture(m);
            taken = true;
        } else if (w->kind == WISH_WARPS) {
            w->num_warps = gpu_view_warps(m->o.gpu[w->device], w->sm, w->warps);
        } else if (w->kind == WISH_SNAPSHOT) {
            w->good = m->o.snapshot(m->o.user, w->said, sizeof w->said);
        }
        w->granted = true;
    }
    m->wishes = NULL;
    pthread_cond_broadcast(&m->granted);
}

/* Holds up the simulation until clients want something else, or the run is to end. The lock is held
 * but for the waits. `looks`: the run may be looked at. @return wall seconds. */
static double hold(struct monitor *m, bool looks) {
    m->held_since = wall_seconds();
    m->is_held = true;
    m->o.held(m->o.user, true);
    if (looks) take_picture(m); /* that of a moment ago may be before the end of a kernel */
    while (m->mode == MONITOR_PAUSE && !m->ended) {
        if (looks) grant(m);
        const struct timespec limit = in_ms(LOOK_MS);
        pthread_cond_timedwait(&m->go, &m->lock, &limit);
        pthread_mutex_unlock(&m->lock);
        const bool ends = m->o.ends(m->o.user);
        pthread_mutex_lock(&m->lock);
        m->ending |= ends;
        if (ends) m->mode = MONITOR_RUN;
    }
    const double held_s = wall_seconds() - m->held_since;
    m->held_s += held_s;
    m->is_held = false;
    m->o.held(m->o.user, false);
    return held_s;
}

void monitor_tell(struct monitor *m, const struct run_status *status) {
    if (!m) return;
    pthread_mutex_lock(&m->lock);
    const uint64_t ended = m->status.launches_ended;
    m->status = *status;
    m->status.launches_ended = ended;
    pthread_mutex_unlock(&m->lock);
}

double monitor_moment(struct monitor *m, uint32_t device, enum gpu_moment moment) {
    (void)device; /* all GPUs are held up by one */
    if (!m) return 0;
    double held_s = 0;
    const bool looks = !m->o.timed || moment != GPU_MOMENT_INSIDE;
    pthread_mutex_lock(&m->lock);
    if (moment == GPU_MOMENT_ENDED && m->mode == MONITOR_STEP) m->mode = MONITOR_PAUSE;
    if (looks) grant(m);
    if (m->mode == MONITOR_PAUSE) held_s = hold(m, looks);
    pthread_mutex_unlock(&m->lock);
    return held_s;
}

void monitor_end(struct monitor *m) {
    if (!m) return;
    pthread_mutex_lock(&m->lock);
    m->ended = true;
    pthread_cond_broadcast(&m->granted);
    pthread_cond_broadcast(&m->go);
    pthread_mutex_unlock(&m->lock);
}
