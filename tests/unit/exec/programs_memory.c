/* programs_memory.c - memory instructions: every width, space, semantics and atomic operation, in
 * function only and under the fake timing model, and litmus programs between CTAs. */
#include <criterion/criterion.h>

#include "ops.h"
#include "timed.h"

enum { OUT = 0, IN = 8, EXTRA = 16, WORDS = 4096 };

struct setting {
    struct machine m;
    uint32_t *out, *in, *extra;
};
static void set_up(struct setting *s) {
    machine_init(&s->m, 1 << 20);
    s->out = machine_alloc(&s->m, WORDS * 4);
    s->in = machine_alloc(&s->m, WORDS * 4);
    s->extra = machine_alloc(&s->m, WORDS * 4);
    machine_param_pointer(&s->m, OUT, s->out);
    machine_param_pointer(&s->m, IN, s->in);
    machine_param_pointer(&s->m, EXTRA, s->extra);
    for (uint32_t i = 0; i < WORDS; i++) s->in[i] = (i + 1) * 0x9e3779b1u;
}
static void tear_down(struct setting *s) { machine_fini(&s->m); }
static void index_of_thread(struct kernel *k) { /* R0 lane, R1 thread */
    EMIT(k, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    emit_global_index(k, 1, 2);
}
/* address pair = parameter + thread (R1) * bytes */
static void element(struct kernel *k, uint8_t dst, uint32_t param, uint32_t bytes) {
    EMIT(k, IMAD, .dst = dst, .flags = MIR_WIDE, .src = {REG(1), IMM(bytes), PARAM(param)});
}
#define GLOBAL .flags = MIR_ADDR64, .space = MIR_SPACE_GLOBAL

struct expected_words {
    const uint32_t *at, *want;
    uint32_t count;
    const char *name;
};
static void verify_list(struct machine *m, void *user) {
    const struct expected_words *x = user;
    (void)m;
    for (uint32_t i = 0; i < x->count; i++)
        cr_assert_eq(x->at[i], x->want[i], "%s: word %u is 0x%08x, want 0x%08x", x->name, i,
                     x->at[i], x->want[i]);
}

/* ---- widths: a value goes from global memory through `via` and back, 16 bytes a thread */

enum via { VIA_NOTHING, VIA_SHARED, VIA_LOCAL };
static void width_kernel(struct kernel *k, unsigned width, mir_type type, enum via via,
                         uint32_t stride, uint8_t sem) {
    k->shared_bytes = 2048;
    k->local_bytes = 64;
    index_of_thread(k);
    element(k, 4, IN, stride);
    element(k, 6, OUT, 16);
    EMIT(k, LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .width = (uint8_t)width, .type = type,
         .sem = sem, .wbar = 0);
    EMIT(k, SHF, .dst = 12, .src = {REG(0), IMM(4)});
    EMIT(k, NOP, .wait = 1);
    if (via == VIA_SHARED) {
        EMIT(k, STS, .src = {REG(12), REG(8)}, .width = (uint8_t)width, .imm = 512);
        EMIT(k, LDS, .dst = 16, .src = {REG(12)}, .width = (uint8_t)width, .type = type, .imm = 512,
             .wbar = 0);
        EMIT(k, MOV, .dst = 8, .src = {REG(16)}, .wait = 1);
        for (uint8_t i = 1; i < width / 4; i++) EMIT(k, MOV, .dst = 8 + i, .src = {REG(16 + i)});
    } else if (via == VIA_LOCAL) {
        EMIT(k, STL, .src = {RZ, REG(8)}, .width = (uint8_t)width, .imm = 32);
        EMIT(k, LDL, .dst = 16, .src = {RZ}, .width = (uint8_t)width, .type = type, .imm = 32,
             .wbar = 0);
        EMIT(k, MOV, .dst = 8, .src = {REG(16)}, .wait = 1);
        for (uint8_t i = 1; i < width / 4; i++) EMIT(k, MOV, .dst = 8 + i, .src = {REG(16 + i)});
    }
    /* What was loaded, and a store of that width 4 words on. */
    for (uint8_t i = 0; i < (width + 3) / 4; i++) STORE(k, 6, 8 + i, .imm = 4 * i);
    element(k, 6, EXTRA, 16);
    EMIT(k, STG, .src = {REG(6), REG(8)}, GLOBAL, .width = (uint8_t)width, .sem = sem);
    EMIT(k, EXIT);
}
struct width_check {
    struct setting *s;
    unsigned width;
    mir_type type;
    uint32_t stride, threads;
};
static void verify_width(struct machine *m, void *user) {
    const struct width_check *x = user;
    (void)m;
    for (uint32_t t = 0; t < x->threads; t++) {
        uint8_t in[16] = {0}, stored[16] = {0};
        uint32_t want[4] = {0};
        memcpy(in, (uint8_t *)x->s->in + t * x->stride, x->width);
        memcpy(stored, in, x->width);
        memcpy(want, in, 16);
        if (x->type == MIR_S8) want[0] = (uint32_t)(int8_t)in[0];
        if (x->type == MIR_S16) want[0] = (uint32_t)(int16_t)(in[0] | in[1] << 8);
        for (unsigned i = 0; i < (x->width + 3) / 4; i++)
            cr_assert_eq(x->s->out[4 * t + i], want[i], "width %u type %u thread %u word %u",
                         x->width, x->type, t, i);
        cr_assert_eq(memcmp(&x->s->extra[4 * t], stored, 16), 0, "width %u: stored by thread %u",
                     x->width, t);
    }
}
static void widths(enum via via) {
    static const struct { unsigned width; mir_type type; } forms[] = {
        {1, MIR_U8}, {1, MIR_S8}, {2, MIR_U16}, {2, MIR_S16}, {4, MIR_U32}, {8, MIR_U64},
        {16, MIR_B128}, {2, MIR_F16}};
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        for (unsigned v = 0; v < 3; v++) { /* consecutive, apart, strong */
            struct setting s;
            struct kernel k = {0};
            set_up(&s);
            struct width_check x = {&s, forms[i].width, forms[i].type,
                                    v == 1 ? 48 : forms[i].width, 57};
            width_kernel(&k, x.width, x.type, via, x.stride, v == 2 ? MIR_RELAXED : MIR_WEAK);
            run_everywhere(&k, &s.m, 1, x.threads, true, verify_width, &x);
            tear_down(&s);
        }
}
static void global_widths(void) { widths(VIA_NOTHING); }
static void shared_widths(void) { widths(VIA_SHARED); }
static void local_widths(void) { widths(VIA_LOCAL); }

/* Generic addresses: lane mod 3 says shared, local or global; each adds 1 to its word. */
static void generic(void) {
    struct setting s;
    struct kernel k = {0};
    static uint32_t want[64];
    set_up(&s);
    k.shared_bytes = 256;
    k.local_bytes = 16;
    index_of_thread(&k);
    EMIT(&k, S2R, .dst = 1, .sub = MIR_SR_TID_X);
    element(&k, 4, OUT, 4);                                     /* global */
    EMIT(&k, F2I, .dst = 3, .type = MIR_U32, .type2 = MIR_F32, .src = {IMM(0)}); /* 0 */
    EMIT(&k, IMAD, .dst = 8, .flags = MIR_HI, .src = {REG(0), IMM(0x55555556)}); /* lane / 3 */
    EMIT(&k, IMAD, .dst = 8, .src = {REG(8), IMM(-3), REG(0)}); /* lane mod 3 */
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(8), IMM(1)});
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(8), IMM(2)});
    EMIT(&k, SHF, .guard = 0, .dst = 4, .src = {REG(1), IMM(2)});
    EMIT(&k, MOV, .guard = 0, .dst = 5, .src = {IMM(MIR_SHARED_WINDOW >> 32)});
    EMIT(&k, MOV, .guard = 1, .dst = 4, .src = {IMM(8)});
    EMIT(&k, MOV, .guard = 1, .dst = 5, .src = {IMM(MIR_LOCAL_WINDOW >> 32)});
    EMIT(&k, IADD3, .dst = 9, .src = {REG(1), IMM(100)});
    EMIT(&k, ST, .src = {REG(4), REG(9)}, .flags = MIR_ADDR64);
    EMIT(&k, LD, .dst = 10, .src = {REG(4)}, .flags = MIR_ADDR64, .wbar = 0);
    EMIT(&k, IADD3, .dst = 10, .src = {REG(10), REG(8)}, .wait = 1);
    element(&k, 6, OUT, 4);
    STORE(&k, 6, 10);
    EMIT(&k, EXIT);
    for (uint32_t t = 0; t < 64; t++) want[t] = t + 100 + t % 32 % 3;
    struct expected_words x = {s.out, want, 64, "generic"};
    run_everywhere(&k, &s.m, 1, 64, true, verify_list, &x);
    /* One record per space, one instruction. */
    struct exec_launch l = kernel_launch(&k, &s.m, 1, 64);
    struct timed_result r;
    cr_assert_eq(timed_run(&l, 5, false, &r), HEDDLE_OK);
    cr_assert_eq(r.counts.warp_inst, 2 * k.count);
    cr_assert_eq(r.records, 2 * (k.count + 4));
    tear_down(&s);
}

