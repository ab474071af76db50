/* test_customers.c - customers of L2 other than SMs (timing/l2_customer.c, sched/gpu_customers.c)
 * beside kernels on the timing core: both see each other's stores in order of target time, the
 * times are those of docs/timing-model.md, and nothing depends on the placement.
 *
 * A customer here is a component that plays a list of accesses, each some time after the answer to
 * the one before, or until a word has a value. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "fabric/fabric.h"
#include "rig.h"
#include "sched/gpu_customers.h"
#include "sched/gpu_internal.h"
#include "timing/clock.h"

enum { MOST_STEPS = 256, NUMBER = 240 };

/* One access; `until`: it is repeated until its first four bytes are this. */
struct step {
    struct l2_access access;
    uint64_t delay_ps; /* after the answer to the one before */
    uint32_t until;
    bool repeats, together; /* together: with the one before */
};
struct result {
    uint64_t sent_ps, at_ps;
    bool waited;
    uint32_t bytes;
    uint8_t data[L2_LINE];
};

struct player {
    struct l2_customer *customer;
    struct step step[MOST_STEPS];
    struct result result[MOST_STEPS];
    uint32_t num_steps, next_step, answers;
    uint64_t next_ps;
};

/* Sends the next step and those that belong to it. */
static void send(struct player *p, uint64_t now) {
    do {
        struct step *s = &p->step[p->next_step];
        s->access.tag = p->next_step;
        p->result[p->next_step].sent_ps = now;
        cr_assert_eq(l2_customer_send(p->customer, &s->access, now), HEDDLE_OK);
        p->next_step++;
    } while (p->next_step < p->num_steps && p->step[p->next_step].together);
    p->next_ps = FABRIC_NEVER;
}

static void receive(void *self, const struct fabric_message *in) {
    struct player *p = self;
    struct l2_answer a;
    if (!l2_customer_receive(p->customer, in, &a)) return;
    struct result *r = &p->result[a.tag];
    const struct step *s = &p->step[a.tag];
    r->at_ps = a.at_ps;
    r->waited = a.waited;
    r->bytes = a.bytes;
    memcpy(r->data, a.data, a.bytes);
    uint32_t word;
    memcpy(&word, a.data, 4);
    if (s->repeats && word != s->until)
        p->next_step = (uint32_t)a.tag;
    else
        p->answers++;
    if (l2_customer_under_way(p->customer) || p->next_step == p->num_steps) return;
    p->next_ps = a.at_ps + p->step[p->next_step].delay_ps;
}

static heddle_err advance(void *self, uint64_t until, struct heddle_diag *diag) {
    struct player *p = self;
    (void)diag;
    if (p->next_ps < until) send(p, p->next_ps);
    return HEDDLE_OK;
}

static uint64_t next(void *self) {
    return ((struct player *)self)->next_ps;
}

static const struct fabric_ops player_ops = {receive, advance, next};

/* Makes a player a customer of the rig's GPU; it begins at `from_ps`. */
static void join(struct rig *r, struct player *p, uint32_t number, uint64_t from_ps) {
    struct heddle_diag diag = {0};
    const uint32_t id = fabric_add(r->gpu->fabric, "customer", &player_ops, p, number);
    cr_assert_eq(gpu_add_customer(r->gpu, number, id, &p->customer, &diag), HEDDLE_OK, "%s",
                 diag.text);
    p->next_ps = from_ps;
}

static struct step *add(struct player *p, enum l2_access_kind kind, const void *address,
                        uint32_t bytes, const void *data) {
    struct step *s = &p->step[p->num_steps++];
    cr_assert_leq(p->num_steps, MOST_STEPS);
    *s = (struct step){
        .access = {.kind = kind, .address = (uintptr_t)address, .bytes = bytes, .data = data},
        .delay_ps = 1000};
    return s;
}

/* Simulates until all answers have come, which a wait for the kernel need not do. */
static void finish(struct rig *r, const struct player *p) {
    struct heddle_diag diag = {0};
    const uint32_t member = r->gpu->wiring.group_id[0];
    bool idle = false;
    while (p->answers < p->num_steps && !idle)
        cr_assert_eq(fabric_step(r->gpu->fabric, member, FABRIC_NEVER, &idle, &diag), HEDDLE_OK,
                     "%s", diag.text);
    cr_assert_eq(p->answers, p->num_steps);
}

