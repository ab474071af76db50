/* test_ops.c - host/sched/ops.c: the order of operations within streams, of the legacy stream, and
 * across streams. */
#include <criterion/criterion.h>

#include "sched/ops.h"

static struct ops *o;
static void set_up(void) {
    o = ops_create();
}
static void tear_down(void) {
    ops_free(o);
}

static struct op *add(uint32_t stream, uint64_t at) {
    struct op *op;
    cr_assert_eq(ops_add(o, OP_MARK, stream, at, &op), HEDDLE_OK);
    return op;
}
static unsigned ready(void) {
    unsigned n = 0;
    for (struct op *op = ops_take_ready(o); op; op = op->next_ready) n++;
    return n;
}

TestSuite(ops, .init = set_up, .fini = tear_down);

Test(ops, a_stream_is_in_order) {
    uint32_t s;
    s = ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0);
    struct op *a = add(s, 10), *b = add(s, 20);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(b->state, OP_WAITING);
    ops_end(o, a, 100, 120);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(b->ready_ps, 120);
}

Test(ops, legacy_waits_for_blocking_streams_only) {
    uint32_t blocking, free_running;
    blocking = ops_stream_create(o, 0, 0);
    free_running = ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0);
    struct op *a = add(blocking, 0), *b = add(free_running, 0);
    struct op *legacy = add(GPU_STREAM_LEGACY, 0);
    struct op *c = add(blocking, 0), *d = add(free_running, 0);
    cr_assert_eq(ready(), 2);
    ops_end(o, b, 5, 5);
    cr_assert_eq(ready(), 1); /* d */
    cr_assert_eq(d->state, OP_READY);
    cr_assert_eq(legacy->pending, 1);
    ops_end(o, a, 7, 7);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(legacy->state, OP_READY);
    cr_assert_eq(c->state, OP_WAITING);
    ops_end(o, legacy, 9, 9);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(c->ready_ps, 9);
}

/* Ends the only ready operation, which is a stream's wait. */
static void pass_mark(void) {
    struct op *op = ops_take_ready(o);
    cr_assert(op && !op->next_ready && op->kind == OP_MARK);
    ops_end(o, op, op->ready_ps, op->ready_ps);
}

Test(ops, a_stream_waits_for_an_operation_of_another) {
    uint32_t s, t;
    s = ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0);
    t = ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0);
    struct op *a = add(s, 0);
    struct op *mark;
    cr_assert_eq(ops_stream_wait(o, t, a->ticket, 3, &mark), HEDDLE_OK);
    struct op *b = add(t, 1);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(b->state, OP_WAITING);
    ops_end(o, a, 50, 60);
    pass_mark();
    cr_assert_eq(ready(), 1);
    cr_assert_eq(b->ready_ps, 60);
    /* Waiting for an operation that has ended only costs its time. */
    ops_end(o, b, 65, 65);
    cr_assert_eq(ops_stream_wait(o, t, a->ticket, 70, &mark), HEDDLE_OK);
    pass_mark();
    struct op *c = add(t, 2);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(c->ready_ps, 70);
}

Test(ops, waiting_is_part_of_the_stream_even_when_nothing_follows) {
    uint32_t s, t;
    s = ops_stream_create(o, 0, 0);
    t = ops_stream_create(o, 0, 0);
    struct op *a = add(s, 0);
    struct op *wait;
    cr_assert_eq(ops_stream_wait(o, t, a->ticket, 3, &wait), HEDDLE_OK);
    cr_assert_eq(wait, ops_get(o, ops_last(o, t)));
    cr_assert_neq(wait, a);
    cr_assert_eq(wait->state, OP_WAITING);
}

Test(ops, a_number_is_not_given_again_while_work_is_in_flight) {
    uint32_t s, t, u;
    s = ops_stream_create(o, 0, 0);
    struct op *a = add(s, 0);
    cr_assert_eq(ops_stream_destroy(o, s), HEDDLE_OK);
    t = ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0);
    cr_assert_neq(t, s);
    struct op *b = add(t, 0), *legacy = add(GPU_STREAM_LEGACY, 0);
    cr_assert_eq(b->state, OP_READY);
    cr_assert_eq(legacy->state, OP_WAITING, "the legacy stream waits for what is left of a stream");
    ops_end(o, a, 10, 10);
    cr_assert_eq(legacy->state, OP_READY);
    u = ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0);
    cr_assert_eq(u, s);
    cr_assert_eq(add(u, 0)->state, OP_READY);
}

