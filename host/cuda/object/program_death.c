/* program_death.c - notices that programs have died, and cancels their launches; see
 * program_death.h.
 *
 * A real GPU ends a context with its process. Here the server's one thread may be deep in a wait
 * for another program when that happens, so GPUs' progress and long waits look for it.
 * program_lifetime.c does the rest when the server serves again. */
#define _GNU_SOURCE
#include "cuda/object/program_death.h"

#include <poll.h>

#include "cuda/base/diagnostics.h"

/* Whether the peer has closed the connection. Unread messages do not count: all are answered, so
 * nobody sends one and goes. */
static bool is_closed(const struct host_thread *t) {
    struct pollfd p = {.fd = t->socket, .events = POLLRDHUP};
    return t->dead || (poll(&p, 1, 0) > 0 && p.revents & (POLLHUP | POLLRDHUP | POLLERR));
}

void program_cancel(struct server *s, struct program *p) {
    if (p->cancelled) return;
    p->cancelled = true;
    p->life++;
    for (unsigned i = 0; i < server_devices(s); i++)
        p->dropped += gpu_cancel(server_gpu(s, i), p, true);
}

bool program_look_for_deaths(struct server *s) {
    bool any = false;
    for (struct program *p = s->programs; p; p = p->next) {
        if (p->gone || p->goodbye || p->cancelled) continue;
        bool lives = false;
        for (const struct host_thread *t = s->threads; t && !lives; t = t->next)
            lives = t->program == p && !is_closed(t);
        if (lives) continue;
        program_cancel(s, p);
        any = true;
    }
    return any;
}