static uint64_t hash_of(const struct player *p) {
    uint64_t h = 0;
    for (uint32_t i = 0; i < p->num_steps; i++) {
        const struct result *r = &p->result[i];
        h = rig_mix(rig_mix(rig_mix(h, r->sent_ps), r->at_ps), r->waited + 2 * r->bytes);
        for (uint32_t b = 0; b < r->bytes; b++) h = rig_mix(h, r->data[b]);
    }
    return h;
}

static const struct placement several[] = {
    {.groups = 1, .threads = 1},
    {.groups = 2, .threads = 2},
    {.groups = 4, .threads = 4},
    {.groups = 4, .threads = 1, .window = 5},
    {.groups = 1, .threads = 2, .window = 1},
    {.groups = 2, .threads = 1, .packets = 4, .delay_seed = 7},
    {.groups = 2, .threads = 2, .overlap = true},
};

/* Runs `body` in each of these placements; all say the same. */
static void in_several(const char *const *sets, uint64_t (*body)(struct rig *r)) {
    uint64_t want = 0;
    for (size_t i = 0; i < sizeof several / sizeof *several; i++) {
        struct rig r;
        rig_create(&r, &several[i], sets);
        const uint64_t says = rig_mix(body(&r), rig_hash(&r));
        if (!i) want = says;
        cr_expect(says == want, "another result in placement %zu", i);
        rig_free(&r);
    }
}

/* ------------------------------------------------------------------------------ values */

enum { CTAS = 6, THREADS = 32 };

/* A customer stores data, then a flag for which a kernel spins, and polls a word that the kernel
 * counts up. */
static uint64_t handshake(struct rig *r) {
    static struct player p;
    static const uint32_t flag = 1000, count = CTAS;
    uint32_t data[THREADS];
    memset(&p, 0, sizeof p);
    uint32_t *words = rig_alloc(r, 1024), *out = rig_alloc(r, CTAS * THREADS * 4);
    memset(words, 0, 1024);
    for (uint32_t i = 0; i < THREADS; i++) data[i] = 7 * i + 3;
    add(&p, L2_STORE, words + 64, sizeof data, data);
    add(&p, L2_STORE, words, 4, &flag)->delay_ps = 3000000;
    struct step *poll = add(&p, L2_LOAD, words + 128, 4, NULL);
    poll->repeats = true;
    poll->until = count;
    add(&p, L2_LOAD, out, L2_LINE, NULL);
    join(r, &p, NUMBER, 1000000);
    rig_wait(
        r, rig_launch(r, 0, "consume", CTAS, THREADS,
                      &(const struct rig_args){.pointer = {words, words + 64, out, words + 128}}));
    finish(r, &p);
    for (uint32_t i = 0; i < CTAS * THREADS; i++)
        cr_assert_eq(out[i], 7 * (i % THREADS) + 3 + flag, "word %u: %u", i, out[i]);
    cr_assert_eq(p.result[3].bytes, L2_LINE);
    cr_assert_eq(memcmp(p.result[3].data, out, L2_LINE), 0);
    const uint64_t h = hash_of(&p);
    l2_customer_free(p.customer);
    return h;
}
Test(customers, a_kernel_and_a_customer_see_each_others_stores) {
    in_several(NULL, handshake);
}

Test(customers, two_partitions) {
    static const char *const sets[] = {"l2.partitions=2", "l2.slices=16", "dram.channels=4", NULL};
    in_several(sets, handshake);
}

