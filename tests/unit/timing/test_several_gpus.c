/* test_several_gpus.c - gpus_next() and gpus_advance(): GPUs of one system whose clocks go
 * together, as islands of their own and as one that links join; and waits that only look. When each
 * kernel ends depends on none of that. */
#include <criterion/criterion.h>
#include <string.h>

#include "fabric/fabric.h"
#include "rig.h"
#include "sched/system.h"

enum { NUM = 3, LAUNCHES = 4, LINK_PS = 500000 };

/* When the kernels of each GPU have ended. */
struct ends {
    uint64_t ps[NUM][LAUNCHES];
    uint64_t steps;
};

/* Issues the kernels of GPU `i`: of different sizes, at different times. */
static void issue(struct rig *r, unsigned i, gpu_ticket *ticket) {
    const uint32_t n = 200 + 150 * i;
    uint32_t *in = rig_alloc(r, n * 4), *out = rig_alloc(r, n * 4);
    for (unsigned k = 0; k < LAUNCHES; k++) {
        r->now_ps += 900000 + 400000 * i;
        ticket[k] = rig_launch(
            r, 0, "scale", (n + 63) / 64, 64,
            &(struct rig_args){.pointer = {out, in}, .num_words = 1, .word = {n}});
    }
}

/* Joins the schedulers of all GPUs. */
static void join_all(const struct system *s) {
    struct fabric *f = system_fabric(s);
    struct fabric_place place;
    uint32_t first = UINT32_MAX;
    for (uint32_t i = 0; fabric_get_place(f, i, &place); i++) {
        if (strcmp(place.name, "GPU scheduler")) continue;
        if (first == UINT32_MAX)
            first = i;
        else
            cr_assert_eq(fabric_link(f, first, i, LINK_PS, NULL), HEDDLE_OK);
    }
}

/* Runs the kernels of all GPUs of a system, in steps of step_ps. */
static struct ends run(const struct placement *p, bool joined, uint64_t step_ps) {
    struct ends out = {.steps = 0};
    struct system *system = system_create(p->threads);
    struct rig rig[NUM];
    struct gpu *gpu[NUM];
    gpu_ticket ticket[NUM][LAUNCHES];
    unsigned left = NUM * LAUNCHES;
    for (unsigned i = 0; i < NUM; i++) {
        rig_create_in(&rig[i], p, NULL, system, i);
        gpu[i] = rig[i].gpu;
        gpu_set_looks(gpu[i], true);
    }
    if (joined) join_all(system);
    for (unsigned i = 0; i < NUM; i++) issue(&rig[i], i, ticket[i]);
    uint64_t ended = 0;
    for (uint64_t next; (next = gpus_next(gpu, NUM)) != UINT64_MAX && left; out.steps++) {
        const uint64_t now = gpus_advance(gpu, NUM, (next / step_ps + 1) * step_ps);
        unsigned done = 0;
        for (unsigned i = 0; i < NUM; i++)
            for (unsigned k = 0; k < LAUNCHES; k++)
                done += gpu_wait(gpu[i], ticket[i][k], &out.ps[i][k], NULL) == HEDDLE_OK;
        cr_assert_eq(now, done, "%u have ended, not %llu", done, (unsigned long long)now);
        cr_assert_geq(now, ended);
        ended = now;
        left = NUM * LAUNCHES - done;
    }
    cr_assert_eq(left, 0);
    for (unsigned i = 0; i < NUM; i++) rig_free(&rig[i]);
    system_free(system);
    return out;
}

/* The same, each GPU alone, by waits that simulate. */
static struct ends alone(const struct placement *p) {
    struct ends out = {.steps = 0};
    for (unsigned i = 0; i < NUM; i++) {
        struct rig r;
        gpu_ticket ticket[LAUNCHES];
        rig_create(&r, p, NULL);
        issue(&r, i, ticket);
        for (unsigned k = 0; k < LAUNCHES; k++)
            cr_assert_eq(gpu_wait(r.gpu, ticket[k], &out.ps[i][k], NULL), HEDDLE_OK);
        rig_free(&r);
    }
    return out;
}

Test(several_gpus, ends_do_not_depend_on_company) {
    const struct ends first = alone(&placements[0]);
    for (unsigned p = 0; p < num_placements; p += 4)
        for (unsigned joined = 0; joined < 2; joined++)
            for (uint64_t step = 100000; step <= 1000000; step *= 10) {
                const struct ends e = run(&placements[p], joined, step);
                cr_expect_arr_eq(e.ps, first.ps, sizeof e.ps, "placement %u, joined %u, %llu ps", p,
                                 joined, (unsigned long long)step);
            }
}

Test(several_gpus, a_wait_that_looks_simulates_nothing) {
    struct rig r;
    gpu_ticket ticket[LAUNCHES];
    uint64_t end_ps = 0;
    rig_create(&r, &placements[0], NULL);
    issue(&r, 0, ticket);
    gpu_set_looks(r.gpu, true);
    for (int i = 0; i < 3; i++)
        cr_expect_eq(gpu_wait(r.gpu, ticket[0], &end_ps, NULL), HEDDLE_ERR_WAITING);
    cr_expect_eq(gpu_wait_all(r.gpu, &end_ps, NULL), HEDDLE_ERR_WAITING);
    const uint64_t next = gpus_next(&r.gpu, 1);
    cr_expect_eq(gpus_advance(&r.gpu, 1, next), 0);
    cr_expect_eq(gpus_next(&r.gpu, 1), next);
    gpu_set_looks(r.gpu, false);
    cr_expect_eq(gpu_wait_all(r.gpu, &end_ps, NULL), HEDDLE_OK);
    cr_expect_gt(end_ps, 0);
    cr_expect_eq(gpus_next(&r.gpu, 1), UINT64_MAX);
    rig_free(&r);
}
