/* cpu_messages.c - messages of CPUs; contracts in cpu_messages.h. */
#include "node/cpu_messages.h"

#include <stdlib.h>

#include "common/memory.h"

/* What the CPU of a node has learnt. */
struct told {
    uint64_t at_ps;
    uint32_t pe, op;
    enum cluster_event_kind kind;
};

/* A message under way. */
struct under_way {
    uint32_t number; /* the caller's */
    uint8_t events;  /* that were taken */
};

/* Those of a node's CPU, and what it has learnt: told[first, count). */
struct of_node {
    struct under_way *message; /* by operation, less NET_OPS */
    size_t count, ops_capacity, capacity;
    uint32_t *free; /* operations */
    size_t num_free, free_capacity;
    struct told *told;
    size_t first_told, num_told, told_capacity;
};

/* What a NIC that fetches messages reads; it has the operation. */
static const uint8_t fetched[sizeof(struct heddle_shmem_entry)];

struct cpu_messages {
    struct net_ops *ops;
    uint32_t nodes;
    struct of_node *node;
};

struct cpu_messages *cpu_messages_create(uint32_t nodes, struct net_ops *ops) {
    struct cpu_messages *m = heddle_alloc(sizeof *m, "messages of CPUs");
    m->ops = ops;
    m->nodes = nodes;
    m->node = heddle_alloc_array(nodes, sizeof *m->node, "messages of CPUs");
    return m;
}

void cpu_messages_free(struct cpu_messages *m) {
    if (!m) return;
    for (uint32_t i = 0; i < m->nodes; i++) {
        free(m->ops->of_cpu[i]);
        m->ops->of_cpu[i] = NULL;
        free(m->node[i].message);
        free(m->node[i].free);
        free(m->node[i].told);
    }
    free(m->node);
    free(m);
}

/* A free operation of the node. @return false: all are under way. */
static bool take_op(struct cpu_messages *m, uint32_t node, uint32_t *op) {
    struct of_node *n = &m->node[node];
    if (n->num_free) {
        *op = n->free[--n->num_free];
        return true;
    }
    if (n->count == NET_HOST_OPS) return false;
    *op = NET_OPS + (uint32_t)n->count++;
    if (n->count > n->capacity)
        n->message = heddle_grow(n->message, &n->capacity, n->count, sizeof *n->message,
                                 "messages of a CPU");
    if (n->count > n->ops_capacity)
        m->ops->of_cpu[node] = heddle_grow(m->ops->of_cpu[node], &n->ops_capacity, n->count,
                                           sizeof *m->ops->of_cpu[node], "messages of a CPU");
    return true;
}

static void give_op_back(struct of_node *n, uint32_t op) {
    if (n->num_free == n->free_capacity)
        n->free = heddle_grow(n->free, &n->free_capacity, n->num_free + 1, sizeof *n->free,
                              "messages of a CPU");
    n->free[n->num_free++] = op;
}

uint32_t cpu_messages_begin(struct cpu_messages *m, const struct cluster_message *message,
                            heddle_err *error) {
    uint32_t op = 0;
    *error = take_op(m, message->source, &op) ? HEDDLE_OK : HEDDLE_ERR_ARGUMENT;
    if (*error) return 0;
    const bool from_host = !message->from, to_host = !message->to;
    m->node[message->source].message[op - NET_OPS] = (struct under_way){.number = message->number};
    *net_op_of(m->ops, message->source, op) = (struct net_op){
        .command = {.entry = {.op = HEDDLE_SHMEM_PUT,
                              .pe = message->target,
                              .local = from_host ? (uint64_t)(uintptr_t)message->data
                                                 : message->from,
                              .bytes = message->bytes},
                    .remote = to_host ? (uint64_t)(uintptr_t)message->into : message->to},
        .used = true,
        .posted_ps = message->at_ps,
        .of_cpu = true,
        .place = (uint64_t)(uintptr_t)fetched,
        .place_at_host = true,
        .local_at_host = from_host,
        .remote_at_host = to_host};
    return op;
}

void cpu_messages_told(struct cpu_messages *m, uint32_t node, const struct bus_job *job,
                       uint64_t at_ps) {
    struct of_node *n = &m->node[node];
    if (n->num_told == n->told_capacity)
        n->told = heddle_grow(n->told, &n->told_capacity, n->num_told + 1, sizeof *n->told,
                              "news of a CPU");
    n->told[n->num_told++] = (struct told){.at_ps = at_ps,
                                           .pe = job->pe,
                                           .op = job->op,
                                           .kind = job->news == NEWS_SENT ? CLUSTER_SENT
                                                                          : CLUSTER_ARRIVED};
}

/* The node with the earliest event, or NULL. */
static struct of_node *earliest(const struct cpu_messages *m) {
    struct of_node *best = NULL;
    for (uint32_t i = 0; i < m->nodes; i++) {
        struct of_node *n = &m->node[i];
        if (n->first_told < n->num_told &&
            (!best || n->told[n->first_told].at_ps < best->told[best->first_told].at_ps))
            best = n;
    }
    return best;
}

uint32_t cpu_messages_most(const struct cpu_messages *m, uint32_t node) {
    return (uint32_t)m->node[node].count;
}

uint32_t cpu_messages_under_way(const struct cpu_messages *m, uint32_t node) {
    return (uint32_t)(m->node[node].count - m->node[node].num_free);
}

bool cpu_messages_take(struct cpu_messages *m, struct cluster_event *event) {
    struct of_node *learns = earliest(m);
    if (!learns) return false;
    const struct told t = learns->told[learns->first_told++];
    if (learns->first_told == learns->num_told) learns->first_told = learns->num_told = 0;
    struct of_node *source = &m->node[t.pe];
    struct under_way *u = &source->message[t.op - NET_OPS];
    *event = (struct cluster_event){
        .kind = t.kind, .source = t.pe, .number = u->number, .at_ps = t.at_ps};
    if (++u->events == 2) {
        net_op_of(m->ops, t.pe, t.op)->used = false;
        give_op_back(source, t.op);
    }
    return true;
}
