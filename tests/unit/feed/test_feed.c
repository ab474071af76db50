/* test_feed.c - host/feed/feed.c: the fields of the packets that records become. */
#include <criterion/criterion.h>

#include "core_words.h"
#include "feed/feed.h"

/* Returns an instruction with neutral fields: no guard, result, barrier or predicate. */
static struct mir_inst inst(mir_op op) {
    return (struct mir_inst){.op = op,
                             .guard = MIR_PT,
                             .dst = MIR_RZ,
                             .pdst = {MIR_PT, MIR_PT},
                             .psrc = {MIR_PT, MIR_PT, MIR_PT},
                             .wbar = MIR_NO_BARRIER,
                             .rbar = MIR_NO_BARRIER,
                             .stall = 1};
}

static struct exec_record record(uint32_t pc, uint32_t mask) {
    return (struct exec_record){
        .pc = pc, .mask = mask, .access = EXEC_NO_ACCESS, .inflight = EXEC_NO_INFLIGHT};
}

Test(feed, arithmetic_carries_its_control_information) {
    struct mir_inst code[1] = {inst(MIR_FFMA)};
    code[0].dst = 9;
    code[0].src[1] = (struct mir_src){.kind = MIR_SRC_REG, .reg = 12};
    code[0].stall = 4;
    code[0].yield = 1;
    code[0].wait = 0x15;
    struct mir_function f = {.name = "k", .code = code, .num_inst = 1, .file_base = 1280};
    struct feed_template *t;
    cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
    struct feed_packet p;
    struct exec_record r = record(0, 0xff);
    uint64_t line[FEED_MAX_REQUESTS];
    struct feed_space space = {0};
    cr_assert_eq(feed_packet_make(&p, line, t, &f, &r, NULL, &space), 0);
    cr_assert_eq(core_packet_cls(p.w), MIR_CLASS_FP32);
    cr_assert_eq(core_packet_stall(p.w), 4);
    cr_assert_eq(core_packet_do_yield(p.w), 1);
    cr_assert_eq(core_packet_wait_mask(p.w), 0x15);
    cr_assert_eq(core_packet_wr_bar(p.w), 7);
    cr_assert_eq(core_packet_dst(p.w), 2); /* R9 */
    cr_assert_eq(core_packet_constant(p.w), 0);
    cr_assert_eq(core_packet_even(p.w), 2); /* R12: slot 1 */
    cr_assert_eq(core_packet_odd(p.w), 0);
    cr_assert_eq(core_packet_src1(p.w), 6);
    cr_assert_eq(core_packet_pc(p.w), 80);
    cr_assert_eq(core_packet_last(p.w), 0);
    feed_template_free(t);
}

/* Constant lines have 64 bytes and are numbered across all banks. Instructions that read their
 * operands later have none, and the line that every kernel has read counts as none. */
Test(feed, constants_know_their_lines) {
    static const struct {
        mir_op op;
        uint8_t bank;
        uint32_t offset;
        unsigned line;
    } row[] = {
        {MIR_FFMA, MIR_BANK_LAUNCH, 0x3c, 0},    {MIR_FFMA, MIR_BANK_LAUNCH, 0x40, 2},
        {MIR_FFMA, MIR_BANK_LAUNCH, 0x160, 6},   {MIR_FFMA, MIR_BANK_LAUNCH, 0x17c, 6},
        {MIR_FFMA, MIR_BANK_LAUNCH, 0x180, 7},   {MIR_DFMA, MIR_BANK_USER, 0, 519},
        {MIR_FFMA, MIR_BANK_USER, 0xfffc, 1542}, {MIR_IMAD, MIR_BANK_ADDRESS, 8, 1543},
        {MIR_DFMA, MIR_BANK_LITERAL, 64, 1864},  {MIR_DMUL, MIR_BANK_LITERAL, 4088, 1926},
        {MIR_IMAD, MIR_BANK_TEXTURE, 0, 1927},   {MIR_MUFU, MIR_BANK_LAUNCH, 0x160, 0},
        {MIR_LDG, MIR_BANK_LAUNCH, 0x160, 0},
    };
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct mir_inst code[1] = {inst(row[i].op)};
        code[0].src[1] = (struct mir_src){
            .kind = MIR_SRC_CONST, .bank = row[i].bank, .value = row[i].offset};
        struct mir_function f = {.name = "k", .code = code, .num_inst = 1};
        struct feed_template *t;
        cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
        cr_expect_eq(core_packet_constant(t->packet[0].w), row[i].line, "row %u: %u", i,
                     (unsigned)core_packet_constant(t->packet[0].w));
        feed_template_free(t);
    }
}