/* Indexed constants of bank 3. */
static void indexed_constants(void) {
    struct setting s;
    struct kernel k = {0};
    uint32_t table[64], want[32];
    set_up(&s);
    for (uint32_t i = 0; i < 64; i++) table[i] = i * i + 7;
    for (uint32_t i = 0; i < 32; i++) want[i] = table[2 * i + 1] + table[5];
    index_of_thread(&k);
    element(&k, 6, OUT, 4);
    EMIT(&k, SHF, .dst = 4, .src = {REG(0), IMM(3)});
    EMIT(&k, LDC, .dst = 8, .sub = MIR_BANK_USER, .src = {REG(4)}, .width = 8, .wbar = 0);
    EMIT(&k, LDC, .dst = 10, .sub = MIR_BANK_USER, .imm = 20, .wbar = 0);
    EMIT(&k, IADD3, .dst = 9, .src = {REG(9), REG(10)}, .wait = 1);
    STORE(&k, 6, 9);
    EMIT(&k, EXIT);
    struct exec_launch l = kernel_launch(&k, &s.m, 1, 32);
    l.bank[MIR_BANK_USER] = (const uint8_t *)table;
    l.bank_size[MIR_BANK_USER] = sizeof table;
    struct exec_counts c;
    struct exec_fault f;
    struct heddle_diag d = {0};
    cr_assert_eq(exec_run_immediate(&l, 1, 1024, &c, &f, &d), HEDDLE_OK, "%s", d.text);
    struct expected_words x = {s.out, want, 32, "LDC"};
    verify_list(&s.m, &x);
    l.bank_size[MIR_BANK_USER] = 100;
    cr_assert_eq(exec_run_immediate(&l, 1, 1024, &c, &f, &d), HEDDLE_ERR_ILLEGAL_ADDRESS);
    cr_assert_eq(f.address, 96);
    cr_assert_eq(f.bytes, 8);
    tear_down(&s);
}

