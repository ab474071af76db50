/* group_remote.c - operations that take effect in another SM group than that of their warp.
 *
 * The steps, with the function of each:
 *
 *   1. Warp's group: group_remote_pass() sends the operands in VALUES, and REMOTE behind them.
 *   2. Slice's group: group_remote_values() collects VALUES; at REMOTE group_remote_take() keeps
 *      operation and operands as a remote operation.
 *   3. Slice's group, when the slice serves the request: group_remote_perform() performs it on
 *      device memory, sends results in VALUES, and PERFORMED behind them.
 *   4. Warp's group: group_remote_values() collects VALUES; at PERFORMED group_remote_performed()
 *      gives the warp the results.
 *
 * Each runs on the thread that simulates its group, from receive() or from an event of the core
 * (group.c). Times `at_ps` are the messages' arrivals in picoseconds of target time. The messages
 * hold numbers only, so the two groups need not lie in one process.
 *
 * A customer of L2 that is no SM (l2_customer.c) does the steps of a warp's group for its accesses.
 * values.h says what VALUES carry. */
#include "common/error.h"
#include "core_words.h"
#include "timing/clock.h"
#include "timing/group_internal.h"

/* From receive(): appends the six words of VALUES to g->arrived. More words than an operation can
 * have is an internal error, kept in g->failed. */
void group_remote_values(struct timing_group *g, const struct message_values *m) {
    if (!values_take(&g->arrived, m))
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_INTERNAL,
                                "SM group %u: more values than an operation has", g->index);
}

/* From an event Request, whose two words are in m->low and m->high: reads the operation of the warp
 * here, fills in the rest of *m, and sends its operands to component `to` in VALUES that arrive at
 * at_ps. The caller then sends *m for the same time. */
static void send_operation(struct timing_group *g, struct message_remote *m, uint32_t to,
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

    struct exec_operand lane[MIR_WARP_SIZE];
    unsigned n = 0;
    for (uint32_t left = m->lanes; left; left &= left - 1)
        lane[n++] = exec_inflight_operand(gw->exec, slot, (unsigned)__builtin_ctz(left));
    struct values v;
    values_of_request(&v, &op, lane, n);
    values_send(g->wiring.fabric, group_id_of(g), to, at_ps, &v);
}

/* From receive(), at REMOTE: moves the operands from g->arrived into a remote operation of
 * g->remote_ops, which may be new. group_remote_perform() uses it when the slice serves the
 * request. An operation of a customer that is no SM belongs to no launch. */
static void keep_operation(struct timing_group *g, const struct message_remote *m) {
    const uint64_t request[2] = {m->low, m->high};
    const uint32_t sm = core_remote_sm(request);
    struct exec_remote_op *v = remote_ops_enter(
        g->remote_ops, sm, (uint8_t)core_remote_warp(request), (uint8_t)core_remote_slot(request));
    v->launch = sm >= CORE_FIRST_CUSTOMER ? NULL
                                          : &timing_launch_of(g->wiring.launches, m->launch)->exec;
    v->operation = exec_operation_of(m->code, m->check);
    v->lanes |= m->lanes;

    const uint64_t first = g->memory->base + (uint64_t)core_remote_addr(request) * GROUP_LINE;
    struct exec_operand lane[MIR_WARP_SIZE];
    values_to_request(&g->arrived, &v->operation, first, lane,
                      (unsigned)__builtin_popcount(m->lanes));
    unsigned i = 0;
    for (uint32_t left = m->lanes; left; left &= left - 1) v->lane[__builtin_ctz(left)] = lane[i++];
    g->arrived.count = 0;
}

/* Sends the results of these lanes of a remote operation to component `to` in VALUES; PERFORMED
 * must follow. */
