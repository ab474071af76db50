/* mbarrier_test.c - mbarrier and cp.async.mbarrier.arrive, compared with a model after PTX's
 * description: an object with a phase, the arrivals that a phase expects, and those still pending.
 * Random sequences by one thread, and warps that pass data to each other. */
#include "run_ptx.h"
#include "text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#define HEAD ".version 8.0\n.target sm_90\n.address_size 64\n"

/* ---- one thread, random sequences ------------------------------------------------------------ */

enum { STEPS = 120, TEXT = 64 * 1024 };

struct model {
    uint32_t phase, expected, pending;
};
static void complete(struct model *m) {
    if (m->pending) return;
    m->phase++;
    m->pending = m->expected;
}
struct token {
    uint32_t phase, pending;
};
static struct token arrive(struct model *m, uint32_t count, bool drop) {
    struct token t = {m->phase, m->pending};
    if (drop) m->expected -= count;
    m->pending -= count;
    complete(m);
    return t;
}

static uint32_t draw(uint64_t *seed, uint32_t n) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return n ? (uint32_t)(*seed >> 33) % n : 0;
}

/* Emits: out[number] = %r1, the result of a step; increments *number. */
static void store(struct text *t, uint32_t *number) {
    add(t, "st.global.u32 [%%rd1+%u], %%r1;\n", 4 * (*number)++);
}

/* Emits tests of the phase and of the pending count: by the last token, its parity, and the other
 * parity. */
static void look(struct text *t, const struct model *m, struct token last, const char *space,
                 uint32_t *want, uint32_t *n, uint64_t *seed) {
    const char *how = draw(seed, 2) ? "try_wait" : "test_wait";
    want[*n] = m->phase != last.phase;
    add(t, "mbarrier.%s%s.b64 %%p1, [%%a], %%rd2; selp.u32 %%r1, 1, 0, %%p1;\n", how, space);
    store(t, n);
    /* of a completed phase, not of the current one */
    for (uint32_t parity = 0; parity < 2; parity++) {
        want[*n] = (m->phase & 1) != parity;
        add(t, "mov.u32 %%r2, %u;\nmbarrier.%s.parity%s.b64 %%p1, [%%a], %%r2;\n", parity, how,
            space);
        add(t, "selp.u32 %%r1, 1, 0, %%p1;\n");
        store(t, n);
    }
    want[*n] = last.pending;
    add(t, "mbarrier.pending_count.b64 %%r1, %%rd2;\n");
    store(t, n);
}

/* Runs a random sequence of operations by one thread in `space` (empty: generic) and compares every
 * result with the model. */
static void one_sequence(uint64_t seed, const char *space) {
    static char buffer[TEXT];
    static uint32_t want[16 * STEPS];
    struct text t = {.at = buffer, .room = TEXT};
    uint32_t n = 0;
    bool generic = !*space;
    add(&t, HEAD ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %%rd<9>, %%a; .reg .b32 %%r<9>;\n"
                 ".reg .pred %%p<4>;\n.shared .align 8 .b64 bar[2];\nld.param.u64 %%rd1, [p];\n");
    add(&t, generic ? "mov.u64 %%a, bar; cvta.shared.u64 %%a, %%a;\n" : "mov.u64 %%a, bar;\n");
    add(&t, "add.u64 %%a, %%a, 8;\nmov.u64 %%rd2, 0; setp.ne.u64 %%p2, %%rd1, 0;\n");
    struct model m = {0, 0, 0};
    struct token last = {0, 0};
    for (unsigned step = 0; step < STEPS; step++) {
        uint32_t what = draw(&seed, 12), count;
        if (m.expected == 0 || what == 0) { /* a new object */
            if (step) add(&t, "mbarrier.inval%s.b64 [%%a];\n", space);
            m.expected = m.pending = 1 + (draw(&seed, 8) ? draw(&seed, 12) : (1u << 20) - 2);
            m.phase = 0;
            add(&t, "mov.u32 %%r2, %u;\nmbarrier.init%s.b64 [%%a], %%r2;\n", m.expected, space);
            last = arrive(&m, 1, false);
            add(&t, "mbarrier.arrive%s.b64 %%rd2, [%%a];\n", space);
        } else if (what < 4) {
            last = arrive(&m, 1, false);
            add(&t, "%smbarrier.arrive%s.b64 %%rd2, [%%a];\n", what == 1 ? "@%p2 " : "", space);
        } else if (what < 7) {
            count = 1 + draw(&seed, m.pending);
            bool open = count < m.pending && draw(&seed, 2);
            last = arrive(&m, count, false);
            add(&t, "mov.u32 %%r2, %u;\nmbarrier.arrive%s%s.b64 %%rd2, [%%a], %%r2;\n", count,
                open ? ".noComplete" : "", space);
        } else if (what < 9) {
            count = 1 + (m.pending > 1 ? draw(&seed, m.pending - 1) : 0);
            if (count >= m.expected) continue; /* no thread would be left */
            last = arrive(&m, count, true);
            add(&t, "mov.u32 %%r2, %u;\nmbarrier.arrive_drop%s.b64 %%rd2, [%%a], %%r2;\n", count,
                space);
        } else if (what == 9) {
            arrive(&m, 1, false); /* its token is not used */
            add(&t, "cp.async.mbarrier.arrive.noinc%s.b64 [%%a];\n", space);
        } else if (what == 10) { /* increments the expected count first */
            add(&t, "cp.async.mbarrier.arrive%s.b64 [%%a];\n", space);
        } else { /* not taken */
            add(&t, "@!%%p2 mbarrier.arrive%s.b64 %%rd2, [%%a];\n", space);
        }
        if (m.phase - last.phase <= 1) look(&t, &m, last, space, want, &n, &seed);
    }
    add(&t, "ret;\n}\n");

    for (unsigned way = 0; way < 2; way++) {
        struct run r;
        struct ptx_options o;
        ptx_options_default(&o);
        o.no_optimize = way == 1;
        run_open(&r, t.at, &o);
        uint64_t base = (uint64_t)(uintptr_t)r.base;
        heddle_err e = run_kernel(&r, "k", 1, 1, &base, 8, 0);
        cr_assert_eq(e, HEDDLE_OK, "%s", r.diag.text);
        const uint32_t *out = (const uint32_t *)(const void *)r.base;
        for (uint32_t i = 0; i < n; i++)
            cr_assert_eq(out[i], want[i], "way %u: result %u: %u, not %u\n%s", way, i, out[i],
                         want[i], t.at);
        run_close(&r);
    }
}

