/* monitor.c - creates the monitor of a run and ends it; see monitor.h. monitor_moment.c meets the
 * simulation, monitor_http.c the clients. */
#include "monitor/monitor.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "common/memory.h"
#include "common/wall_time.h"
#include "monitor/monitor_internal.h"

/* Opens the socket and learns its port. */
static heddle_err listen_at(struct monitor *m, struct heddle_diag *diag) {
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)m->o.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int on = 1;
    m->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (m->socket < 0)
        return heddle_fail(diag, HEDDLE_ERR_IO, "--monitor: cannot make a socket: %s%s",
                           strerror(errno), heddle_advice(errno));
    /* a port whose last connections are still in TIME_WAIT is free */
    setsockopt(m->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(m->socket, (struct sockaddr *)&address, size) || listen(m->socket, 16)) {
        const char *advice = errno == EADDRINUSE
                                 ? "; another program listens there: name another port, or 0 for "
                                   "one that is free"
                             : errno == EACCES ? "; ports below 1024 need a privilege: name one "
                                                 "above, or 0 for one that is free"
                                               : "";
        return heddle_fail(diag, HEDDLE_ERR_IO, "--monitor %u: cannot listen at 127.0.0.1:%u: %s%s",
                           m->o.port, m->o.port, strerror(errno), advice);
    }
    if (getsockname(m->socket, (struct sockaddr *)&address, &size))
        return heddle_fail(diag, HEDDLE_ERR_IO, "--monitor %u: %s", m->o.port, strerror(errno));
    m->o.port = ntohs(address.sin_port);
    return HEDDLE_OK;
}

/* Draws the token, and makes the address and the hosts that requests may name. */
static heddle_err make_address(struct monitor *m, struct heddle_diag *diag) {
    unsigned char chance[(sizeof m->token - 1) / 2];
    if (getrandom(chance, sizeof chance, 0) != (ssize_t)sizeof chance)
        return heddle_fail(diag, HEDDLE_ERR_IO, "--monitor: the system gives no random numbers: %s",
                           strerror(errno));
    for (size_t i = 0; i < sizeof chance; i++)
        snprintf(m->token + 2 * i, 3, "%02x", (unsigned)chance[i]);
    snprintf(m->hosts[0], sizeof m->hosts[0], "127.0.0.1:%u", m->o.port);
    snprintf(m->hosts[1], sizeof m->hosts[1], "localhost:%u", m->o.port);
    snprintf(m->address, sizeof m->address, "http://%s/%s/", m->hosts[0], m->token);
    return HEDDLE_OK;
}

heddle_err monitor_create(struct monitor **out, const struct monitor_options *options,
                          struct heddle_diag *diag) {
    static const char WHAT[] = "the monitor";
    pthread_condattr_t clock;
    struct monitor *m = heddle_alloc(sizeof *m, WHAT);
    *out = NULL;
    m->o = *options;
    m->socket = -1;
    pthread_mutex_init(&m->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&m->granted, &clock);
    pthread_cond_init(&m->go, &clock);
    pthread_condattr_destroy(&clock);
    m->gpu = heddle_alloc_array(m->o.gpus, sizeof *m->gpu, WHAT);
    for (unsigned i = 0; i < m->o.gpus && m->o.timed; i++) {
        m->gpu[i].sm = heddle_alloc_array(m->o.sms, sizeof *m->gpu->sm, WHAT);
        m->gpu[i].before = heddle_alloc_array(m->o.sms, sizeof *m->gpu->sm, WHAT);
    }
    heddle_err e = listen_at(m, diag);
    if (!e) e = make_address(m, diag);
    if (!e) e = monitor_page_make(m, diag);
    if (!e) e = monitor_http_begin(m, diag);
    if (e) {
        monitor_free(m);
        return e;
    }
    *out = m;
    return HEDDLE_OK;
}

void monitor_free(struct monitor *m) {
    if (!m) return;
    monitor_end(m);
    monitor_http_end(m);
    if (m->socket >= 0) close(m->socket);
    for (unsigned i = 0; i < m->o.gpus; i++) {
        free(m->gpu[i].sm);
        free(m->gpu[i].before);
    }
    pthread_cond_destroy(&m->granted);
    pthread_cond_destroy(&m->go);
    pthread_mutex_destroy(&m->lock);
    free(m->gpu);
    free(m->page);
    free(m);
}

const char *monitor_address(const struct monitor *m) {
    return m->address;
}