/* ---- atomics */

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
static uint32_t int_half(double v, bool bf) {
    static uint32_t known[2][1024]; /* found before, and one */
    uint32_t *k = &known[bf][(int)v + 512];
    for (uint32_t h = 0; h < 0x10000 && !*k; h++)
        if (half_int(h, bf) == v) *k = h + 1;
    MUST(*k);
    return *k - 1;
}
static uint64_t halves_add(uint64_t a, uint64_t b, bool two, bool bf) {
    uint64_t r = 0;
    for (unsigned i = 0; i <= two; i++)
        r |= (uint64_t)int_half(half_int(a >> (16 * i) & 0xffff, bf) +
                                half_int(b >> (16 * i) & 0xffff, bf), bf) << (16 * i);
    return r;
}

struct atomic_form {
    mir_atom op;
    mir_type type;
    unsigned width;
};
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
/* Operand of a lane: small numbers, so that sums are exact and compares hit. */
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
    case MIR_U64: case MIR_S64: return n - 3 + ((uint64_t)lane << 33);
    default: return f->op == MIR_ATOM_INC || f->op == MIR_ATOM_DEC || f->op == MIR_ATOM_CAS
                        ? n : (uint32_t)(n - 3);
    }
}

enum atomic_way { WAY_ATOMG, WAY_ATOM, WAY_ATOMS, WAY_RED, WAY_RED_GENERIC, WAY_REDS };
/* One warp; lanes l, l + 4, ... share a word (of 16 bytes' distance). IN: operands (16 bytes a
 * lane), OUT: old values (16 a lane), then final words from word 1024. */
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
    struct mir_inst atomic = INST(ATOMG, .dst = red ? MIR_RZ : 20,
                                  .src = {REG(shared ? 16 : 14), REG(8), REG(10)}, .sub = f->op,
                                  .type = f->type, .width = (uint8_t)f->width,
                                  .flags = shared ? 0 : MIR_ADDR64, .wbar = red ? MIR_NO_BARRIER : 1,
                                  .sem = MIR_RELAXED, .scope = MIR_SCOPE_GPU,
                                  .space = shared ? MIR_SPACE_SHARED
                                           : way == WAY_ATOM || way == WAY_RED_GENERIC
                                               ? MIR_SPACE_GENERIC : MIR_SPACE_GLOBAL);
    atomic.op = ops[way];
    kernel_add(k, atomic);
    EMIT(k, NOP, .wait = 2);
    if (!red) EMIT(k, STG, .src = {REG(6), REG(20)}, GLOBAL, .width = f->width < 4 ? 4 : (uint8_t)f->width);
    EMIT(k, BAR);
    if (shared) EMIT(k, LDS, .dst = 24, .src = {REG(16)}, .width = 16, .wbar = 2);
    else EMIT(k, LDG, .dst = 24, .src = {REG(14)}, GLOBAL, .width = 16, .wbar = 2);
    EMIT(k, STG, .src = {REG(6), REG(24)}, GLOBAL, .width = 16, .imm = 4096, .wait = 4);
    EMIT(k, EXIT);
}
struct atomic_check {
    struct setting *s;
    const struct atomic_form *form;
    enum atomic_way way;
};
static void verify_atomic(struct machine *m, void *user) {
    const struct atomic_check *x = user;
    uint64_t word[4] = {0}, keep = x->form->width == 8 ? UINT64_MAX : x->form->width == 4 ? UINT32_MAX
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
                              (l + 1) & keep) & keep;
    }
    for (uint32_t l = 0; l < 32; l++) {
        uint64_t got;
        memcpy(&got, &x->s->out[1024 + 4 * l], 8);
        cr_assert_eq(got, word[l & 3], "way %d op %d type %d: word %u is 0x%llx, want 0x%llx",
                     x->way, x->form->op, x->form->type, l & 3, (unsigned long long)got,
                     (unsigned long long)word[l & 3]);
    }
}
static void atomics(enum atomic_way way) {
    static const struct atomic_form forms[] = {
        {MIR_ATOM_ADD, MIR_U32, 4}, {MIR_ATOM_ADD, MIR_S32, 4}, {MIR_ATOM_ADD, MIR_U64, 8},
        {MIR_ATOM_ADD, MIR_F32, 4}, {MIR_ATOM_ADD, MIR_F64, 8}, {MIR_ATOM_ADD, MIR_F16X2, 4},
        {MIR_ATOM_ADD, MIR_F16, 2}, {MIR_ATOM_ADD, MIR_BF16X2, 4}, {MIR_ATOM_ADD, MIR_BF16, 2},
        {MIR_ATOM_MIN, MIR_U32, 4}, {MIR_ATOM_MIN, MIR_S32, 4}, {MIR_ATOM_MIN, MIR_U64, 8},
        {MIR_ATOM_MIN, MIR_S64, 8}, {MIR_ATOM_MAX, MIR_U32, 4}, {MIR_ATOM_MAX, MIR_S32, 4},
        {MIR_ATOM_MAX, MIR_U64, 8}, {MIR_ATOM_MAX, MIR_S64, 8}, {MIR_ATOM_INC, MIR_U32, 4},
        {MIR_ATOM_DEC, MIR_U32, 4}, {MIR_ATOM_AND, MIR_U32, 4}, {MIR_ATOM_AND, MIR_U64, 8},
        {MIR_ATOM_OR, MIR_U32, 4}, {MIR_ATOM_OR, MIR_U64, 8}, {MIR_ATOM_XOR, MIR_U32, 4},
        {MIR_ATOM_XOR, MIR_U64, 8}, {MIR_ATOM_EXCH, MIR_U32, 4}, {MIR_ATOM_EXCH, MIR_U64, 8},
        {MIR_ATOM_CAS, MIR_U32, 4}, {MIR_ATOM_CAS, MIR_U64, 8}, {MIR_ATOM_CAS, MIR_U16, 2},
        {MIR_ATOM_EXCH, MIR_U16, 2}};
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (way >= WAY_RED && forms[i].op == MIR_ATOM_CAS) continue; /* has no result to give */
        struct setting s;
        struct kernel k = {0};
        set_up(&s);
        for (uint32_t l = 0; l < 32; l++) {
            uint64_t operand[2] = {atomic_operand(&forms[i], l), l + 1};
            memcpy(&s.in[4 * l], operand, 16);
        }
        atomic_kernel(&k, &forms[i], way);
        struct atomic_check x = {&s, &forms[i], way};
        run_everywhere(&k, &s.m, 1, 32, true, verify_atomic, &x);
        tear_down(&s);
    }
}
static void atomg(void) { atomics(WAY_ATOMG); }
static void atom(void) { atomics(WAY_ATOM); }
static void atoms(void) { atomics(WAY_ATOMS); }
static void red(void) {
    atomics(WAY_RED);
    atomics(WAY_RED_GENERIC);
}
static void reds(void) { atomics(WAY_REDS); }

