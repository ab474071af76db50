/* cluster.c - builds nodes on the fabric, and carries their messages; contracts in cluster.h.
 *
 * Every component here acts when a message comes and at no other time, except for the network and
 * the CPUs, which have events of their own. So all but these do their work in receive(). */
#include "node/cluster.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "fabric/fabric.h"
#include "common/event_heap.h"
#include "network/network.h"
#include "node/l2_port.h"
#include "node/net_story.h"
#include "node/node_cpu.h"
#include "node/node_link.h"
#include "sched/gpu_customers.h"
#include "sched/system.h"
#include "timing/message.h"

enum { CP_CUSTOMER = 240, BUS_CUSTOMER = 248, BUS_CUSTOMERS = 4 };

/* A node's components; `id`: their numbers on the fabric. */
struct node {
    struct cluster *cluster;
    uint32_t number, nic_id, cp_id, bus_id, cpu_id;
    struct gpu *gpu;
    struct nic *nic;
    struct bus *bus;
    struct node_cpu *cpu;
    struct command_processor *cp;
    struct l2_ports cp_ports, bus_ports;
    struct l2_port cp_port[SHMEM_THREADS], bus_port;
    void *cp_port_of[SHMEM_THREADS];
    bool refused; /* a command was wrong */
    struct heddle_diag refused_diag;
};

struct cluster {
    struct cluster_options options;
    struct fabric *fabric;
    struct network *network;
    uint32_t network_id;
    struct net_ops ops;
    struct cpu_messages *messages;
    struct node *node;
    heddle_err failed; /* of a message that the network did not take */
    struct heddle_diag diag;
};

/* Whether the service threads are on the CPU. */
static bool is_on_cpu(const struct cluster *c) {
    return design_is_on_cpu(c->options.design);
}
static uint32_t threads_id(const struct node *n) {
    return is_on_cpu(n->cluster) ? n->cpu_id : n->cp_id;
}

/* ---- what nodes send */

/* command_processor_events.doorbell */
static void ring(void *user, uint32_t op, uint64_t at_ps) {
    struct node *n = user;
    const struct node_config *config = n->cluster->options.node;
    const double way = is_on_cpu(n->cluster) ? config->host_latency : config->link_latency;
    message_send_doorbell(n->cluster->fabric, threads_id(n), n->nic_id, at_ps + node_ps(way),
                          &(struct message_doorbell){.op = op});
}

/* command_processor_events.refuse: keeps the first. */
static void refuse(void *user, const struct heddle_diag *diag) {
    struct node *n = user;
    if (!n->refused) n->refused_diag = *diag;
    n->refused = true;
}

/* nic_events.job */
static void send_job(void *user, uint32_t job, struct bus_job *record, uint64_t at_ps) {
    struct node *n = user;
    message_send_bus_job(n->cluster->fabric, n->nic_id, record->at_host ? n->cpu_id : n->bus_id,
                         at_ps, &(struct message_bus_job){.job = job});
}

/* bus_events.job_done: the answer to a read has crossed the link already. */
static void send_job_done(void *user, uint32_t job, uint64_t at_ps) {
    struct node *n = user;
    const bool is_read = nic_job(n->nic, job)->kind != ACCESS_STORE;
    const uint64_t way = is_read ? 0 : node_ps(n->cluster->options.node->link_latency);
    message_send_bus_done(n->cluster->fabric, n->bus_id, n->nic_id, at_ps + way,
                          &(struct message_bus_done){.job = job});
}

/* node_cpu_events.job_done */
static void send_host_job_done(void *user, uint32_t job, uint64_t at_ps) {
    struct node *n = user;
    message_send_bus_done(n->cluster->fabric, n->cpu_id, n->nic_id, at_ps,
                          &(struct message_bus_done){.job = job});
}

/* node_cpu_events.told */
static void keep_told(void *user, const struct bus_job *job, uint64_t at_ps) {
    struct node *n = user;
    cpu_messages_told(n->cluster->messages, n->number, job, at_ps);
}

/* nic_events.send */
static void send_packet(void *user, uint32_t to, const struct nic_packet *p, uint64_t bytes,
                        uint64_t at_ps) {
    struct node *n = user;
    message_send_packet(n->cluster->fabric, n->nic_id, n->cluster->network_id, at_ps,
                        &(struct message_packet){.kind = (uint8_t)p->kind,
                                                 .source = (uint16_t)p->source,
                                                 .target = (uint16_t)to,
                                                 .pe = (uint16_t)p->pe,
                                                 .op = p->op | (uint64_t)p->segment << 32,
                                                 .bytes = bytes});
}

