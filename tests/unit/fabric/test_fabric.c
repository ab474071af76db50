/* test_fabric.c - host/fabric/fabric.c: the order of messages does not depend on threads, windows
 * or placement. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"

enum { NUM = 7, LATENCY = 1000 };

/* A component that forwards tokens to others after a time that depends on all messages received so
 * far. `hash` covers every message that it receives. */
struct node {
    struct fabric *fabric;
    uint32_t id, *ids;
    uint64_t hash, heard, limit;
    struct fabric_message held[64];
    unsigned num_held;
};

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void receive(void *self, const struct fabric_message *m) {
    struct node *n = self;
    cr_assert_lt(n->num_held, 64);
    n->held[n->num_held++] = *m;
}

/* The component's advance: handles the messages held so far, in the order of arrival. */
static heddle_err advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct node *n = self;
    (void)diag;
    for (unsigned i = 0; i < n->num_held; i++) {
        struct fabric_message m = n->held[i];
        cr_assert_lt(m.at, until);
        n->hash = mix(n->hash ^ mix(m.at * 31 + m.from * 7 + m.word[0]));
        n->heard++;
        if (m.word[0] >= n->limit) continue;
        struct fabric_message next = {.at = m.at + LATENCY + n->hash % 3,
                                      .from = n->id,
                                      .to = n->ids[n->hash % NUM],
                                      .word = {m.word[0] + 1}};
        fabric_send(n->fabric, &next);
    }
    n->num_held = 0;
    return HEDDLE_OK;
}

static uint64_t next(void *self) {
    struct node *n = self;
    return n->num_held ? n->held[0].at : FABRIC_NEVER;
}

/* Runs NUM linked components on threads, each thread with `spread` of them, in windows of at most
 * `window`. @return the hash of all messages */
static uint64_t run(unsigned threads, unsigned spread, uint64_t window) {
    static const struct fabric_ops ops = {receive, advance, next};
    struct fabric *f = fabric_create(threads);
    struct node nodes[NUM];
    uint32_t ids[NUM];
    memset(nodes, 0, sizeof nodes);
    for (unsigned i = 0; i < NUM; i++) {
        ids[i] = fabric_add(f, "node", &ops, &nodes[i], i / spread);
        nodes[i].fabric = f;
        nodes[i].id = ids[i];
        nodes[i].ids = ids;
        nodes[i].limit = 2000;
    }
    for (unsigned i = 0; i < NUM; i++)
        for (unsigned k = 0; k < i; k++)
            cr_assert_eq(fabric_link(f, ids[i], ids[k], LATENCY, NULL), HEDDLE_OK);
    fabric_limit_window(f, window);
    for (unsigned i = 0; i < NUM; i++) {
        struct fabric_message m = {.at = 10 + i % 3, .from = ids[i], .to = ids[(i * 3) % NUM]};
        fabric_send(f, &m);
    }
    bool idle = false;
    while (!idle) cr_assert_eq(fabric_step(f, ids[0], FABRIC_NEVER, &idle, NULL), HEDDLE_OK);
    uint64_t hash = 0, heard = 0;
    for (unsigned i = 0; i < NUM; i++) {
        hash = mix(hash ^ nodes[i].hash);
        heard += nodes[i].heard;
    }
    cr_assert_eq(heard, NUM * 2001);
    fabric_free(f);
    return hash;
}

Test(fabric, same_result_for_threads_and_windows) {
    uint64_t want = run(1, 1, LATENCY);
    for (unsigned threads = 1; threads <= 3; threads++)
        for (unsigned spread = 1; spread <= 3; spread++) {
            cr_assert_eq(run(threads, spread, LATENCY), want);
            cr_assert_eq(run(threads, spread, 137), want);
        }
}

Test(fabric, a_link_without_latency_is_refused) {
    static const struct fabric_ops ops = {receive, advance, next};
    struct fabric *f = fabric_create(1);
    struct heddle_diag diag;
    struct node n = {0};
    uint32_t a = fabric_add(f, "left", &ops, &n, 0), b = fabric_add(f, "right", &ops, &n, 0);
    cr_assert_eq(fabric_link(f, a, b, 0, &diag), HEDDLE_ERR_CONFIG);
    cr_assert_str_eq(diag.text, "the link between left and right has no latency: components of one "
                                "simulation must be at least one picosecond apart");
    fabric_free(f);
}

/* Components that no link joins have separate clocks. A driver's messages arrive at their time, or
 * now if that is past, and the driver's link shortens no window. */
Test(fabric, islands_advance_one_at_a_time) {
    static const struct fabric_ops ops = {receive, advance, next};
    struct fabric *f = fabric_create(2);
    struct node n[3];
    uint32_t id[3];
    bool idle;
    memset(n, 0, sizeof n);
    uint32_t driver = fabric_add(f, "driver", NULL, NULL, 0);
    for (unsigned i = 0; i < 3; i++) id[i] = fabric_add(f, "node", &ops, &n[i], i);
    cr_assert_eq(fabric_link(f, id[0], id[1], LATENCY, NULL), HEDDLE_OK);
    fabric_link_driver(f, driver, id[0], 1);
    cr_assert_eq(fabric_window(f, id[1]), LATENCY);
    cr_assert(fabric_joined(f, id[0], id[1]) && !fabric_joined(f, id[1], id[2]));
    cr_assert(!fabric_joined(f, driver, id[0]));
    fabric_send(f, &(struct fabric_message){.at = 5000, .from = driver, .to = id[0]});
    fabric_send(f, &(struct fabric_message){.at = 70, .from = driver, .to = id[2]});
    cr_assert(fabric_next(f, id[1]) == 5000 && fabric_next(f, id[2]) == 70);
    cr_assert_eq(fabric_step(f, id[1], FABRIC_NEVER, &idle, NULL), HEDDLE_OK);
    cr_assert(fabric_now(f, id[0]) == 5000 + LATENCY && fabric_now(f, id[2]) == 0);
    cr_assert(n[0].heard == 1 && n[2].heard == 0);
    fabric_send(f, &(struct fabric_message){.at = 10, .from = driver, .to = id[1]});
    cr_assert_eq(fabric_next(f, id[0]), 5000 + LATENCY);
    fabric_free(f);
}

Test(fabric, an_island_without_components_begins_anew) {
    static const struct fabric_ops ops = {receive, advance, next};
    struct fabric *f = fabric_create(1);
    struct node n[2];
    bool idle;
    memset(n, 0, sizeof n);
    uint32_t a = fabric_add(f, "a", &ops, &n[0], 0), b = fabric_add(f, "b", &ops, &n[1], 0);
    cr_assert_eq(fabric_link(f, a, b, LATENCY, NULL), HEDDLE_OK);
    cr_assert_eq(fabric_step(f, a, 900, &idle, NULL), HEDDLE_OK);
    cr_assert(idle && fabric_now(f, b) == 900);
    fabric_send(f, &(struct fabric_message){.at = 1000, .from = a, .to = b});
    fabric_detach(f, b);
    cr_assert(fabric_next(f, a) == FABRIC_NEVER && fabric_now(f, a) == 900);
    fabric_detach(f, a);
    cr_assert_eq(fabric_now(f, a), 0);
    fabric_attach(f, a, &n[0]);
    fabric_attach(f, b, &n[1]);
    cr_assert_eq(fabric_next(f, a), FABRIC_NEVER);
    fabric_free(f);
}
