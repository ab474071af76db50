/* command_processor.c - service threads; contracts in command_processor.h.
 *
 * A thread is a coroutine: run() is what it does, from its first poll on. It computes ahead of the
 * fabric's time (`now`), and waits for nothing but the answers to its accesses. */
#include "node/command_processor.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "node/coroutine.h"

enum { RING_BYTES = SHMEM_COMPLETIONS * sizeof(uint64_t) };

/* What has become of a command in its queue. */
enum entry_state { FREE, PENDING, FINISHED, TO_BE_READ };

/* A queue, as the command processor knows it. */
struct queue {
    uint32_t next, done; /* numbers: the next one to look for; all before it have left */
    uint8_t state[HEDDLE_SHMEM_ENTRIES];
    /* Quiets divide commands into epochs: those of epoch e are done before quiet number e is. */
    uint32_t epoch, oldest;
    uint16_t under_way[HEDDLE_SHMEM_ENTRIES]; /* by epoch */
    uint32_t quiet[HEDDLE_SHMEM_ENTRIES];     /* number of the command, by epoch */
    uint64_t looked_ps;                       /* when the last look at it began */
    uint64_t found_ps[HEDDLE_SHMEM_ENTRIES];  /* when the command at that place was found */
};

/* A service thread. */
struct service {
    int at; /* coroutine.h */
    struct command_processor *cp;
    uint32_t number;
    uint64_t now;       /* ps */
    uint64_t woken_ps;  /* when it was last woken */
    bool asleep, waits; /* for a kernel; for the answer to a load or a store */
    bool idle;          /* it has found nothing since the last kernel ended */
    uint32_t ended_tag;
    struct memory_access answer;
    /* of run() */
    uint32_t q, taken, under_way;
    uint32_t got;       /* bytes of the entry */
    uint64_t before_ps; /* when the look before at the queue began */
    bool missed;        /* a load of the entry waited for memory */
    uint64_t completions;
    struct heddle_shmem_entry entry;
    struct shmem_command command;
    uint32_t op, word;
    uint32_t number_done; /* the command whose entry becomes DONE */
    bool found;           /* a command has left the queue */
    bool looked;          /* it has made an access in this round, so time goes on */
};

struct command_processor {
    const struct node_config *config;
    const struct shmem_pes *pes;
    uint32_t pe;
    struct net_op *op;     /* NET_OPS */
    uint32_t *epoch_of_op; /* NET_OPS */
    uint32_t *free_op;     /* numbers */
    uint32_t num_free_ops;
    struct service_place place;
    uint64_t commands, completions, end; /* addresses, as those of struct shmem_pe */
    struct command_processor_events events;
    struct queue *queue;
    uint32_t num_queues, queue_room; /* the PE's, 0: none; of the array */
    uint32_t load;                   /* bytes of the widest load from one */
    uint32_t kernels, active;        /* that run; queues that they use */
    struct service *service;
    struct command_processor_counters counters;
};

heddle_err command_processor_create(struct command_processor **out,
                                    const struct node_config *config, const struct shmem_pes *pes,
                                    uint32_t pe, struct net_ops *ops,
                                    const struct service_place *place,
                                    const struct command_processor_events *events) {
    struct command_processor *c = *out = heddle_alloc(sizeof *c, "a command processor");
    c->config = config;
    c->pes = pes;
    c->pe = pe;
    c->place = *place;
    c->events = *events;
    c->op = ops->of[pe] = heddle_alloc_array(NET_OPS, sizeof *c->op, "commands under way");
    c->epoch_of_op = heddle_alloc_array(NET_OPS, sizeof *c->epoch_of_op, "commands under way");
    c->free_op = heddle_alloc_array(NET_OPS, sizeof *c->free_op, "commands under way");
    for (uint32_t i = 0; i < NET_OPS; i++) c->free_op[c->num_free_ops++] = NET_OPS - 1 - i;
    c->service = heddle_alloc_array(config->cp_threads, sizeof *c->service, "service threads");
    for (uint32_t i = 0; i < config->cp_threads; i++)
        c->service[i] = (struct service){.cp = c, .number = i, .asleep = true, .idle = true};
    return HEDDLE_OK;
}

