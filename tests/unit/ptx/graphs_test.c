/* graphs_test.c - kernels with random control flow, compared with a scalar interpreter.
 *
 * A program consists of blocks that change two registers and continue with any other block: by a
 * condition, by two conditions, by a table, or unconditionally. Some blocks end the thread on a
 * condition. The graph may be irreducible. Every thread has its own values, so warps diverge at
 * nearly every branch; a thread ends when its fuel is used up. The interpreter runs one thread at a
 * time. */
#include "run_ptx.h"

#include <criterion/criterion.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { MAX_BLOCKS = 14, THREADS = 96, GRAPHS = 200, FUEL = 70 };

enum way { WAY_JUMP, WAY_BRANCH, WAY_TWO, WAY_TABLE, WAY_END, WAYS };

struct block {
    uint32_t factor, add, shift, bit[2], bound[2];
    enum way way;
    unsigned to[4];
    bool guarded;  /* the second operation, under a condition of the first */
    unsigned loop; /* largest number of iterations of an inner loop that a break leaves */
};
struct graph {
    unsigned n;
    struct block block[MAX_BLOCKS];
};

static uint32_t random_state;
static uint32_t random32(void) {
    random_state = random_state * 1664525 + 1013904223;
    return random_state ^ random_state >> 15;
}

/* Makes a random graph from the seed. */
static void make(struct graph *g, uint32_t seed) {
    random_state = seed * 2654435761u + 12345;
    for (unsigned i = 0; i < 8; i++) random32();
    g->n = 2 + random32() % (MAX_BLOCKS - 1);
    for (unsigned i = 0; i < g->n; i++) {
        struct block *b = &g->block[i];
        b->factor = random32() | 1;
        b->add = random32();
        b->shift = 3 + random32() % 20;
        b->way = (enum way)(random32() % WAYS);
        b->guarded = random32() % 2;
        b->loop = random32() % 3 ? 0 : 1 + random32() % 6;
        for (unsigned k = 0; k < 2; k++) {
            b->bit[k] = random32() % 24;
            b->bound[k] = 1 + random32() % 7;
        }
        for (unsigned k = 0; k < 4; k++) b->to[k] = random32() % g->n;
    }
}

/* ---- the interpreter */

struct thread {
    uint32_t x, y, fuel;
};

static bool holds(const struct block *b, unsigned k, uint32_t x) {
    return (x >> b->bit[k] & 7) < b->bound[k];
}

/* Runs one thread through the graph: the reference. */
static void interpret(const struct graph *g, struct thread *t) {
    for (unsigned at = 0; t->fuel > 0;) {
        const struct block *b = &g->block[at];
        t->fuel--;
        t->x = t->x * b->factor + t->y;
        if (!b->guarded || holds(b, 0, t->x)) t->y ^= t->x >> b->shift;
        for (unsigned i = 0; i < b->loop; i++) {
            t->x += b->add;
            if (holds(b, 1, t->x)) break;
            t->y = t->y * 5 + i;
        }
        t->x += b->add;
        switch (b->way) {
        case WAY_JUMP: at = b->to[0]; break;
        case WAY_BRANCH: at = holds(b, 0, t->x) ? b->to[0] : b->to[1]; break;
        case WAY_TWO:
            at = holds(b, 0, t->x) ? b->to[0] : holds(b, 1, t->y) ? b->to[1] : b->to[2];
            break;
        case WAY_TABLE: at = b->to[t->x >> b->bit[0] & 3]; break;
        default:
            if (holds(b, 0, t->x) && holds(b, 1, t->x)) return;
            at = b->to[0];
        }
    }
}

/* ---- the same as PTX */

