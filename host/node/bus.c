/* bus.c - transactions of the NIC as accesses to L2; contracts in bus.h. */
#include "node/bus.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "node/node_link.h"

/* A job here, in order of arrival. */
struct here {
    uint32_t job;
    struct bus_job *record; /* NULL: all of its lines have been issued */
    uint64_t arrived_ps;
    uint64_t writer; /* number of a write */
};

/* A write that has not been served, in order of arrival. */
struct writer {
    uint64_t arrived_ps, left; /* bytes */
};

/* An access under way. */
struct under_way {
    uint32_t job;
    struct bus_job *record;
    uint64_t writer;
};

struct bus {
    const struct node_config *config;
    const struct memory_port_fns *port;
    void *port_self;
    struct bus_events events;
    uint64_t order_ps; /* order_ps() */
    struct here *here; /* [first, count) */
    size_t first, count, capacity;
    struct writer *writer; /* [first_writer, num_writers); the first one is number `oldest` */
    size_t first_writer, num_writers, writer_capacity;
    uint64_t oldest;
    struct under_way *under_way; /* by tag of the access */
    uint32_t *free_tag;
    uint32_t tags, num_free;
    uint32_t *writes;    /* by stream: lines of writes and atomics that L2 has not served */
    uint32_t *passed;    /* by stream: the look in which an earlier job of it had to wait */
    uint32_t look;       /* number of the present one */
    uint64_t up_free_ps; /* when the way to the NIC is free */
};

enum {
    TAGS = 128,
    LOOK_AHEAD = 64, /* jobs that may pass one that waits */
};

/* How much later than an unserved write a job may arrive and still pass it. */
static uint64_t order_ps(const struct node_config *c) {
    return node_ps(3 * (c->nic_send + c->nic_receive));
}

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
    b->writes = heddle_alloc_array(BUS_STREAMS, sizeof *b->writes, "streams of a bus");
    b->passed = heddle_alloc_array(BUS_STREAMS, sizeof *b->passed, "streams of a bus");
    b->order_ps = order_ps(config);
    for (uint32_t i = 0; i < TAGS; i++) b->free_tag[b->num_free++] = TAGS - 1 - i;
    return HEDDLE_OK;
}

void bus_free(struct bus *b) {
    if (!b) return;
    free(b->here);
    free(b->writer);
    free(b->writes);
    free(b->passed);
    free(b->under_way);
    free(b->free_tag);
    free(b);
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
    if (j->kind != ACCESS_LOAD) b->writes[j->stream]++;
    b->under_way[a.tag] = (struct under_way){h->job, j, h->writer};
    j->issued += a.bytes;
    b->port->send(b->port_self, &a, at_ps);
}

/* Whether one more access may be under way. */
static bool can_issue(const struct bus *b) {
    return b->num_free && b->port->can_send(b->port_self);
}

/* Whether a write that came so much earlier that the job may follow from it has not been served. */
static bool follows_unserved(const struct bus *b, const struct here *h) {
    return b->first_writer < b->num_writers &&
           b->writer[b->first_writer].arrived_ps + b->order_ps <= h->arrived_ps;
}

/* Sends as many lines as may be under way, of the jobs that may begin or have begun. */
static void go_on(struct bus *b, uint64_t at_ps) {
    b->look++;
    for (size_t i = b->first; i < b->count && i < b->first + LOOK_AHEAD && can_issue(b); i++) {
        struct here *h = &b->here[i];
        const struct bus_job *j = h->record;
        if (!j) continue;
        if (j->issued == 0) {
            if (follows_unserved(b, h)) break; /* as all that came later */
            if (b->passed[j->stream] == b->look || (j->ordered && b->writes[j->stream])) {
                b->passed[j->stream] = b->look;
                continue;
            }
        }
        while (can_issue(b) && j->issued != j->bytes) issue(b, h, at_ps);
        if (j->issued == j->bytes)
            h->record = NULL;
        else
            b->passed[j->stream] = b->look;
    }
    while (b->first < b->count && !b->here[b->first].record) b->first++;
    if (b->first == b->count) b->first = b->count = 0;
}

/* Notes that bytes of a write have been served. */
static void note_served(struct bus *b, uint64_t number, uint64_t bytes) {
    b->writer[b->first_writer + (number - b->oldest)].left -= bytes;
    while (b->first_writer < b->num_writers && !b->writer[b->first_writer].left) {
        b->first_writer++;
        b->oldest++;
    }
    if (b->first_writer == b->num_writers) b->first_writer = b->num_writers = 0;
}

/* Makes room behind the elements [*first, *count) of an array by moving them to its start. */
static void move_to_start(void *array, size_t size, size_t *first, size_t *count, size_t capacity) {
    if (*count != capacity || *first <= *count / 2) return;
    memmove(array, (char *)array + *first * size, (*count - *first) * size);
    *count -= *first;
    *first = 0;
}

/* @return the number of a write of so many bytes. */
static uint64_t add_writer(struct bus *b, uint64_t bytes, uint64_t at_ps) {
    move_to_start(b->writer, sizeof *b->writer, &b->first_writer, &b->num_writers,
                  b->writer_capacity);
    if (b->num_writers == b->writer_capacity)
        b->writer = heddle_grow(b->writer, &b->writer_capacity, b->num_writers + 1,
                                sizeof *b->writer, "writes of a bus");
    b->writer[b->num_writers++] = (struct writer){at_ps, bytes};
    return b->oldest + (b->num_writers - 1 - b->first_writer);
}

void bus_take(struct bus *b, uint32_t job, struct bus_job *record, uint64_t at_ps) {
    record->issued = record->ended = record->last_ps = 0;
    move_to_start(b->here, sizeof *b->here, &b->first, &b->count, b->capacity);
    if (b->count == b->capacity)
        b->here = heddle_grow(b->here, &b->capacity, b->count + 1, sizeof *b->here,
                              "jobs of a bus");
    b->here[b->count++] = (struct here){
        .job = job,
        .record = record,
        .arrived_ps = at_ps,
        .writer = record->kind == ACCESS_LOAD ? 0 : add_writer(b, record->bytes, at_ps)};
    go_on(b, at_ps);
}

void bus_access_ended(struct bus *b, const struct memory_access *a, uint64_t at_ps) {
    const struct under_way h = b->under_way[a->tag];
    struct bus_job *j = h.record;
    uint64_t done_ps = at_ps;
    b->free_tag[b->num_free++] = a->tag;
    if (j->kind != ACCESS_LOAD) {
        b->writes[j->stream]--;
        note_served(b, h.writer, a->bytes);
    }
    if (j->kind != ACCESS_STORE) {
        /* the answer goes to the NIC */
        memcpy(j->data + (j->kind == ACCESS_LOAD ? a->address - j->address : 0), a->data, a->bytes);
        if (b->up_free_ps < at_ps) b->up_free_ps = at_ps;
        b->up_free_ps += node_link_ps(b->config, a->bytes, a->bytes);
        done_ps = b->up_free_ps + node_ps(b->config->link_latency);
    }
    j->ended += a->bytes;
    if (done_ps > j->last_ps) j->last_ps = done_ps;
    if (j->ended == j->bytes) b->events.job_done(b->events.user, h.job, j->last_ps);
    go_on(b, at_ps);
}