/* 128-bit exchange and compare-and-swap: every lane on words of its own. */
static void atomic128(void) {
    struct setting s;
    struct kernel k = {0};
    static uint32_t want[32 * 4];
    set_up(&s);
    index_of_thread(&k);
    element(&k, 4, IN, 16);
    element(&k, 6, EXTRA, 16);
    EMIT(&k, LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .width = 16, .wbar = 0);
    EMIT(&k, ATOMG, .dst = 12, .src = {REG(6), REG(8)}, .sub = MIR_ATOM_EXCH, .type = MIR_B128,
         .width = 16, GLOBAL, .sem = MIR_RELAXED, .wait = 1, .wbar = 1);
    /* now compare with what is there and put the zeros back in even lanes */
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
    tear_down(&s);
}

/* Many warps on few counters: 64 of them, every thread adds twice without using the result. */
static void counters(void) {
    struct setting s;
    struct kernel k = {0};
    uint32_t want[64];
    set_up(&s);
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
    tear_down(&s);
}

/* ---- order */

/* A thread's own `red`, volatile store, plain store and loads of one word, in program order. */
static void own_order(void) {
    struct setting s;
    struct kernel k = {0};
    static uint32_t want[64 * 4];
    set_up(&s);
    index_of_thread(&k);
    element(&k, 4, EXTRA, 4);
    element(&k, 6, OUT, 16);
    EMIT(&k, RED, .src = {REG(4), IMM(5)}, .sub = MIR_ATOM_ADD, GLOBAL, .sem = MIR_RELAXED);
    LOAD(&k, 8, 4, .wbar = 0);                                        /* 5: sees the red */
    EMIT(&k, IADD3, .dst = 9, .src = {REG(8), IMM(1)}, .wait = 1);
    STORE(&k, 4, 9);                                                  /* 6 */
    EMIT(&k, RED, .src = {REG(4), IMM(10)}, .sub = MIR_ATOM_ADD, GLOBAL, .sem = MIR_RELAXED);
    LOAD(&k, 9, 4, .sem = MIR_VOLATILE, .wbar = 0);                   /* 16 */
    STORE(&k, 4, 1, .sem = MIR_VOLATILE);                             /* thread */
    LOAD(&k, 10, 4, .wbar = 1);                                       /* thread */
    EMIT(&k, ATOMG, .dst = 11, .src = {REG(4), IMM(3)}, .sub = MIR_ATOM_ADD, GLOBAL,
         .sem = MIR_RELAXED, .wbar = 2);                              /* thread */
    EMIT(&k, STG, .src = {REG(6), REG(8)}, GLOBAL, .width = 16, .wait = 7);
    EMIT(&k, EXIT);
    for (uint32_t t = 0; t < 64; t++) {
        const uint32_t w[4] = {5, 16, t, t};
        memcpy(&want[4 * t], w, 16);
    }
    struct expected_words x = {s.out, want, 256, "own order"};
    run_everywhere(&k, &s.m, 1, 64, true, verify_list, &x);
    tear_down(&s);
}

/* The same in shared memory, where a thread's words lie in one sector with others'. */
static void own_order_shared(void) {
    struct setting s;
    struct kernel k = {0};
    static uint32_t want[64 * 4];
    set_up(&s);
    k.shared_bytes = 256;
    index_of_thread(&k);
    EMIT(&k, SHF, .dst = 4, .src = {REG(1), IMM(2)});
    element(&k, 6, OUT, 16);
    EMIT(&k, STS, .src = {REG(4), IMM(1)});
    EMIT(&k, REDS, .src = {REG(4), IMM(5)}, .sub = MIR_ATOM_ADD, .sem = MIR_RELAXED);
    EMIT(&k, LDS, .dst = 8, .src = {REG(4)}, .wbar = 0);                       /* 6 */
    EMIT(&k, STS, .src = {REG(4), REG(1)});                                    /* thread */
    EMIT(&k, LDS, .dst = 9, .src = {REG(4)}, .sem = MIR_VOLATILE, .wbar = 0);  /* thread */
    EMIT(&k, ATOMS, .dst = 10, .src = {REG(4), IMM(9)}, .sub = MIR_ATOM_EXCH, .sem = MIR_RELAXED,
         .wbar = 1);                                                           /* thread */
    EMIT(&k, LDS, .dst = 11, .src = {REG(4)}, .wbar = 1);                      /* 9 */
    EMIT(&k, STG, .src = {REG(6), REG(8)}, GLOBAL, .width = 16, .wait = 3);
    EMIT(&k, EXIT);
    for (uint32_t t = 0; t < 64; t++) {
        const uint32_t w[4] = {6, t, t, 9};
        memcpy(&want[4 * t], w, 16);
    }
    struct expected_words x = {s.out, want, 256, "own order, shared"};
    run_everywhere(&k, &s.m, 1, 64, true, verify_list, &x);
    tear_down(&s);
}

