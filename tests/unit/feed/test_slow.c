/* test_slow.c - host/feed/feed_slow.c: a slow path becomes as many packets as tables/slow_paths.def
 * has steps, in code order, with the right waits. */
#include <criterion/criterion.h>
#include <ctype.h>
#include <string.h>

#include "core_words.h"
#include "feed/feed.h"
#include "mir/mir_slow.h"

enum { BEFORE = 3, BARRIER = 4, PREDICATE = 13 };

static const uint16_t volta[MIR_CLASS_COUNT] = {
    [MIR_CLASS_INT] = 4,  [MIR_CLASS_IMAD] = 4, [MIR_CLASS_FP32] = 4,
    [MIR_CLASS_FP64] = 8, [MIR_CLASS_SFU] = 18, [MIR_CLASS_BRANCH] = 2,
};

static const struct {
    uint16_t op;
    uint8_t sub;
    unsigned size; /* instructions of ptxas's subroutine */
} slows[MIR_SLOW_COUNT] = {
    [MIR_SLOW_DIV32] = {MIR_FDIVS, 0, 101},  [MIR_SLOW_RCP32] = {MIR_FSQRTS, 1, 53},
    [MIR_SLOW_SQRT32] = {MIR_FSQRTS, 0, 24}, [MIR_SLOW_DIV64] = {MIR_DDIVS, 0, 94},
    [MIR_SLOW_RCP64] = {MIR_DSQRTS, 1, 40},  [MIR_SLOW_SQRT64] = {MIR_DSQRTS, 0, 41},
};

/* A function of BEFORE instructions and then one slow path. */
struct scene {
    struct mir_inst code[BEFORE + 1];
    struct mir_function f;
    struct feed_packet packet[MIR_SLOW_MOST];
};

/* Makes a function with one slow path at instruction BEFORE and places its subroutines behind the
 * code. */
static void scene_init(struct scene *s, mir_slow slow, uint8_t wbar) {
    for (unsigned i = 0; i <= BEFORE; i++)
        s->code[i] = (struct mir_inst){.op = MIR_NOP,
                                       .guard = MIR_PT,
                                       .dst = MIR_RZ,
                                       .wbar = MIR_NO_BARRIER,
                                       .rbar = MIR_NO_BARRIER,
                                       .stall = 1};
    struct mir_inst *inst = &s->code[BEFORE];
    inst->op = slows[slow].op;
    inst->sub = slows[slow].sub;
    inst->dst = 6;
    inst->wbar = wbar;
    inst->wait = 0x12;
    inst->stall = 2;
    s->f = (struct mir_function){.code = s->code, .num_inst = BEFORE + 1, .file_base = 1024};
    mir_slow_place(&s->f);
}

/* Makes the packets of the slow path's parts for the latencies of classes. @return their number */
static unsigned make(struct scene *s, uint32_t parts, const uint16_t *latency) {
    struct exec_record r = {.pc = BEFORE,
                            .mask = UINT32_MAX,
                            .slow_parts = parts,
                            .inflight = EXEC_NO_INFLIGHT,
                            .flags = EXEC_REC_SLOW};
    struct feed_template *t;
    struct feed_space space = {0};
    uint64_t line[FEED_USUAL_REQUESTS];
    cr_assert_eq(feed_template_create(&t, &s->f, MIR_BRANCH_STALL), HEDDLE_OK);
    cr_assert_eq(feed_packet_make(s->packet, line, t, &s->f, &r, NULL, &space), 0);
    feed_template_free(t);
    return feed_slow_make(s->packet, &s->f, &r, latency);
}

static unsigned letters(const char *steps) {
    unsigned n = 0;
    for (; *steps; steps++) n += isalpha((unsigned char)*steps) != 0;
    return n;
}

/* Compares the packets of one path with its steps in the table. */
static void check_path(mir_slow_path path) {
    mir_slow slow = mir_slow_path_of(path);
    const char *name = mir_slow_path_name(path);
    struct scene s;
    scene_init(&s, slow, BARRIER);
    uint32_t parts = mir_slow_parts_of(path), here = 1024 / MIR_INST_BYTES + BEFORE,
             behind = here + 1;
    unsigned count, n = make(&s, parts, volta), k = 0;
    const struct mir_slow_part *part = mir_slow_parts(slow, &count);
    uint32_t line = here / 8, waits = 0x12;
    for (unsigned i = 0; i < count; i++) {
        const char *step = part[i].steps;
        unsigned steps = letters(step);
        cr_expect_eq(steps, mir_slow_steps(&part[i]));
        for (unsigned j = 0; j < steps; j++, step++) {
            uint32_t pc = part[i].behind ? behind++ : here;
            while (*step == '!') step++;
            if (!(parts >> i & 1)) continue;
            const uint64_t *w = s.packet[k].w;
            bool last = k + 1 == n;
            static const char classes[] = "imfdsb";
            static const uint8_t class_of[] = {MIR_CLASS_INT,  MIR_CLASS_IMAD, MIR_CLASS_FP32,
                                               MIR_CLASS_FP64, MIR_CLASS_SFU,  MIR_CLASS_BRANCH};
            unsigned cls = class_of[strchr(classes, tolower((unsigned char)*step)) - classes];
            bool waited = isupper((unsigned char)*step) || step[1] == '!';
            bool barrier = waited && cls == MIR_CLASS_SFU;
            unsigned stall = cls == MIR_CLASS_BRANCH ? 5 : 1;
            if (waited) stall = step[1] == '!' ? PREDICATE : volta[cls];
            if (barrier || (last && stall < 2)) stall = 2;
            cr_expect_eq(core_packet_cls(w), cls, "%s: step %u", name, k);
            cr_expect_eq(core_packet_stall(w), stall, "%s: step %u", name, k);
            cr_expect_eq(core_packet_do_yield(w), stall > 11);
            cr_expect_eq(core_packet_wait_mask(w), waits, "%s: step %u", name, k);
            cr_expect_eq(core_packet_wr_bar(w), last || barrier ? BARRIER : MIR_NO_BARRIER);
            cr_expect_eq(core_packet_rd_bar(w), MIR_NO_BARRIER);
            cr_expect_eq(core_packet_dst(w), 0);
            cr_expect_eq(core_packet_pc(w), pc, "%s: step %u", name, k);
            cr_expect_eq(core_packet_fetch(w), pc / 8 != line, "%s: step %u", name, k);
            line = pc / 8;
            waits = barrier ? 1u << BARRIER : 0;
            k++;
        }
    }
    cr_expect_eq(k, n, "%s: %u packets, %u steps", name, n, k);
    cr_expect_eq(waits, 0, "%s: what follows does not wait", name);
    cr_expect_eq(behind - here - 1, slows[slow].size);
    cr_expect_eq(s.f.slow_inst, slows[slow].size);
}