/* ---- components */

static uint64_t never(void *self) {
    (void)self;
    return FABRIC_NEVER;
}

static heddle_err nic_advance_until(void *self, uint64_t until, struct heddle_diag *diag) {
    (void)diag;
    const struct node *n = self;
    nic_advance(n->nic, until);
    return HEDDLE_OK;
}
static uint64_t nic_next_ps(void *self) {
    const struct node *n = self;
    return nic_next(n->nic); /* UINT64_MAX is FABRIC_NEVER */
}

static void nic_receive(void *self, const struct fabric_message *in) {
    struct node *n = self;
    if (in->kind == MESSAGE_DOORBELL) {
        nic_take_command(n->nic, message_read_doorbell(in).op, in->at);
    } else if (in->kind == MESSAGE_BUS_DONE) {
        nic_job_done(n->nic, message_read_bus_done(in).job, in->at);
    } else {
        const struct message_packet m = message_read_packet(in);
        const struct nic_packet p = {.kind = (enum nic_packet_kind)m.kind,
                                     .source = m.source,
                                     .pe = m.pe,
                                     .op = (uint32_t)m.op,
                                     .segment = (uint32_t)(m.op >> 32)};
        nic_take_packet(n->nic, &p, in->at);
    }
}

static void bus_receive(void *self, const struct fabric_message *in) {
    struct node *n = self;
    struct memory_access access;
    uint32_t customer;
    if (in->kind == MESSAGE_BUS_JOB) {
        const uint32_t job = message_read_bus_job(in).job;
        bus_take(n->bus, job, nic_job(n->nic, job), in->at);
    } else if (l2_ports_receive(&n->bus_ports, in, &access, &customer)) {
        bus_access_ended(n->bus, &access, in->at);
    }
}

/* node_cpu_events.kernel, access_ended */
static void kernel_of_cpu(void *user, bool begins, uint64_t ctas, uint64_t at_ps) {
    struct node *n = user;
    command_processor_kernel(n->cp, begins, ctas, at_ps);
}
static void access_of_cpu_ended(void *user, uint32_t thread, const struct memory_access *access,
                                uint64_t at_ps) {
    struct node *n = user;
    command_processor_access_ended(n->cp, thread, access, at_ps);
}

/* node_cpu_events.outside */
static void outside_of_cpu(void *user, uint32_t op, uint32_t lanes) {
    const struct node *n = user;
    gpu_perform_outside(n->gpu, op, lanes);
}

static void cpu_receive(void *self, const struct fabric_message *in) {
    struct node *n = self;
    struct memory_access access;
    uint32_t thread;
    if (in->kind == MESSAGE_BUS_JOB) {
        const uint32_t job = message_read_bus_job(in).job;
        node_cpu_take(n->cpu, job, nic_job(n->nic, job), in->at);
    } else if (in->kind == MESSAGE_KERNEL) {
        const struct message_kernel m = message_read_kernel(in);
        node_cpu_kernel(n->cpu, m.begins, m.ctas, in->at);
    } else if (in->kind == MESSAGE_OUTSIDE_OP) {
        const struct message_outside_op m = message_read_outside_op(in);
        node_cpu_outside(n->cpu, m.op, m.lanes, in->at);
    } else if (l2_ports_receive(&n->cp_ports, in, &access, &thread)) {
        node_cpu_l2_answered(n->cpu, thread, &access, in->at);
    }
}

static void cp_receive(void *self, const struct fabric_message *in) {
    struct node *n = self;
    struct memory_access access;
    uint32_t thread;
    if (in->kind == MESSAGE_KERNEL) {
        const struct message_kernel m = message_read_kernel(in);
        command_processor_kernel(n->cp, m.begins, m.ctas, in->at);
    } else if (l2_ports_receive(&n->cp_ports, in, &access, &thread)) {
        command_processor_access_ended(n->cp, thread, &access, in->at);
    }
}

