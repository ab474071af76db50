/* values.h - lists of operands or results of lanes, which travel in messages VALUES ahead of the
 * REMOTE or PERFORMED that names their operation.
 *
 * A list holds 64-bit words, lanes in ascending order. For a request it holds a byte per lane for
 * the place in the line, then the first operands, then the second ones; for results, the results.
 * Each of these parts begins with a new word. Values of up to 4 bytes lie two to a word. `width` is
 * a value's bytes, 1 to 16.
 *
 * Messages of one sender for one time arrive in the order of sending with nothing between them, so
 * VALUES belong to the REMOTE or PERFORMED that follows. All functions are pure, but for those that
 * send. */
#ifndef HEDDLE_TIMING_VALUES_H
#define HEDDLE_TIMING_VALUES_H

#include <stdbool.h>
#include <stdint.h>

#include "exec/exec.h"
#include "timing/message.h"

/* Words of the longest list: a byte of address and two operands of 16 bytes for each lane. */
enum { VALUES_MOST = MIR_WARP_SIZE / 8 + 2 * 2 * MIR_WARP_SIZE };
_Static_assert(VALUES_MOST % FABRIC_MESSAGE_WORDS == 0, "values fill whole messages");

/* A list that is made, or that is arriving. */
struct values {
    uint32_t count; /* words */
    uint64_t word[VALUES_MOST];
};

/* Number of 64-bit words that n values take. */
static inline unsigned values_words(unsigned n, unsigned width) {
    return width <= 4 ? (n + 1) / 2 : n * (width / 8);
}
/* Writes value i of a part of a list whose words were 0. */
static inline void values_pack(uint64_t *part, unsigned i, unsigned width, const uint64_t x[2]) {
    if (width <= 4) {
        part[i / 2] |= (x[0] & UINT32_MAX) << 32 * (i % 2);
    } else if (width == 8) {
        part[i] = x[0];
    } else {
        part[2 * i] = x[0];
        part[2 * i + 1] = x[1];
    }
}
/* Reads value i of a part; sets x[1] for 16 bytes only. */
static inline void values_unpack(uint64_t x[2], const uint64_t *part, unsigned i, unsigned width) {
    if (width <= 4) {
        x[0] = part[i / 2] >> 32 * (i % 2) & UINT32_MAX;
    } else if (width == 8) {
        x[0] = part[i];
    } else {
        x[0] = part[2 * i];
        x[1] = part[2 * i + 1];
    }
}
/* Makes the list of `words` words, all 0. */
void values_clear(struct values *v, unsigned words);
/* The list of a request: `n` lanes of an operation, in ascending order, with their addresses and
 * operands; and back, into lanes whose addresses lie in the line at `first`. */
void values_of_request(struct values *v, const struct exec_operation *op,
                       const struct exec_operand *lane, unsigned n);
void values_to_request(const struct values *v, const struct exec_operation *op, uint64_t first,
                       struct exec_operand *lane, unsigned n);
/* Sends a list to component `to` in VALUES that arrive at at_ps. */
void values_send(struct fabric *fabric, uint32_t from, uint32_t to, uint64_t at_ps,
                 const struct values *v);
/* Appends the six words of VALUES. @return false: more words than an operation can have. */
bool values_take(struct values *v, const struct message_values *m);

#endif