/* Registers that a thread reads and writes: pairs count two, a repeated one once, RZ and constants
 * none. */
Test(feed, operands_are_counted) {
    struct mir_inst code[4] = {inst(MIR_FFMA), inst(MIR_FFMA), inst(MIR_DFMA), inst(MIR_FADD)};
    for (unsigned i = 0; i < 4; i++) {
        code[i].dst = 8;
        for (unsigned n = 0; n < 3; n++)
            code[i].src[n] = (struct mir_src){.kind = MIR_SRC_REG, .reg = (uint8_t)(2 + 2 * n)};
    }
    code[1].src[2].reg = 2; /* the first one again */
    code[1].dst = MIR_RZ;
    code[3].src[0].reg = MIR_RZ;
    code[3].src[1] = (struct mir_src){.kind = MIR_SRC_CONST, .bank = MIR_BANK_LAUNCH};
    code[3].src[2] = (struct mir_src){.kind = MIR_SRC_NONE};
    const struct mir_function f = {.name = "k", .code = code, .num_inst = 4};
    static const struct feed_operands expected[4] = {{3, 1}, {2, 0}, {6, 2}, {0, 1}};
    struct feed_template *t;
    cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
    for (unsigned i = 0; i < 4; i++) {
        cr_expect_eq(t->operands[i].reads, expected[i].reads, "%u: %u", i, t->operands[i].reads);
        cr_expect_eq(t->operands[i].writes, expected[i].writes, "%u: %u", i, t->operands[i].writes);
    }
    feed_template_free(t);
}

/* An indexed load has no coalesced requests. It becomes one packet for each line, whose passes are
 * the different addresses in it; all addresses but the first are replayed. */
Test(feed, indexed_constants_by_lines) {
    struct mir_inst code[1] = {inst(MIR_LDC)};
    code[0].sub = MIR_BANK_USER;
    code[0].width = 4;
    struct mir_function f = {.name = "k", .code = code, .num_inst = 1};
    struct feed_template *t;
    cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
    static const struct {
        uint32_t mask;
        unsigned shift, bytes; /* lane l reads at (l >> shift) * bytes */
        unsigned packets, passes;
    } row[] = {
        {UINT32_MAX, 5, 4, 1, 1},   {UINT32_MAX, 4, 4, 1, 2},  {UINT32_MAX, 0, 4, 2, 16},
        {UINT32_MAX, 0, 64, 32, 1}, {0x80000001, 0, 64, 2, 1}, {0, 0, 4, 1, 1},
    };
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct exec_access a = {0};
        for (unsigned lane = 0; lane < MIR_WARP_SIZE; lane++)
            a.address[lane] = (uint64_t)(lane >> row[i].shift) * row[i].bytes;
        struct exec_record r = record(0, row[i].mask);
        r.access = 0;
        r.space = MIR_SPACE_CONST;
        struct feed_packet p[MIR_WARP_SIZE];
        uint64_t line[FEED_MAX_REQUESTS];
        struct feed_space space = {0};
        cr_expect_eq(feed_packet_make(p, line, t, &f, &r, &a, &space), 0, "row %u", i);
        cr_expect_eq(feed_constants_make(p, &f, &r, &a, 10), row[i].packets, "row %u", i);
        for (unsigned k = 0; k < row[i].packets; k++)
            cr_expect_eq(core_packet_bar_id(p[k].w) << 7 | core_packet_bar_arrive(p[k].w) << 6 |
                             core_packet_bar_warps(p[k].w),
                         (row[i].passes - (k == 0)) * 10, "row %u: packet %u", i, k);
        cr_expect_eq(core_packet_mem(p[0].w), CORE_MEM_CONST);
        cr_expect_eq(core_packet_lines(p[0].w), 0);
        cr_expect_eq(core_packet_passes(p[0].w), row[i].passes, "row %u", i);
        cr_expect_eq(core_packet_constant(p[0].w), row[i].mask ? 519 : 0);
        if (row[i].packets == 32) cr_expect_eq(core_packet_constant(p[31].w), 519 + 31);
    }
    feed_template_free(t);
}

