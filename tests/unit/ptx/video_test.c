/* video_test.c - video instructions with random types, selectors, saturation and secondary
 * operations, compared with a transcription of PTX's description into C, with 128-bit
 * arithmetic. */
#include "run_ptx.h"
#include "text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef __int128 wide;

enum { THREADS = 64, PER_KERNEL = 40, KERNELS = 30, TEXT = 32 * 1024 };

/* A selector: part `at` of the register's parts of `bits` bits. bits 0: no selector. */
struct part {
    unsigned bits, at;
};
enum second { NONE, ADD, MIN, MAX };
struct video {
    const char *op;
    bool d_signed, a_signed, b_signed, sat, wrap, po, minus_a, minus_b, minus_c;
    enum second second;
    struct part d, a, b;
    unsigned cmp, scale;
    unsigned parts, mask, from_a[4], from_b[4]; /* SIMD: mask 0 and from_a[0] 99: not written */
    bool plain_a, plain_b, plain_mask;
};

/* ---- what PTX says --------------------------------------------------------------------------- */

static wide extract(uint32_t w, struct part p, bool is_signed) {
    unsigned bits = p.bits ? p.bits : 32;
    uint32_t x = w >> (bits == 32 ? 0 : bits * p.at);
    if (bits == 8) return is_signed ? (wide)(int8_t)x : (wide)(uint8_t)x;
    if (bits == 16) return is_signed ? (wide)(int16_t)x : (wide)(uint16_t)x;
    return is_signed ? (wide)(int32_t)x : (wide)x;
}
static wide clamp(wide x, bool is_signed, unsigned bits) {
    wide most = ((wide)1 << (bits - is_signed)) - 1, least = is_signed ? -most - 1 : 0;
    return x < least ? least : x > most ? most : x;
}
static wide of_33_bits(wide x) {
    wide low = x & (((wide)1 << 33) - 1);
    return low >> 32 & 1 ? low - ((wide)1 << 33) : low;
}
static bool holds(unsigned cmp, wide a, wide b) {
    switch (cmp) {
    case 0: return a < b;
    case 1: return a == b;
    case 2: return a <= b;
    case 3: return a > b;
    case 4: return a != b;
    default: return a >= b;
    }
}
static bool is(const struct video *v, const char *op) {
    return strncmp(v->op, op, strlen(op)) == 0;
}

/* Applies the secondary operation to t and c, or merges t's part into c. */
static uint32_t second_and_merge(const struct video *v, wide t, uint32_t c, bool is_signed) {
    wide other = is_signed ? (wide)(int32_t)c : (wide)c;
    if (!v->sat) t = of_33_bits(t);
    switch (v->second) {
    case ADD: return (uint32_t)(t + other);
    case MIN: return (uint32_t)(t < other ? t : other);
    case MAX: return (uint32_t)(t > other ? t : other);
    default: break;
    }
    if (!v->d.bits) return (uint32_t)t;
    uint32_t field = (v->d.bits == 8 ? 0xffu : 0xffffu) << (v->d.bits * v->d.at);
    return ((uint32_t)t << (v->d.bits * v->d.at) & field) | (c & ~field);
}

/* Reference of the scalar instructions except vmad. */
static uint32_t scalar(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
    wide x = extract(a, v->a, v->a_signed), y = extract(b, v->b, v->b_signed), t;
    if (is(v, "vset")) return second_and_merge(v, holds(v->cmp, x, y), c, false);
    if (is(v, "vadd")) {
        t = x + y;
    } else if (is(v, "vsub")) {
        t = x - y;
    } else if (is(v, "vabsdiff")) {
        t = x > y ? x - y : y - x;
    } else if (is(v, "vmin")) {
        t = x < y ? x : y;
    } else if (is(v, "vmax")) {
        t = x > y ? x : y;
    } else {
        unsigned by = v->wrap ? (unsigned)(y & 31) : y > 32 ? 32 : (unsigned)y;
        t = is(v, "vshl") ? x * ((wide)1 << by) : x >> by;
    }
    if (v->sat) t = clamp(t, v->d_signed, v->d.bits ? v->d.bits : 32);
    return second_and_merge(v, t, c, v->d_signed);
}

/* Reference of vmad. */
static uint32_t mad(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
    bool minus = v->minus_a != v->minus_b;
    bool final_signed = v->a_signed || v->b_signed || minus || v->minus_c;
    wide t = extract(a, v->a, v->a_signed) * extract(b, v->b, v->b_signed);
    unsigned lsb = v->po;
    if (minus) {
        t = ~t;
        lsb = 1;
    } else if (v->minus_c) {
        c = ~c;
        lsb = 1;
    }
    t = t + (final_signed ? (wide)(int32_t)c : (wide)c) + lsb;
    t >>= v->scale;
    return (uint32_t)(v->sat ? clamp(t, final_signed, 32) : t);
}