/* Atomics of two customers and of warps on one counter, then the flag that ends the kernel. */
static uint64_t counting(struct rig *r) {
    enum { ADDS = 40 };
    static struct player p[2];
    static const uint32_t thousand = 1000, one = 1;
    memset(p, 0, sizeof p);
    uint32_t *words = rig_alloc(r, 1024), *out = rig_alloc(r, CTAS * THREADS * 4), sum = 0;
    memset(words, 0, 1024);
    for (unsigned k = 0; k < 2; k++) {
        for (uint32_t i = 0; i < ADDS; i++)
            add(&p[k], L2_ADD, words + 96, 4, &thousand)->together = i % 4 == 1;
        if (k) add(&p[k], L2_STORE, words, 4, &one)->delay_ps = 5000000;
        join(r, &p[k], k ? 255 : 247, 2000000);
    }
    rig_wait(r, rig_launch(r, 0, "count", CTAS, THREADS,
                           &(const struct rig_args){.pointer = {words, words + 96, out}}));
    for (unsigned k = 0; k < 2; k++) finish(r, &p[k]);
    for (uint32_t i = 0; i < CTAS * THREADS; i++) sum += out[i];
    cr_assert_eq(words[96], sum + 2 * ADDS * thousand);
    for (unsigned k = 0; k < 2; k++) {
        for (uint32_t i = 1; i < ADDS; i++) {
            uint32_t before, now;
            memcpy(&before, p[k].result[i - 1].data, 4);
            memcpy(&now, p[k].result[i].data, 4);
            cr_assert_geq(now, before + thousand);
        }
    }
    const uint64_t h = rig_mix(hash_of(&p[0]), hash_of(&p[1]));
    for (unsigned k = 0; k < 2; k++) l2_customer_free(p[k].customer);
    return h;
}
Test(customers, atomics_of_warps_and_customers_are_in_one_order) {
    in_several(NULL, counting);
}