/* Which records wait for what, in program order. */
static void wait_bits(void) {
    enum { DRAIN = EXEC_WAIT_POSTED };
    struct setting s;
    struct kernel k = {0};
    uint8_t want[64] = {0};
    set_up(&s);
    index_of_thread(&k);
    element(&k, 4, OUT, 4);
    element(&k, 6, EXTRA, 4);
#define RED_(imm_) EMIT(&k, RED, .src = {REG(4), IMM(1)}, .sub = MIR_ATOM_ADD, GLOBAL, .imm = imm_)
#define FENCE() EMIT(&k, MEMBAR, .sem = MIR_SC)
    FENCE();                                                    /* nothing to wait for */
    RED_(0);
    want[FENCE()] = DRAIN;
    FENCE();                                                    /* drained already */
    LOAD(&k, 8, 4, .sem = MIR_VOLATILE, .wbar = 0);
    want[FENCE()] = 1;                                          /* nobody has waited for it */
    LOAD(&k, 8, 4, .sem = MIR_VOLATILE, .wbar = 0);
    EMIT(&k, IADD3, .dst = 9, .src = {REG(8), IMM(1)}, .wait = 1);
    FENCE();                                                    /* the addition has */
    RED_(0);
    LOAD(&k, 8, 6);                                             /* another sector */
    want[LOAD(&k, 8, 4, .wbar = 3)] = DRAIN;                    /* the same */
    want[STORE(&k, 6, 9, .sem = MIR_RELEASE)] = 8;              /* after the load */
    want[STORE(&k, 6, 9, .sem = MIR_RELEASE)] = DRAIN;          /* after the store */
    want[LOAD(&k, 10, 4, .sem = MIR_ACQUIRE, .wbar = 2)] = 0;
    want[LOAD(&k, 11, 4, .imm = 1024)] = 4;                     /* after the acquire */
    LOAD(&k, 11, 4, .imm = 1024);
    for (int i = 0; i < 15; i++) RED_(2048 + 128 * i);          /* with the store: 16 */
    want[RED_(2048 + 128 * 15)] = DRAIN;                        /* one too many */
    RED_(0);
    want[EMIT(&k, EXIT)] = DRAIN;
    MUST(k.count == 41);
    struct exec_launch l = kernel_launch(&k, &s.m, 1, 8);
    l.immediate = false;
    struct exec_pool *pool;
    struct exec_cta *cta;
    struct exec_record record[64];
    static struct exec_access access[64];
    struct exec_trace t = {record, access, 0, 0, 64};
    cr_assert_eq(exec_launch_prepare(&l, NULL), HEDDLE_OK);
    cr_assert_eq(exec_pool_create(&pool), HEDDLE_OK);
    cr_assert_eq(exec_cta_create(&cta, pool, &l, 0, 0), HEDDLE_OK);
    struct exec_warp *w = exec_cta_warp(cta, 0);
    for (uint32_t done = 0; exec_warp_run(w, 1, &t) != EXEC_EXITED; done = t.num_records) {
        if (t.num_records == done) { /* it waits: what it says is what the next record will */
            uint32_t next = record[done - 1].pc + 1;
            cr_assert_eq(exec_warp_wait(w), want[next] | k.code[next].wait, "hold before %u", next);
            for (uint32_t i = 0; i < done; i++) {
                if (record[i].slot == EXEC_NO_SLOT) continue;
                exec_perform(w, record[i].slot, UINT32_MAX, 0);
                cr_assert(exec_complete(w, record[i].slot, UINT32_MAX));
                record[i].slot = EXEC_NO_SLOT;
            }
            cr_assert(exec_warp_ready(w));
        }
    }
    for (uint32_t i = 0; i < t.num_records; i++)
        cr_assert_eq(record[i].wait, want[i], "record %u waits for 0x%x", i,
                     record[i].wait);
    exec_cta_release(pool, cta);
    exec_pool_free(pool);
    exec_launch_finish(&l);
    tear_down(&s);
}

/* More strong operations than there are slots, without waiting in between. */
static void many_in_flight(void) {
    struct setting s;
    struct kernel k = {0};
    static uint32_t want[64];
    set_up(&s);
    index_of_thread(&k);
    element(&k, 4, IN, 4);
    element(&k, 6, EXTRA, 4);
    element(&k, 8, OUT, 4);
    for (uint8_t i = 0; i < 40; i++)
        LOAD(&k, 20 + i, 4, .sem = MIR_RELAXED, .imm = 256 * i, .wbar = i % 6);
    for (uint8_t i = 0; i < 40; i++)
        STORE(&k, 6, 20 + i, .sem = MIR_RELAXED, .imm = 256 * i, .wait = 1u << (i % 6));
    for (uint8_t i = 0; i < 12; i++) EMIT(&k, CS2R, .dst = 100 + i, .sub = MIR_SR_CLOCK_LO);
    for (uint8_t i = 0; i < 40; i++)
        EMIT(&k, IADD3, .dst = 10, .src = {REG(10), REG(20 + i)});
    STORE(&k, 8, 10);
    EMIT(&k, EXIT);
    for (uint32_t t = 0; t < 64; t++)
        for (uint32_t i = 0; i < 40; i++) want[t] += s.in[t + 64 * i];
    struct expected_words x = {s.out, want, 64, "many in flight"};
    run_everywhere(&k, &s.m, 1, 64, true, verify_list, &x);
    struct expected_words y = {s.extra, s.in, 40 * 64, "many in flight, stored"};
    verify_list(&s.m, &y);
    tear_down(&s);
}