Test(ops, the_oldest_operation_that_has_not_ended) {
    uint64_t end;
    cr_assert_eq(ops_oldest(o, &end), 0);
    struct op *a = add(GPU_STREAM_LEGACY, 0), *b = add(GPU_STREAM_LEGACY, 0);
    uint32_t s;
    s = ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0);
    struct op *c = add(s, 0);
    ops_end(o, c, 100, 100);
    cr_assert_eq(ops_oldest(o, &end), a->ticket);
    cr_assert_eq(end, 0);
    ops_end(o, a, 30, 40);
    cr_assert_eq(ops_oldest(o, &end), b->ticket);
    cr_assert_eq(end, 30);
    ops_end(o, b, 50, 50);
    cr_assert_eq(ops_oldest(o, &end), 0);
    cr_assert_eq(end, 100);
}

Test(ops, a_destroyed_stream_is_refused) {
    uint32_t s;
    struct op *op;
    s = ops_stream_create(o, 0, 0);
    cr_assert_eq(ops_stream_destroy(o, s), HEDDLE_OK);
    cr_assert_eq(ops_add(o, OP_MARK, s, 0, &op), HEDDLE_ERR_ARGUMENT);
    cr_assert_eq(ops_stream_destroy(o, s), HEDDLE_ERR_ARGUMENT);
    cr_assert_eq(ops_stream_destroy(o, GPU_STREAM_LEGACY), HEDDLE_ERR_ARGUMENT);
}

/* Operations that are dropped: their ends stay, also for those that wait for them, whatever the
 * size of the ring. */
Test(ops, the_ends_of_dropped_operations_stay) {
    enum { MANY = 10000, KEPT = 100 };
    uint32_t s;
    struct op_end end;
    s = ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0);
    struct op *old = add(s, 0);
    for (uint64_t i = 1; i < MANY; i++) {
        struct op *op = add(GPU_STREAM_LEGACY, 0);
        cr_assert_eq(ready(), i == 1 ? 2 : 1);
        ops_end(o, op, 10 * i, 10 * i);
        while (ops_old(o, KEPT)) ops_drop(o);
    }
    cr_assert_eq(ops_get(o, old->ticket), old, "it has not ended, and keeps the later ones");
    cr_assert_eq(ops_unended(o), MANY);
    cr_assert_not(ops_ended(o, old->ticket, &end));
    ops_end(o, old, 7, 7);
    while (ops_old(o, KEPT)) ops_drop(o);
    cr_assert_eq(ops_unended(o), 0);
    for (gpu_ticket t = 2; t <= MANY; t++) {
        cr_assert_eq(ops_get(o, t) == NULL, t <= MANY - KEPT);
        cr_assert(ops_ended(o, t, &end) && end.ps == 10 * (t - 1) && !end.given_up);
    }
    cr_assert(ops_ended(o, 1, &end) && end.ps == 7);
    cr_assert_not(ops_ended(o, 0, &end) || ops_ended(o, MANY + 1, &end));
    struct op *wait;
    cr_assert_eq(ops_stream_wait(o, s, 5000, 3, &wait), HEDDLE_OK);
    cr_assert_eq(wait->state, OP_READY);
    cr_assert_eq(wait->ready_ps, 49990, "the end of operation 5000");
}

Test(ops, operations_that_were_given_up_stay_whole) {
    uint32_t s;
    struct op_end end;
    s = ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0);
    for (unsigned i = 0; i < 10; i++) add(s, 0);
    ops_give_up(o, 40);
    for (unsigned i = 0; i < 20; i++) ops_end(o, add(GPU_STREAM_LEGACY, 0), 50, 50);
    while (ops_old(o, 5)) ops_drop(o);
    for (gpu_ticket t = 1; t <= 10; t++) {
        cr_assert(ops_get(o, t) && ops_get(o, t)->ticket == t);
        cr_assert(ops_ended(o, t, &end) && end.given_up && end.ps == 40);
    }
    cr_assert_null(ops_get(o, 11));
    cr_assert(ops_ended(o, 11, &end) && !end.given_up && end.ps == 50);
}
