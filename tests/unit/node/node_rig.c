/* node_rig.c - see node_rig.h. */
#include "node_rig.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/memory.h"

static void add(struct node_rig *rig, struct rig_event e) {
    if (rig->num_events == rig->capacity)
        rig->event = heddle_grow(rig->event, &rig->capacity, rig->num_events + 1,
                                 sizeof *rig->event, "events of a test");
    e.sequence = rig->sequence++;
    rig->event[rig->num_events++] = e;
}

/* ---- memory */

static bool can_send(const void *port) {
    return ((const struct rig_port *)port)->under_way < RIG_PORTS;
}
static void send_access(void *port, const struct memory_access *a, uint64_t at) {
    struct rig_port *p = port;
    p->under_way++;
    cr_assert_lt(a->address % ACCESS_LINE + a->bytes, ACCESS_LINE + 1, "crosses a line");
    const struct node_rig *rig = p->node->rig;
    if (rig->uneven) at += (a->address / 32 * 2654435761u ^ rig->sequence * 40503) % ACCESS_PS;
    add(p->node->rig, (struct rig_event){.at = at + ACCESS_PS / 2,
                                         .kind = RIG_SERVE,
                                         .node = p->node->number,
                                         .port = p->number,
                                         .access = *a});
}
static const struct memory_port_fns port_fns = {can_send, send_access};

static void serve(struct node_rig *rig, struct rig_event e) {
    struct memory_access *a = &e.access;
    rig->served++;
    if (a->kind == ACCESS_LOAD) memcpy(a->data, (void *)(uintptr_t)a->address, a->bytes);
    if (a->kind == ACCESS_STORE) memcpy((void *)(uintptr_t)a->address, a->data, a->bytes);
    if (a->kind == ACCESS_ATOMIC) {
        const uint64_t old = shmem_amo(a->address, a->amo, a->bytes, a->operand, a->compare);
        memcpy(a->data, &old, sizeof old);
    }
    e.kind = RIG_ANSWER;
    e.at += ACCESS_PS / 2;
    add(rig, e);
}

static void answer(struct node_rig *rig, const struct rig_event *e) {
    struct rig_node *n = &rig->node[e->node];
    if (e->port == RIG_BUS) {
        n->bus_port.under_way--;
        bus_access_ended(n->bus, &e->access, e->at);
    } else {
        n->cp_port[e->port].under_way--;
        if (rig->on_cpu)
            node_cpu_l2_answered(n->cpu, e->port, &e->access, e->at);
        else
            command_processor_access_ended(n->cp, e->port, &e->access, e->at);
    }
}

/* ---- messages */

static uint64_t link_ps(const struct node_rig *rig) {
    return (uint64_t)(rig->config->link_latency * 1000);
}
static uint64_t host_ps(const struct node_rig *rig) {
    return (uint64_t)(rig->config->host_latency * 1000);
}
static void ring(void *user, uint32_t op, uint64_t at) {
    struct rig_node *n = user;
    add(n->rig, (struct rig_event){.at = at + (n->rig->on_cpu ? host_ps(n->rig) : link_ps(n->rig)),
                                   .kind = RIG_DOORBELL,
                                   .node = n->number,
                                   .number = op});
}
static void refuse(void *user, const struct heddle_diag *diag) {
    struct rig_node *n = user;
    snprintf(n->refused, sizeof n->refused, "%.290s", diag->text);
}
static void job(void *user, uint32_t number, struct bus_job *record, uint64_t at) {
    struct rig_node *n = user;
    cr_assert_eq(nic_job(n->nic, number), record);
    add(n->rig, (struct rig_event){.at = at, .kind = RIG_JOB, .node = n->number, .number = number});
}
static void job_done(void *user, uint32_t number, uint64_t at) {
    struct rig_node *n = user;
    const bool store = nic_job(n->nic, number)->kind == ACCESS_STORE;
    add(n->rig, (struct rig_event){.at = at + (store ? link_ps(n->rig) : 0),
                                   .kind = RIG_DONE,
                                   .node = n->number,
                                   .number = number});
}
static void host_job_done(void *user, uint32_t number, uint64_t at) {
    struct rig_node *n = user;
    add(n->rig,
        (struct rig_event){.at = at, .kind = RIG_DONE, .node = n->number, .number = number});
}
static void access_ended(void *user, uint32_t thread, const struct memory_access *a, uint64_t at) {
    command_processor_access_ended(((struct rig_node *)user)->cp, thread, a, at);
}
static void kernel(void *user, bool begins, uint64_t ctas, uint64_t at) {
    command_processor_kernel(((struct rig_node *)user)->cp, begins, ctas, at);
}
static void outside(void *user, uint32_t op, uint32_t lanes) {
    (void)user;
    cr_assert_fail("no kernel runs here: operation %u, lanes %x", op, lanes);
}
static void told(void *user, const struct bus_job *job, uint64_t at) {
    const struct rig_node *n = user;
    cpu_messages_told(n->rig->messages, n->number, job, at);
}
static void send_packet(void *user, uint32_t to, const struct nic_packet *p, uint64_t bytes,
                        uint64_t at) {
    struct rig_node *n = user;
    if (n->wire_free_ps < at) n->wire_free_ps = at;
    n->wire_free_ps += bytes * PER_BYTE_PS;
    const uint64_t receive = (uint64_t)(n->rig->config->nic_receive * 1000);
    add(n->rig, (struct rig_event){.at = n->wire_free_ps + WIRE_PS + receive,
                                   .kind = RIG_PACKET,
                                   .node = to,
                                   .packet = *p});
}