/* Message passing between CTAs. CTA 0 writes 32 plain words and raises a flag, CTA 1 waits for the
 * flag and reads. How: 0 fences and volatile flag, 1 release and acquire, 2 release and acquire
 * without waiting (reads what it must when the flag was up), 3 exchange as flag. */
static void message(unsigned how, bool spin) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    EMIT(&k, S2R, .dst = 1, .sub = MIR_SR_TID_X);
    EMIT(&k, S2R, .dst = 2, .sub = MIR_SR_CTAID_X);
    element(&k, 4, EXTRA, 4);
    EMIT(&k, IMAD, .dst = 6, .flags = MIR_WIDE, .src = {RZ, RZ, PARAM(EXTRA)}); /* flag: +1024 */
    element(&k, 8, OUT, 8);
    uint8_t store_sem = how == 0 ? MIR_VOLATILE : MIR_RELEASE;
    uint8_t load_sem = how == 0 ? MIR_VOLATILE : MIR_ACQUIRE;
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_NE, .src = {REG(2), IMM(0)});
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(1), IMM(0)});
    uint32_t reader = EMIT(&k, BRA, .guard = 0);
    EMIT(&k, IADD3, .dst = 10, .src = {REG(1), IMM(500)});
    STORE(&k, 4, 10);
    STORE(&k, 4, 10, .sem = MIR_RELAXED, .imm = 128); /* a posted one before the flag */
    EMIT(&k, WARPSYNC);
    EMIT(&k, MOV, .dst = 11, .src = {IMM(1)});
    if (how == 0) EMIT(&k, MEMBAR, .sem = MIR_SC, .scope = MIR_SCOPE_GPU);
    if (how == 3)
        EMIT(&k, ATOMG, .guard = 1, .src = {REG(6), REG(11)}, .sub = MIR_ATOM_EXCH, GLOBAL,
             .imm = 1024, .sem = MIR_RELEASE);
    else STORE(&k, 6, 11, .guard = 1, .sem = store_sem, .imm = 1024);
    EMIT(&k, EXIT);
    PATCH(&k, reader);
    uint32_t top = HERE(&k);
    LOAD(&k, 12, 6, .sem = load_sem, .imm = 1024, .wbar = 0);
    if (spin) {
        EMIT(&k, ISETP, .pdst = {2, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(12), IMM(0)},
             .wait = 1);
        EMIT(&k, BRA, .guard = 2, .imm = (int32_t)top);
    }
    if (how == 0) EMIT(&k, MEMBAR, .sem = MIR_SC, .scope = MIR_SCOPE_GPU);
    LOAD(&k, 13, 4, .wbar = 1);
    LOAD(&k, 14, 4, .wbar = 1, .imm = 128);
    EMIT(&k, ISETP, .pdst = {2, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(12), IMM(0)}, .wait = 3);
    EMIT(&k, IADD3, .guard = 2, .dst = 13, .src = {REG(1), IMM(500)}); /* not up: nothing to say */
    EMIT(&k, IADD3, .guard = 2, .dst = 14, .src = {REG(1), IMM(500)});
    EMIT(&k, STG, .src = {REG(8), REG(13)}, GLOBAL, .wait = 2);
    STORE(&k, 8, 14, .imm = 4);
    EMIT(&k, EXIT);
    uint32_t want[64];
    for (uint32_t t = 0; t < 64; t++) want[t] = 500 + t / 2;
    struct expected_words x = {s.out, want, 64, "message"};
    for (int i = 0; i < 8; i++) run_everywhere(&k, &s.m, 2, 32, false, verify_list, &x);
    tear_down(&s);
}
static void fence_message(void) {
    message(0, true);
    message(0, false);
}
static void release_message(void) {
    message(1, true);
    message(2, false);
    message(3, true);
}

/* The last CTA to arrive at a counter adds the partial sums of all: plain partials, fence, atomic. */
static void last_block(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    EMIT(&k, S2R, .dst = 1, .sub = MIR_SR_CTAID_X);
    EMIT(&k, S2R, .dst = 0, .sub = MIR_SR_LANEID);
    element(&k, 4, EXTRA, 4);
    EMIT(&k, IMAD, .dst = 6, .flags = MIR_WIDE, .src = {RZ, RZ, PARAM(EXTRA)});
    EMIT(&k, IMAD, .dst = 8, .flags = MIR_WIDE, .src = {RZ, RZ, PARAM(OUT)});
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(0), IMM(0)});
    EMIT(&k, EXIT, .guard = 0 | MIR_PNOT);
    EMIT(&k, IADD3, .dst = 10, .src = {REG(1), IMM(1)});
    STORE(&k, 4, 10);
    EMIT(&k, MEMBAR, .sem = MIR_SC, .scope = MIR_SCOPE_GPU);
    EMIT(&k, ATOMG, .dst = 11, .src = {REG(6), IMM(15)}, .sub = MIR_ATOM_INC, GLOBAL, .imm = 2048,
         .sem = MIR_RELAXED, .wbar = 0);
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_NE, .src = {REG(11), IMM(15)}, .wait = 1);
    EMIT(&k, EXIT, .guard = 1);
    EMIT(&k, MEMBAR, .sem = MIR_SC, .scope = MIR_SCOPE_GPU);
    for (uint8_t i = 0; i < 16; i++) {
        LOAD(&k, 12, 6, .imm = 4 * i, .wbar = 1);
        EMIT(&k, IADD3, .dst = 13, .src = {REG(13), REG(12)}, .wait = 2);
    }
    STORE(&k, 8, 13);
    EMIT(&k, EXIT);
    uint32_t want[1] = {16 * 17 / 2};
    struct expected_words x = {s.out, want, 1, "last block"};
    run_everywhere(&k, &s.m, 16, 32, false, verify_list, &x);
    tear_down(&s);
}

