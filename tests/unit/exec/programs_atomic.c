/* programs_atomic.c - every atomic operation on every type, in every form: with and without result,
 * global, generic and shared, functionally and under the fake timing model (timed.h), compared with
 * plain C. A function without parameters is one test program, which ops.c runs by the table at the
 * end of this file. */
#include "programs.h"

static float as_f32(uint64_t u) {
    uint32_t w = (uint32_t)u;
    float f;
    memcpy(&f, &w, 4);
    return f;
}
static uint64_t f32_as(float f) {
    uint32_t u;
    memcpy(&u, &f, 4);
    return u;
}
/* Adds two doubles, given as bits. */
static uint64_t f64_add(uint64_t a, uint64_t b) {
    double x, y;
    memcpy(&x, &a, 8);
    memcpy(&y, &b, 8);
    x += y;
    memcpy(&a, &x, 8);
    return a;
}
/* Sums of small integers, which halves hold exactly. */
static double half_int(uint32_t h, bool bf) {
    int m = bf ? 7 : 10, bias = bf ? 127 : 15, e = (int)(h >> m & (bf ? 255 : 31));
    if (!(h & 0x7fff)) return 0;
    double v = (double)((h & ((1u << m) - 1)) | 1u << m);
    for (int i = e - bias - m; i; i += i < 0 ? 1 : -1) v = i < 0 ? v / 2 : v * 2;
    return h & 0x8000 ? -v : v;
}
/* Returns the half (or bfloat16) whose value is the small integer v, by search. */
static uint32_t int_half(double v, bool bf) {
    static uint32_t known[2][1024]; /* cache: the half plus one; 0: not found yet */
    uint32_t *k = &known[bf][(int)v + 512];
    for (uint32_t h = 0; h < 0x10000 && !*k; h++)
        if (half_int(h, bf) == v) *k = h + 1;
    MUST(*k);
    return *k - 1;
}
/* Adds one half, or two packed ones, lane by lane. */
static uint64_t halves_add(uint64_t a, uint64_t b, bool two, bool bf) {
    uint64_t r = 0;
    for (unsigned i = 0; i <= two; i++)
        r |= (uint64_t)int_half(
                 half_int(a >> (16 * i) & 0xffff, bf) + half_int(b >> (16 * i) & 0xffff, bf), bf)
             << (16 * i);
    return r;
}

struct atomic_form {
    mir_atom op;
    mir_type type;
    unsigned width;
};
/* Returns the new value of a word: `b` is the operand, `c` the second one of a compare-and-swap.
 * Shared float sums keep subnormals, global ones flush them. */
static uint64_t atomic_reference(const struct atomic_form *f, bool shared, uint64_t old, uint64_t b,
                                 uint64_t c) {
    bool s32 = f->type == MIR_S32, s64 = f->type == MIR_S64;
    bool less = s32 ? (int32_t)b < (int32_t)old : s64 ? (int64_t)b < (int64_t)old : b < old;
    switch (f->op) {
    case MIR_ATOM_ADD:
        if (f->type == MIR_F32) {
            float r = as_f32(old) + as_f32(b);
            if (!shared && r < 0x1p-126f && r > -0x1p-126f) r = 0;
            return f32_as(r);
        }
        if (f->type == MIR_F64) return f64_add(old, b);
        if (f->type == MIR_F16 || f->type == MIR_F16X2)
            return halves_add(old, b, f->type == MIR_F16X2, false);
        if (f->type == MIR_BF16 || f->type == MIR_BF16X2)
            return halves_add(old, b, f->type == MIR_BF16X2, true);
        return old + b;
    case MIR_ATOM_MIN: return less ? b : old;
    case MIR_ATOM_MAX: return less ? old : b;
    case MIR_ATOM_INC: return old >= b ? 0 : old + 1;
    case MIR_ATOM_DEC: return old == 0 || old > b ? b : old - 1;
    case MIR_ATOM_AND: return old & b;
    case MIR_ATOM_OR: return old | b;
    case MIR_ATOM_XOR: return old ^ b;
    case MIR_ATOM_EXCH: return b;
    default: return old == b ? c : old;
    }
}
/* Returns a lane's operand: small numbers, so that sums are exact and compares succeed. */
static uint64_t atomic_operand(const struct atomic_form *f, uint32_t lane) {
    uint32_t n = lane * 5 % 7;
    double d = (double)n - 2;
    uint64_t u;
    switch (f->type) {
    case MIR_F32: return lane == 3 ? 0x00400000 /* subnormal */ : f32_as((float)d);
    case MIR_F64: memcpy(&u, &d, 8); return u;
    case MIR_F16: return int_half(n, false);
    case MIR_F16X2: return int_half(n, false) | int_half(d, false) << 16;
    case MIR_BF16: return int_half(n, true);
    case MIR_BF16X2: return int_half(d, true) | int_half(n, true) << 16;
    case MIR_U64:
    case MIR_S64: return n - 3 + ((uint64_t)lane << 33);
    default:
        return f->op == MIR_ATOM_INC || f->op == MIR_ATOM_DEC || f->op == MIR_ATOM_CAS
                   ? n
                   : (uint32_t)(n - 3);
    }
}