static void send_results(struct timing_group *g, const struct exec_remote_op *v, uint32_t lanes,
                         uint32_t to, uint64_t at_ps) {
    const unsigned width = v->operation.width;
    struct values list;
    values_clear(&list, values_words((unsigned)__builtin_popcount(lanes), width));
    for (unsigned i = 0; lanes; i++, lanes &= lanes - 1)
        values_pack(list.word, i, width, v->lane[__builtin_ctz(lanes)].data);
    values_send(g->wiring.fabric, group_id_of(g), to, at_ps, &list);
}

/* From an event Perform for a warp of the group that is component `home`, or for the customer of
 * that number: performs on device memory the remote
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
        g->wiring.fabric, group_id_of(g), home, at_ps,
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
        values_unpack(data, g->arrived.word, i, op.width);
        exec_inflight_answer(warp, m->slot, (unsigned)__builtin_ctz(left), data);
    }
    g->arrived.count = 0;
}

/* ------------------------------------------------------------------------ the core's words */

/* @return the component of an SM's group, or of a customer that is no SM. One that was not set is a
 * PROTOCOL error in g->failed. */
uint32_t group_remote_owner(struct timing_group *g, uint32_t sm) {
    if (sm < CORE_FIRST_CUSTOMER) return g->wiring.group_id[sm % g->config->num_groups];
    const uint32_t id = g->wiring.customer_id[sm - CORE_FIRST_CUSTOMER];
    if (id == TIMING_NO_CUSTOMER)
        g->failed = heddle_fail(&g->diag, HEDDLE_ERR_PROTOCOL,
                                "the timing core answers customer %u, which there is not", sm);
    return id;
}

/* Sends the word of an event Request or Reply unchanged in REMOTE to the component of its slice, SM
 * or customer. For a request that performs an operation the operands go ahead in VALUES. The core
 * needs a request one network latency after the event's time and a reply at its time; a window is
 * no longer than either allows. A request for a line outside the GPU goes to the scheduler, half a
 * look-ahead after the event, as all that comes from a core. A customer and the scheduler look at
 * the message's time instead of the word's, which is in the core's own count. */
void group_remote_pass(struct timing_group *g, const uint64_t *ev, uint64_t at) {
    const bool request = core_event_kind(ev) == CORE_EV_REQUEST;
    const bool outside = request && core_remote_slice(ev) == CORE_OUTSIDE;
    if (request) at += outside ? g->config->lookahead / 2 : g->config->window;
    const uint64_t at_ps = clock_ps(at, g->config->khz);
    struct message_remote m = {.low = ev[0], .high = ev[1]};
    uint32_t to;
    if (request) {
        to = outside ? g->wiring.scheduler_id
                     : g->wiring.group_id[core_remote_slice(ev) % g->config->num_groups];
        if (core_remote_perform(ev)) send_operation(g, &m, to, at_ps);
    } else {
        to = group_remote_owner(g, core_remote_sm(ev));
        if (core_remote_sm(ev) >= CORE_FIRST_CUSTOMER)
            g->num_foreign -= core_remote_bar(ev) != L2_BAR_NONE;
    }
    if (!g->failed) message_send_remote(g->wiring.fabric, group_id_of(g), to, at_ps, &m);
}

/* From receive(), at REMOTE: keeps the operation, and commands the core to take the word. One of a
 * customer that is no SM counts target cycles, and so does an answer from outside the GPU. */
void group_remote_take(struct timing_group *g, const struct message_remote *m) {
    if (m->code) keep_operation(g, m);
    uint64_t *beat = core_command(g->core, 1), *word = beat + CORE_BEAT_PAYLOAD;
    core_make_remote(beat, &(struct core_cmd_remote){.words = 1});
    word[0] = m->low;
    word[1] = m->high;
    const bool customer = core_remote_sm(word) >= CORE_FIRST_CUSTOMER;
    const bool outside = core_remote_kind(word) == CORE_EV_REPLY &&
                         core_remote_slice(word) >= CORE_FIRST_OUTSIDE;
    if (customer || outside)
        core_remote_set_at(word, core_remote_at(word) - (uint32_t)g->cycle_base);
    g->num_foreign += customer;
}
