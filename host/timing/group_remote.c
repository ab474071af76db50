/* group_remote.c - operations that take effect in another SM group than that of their warp.
 *
 * The steps, with the function of each:
 *
 *   1. Warp's group: group_remote_send() sends the operands in VALUES; pass_on() of group.c sends
 *      REMOTE behind them.
 *   2. Slice's group: group_remote_values() collects VALUES; at REMOTE group_remote_enter() keeps
 *      operation and operands as a remote operation.
 *   3. Slice's group, when the slice serves the request: group_remote_perform() performs it on
 *      device memory, sends results in VALUES, and PERFORMED behind them.
 *   4. Warp's group: group_remote_values() collects VALUES; at PERFORMED group_remote_performed()
 *      gives the warp the results.
 *
 * Each runs on the thread that simulates its group, from receive() or from an event of the core
 * (group.c). Times `at_ps` are the messages' arrivals in picoseconds of target time. The messages
 * hold numbers only, so the two groups need not lie in one process. Messages of one sender for one
 * time arrive in the order of sending with nothing between them, so VALUES belong to the REMOTE or
 * PERFORMED that follows.
 *
 * VALUES carry a list of 64-bit words, lanes in ascending order. For a request the list holds a
 * byte per lane for the place in the line, then the first operands, then the second ones; for
 * results, the results. Each of these parts begins with a new word. Values of up to 4 bytes lie two
 * to a word. `width` is a value's bytes. */
#include <string.h>

#include "common/error.h"
#include "core_words.h"
#include "timing/group_internal.h"

/* Number of 64-bit words that n values take. */
static unsigned words_of(unsigned n, unsigned width) {
    return width <= 4 ? (n + 1) / 2 : n * (width / 8);
}
/* Writes value i into a list whose words were 0. */
static void pack(uint64_t *list, unsigned i, unsigned width, const uint64_t x[2]) {
    if (width <= 4) {
        list[i / 2] |= (x[0] & UINT32_MAX) << 32 * (i % 2);
    } else if (width == 8) {
        list[i] = x[0];
    } else {
        list[2 * i] = x[0];
        list[2 * i + 1] = x[1];
    }
}
/* Reads value i of a list; sets x[1] for 16 bytes only. */
static void unpack(uint64_t x[2], const uint64_t *list, unsigned i, unsigned width) {
    if (width <= 4) {
        x[0] = list[i / 2] >> 32 * (i % 2) & UINT32_MAX;
    } else if (width == 8) {
        x[0] = list[i];
    } else {
        x[0] = list[2 * i];
        x[1] = list[2 * i + 1];
    }
}

/* `words` rounded up to whole VALUES messages. */
static unsigned whole_messages(unsigned words) {
    return (words + FABRIC_MESSAGE_WORDS - 1) / FABRIC_MESSAGE_WORDS * FABRIC_MESSAGE_WORDS;
}
/* Sends a list to group `to` in VALUES; `word` has room for whole_messages(words). */
static void send_values(struct timing_group *g, uint32_t to, uint64_t at_ps, const uint64_t *word,
                        unsigned words) {
    for (unsigned i = 0; i < words; i += FABRIC_MESSAGE_WORDS) {
        const uint64_t *w = word + i;
        struct message_values m = {w[0], w[1], w[2], w[3], w[4], w[5]};
        message_send_values(g->wiring.fabric, group_id_of(g), g->wiring.group_id[to], at_ps, &m);
    }
}

/* From receive(): appends the six words of VALUES to g->arrived. More words than an operation can
 * have is an internal error, kept in g->failed. */
void group_remote_values(struct timing_group *g, const struct message_values *m) {
    struct group_values *v = &g->arrived;
    if (v->count == GROUP_MOST_VALUES) {
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_INTERNAL,
                                "SM group %u: more values than an operation has", g->index);
        return;
    }
    const uint64_t word[] = {m->first, m->second, m->third, m->fourth, m->fifth, m->sixth};
    memcpy(v->word + v->count, word, sizeof word);
    v->count += FABRIC_MESSAGE_WORDS;
}

/* From an event Request, whose two words are in m->low and m->high: reads the operation of the warp
 * here, fills in the rest of *m, and sends its operands to group `to` in VALUES that arrive at
 * at_ps. The caller then sends *m for the same time. */
void group_remote_send(struct timing_group *g, struct message_remote *m, uint32_t to,
                       uint64_t at_ps) {
    const uint64_t request[2] = {m->low, m->high};
    uint8_t slot = (uint8_t)core_remote_slot(request);
    struct group_warp *gw = group_warp_of(g, core_remote_sm(request), core_remote_warp(request));
    struct exec_operation op = exec_inflight_operation(gw->exec, slot);
    m->lanes = group_lanes(g, gw->exec, slot, core_remote_addr(request),
                           core_remote_sectors(request));
    m->launch = gw->cta->launch_number;
    m->code = exec_operation_code(&op);
    m->check = op.check;

    unsigned n = (unsigned)__builtin_popcount(m->lanes), operands = exec_operation_operands(&op);
    unsigned places = (n + 7) / 8, each = words_of(n, op.width), words = places + operands * each;
    uint64_t word[GROUP_MOST_VALUES];
    memset(word, 0, whole_messages(words) * sizeof *word);
    uint32_t left = m->lanes;
    for (unsigned i = 0; left; i++, left &= left - 1) {
        struct exec_operand x = exec_inflight_operand(gw->exec, slot,
                                                      (unsigned)__builtin_ctz(left));
        word[i / 8] |= (x.address - g->memory->base) % GROUP_LINE << 8 * (i % 8);
        for (unsigned k = 0; k < operands; k++)
            pack(word + places + k * each, i, op.width, x.data + (size_t)2 * k);
    }
    send_values(g, to, at_ps, word, words);
}