/* A register pair lies in both banks; a register that is an operand twice is read once; memory
 * instructions read elsewhere. */
Test(feed, operands_know_their_banks) {
    struct mir_inst code[3] = {inst(MIR_DFMA), inst(MIR_FFMA), inst(MIR_STG)};
    for (unsigned i = 0; i < 3; i++) {
        code[0].src[i] = (struct mir_src){.kind = MIR_SRC_REG, .reg = (uint8_t)(4 + 2 * i)};
        code[1].src[i] = (struct mir_src){.kind = MIR_SRC_REG, .reg = i < 2 ? 7 : 10};
        code[2].src[i] = code[1].src[i];
    }
    code[0].src[1].kind = MIR_SRC_IMM;
    code[0].reuse = 4;
    struct mir_function f = {.name = "k", .code = code, .num_inst = 3};
    struct feed_template *t;
    cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
    static const struct {
        unsigned even, odd, src0, src2, reuse;
    } want[3] = {{5, 5, 2, 4, 4}, {4, 1, 3, 5, 0}, {0, 0, 0, 0, 0}};
    for (unsigned i = 0; i < 3; i++) {
        const uint64_t *w = t->packet[i].w;
        cr_assert_eq(core_packet_even(w), want[i].even, "%u", i);
        cr_assert_eq(core_packet_odd(w), want[i].odd, "%u", i);
        cr_assert_eq(core_packet_src0(w), want[i].src0, "%u", i);
        cr_assert_eq(core_packet_src2(w), want[i].src2, "%u", i);
        cr_assert_eq(core_packet_reuse(w), want[i].reuse, "%u", i);
    }
    feed_template_free(t);
}

Test(feed, memory_classes_follow_space_and_strength) {
    struct mir_inst code[3] = {inst(MIR_LD), inst(MIR_ATOMG), inst(MIR_STG)};
    code[0].width = code[1].width = code[2].width = 4;
    code[0].dst = 3;
    code[1].dst = 4;
    code[1].space = code[2].space = MIR_SPACE_GLOBAL;
    struct mir_function f = {.name = "k", .code = code, .num_inst = 3};
    struct feed_template *t;
    cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
    struct exec_access access;
    for (unsigned i = 0; i < 32; i++) access.address[i] = 0x1000 + 4 * i;
    struct feed_packet p;
    uint64_t line[FEED_MAX_REQUESTS];
    struct feed_space space = {.memory_base = 0x1000};
    struct exec_record r = record(0, UINT32_MAX);
    r.access = 0;
    r.space = MIR_SPACE_SHARED;
    cr_assert_eq(feed_packet_make(&p, line, t, &f, &r, &access, &space), 0);
    cr_assert_eq(core_packet_mem(p.w), CORE_MEM_SHARED_LOAD);
    cr_assert_eq(core_packet_passes(p.w), 1);
    r.space = MIR_SPACE_GLOBAL;
    cr_assert_eq(feed_packet_make(&p, line, t, &f, &r, &access, &space), 1);
    cr_assert_eq(core_packet_mem(p.w), CORE_MEM_LOAD);
    cr_assert_eq(core_line_addr(line), 0);
    cr_assert_eq(core_line_sectors(line), 0xf);
    r.flags = EXEC_REC_STRONG;
    r.inflight = 5;
    feed_packet_make(&p, line, t, &f, &r, &access, &space);
    cr_assert_eq(core_packet_mem(p.w), CORE_MEM_LOAD_STRONG);
    cr_assert_eq(core_packet_perform(p.w), 1);
    cr_assert_eq(core_packet_slot(p.w), 5);
    r.pc = 1;
    feed_packet_make(&p, line, t, &f, &r, &access, &space);
    cr_assert_eq(core_packet_mem(p.w), CORE_MEM_ATOM);
    r.pc = 2;
    r.wait = EXEC_WAIT_POSTED;
    feed_packet_make(&p, line, t, &f, &r, &access, &space);
    cr_assert_eq(core_packet_mem(p.w), CORE_MEM_STORE);
    cr_assert_eq(core_packet_wait_mask(p.w), 1 << 6);
    cr_assert_eq(core_line_full(line), 0xf);
    feed_template_free(t);
}