void command_processor_free(struct command_processor *c) {
    if (!c) return;
    free(c->op);
    free(c->epoch_of_op);
    free(c->free_op);
    free(c->queue);
    free(c->service);
    free(c);
}

void command_processor_reset(struct command_processor *c) {
    const struct shmem_pe *pe = &c->pes->pe[c->pe];
    c->num_queues = pe->live ? pe->num_queues : 0;
    c->active = 0;
    const uint64_t host = (uint64_t)(uintptr_t)c->place.host;
    c->commands = host ? host : pe->commands;
    c->completions = host ? host + SHMEM_COMMANDS * sizeof(struct heddle_shmem_entry)
                          : pe->completions;
    c->end = c->completions + SHMEM_THREADS * RING_BYTES;
    c->load = pe->queues_at_host ? sizeof(struct heddle_shmem_entry) : c->place.load;
    if (host) memset((void *)(uintptr_t)c->completions, 0, SHMEM_THREADS * RING_BYTES);
    /* a thread may be at one of those that were, if a PE has died while its kernel ran */
    if (c->queue_room < c->num_queues) c->queue_room = c->num_queues;
    if (c->num_queues) {
        free(c->queue);
        c->queue = heddle_alloc_array(c->queue_room, sizeof *c->queue, "queues of a PE");
    }
    for (uint32_t i = 0; i < c->config->cp_threads; i++) c->service[i].completions = 0;
}

struct command_processor_counters
command_processor_get_counters(const struct command_processor *c) {
    struct command_processor_counters n = c->counters;
    for (uint32_t i = 0; i < c->config->cp_threads; i++)
        if (!c->service[i].asleep) n.awake_ps += c->service[i].now - c->service[i].woken_ps;
    return n;
}

uint32_t command_processor_under_way(const struct command_processor *c,
                                     const struct net_op **oldest) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < NET_OPS; i++) {
        if (!c->op[i].used) continue;
        if (!count++ || c->op[i].posted_ps < (*oldest)->posted_ps) *oldest = &c->op[i];
    }
    return count;
}

/* ---- what a thread does in one step */

/* Instructions take time. */
static void compute(struct service *t, uint64_t instructions) {
    const struct service_place *p = &t->cp->place;
    t->cp->counters.instructions += instructions;
    t->now += (uint64_t)llround((double)instructions / p->ipc * 1e6 / p->clock);
}

/* Addresses in the PE's memory. */
static uint64_t queue_address(const struct service *t) {
    return t->cp->pes->pe[t->cp->pe].queues + (uint64_t)t->q * sizeof(struct heddle_shmem_queue);
}
static uint64_t entry_address(const struct service *t, uint32_t number) {
    return queue_address(t) + offsetof(struct heddle_shmem_queue, entry) +
           (uint64_t)(number % HEDDLE_SHMEM_ENTRIES) * sizeof(struct heddle_shmem_entry);
}
/* Of the ring of its completions, and of the next one. */
static uint64_t ring_address(const struct service *t) {
    return t->cp->completions + (uint64_t)t->number * RING_BYTES;
}
static uint64_t completion_address(const struct service *t) {
    return ring_address(t) + t->completions % SHMEM_COMPLETIONS * sizeof(uint64_t);
}

/* Whether the address is of the host's memory. */
static bool is_at_host(const struct command_processor *c, uint64_t address) {
    const struct shmem_pe *pe = &c->pes->pe[c->pe];
    return (c->place.host && address >= c->commands && address < c->end) ||
           (pe->queues_at_host && address - pe->queues < shmem_queues_bytes(pe->num_queues));
}

/* Begins an access. `waits`: the thread goes on with its end. */
static void begin_access(struct service *t, enum access_kind kind, uint64_t address, uint32_t bytes,
                         const void *data, bool waits) {
    struct command_processor *c = t->cp;
    struct memory_access a = {.kind = kind, .address = address, .bytes = bytes, .tag = waits};
    if (data) memcpy(a.data, data, bytes);
    if (is_at_host(c, address))
        c->counters.host_accesses++;
    else if (kind == ACCESS_LOAD)
        c->counters.loads++;
    else
        c->counters.stores++;
    t->looked = true;
    t->waits = waits;
    c->place.fns->send(c->place.port[t->number], &a, t->now);
}
static bool can_access(const struct service *t) {
    return t->cp->place.fns->can_send(t->cp->place.port[t->number]);
}

