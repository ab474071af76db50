/* node_cpu.c - a node's CPU; contracts in node_cpu.h. */
#include "node/node_cpu.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "node/node_link.h"
#include "common/event_heap.h"

/* What happens, in this order at one time. */
enum happening {
    JOB,     /* the NIC accesses memory */
    KERNEL,  /* one begins or ends */
    OUTSIDE, /* a kernel accesses the queues */
    SERVE,   /* a thread's access to the host's memory */
    ANSWER,  /* a thread's access to the GPU's memory has ended */
};

/* What an event is about. */
struct item {
    uint32_t number; /* job, operation, thread, or whether a kernel begins */
    uint32_t lanes;
    struct bus_job *record;
    uint64_t ctas;
    struct memory_access access;
};

struct cpu_port {
    struct node_cpu *cpu;
    uint32_t thread;
};

struct node_cpu {
    const struct node_config *config;
    uint64_t way_ps;
    const struct memory_port_fns *gpu_fns;
    void *const *gpu;
    struct node_cpu_events events;
    struct cpu_port port[SHMEM_THREADS];
    void *port_of[SHMEM_THREADS];
    uint8_t *memory; /* of service threads */
    uint64_t queues, queues_bytes;
    struct event_heap heap;
    uint32_t sequence;
    struct item *item; /* by number; the free ones are listed in free_item */
    uint32_t *free_item;
    size_t items, item_capacity, num_free, free_capacity;
    uint64_t up_free_ps; /* when the way to the NIC is free */
};

enum {
    MEMORY_BYTES = SHMEM_COMMANDS * sizeof(struct heddle_shmem_entry) +
                   SHMEM_THREADS * SHMEM_COMPLETIONS * sizeof(uint64_t)
};

struct node_cpu *node_cpu_create(const struct node_config *config, uint64_t way_ps,
                                 const struct memory_port_fns *gpu_fns, void *const *gpu,
                                 const struct node_cpu_events *events) {
    struct node_cpu *c = heddle_alloc(sizeof *c, "a CPU");
    c->config = config;
    c->way_ps = way_ps;
    c->gpu_fns = gpu_fns;
    c->gpu = gpu;
    c->events = *events;
    c->memory = heddle_alloc(MEMORY_BYTES, "memory of service threads");
    for (uint32_t i = 0; i < SHMEM_THREADS; i++) {
        c->port[i] = (struct cpu_port){c, i};
        c->port_of[i] = &c->port[i];
    }
    return c;
}

void node_cpu_free(struct node_cpu *c) {
    if (!c) return;
    event_heap_clear(&c->heap);
    free(c->item);
    free(c->free_item);
    free(c->memory);
    free(c);
}

uint8_t *node_cpu_memory(struct node_cpu *c) {
    return c->memory;
}

void *const *node_cpu_ports(struct node_cpu *c) {
    return c->port_of;
}

void node_cpu_set_queues(struct node_cpu *c, uint64_t address, uint64_t bytes) {
    c->queues = address;
    c->queues_bytes = bytes;
}

/* ---- events */

static void add(struct node_cpu *c, enum happening kind, uint64_t at_ps, const struct item *item) {
    uint32_t place = (uint32_t)c->items;
    if (c->num_free) {
        place = c->free_item[--c->num_free];
    } else if (c->items++ == c->item_capacity) {
        c->item = heddle_grow(c->item, &c->item_capacity, c->items, sizeof *c->item,
                              "events of a CPU");
    }
    const bool in_order = kind == JOB || kind == OUTSIDE; /* of their arrival */
    c->item[place] = *item;
    event_heap_add(&c->heap, (struct event){.at = at_ps,
                                            .key = event_key(kind, in_order ? 0 : item->number, 0),
                                            .sequence = c->sequence++,
                                            .item = place});
}

static void give_back(struct node_cpu *c, uint32_t place) {
    if (c->num_free == c->free_capacity)
        c->free_item = heddle_grow(c->free_item, &c->free_capacity, c->num_free + 1,
                                   sizeof *c->free_item, "events of a CPU");
    c->free_item[c->num_free++] = place;
}

