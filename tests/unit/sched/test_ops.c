/* test_ops.c - what waits for what: streams, the legacy stream, waits across streams. */
#include <criterion/criterion.h>

#include "sched/ops.h"

static struct ops *o;
static void set_up(void) { cr_assert_eq(ops_create(&o), HEDDLE_OK); }
static void tear_down(void) { ops_free(o); }

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
    cr_assert_eq(ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0, &s), HEDDLE_OK);
    struct op *a = add(s, 10), *b = add(s, 20);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(b->state, OP_WAITING);
    ops_end(o, a, 100, 120);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(b->ready_ps, 120);
}

Test(ops, legacy_waits_for_blocking_streams_only) {
    uint32_t blocking, free_running;
    ops_stream_create(o, 0, 0, &blocking);
    ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0, &free_running);
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

Test(ops, a_stream_waits_for_an_operation_of_another) {
    uint32_t s, t;
    ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0, &s);
    ops_stream_create(o, GPU_STREAM_NON_BLOCKING, 0, &t);
    struct op *a = add(s, 0);
    cr_assert_eq(ops_stream_wait(o, t, a->ticket, 3), HEDDLE_OK);
    struct op *b = add(t, 1);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(b->state, OP_WAITING);
    ops_end(o, a, 50, 60);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(b->ready_ps, 60);
    /* Waiting for what has ended costs nothing but time. */
    cr_assert_eq(ops_stream_wait(o, t, a->ticket, 70), HEDDLE_OK);
    ops_end(o, b, 65, 65);
    struct op *c = add(t, 2);
    cr_assert_eq(ready(), 1);
    cr_assert_eq(c->ready_ps, 70);
}

Test(ops, a_destroyed_stream_is_refused) {
    uint32_t s;
    struct op *op;
    ops_stream_create(o, 0, 0, &s);
    cr_assert_eq(ops_stream_destroy(o, s), HEDDLE_OK);
    cr_assert_eq(ops_add(o, OP_MARK, s, 0, &op), HEDDLE_ERR_ARGUMENT);
    cr_assert_eq(ops_stream_destroy(o, s), HEDDLE_ERR_ARGUMENT);
    cr_assert_eq(ops_stream_destroy(o, GPU_STREAM_LEGACY), HEDDLE_ERR_ARGUMENT);
}
