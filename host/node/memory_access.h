/* memory_access.h - accesses to a GPU's memory through its L2 by what is no SM: the command
 * processor and the bus. A port stands for whoever serves them: the timing core
 * (timing/l2_customer.h), or a test.
 *
 * Threads: the component's that owns the port. */
#ifndef HEDDLE_NODE_MEMORY_ACCESS_H
#define HEDDLE_NODE_MEMORY_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

enum { ACCESS_LINE = 128 };
enum access_kind { ACCESS_LOAD, ACCESS_STORE, ACCESS_ATOMIC };

/* An access to at most a line. Bytes are read and written when L2 serves it. */
struct memory_access {
    enum access_kind kind;
    uint64_t address;
    uint32_t bytes;            /* 1 to ACCESS_LINE, within a line; of an atomic 4 or 8 */
    uint8_t amo;               /* ATOMIC: enum heddle_shmem_amo */
    uint64_t operand, compare; /* ATOMIC */
    uint32_t tag;              /* the sender's */
    bool missed;               /* of an ended access: it waited for memory */
    uint8_t
        data[ACCESS_LINE]; /* STORE: what; of an ended LOAD what was there, ATOMIC the old value */
};

/* Where accesses go. The port answers each with access_ended() of its owner, at the target time
 * at which its answer arrives. */
struct memory_port_fns {
    /* Whether one more access may be under way. */
    bool (*can_send)(const void *port);
    /* Sends an access that leaves at at_ps (ps), which is now or later. */
    void (*send)(void *port, const struct memory_access *access, uint64_t at_ps);
};

#endif