/* The queue that the thread looks at. */
static struct queue *queue_of(const struct service *t) {
    return &t->cp->queue[t->q];
}

/* Whether it may sleep until a kernel begins. */
static bool has_nothing_to_do(const struct service *t) {
    const struct command_processor *c = t->cp;
    if (t->under_way) return false;
    return t->number >= c->active || (!c->kernels && t->idle);
}

/* Goes on to the next command of the queue. */
static void pass(struct service *t, enum entry_state state) {
    struct queue *q = queue_of(t);
    q->state[q->next++ % HEDDLE_SHMEM_ENTRIES] = state;
}

static bool is_blocking(const struct service *t) {
    return t->entry.flags & HEDDLE_SHMEM_BLOCKING;
}

/* Takes the number of an operation, for a command that may be there. @return false: all are under
 * way, or the queue's places. */
static bool take_op(struct service *t) {
    struct command_processor *c = t->cp;
    const struct queue *q = queue_of(t);
    if (!c->num_free_ops || q->next - q->done == HEDDLE_SHMEM_ENTRIES) return false;
    t->op = c->free_op[--c->num_free_ops];
    return true;
}
static void give_op_back(struct service *t) {
    t->cp->op[t->op].used = false;
    t->cp->free_op[t->cp->num_free_ops++] = t->op;
}

/* Fills in the operation for the thread's command. */
static void fill_op(struct service *t) {
    struct command_processor *c = t->cp;
    struct queue *q = queue_of(t);
    c->op[t->op] = (struct net_op){.command = t->command,
                                   .used = true,
                                   .posted_ps = t->now,
                                   .queue = t->q,
                                   .number = q->next,
                                   .thread = t->number,
                                   .place = c->commands +
                                            (uint64_t)t->op * sizeof(struct heddle_shmem_entry),
                                   .completion = ring_address(t),
                                   .place_at_host = c->place.host != NULL};
    c->epoch_of_op[t->op] = q->epoch;
    q->under_way[q->epoch % HEDDLE_SHMEM_ENTRIES]++;
    t->under_way++;
}

/* Whether the entry that the thread has read is a new command of its queue. */
static bool is_ready(const struct service *t) {
    const uint32_t number = queue_of(t)->next & HEDDLE_SHMEM_NUMBER;
    return t->entry.status == (number << 2 | HEDDLE_SHMEM_READY);
}

/* The thread begins to look at its queue. @return when the look before began, or when the thread
 * was woken: no kernel wrote a command while it slept. */
static uint64_t look(struct service *t) {
    const uint64_t before = queue_of(t)->looked_ps;
    queue_of(t)->looked_ps = t->now;
    return before > t->woken_ps ? before : t->woken_ps;
}

/* Checks the command; tells of one that is wrong. */
static bool is_right(struct service *t) {
    struct command_processor *c = t->cp;
    struct heddle_diag diag;
    if (!shmem_command_check(c->pes, c->pe, &t->entry, &t->command, &diag)) return true;
    c->events.refuse(c->events.user, &diag);
    c->counters.refused++;
    return false;
}

/* A quiet begins the next epoch. */
static void add_quiet(struct service *t) {
    struct queue *q = queue_of(t);
    q->quiet[q->epoch++ % HEDDLE_SHMEM_ENTRIES] = q->next;
    q->under_way[q->epoch % HEDDLE_SHMEM_ENTRIES] = 0;
    pass(t, PENDING);
}

/* The thread is about to store DONE of a command for which a kernel waits. */
static void count_awaited(struct service *t, const struct queue *q, uint32_t number, unsigned op) {
    struct command_processor_counters *n = &t->cp->counters;
    const uint64_t ps = t->now - q->found_ps[number % HEDDLE_SHMEM_ENTRIES];
    if (op == HEDDLE_SHMEM_PUT) {
        n->awaited_puts++;
        n->awaited_put_ps += ps;
    } else if (op == HEDDLE_SHMEM_GET) {
        n->awaited_gets++;
        n->awaited_get_ps += ps;
    } else if (op == HEDDLE_SHMEM_ATOMIC) {
        n->awaited_atomics++;
        n->awaited_atomic_ps += ps;
    } else {
        n->awaited_quiets++;
        n->awaited_quiet_ps += ps;
    }
}

