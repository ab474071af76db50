/* network_rig.c - see network_rig.h. */
#include "network_rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

static void happened(void *user, const struct network_event *event) {
    struct network_rig *rig = user;
    if (!rig->forget) {
        rig->event = heddle_grow(rig->event, &rig->capacity, rig->num_events + 1,
                                 sizeof *rig->event, "events of a test");
        rig->event[rig->num_events++] = *event;
    }
    if (rig->react) rig->react(rig, event);
}

static void give_up(const struct heddle_diag *diag) {
    fprintf(stderr, "%s\n", diag->text);
    exit(EXIT_FAILURE);
}

void network_rig_create(struct network_rig *rig, const char *directory, const char *name,
                        const char *sets) {
    struct heddle_diag diag = {0};
    const char *set[16];
    size_t n = 0;
    char copy[512];
    snprintf(copy, sizeof copy, "%s", sets);
    for (char *at = strtok(copy, " "); at && n < 16; at = strtok(NULL, " ")) set[n++] = at;
    memset(rig, 0, sizeof *rig);
    if (network_config_load(&rig->config, name, directory, set, n, &diag) ||
        network_create(&rig->network, rig->config, happened, rig, &diag))
        give_up(&diag);
}

void network_rig_free(struct network_rig *rig) {
    network_free(rig->network);
    network_config_free(rig->config);
    free(rig->event);
}

void network_rig_send(struct network_rig *rig, uint32_t source, uint32_t target, uint64_t bytes,
                      uint64_t at, uint64_t tag) {
    struct heddle_diag diag = {0};
    const struct network_message m = {
        .source = source, .target = target, .bytes = bytes, .at = at, .tag = tag};
    if (network_send(rig->network, &m, &diag)) give_up(&diag);
}

uint64_t network_rig_run(struct network_rig *rig) {
    uint64_t last = 0;
    network_advance(rig->network, NETWORK_NEVER);
    for (size_t i = 0; i < rig->num_events; i++)
        if (rig->event[i].kind == NETWORK_DELIVERED) last = rig->event[i].at;
    return last;
}

const struct network_event *network_rig_find(const struct network_rig *rig,
                                             enum network_event_kind kind, uint64_t tag) {
    for (size_t i = 0; i < rig->num_events; i++)
        if (rig->event[i].kind == kind && rig->event[i].message.tag == tag) return &rig->event[i];
    return NULL;
}

bool network_rig_same(const struct network_rig *x, const struct network_rig *y, size_t *at) {
    size_t n = x->num_events < y->num_events ? x->num_events : y->num_events;
    for (*at = 0; *at < n; ++*at) {
        const struct network_event *a = &x->event[*at], *b = &y->event[*at];
        if (a->kind != b->kind || a->at != b->at || a->sequence != b->sequence ||
            a->message.source != b->message.source || a->message.target != b->message.target ||
            a->message.bytes != b->message.bytes || a->message.tag != b->message.tag ||
            a->message.at != b->message.at)
            return false;
    }
    return x->num_events == y->num_events;
}

struct ring {
    uint32_t nodes;
    uint64_t part, steps, last;
};

/* A part has come: the node sends its next one. Tags are steps. */
static void pass_on(struct network_rig *rig, const struct network_event *event) {
    struct ring *ring = rig->user;
    if (event->kind != NETWORK_DELIVERED) return;
    const uint32_t node = event->message.target;
    ring->last = event->at;
    if (event->message.tag + 1 < ring->steps)
        network_rig_send(rig, node, (node + 1) % ring->nodes, ring->part, event->at,
                         event->message.tag + 1);
}

uint64_t network_rig_allreduce(struct network_rig *rig, uint64_t bytes) {
    const uint32_t n = network_nodes(rig->network);
    struct ring ring = {.nodes = n, .part = (bytes + n - 1) / n, .steps = 2 * ((uint64_t)n - 1)};
    rig->react = pass_on;
    rig->user = &ring;
    rig->forget = true;
    const uint64_t start = network_now_ps(rig->network);
    for (uint32_t i = 0; i < n && n > 1; i++)
        network_rig_send(rig, i, (i + 1) % n, ring.part, start, 0);
    network_advance(rig->network, NETWORK_NEVER);
    rig->react = NULL;
    rig->user = NULL;
    return ring.last - start;
}

uint64_t network_rig_random(uint64_t *state) {
    uint64_t x = *state += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}
