/* programs.h - what the test programs on memory share: three arrays of words, addresses of a
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

/* R0 lane, R1 thread. */
static inline void index_of_thread(struct kernel *k) {
    EMIT(k, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    emit_global_index(k, 1, 2);
}
/* Address pair = parameter + thread (R1) * bytes. */
static inline void element(struct kernel *k, uint8_t dst, uint32_t param, uint32_t bytes) {
    EMIT(k, IMAD, .dst = dst, .flags = MIR_WIDE, .src = {REG(1), IMM(bytes), PARAM(param)});
}
#define GLOBAL .flags = MIR_ADDR64, .space = MIR_SPACE_GLOBAL

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
