/* patience.c - waiting for a program's answer; see patience.h.
 *
 * A program that runs copies a mebibyte within a millisecond, so how long the server should wait
 * follows from what the thread does instead: one that sleeps will not answer, one that computes may
 * lack a processor, one that is stopped may be in a debugger. */
#include "cuda/base/patience.h"

#include <poll.h>
#include <sys/socket.h>

#include "cuda/base/diagnostics.h"
#include "cuda/base/thread_state.h"

/* Milliseconds for which others wait for a thread ... */
enum {
    ASLEEP_MS = 100,    /* that sleeps, though it has only bytes to move */
    RUNS_MS = 300,      /* that runs, or waits for a processor */
    OTHER_MS = 1000,    /* that waits for a disk, or of which nothing is known */
    STOPPED_MS = 10000, /* that a signal or a debugger has stopped */
    WRITES_MS = 10000,  /* that writes output */
    CALLS_MS = 60000,   /* that runs a host function */
};

bool others_ask(const struct server *s, const struct host_thread *but, bool own) {
    struct pollfd fd = {.fd = s->listener, .events = POLLIN};
    bool any = poll(&fd, 1, 0) > 0;
    for (const struct host_thread *t = s->threads; t && !any; t = t->next) {
        fd.fd = t->socket;
        const bool other = t != but && (own || t->peer_pid != but->peer_pid);
        any = other && (t->message_bytes || poll(&fd, 1, 0) > 0);
    }
    return any;
}

/* Milliseconds that a thread in this state may keep others waiting. */
static int patience_with(char state, enum patience_task task) {
    if (task == PATIENCE_CALLS) return CALLS_MS;
    if (task == PATIENCE_WRITES) return WRITES_MS;
    if (state == 'S') return ASLEEP_MS;
    if (state == 'R') return RUNS_MS;
    return state == 'T' || state == 't' ? STOPPED_MS : OTHER_MS;
}

/* Each look costs a share of the patience, by the state in which it finds the thread. Nobody can
 * tell a debugger from a program that stops itself to do harm: after a wait has been given up in a
 * run, there is a tenth of the time, and from the third time on a hundredth. */
bool patience_wait(struct server *s, const struct host_thread *t, enum patience_task task) {
    struct pollfd fd = {.fd = t->socket, .events = POLLIN};
    const int part = s->stalls == 0 ? 1 : s->stalls == 1 ? 10 : 100;
    double spent = 0, waited_s = 0;
    while (spent < 1) {
        const int patience = patience_with(thread_state(t->peer_pid, t->tid), task) / part;
        const int look = patience < 10 ? 1 : patience < 1000 ? patience / 10 : 100;
        if (poll(&fd, 1, look) > 0) return true;
        const bool asked = others_ask(s, t, false);
        spent = asked ? spent + (double)look / patience : 0;
        waited_s = asked ? waited_s + look * 1e-3 : 0;
    }
    server_error(s,
                 "%s (process %d) did not answer for %.2g seconds, while others waited: its "
                 "connection is closed",
                 t->program->name, t->program->pid, waited_s);
    s->stalls++;
    for (const struct host_thread *o = s->threads; o; o = o->next)
        if (o->peer_pid == t->peer_pid) shutdown(o->socket, SHUT_RDWR);
    return false;
}