/* Takes the oldest quiet of the queue if it is done: t->number is its command. */
static bool take_quiet(struct service *t) {
    struct queue *q = queue_of(t);
    if (q->oldest == q->epoch || q->under_way[q->oldest % HEDDLE_SHMEM_ENTRIES]) return false;
    t->number_done = q->quiet[q->oldest++ % HEDDLE_SHMEM_ENTRIES];
    q->state[t->number_done % HEDDLE_SHMEM_ENTRIES] = FINISHED;
    count_awaited(t, q, t->number_done, HEDDLE_SHMEM_QUIET);
    return true;
}

/* The oldest command of the queue that has not left it, if it may: it is finished, or its result is
 * to be read by the kernel. */
static enum entry_state oldest_state(const struct service *t) {
    const struct queue *q = queue_of(t);
    return q->done == q->next ? PENDING : q->state[q->done % HEDDLE_SHMEM_ENTRIES];
}

/* Whether the answer to a load is the next completion; then t->op is its operation. */
static bool is_completion(struct service *t) {
    uint64_t token;
    memcpy(&token, t->answer.data, sizeof token);
    if (token >> 16 != ((t->completions + 1) & UINT64_C(0xffffffffffff))) return false;
    t->completions++;
    t->op = (uint32_t)(token & 0xffff);
    return true;
}

/* The operation is over. @return whether a kernel waits for it: then t->q and t->number_done are
 * its command's. */
static bool end_op(struct service *t) {
    struct command_processor *c = t->cp;
    const struct net_op *o = &c->op[t->op];
    const unsigned flags = o->command.entry.flags;
    struct queue *q = &c->queue[o->queue];
    t->q = o->queue;
    t->number_done = o->number;
    c->counters.completions++;
    q->under_way[c->epoch_of_op[t->op] % HEDDLE_SHMEM_ENTRIES]--;
    t->under_way--;
    give_op_back(t);
    if (!(flags & HEDDLE_SHMEM_BLOCKING)) return false;
    count_awaited(t, q, o->number, o->command.entry.op);
    q->state[o->number % HEDDLE_SHMEM_ENTRIES] = flags & HEDDLE_SHMEM_FETCH ? TO_BE_READ : FINISHED;
    return true;
}

/* ---- the thread */

/* An access whose end the thread waits for. */
#define LOAD(address, bytes)                                          \
    do {                                                              \
        while (!can_access(t)) COROUTINE_WAIT(t);                     \
        begin_access(t, ACCESS_LOAD, (address), (bytes), NULL, true); \
        while (t->waits) COROUTINE_WAIT(t);                           \
    } while (0)
#define STORE(address, data, bytes)                                      \
    do {                                                                 \
        while (!can_access(t)) COROUTINE_WAIT(t);                        \
        begin_access(t, ACCESS_STORE, (address), (bytes), (data), true); \
        while (t->waits) COROUTINE_WAIT(t);                              \
    } while (0)
/* A word that it leaves to itself. */
#define POST(address, value)                                                       \
    do {                                                                           \
        while (!can_access(t)) COROUTINE_WAIT(t);                                  \
        t->word = (value);                                                         \
        begin_access(t, ACCESS_STORE, (address), sizeof t->word, &t->word, false); \
    } while (0)
/* The status DONE of a command. */
#define POST_DONE(number) \
    POST(entry_address(t, (number)), ((number)&HEDDLE_SHMEM_NUMBER) << 2 | HEDDLE_SHMEM_DONE)

/* Takes commands of its queues, one queue after the other, and between rounds looks for
 * completions. Values that live across an access are members of *t. */