/* An access that L2 cannot take is an error of ours. */
static heddle_err ports_failed(const struct node *n, const struct l2_ports *ports,
                               struct heddle_diag *diag) {
    if (!ports->failed) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_INTERNAL, "node %u: an access to L2: %s", n->number,
                       heddle_err_text(ports->failed));
}
static heddle_err cp_advance(void *self, uint64_t until, struct heddle_diag *diag) {
    (void)until;
    const struct node *n = self;
    return ports_failed(n, &n->cp_ports, diag);
}
static heddle_err cpu_advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct node *n = self;
    node_cpu_advance(n->cpu, until);
    return is_on_cpu(n->cluster) ? ports_failed(n, &n->cp_ports, diag) : HEDDLE_OK;
}
static uint64_t cpu_next(void *self) {
    const struct node *n = self;
    const uint64_t next = node_cpu_next(n->cpu);
    return next == EVENT_NEVER ? FABRIC_NEVER : next;
}
static heddle_err bus_advance(void *self, uint64_t until, struct heddle_diag *diag) {
    (void)until;
    const struct node *n = self;
    return ports_failed(n, &n->bus_ports, diag);
}

/* The words of a packet as the tag of a message of the network: kind 4, PE 12, op 16, segment 32
 * bits. */
static uint64_t tag_of(const struct message_packet *m) {
    return (uint64_t)m->kind << 60 | (uint64_t)m->pe << 48 | (m->op & 0xffff) << 32 | m->op >> 32;
}

static void network_receive(void *self, const struct fabric_message *in) {
    struct cluster *c = self;
    const struct message_packet m = message_read_packet(in);
    const struct network_message out = {
        .source = m.source, .target = m.target, .bytes = m.bytes, .at = in->at, .tag = tag_of(&m)};
    if (!c->failed) c->failed = network_send(c->network, &out, &c->diag);
}

/* network_event_fn: hands a message to its NIC. */
static void network_happened(void *user, const struct network_event *e) {
    struct cluster *c = user;
    if (e->kind != NETWORK_DELIVERED) return;
    const struct network_message *m = &e->message;
    message_send_packet(c->fabric, c->network_id, c->node[m->target].nic_id,
                        e->at + node_ps(c->options.node->nic_receive),
                        &(struct message_packet){.kind = (uint8_t)(m->tag >> 60),
                                                 .source = (uint16_t)m->source,
                                                 .target = (uint16_t)m->target,
                                                 .pe = (uint16_t)(m->tag >> 48 & 0xfff),
                                                 .op = (m->tag >> 32 & 0xffff) | m->tag << 32,
                                                 .bytes = m->bytes});
}

static heddle_err network_advance_until(void *self, uint64_t until, struct heddle_diag *diag) {
    struct cluster *c = self;
    network_advance(c->network, until);
    if (c->failed) *diag = c->diag;
    return c->failed;
}
static uint64_t network_next(void *self) {
    const struct cluster *c = self;
    const uint64_t next = network_next_ps(c->network);
    return next == NETWORK_NEVER ? FABRIC_NEVER : next;
}

static const struct fabric_ops nic_ops = {nic_receive, nic_advance_until, nic_next_ps};
static const struct fabric_ops bus_ops = {bus_receive, bus_advance, never};
static const struct fabric_ops cp_ops = {cp_receive, cp_advance, never};
static const struct fabric_ops cpu_ops = {cpu_receive, cpu_advance, cpu_next};
static const struct fabric_ops network_ops = {network_receive, network_advance_until, network_next};

/* ---- building */

/* The customers of a component. */
static heddle_err add_customers(struct gpu *gpu, struct l2_ports *ports, uint32_t component,
                                uint32_t first, uint32_t count, bool separate,
                                struct heddle_diag *diag) {
    heddle_err e = HEDDLE_OK;
    ports->first = first;
    ports->separate = separate;
    for (uint32_t i = 0; i < count && !e; i++) {
        e = gpu_add_customer(gpu, first + i, component, &ports->customer[i], diag);
        if (!e) ports->count++;
    }
    return e;
}

/* From the CPU to the GPU's L2, for its service threads. */
static uint64_t cpu_way(const struct cluster *c) {
    const struct node_config *config = c->options.node;
    return node_ps(c->options.design == DESIGN_APU ? config->cpu_coherent : config->cpu_link);
}

/* Where the service threads run. */
static struct service_place place_of_threads(struct node *n) {
    const struct node_config *config = n->cluster->options.node;
    if (!is_on_cpu(n->cluster))
        return (struct service_place){.clock = config->cp_clock,
                                      .ipc = config->cp_ipc,
                                      .load = sizeof(struct heddle_shmem_entry),
                                      .fns = &l2_port_fns,
                                      .port = n->cp_port_of};
    const bool across_link = n->cluster->options.design == DESIGN_DGPU;
    return (struct service_place){.clock = config->cpu_clock,
                                  .ipc = config->cpu_ipc,
                                  .load = across_link ? (uint32_t)config->cpu_load
                                                      : sizeof(struct heddle_shmem_entry),
                                  .fns = &node_cpu_port_fns,
                                  .port = node_cpu_ports(n->cpu),
                                  .host = node_cpu_memory(n->cpu)};
}