/* Volatile shared flags between warps: each waits for the one before. */
static void shared_flags(void) {
    struct setting s;
    struct kernel k = {0};
    static uint32_t want[128];
    set_up(&s);
    k.shared_bytes = 64;
    index_of_thread(&k);
    EMIT(&k, S2R, .dst = 3, .sub = MIR_SR_WARPID);
    element(&k, 4, OUT, 4);
    EMIT(&k, SHF, .dst = 6, .src = {REG(3), IMM(2)});
    EMIT(&k, ISETP, .pdst = {0, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(3), IMM(0)});
    uint32_t first = EMIT(&k, BRA, .guard = 0);
    uint32_t top = HERE(&k);
    EMIT(&k, LDS, .dst = 7, .src = {REG(6)}, .imm = -4, .sem = MIR_VOLATILE, .wbar = 0);
    EMIT(&k, ISETP, .pdst = {1, MIR_PT}, .cmp = MIR_CMP_EQ, .src = {REG(7), IMM(0)}, .wait = 1);
    EMIT(&k, BRA, .guard = 1, .imm = (int32_t)top);
    PATCH(&k, first);
    EMIT(&k, IADD3, .dst = 7, .src = {REG(7), IMM(5)});
    EMIT(&k, STS, .src = {REG(6), REG(7)}, .sem = MIR_VOLATILE);
    STORE(&k, 4, 7);
    EMIT(&k, EXIT);
    for (uint32_t t = 0; t < 128; t++) want[t] = 5 * (t / 32 + 1);
    struct expected_words x = {s.out, want, 128, "shared flags"};
    run_everywhere(&k, &s.m, 1, 128, false, verify_list, &x);
    tear_down(&s);
}

/* Clocks: what timing says in a timed launch, growing in an immediate one. */
static void clocks(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    index_of_thread(&k);
    element(&k, 4, OUT, 16);
    EMIT(&k, CS2R, .dst = 8, .sub = MIR_SR_CLOCK64);
    EMIT(&k, CS2R, .dst = 10, .sub = MIR_SR_GLOBALTIMER);
    EMIT(&k, STG, .src = {REG(4), REG(8)}, GLOBAL, .width = 16);
    EMIT(&k, EXIT);
    cr_assert_eq(kernel_run(&k, &s.m, 1, 32, NULL, NULL, NULL), HEDDLE_OK);
    cr_assert_lt(s.out[0], s.out[2]);
    struct exec_launch l = kernel_launch(&k, &s.m, 1, 32);
    l.immediate = false;
    struct exec_pool *pool;
    struct exec_cta *cta;
    struct exec_record record[64];
    static struct exec_access access[64];
    struct exec_trace t = {record, access, 0, 0, 64};
    cr_assert_eq(exec_launch_prepare(&l, NULL), HEDDLE_OK);
    cr_assert_eq(exec_pool_create(&pool), HEDDLE_OK);
    cr_assert_eq(exec_cta_create(&cta, pool, &l, 0, 0), HEDDLE_OK);
    struct exec_warp *w = exec_cta_warp(cta, 0);
    cr_assert_eq(exec_warp_run(w, 100, &t), EXEC_WAIT_SLOT); /* at the store */
    uint32_t n = t.num_records;
    cr_assert_not(exec_warp_ready(w));
    cr_assert_eq(exec_cta_ready(cta), 0);
    exec_perform(w, record[n - 1].slot, UINT32_MAX, 0x987654321);
    exec_perform(w, record[n - 2].slot, UINT32_MAX, 0x123456789);
    cr_assert(exec_complete(w, record[n - 1].slot, UINT32_MAX));
    cr_assert_not(exec_warp_ready(w));
    cr_assert_not(exec_complete(w, record[n - 2].slot, 0xffff));
    cr_assert(exec_complete(w, record[n - 2].slot, 0xffff0000));
    cr_assert_eq(exec_cta_ready(cta), 1);
    cr_assert_eq(exec_warp_run(w, 100, &t), EXEC_EXITED);
    cr_assert_eq(t.record[t.num_records - 1].flags, EXEC_REC_END);
    for (unsigned i = 0; i < 32; i++) {
        const uint32_t want[4] = {0x23456789, 1, 0x87654321, 9};
        cr_assert_eq(memcmp(&s.out[4 * i], want, 16), 0, "lane %u", i);
    }
    exec_cta_release(pool, cta);
    exec_pool_free(pool);
    exec_launch_finish(&l);
    tear_down(&s);
}

/* A prefetch of a wrong address is none. */
static void prefetch(void) {
    struct setting s;
    struct kernel k = {0};
    set_up(&s);
    index_of_thread(&k);
    element(&k, 4, OUT, 4);
    EMIT(&k, PREFETCH, .src = {REG(4)}, GLOBAL);
    EMIT(&k, PREFETCH, .src = {RZ}, GLOBAL);
    STORE(&k, 4, 1);
    EMIT(&k, EXIT);
    uint32_t want[64];
    for (uint32_t t = 0; t < 64; t++) want[t] = t;
    struct expected_words x = {s.out, want, 64, "prefetch"};
    run_everywhere(&k, &s.m, 1, 64, true, verify_list, &x);
    tear_down(&s);
}

/* ---- wrong addresses */

