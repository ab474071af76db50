/* values.c - see values.h. Nothing here allocates. */
#include "timing/values.h"

#include <string.h>

enum { LINE = 128 }; /* bytes */

/* The words that are sent beyond the list's end, to fill the last message, are 0 as well. */
void values_clear(struct values *v, unsigned words) {
    const unsigned whole = (words + FABRIC_MESSAGE_WORDS - 1) / FABRIC_MESSAGE_WORDS;
    v->count = words;
    memset(v->word, 0, (size_t)whole * FABRIC_MESSAGE_WORDS * sizeof *v->word);
}

void values_of_request(struct values *v, const struct exec_operation *op,
                       const struct exec_operand *lane, unsigned n) {
    const unsigned places = (n + 7) / 8, each = values_words(n, op->width);
    const unsigned operands = exec_operation_operands(op);
    values_clear(v, places + operands * each);
    for (unsigned i = 0; i < n; i++) {
        v->word[i / 8] |= lane[i].address % LINE << 8 * (i % 8);
        for (unsigned k = 0; k < operands; k++)
            values_pack(v->word + places + k * each, i, op->width, lane[i].data + (size_t)2 * k);
    }
}

void values_to_request(const struct values *v, const struct exec_operation *op, uint64_t first,
                       struct exec_operand *lane, unsigned n) {
    const unsigned places = (n + 7) / 8, each = values_words(n, op->width);
    const unsigned operands = exec_operation_operands(op);
    for (unsigned i = 0; i < n; i++) {
        lane[i].address = first + (v->word[i / 8] >> 8 * (i % 8) & 0xff);
        for (unsigned k = 0; k < operands; k++)
            values_unpack(lane[i].data + (size_t)2 * k, v->word + places + k * each, i, op->width);
    }
}

void values_send(struct fabric *fabric, uint32_t from, uint32_t to, uint64_t at_ps,
                 const struct values *v) {
    for (unsigned i = 0; i < v->count; i += FABRIC_MESSAGE_WORDS) {
        const uint64_t *w = v->word + i;
        const struct message_values m = {w[0], w[1], w[2], w[3], w[4], w[5]};
        message_send_values(fabric, from, to, at_ps, &m);
    }
}

bool values_take(struct values *v, const struct message_values *m) {
    if (v->count == VALUES_MOST) return false;
    const uint64_t word[] = {m->first, m->second, m->third, m->fourth, m->fifth, m->sixth};
    memcpy(v->word + v->count, word, sizeof word);
    v->count += FABRIC_MESSAGE_WORDS;
    return true;
}
