/* programs_system.c - the operation SYS: printf compared with the host's, device malloc and free,
 * assert. A function without parameters is one test program, which ops.c runs by the table at the
 * end of this file. */
#include <limits.h>

#include "programs.h"

static uint64_t heap(void *user, uint64_t bytes) {
    return (uint64_t)(uintptr_t)machine_alloc(user, bytes);
}

struct system {
    struct arrays s;
    struct kernel k;
    struct exec_io *io;
    struct exec_fault fault;
};

static void set_up(struct system *x) {
    memset(x, 0, sizeof *x);
    set_up_arrays(&x->s);
    MUST(exec_io_create(&x->io, &x->s.m.memory, heap, &x->s.m) == HEDDLE_OK);
    exec_io_set_heap(x->io, 64 << 10);
    index_of_thread(&x->k);
}
static void tear_down(struct system *x) {
    exec_io_free(x->io);
    tear_down_arrays(&x->s);
}
/* Ends the kernel with EXIT and runs it functionally as grid 7, with at most 4 resident CTAs in
 * turns of 16 instructions. */
static heddle_err run(struct system *x, unsigned ctas, unsigned threads) {
    struct exec_counts counts;
    struct heddle_diag diag = {.text = ""};
    EMIT(&x->k, EXIT);
    struct exec_launch l = kernel_launch(&x->k, &x->s.m, ctas, threads);
    l.io = x->io;
    l.grid_id = 7;
    return exec_run_immediate(&l, 4, 16, &counts, &x->fault, &diag);
}
/* Emits: register pair dst = the pointer in parameter `param` + bytes. */
static void pointer(struct kernel *k, uint8_t dst, uint32_t param, uint32_t bytes) {
    EMIT(k, IADD3, .dst = dst, .src = {PARAM(param), IMM(bytes), RZ});
    EMIT(k, MOV, .dst = (uint8_t)(dst + 1), .src = {PARAM(param + 4)});
}

/* Concatenates the text of grid 7 into `out`; each piece must come from an assertion or not
 * (`error`). */
static void collect(struct exec_io *io, char *out, bool error) {
    out[0] = '\0';
    for (struct exec_text *t = exec_io_take(io, 7), *next; t; t = next) {
        next = t->next;
        cr_expect_eq(t->error, error);
        strcat(out, t->text);
        free(t);
    }
}

/* Text is printed in the order of the printf's atomics, not before its turn. */
static void held_text(void) {
    struct system x;
    static char got[1024];
    set_up(&x);
    uint64_t ticket[4];
    for (unsigned i = 0; i < 4; i++) {
        char letter = (char)('a' + i);
        ticket[i] = exec_io_hold(x.io, exec_io_text(7, 0, false, &letter, 1));
        cr_expect_neq(ticket[i], 0);
    }
    exec_io_print(x.io, ticket[2]);
    exec_io_drop(x.io, ticket[1]);
    exec_io_print(x.io, ticket[0]);
    collect(x.io, got, false);
    cr_expect_str_eq(got, "ca");
    uint64_t again = exec_io_hold(x.io, exec_io_text(7, 0, false, "e", 1));
    for (unsigned i = 0; i < 3; i++) { /* gone */
        cr_expect_neq(again, ticket[i]);
        exec_io_print(x.io, ticket[i]);
        exec_io_drop(x.io, ticket[i]);
    }
    exec_io_drop(x.io, 0);
    collect(x.io, got, false);
    cr_expect_str_eq(got, "");
    exec_io_print(x.io, again);
    collect(x.io, got, false);
    cr_expect_str_eq(got, "e");
    tear_down(&x); /* with one text that was never fetched */
}
Test(system, text_waits_for_its_turn) {
    held_text();
}

#define FORMAT "%d|%5u|%-6x|%+.3f|%c|%s|%lld|%08.2e|%*d|%%|%5.2s|%p\n"
/* Compares device printf with the host's for many formats. */
static void print(void) {
    struct system x;
    static char got[65536], want[65536];
    set_up(&x);
    uint8_t *in = (uint8_t *)x.s.in;
    strcpy((char *)in, FORMAT);
    strcpy((char *)in + 256, "text");
    double third = 1.0 / 3;
    uint64_t string = (uint64_t)(uintptr_t)in + 256, big = UINT64_C(-1234567890123);
    int n[3] = {-5, 77, 0xbeef}, width = 7;
    uint8_t *a = in + 512;
    memcpy(a, n, 12);
    memcpy(a + 16, &third, 8);
    a[24] = 'z';
    memcpy(a + 32, &string, 8);
    memcpy(a + 40, &big, 8);
    memcpy(a + 48, &third, 8);
    memcpy(a + 56, &width, 4);
    memcpy(a + 60, &n[0], 4);
    memcpy(a + 64, &string, 8);
    memcpy(a + 72, &string, 8);
    pointer(&x.k, 4, IN, 0);
    pointer(&x.k, 6, IN, 512);
    EMIT(&x.k, SYS, .width = 4, .sub = MIR_SYS_PRINTF, .dst = 8, .src = {REG(4), REG(6)});
    element(&x.k, 10, OUT, 4);
    STORE(&x.k, 10, 8);
    cr_assert_eq(run(&x, 3, 40), HEDDLE_OK);
    int len = 0;
    for (unsigned i = 0; i < 120; i++)
        len += snprintf(want + len, sizeof want - (size_t)len, FORMAT, n[0], (unsigned)n[1],
                        (unsigned)n[2], third, 'z', "text", (long long)big, third, width, n[0],
                        "text", (void *)(uintptr_t)string);
    collect(x.io, got, false);
    cr_expect_str_eq(got, want);
    for (unsigned i = 0; i < 120; i++) cr_expect_eq(x.s.out[i], 12u);
    tear_down(&x);
}