/* Reference of the SIMD instructions: each part under the mask. */
static uint32_t simd(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
    unsigned bits = 32 / v->parts;
    uint32_t d = c, word[2] = {a, b}, ones = v->parts == 2 ? 0xffff : 0xff;
    for (unsigned i = 0; i < v->parts; i++) {
        struct part pa = {bits, v->from_a[i] % v->parts}, pb = {bits, v->from_b[i] % v->parts};
        wide x = extract(word[v->from_a[i] / v->parts], pa, v->a_signed), t;
        wide y = extract(word[v->from_b[i] / v->parts], pb, v->b_signed);
        if (!(v->mask >> i & 1)) continue;
        if (is(v, "vadd"))
            t = x + y;
        else if (is(v, "vsub"))
            t = x - y;
        else if (is(v, "vavrg"))
            t = x + y >= 0 ? (x + y + 1) >> 1 : (x + y) >> 1;
        else if (is(v, "vabsdiff"))
            t = x > y ? x - y : y - x;
        else if (is(v, "vmin"))
            t = x < y ? x : y;
        else if (is(v, "vmax"))
            t = x > y ? x : y;
        else
            t = holds(v->cmp, x, y);
        if (v->sat) t = clamp(t, v->d_signed, bits);
        if (v->second == ADD)
            d += (uint32_t)t;
        else
            d = (d & ~(ones << bits * i)) | ((uint32_t)t & ones) << bits * i;
    }
    return d;
}

static uint32_t want(const struct video *v, uint32_t a, uint32_t b, uint32_t c) {
    if (v->parts) return simd(v, a, b, c);
    return is(v, "vmad") ? mad(v, a, b, c) : scalar(v, a, b, c);
}

/* ---- random instructions --------------------------------------------------------------------- */

static uint64_t seed = 1;
static unsigned draw(unsigned n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(seed >> 33) % n;
}
static struct part any_part(void) {
    static const unsigned bits[] = {0, 0, 8, 16};
    struct part p = {.bits = bits[draw(4)]};
    if (p.bits) p.at = draw(32 / p.bits);
    return p;
}

/* Returns a random instruction that PTX allows. */
static struct video any(void) {
    static const char *const ops[] = {
        "vadd",  "vsub",  "vabsdiff", "vmin",      "vmax",      "vshl",  "vshr",  "vmad",
        "vset",  "vadd2", "vsub2",    "vavrg2",    "vabsdiff2", "vmin2", "vmax2", "vset2",
        "vadd4", "vsub4", "vavrg4",   "vabsdiff4", "vmin4",     "vmax4", "vset4",
    };
    struct video v = {.op = ops[draw(sizeof ops / sizeof *ops)]};
    char last = v.op[strlen(v.op) - 1];
    bool sets = is(&v, "vset");
    v.parts = last == '2' ? 2 : last == '4' ? 4 : 0;
    v.d_signed = draw(2);
    v.a_signed = draw(2);
    v.b_signed = draw(2) && !is(&v, "vsh");
    v.sat = !sets && draw(2);
    v.wrap = draw(2);
    v.cmp = draw(6);
    if (v.parts) {
        v.mask = (1u << v.parts) - 1;
        v.plain_mask = draw(3) == 0;
        if (!v.plain_mask) v.mask = 1 + draw(v.mask);
        v.plain_a = draw(2);
        v.plain_b = draw(2);
        for (unsigned i = 0; i < v.parts; i++) {
            v.from_a[i] = v.plain_a ? i : draw(2 * v.parts);
            v.from_b[i] = v.plain_b ? v.parts + i : draw(2 * v.parts);
        }
        if (draw(2)) {
            v.second = ADD;
            v.sat = false; /* PTX allows only one of them */
        }
        return v;
    }
    v.a = any_part();
    v.b = any_part();
    if (is(&v, "vmad")) {
        static const unsigned scale[] = {0, 7, 15};
        v.scale = scale[draw(3)];
        v.po = draw(4) == 0;
        v.minus_a = !v.po && draw(3) == 0;
        v.minus_b = !v.po && draw(3) == 0;
        v.minus_c = !v.po && v.minus_a == v.minus_b && draw(3) == 0;
        return v;
    }
    if (draw(2)) v.d = any_part();
    if (!v.d.bits) v.second = draw(4);
    return v;
}

static void add_part(struct text *t, struct part p) {
    if (p.bits) add(t, ".%c%u", p.bits == 8 ? 'b' : 'h', p.at);
}
static void add_places(struct text *t, const struct video *v, const unsigned *from) {
    add(t, ".%c", v->parts == 2 ? 'h' : 'b');
    for (unsigned i = v->parts; i--;) add(t, "%u", from[i]);
}