/* A node's components, on the fabric and joined to their GPU. */
static heddle_err build_node(struct node *n, struct heddle_diag *diag) {
    struct cluster *c = n->cluster;
    const struct node_config *config = c->options.node;
    struct fabric *f = c->fabric;
    const uint64_t link = node_ps(config->link_latency);
    n->nic_id = fabric_add(f, "NIC", &nic_ops, n, n->number);
    n->bus_id = fabric_add(f, "bus", &bus_ops, n, n->number);
    n->cpu_id = fabric_add(f, "node's CPU", &cpu_ops, n, n->number);
    if (!is_on_cpu(c)) n->cp_id = fabric_add(f, "command processor", &cp_ops, n, n->number);
    const uint32_t threads = (uint32_t)config->cp_threads;
    heddle_err e = add_customers(n->gpu, &n->cp_ports, threads_id(n), CP_CUSTOMER, threads, true,
                                 diag);
    if (!e)
        e = add_customers(n->gpu, &n->bus_ports, n->bus_id, BUS_CUSTOMER, BUS_CUSTOMERS, false,
                          diag);
    if (!e && !is_on_cpu(c)) e = fabric_link(f, n->cp_id, n->nic_id, link, diag);
    if (!e) e = fabric_link(f, n->cpu_id, n->nic_id, node_ps(config->host_latency), diag);
    if (!e) e = fabric_link(f, n->nic_id, n->bus_id, link, diag);
    if (!e)
        e = fabric_link(f, n->nic_id, c->network_id,
                        node_ps(fmin(config->nic_send, config->nic_receive)), diag);
    if (!e) e = gpu_watch_kernels(n->gpu, threads_id(n), diag);
    if (e) return e;
    for (uint32_t i = 0; i < threads; i++) {
        n->cp_port[i] = (struct l2_port){&n->cp_ports, i};
        n->cp_port_of[i] = &n->cp_port[i];
    }
    n->bus_port = (struct l2_port){&n->bus_ports, 0};
    const struct command_processor_events cp = {.doorbell = ring, .refuse = refuse, .user = n};
    const struct bus_events bus = {.job_done = send_job_done, .user = n};
    const struct nic_events nic = {.send = send_packet, .job = send_job, .user = n};
    const struct node_cpu_events cpu = {.job_done = send_host_job_done,
                                        .access_ended = access_of_cpu_ended,
                                        .kernel = kernel_of_cpu,
                                        .outside = outside_of_cpu,
                                        .told = keep_told,
                                        .user = n};
    n->cpu = node_cpu_create(config, cpu_way(c), &l2_port_fns, n->cp_port_of, &cpu);
    const struct service_place place = place_of_threads(n);
    e = command_processor_create(&n->cp, config, c->options.pes, n->number, &c->ops, &place, &cp);
    if (!e) e = bus_create(&n->bus, config, &l2_port_fns, &n->bus_port, &bus);
    if (!e) e = nic_create(&n->nic, config, n->number, &c->ops, &nic);
    return e;
}

heddle_err cluster_create(struct cluster **out, const struct cluster_options *options,
                          struct heddle_diag *diag) {
    struct cluster *c = heddle_alloc(sizeof *c, "a cluster");
    *out = NULL;
    c->options = *options;
    c->fabric = system_fabric(options->system);
    c->node = heddle_alloc_array(options->nodes, sizeof *c->node, "nodes");
    c->messages = cpu_messages_create(options->nodes, &c->ops);
    heddle_err e = network_create(&c->network, options->network, network_happened, c, diag);
    if (!e) c->network_id = fabric_add(c->fabric, "network", &network_ops, c, 0);
    for (uint32_t i = 0; i < options->nodes && !e; i++) {
        c->node[i] = (struct node){.cluster = c, .number = i, .gpu = options->gpu[i]};
        e = build_node(&c->node[i], diag);
    }
    if (e)
        cluster_free(c);
    else
        *out = c;
    return e;
}