/* ---- the rig */

void node_rig_send(struct node_rig *rig, const struct cluster_message *m) {
    heddle_err e;
    const uint32_t op = cpu_messages_begin(rig->messages, m, &e);
    cr_assert_eq(e, HEDDLE_OK);
    add(rig,
        (struct rig_event){
            .at = m->at_ps + host_ps(rig), .kind = RIG_DOORBELL, .node = m->source, .number = op});
}

static void create(struct node_rig *rig, const char *sets, bool on_cpu, uint32_t load) {
    struct heddle_diag diag;
    char copy[400];
    const char *set[16];
    size_t num = 0;
    memset(rig, 0, sizeof *rig);
    rig->on_cpu = on_cpu;
    rig->queues_at_host = on_cpu && !load;
    rig->messages = cpu_messages_create(RIG_NODES, &rig->ops);
    snprintf(copy, sizeof copy, "%s", sets);
    for (char *s = strtok(copy, " "); s; s = strtok(NULL, " ")) set[num++] = s;
    heddle_err e = node_config_load(&rig->config, "modern", NODES, set, num, &diag);
    cr_assert_eq(e, HEDDLE_OK, "%s", diag.text);

    const uint64_t state = (shmem_own_bytes(RIG_QUEUES) + 4095) / 4096 * 4096;
    const uint64_t own = state + (shmem_queues_bytes(RIG_QUEUES) + 4095) / 4096 * 4096;
    const uint64_t each = own + RIG_HEAP, region = EXEC_REGION;
    const uint64_t size = (RIG_NODES * each + region - 1) / region * region;
    char *at = mmap(NULL, size + region, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
                    0);
    cr_assert_neq(at, MAP_FAILED);
    rig->base = ((uint64_t)(uintptr_t)at + region - 1) / region * region;
    cr_assert_eq(exec_memory_init(&rig->memory, rig->base, size), HEDDLE_OK);
    exec_memory_allow(&rig->memory, rig->base, size);
    rig->pes.count = RIG_NODES;
    for (uint32_t i = 0; i < RIG_NODES; i++) {
        struct rig_node *n = &rig->node[i];
        n->rig = rig;
        n->number = i;
        rig->pes.pe[i].memory = &rig->memory;
        const uint64_t begin = rig->base + i * each;
        const struct shmem_place at_begin = {.own = begin,
                                             .queues = begin + state,
                                             .heap = begin + own,
                                             .heap_bytes = RIG_HEAP,
                                             .num_queues = RIG_QUEUES,
                                             .queues_at_host = rig->queues_at_host};
        shmem_pe_begin(&rig->pes, i, &at_begin);
        for (uint32_t t = 0; t < SHMEM_THREADS; t++) {
            n->cp_port[t] = (struct rig_port){n, t, 0};
            n->ports[t] = &n->cp_port[t];
        }
        n->bus_port = (struct rig_port){n, RIG_BUS, 0};
        const struct command_processor_events cp = {ring, refuse, n};
        const struct bus_events bus = {job_done, n};
        const struct nic_events nic = {send_packet, job, n};
        const struct node_cpu_events cpu = {host_job_done, access_ended, kernel, outside, told, n};
        n->cpu = node_cpu_create(rig->config, WAY_PS, &port_fns, n->ports, &cpu);
        struct service_place place = {
            rig->config->cp_clock, rig->config->cp_ipc, 64, &port_fns, n->ports, NULL};
        if (rig->on_cpu)
            place = (struct service_place){
                rig->config->cpu_clock, rig->config->cpu_ipc,   load,
                &node_cpu_port_fns,     node_cpu_ports(n->cpu), node_cpu_memory(n->cpu)};
        command_processor_create(&n->cp, rig->config, &rig->pes, i, &rig->ops, &place, &cp);
        bus_create(&n->bus, rig->config, &port_fns, &n->bus_port, &bus);
        nic_create(&n->nic, rig->config, i, &rig->ops, &nic);
        if (rig->queues_at_host)
            node_cpu_set_queues(n->cpu, at_begin.queues, shmem_queues_bytes(RIG_QUEUES));
        command_processor_reset(n->cp);
    }
}

void node_rig_create(struct node_rig *rig, const char *sets) {
    create(rig, sets, false, 0);
}
void node_rig_create_on_cpu(struct node_rig *rig, const char *sets, uint32_t load) {
    create(rig, sets, true, load);
}

