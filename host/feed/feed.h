/* feed.h - turns records of the executor into timing packets and coalesced requests
 * (docs/core-words.md: packet and line word).
 *
 * The part of a packet that does not depend on operands is made once per kernel (a template).
 * Each execution adds lanes, lines and the degree of bank conflicts. Coalescing and bank conflicts
 * are computed here for every back end. No state, and no allocation per instruction.
 * Threads: any; templates are read-only once made. */
#ifndef HEDDLE_FEED_FEED_H
#define HEDDLE_FEED_FEED_H

#include <stdint.h>

#include "common/error.h"
#include "exec/exec.h"
#include "mir/mir.h"

/* A packet as it travels: two 64-bit halves, low half first. */
struct feed_packet {
    uint64_t w[2];
};

/* How many 32-bit registers of each thread an instruction reads and writes. */
struct feed_operands {
    uint8_t reads, writes;
};

/* The packets of a function's instructions, without what depends on an execution. */
struct feed_template {
    uint32_t num_inst;
    struct feed_packet *packet;     /* per instruction */
    struct feed_operands *operands; /* likewise */
    bool locks;                     /* one of them is a locked store */
};

/* Creates the template of a function, freed with feed_template_free(), which accepts NULL. Behind a
 * branch the warp issues nothing for `refetch` core cycles (at most MIR_MOST_STALL): code is
 * stalled for MIR_BRANCH_STALL, but the next instruction comes from another place, or might.
 * @return HEDDLE_OK, HEDDLE_ERR_NOMEM. */
heddle_err feed_template_create(struct feed_template **out, const struct mir_function *function,
                                unsigned refetch);
void feed_template_free(struct feed_template *t);

/* Address spaces of a warp's accesses. Line numbers count 128-byte lines from memory_base; a
 * thread's local memory is interleaved so that lanes share lines. */
struct feed_space {
    uint64_t memory_base; /* first device address */
    uint32_t local_line;  /* first line of this warp's local memory */
    /* turns of a slice, in 1/256, for an atomic's lane at the word of the lane before it: of
     * integers, of floats */
    uint16_t repeat[2];
};

enum {
    FEED_PACKET_REQUESTS = 32, /* coalesced requests of one packet */
    FEED_USUAL_REQUESTS = 128, /* most of one access: 16 bytes of local memory, at a different
                                  place for each lane */
    FEED_MAX_REQUESTS = EXEC_RECORD_TEXELS * MIR_WARP_SIZE, /* of a texture instruction */
};

/* @return the largest number of coalesced requests that the record can have. */
static inline unsigned feed_most_requests(const struct exec_record *r) {
    unsigned texels = r->texels * (unsigned)MIR_WARP_SIZE;
    return texels > FEED_USUAL_REQUESTS ? texels : FEED_USUAL_REQUESTS;
}

/* Makes the packet of one record and its coalesced requests. `access` is the record's, NULL when it
 * has none. `line` has room for feed_most_requests(). With more than FEED_PACKET_REQUESTS, the
 * packet is of the first of them, and the caller sends it again with the rest (feed_part()).
 * @return number of coalesced requests. */
unsigned feed_packet_make(struct feed_packet *packet, uint64_t *line, const struct feed_template *t,
                          const struct mir_function *function, const struct exec_record *record,
                          const struct exec_access *access, const struct feed_space *space);

/* Makes *packet, which feed_packet_make() has made with more requests than it can have, the packet
 * of n later ones of them. */
void feed_part(struct feed_packet *packet, const uint64_t *line, unsigned n);

/* Splits an indexed load of constants into a packet for each line of constants that its lanes
 * read; the packet's passes are the different addresses in the line. The address unit replays the
 * load, `replay` cycles (at most 16), for each address but the first. packet[0] has been made;
 * `packet` has room for MIR_WARP_SIZE. Other instructions keep their one packet. @return the
 * number of packets, at least 1. */
unsigned feed_constants_make(struct feed_packet *packet, const struct mir_function *function,
                             const struct exec_record *record, const struct exec_access *access,
                             unsigned replay);

/* The packet that follows a texture fetch: the filter's time in the SM's memory stage
 * (docs/timing-model.md). The record has texels; the filter serves `lanes` lanes per cycle. *fetch
 * is the packet of the fetch, which may be *packet. @return false: the instruction needs none. */
bool feed_filter_make(struct feed_packet *packet, const struct feed_packet *fetch,
                      const struct mir_function *function, const struct exec_record *record,
                      unsigned lanes);

/* Makes the packets of a slow path of division or square root: one for each instruction that the
 * record's lanes run through, the first of them in the place of packet[0], the operation's own,
 * which has been made with its place in the code. There is room for MIR_SLOW_MOST. latency: cycles
 * from issue to result, of each class. @return packets, at least 1. */
unsigned feed_slow_make(struct feed_packet *packet, const struct mir_function *function,
                        const struct exec_record *record, const uint16_t latency[MIR_CLASS_COUNT]);

/* Sets how long a NANOSLEEP packet sleeps, at most FEED_MOST_SLEEP cycles: a core that stores 16
 * bits of time (register time_bits) cannot represent later times, and results must not depend on
 * the width. A longer sleep takes several packets. */
enum { FEED_MOST_SLEEP = (1 << 13) - 1 };
void feed_sleep_set(struct feed_packet *packet, uint32_t cycles);

/* Makes a Hold packet: the warp's next instruction waits for these dependency barriers (bit 6:
 * drain). */
void feed_hold_make(struct feed_packet *packet, unsigned wait_mask);

/* Coalesces a global access; public for tests. `line` gets a word per line of memory, in the order
 * in which L1 looks them up. mask: active lanes; width: bytes per lane; base: first address of
 * device memory; `store`: also find the sectors that are written entirely. @return their number. */
unsigned feed_coalesce(uint64_t *line, const struct exec_access *access, uint32_t mask,
                       unsigned width, uint64_t base, bool store);
/* The same for `texels` accesses together; address 0 is none. */
unsigned feed_texels(uint64_t *line, const struct exec_access *access, unsigned texels,
                     uint32_t mask, unsigned width, uint64_t base, bool store);
/* Orders the n coalesced requests of one operation as L1's four banks of tags look them up
 * (docs/timing-model.md, rule 5), the first lanes' first, and marks where a cycle ends. */
void feed_look_ups(uint64_t *line, unsigned n);
/* Sets how many turns of a slice each of an atomic's n coalesced requests takes, at most 63: one
 * for each run of lanes that access neighbouring words of a sector in turn, `repeat`/256 for a lane
 * at the word of the lane before it. The other arguments: feed_coalesce()'s. */
void feed_turns(uint64_t *line, unsigned n, const struct exec_access *access, uint32_t mask,
                unsigned width, uint64_t base, unsigned repeat);
/* @return passes of n coalesced requests by their sectors, at 128 bytes each; 0 for none. */
unsigned feed_sector_passes(const uint64_t *line, unsigned n);
/* What lanes do with words of shared memory, or of L1's data. */
enum feed_words {
    FEED_READ,
    FEED_WRITE,
    FEED_ROWS,   /* of matrices (LDSM): eight lanes, a matrix, are served together */
    FEED_ATOMIC, /* equal addresses are served one after another */
};
/* @return cycles (passes) that shared memory needs: for each group of lanes that are served
 * together the largest number of different words in one bank, added up. */
unsigned feed_conflicts(const uint64_t *address, uint32_t mask, unsigned width,
                        enum feed_words words);

#endif