/* Loads, stores and atomics of every width. */
Test(customers, every_kind_and_width) {
    static struct player p;
    struct rig r;
    uint8_t from[L2_LINE];
    uint64_t pair[4] = {5, 6, 50, 60};
    const uint32_t one = 1, three = 3, nine = 9;
    const uint64_t big = UINT64_C(1) << 40;
    memset(&p, 0, sizeof p);
    rig_create(&r, &several[1], NULL);
    uint8_t *bytes = rig_alloc(&r, 1024);
    memset(bytes, 0, 1024);
    for (unsigned i = 0; i < L2_LINE; i++) from[i] = (uint8_t)(i + 1);
    add(&p, L2_STORE, bytes + 128, L2_LINE, from);
    add(&p, L2_STORE, bytes + 256 + 3, 1, from);
    add(&p, L2_STORE, bytes + 256 + 6, 26, from);
    add(&p, L2_STORE, bytes + 256 + 32, 68, from);
    add(&p, L2_LOAD, bytes + 256, 112, NULL);
    add(&p, L2_ADD, bytes + 512, 4, &three);
    add(&p, L2_MAX, bytes + 512, 4, &nine);
    add(&p, L2_MIN, bytes + 512, 4, &three);
    add(&p, L2_XOR, bytes + 512, 4, &one);
    add(&p, L2_OR, bytes + 512, 4, &one);
    add(&p, L2_AND, bytes + 512, 4, &one);
    add(&p, L2_EXCH, bytes + 520, 8, &big);
    const uint64_t swap[2] = {big, 77};
    add(&p, L2_CAS, bytes + 520, 8, swap);
    add(&p, L2_CAS, bytes + 520, 8, swap); /* in vain */
    add(&p, L2_EXCH, bytes + 528, 16, pair);
    add(&p, L2_CAS, bytes + 528, 16, pair);
    add(&p, L2_STORE, bytes + 640, 16, pair)->access.only_time = true;
    static const uint32_t flag = 1;
    uint32_t *word = (uint32_t *)(void *)(bytes + 768);
    add(&p, L2_STORE, word, 4, &flag);
    join(&r, &p, 248, 1000000);
    rig_wait(&r, rig_launch(&r, 0, "count", 1, 32,
                            &(const struct rig_args){.pointer = {word, word + 1, word + 32}}));
    finish(&r, &p);
    cr_assert_eq(memcmp(bytes + 128, from, L2_LINE), 0);
    cr_assert_eq(bytes[256 + 3], 1);
    cr_assert_eq(memcmp(bytes + 262, from, 26), 0);
    cr_assert_eq(memcmp(bytes + 288, from, 68), 0);
    cr_assert_eq(memcmp(p.result[4].data, bytes + 256, 112), 0);
    static const uint32_t old[] = {0, 3, 9, 3, 2, 3};
    for (unsigned i = 0; i < 6; i++) {
        uint32_t x;
        memcpy(&x, p.result[5 + i].data, 4);
        cr_expect_eq(x, old[i], "atomic %u: %u", i, x);
        cr_expect_eq(p.result[5 + i].bytes, 4);
    }
    uint64_t x[2];
    memcpy(x, p.result[13].data, 8);
    cr_expect_eq(x[0], 77);
    memcpy(x, p.result[15].data, 16);
    cr_expect_eq(x[0], 5);
    cr_expect_eq(x[1], 6);
    memcpy(x, bytes + 528, 16);
    cr_expect_eq(x[0], 50);
    cr_expect_eq(x[1], 60);
    memcpy(x, bytes + 640, 16);
    cr_expect_eq(x[0], 0, "only time");
    l2_customer_free(p.customer);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------ times */

/* Cycles from the sending of a step to its answer. */
static uint64_t cycles(const struct rig *r, const struct player *p, uint32_t step) {
    const uint64_t khz = r->gpu->timing.khz;
    return clock_cycle_from(p->result[step].at_ps, khz) -
           clock_cycle_from(p->result[step].sent_ps, khz);
}

/* Rule 9: way there, slice, way back; the port for each request. */
Test(customers, an_access_takes_what_the_page_says) {
    static struct player p;
    struct rig r;
    static const uint32_t flag = 1;
    uint8_t data[L2_LINE] = {0};
    memset(&p, 0, sizeof p);
    rig_create(&r, &several[2], NULL);
    const struct config *c = r.config;
    const uint64_t way = c->network_request_latency + c->network_reply_latency;
    const uint64_t flit = (uint64_t)(c->clock_core_mhz / c->network_clock_mhz + 0.999);
    const uint64_t port = r.gpu->timing.port_time;
    uint8_t *bytes = rig_alloc(&r, 4096);
    uint32_t *word = rig_alloc(&r, 1024);
    memset(word, 0, 1024);
    add(&p, L2_LOAD, bytes, 4, NULL);        /* 0: misses */
    add(&p, L2_LOAD, bytes, 4, NULL);        /* hits */
    add(&p, L2_STORE, bytes + 512, 4, data); /* 2: needs no memory */
    add(&p, L2_ADD, bytes, 4, data);         /* 3: */
    add(&p, L2_STORE, bytes, L2_LINE, data); /* 4: */
    add(&p, L2_LOAD, bytes, 4, NULL);        /* 5: behind it at the port */
    p.step[5].together = true;
    add(&p, L2_LOAD, bytes, 4, NULL)->access.only_time = true; /* 6 */
    add(&p, L2_STORE, word, 4, &flag);
    join(&r, &p, 241, 1000000);
    rig_wait(&r, rig_launch(&r, 0, "count", 1, 32,
                            &(const struct rig_args){.pointer = {word, word + 64, word + 128}}));
    finish(&r, &p);
    cr_expect(p.result[0].waited);
    cr_expect_gt(cycles(&r, &p, 0), way + c->l2_latency + 100);
    for (unsigned i = 1; i < 7; i++) cr_expect(!p.result[i].waited, "access %u", i);
    cr_expect_eq(cycles(&r, &p, 1), way + flit + c->l2_latency - 1);
    cr_expect_eq(cycles(&r, &p, 2), way + c->l2_latency);
    cr_expect_eq(cycles(&r, &p, 3), way + flit + c->l2_latency - 1);
    cr_expect_eq(cycles(&r, &p, 4), way + c->l2_latency);
    cr_expect_eq(cycles(&r, &p, 5), 5 * port + way + flit + c->l2_latency - 1);
    cr_expect_eq(cycles(&r, &p, 6), way + flit + c->l2_latency - 1);
    l2_customer_free(p.customer);
    rig_free(&r);
}

/* ------------------------------------------------------------------------------ pins */

enum row {
#define STATISTIC(id, name, unit, scope, meaning) ROW_##id,
#include "tables/statistics.def"
};

/* Warps leave entries in L2 and read more than it holds. A customer of number `number` then reads
 * each entry, the last one in time only, and answers. @return its loads that missed, in the low
 * bits of what is to be equal everywhere. */
static uint64_t queues(struct rig *r, uint32_t number) {
    enum { ENTRIES = 4, LINES = 8192 };
    static struct player p;
    static const uint32_t done = 1;
    memset(&p, 0, sizeof p);
    uint8_t *queue = rig_alloc(r, ENTRIES * 256), *other = rig_alloc(r, LINES * 128);
    memset(queue, 0, ENTRIES * 256);
    for (uint32_t i = 0; i < ENTRIES; i++)
        add(&p, L2_LOAD, queue + 256 * i, 4, NULL)->delay_ps = i ? 1000 : 60000000;
    p.step[ENTRIES - 1].access.only_time = true;
    for (uint32_t i = 0; i < ENTRIES; i++) add(&p, L2_STORE, queue + 256 * i + 128, 4, &done);
    join(r, &p, number, 50000000);
    rig_wait(r, rig_launch(r, 0, "produce", ENTRIES, 32,
                           &(const struct rig_args){
                               .pointer = {queue, other}, .num_words = 1, .word = {LINES}}));
    finish(r, &p);
    /* the pins of what nobody has read end behind the kernel */
    for (unsigned i = 0; i < 2000; i++) {
        bool idle;
        cr_assert_eq(
            fabric_step(r->gpu->fabric, r->gpu->wiring.group_id[0], FABRIC_NEVER, &idle, NULL),
            HEDDLE_OK);
        if (idle) break;
    }
    unsigned missed = 0;
    for (uint32_t i = 0; i < ENTRIES; i++) {
        uint32_t x = i + 1;
        memcpy(&x, p.result[i].data, p.result[i].bytes);
        cr_assert_eq(x, i + 1);
        missed += p.result[i].waited;
    }
    uint64_t h = hash_of(&p);
    for (unsigned row = ROW_PINS; row <= ROW_PIN_CYCLES; row++)
        h = rig_mix(h, gpu_statistic(r->gpu, row));
    l2_customer_free(p.customer);
    return (h & ~UINT64_C(15)) | missed;
}
static const char *const small_l2[] = {"l2.size=196608", NULL}; /* 8 sets a slice */

/* The same with what is expected: entries that are missed, and the counts of pins. */
static uint64_t queues_with(struct rig *r, uint32_t number, unsigned missed, unsigned begun,
                            unsigned refused, unsigned dropped) {
    const uint64_t said = queues(r, number), cycles = gpu_statistic(r->gpu, ROW_PIN_CYCLES);
    cr_expect_eq(said & 15, missed);
    cr_expect_eq(gpu_statistic(r->gpu, ROW_PINS), begun);
    cr_expect_eq(gpu_statistic(r->gpu, ROW_PINS_REFUSED), refused);
    cr_expect_eq(gpu_statistic(r->gpu, ROW_PINS_DROPPED), dropped);
    cr_expect(begun ? cycles > begun * 1000 : cycles == 0, "%llu cycles",
              (unsigned long long)cycles);
    return said;
}

static uint64_t pinned(struct rig *r) {
    return queues_with(r, NUMBER, 0, 4, 0, 0);
}
Test(customers, locked_stores_stay_until_a_command_processor_reads) {
    in_several(small_l2, pinned);
}

/* A network interface does not end pins; the end of the kernel does. */
static uint64_t pinned_to_the_end(struct rig *r) {
    return queues_with(r, 250, 0, 4, 0, 4);
}
Test(customers, pins_end_with_the_kernel) {
    in_several(small_l2, pinned_to_the_end);
}

/* Without ways for pins, locked stores are plain ones. */
static uint64_t refused(struct rig *r) {
    return queues_with(r, NUMBER, 4, 0, 4, 0);
}
Test(customers, no_way_may_be_pinned) {
    static const char *const sets[] = {"l2.size=196608", "l2.max_pinned_ways=0", NULL};
    in_several(sets, refused);
}

/* ------------------------------------------------------------------------------ what is refused */

/* L2 cannot be emptied under what is on its way. */
Test(customers, a_flush_of_l2_beside_accesses_is_an_error) {
    static const char *const sets[] = {"l2.kernel_flush=1", NULL};
    static struct player p;
    struct rig r;
    struct heddle_diag diag = {0};
    uint64_t end;
    memset(&p, 0, sizeof p);
    rig_create(&r, &several[1], sets);
    uint32_t *words = rig_alloc(&r, 1024);
    memset(words, 0, 1024);
    struct step *poll = add(&p, L2_LOAD, words, 4, NULL);
    poll->repeats = true;
    poll->until = 1;
    poll->delay_ps = 1;
    join(&r, &p, NUMBER, 1);
    gpu_ticket t = rig_launch(&r, 0, "count", 1, 32,
                              &(const struct rig_args){.pointer = {words, words + 1, words + 64}});
    cr_assert_eq(gpu_wait(r.gpu, t, &end, &diag), HEDDLE_ERR_CONFIG);
    cr_assert_str_eq(diag.text, "L2 is to be emptied (l2.kernel_flush) while customers that are no "
                                "SMs wait for 1 accesses");
    l2_customer_free(p.customer);
    rig_free(&r);
}

Test(customers, wrong_accesses_and_numbers) {
    static struct player p;
    struct rig r;
    struct heddle_diag diag = {0};
    struct l2_customer *none;
    memset(&p, 0, sizeof p);
    rig_create(&r, &several[0], NULL);
    join(&r, &p, 250, FABRIC_NEVER);
    const uint32_t id = r.gpu->wiring.customer_id[10];
    cr_expect_eq(gpu_add_customer(r.gpu, 250, id, &none, &diag), HEDDLE_ERR_ARGUMENT);
    cr_expect_eq(gpu_add_customer(r.gpu, 239, id, &none, &diag), HEDDLE_ERR_ARGUMENT);
    cr_expect_eq(gpu_add_customer(r.gpu, 256, id, &none, &diag), HEDDLE_ERR_ARGUMENT);
    cr_expect_null(none);
    const uint64_t base = r.memory.base;
    const struct l2_access wrong[] = {
        {.kind = L2_LOAD, .address = base, .bytes = 0},
        {.kind = L2_LOAD, .address = base + 64, .bytes = 65},
        {.kind = L2_LOAD, .address = base + 1, .bytes = 33},
        {.kind = L2_ADD, .address = base, .bytes = 2},
        {.kind = L2_ADD, .address = base + 2, .bytes = 4},
        {.kind = L2_ADD, .address = base, .bytes = 16},
        {.kind = (enum l2_access_kind)(L2_CAS + 1), .address = base, .bytes = 4},
    };
    for (unsigned i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(l2_customer_send(p.customer, &wrong[i], 0), HEDDLE_ERR_ARGUMENT, "%u", i);
    const struct l2_access outside[] = {
        {.kind = L2_LOAD, .address = base - 4, .bytes = 4},
        {.kind = L2_LOAD, .address = base + r.memory.size, .bytes = 4},
    };
    for (unsigned i = 0; i < 2; i++)
        cr_expect_eq(l2_customer_send(p.customer, &outside[i], 0), HEDDLE_ERR_ILLEGAL_ADDRESS);
    const struct l2_access right = {.kind = L2_LOAD, .address = base, .bytes = 4};
    for (unsigned i = 0; i < L2_CUSTOMER_ACCESSES; i++) {
        cr_assert(l2_customer_can_send(p.customer));
        cr_expect_eq(l2_customer_send(p.customer, &right, 0), HEDDLE_OK);
    }
    cr_expect(!l2_customer_can_send(p.customer));
    cr_expect_eq(l2_customer_send(p.customer, &right, 0), HEDDLE_ERR_ARGUMENT);
    l2_customer_reset(p.customer);
    cr_expect(l2_customer_can_send(p.customer));
    l2_customer_free(p.customer);
    rig_free(&r);
}