static void run(struct service *t) {
    struct command_processor *c = t->cp;
    const struct node_config *config = c->config;
    COROUTINE_BEGIN(t);
    for (;;) {
        while (has_nothing_to_do(t)) {
            t->asleep = true;
            c->counters.awake_ps += t->now - t->woken_ps;
            COROUTINE_WAIT(t);
        }
        t->idle = !c->kernels;
        t->looked = false;
        for (t->q = t->number; t->q < c->active; t->q += (uint32_t)config->cp_threads) {
            for (t->taken = 0; t->taken < config->cp_drain && take_op(t); t->taken++) {
                /* one command of the queue */
                t->before_ps = look(t);
                t->missed = false;
                compute(t, config->cp_poll);
                c->counters.polls++;
                for (t->got = 0; t->got < sizeof t->entry; t->got += c->load) {
                    LOAD(entry_address(t, queue_of(t)->next) + t->got, c->load);
                    memcpy((uint8_t *)&t->entry + t->got, t->answer.data, c->load);
                    t->missed = t->missed || t->answer.missed;
                    if (!is_ready(t)) break; /* its first word says so */
                }
                if (!is_ready(t)) {
                    give_op_back(t);
                    break;
                }
                c->counters.commands++;
                c->counters.unseen_ps += t->now - t->before_ps;
                c->counters.command_hits += !t->missed;
                queue_of(t)->found_ps[queue_of(t)->next % HEDDLE_SHMEM_ENTRIES] = t->now;
                compute(t, config->cp_issue);
                t->idle = false;
                if (!is_right(t)) {
                    give_op_back(t);
                    pass(t, FINISHED);
                } else if (t->entry.op == HEDDLE_SHMEM_QUIET) {
                    give_op_back(t);
                    add_quiet(t);
                } else {
                    fill_op(t);
                    STORE(c->op[t->op].place, &t->entry, sizeof t->entry);
                    c->events.doorbell(c->events.user, t->op, t->now);
                    pass(t, is_blocking(t) ? PENDING : FINISHED);
                    if (!is_blocking(t)) POST_DONE(queue_of(t)->next - 1);
                }
            }
            while (take_quiet(t)) POST_DONE(t->number_done);
            /* what has left the queue */
            t->found = false;
            while (oldest_state(t) == FINISHED || oldest_state(t) == TO_BE_READ) {
                if (oldest_state(t) == TO_BE_READ) {
                    compute(t, config->cp_poll);
                    LOAD(entry_address(t, queue_of(t)->done), sizeof t->word);
                    memcpy(&t->word, t->answer.data, sizeof t->word);
                    if ((t->word & 3) != HEDDLE_SHMEM_FREE) break;
                }
                queue_of(t)->done++;
                t->found = true;
            }
            if (t->found)
                POST(queue_address(t) + offsetof(struct heddle_shmem_queue, read_idx),
                     queue_of(t)->done);
        }
        while (t->under_way || !t->looked) {
            compute(t, config->cp_poll);
            LOAD(completion_address(t), sizeof(uint64_t));
            if (!is_completion(t)) break;
            compute(t, config->cp_complete);
            if (end_op(t)) POST_DONE(t->number_done);
        }
    }
    COROUTINE_END(t);
}

void command_processor_kernel(struct command_processor *c, bool begins, uint64_t ctas,
                              uint64_t at_ps) {
    c->kernels += begins ? 1 : UINT32_MAX;
    if (!c->kernels) return;
    if (begins && ctas > c->active)
        c->active = ctas < c->num_queues ? (uint32_t)ctas : c->num_queues;
    for (uint32_t i = 0; i < c->config->cp_threads; i++) {
        struct service *t = &c->service[i];
        if (!t->asleep || !c->num_queues) continue;
        t->asleep = false;
        t->now = t->woken_ps = at_ps;
        run(t);
    }
}

void command_processor_access_ended(struct command_processor *c, uint32_t thread,
                                    const struct memory_access *access, uint64_t at_ps) {
    struct service *t = &c->service[thread];
    if (access->kind == ACCESS_LOAD && !is_at_host(c, access->address))
        c->counters.load_hits += !access->missed;
    if (access->tag) {
        t->waits = false;
        t->answer = *access;
    } else if (t->waits) {
        return; /* what it waits for is another one */
    }
    if (t->asleep) return;
    if (t->now < at_ps) t->now = at_ps;
    run(t);
}
