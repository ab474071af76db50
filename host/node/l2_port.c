/* l2_port.c - accesses as those of customers of L2; contracts in l2_port.h. */
#include "node/l2_port.h"

#include <string.h>

#include "core_words.h"
#include "include/device/heddle_shmem_abi.h"

/* The customer that takes the port's next access. @return its number; ports->count: none can. */
static uint32_t find_free(const struct l2_port *p) {
    const struct l2_ports *all = p->ports;
    const uint32_t from = all->separate ? p->customer : 0;
    const uint32_t to = all->separate ? p->customer + 1 : all->count;
    for (uint32_t i = from; i < to; i++)
        if (l2_customer_can_send(all->customer[i])) return i;
    return all->count;
}

static bool can_send(const void *port) {
    const struct l2_port *p = port;
    return find_free(p) < p->ports->count;
}

static enum l2_access_kind kind_of(const struct memory_access *a) {
    static const uint8_t amo[HEDDLE_SHMEM_NUM_AMOS] = {
        [HEDDLE_SHMEM_AMO_READ] = L2_LOAD, [HEDDLE_SHMEM_AMO_SET] = L2_EXCH,
        [HEDDLE_SHMEM_AMO_ADD] = L2_ADD,   [HEDDLE_SHMEM_AMO_AND] = L2_AND,
        [HEDDLE_SHMEM_AMO_OR] = L2_OR,     [HEDDLE_SHMEM_AMO_XOR] = L2_XOR,
        [HEDDLE_SHMEM_AMO_CAS] = L2_CAS};
    if (a->kind == ACCESS_ATOMIC) return amo[a->amo];
    return a->kind == ACCESS_LOAD ? L2_LOAD : L2_STORE;
}

static void send(void *port, const struct memory_access *a, uint64_t at_ps) {
    struct l2_port *p = port;
    struct l2_ports *all = p->ports;
    const uint32_t i = find_free(p);
    uint8_t operands[2 * sizeof(uint64_t)];
    uint32_t place = 0;
    while (all->used[i][place]) place++;
    all->used[i][place] = true;
    all->under_way[i][place] = *a;
    struct l2_access access = {.kind = kind_of(a),
                               .address = a->address,
                               .bytes = a->bytes,
                               .data = a->data,
                               .tag = place};
    if (a->kind == ACCESS_ATOMIC) {
        const bool swaps = access.kind == L2_CAS;
        if (swaps) memcpy(operands, &a->compare, a->bytes);
        memcpy(operands + (swaps ? a->bytes : 0), &a->operand, a->bytes);
        access.data = operands;
    }
    heddle_err e = l2_customer_send(all->customer[i], &access, at_ps);
    if (e && !all->failed) all->failed = e;
}

const struct memory_port_fns l2_port_fns = {can_send, send};

/* The customer that a message is for; VALUES do not say. */
static uint32_t customer_of(const struct l2_ports *all, const struct fabric_message *in) {
    if (in->kind == MESSAGE_PERFORMED) return message_read_performed(in).sm - all->first;
    const struct message_remote m = message_read_remote(in);
    const uint64_t word[2] = {m.low, m.high};
    return core_remote_sm(word) - all->first;
}

bool l2_ports_receive(struct l2_ports *all, const struct fabric_message *in,
                      struct memory_access *access, uint32_t *customer) {
    struct l2_answer answer;
    if (in->kind == MESSAGE_VALUES) {
        all->held[all->num_held++] = *in;
        return false;
    }
    const uint32_t i = *customer = customer_of(all, in);
    for (uint32_t k = 0; k < all->num_held; k++)
        l2_customer_receive(all->customer[i], &all->held[k], &answer);
    all->num_held = 0;
    if (!l2_customer_receive(all->customer[i], in, &answer)) return false;
    *access = all->under_way[i][answer.tag];
    access->missed = answer.waited;
    all->used[i][answer.tag] = false;
    if (access->kind != ACCESS_STORE) memcpy(access->data, answer.data, answer.bytes);
    return true;
}

void l2_ports_fini(struct l2_ports *all) {
    for (uint32_t i = 0; i < all->count; i++) l2_customer_free(all->customer[i]);
    all->count = 0;
}