/* A width from the smallest int has no int of the opposite sign: the field is the widest one, text
 * on its left. */
static void widest(void) {
    struct system x;
    char got[1024], want[1024];
    set_up(&x);
    strcpy((char *)x.s.in, "%*d|");
    const int argument[2] = {INT_MIN, 7};
    memcpy((uint8_t *)x.s.in + 512, argument, sizeof argument);
    pointer(&x.k, 4, IN, 0);
    pointer(&x.k, 6, IN, 512);
    EMIT(&x.k, SYS, .width = 4, .sub = MIR_SYS_PRINTF, .dst = 8, .src = {REG(4), REG(6)});
    cr_assert_eq(run(&x, 1, 1), HEDDLE_OK);
    collect(x.io, got, false);
    snprintf(want, sizeof want, "%-400d|", 7);
    cr_expect_str_eq(got, want);
    tear_down(&x);
}

/* Every CTA prints its number; the text appears in CTA order, whichever CTA ran first. */
static void order(void) {
    struct system x;
    static char got[4096], want[4096];
    int len = 0;
    set_up(&x);
    strcpy((char *)x.s.in, "cta %d\n");
    EMIT(&x.k, S2R, .dst = 12, .sub = MIR_SR_CTAID_X);
    EMIT(&x.k, IMAD, .dst = 14, .flags = MIR_WIDE, .src = {REG(12), IMM(8), PARAM(EXTRA)});
    STORE(&x.k, 14, 12);
    pointer(&x.k, 4, IN, 0);
    EMIT(&x.k, SYS, .width = 4, .sub = MIR_SYS_PRINTF, .dst = 8, .src = {REG(4), REG(14)});
    cr_assert_eq(run(&x, 50, 1), HEDDLE_OK);
    for (int i = 0; i < 50; i++)
        len += snprintf(want + len, sizeof want - (size_t)len, "cta %d\n", i);
    collect(x.io, got, false);
    cr_expect_str_eq(got, want);
    tear_down(&x);
}

/* Blocks of 100 bytes do not overlap, are usable and can be freed; malloc fails when the heap is
 * full; a second free is an error. */
static void heap_blocks(void) {
    struct system x;
    set_up(&x);
    EMIT(&x.k, MOV, .dst = 4, .src = {IMM(100)});
    EMIT(&x.k, MOV, .dst = 5, .src = {RZ});
    EMIT(&x.k, SYS, .width = 4, .sub = MIR_SYS_MALLOC, .dst = 6, .src = {REG(4)});
    STORE(&x.k, 6, 1, .imm = 96);
    LOAD(&x.k, 8, 6, .imm = 96);
    element(&x.k, 10, OUT, 4);
    STORE(&x.k, 10, 8);
    element(&x.k, 10, EXTRA, 8);
    STORE(&x.k, 10, 6, .width = 8);
    EMIT(&x.k, SYS, .width = 4, .sub = MIR_SYS_FREE, .src = {REG(6)});
    EMIT(&x.k, MOV, .dst = 4, .src = {IMM(100 << 10)});
    EMIT(&x.k, SYS, .width = 4, .sub = MIR_SYS_MALLOC, .dst = 12, .src = {REG(4)});
    element(&x.k, 10, EXTRA, 8);
    STORE(&x.k, 10, 12, .imm = 2048, .width = 8);
    EMIT(&x.k, SYS, .width = 4, .sub = MIR_SYS_FREE, .src = {RZ});
    cr_assert_eq(run(&x, 2, 64), HEDDLE_OK);
    const uint64_t *blocks = (const uint64_t *)(const void *)x.s.extra;
    for (unsigned i = 0; i < 128; i++) {
        cr_expect_eq(x.s.out[i], i);
        cr_expect_eq(blocks[i] % 32, 0u);
        cr_expect_eq(blocks[256 + i], 0u, "larger than the heap");
        for (unsigned j = i / 32 * 32; j < i; j++) cr_expect_neq(blocks[i], blocks[j]);
    }
    tear_down(&x);
    set_up(&x);
    pointer(&x.k, 4, IN, 0);
    EMIT(&x.k, SYS, .width = 4, .sub = MIR_SYS_FREE, .src = {REG(4)});
    cr_expect_eq(run(&x, 1, 32), HEDDLE_ERR_ILLEGAL_ADDRESS);
    tear_down(&x);
}

/* A failed assert() faults the launch, and the text is CUDA's. */
static void assertion(void) {
    struct system x;
    char got[4096];
    set_up(&x);
    strcpy((char *)x.s.in, "a < b");
    strcpy((char *)x.s.in + 64, "file.cu");
    strcpy((char *)x.s.in + 128, "void f()");
    EMIT(&x.k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(0), IMM(3)});
    pointer(&x.k, 4, IN, 0);
    pointer(&x.k, 6, IN, 64);
    EMIT(&x.k, MOV, .dst = 8, .src = {IMM(42)});
    pointer(&x.k, 10, IN, 128);
    EMIT(&x.k, SYS, .width = 4, .guard = 0, .sub = MIR_SYS_ASSERT, .src = {REG(4), REG(6), REG(8)});
    cr_expect_eq(run(&x, 1, 8), HEDDLE_ERR_ASSERT);
    collect(x.io, got, true);
    cr_expect_str_eq(got, "file.cu:42: void f(): block: [0,0,0], thread: [3,0,0] Assertion "
                          "`a < b` failed.\n");
    cr_expect_eq(x.fault.thread[0], 3u);
    tear_down(&x);
}

static void all(void) {
    print();
    widest();
    order();
    heap_blocks();
    assertion();
}
const struct op_program system_programs[] = {{MIR_SYS, all}};
const unsigned num_system_programs = 1;