void cluster_free(struct cluster *c) {
    if (!c) return;
    for (uint32_t i = 0; i < c->options.nodes; i++) {
        struct node *n = &c->node[i];
        if (!n->cluster) continue;
        fabric_detach(c->fabric, n->nic_id);
        fabric_detach(c->fabric, n->bus_id);
        fabric_detach(c->fabric, threads_id(n));
        if (!is_on_cpu(c)) fabric_detach(c->fabric, n->cpu_id);
        nic_free(n->nic);
        bus_free(n->bus);
        node_cpu_free(n->cpu);
        command_processor_free(n->cp);
        l2_ports_fini(&n->cp_ports);
        l2_ports_fini(&n->bus_ports);
    }
    if (c->network) fabric_detach(c->fabric, c->network_id);
    network_free(c->network);
    cpu_messages_free(c->messages);
    free(c->node);
    free(c);
}

heddle_err cluster_post(struct cluster *c, const struct cluster_message *m,
                        struct heddle_diag *diag) {
    heddle_err e = m->source < c->options.nodes && m->target < c->options.nodes
                       ? HEDDLE_OK
                       : HEDDLE_ERR_ARGUMENT;
    if (e)
        return heddle_fail(diag, e, "a message from node %u to node %u, of %u", m->source,
                           m->target, c->options.nodes);
    const uint32_t op = cpu_messages_begin(c->messages, m, &e);
    if (e)
        return heddle_fail(diag, e, "node %u has %d messages under way", m->source, NET_HOST_OPS);
    const struct node *n = &c->node[m->source];
    message_send_doorbell(c->fabric, n->cpu_id, n->nic_id,
                          m->at_ps + node_ps(c->options.node->host_latency),
                          &(struct message_doorbell){.op = op});
    return HEDDLE_OK;
}

bool cluster_take_event(struct cluster *c, struct cluster_event *event) {
    return cpu_messages_take(c->messages, event);
}

void cluster_pe_changed(struct cluster *c, uint32_t pe) {
    const struct shmem_pe *p = &c->options.pes->pe[pe];
    struct node *n = &c->node[pe];
    if (p->queues_at_host) {
        const uint64_t bytes = p->live ? shmem_queues_bytes(p->num_queues) : 0;
        node_cpu_set_queues(n->cpu, p->queues, bytes);
        gpu_serve_host(n->gpu, p->queues, bytes);
    }
    command_processor_reset(n->cp);
    nic_reset(n->nic);
}

bool cluster_take_refused(struct cluster *c, uint32_t *pe, struct heddle_diag *diag) {
    for (uint32_t i = 0; i < c->options.nodes; i++) {
        struct node *n = &c->node[i];
        if (!n->refused) continue;
        n->refused = false;
        *pe = i;
        *diag = n->refused_diag;
        return true;
    }
    return false;
}

bool cluster_rests(const struct cluster *c, uint64_t *sent) {
    const struct network_counters network = network_get_counters(c->network);
    bool rests = network.sent == network.delivered;
    *sent = network.sent;
    for (uint32_t i = 0; i < c->options.nodes; i++) {
        const struct node *n = &c->node[i];
        const struct net_op *oldest = NULL;
        *sent += nic_get_counters(n->nic).jobs + command_processor_get_counters(n->cp).commands;
        rests = rests && nic_rests(n->nic) && !cpu_messages_under_way(c->messages, i) &&
                !command_processor_under_way(n->cp, &oldest);
    }
    return rests;
}

bool cluster_story(const struct cluster *c, uint32_t node, uint32_t i, char *text, size_t size) {
    const uint32_t of_cpu = cpu_messages_most(c->messages, node);
    return net_story(&c->ops, c->options.pes, node, of_cpu, i, text, size);
}

struct service_energy cluster_energy(const struct cluster *c, uint32_t node) {
    const struct command_processor_counters n = command_processor_get_counters(c->node[node].cp);
    return service_energy_of(c->options.node, c->options.design, &n);
}

uint64_t cluster_statistic(const struct cluster *c, uint32_t node, unsigned row) {
    const struct node *n = &c->node[node];
    const struct command_processor_counters cp = command_processor_get_counters(n->cp);
    const struct nic_counters nic = nic_get_counters(n->nic);
    const struct network_counters network = network_get_counters(c->network);
    const struct command_waits waits = gpu_command_waits(n->gpu);
    const uint64_t value[] = {
#define NODE_STATISTIC(part, member, unit, meaning) part.member,
#include "tables/node_statistics.def"
    };
    return value[row];
}