enum atomic_way { WAY_ATOMG, WAY_ATOM, WAY_ATOMS, WAY_RED, WAY_RED_GENERIC, WAY_REDS };
/* Emits the kernel for one warp. Lanes l, l + 4, ... share a word; words are 16 bytes apart. IN
 * holds operands (16 bytes per lane), OUT the old values (16 bytes per lane), and from its word
 * 1024 on the final values. */
static void atomic_kernel(struct kernel *k, const struct atomic_form *f, enum atomic_way way) {
    static const mir_op ops[] = {MIR_ATOMG, MIR_ATOM, MIR_ATOMS, MIR_RED, MIR_RED, MIR_REDS};
    bool shared = way == WAY_ATOMS || way == WAY_REDS, red = way >= WAY_RED;
    k->shared_bytes = 64;
    index_of_thread(k);
    element(k, 4, IN, 16);
    element(k, 6, OUT, 16);
    EMIT(k, LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .width = 16, .wbar = 0);
    EMIT(k, LOP3, .dst = 12, .sub = 0xc0, .src = {REG(0), IMM(3)});
    EMIT(k, IMAD, .dst = 14, .flags = MIR_WIDE, .src = {REG(12), IMM(16), PARAM(EXTRA)});
    EMIT(k, SHF, .dst = 16, .src = {REG(12), IMM(4)}, .wait = 1);
    struct mir_inst atomic = INST(
        ATOMG, .dst = red ? MIR_RZ : 20, .src = {REG(shared ? 16 : 14), REG(8), REG(10)},
        .sub = f->op, .type = f->type, .width = (uint8_t)f->width, .flags = shared ? 0 : MIR_ADDR64,
        .wbar = red ? MIR_NO_BARRIER : 1, .sem = MIR_RELAXED, .scope = MIR_SCOPE_GPU,
        .space = shared                                      ? MIR_SPACE_SHARED
                 : way == WAY_ATOM || way == WAY_RED_GENERIC ? MIR_SPACE_GENERIC
                                                             : MIR_SPACE_GLOBAL);
    atomic.op = ops[way];
    kernel_add(k, atomic);
    EMIT(k, NOP, .wait = 2);
    if (!red)
        EMIT(k, STG, .src = {REG(6), REG(20)}, GLOBAL,
             .width = f->width < 4 ? 4 : (uint8_t)f->width);
    EMIT(k, BAR);
    if (shared)
        EMIT(k, LDS, .dst = 24, .src = {REG(16)}, .width = 16, .wbar = 2);
    else
        EMIT(k, LDG, .dst = 24, .src = {REG(14)}, GLOBAL, .width = 16, .wbar = 2);
    EMIT(k, STG, .src = {REG(6), REG(24)}, GLOBAL, .width = 16, .imm = 4096, .wait = 4);
    EMIT(k, EXIT);
}
struct atomic_check {
    struct arrays *s;
    const struct atomic_form *form;
    enum atomic_way way;
};
/* Replays the lanes of each word in order, and compares old and final values. */
static void verify_atomic(struct machine *m, void *user) {
    const struct atomic_check *x = user;
    uint64_t word[4] = {0}, keep = x->form->width == 8   ? UINT64_MAX
                                   : x->form->width == 4 ? UINT32_MAX
                                                         : 0xffff;
    bool shared = x->way == WAY_ATOMS || x->way == WAY_REDS;
    (void)m;
    for (uint32_t l = 0; l < 32; l++) {
        uint64_t *w = &word[l & 3], got = 0;
        memcpy(&got, &x->s->out[4 * l], x->form->width < 4 ? 4 : x->form->width);
        if (x->way < WAY_RED)
            cr_assert_eq(got, *w, "way %d op %d type %d: lane %u got 0x%llx, want 0x%llx", x->way,
                         x->form->op, x->form->type, l, (unsigned long long)got,
                         (unsigned long long)*w);
        *w = atomic_reference(x->form, shared, *w, atomic_operand(x->form, l) & keep,
                              (l + 1) & keep) &
             keep;
    }
    for (uint32_t l = 0; l < 32; l++) {
        uint64_t got;
        memcpy(&got, &x->s->out[1024 + 4 * l], 8);
        cr_assert_eq(got, word[l & 3], "way %d op %d type %d: word %u is 0x%llx, want 0x%llx",
                     x->way, x->form->op, x->form->type, l & 3, (unsigned long long)got,
                     (unsigned long long)word[l & 3]);
    }
}
/* Runs every atomic operation in one form (`way`). */
static void atomics(enum atomic_way way) {
    static const struct atomic_form forms[] = {
        {MIR_ATOM_ADD, MIR_U32, 4}, {MIR_ATOM_ADD, MIR_S32, 4},    {MIR_ATOM_ADD, MIR_U64, 8},
        {MIR_ATOM_ADD, MIR_F32, 4}, {MIR_ATOM_ADD, MIR_F64, 8},    {MIR_ATOM_ADD, MIR_F16X2, 4},
        {MIR_ATOM_ADD, MIR_F16, 2}, {MIR_ATOM_ADD, MIR_BF16X2, 4}, {MIR_ATOM_ADD, MIR_BF16, 2},
        {MIR_ATOM_MIN, MIR_U32, 4}, {MIR_ATOM_MIN, MIR_S32, 4},    {MIR_ATOM_MIN, MIR_U64, 8},
        {MIR_ATOM_MIN, MIR_S64, 8}, {MIR_ATOM_MAX, MIR_U32, 4},    {MIR_ATOM_MAX, MIR_S32, 4},
        {MIR_ATOM_MAX, MIR_U64, 8}, {MIR_ATOM_MAX, MIR_S64, 8},    {MIR_ATOM_INC, MIR_U32, 4},
        {MIR_ATOM_DEC, MIR_U32, 4}, {MIR_ATOM_AND, MIR_U32, 4},    {MIR_ATOM_AND, MIR_U64, 8},
        {MIR_ATOM_OR, MIR_U32, 4},  {MIR_ATOM_OR, MIR_U64, 8},     {MIR_ATOM_XOR, MIR_U32, 4},
        {MIR_ATOM_XOR, MIR_U64, 8}, {MIR_ATOM_EXCH, MIR_U32, 4},   {MIR_ATOM_EXCH, MIR_U64, 8},
        {MIR_ATOM_CAS, MIR_U32, 4}, {MIR_ATOM_CAS, MIR_U64, 8},    {MIR_ATOM_CAS, MIR_U16, 2},
        {MIR_ATOM_EXCH, MIR_U16, 2}};
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        /* a reduction has no compare-and-swap */
        if (way >= WAY_RED && forms[i].op == MIR_ATOM_CAS) continue;
        struct arrays s;
        struct kernel k = {0};
        set_up_arrays(&s);
        for (uint32_t l = 0; l < 32; l++) {
            uint64_t operand[2] = {atomic_operand(&forms[i], l), l + 1};
            memcpy(&s.in[4 * l], operand, 16);
        }
        atomic_kernel(&k, &forms[i], way);
        struct atomic_check x = {&s, &forms[i], way};
        run_everywhere(&k, &s.m, 1, 32, true, verify_atomic, &x);
        tear_down_arrays(&s);
    }
}
static void atomg(void) {
    atomics(WAY_ATOMG);
}
static void atom(void) {
    atomics(WAY_ATOM);
}
static void atoms(void) {
    atomics(WAY_ATOMS);
}
static void red(void) {
    atomics(WAY_RED);
    atomics(WAY_RED_GENERIC);
}
static void reds(void) {
    atomics(WAY_REDS);
}

