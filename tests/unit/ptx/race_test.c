/* race_test.c - races on global memory between CTAs: random programs of four CTAs with one thread
 * each, run with the race check, compared with PTX's causality order, computed here as a relation
 * between all pairs of operations.
 *
 * The CTAs take turns by a word that they access with scope .cta only, so that they execute in the
 * order in which the program was generated; that scope orders nothing between CTAs. The check must
 * report the first race or a later one. It may miss a few races, but must not report a false
 * one. */
#include "run_ptx.h"
#include "text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

enum { CTAS = 4, WORDS = 3, MOST = 36, TEXT = 32 * 1024, PROGRAMS = 600 };

enum what { LOAD, STORE, STRONG_LOAD, STRONG_STORE, ATOMIC, FENCE, NARROW_FENCE, KINDS };
struct op {
    enum what what;
    unsigned cta, word;
    bool acquire, release;
    bool strong, reads, writes; /* filled in */
    unsigned line;
};

static uint64_t seed;
static unsigned draw(unsigned n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}

/* Makes a random program of n operations; `fences` of ten are fences. */
static void make(struct op *op, unsigned n, unsigned fences) {
    bool touched[WORDS] = {false}, fenced[CTAS] = {false};
    for (unsigned i = 0; i < n; i++) {
        struct op *o = &op[i];
        *o = (struct op){.cta = draw(CTAS), .word = draw(WORDS)};
        o->what = draw(10) < fences ? (draw(6) ? FENCE : NARROW_FENCE) : (enum what)draw(FENCE);
        o->acquire = (o->what == STRONG_LOAD || o->what == ATOMIC) && draw(3) == 0;
        o->release = (o->what == STRONG_STORE || o->what == ATOMIC) && draw(3) == 0;
        o->strong = o->what >= STRONG_LOAD;
        o->reads = o->what == LOAD || o->what == STRONG_LOAD || o->what == ATOMIC;
        o->writes = o->what == STORE || o->what == STRONG_STORE || o->what == ATOMIC;
        if (o->what == FENCE) fenced[o->cta] = true;
        if (o->what >= FENCE) continue;
        /* a lock is released in this way */
        if (o->what == STORE && touched[o->word] && fenced[o->cta]) o->strong = true;
        touched[o->word] |= o->strong;
    }
}

/* ---- the relation ---------------------------------------------------------------------------- */

static bool before[MOST][MOST], seen[MOST][MOST]; /* base causality; x is a write that y observes */

/* Fills `seen`: for each strong read, the strong write that it reads; through atomics also those
 * before it. */
static void observe(const struct op *op, unsigned n) {
    memset(seen, 0, sizeof seen);
    for (unsigned y = 0; y < n; y++) {
        if (op[y].what >= FENCE || !op[y].strong || !op[y].reads) continue;
        for (unsigned x = y; x-- > 0;) {
            if (op[x].what >= FENCE || !op[x].writes || op[x].word != op[y].word) continue;
            if (!op[x].strong) break; /* y reads a weak write */
            seen[x][y] = true;
            for (unsigned k = 0; k < x && op[x].what == ATOMIC; k++) seen[k][y] |= seen[k][x];
            break;
        }
    }
}
/* Returns whether x precedes a release that ends in write s. */
static bool released(const struct op *op, unsigned x, unsigned s) {
    if (op[x].cta != op[s].cta || x > s) return false;
    if (op[s].release) return true;
    for (unsigned f = x; f < s; f++)
        if (op[f].cta == op[s].cta &&
            (op[f].what == FENCE || (op[f].release && op[f].word == op[s].word)))
            return true;
    return false;
}
/* Returns whether y follows an acquire that begins with read r. */
static bool acquired(const struct op *op, unsigned r, unsigned y) {
    if (op[y].cta != op[r].cta || y < r) return false;
    if (op[r].acquire) return true;
    for (unsigned f = r + 1; f <= y; f++)
        if (op[f].cta == op[r].cta &&
            (op[f].what == FENCE || (op[f].acquire && op[f].word == op[r].word)))
            return true;
    return false;
}

/* Fills `before` with base causality: program order, release to acquire, and their transitive
 * closure. */
static void relate(const struct op *op, unsigned n) {
    observe(op, n);
    for (unsigned x = 0; x < n; x++)
        for (unsigned y = 0; y < n; y++) before[x][y] = x < y && op[x].cta == op[y].cta;
    for (unsigned s = 0; s < n; s++)
        for (unsigned r = 0; r < n; r++)
            for (unsigned x = 0; seen[s][r] && x <= s; x++)
                for (unsigned y = r; y < n; y++)
                    if (released(op, x, s) && acquired(op, r, y)) before[x][y] = true;
    for (unsigned k = 0; k < n; k++)
        for (unsigned x = 0; x < n; x++)
            for (unsigned y = 0; y < n; y++) before[x][y] |= before[x][k] && before[k][y];
}