void node_rig_free(struct node_rig *rig) {
    cpu_messages_free(rig->messages);
    for (uint32_t i = 0; i < RIG_NODES; i++) {
        nic_free(rig->node[i].nic);
        bus_free(rig->node[i].bus);
        node_cpu_free(rig->node[i].cpu);
        command_processor_free(rig->node[i].cp);
    }
    exec_memory_fini(&rig->memory);
    node_config_free(rig->config);
    free(rig->event);
}

void node_rig_kernel(struct node_rig *rig, uint32_t node, bool begins, uint64_t ctas, uint64_t at) {
    add(rig,
        (struct rig_event){
            .at = at, .kind = RIG_KERNEL, .node = node, .port = begins, .number = (uint32_t)ctas});
}

uint32_t node_rig_post(struct node_rig *rig, uint32_t pe, uint32_t queue,
                       const struct heddle_shmem_entry *entry) {
    struct heddle_shmem_producer *p = shmem_pe_producer(&rig->pes.pe[pe], queue);
    struct heddle_shmem_queue *q = shmem_pe_queue(&rig->pes.pe[pe], queue);
    const uint32_t number = p->write_idx++;
    struct heddle_shmem_entry *to = &q->entry[number % HEDDLE_SHMEM_ENTRIES];
    cr_assert_lt(number - q->read_idx, HEDDLE_SHMEM_ENTRIES, "the queue is full");
    *to = *entry;
    if (entry->flags & HEDDLE_SHMEM_FETCH)
        to->local = (uint64_t)(uintptr_t)&p->result[number % HEDDLE_SHMEM_ENTRIES];
    to->status = number << 2 | HEDDLE_SHMEM_READY;
    return number;
}

int node_rig_status(struct node_rig *rig, uint32_t pe, uint32_t queue, uint32_t number) {
    const struct heddle_shmem_queue *q = shmem_pe_queue(&rig->pes.pe[pe], queue);
    const uint32_t status = q->entry[number % HEDDLE_SHMEM_ENTRIES].status;
    return status >> 2 == number ? (int)(status & 3) : -1;
}

static void happen(struct node_rig *rig, const struct rig_event *e) {
    struct rig_node *n = &rig->node[e->node];
    switch (e->kind) {
    case RIG_SERVE: serve(rig, *e); break;
    case RIG_ANSWER: answer(rig, e); break;
    case RIG_DOORBELL: nic_take_command(n->nic, e->number, e->at); break;
    case RIG_PACKET: nic_take_packet(n->nic, &e->packet, e->at); break;
    case RIG_JOB:
        if (nic_job(n->nic, e->number)->at_host)
            node_cpu_take(n->cpu, e->number, nic_job(n->nic, e->number), e->at);
        else
            bus_take(n->bus, e->number, nic_job(n->nic, e->number), e->at);
        break;
    case RIG_DONE: nic_job_done(n->nic, e->number, e->at); break;
    case RIG_KERNEL:
        if (rig->on_cpu)
            node_cpu_kernel(n->cpu, e->port, e->number, e->at);
        else
            command_processor_kernel(n->cp, e->port, e->number, e->at);
        break;
    }
}

/* Lets the CPU or NIC that has the earliest event before `until` have it. @return false: none. */
static bool advance_one(struct node_rig *rig, uint64_t until) {
    struct node_cpu *cpu = NULL;
    struct nic *nic = NULL;
    for (uint32_t i = 0; i < RIG_NODES; i++) {
        const struct rig_node *n = &rig->node[i];
        if (node_cpu_next(n->cpu) < until) {
            cpu = n->cpu;
            nic = NULL;
            until = node_cpu_next(cpu);
        }
        if (nic_next(n->nic) < until) {
            nic = n->nic;
            until = nic_next(nic);
        }
    }
    if (nic)
        nic_advance(nic, until + 1);
    else if (cpu)
        node_cpu_advance(cpu, until + 1);
    return nic || cpu;
}

void node_rig_run(struct node_rig *rig, uint64_t until) {
    for (;;) {
        size_t first = 0;
        for (size_t i = 1; i < rig->num_events; i++) {
            const struct rig_event *a = &rig->event[i], *b = &rig->event[first];
            if (a->at < b->at || (a->at == b->at && a->sequence < b->sequence)) first = i;
        }
        const bool any = rig->num_events && rig->event[first].at < until;
        if (advance_one(rig, any ? rig->event[first].at : until)) continue;
        if (!any) break;
        const struct rig_event e = rig->event[first];
        cr_assert_geq(e.at, rig->now, "an event of kind %d comes too late", e.kind);
        rig->now = e.at;
        rig->event[first] = rig->event[--rig->num_events];
        happen(rig, &e);
    }
}

uint64_t node_rig_address(struct node_rig *rig, uint32_t pe, uint64_t offset) {
    return rig->pes.pe[pe].heap + offset;
}
uint8_t *node_rig_at(struct node_rig *rig, uint32_t pe, uint64_t offset) {
    return (uint8_t *)(uintptr_t)node_rig_address(rig, pe, offset);
}
