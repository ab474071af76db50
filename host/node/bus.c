/* bus.c - transactions of the NIC as accesses to L2; contracts in bus.h. */
#include "node/bus.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"

/* A job here, in order of arrival. */
struct here {
    uint32_t job;
    struct bus_job *record;
};

struct bus {
    const struct node_config *config;
    const struct memory_port_fns *port;
    void *port_self;
    struct bus_events events;
    struct here *here; /* [first, count): not all of their lines have been issued */
    size_t first, count, capacity;
    struct here *under_way; /* by tag of their accesses */
    uint32_t *free_tag;
    uint32_t tags, num_free;
    uint64_t writes;     /* lines of writes and atomics that L2 has not served */
    uint64_t up_free_ps; /* when the way to the NIC is free */
};

enum { TAGS = 128 };

heddle_err bus_create(struct bus **out, const struct node_config *config,
                      const struct memory_port_fns *port, void *port_self,
                      const struct bus_events *events) {
    struct bus *b = *out = heddle_alloc(sizeof *b, "a bus");
    b->config = config;
    b->port = port;
    b->port_self = port_self;
    b->events = *events;
    b->under_way = heddle_alloc_array(TAGS, sizeof *b->under_way, "accesses of a bus");
    b->free_tag = heddle_alloc_array(TAGS, sizeof *b->free_tag, "accesses of a bus");
    for (uint32_t i = 0; i < TAGS; i++) b->free_tag[b->num_free++] = TAGS - 1 - i;
    return HEDDLE_OK;
}

void bus_free(struct bus *b) {
    if (!b) return;
    free(b->here);
    free(b->under_way);
    free(b->free_tag);
    free(b);
}

/* Time on the link for a transaction's bytes with its headers. */
static uint64_t link_ps(const struct node_config *c, uint64_t bytes) {
    const uint64_t transactions = (bytes + c->link_payload - 1) / c->link_payload;
    const double all = (double)(bytes + (transactions ? transactions : 1) * c->link_header);
    return (uint64_t)llround(all * 1000 / c->link_rate);
}

/* Bytes of the next access: within a line, and as wide as L2 takes them at once, which is 32 times
 * the alignment of address and length. */
static uint32_t piece(uint64_t address, uint64_t left) {
    enum { WIDEST = 16, MOST = 32 };
    const uint64_t to_end = ACCESS_LINE - address % ACCESS_LINE;
    uint64_t bytes = left < to_end ? left : to_end, width = WIDEST;
    while (address % width || width > bytes) width /= 2;
    bytes -= bytes % width;
    return (uint32_t)(bytes < MOST * width ? bytes : MOST * width);
}

/* Sends the next access of a job. */
static void issue(struct bus *b, const struct here *h, uint64_t at_ps) {
    struct bus_job *j = h->record;
    const uint64_t address = j->address + j->issued;
    struct memory_access a = {.kind = j->kind,
                              .address = address,
                              .bytes = piece(address, j->bytes - j->issued),
                              .amo = j->amo,
                              .operand = j->operand,
                              .compare = j->compare,
                              .tag = b->free_tag[--b->num_free]};
    if (j->kind == ACCESS_STORE) memcpy(a.data, j->data + j->issued, a.bytes);
    if (j->kind != ACCESS_LOAD) b->writes++;
    b->under_way[a.tag] = *h;
    j->issued += a.bytes;
    b->port->send(b->port_self, &a, at_ps);
}

/* Sends as many lines as may be under way. */
static void go_on(struct bus *b, uint64_t at_ps) {
    while (b->first < b->count && b->num_free && b->port->can_send(b->port_self)) {
        const struct here *h = &b->here[b->first];
        const bool begins = h->record->issued == 0;
        if (begins && h->record->ordered && b->writes) return;
        issue(b, h, at_ps);
        if (h->record->issued == h->record->bytes) b->first++;
    }
    if (b->first == b->count) b->first = b->count = 0;
}

void bus_take(struct bus *b, uint32_t job, struct bus_job *record, uint64_t at_ps) {
    record->issued = record->ended = record->last_ps = 0;
    if (b->count == b->capacity && b->first > b->count / 2) {
        memmove(b->here, b->here + b->first, (b->count - b->first) * sizeof *b->here);
        b->count -= b->first;
        b->first = 0;
    }
    if (b->count == b->capacity)
        b->here = heddle_grow(b->here, &b->capacity, b->count + 1, sizeof *b->here,
                              "jobs of a bus");
    b->here[b->count++] = (struct here){job, record};
    go_on(b, at_ps);
}

void bus_access_ended(struct bus *b, const struct memory_access *a, uint64_t at_ps) {
    const struct here h = b->under_way[a->tag];
    struct bus_job *j = h.record;
    uint64_t done_ps = at_ps;
    b->free_tag[b->num_free++] = a->tag;
    if (j->kind == ACCESS_STORE) {
        b->writes--;
    } else {
        /* the answer goes to the NIC */
        if (j->kind == ACCESS_ATOMIC) b->writes--;
        memcpy(j->data + (j->kind == ACCESS_LOAD ? a->address - j->address : 0), a->data, a->bytes);
        if (b->up_free_ps < at_ps) b->up_free_ps = at_ps;
        b->up_free_ps += link_ps(b->config, a->bytes);
        done_ps = b->up_free_ps + (uint64_t)llround(b->config->link_latency * 1000);
    }
    j->ended += a->bytes;
    if (done_ps > j->last_ps) j->last_ps = done_ps;
    if (j->ended == j->bytes) b->events.job_done(b->events.user, h.job, j->last_ps);
    go_on(b, at_ps);
}