/* 128-bit exchange and compare-and-swap; every lane has its own words. */
static void atomic128(void) {
    struct arrays s;
    struct kernel k = {0};
    static uint32_t want[32 * 4];
    set_up_arrays(&s);
    index_of_thread(&k);
    element(&k, 4, IN, 16);
    element(&k, 6, EXTRA, 16);
    EMIT(&k, LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .width = 16, .wbar = 0);
    EMIT(&k, ATOMG, .dst = 12, .src = {REG(6), REG(8)}, .sub = MIR_ATOM_EXCH, .type = MIR_B128,
         .width = 16, GLOBAL, .sem = MIR_RELAXED, .wait = 1, .wbar = 1);
    /* now compare with the present value, and store the zeros again in even lanes */
    EMIT(&k, LOP3, .dst = 20, .sub = 0xc0, .src = {REG(0), IMM(1)});
    EMIT(&k, IADD3, .dst = 8, .src = {REG(8), REG(20)}, .wait = 2);
    EMIT(&k, ATOMG, .dst = 16, .src = {REG(6), REG(8), REG(12)}, .sub = MIR_ATOM_CAS,
         .type = MIR_B128, .width = 16, GLOBAL, .sem = MIR_RELAXED, .wbar = 1);
    element(&k, 4, OUT, 16);
    EMIT(&k, STG, .src = {REG(4), REG(16)}, GLOBAL, .width = 16, .wait = 2);
    EMIT(&k, EXIT);
    for (uint32_t l = 0; l < 32; l++)
        for (uint32_t i = 0; i < 4; i++) want[4 * l + i] = l & 1 ? s.in[4 * l + i] : 0;
    struct expected_words swapped = {s.extra, want, 128, "128-bit atomics"};
    run_everywhere(&k, &s.m, 1, 32, true, verify_list, &swapped);
    struct expected_words old = {s.out, s.in, 128, "128-bit old value"};
    verify_list(&s.m, &old);
    tear_down_arrays(&s);
}