Test(mbarrier, sequences) {
    for (uint64_t seed = 1; seed <= 20; seed++) {
        one_sequence(seed, "");
        one_sequence(seed, ".shared");
        one_sequence(seed, ".shared::cta");
    }
}

/* ---- warps that hand data around ------------------------------------------------------------- */

enum { WARPS = 4, ROUNDS = 6, THREADS = 32 * WARPS };

/* Warp 0 fills a buffer by cp.async and arrives when the copies have completed. The other warps
 * wait for that, add the words to their sums, and arrive at a second barrier, for which warp 0
 * waits before it fills the buffer again. One warp leaves for good after half of the rounds
 * (arrive_drop). */
static const char ring[] = HEAD
    ".visible .entry k(.param .u64 p)\n{\n"
    ".reg .b64 %rd<20>; .reg .b32 %r<20>; .reg .pred %p<8>;\n"
    ".shared .align 8 .b64 full; .shared .align 8 .b64 empty; .shared .align 16 .b32 data[32];\n"
    "ld.param.u64 %rd1, [p]; mov.u32 %r1, %tid.x; shr.u32 %r2, %r1, 5; and.b32 %r3, %r1, 31;\n"
    "mul.wide.u32 %rd2, %r3, 4; add.u64 %rd3, %rd1, %rd2; mov.u64 %rd4, data;\n"
    "add.u64 %rd4, %rd4, %rd2; cvt.u32.u64 %r4, %rd4; mov.u32 %r12, 0; mov.u32 %r5, 0;\n"
    "setp.ne.u32 %p1, %r1, 0; @%p1 bra READY;\n"
    "mbarrier.init.shared.b64 [full], 32; mbarrier.init.shared.b64 [empty], 96;\n"
    "READY: bar.sync 0;\n"
    "setp.ne.u32 %p2, %r2, 0; @%p2 bra READER;\n"
    "FILL: cp.async.ca.shared.global [%r4], [%rd3], 4;\n"
    "cp.async.mbarrier.arrive.noinc.shared.b64 [full];\n"
    "and.b32 %r6, %r5, 1;\n"
    "WAIT_EMPTY: mbarrier.try_wait.parity.shared.b64 %p3, [empty], %r6;\n"
    "@!%p3 bra WAIT_EMPTY;\n"
    "add.u64 %rd3, %rd3, 128; add.u32 %r5, %r5, 1; setp.lt.u32 %p4, %r5, 6; @%p4 bra FILL;\n"
    "ret;\n"
    "READER: and.b32 %r6, %r5, 1;\n"
    "WAIT_FULL: mbarrier.test_wait.parity.shared.b64 %p3, [full], %r6;\n"
    "@!%p3 bra WAIT_FULL;\n"
    "ld.shared.u32 %r7, [%r4]; mad.lo.u32 %r12, %r12, 3, %r7;\n"
    "add.u32 %r5, %r5, 1;\n"
    "setp.eq.u32 %p5, %r2, 2; setp.eq.u32 %p6, %r5, 3; and.pred %p5, %p5, %p6; @%p5 bra DROP;\n"
    "mbarrier.arrive.shared.b64 %rd5, [empty];\n"
    "setp.lt.u32 %p4, %r5, 6; @%p4 bra READER;\n"
    "bra DONE;\n"
    "DROP: mbarrier.arrive_drop.shared.b64 %rd5, [empty];\n"
    "DONE: mul.wide.u32 %rd6, %r1, 4; add.u64 %rd6, %rd6, %rd1; st.global.u32 [%rd6+4096], %r12;\n"
    "ret;\n}\n";

Test(mbarrier, warps) {
    for (unsigned way = 0; way < 2; way++) {
        struct run r;
        struct ptx_options o;
        ptx_options_default(&o);
        o.no_optimize = way == 1;
        run_open(&r, ring, &o);
        uint64_t base = (uint64_t)(uintptr_t)r.base;
        uint32_t *in = (uint32_t *)(void *)r.base;
        for (unsigned i = 0; i < 32 * ROUNDS; i++) in[i] = i * 7 + 1;
        heddle_err e = run_kernel(&r, "k", 1, THREADS, &base, 8, 0);
        cr_assert_eq(e, HEDDLE_OK, "%s", r.diag.text);
        for (unsigned t = 32; t < THREADS; t++) {
            uint32_t sum = 0;
            for (unsigned i = 0; i < (t / 32 == 2 ? 3u : ROUNDS); i++)
                sum = sum * 3 + in[32 * i + t % 32];
            cr_expect_eq(in[1024 + t], sum, "thread %u: %u, not %u", t, in[1024 + t], sum);
        }
        run_close(&r);
    }
}
