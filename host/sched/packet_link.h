/* packet_link.h - a link between the GPU and memory outside it, such as PCIe: packets with headers,
 * and copies, share the bandwidth of each direction.
 *
 * A direction sends one packet after another. While a copy is under way, its packets and those of
 * kernels take turns, as long as both have some: then a kernel's packet waits for one of the copy,
 * and the copy lasts as much longer as the kernel's packets take.
 *
 * Owner: the scheduler, on whose thread all functions run. Times are picoseconds of target time.
 * Nothing here allocates. */
#ifndef HEDDLE_SCHED_PACKET_LINK_H
#define HEDDLE_SCHED_PACKET_LINK_H

#include <stdint.h>

/* Ways of a link. */
enum link_way { LINK_AWAY, LINK_BACK, LINK_WAYS }; /* from the GPU, to the GPU */

struct packet_link_config {
    uint64_t bytes_per_s;    /* of each direction, with headers */
    uint32_t payload;        /* most bytes of data in a packet, a line of 128 bytes at least */
    uint32_t request_header; /* bytes of a packet besides its data: requests and writes, */
    uint32_t answer_header;  /* answers */
};

/* A link; zeros but for `config` at first. */
struct packet_link {
    struct packet_link_config config;
    struct {
        uint64_t free_ps; /* when all packets of kernels have left */
        uint64_t copy_ps; /* when the last byte of the copy under way leaves; 0: there is none */
    } way[LINK_WAYS];
};

/* Time of a transfer at a bandwidth. */
uint64_t packet_link_transfer_ps(uint64_t bytes, uint64_t bytes_per_s);
/* Sends bytes that are ready at at_ps, which is no earlier than that of the call before. @return
 * when the last of them leaves. */
uint64_t packet_link_send(struct packet_link *l, enum link_way way, uint64_t at_ps, uint64_t bytes);
/* A copy of so many bytes begins at at_ps; there is no other in this direction. The way's copy_ps
 * says from then on when its last byte leaves, as far as is known. */
void packet_link_copy(struct packet_link *l, enum link_way way, uint64_t at_ps, uint64_t bytes);
/* The copy has ended. */
void packet_link_copy_end(struct packet_link *l, enum link_way way);

#endif
