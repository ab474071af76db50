/* l2_customer.h - a customer of a GPU's L2 that is no SM, such as a core of the command processor
 * or the DMA of a network interface (docs/timing-model.md, rule 9).
 *
 * A component of the fabric that wants to read and write through L2 owns one of these, which
 * gpu_add_customer() of sched/gpu_customers.c makes for it. In its callbacks the component sends
 * accesses and hands the messages that it receives to l2_customer_receive().
 *
 * An access goes to the line's slice, and is served there in order of time with the requests of
 * SMs. At that moment its bytes are read and written. So strong accesses of warps, and those of
 * other customers, see it before or after, as target time says. Ordinary accesses of warps take
 * effect when the warp is executed, ahead of target time: what a kernel and a customer share is
 * guarded by strong accesses, as between two warps.
 *
 * Each customer has a request port as an SM has one (rule 6), so its requests leave one after
 * another. Up to L2_CUSTOMER_ACCESSES are under way; they end in any order.
 *
 * Threads: those of the owner's callbacks. Nothing here allocates but the creation. */
#ifndef HEDDLE_TIMING_L2_CUSTOMER_H
#define HEDDLE_TIMING_L2_CUSTOMER_H

#include "timing/group.h"
#include "timing/message.h"

enum { L2_CUSTOMER_ACCESSES = 32, L2_LINE = 128 };

/* What an access does. The atomics read an unsigned number of 4 or 8 bytes (`bytes`), and give it
 * back; EXCH and CAS also take 16 bytes. */
enum l2_access_kind {
    L2_LOAD,
    L2_STORE,
    L2_ADD,
    L2_MIN,
    L2_MAX,
    L2_AND,
    L2_OR,
    L2_XOR,
    L2_EXCH,
    L2_CAS, /* data: the value that must be there, then the new one, `bytes` each */
};

/* An access within a line of 128 bytes. Address and bytes are multiples of a width, the largest of
 * 1, 2, 4, 8 and 16 that divides both; a load or store may have 32 times its width. */
struct l2_access {
    enum l2_access_kind kind;
    uint64_t address; /* in device memory */
    uint32_t bytes;
    const void *data; /* STORE and atomics: operands, copied by l2_customer_send() */
    bool only_time;   /* moves no bytes: the owner does; takes the same time */
    uint64_t tag;     /* given back */
};

/* An access that has ended. */
struct l2_answer {
    uint64_t tag;
    uint64_t at_ps; /* target time at which the answer arrived */
    bool waited;    /* for memory: it missed in L2 */
    uint32_t bytes; /* of `data`: what was read; 0 for a store and with only_time */
    uint8_t data[L2_LINE];
};

struct l2_customer;

/* `number`: CORE_FIRST_CUSTOMER to 255; `component`: that of the owner. Borrows `config`, `wiring`
 * and `memory`. @return never NULL; without memory the process ends. */
struct l2_customer *l2_customer_create(uint32_t number, uint32_t component,
                                       const struct timing_config *config,
                                       const struct timing_wiring *wiring,
                                       const struct exec_memory *memory);
void l2_customer_free(struct l2_customer *c); /* accepts NULL */
/* Forgets what is under way, when the GPU has been reset. Between windows. */
void l2_customer_reset(struct l2_customer *c);

/* @return whether another access may be under way. */
bool l2_customer_can_send(const struct l2_customer *c);
/* @return the accesses under way. */
unsigned l2_customer_under_way(const struct l2_customer *c);
/* Sends an access, when l2_customer_can_send(), at a target time that is not past. It leaves then,
 * or when the port is free. @return HEDDLE_ERR_ILLEGAL_ADDRESS: not in this device memory;
 * HEDDLE_ERR_ARGUMENT: not as struct l2_access says, or too many are under way. */
heddle_err l2_customer_send(struct l2_customer *c, const struct l2_access *access, uint64_t at_ps);
/* Takes a message of an SM group (REMOTE, VALUES, PERFORMED) that the owner has received. @return
 * true: with it an access has ended, *out. */
bool l2_customer_receive(struct l2_customer *c, const struct fabric_message *in,
                         struct l2_answer *out);

#endif