/* Guards that are false in all lanes: the class and its pipe stay, and no line is accessed. */
Test(feed, an_instruction_that_no_lane_executes_keeps_its_pipe) {
    static const mir_op ops[] = {MIR_DADD, MIR_FFMA, MIR_MUFU, MIR_LDG, MIR_STG,
                                 MIR_LDS,  MIR_STS,  MIR_SHFL, MIR_LDC};
    for (unsigned i = 0; i < sizeof ops / sizeof *ops; i++) {
        struct mir_inst code[1] = {inst(ops[i])};
        code[0].width = 4;
        code[0].stall = 2;
        code[0].wbar = 1;
        struct mir_function f = {.name = "k", .code = code, .num_inst = 1};
        struct feed_template *t;
        cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
        struct feed_packet p;
        uint64_t line[FEED_MAX_REQUESTS];
        struct feed_space space = {0};
        struct exec_record r = record(0, 0);
        cr_expect_eq(feed_packet_make(&p, line, t, &f, &r, NULL, &space), 0);
        cr_expect_eq(core_packet_cls(p.w), mir_op_class(ops[i]));
        cr_expect_eq(core_packet_mem(p.w) != CORE_MEM_NONE,
                     mir_class_pipe(mir_op_class(ops[i])) == MIR_PIPE_MIO);
        cr_expect_eq(core_packet_stall(p.w), 2);
        cr_expect_eq(core_packet_wr_bar(p.w), 1);
        cr_expect_eq(core_packet_lines(p.w), 0);
        cr_expect_eq(core_packet_passes(p.w), 1);
        feed_template_free(t);
    }
}

Test(feed, a_load_says_how_its_words_share_the_banks_of_l1) {
    static const struct {
        unsigned stride, width, passes, lines, sectors; /* the last in pieces of four */
    } rows[] = {{0, 4, 1, 1, 1},    {4, 4, 1, 1, 1},   {8, 4, 2, 2, 2},     {12, 4, 1, 3, 3},
                {64, 4, 16, 16, 8}, {96, 4, 8, 24, 8}, {128, 4, 32, 32, 8}, {132, 4, 1, 32, 8},
                {8, 8, 2, 2, 2},    {16, 16, 4, 4, 4}, {16, 8, 4, 4, 4},    {16384, 4, 32, 32, 8}};
    struct mir_inst code[2] = {inst(MIR_LDG), inst(MIR_STG)};
    code[0].dst = 3;
    code[0].space = code[1].space = MIR_SPACE_GLOBAL;
    struct mir_function f = {.name = "k", .code = code, .num_inst = 2};
    struct feed_template *t;
    cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
    struct feed_space space = {.memory_base = 0x1000};
    struct exec_record r = record(0, UINT32_MAX);
    r.access = 0;
    r.space = MIR_SPACE_GLOBAL;
    for (unsigned k = 0; k < sizeof rows / sizeof *rows; k++) {
        struct exec_access access;
        for (unsigned i = 0; i < 32; i++) access.address[i] = 0x1000 + rows[k].stride * i;
        struct feed_packet p;
        uint64_t line[FEED_MAX_REQUESTS];
        code[0].width = code[1].width = (uint8_t)rows[k].width;
        r.pc = 0;
        cr_assert_eq(feed_packet_make(&p, line, t, &f, &r, &access, &space), rows[k].lines);
        cr_expect_eq(core_packet_passes(p.w), rows[k].passes, "stride %u, width %u: %u",
                     rows[k].stride, rows[k].width, (unsigned)core_packet_passes(p.w));
        r.pc = 1; /* of stores, sectors count */
        feed_packet_make(&p, line, t, &f, &r, &access, &space);
        cr_expect_eq(core_packet_passes(p.w), rows[k].sectors);
    }
    feed_template_free(t);
}

/* The first lanes of an LDSM name rows of 16 bytes, eight for each matrix, which are read together:
 * side by side without conflict, 128 bytes apart one by one. */