struct text {
    char at[64 * 1024];
    size_t n;
};
static void put(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(struct text *t, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    t->n += (size_t)vsnprintf(t->at + t->n, sizeof t->at - t->n, format, ap);
    va_end(ap);
    cr_assert_lt(t->n, sizeof t->at);
}

/* p = holds(b, k, r) */
static void put_condition(struct text *t, const struct block *b, unsigned k, const char *r,
                          const char *p) {
    put(t, "shr.u32 %%r5, %s, %u; and.b32 %%r5, %%r5, 7; setp.lt.u32 %s, %%r5, %u;\n", r, b->bit[k],
        p, b->bound[k]);
}

/* Writes block i as PTX. */
static void put_block(struct text *t, const struct graph *g, unsigned i) {
    const struct block *b = &g->block[i];
    put(t, "B%u:\nsetp.eq.u32 %%p1, %%r3, 0; @%%p1 bra END;\nsub.u32 %%r3, %%r3, 1;\n", i);
    put(t, "mad.lo.u32 %%r1, %%r1, %u, %%r2; shr.u32 %%r4, %%r1, %u;\n", b->factor, b->shift);
    if (b->guarded) put_condition(t, b, 0, "%r1", "%p2");
    put(t, "%sxor.b32 %%r2, %%r2, %%r4;\n", b->guarded ? "@%p2 " : "");
    if (b->loop) {
        put(t, "mov.u32 %%r6, 0;\nL%u: add.u32 %%r1, %%r1, %u;\n", i, b->add);
        put_condition(t, b, 1, "%r1", "%p2");
        put(t,
            "@%%p2 bra O%u; mad.lo.u32 %%r2, %%r2, 5, %%r6; add.u32 %%r6, %%r6, 1;\n"
            "setp.lt.u32 %%p3, %%r6, %u; @%%p3 bra L%u;\nO%u:\n",
            i, b->loop, i, i);
    }
    put(t, "add.u32 %%r1, %%r1, %u;\n", b->add);
    if (b->way == WAY_BRANCH || b->way == WAY_TWO || b->way == WAY_END)
        put_condition(t, b, 0, "%r1", "%p2");
    switch (b->way) {
    case WAY_BRANCH: put(t, "@%%p2 bra B%u; bra.uni B%u;\n", b->to[0], b->to[1]); break;
    case WAY_TWO:
        put_condition(t, b, 1, "%r2", "%p3");
        put(t, "@%%p2 bra B%u; @!%%p3 bra B%u; bra B%u;\n", b->to[0], b->to[2], b->to[1]);
        break;
    case WAY_TABLE:
        put(t, "shr.u32 %%r5, %%r1, %u; and.b32 %%r5, %%r5, 3;\nT%u: .branchtargets", b->bit[0], i);
        for (unsigned k = 0; k < 4; k++) put(t, "%s B%u", k ? "," : "", b->to[k]);
        put(t, ";\nbrx.idx %%r5, T%u;\n", i);
        break;
    case WAY_END: /* stores and exits here */
        put_condition(t, b, 1, "%r1", "%p3");
        put(t,
            "and.pred %%p2, %%p2, %%p3; @%%p2 st.global.v2.u32 [%%rd2], {%%r1, %%r2};\n"
            "@%%p2 st.global.u32 [%%rd2+8], %%r3; @%%p2 exit; bra B%u;\n",
            b->to[0]);
        break;
    default: put(t, "bra B%u;\n", b->to[0]);
    }
}

/* Writes the whole graph as a kernel. */
static void put_program(struct text *t, const struct graph *g) {
    t->n = 0;
    put(t, ".version 7.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
           ".reg .b32 %%r<12>; .reg .b64 %%rd<4>; .reg .pred %%p<4>;\n"
           "ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%tid.x; mul.wide.u32 %%rd2, %%r1, 16;\n"
           "add.s64 %%rd2, %%rd2, %%rd1; ld.global.v2.u32 {%%r1, %%r2}, [%%rd2];\n"
           "ld.global.u32 %%r3, [%%rd2+8];\n");
    for (unsigned i = 0; i < g->n; i++) put_block(t, g, i);
    put(t, "END: st.global.v2.u32 [%%rd2], {%%r1, %%r2}; st.global.u32 [%%rd2+8], %%r3;\n"
           "ret;\n}\n");
}

/* Compiles the seed's graph and compares all threads with the interpreter. `how`: 0 optimised, 1
 * unoptimised, 2 unoptimised with 16 registers. */
static void check(uint32_t seed, unsigned how) {
    static struct text text;
    struct graph g;
    struct run r;
    struct ptx_options o;
    ptx_options_default(&o);
    o.no_optimize = how > 0;
    if (how == 2) o.max_regs = 16;
    make(&g, seed);
    put_program(&text, &g);
    run_open(&r, text.at, &o);
    uint32_t(*at)[4] = (uint32_t(*)[4])(void *)r.base;
    struct thread want[THREADS];
    for (unsigned t = 0; t < THREADS; t++) {
        want[t] = (struct thread){t * 0x9e3779b9u + seed, t ^ seed << 7, FUEL};
        if (t / 32 == 1) want[t].x = seed; /* a warp whose lanes stay together */
        if (t / 32 == 1) want[t].y = 0;
        at[t][0] = want[t].x;
        at[t][1] = want[t].y;
        at[t][2] = want[t].fuel;
    }
    uint64_t base = (uint64_t)(uintptr_t)r.base;
    heddle_err e = run_kernel(&r, "k", 1, THREADS, &base, 8, 0);
    cr_assert_eq(e, HEDDLE_OK, "graph %u, way %u: %s\n%s", seed, how, r.diag.text, text.at);
    for (unsigned t = 0; t < THREADS; t++) {
        interpret(&g, &want[t]);
        cr_assert(at[t][0] == want[t].x && at[t][1] == want[t].y && at[t][2] == want[t].fuel,
                  "graph %u, way %u, thread %u: %08x %08x %u, not %08x %08x %u\n%s", seed, how, t,
                  at[t][0], at[t][1], at[t][2], want[t].x, want[t].y, want[t].fuel, text.at);
    }
    run_close(&r);
}

Test(ptx_graphs, optimised) {
    for (uint32_t seed = 1; seed <= GRAPHS; seed++) check(seed, 0);
}
Test(ptx_graphs, unoptimised) {
    for (uint32_t seed = 1; seed <= GRAPHS; seed++) check(seed, 1);
}
Test(ptx_graphs, sixteen_registers) {
    for (uint32_t seed = 1; seed <= GRAPHS; seed++) check(seed, 2);
}