Test(slow, packets_of_every_path) {
    for (unsigned p = 0; p < MIR_SLOW_PATHS; p++) check_path((mir_slow_path)p);
}

/* The numbers of instructions in ptxas's code, with the call and the instructions around it. */
Test(slow, counts) {
    static const struct {
        mir_slow_path path;
        unsigned packets;
    } row[] = {
        {MIR_SLOW_DIV32_NAN, 23},       {MIR_SLOW_DIV32_ZERO, 33},   {MIR_SLOW_DIV32_NORMAL, 41},
        {MIR_SLOW_DIV32_SUBNORMAL, 68}, {MIR_SLOW_RCP32_ZERO, 15},   {MIR_SLOW_RCP32_LARGE, 44},
        {MIR_SLOW_SQRT32_ZERO, 9},      {MIR_SLOW_SQRT32_SMALL, 26}, {MIR_SLOW_DIV64_SPECIAL, 55},
        {MIR_SLOW_DIV64_SUBNORMAL, 67}, {MIR_SLOW_RCP64_EDGE, 17},   {MIR_SLOW_SQRT64_ZERO, 13},
        {MIR_SLOW_SQRT64_NORMAL, 18},
    };
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct scene s;
        scene_init(&s, mir_slow_path_of(row[i].path), BARRIER);
        cr_expect_eq(make(&s, mir_slow_parts_of(row[i].path), volta), row[i].packets, "%s",
                     mir_slow_path_name(row[i].path));
    }
}

/* Lanes of different paths: every part is sent once, and all packets of the longest case fit. */
Test(slow, union_of_paths) {
    struct scene s;
    scene_init(&s, MIR_SLOW_DIV32, BARRIER);
    uint32_t both = mir_slow_parts_of(MIR_SLOW_DIV32_ZERO) |
                    mir_slow_parts_of(MIR_SLOW_DIV32_NORMAL);
    cr_expect_eq(make(&s, both, volta), 33 + 41 - 18); /* call, sort, return, result: once */
    for (unsigned slow = 0; slow < MIR_SLOW_COUNT; slow++) {
        unsigned count, n = 0;
        const struct mir_slow_part *part = mir_slow_parts((mir_slow)slow, &count);
        cr_assert_leq(count, 32);
        for (unsigned i = 0; i < count; i++) n += mir_slow_steps(&part[i]);
        cr_expect_leq(n, MIR_SLOW_MOST);
        scene_init(&s, (mir_slow)slow, BARRIER);
        uint32_t all = count == 32 ? UINT32_MAX : (UINT32_C(1) << count) - 1;
        cr_expect_eq(make(&s, all, volta), n);
    }
}

/* Double precision may take longer than the largest stall count. Even when no instruction waits for
 * the result, the steps must wait for each other. */
Test(slow, long_latency_without_barrier) {
    uint16_t slow64[MIR_CLASS_COUNT];
    memcpy(slow64, volta, sizeof slow64);
    slow64[MIR_CLASS_FP64] = 40;
    struct scene s;
    scene_init(&s, MIR_SLOW_RCP64, MIR_NO_BARRIER);
    unsigned n = make(&s, mir_slow_parts_of(MIR_SLOW_RCP64_SMALL), slow64);
    for (unsigned k = 0; k < n; k++) {
        const uint64_t *w = s.packet[k].w;
        if (k) cr_expect_eq(core_packet_wait_mask(w), core_packet_wr_bar(w - 2) == 0);
        cr_expect(core_packet_wr_bar(w) == 0 || core_packet_wr_bar(w) == MIR_NO_BARRIER);
        if (core_packet_cls(w) == MIR_CLASS_SFU) cr_expect_eq(core_packet_wr_bar(w), 0);
    }
    cr_expect_eq(core_packet_wr_bar(s.packet[n - 1].w), MIR_NO_BARRIER);
}

/* Two subroutines: each has one place behind the code, however often and in which order the kernel
 * uses them. */
Test(slow, places) {
    struct scene s;
    scene_init(&s, MIR_SLOW_SQRT64, BARRIER);
    s.code[0].op = s.code[2].op = MIR_FDIVS;
    mir_slow_place(&s.f);
    cr_expect_eq(s.f.slow_inst, 101 + 41);
    cr_expect_eq(s.f.slow_at[MIR_SLOW_DIV32], BEFORE + 1);
    cr_expect_eq(s.f.slow_at[MIR_SLOW_SQRT64], BEFORE + 1 + 101);
    s.code[0].op = s.code[2].op = s.code[BEFORE].op = MIR_NOP;
    mir_slow_place(&s.f);
    cr_expect_eq(s.f.slow_inst, 0);
}