/* Many warps on few counters: 64 of them, every thread adds twice without using the result. */
static void counters(void) {
    struct arrays s;
    struct kernel k = {0};
    uint32_t want[64];
    set_up_arrays(&s);
    index_of_thread(&k);
    EMIT(&k, LOP3, .dst = 1, .sub = 0xc0, .src = {REG(1), IMM(63)});
    element(&k, 4, EXTRA, 4);
    for (int i = 0; i < 3; i++)
        EMIT(&k, ATOMG, .src = {REG(4), IMM(i + 1)}, .sub = MIR_ATOM_ADD, GLOBAL,
             .sem = MIR_RELAXED, .wbar = 0);
    EMIT(&k, EXIT);
    for (uint32_t i = 0; i < 64; i++) want[i] = 6 * 8;
    struct expected_words x = {s.extra, want, 64, "counters"};
    run_everywhere(&k, &s.m, 4, 128, true, verify_list, &x);
    tear_down_arrays(&s);
}

const struct op_program atomic_programs[] = {
    {MIR_ATOMG, atomg}, {MIR_ATOMG, atomic128}, {MIR_ATOMG, counters}, {MIR_ATOM, atom},
    {MIR_ATOMS, atoms}, {MIR_RED, red},         {MIR_REDS, reds},
};
const unsigned num_atomic_programs = sizeof atomic_programs / sizeof *atomic_programs;
