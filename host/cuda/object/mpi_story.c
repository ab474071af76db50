/* mpi_story.c - what a call of MPI waits for, in words; see mpi_world.h. */
#include <ctype.h>
#include <stdio.h>

#include "cuda/object/mpi_world.h"

/* "a message of PE 1 with tag 5". Of collective operations only the library knows tags; their
 * contexts are odd. */
static void envelope_story(const struct mpi_envelope *e, bool receives, char *text, size_t size) {
    char peer[40] = "any PE", tag[40] = "";
    if (e->peer != WIRE_MPI_ANY)
        snprintf(peer, sizeof peer, "PE %llu", (unsigned long long)e->peer);
    if (e->tag == WIRE_MPI_ANY)
        snprintf(tag, sizeof tag, " with any tag");
    else if (e->context % 2 == 0)
        snprintf(tag, sizeof tag, " with tag %llu", (unsigned long long)e->tag);
    if (receives)
        snprintf(text, size, "a message of %s%s", peer, tag);
    else
        snprintf(text, size, "%s to receive a message%s", peer, tag);
}

/* The name of the program's call of MPI, as its library has left it: data from outside. */
static void call_name(const struct program *p, char text[WIRE_MPI_CALL_BYTES]) {
    for (size_t i = 0; i < WIRE_MPI_CALL_BYTES; i++) {
        const char c = p->control ? p->control->mpi_call[i] : 0;
        text[i] = isalnum((unsigned char)c) || c == '_' ? c : 0;
        if (!text[i]) break;
    }
    text[WIRE_MPI_CALL_BYTES - 1] = 0;
}

void mpi_story(const struct server *s, const struct program *p, const struct wire_request *r,
               char *text, size_t size) {
    char name[WIRE_MPI_CALL_BYTES], what[200] = "a window";
    call_name(p, name);
    if (r->call == CALL___heddleMpiFinish) {
        const struct mpi_request *m = mpi_world_asked(s, p, r->arg[1]);
        if (m) envelope_story(&m->asked, m->is_receive, what, sizeof what);
    } else if (r->call == CALL___heddleMpiWaitAny) {
        snprintf(what, sizeof what, "one of %llu requests", (unsigned long long)r->arg[1]);
    } else if (r->call == CALL___heddleMpiProbe) {
        const struct mpi_envelope from = {r->arg[1], r->arg[2], r->arg[3]};
        envelope_story(&from, true, what, sizeof what);
    }
    snprintf(text, size, "in %s() for %s", *name ? name : "a call of MPI", what);
}