struct wrong {
    const char *name;
    struct mir_inst inst;  /* address in R4:5 = OUT + imm */
    heddle_err err;
    int64_t address;       /* relative to OUT for global */
    uint32_t thread;
    const char *text;
};
static void wrong_addresses(void) {
    static const struct wrong cases[] = {
        {"behind", INST(LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .imm = WORDS * 4 - 4),
         HEDDLE_ERR_ILLEGAL_ADDRESS, WORDS * 4, 1, "read of 4 bytes at global address"},
        {"in front", INST(STG, .src = {REG(4), REG(0)}, GLOBAL, .imm = -8),
         HEDDLE_ERR_ILLEGAL_ADDRESS, -8, 0, "write of 4 bytes at global address"},
        {"odd", INST(LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .imm = 2), HEDDLE_ERR_MISALIGNED, 2, 0,
         "misaligned address: read of 4 bytes"},
        {"wide odd", INST(LDG, .dst = 8, .src = {REG(4)}, GLOBAL, .width = 16),
         HEDDLE_ERR_MISALIGNED, 4, 1, "read of 16 bytes"},
        {"null", INST(STG, .src = {RZ, REG(0)}, GLOBAL), HEDDLE_ERR_ILLEGAL_ADDRESS, INT64_MIN, 0,
         "at global address 0x0"},
        {"atomic", INST(RED, .src = {REG(4), REG(0)}, GLOBAL, .imm = 64 * 1024 * 1024),
         HEDDLE_ERR_ILLEGAL_ADDRESS, 64 * 1024 * 1024, 0, "write of 4 bytes"},
        {"shared", INST(LDS, .dst = 8, .src = {REG(6)}, .imm = 64), HEDDLE_ERR_ILLEGAL_ADDRESS,
         INT64_MIN, 9, "beyond the CTA's shared memory: read of 4 bytes at shared address 0x64"},
        {"stack", INST(STL, .src = {REG(6), REG(0)}, .width = 8), HEDDLE_ERR_MISALIGNED, INT64_MIN,
         1, "write of 8 bytes at local address 0x4"},
        {"deep stack", INST(STL, .src = {REG(6), REG(0)}), HEDDLE_ERR_ILLEGAL_ADDRESS, INT64_MIN, 5,
         "beyond the thread's stack"},
        {"generic shared", INST(LD, .dst = 8, .src = {REG(10)}, .flags = MIR_ADDR64),
         HEDDLE_ERR_ILLEGAL_ADDRESS, INT64_MIN, 0, "at shared address 0x1000"},
        {"local atomic", INST(ATOM, .dst = 8, .src = {REG(12), REG(0)}, .flags = MIR_ADDR64),
         HEDDLE_ERR_ILLEGAL_ADDRESS, INT64_MIN, 0, "atomic operation on local memory"},
    };
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct setting s;
        struct kernel k = {.shared_bytes = 100, .local_bytes = 20};
        struct exec_fault f;
        struct heddle_diag d = {0};
        set_up(&s);
        index_of_thread(&k);
        element(&k, 4, OUT, 4);
        EMIT(&k, SHF, .dst = 6, .src = {REG(0), IMM(2)});
        EMIT(&k, MOV, .dst = 10, .src = {IMM(0x1000)});
        EMIT(&k, MOV, .dst = 11, .src = {IMM(MIR_SHARED_WINDOW >> 32)});
        EMIT(&k, MOV, .dst = 12, .src = {IMM(8)});
        EMIT(&k, MOV, .dst = 13, .src = {IMM(MIR_LOCAL_WINDOW >> 32)});
        kernel_add(&k, cases[i].inst);
        EMIT(&k, EXIT);
        heddle_err e = kernel_run(&k, &s.m, 1, 32, NULL, &f, &d);
        cr_assert_eq(e, cases[i].err, "%s: %s", cases[i].name, d.text);
        cr_assert(strstr(d.text, cases[i].text), "%s: '%s' in '%s'", cases[i].name, cases[i].text,
                  d.text);
        if (cases[i].address != INT64_MIN)
            cr_assert_eq(f.address, (uintptr_t)s.out + (uint64_t)cases[i].address, "%s",
                         cases[i].name);
        cr_assert_eq(f.thread[0], cases[i].thread, "%s: thread %u", cases[i].name, f.thread[0]);
        cr_assert_eq(f.write, cases[i].inst.op != MIR_LDG && cases[i].inst.op != MIR_LDS &&
                                  cases[i].inst.op != MIR_LD);
        /* The same in a timed launch. */
        struct exec_launch l = kernel_launch(&k, &s.m, 1, 32);
        struct timed_result r;
        cr_assert_eq(timed_run(&l, 3, false, &r), cases[i].err, "%s, timed", cases[i].name);
        cr_assert_eq(r.fault.address, f.address);
        tear_down(&s);
    }
}

const struct op_program memory_programs[] = {
    {MIR_LDG, global_widths}, {MIR_STG, global_widths}, {MIR_LDS, shared_widths},
    {MIR_STS, shared_widths}, {MIR_LDL, local_widths}, {MIR_STL, local_widths}, {MIR_LD, generic},
    {MIR_ST, generic}, {MIR_LDC, indexed_constants}, {MIR_ATOMG, atomg}, {MIR_ATOMG, atomic128},
    {MIR_ATOMG, counters}, {MIR_ATOM, atom}, {MIR_ATOMS, atoms}, {MIR_RED, red}, {MIR_REDS, reds},
    {MIR_RED, own_order}, {MIR_REDS, own_order_shared}, {MIR_LDG, many_in_flight},
    {MIR_MEMBAR, wait_bits}, {MIR_MEMBAR, fence_message},
    {MIR_STG, release_message}, {MIR_ATOMG, last_block}, {MIR_LDS, shared_flags},
    {MIR_CS2R, clocks}, {MIR_PREFETCH, prefetch}, {MIR_LDG, wrong_addresses},
};
const unsigned num_memory_programs = sizeof memory_programs / sizeof *memory_programs;
