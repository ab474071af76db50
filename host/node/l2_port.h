/* l2_port.h - the port of memory_access.h that the timing core serves: one or more customers of a
 * GPU's L2 (timing/l2_customer.h), all of one component.
 *
 * Threads: those of the component's callbacks. */
#ifndef HEDDLE_NODE_L2_PORT_H
#define HEDDLE_NODE_L2_PORT_H

#include "node/memory_access.h"
#include "timing/l2_customer.h"

enum { L2_PORT_CUSTOMERS = 8 };

/* The customers of a component. `separate`: each is a port of its own, else any of them takes an
 * access. Zeroed, there are none. */
struct l2_ports {
    struct l2_customer *customer[L2_PORT_CUSTOMERS];
    uint32_t count, first; /* their numbers are first, first + 1, ... */
    bool separate;
    struct memory_access under_way[L2_PORT_CUSTOMERS][L2_CUSTOMER_ACCESSES];
    bool used[L2_PORT_CUSTOMERS][L2_CUSTOMER_ACCESSES];
    struct fabric_message held[16]; /* VALUES, whose customer the next message names */
    uint32_t num_held;
    heddle_err failed; /* of an access that could not be sent */
};

/* A port: of `ports`, and with `separate` of one customer. */
struct l2_port {
    struct l2_ports *ports;
    uint32_t customer;
};

extern const struct memory_port_fns l2_port_fns; /* for a struct l2_port */

/* Takes a message of an SM group. @return true: *access has ended at in->at, that of customer
 * *customer (from 0). */
bool l2_ports_receive(struct l2_ports *ports, const struct fabric_message *in,
                      struct memory_access *access, uint32_t *customer);
/* Frees the customers. */
void l2_ports_fini(struct l2_ports *ports);

#endif