/* From receive(), at REMOTE: moves the operands from g->arrived into a remote operation of
 * g->remote_ops, which may be new. group_remote_perform() uses it when the slice serves the
 * request. */
void group_remote_enter(struct timing_group *g, const struct message_remote *m) {
    const uint64_t request[2] = {m->low, m->high};
    const uint64_t *word = g->arrived.word;
    struct exec_remote_op *v = remote_ops_enter(g->remote_ops, core_remote_sm(request),
                                                (uint8_t)core_remote_warp(request),
                                                (uint8_t)core_remote_slot(request));
    v->launch = &timing_launch_of(g->wiring.launches, m->launch)->exec;
    v->operation = exec_operation_of(m->code, m->check);
    v->lanes |= m->lanes;

    uint64_t first = g->memory->base + (uint64_t)core_remote_addr(request) * GROUP_LINE;
    unsigned n = (unsigned)__builtin_popcount(m->lanes), width = v->operation.width;
    unsigned operands = exec_operation_operands(&v->operation);
    unsigned places = (n + 7) / 8, each = words_of(n, width);
    uint32_t left = m->lanes;
    for (unsigned i = 0; left; i++, left &= left - 1) {
        struct exec_operand *x = &v->lane[__builtin_ctz(left)];
        x->address = first + (word[i / 8] >> 8 * (i % 8) & 0xff);
        for (unsigned k = 0; k < operands; k++)
            unpack(x->data + (size_t)2 * k, word + places + k * each, i, width);
    }
    g->arrived.count = 0;
}

/* Sends the results of these lanes of a remote operation in VALUES; PERFORMED must follow. */
static void send_results(struct timing_group *g, const struct exec_remote_op *v, uint32_t lanes,
                         uint32_t to, uint64_t at_ps) {
    unsigned width = v->operation.width;
    unsigned words = words_of((unsigned)__builtin_popcount(lanes), width);
    uint64_t word[GROUP_MOST_VALUES];
    memset(word, 0, whole_messages(words) * sizeof *word);
    for (unsigned i = 0; lanes; i++, lanes &= lanes - 1)
        pack(word, i, width, v->lane[__builtin_ctz(lanes)].data);
    send_values(g, to, at_ps, word, words);
}

/* From an event Perform for a warp of group `home`: performs on device memory the remote
 * operation's lanes in the event's sectors, ends the remote operation with its last lane, and sends
 * the results (VALUES, for an operation that has any) and PERFORMED, both arriving at at_ps. An
 * operation that is not here is an internal error, kept in g->failed. */
void group_remote_perform(struct timing_group *g, const struct core_ev_perform *p, uint32_t home,
                          uint64_t at_ps) {
    uint8_t warp = (uint8_t)p->warp, slot = (uint8_t)p->slot;
    uint32_t lanes = 0;
    uint64_t first = g->memory->base + (uint64_t)p->line * GROUP_LINE;
    struct exec_remote_op *v = remote_ops_find(g->remote_ops, p->sm, warp, slot);
    if (!v) {
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_INTERNAL,
                                "SM group %u performs operation %u of SM %u, warp %u, which has "
                                "not arrived",
                                g->index, slot, p->sm, warp);
        return;
    }
    for (unsigned s = 0; s < GROUP_LINE / EXEC_SECTOR; s++)
        if (p->sectors >> s & 1) lanes |= exec_remote_op_lanes(v, first + s * EXEC_SECTOR);
    exec_remote_op_perform(v, lanes);
    if (exec_operation_answers(&v->operation)) send_results(g, v, lanes, home, at_ps);
    remote_ops_leave(g->remote_ops, p->sm, warp, slot, lanes);
    message_send_performed(
        g->wiring.fabric, group_id_of(g), g->wiring.group_id[home], at_ps,
        &(struct message_performed){.sm = p->sm, .warp = warp, .slot = slot, .lanes = lanes});
}

/* From receive(), at PERFORMED: writes the results from g->arrived into the warp's operation and
 * empties g->arrived. The caller then calls group_complete(). */
void group_remote_performed(struct timing_group *g, const struct message_performed *m) {
    struct exec_warp *warp = group_warp_of(g, m->sm, m->warp)->exec;
    struct exec_operation op = exec_inflight_operation(warp, m->slot);
    uint32_t left = exec_operation_answers(&op) ? m->lanes : 0;
    for (unsigned i = 0; left; i++, left &= left - 1) {
        uint64_t data[2] = {0, 0};
        unpack(data, g->arrived.word, i, op.width);
        exec_inflight_answer(warp, m->slot, (unsigned)__builtin_ctz(left), data);
    }
    g->arrived.count = 0;
}
