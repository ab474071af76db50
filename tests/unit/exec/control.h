/* control.h - shared by the test programs on control flow: one word of output and one byte of flags
 * per thread, the first and last instructions of a program, and the comparison of its results. */
#ifndef HEDDLE_TESTS_EXEC_CONTROL_H
#define HEDDLE_TESTS_EXEC_CONTROL_H

#include <criterion/criterion.h>

#include "ops.h"
#include "timed.h"

enum { OUT = 0, FLAGS = 8 }; /* parameters: pointers */

struct setting {
    struct machine m;
    uint32_t *out, *flags;
};
static inline void set_up(struct setting *s) {
    machine_init(&s->m, 1 << 20);
    s->out = machine_alloc(&s->m, 4096 * 4);
    s->flags = machine_alloc(&s->m, 4096);
    machine_param_pointer(&s->m, OUT, s->out);
    machine_param_pointer(&s->m, FLAGS, s->flags);
}
static inline void tear_down(struct setting *s) {
    machine_fini(&s->m);
}

/* Emits: R0 = lane, R1 = thread of the grid, R2:3 = address of the thread's word of output. */
static inline void begin(struct kernel *k) {
    EMIT(k, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    emit_global_index(k, 1, 2);
    emit_element(k, 2, OUT, 1);
}
static inline void end(struct kernel *k, uint8_t result) {
    STORE(k, 2, result);
    EMIT(k, EXIT);
}
static inline uint32_t setp(struct kernel *k, uint8_t p, mir_cmp cmp, uint8_t reg, uint32_t value) {
    return EMIT(k, ISETP, .pdst = {p, MIR_PT}, .cmp = cmp, .src = {REG(reg), IMM(value)});
}

struct expectation {
    struct setting *s;
    uint32_t threads;
    uint32_t (*value)(uint32_t thread);
    const char *name;
};
static inline void verify_words(struct machine *m, void *user) {
    const struct expectation *x = user;
    (void)m;
    for (uint32_t t = 0; t < x->threads; t++)
        cr_assert_eq(x->s->out[t], x->value(t), "%s: thread %u has 0x%x, want 0x%x", x->name, t,
                     x->s->out[t], x->value(t));
}
static inline void check(const char *name, struct kernel *k, struct setting *s, uint32_t ctas,
                         uint32_t threads, uint32_t (*value)(uint32_t thread)) {
    struct expectation x = {s, ctas * threads, value, name};
    run_everywhere(k, &s->m, ctas, threads, true, verify_words, &x);
    tear_down(s);
}
/* Compares values only: the instruction counts of programs that spin depend on timing. */
static inline void check_values(const char *name, struct kernel *k, struct setting *s,
                                uint32_t ctas, uint32_t threads,
                                uint32_t (*value)(uint32_t thread)) {
    struct expectation x = {s, ctas * threads, value, name};
    run_everywhere(k, &s->m, ctas, threads, false, verify_words, &x);
    tear_down(s);
}

#endif