/* Writes the instruction as PTX. */
static void add_instruction(struct text *t, const struct video *v) {
    static const char *const seconds[] = {"", ".add", ".min", ".max"};
    static const char *const compare[] = {"lt", "eq", "le", "gt", "ne", "ge"};
    bool sets = is(v, "vset"), shifts = is(v, "vsh"), mads = is(v, "vmad");
    add(t, "%s", v->op);
    if (!sets) add(t, ".%c32", v->d_signed ? 's' : 'u');
    add(t, ".%c32.%c32", v->a_signed ? 's' : 'u', v->b_signed ? 's' : 'u');
    if (sets) add(t, ".%s", compare[v->cmp]);
    if (v->po) add(t, ".po");
    if (v->sat) add(t, ".sat");
    if (shifts) add(t, v->wrap ? ".wrap" : ".clamp");
    if (v->scale) add(t, ".shr%u", v->scale);
    add(t, "%s %%r10", seconds[v->second]);
    add_part(t, v->d);
    if (v->parts && !v->plain_mask) {
        add(t, ".%c", v->parts == 2 ? 'h' : 'b');
        for (unsigned i = v->parts; i--;)
            if (v->mask >> i & 1) add(t, "%u", i);
    }
    add(t, ", %s%%r1", v->minus_a ? "-" : "");
    if (v->parts && !v->plain_a)
        add_places(t, v, v->from_a);
    else
        add_part(t, v->a);
    add(t, ", %s%%r2", v->minus_b ? "-" : "");
    if (v->parts && !v->plain_b)
        add_places(t, v, v->from_b);
    else
        add_part(t, v->b);
    if (v->parts || mads || v->second || v->d.bits) add(t, ", %s%%r3", v->minus_c ? "-" : "");
    add(t, ";\n");
}

/* Returns a random source word, often a special value. */
static uint32_t any_word(void) {
    static const uint32_t special[] = {0,          1,          0x7f,       0x80,       0xff,
                                       0x7fff,     0x8000,     0xffff,     0x7fffffff, 0x80000000,
                                       0xffffffff, 0x80808080, 0x7f7f7f7f, 0x80008000, 31,
                                       32,         33,         0xfffffffe};
    uint32_t r = (uint32_t)draw(1u << 16) << 16 | draw(1u << 16);
    unsigned how = draw(4);
    return how == 0   ? special[draw(sizeof special / sizeof *special)]
           : how == 1 ? r >> draw(32)
                      : r;
}

Test(ptx_video, random) {
    static char buffer[TEXT];
    for (unsigned kernel = 0; kernel < KERNELS; kernel++) {
        struct text t = {.at = buffer, .room = TEXT};
        struct video v[PER_KERNEL];
        add(&t,
            ".version 8.0\n.target sm_70\n.address_size 64\n"
            ".visible .entry k(.param .u64 p)\n{\n.reg .b64 %%rd<4>; .reg .b32 %%r<12>;\n"
            "ld.param.u64 %%rd1, [p]; mov.u32 %%r4, %%tid.x;\n"
            "mul.wide.u32 %%rd2, %%r4, %u; add.u64 %%rd1, %%rd1, %%rd2;\n"
            "ld.global.u32 %%r1, [%%rd1]; ld.global.u32 %%r2, [%%rd1+4];\n"
            "ld.global.u32 %%r3, [%%rd1+8];\n",
            4 * (PER_KERNEL + 3));
        for (unsigned i = 0; i < PER_KERNEL; i++) {
            v[i] = any();
            add_instruction(&t, &v[i]);
            add(&t, "st.global.u32 [%%rd1+%u], %%r10;\n", 4 * (i + 3));
        }
        add(&t, "ret;\n}\n");
        for (unsigned way = 0; way < 2; way++) {
            struct run r;
            struct ptx_options o;
            ptx_options_default(&o);
            o.no_optimize = way == 1;
            run_open(&r, t.at, &o);
            uint64_t base = (uint64_t)(uintptr_t)r.base;
            uint32_t *word = (uint32_t *)(void *)r.base;
            for (unsigned i = 0; i < THREADS * (PER_KERNEL + 3); i++) word[i] = any_word();
            heddle_err e = run_kernel(&r, "k", 1, THREADS, &base, 8, 0);
            cr_assert_eq(e, HEDDLE_OK, "%s", r.diag.text);
            for (unsigned thread = 0; thread < THREADS; thread++, word += PER_KERNEL + 3)
                for (unsigned i = 0; i < PER_KERNEL; i++) {
                    uint32_t w = want(&v[i], word[0], word[1], word[2]);
                    if (word[i + 3] == w) continue;
                    struct text one = {.at = buffer, .room = TEXT};
                    add_instruction(&one, &v[i]);
                    cr_assert_fail("way %u: of %x, %x, %x: %x, not %x: %s", way, word[0], word[1],
                                   word[2], word[i + 3], w, one.at);
                }
            run_close(&r);
        }
    }
}
