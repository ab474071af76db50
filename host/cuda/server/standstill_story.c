/* standstill_story.c - what PEs wait for, in words; see standstill_story.h. */
#include "cuda/server/standstill_story.h"

#include <stdio.h>
#include <string.h>

#include "common/memory.h"
#include "cuda/base/diagnostics.h"
#include "cuda/calls/call_table.h"
#include "cuda/object/mpi_world.h"
#include "cuda/object/symmetric_heap.h"
#include "cuda/server/server.h"

void standstill_call_story(const struct server *s, const struct host_thread *t, char *text,
                           size_t size) {
    const struct wire_request *r = &t->suspended;
    const char *name = call_table[r->call].name;
    if (r->kind == WIRE_GOODBYE)
        snprintf(text, size, "at its end, for its kernels and copies");
    else if (!strncmp(name, "__heddleMpi", strlen("__heddleMpi")))
        mpi_story(s, t->program, r, text, size);
    else if (!strncmp(name, "__heddleShmem", strlen("__heddleShmem")))
        symmetric_heap_story(s, text, size);
    else
        snprintf(text, size, "in %s()", name);
}

void standstill_keep(struct server *s, const struct host_thread *t) {
    enum { MOST = 64 };
    char text[400], line[480];
    if (s->waits->len == MOST) return;
    standstill_call_story(s, t, text, sizeof text);
    snprintf(line, sizeof line, "PE %u (%s) waited %s", t->program->node, t->program->name, text);
    g_ptr_array_add(s->waits, heddle_copy_text(line, "what a PE waited for"));
}

const char *const *server_waits(const struct server *s, size_t *n) {
    *n = s->waits->len;
    return (const char *const *)s->waits->pdata;
}

/* The calls of the threads of a PE. @return whether one of them waits. */
static bool tell_calls(struct server *s, unsigned pe) {
    bool any = false;
    for (const struct program *p = s->programs; p; p = p->next) {
        for (const struct host_thread *t = s->threads; t; t = t->next) {
            char text[400];
            if (p->node != pe || t->program != p || !t->is_suspended) continue;
            standstill_call_story(s, t, text, sizeof text);
            server_error(s, "PE %u (%s) waits %s", pe, p->name, text);
            any = true;
        }
    }
    return any;
}

/* gpu_standing_fn */
struct of_pe {
    struct server *server;
    unsigned pe;
};
static void tell_kernel(void *user, const char *kernel, uint64_t launch,
                        const struct exec_standing *standing) {
    const struct of_pe *o = user;
    for (unsigned i = 0; i < standing->num_places; i++) {
        const struct exec_standing_place *p = &standing->place[i];
        char like[40] = "", word[200] = "";
        if (p->warps > 1)
            snprintf(like, sizeof like, "%llu warps like ", (unsigned long long)p->warps);
        symmetric_heap_name(o->server, p->polled, word, sizeof word);
        server_error(o->server, "PE %u, kernel %s, launch %llu: %s%s%s%s", o->pe, kernel,
                     (unsigned long long)launch, like, p->text, *word ? ": " : "", word);
    }
    if (standing->others)
        server_error(o->server, "PE %u, kernel %s, launch %llu: %llu warps elsewhere", o->pe,
                     kernel, (unsigned long long)launch, (unsigned long long)standing->others);
}

/* What is known of a PE none of whose threads waits in a call. */
static const char *absence(const struct server *s, unsigned pe) {
    const char *why = "has made no call";
    for (const struct program *p = s->programs; p; p = p->next) {
        if (p->node != pe) continue;
        if (!p->gone) return "waits in no call";
        why = "has ended";
    }
    return why;
}

void standstill_story(struct server *s) {
    const unsigned devices = server_node_devices(s);
    for (unsigned pe = 0; pe < s->o.nodes; pe++) {
        struct of_pe o = {s, pe};
        char text[400];
        if (!tell_calls(s, pe)) server_error(s, "PE %u %s", pe, absence(s, pe));
        for (unsigned i = 0; i < devices; i++)
            gpu_tell_standing(server_gpu(s, pe * devices + i), tell_kernel, &o);
        for (unsigned i = 0;
             s->o.network_story && s->o.network_story(s->o.pe_user, pe, i, text, sizeof text); i++)
            server_error(s, "%s", text);
    }
}