Test(feed, matrices_are_read_one_after_another) {
    static const struct {
        unsigned matrices, apart, passes;
    } row[] = {{1, 16, 1},   {2, 16, 2},   {4, 16, 4}, {4, 80, 4},
               {4, 128, 32}, {2, 128, 16}, {1, 64, 4}, {4, 0, 4}};
    for (unsigned i = 0; i < sizeof row / sizeof *row; i++) {
        struct mir_inst code[1] = {inst(MIR_LDSM)};
        code[0].sub = (uint8_t)row[i].matrices;
        code[0].width = 16;
        code[0].dst = 8;
        struct mir_function f = {.name = "k", .code = code, .num_inst = 1};
        struct feed_template *t;
        cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
        struct feed_packet p;
        struct exec_record r = record(0, UINT32_MAX);
        struct exec_access access;
        uint64_t line[FEED_MAX_REQUESTS];
        struct feed_space space = {0};
        for (unsigned l = 0; l < 32; l++)
            access.address[l] = 256 + row[i].apart * (l % (8 * row[i].matrices));
        r.space = MIR_SPACE_SHARED;
        r.access = 0;
        cr_assert_eq(feed_packet_make(&p, line, t, &f, &r, &access, &space), 0);
        cr_expect_eq(core_packet_mem(p.w), CORE_MEM_SHARED_LOAD);
        cr_expect_eq(core_packet_passes(p.w), row[i].passes, "row %u: %u passes", i,
                     (unsigned)core_packet_passes(p.w));
        feed_template_free(t);
    }
}

/* Words of local memory are lines: four lines of 32 lanes each, for 16 bytes; 128 if each lane
 * reads elsewhere, of which a packet has 32. */
Test(feed, more_lines_than_a_packet_can_have_are_parts) {
    struct mir_inst code[1] = {inst(MIR_LDL)};
    code[0].dst = 4;
    code[0].width = 16;
    code[0].space = MIR_SPACE_LOCAL;
    struct mir_function f = {.name = "k", .code = code, .num_inst = 1};
    struct feed_template *t;
    cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
    struct feed_space space = {.local_line = 0x80000000};
    struct exec_record r = record(0, UINT32_MAX);
    r.access = 0;
    r.space = MIR_SPACE_LOCAL;
    struct exec_access access;
    struct feed_packet p;
    uint64_t line[FEED_MAX_REQUESTS];
    for (unsigned i = 0; i < 32; i++) access.address[i] = 0;
    cr_assert_eq(feed_packet_make(&p, line, t, &f, &r, &access, &space), 4);
    cr_expect_eq(core_packet_lines(p.w), 4);
    cr_expect_eq(core_packet_passes(p.w), 4);
    for (unsigned i = 0; i < 32; i++) access.address[i] = 16 * i;
    cr_assert_eq(feed_packet_make(&p, line, t, &f, &r, &access, &space), 128);
    cr_expect_eq(core_packet_lines(p.w), 32);
    cr_expect_eq(core_packet_passes(p.w), 8);
    core_packet_set_fetch(p.w, 1);
    feed_part(&p, line + 32, 17);
    cr_expect_eq(core_packet_lines(p.w), 17);
    cr_expect_eq(core_packet_passes(p.w), 5);
    cr_expect_eq(core_packet_fetch(p.w), 0);
    feed_template_free(t);
}

Test(feed, a_barrier_takes_number_and_count_from_the_record) {
    struct mir_inst code[1] = {inst(MIR_BAR)};
    code[0].sub = MIR_BAR_ARV;
    struct mir_function f = {.name = "k", .code = code, .num_inst = 1};
    struct feed_template *t;
    cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
    struct exec_record r = record(0, UINT32_MAX);
    r.bar.id = 3;
    r.bar.warps = 4;
    r.flags = EXEC_REC_ARRIVE;
    struct feed_packet p;
    uint64_t line[FEED_MAX_REQUESTS];
    struct feed_space space = {0};
    feed_packet_make(&p, line, t, &f, &r, NULL, &space);
    cr_assert_eq(core_packet_mem(p.w), CORE_MEM_BARRIER);
    cr_assert_eq(core_packet_bar_id(p.w), 3);
    cr_assert_eq(core_packet_bar_warps(p.w), 4);
    cr_assert_eq(core_packet_bar_arrive(p.w), 1);
    r.flags = 0; /* the first part of a diverged warp */
    feed_packet_make(&p, line, t, &f, &r, NULL, &space);
    cr_assert_eq(core_packet_mem(p.w), CORE_MEM_NONE);
    feed_template_free(t);
}