/* Returns whether x precedes y in causality order. */
static bool ordered(unsigned n, unsigned x, unsigned y) {
    if (before[x][y]) return true;
    for (unsigned z = 0; z < n; z++)
        if (seen[x][z] && (z == y || before[z][y])) return true;
    return false;
}
/* Returns whether x and y conflict without an order: two CTAs, the same word, one a weak write. */
static bool race(const struct op *op, unsigned n, unsigned x, unsigned y) {
    if (op[x].what >= FENCE || op[y].what >= FENCE || op[x].cta == op[y].cta) return false;
    if (op[x].word != op[y].word || ordered(n, x, y)) return false;
    return (op[x].writes && !op[x].strong) || (op[y].writes && !op[y].strong);
}
/* Returns the first operation that races with an earlier one, or n if there is none. */
static unsigned first_race(const struct op *op, unsigned n) {
    for (unsigned y = 0; y < n; y++)
        for (unsigned x = 0; x < y; x++)
            if (race(op, n, x, y)) return y;
    return n;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Writes one operation as PTX and notes its line. */
static void add_op(struct text *t, struct op *o) {
    unsigned at = 256 + 4 * o->word;
    const char *sem = o->acquire && o->release ? "acq_rel"
                      : o->acquire             ? "acquire"
                      : o->release             ? "release"
                                               : "relaxed";
    o->line = t->line;
    switch (o->what) {
    case LOAD: add(t, "ld.global.u32 %%r9, [%%rd1+%u];\n", at); break;
    case STORE: add(t, "st.global.u32 [%%rd1+%u], %%r1;\n", at); break;
    case STRONG_LOAD: add(t, "ld.%s.gpu.global.u32 %%r9, [%%rd1+%u];\n", sem, at); break;
    case STRONG_STORE: add(t, "st.%s.gpu.global.u32 [%%rd1+%u], %%r1;\n", sem, at); break;
    case ATOMIC: add(t, "atom.%s.gpu.global.add.u32 %%r9, [%%rd1+%u], 1;\n", sem, at); break;
    case FENCE: add(t, "fence.acq_rel.gpu;\n"); break;
    default: add(t, "fence.acq_rel.cta;\n");
    }
    if (o->reads && o->what < FENCE) add(t, "add.u32 %%r8, %%r8, %%r9;\n");
}

/* Writes the kernel: CTA c executes its operations, in the program's order among all CTAs. */
static void write_program(struct text *t, struct op *op, unsigned n) {
    t->n = 0;
    t->line = 1;
    add(t, ".version 8.0\n.target sm_70\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n"
           ".reg .b64 %%rd<3>; .reg .b32 %%r<10>; .reg .pred %%p<3>;\n"
           "ld.param.u64 %%rd1, [p]; mov.u32 %%r1, %%ctaid.x; mov.u32 %%r8, 0;\n");
    for (unsigned c = 1; c < CTAS; c++)
        add(t, "setp.eq.u32 %%p1, %%r1, %u; @%%p1 bra CTA%u;\n", c, c);
    for (unsigned c = 0; c < CTAS; c++) {
        add(t, "CTA%u:\n", c);
        for (unsigned i = 0; i < n; i++) {
            if (op[i].cta != c) continue;
            add(t, "W%u: ld.relaxed.cta.global.u32 %%r2, [%%rd1]; setp.ne.u32 %%p2, %%r2, %u;\n", i,
                i);
            add(t, "@%%p2 bra W%u;\n", i);
            add_op(t, &op[i]);
            add(t, "st.relaxed.cta.global.u32 [%%rd1], %u;\n", i + 1);
        }
        add(t, "mul.wide.u32 %%rd2, %%r1, 4; add.u64 %%rd2, %%rd2, %%rd1;\n"
               "st.global.u32 [%%rd2+512], %%r8; ret;\n");
    }
    add(t, "}\n");
}

Test(ptx_races, random) {
    static char buffer[TEXT];
    unsigned racy = 0, found = 0, clean = 0;
    for (unsigned p = 0; p < PROGRAMS; p++) {
        struct op op[MOST];
        struct text t = {.at = buffer, .room = TEXT};
        struct run r;
        seed = 1000 + p;
        unsigned n = 6 + draw(MOST - 6);
        make(op, n, 2 + draw(5));
        relate(op, n);
        unsigned want = first_race(op, n), got = n;
        write_program(&t, op, n);
        run_open(&r, buffer, NULL);
        r.checks = EXEC_CHECK_GLOBAL;
        uint64_t base = (uint64_t)(uintptr_t)r.base;
        heddle_err e = run_kernel(&r, "k", CTAS, 1, &base, 8, 0);
        if (e == HEDDLE_ERR_GLOBAL_RACE) {
            for (got = 0; got < n && op[got].line != r.fault.inst->ptx_line;) got++;
            cr_assert_lt(got, n, "program %u: %s", p, r.diag.text);
        } else {
            cr_assert_eq(e, HEDDLE_OK, "program %u: %s", p, r.diag.text);
        }
        bool is_race = got == n;
        for (unsigned x = 0; x < got && got < n; x++) is_race |= race(op, n, x, got);
        cr_assert(is_race, "program %u: operation %u is no race: %s\n%s", p, got, r.diag.text,
                  buffer);
        racy += want < n;
        found += want < n && got == want;
        clean += want == n;
        run_close(&r);
    }
    printf("%u programs with races, %u found at once; %u without\n", racy, found, clean);
    cr_expect_gt(racy, PROGRAMS / 4);
    cr_expect_gt(clean, PROGRAMS / 10);
    cr_expect_geq(100 * found, 99 * racy);
}