void node_cpu_take(struct node_cpu *c, uint32_t job, struct bus_job *record, uint64_t at_ps) {
    add(c, JOB, at_ps, &(struct item){.number = job, .record = record});
}
void node_cpu_l2_answered(struct node_cpu *c, uint32_t thread, const struct memory_access *a,
                          uint64_t at_ps) {
    add(c, ANSWER, at_ps + c->way_ps, &(struct item){.number = thread, .access = *a});
}
void node_cpu_outside(struct node_cpu *c, uint32_t op, uint32_t lanes, uint64_t at_ps) {
    add(c, OUTSIDE, at_ps, &(struct item){.number = op, .lanes = lanes});
}
void node_cpu_kernel(struct node_cpu *c, bool begins, uint64_t ctas, uint64_t at_ps) {
    add(c, KERNEL, at_ps, &(struct item){.number = begins, .ctas = ctas});
}

/* ---- the ports of service threads */

/* Whether the address is of the memory of service threads, or of their queues. */
static bool is_here(const struct node_cpu *c, uint64_t address) {
    return address - (uint64_t)(uintptr_t)c->memory < MEMORY_BYTES ||
           address - c->queues < c->queues_bytes;
}

static bool can_send(const void *port) {
    const struct cpu_port *p = port;
    return p->cpu->gpu_fns->can_send(p->cpu->gpu[p->thread]);
}
static void send_access(void *port, const struct memory_access *a, uint64_t at_ps) {
    const struct cpu_port *p = port;
    struct node_cpu *c = p->cpu;
    if (is_here(c, a->address))
        add(c, SERVE, at_ps + node_ps(c->config->cpu_cache),
            &(struct item){.number = p->thread, .access = *a});
    else
        c->gpu_fns->send(c->gpu[p->thread], a, at_ps + c->way_ps);
}
const struct memory_port_fns node_cpu_port_fns = {can_send, send_access};

/* ---- what happens */

/* The NIC reads or writes the host's memory. The answer to a read crosses the way to the NIC behind
 * those before it. */
static void do_job(struct node_cpu *c, uint32_t number, const struct bus_job *j, uint64_t at_ps) {
    void *here = (void *)(uintptr_t)j->address;
    uint64_t done_ps = at_ps;
    if (j->kind == ACCESS_LOAD) {
        memcpy(j->data, here, j->bytes);
        done_ps += node_ps(c->config->host_memory);
        if (c->up_free_ps < done_ps) c->up_free_ps = done_ps;
        done_ps = c->up_free_ps += node_link_ps(c->config, j->bytes, j->bytes);
    } else if (j->news) {
        c->events.told(c->events.user, j, at_ps);
    } else {
        memcpy(here, j->data, j->bytes);
    }
    c->events.job_done(c->events.user, number, done_ps + node_ps(c->config->host_latency));
}

static void happen(struct node_cpu *c, const struct event *e) {
    struct item i = c->item[e->item];
    give_back(c, e->item);
    void *here = (void *)(uintptr_t)i.access.address;
    switch ((enum happening)event_kind(e->key)) {
    case JOB: do_job(c, i.number, i.record, e->at); return;
    case KERNEL: c->events.kernel(c->events.user, i.number, i.ctas, e->at); return;
    case OUTSIDE: c->events.outside(c->events.user, i.number, i.lanes); return;
    case SERVE:
        if (i.access.kind == ACCESS_LOAD)
            memcpy(i.access.data, here, i.access.bytes);
        else
            memcpy(here, i.access.data, i.access.bytes);
        break;
    case ANSWER: break;
    }
    c->events.access_ended(c->events.user, i.number, &i.access, e->at);
}

void node_cpu_advance(struct node_cpu *c, uint64_t until) {
    while (event_heap_next(&c->heap) < until) {
        const struct event e = event_heap_take(&c->heap);
        happen(c, &e);
    }
}

uint64_t node_cpu_next(const struct node_cpu *c) {
    return event_heap_next(&c->heap);
}
