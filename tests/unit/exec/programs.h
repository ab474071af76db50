/* programs.h - shared by the test programs on memory: three arrays of words, addresses of a
 * thread's elements, and the comparison of a list of words. */
#ifndef HEDDLE_TESTS_EXEC_PROGRAMS_H
#define HEDDLE_TESTS_EXEC_PROGRAMS_H

#include <criterion/criterion.h>

#include "ops.h"
#include "timed.h"

enum { OUT = 0, IN = 8, EXTRA = 16, WORDS = 4096 }; /* parameters: pointers */

struct arrays {
    struct machine m;
    uint32_t *out, *in, *extra;
};
static inline void set_up_arrays(struct arrays *s) {
    machine_init(&s->m, 1 << 20);
    s->out = machine_alloc(&s->m, WORDS * 4);
    s->in = machine_alloc(&s->m, WORDS * 4);
    s->extra = machine_alloc(&s->m, WORDS * 4);
    machine_param_pointer(&s->m, OUT, s->out);
    machine_param_pointer(&s->m, IN, s->in);
    machine_param_pointer(&s->m, EXTRA, s->extra);
    for (uint32_t i = 0; i < WORDS; i++) s->in[i] = (i + 1) * 0x9e3779b1u;
}
static inline void tear_down_arrays(struct arrays *s) {
    machine_fini(&s->m);
}

/* Emits: R0 = lane, R1 = thread. */
static inline void index_of_thread(struct kernel *k) {
    EMIT(k, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    emit_global_index(k, 1, 2);
}
/* Emits: register pair dst = the pointer in parameter `param` + thread (R1) * bytes. */
static inline void element(struct kernel *k, uint8_t dst, uint32_t param, uint32_t bytes) {
    EMIT(k, IMAD, .dst = dst, .flags = MIR_WIDE, .src = {REG(1), IMM(bytes), PARAM(param)});
}
#define GLOBAL .flags = MIR_ADDR64, .space = MIR_SPACE_GLOBAL

/* The first warp of a launch of one CTA, not immediate. The test runs it step by step. */
struct by_hand {
    struct exec_launch launch;
    struct exec_pool *pool;
    struct exec_cta *cta;
    struct exec_warp *warp;
    struct exec_trace trace;
    struct exec_record record[64];
    struct exec_access access[64];
};
static inline void begin_by_hand(struct by_hand *h, struct kernel *k, struct machine *m,
                                 uint32_t threads) {
    h->launch = kernel_launch(k, m, 1, threads);
    h->launch.immediate = false;
    h->trace = (struct exec_trace){h->record, h->access, 0, 0, 64};
    cr_assert_eq(exec_launch_prepare(&h->launch, NULL), HEDDLE_OK);
    cr_assert_eq(exec_pool_create(&h->pool), HEDDLE_OK);
    cr_assert_eq(exec_cta_create(&h->cta, h->pool, &h->launch, 0, 0), HEDDLE_OK);
    h->warp = exec_cta_warp(h->cta, 0);
}
static inline void end_by_hand(struct by_hand *h) {
    exec_cta_release(h->pool, h->cta);
    exec_pool_free(h->pool);
    exec_launch_finish(&h->launch);
}

struct expected_words {
    const uint32_t *at, *want;
    uint32_t count;
    const char *name;
};
static inline void verify_list(struct machine *m, void *user) {
    const struct expected_words *x = user;
    (void)m;
    for (uint32_t i = 0; i < x->count; i++)
        cr_assert_eq(x->at[i], x->want[i], "%s: word %u is 0x%08x, want 0x%08x", x->name, i,
                     x->at[i], x->want[i]);
}

#endif