/* A fence whose guard is false in all lanes waits for nothing. */
Test(feed, a_fence_has_the_class_of_its_scope) {
    static const mir_class expected[] = {[MIR_SCOPE_CTA] = MIR_CLASS_FENCE_CTA,
                                         [MIR_SCOPE_CLUSTER] = MIR_CLASS_FENCE_CTA,
                                         [MIR_SCOPE_GPU] = MIR_CLASS_FENCE,
                                         [MIR_SCOPE_SYS] = MIR_CLASS_FENCE_SYS};
    for (unsigned scope = 0; scope < sizeof expected / sizeof *expected; scope++) {
        struct mir_inst code[1] = {inst(MIR_MEMBAR)};
        code[0].scope = (uint8_t)scope;
        struct mir_function f = {.name = "k", .code = code, .num_inst = 1};
        struct feed_template *t;
        cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
        for (uint32_t mask = 0; mask < 2; mask++) {
            struct exec_record r = record(0, mask);
            struct feed_packet p;
            uint64_t line[FEED_MAX_REQUESTS];
            struct feed_space space = {0};
            cr_expect_eq(feed_packet_make(&p, line, t, &f, &r, NULL, &space), 0);
            cr_expect_eq(core_packet_cls(p.w), mask ? expected[scope] : MIR_CLASS_BRANCH,
                         "scope %u, lanes %u", scope, mask);
            cr_expect_eq(core_packet_mem(p.w), CORE_MEM_NONE);
        }
        feed_template_free(t);
    }
}

Test(feed, the_last_packet_waits_for_all_but_plain_stores) {
    struct mir_inst code[1] = {inst(MIR_EXIT)};
    struct mir_function f = {.name = "k", .code = code, .num_inst = 1};
    struct feed_template *t;
    cr_assert_eq(feed_template_create(&t, &f, MIR_BRANCH_STALL), HEDDLE_OK);
    struct exec_record r = record(0, 1);
    r.flags = EXEC_REC_END;
    struct feed_packet p;
    uint64_t line[FEED_MAX_REQUESTS];
    struct feed_space space = {0};
    feed_packet_make(&p, line, t, &f, &r, NULL, &space);
    cr_assert_eq(core_packet_last(p.w), 1);
    cr_assert_eq(core_packet_wait_mask(p.w), 0x3f);
    r.wait = EXEC_WAIT_POSTED; /* the host waits for its event Perform */
    feed_packet_make(&p, line, t, &f, &r, NULL, &space);
    cr_assert_eq(core_packet_wait_mask(p.w), 0x7f);
    feed_template_free(t);
}

/* Behind what may send the warp elsewhere it waits for the GPU's branches, or as long as the code
 * says if that is longer. */
Test(feed, branches_take_the_gpus_time) {
    static const struct {
        mir_op op;
        uint8_t stall, yield;
        unsigned refetch, want, want_yield;
    } cases[] = {
        {MIR_BRA, 5, 0, 10, 10, 0},  {MIR_BRA, 5, 0, 2, 5, 0},     {MIR_BRA, 13, 1, 10, 13, 1},
        {MIR_BRA, 5, 0, 12, 12, 1},  {MIR_BSYNC, 5, 0, 10, 10, 0}, {MIR_BSSY, 1, 0, 10, 1, 0},
        {MIR_IADD3, 4, 0, 10, 4, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct mir_inst code[1] = {inst(cases[i].op)};
        code[0].stall = cases[i].stall;
        code[0].yield = cases[i].yield;
        struct mir_function f = {.name = "k", .code = code, .num_inst = 1};
        struct feed_template *t;
        cr_assert_eq(feed_template_create(&t, &f, cases[i].refetch), HEDDLE_OK);
        cr_expect_eq(core_packet_stall(t->packet[0].w), cases[i].want, "case %zu", i);
        cr_expect_eq(core_packet_do_yield(t->packet[0].w), cases[i].want_yield, "case %zu", i);
        feed_template_free(t);
    }
}
