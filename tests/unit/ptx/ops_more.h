/* ops_more.h - rows of ops_table.h for the forms that are built of several instructions. */

/* ---- two 16-bit integers in a word */
#define HALVES(expr)                                                 \
    ({                                                               \
        u32 r = 0;                                                   \
        for (unsigned i = 0; i < 2; i++) {                           \
            u16 x = (u16)(a >> 16 * i), y = (u16)(b >> 16 * i);      \
            (void)x, (void)y;                                        \
            r |= (u32)(u16)(expr) << 16 * i;                         \
        }                                                            \
        r;                                                           \
    })
ROW(add_u16x2, "add.u16x2 %r0, %r1, %r2;" W32, BITS, HALVES(x + y))
ROW(add_s16x2, "add.s16x2 %r0, %r1, %r2;" W32, BITS, HALVES(x + y))
ROW(min_u16x2, "min.u16x2 %r0, %r1, %r2;" W32, BITS, HALVES(x < y ? x : y))
ROW(max_s16x2, "max.s16x2 %r0, %r1, %r2;" W32, BITS, HALVES((s16)x > (s16)y ? x : y))
ROW(min_relu_s16x2, "min.relu.s16x2 %r0, %r1, %r2;" W32, BITS,
    HALVES((s16)x < 0 || (s16)y < 0 ? 0 : x < y ? x : y))
ROW(max_relu_s32, "max.relu.s32 %r0, %r1, %r2;" W32, BITS, ({
        s32 x = (s32)a > (s32)b ? (s32)a : (s32)b;
        (u32)(x < 0 ? 0 : x);
    }))

/* ---- integers */
ROW(sad_u64, "sad.u64 %rd0, %rd1, %rd2, %rd3;", BITS, c + (a < b ? b - a : a - b))
ROW(sad_s64, "sad.s64 %rd0, %rd1, %rd2, %rd3;", BITS,
    c + ((s64)a < (s64)b ? (u64)b - (u64)a : (u64)a - (u64)b))
ROW(mad_hi_sat, "mad.hi.sat.s32 %r0, %r1, %r2, %r3;" W32, BITS, ({
        s64 v = ((s64)(s32)a * (s32)b >> 32) + (s32)c;
        (u32)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
    }))
ROW(mad24_hi_sat, "mad24.hi.sat.s32 %r0, %r1, %r2, %r3;" W32, BITS, ({
        s64 x = (s32)((u32)a << 8) >> 8, y = (s32)((u32)b << 8) >> 8;
        s64 v = (s64)(s32)(x * y >> 16) + (s32)c;
        (u32)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v);
    }))
/* PTX, fns: as its pseudo code does it, bit by bit. */
ROW(fns_up, "and.b32 %r2, %r2, 31; and.b32 %r3, %r3, 15; fns.b32 %r0, %r1, %r2, %r3;" W32, BITS, ({
        u32 base = b & 31, n = c & 15, found = 0, r = UINT32_MAX;
        if (n == 0) r = a >> base & 1 ? base : UINT32_MAX;
        for (u32 i = base; n && i < 32 && r == UINT32_MAX; i++)
            if (a >> i & 1 && ++found == n) r = i;
        r;
    }))
ROW(fns_down,
    "and.b32 %r2, %r2, 31; and.b32 %r3, %r3, 15; neg.s32 %r3, %r3; fns.b32 %r0, %r1, %r2, %r3;" W32,
    BITS, ({
        u32 base = b & 31, n = c & 15, found = 0, r = UINT32_MAX;
        if (n == 0) r = a >> base & 1 ? base : UINT32_MAX;
        for (s32 i = (s32)base; n && i >= 0 && r == UINT32_MAX; i--)
            if (a >> i & 1 && ++found == n) r = (u32)i;
        r;
    }))
ROW(lop3_or_pred,
    "setp.gt.s32 %p2, %r3, 0; lop3.or.b32 %r4|%p1, %r1, %r2, %r3, 0x80, %p2;\n"
    "selp.b32 %r0, 1, 0, %p1; xor.b32 %r0, %r0, %r4;" W32,
    BITS, (u32)(((u32)(a & b & c) != 0) | ((s32)c > 0)) ^ (u32)(a &b &c))
ROW(lop3_and_pred,
    "setp.gt.s32 %p2, %r3, 0; lop3.and.b32 _|%p1, %r1, %r2, %r3, 0x96, %p2;\n"
    "selp.b32 %r0, 1, 0, %p1;" W32,
    BITS, ((u32)(a ^ b ^ c) != 0) & ((s32)c > 0))
ROW(bmsk_wrap, "bmsk.wrap.b32 %r0, %r1, %r2;" W32, BITS, ({
        u32 pos = a & 31, len = b & 31;
        (u32)((u32)((1ull << len) - 1) << pos);
    }))
ROW(cvt_pack_s16, "cvt.pack.sat.s16.s32 %r0, %r1, %r2;" W32, BITS, ({
        s32 x = (s32)a, y = (s32)b;
        x = x > 32767 ? 32767 : x < -32768 ? -32768 : x;
        y = y > 32767 ? 32767 : y < -32768 ? -32768 : y;
        (u32)(u16)x << 16 | (u16)y;
    }))
ROW(cvt_pack_u8, "cvt.pack.sat.u8.s32.b32 %r0, %r1, %r2, %r3;" W32, BITS, ({
        s32 x = (s32)a, y = (s32)b;
        x = x > 255 ? 255 : x < 0 ? 0 : x;
        y = y > 255 ? 255 : y < 0 ? 0 : y;
        (u32)c << 16 | (u32)x << 8 | (u32)y;
    }))

/* ---- floats */
ROW(min_xorsign, "min.xorsign.abs.f32 %f0, %f1, %f2;" WF, F32, ({
        float x = fabsf(f_of(a)), y = fabsf(f_of(b)), m = x != x ? y : y != y ? x : x < y ? x : y;
        u64 r = of_f(m);
        m != m ? r : (r & 0x7fffffff) | (((u32)a ^ (u32)b) & 0x80000000);
    }))
ROW(max_three, "max.f32 %f0, %f1, %f2, %f3;" WF, F32, ({
        float v[3] = {f_of(a), f_of(b), f_of(c)}, m = v[0];
        for (unsigned i = 1; i < 3; i++)
            if (m != m || v[i] > m || (v[i] == m && signbit(m))) m = v[i] != v[i] ? m : v[i];
        of_f(m);
    }))
ROW(cvt_rna_tf32, "cvt.rna.tf32.f32 %r0, %f1;" W32, BITS, ({
        u32 x = (u32)a;
        bool special = (x & 0x7f800000) == 0x7f800000;
        special ? (f_of(a) != f_of(a) ? 0x7fffffff : x) : (x + 0x1000) & 0xffffe000;
    }))
ROW(cvt_rz_tf32, "cvt.rz.tf32.f32 %r0, %f1;" W32, BITS, ({
        u32 x = (u32)a;
        f_of(a) != f_of(a) ? 0x7fffffff : x & 0xffffe000;
    }))

/* ---- halves */
#define PAIR(expr)                                                        \
    ({                                                                    \
        u64 r = 0;                                                        \
        for (unsigned i = 0; i < 2; i++) {                                \
            double x = h_of(a >> 16 * i & 0xffff), y = h_of(b >> 16 * i & 0xffff); \
            double z = h_of(c >> 16 * i & 0xffff);                        \
            (void)x, (void)y, (void)z;                                    \
            r |= (u64)(expr) << 16 * i;                                   \
        }                                                                 \
        r;                                                                \
    })
ROW(cvt_f16x2, "cvt.rn.f16x2.f32 %r0, %f1, %f2;" W32, BITS,
    of_h((double)f_of(a)) << 16 | of_h((double)f_of(b)))
ROW(cvt_relu_f16x2, "cvt.rn.relu.f16x2.f32 %r0, %f1, %f2;" W32, BITS, ({
        double x = (double)f_of(a), y = (double)f_of(b);
        of_h(x < 0 || x == 0 ? 0.0 : x) << 16 | of_h(y < 0 || y == 0 ? 0.0 : y);
    }))
ROW(fma_relu_f16x2, "fma.rn.relu.f16x2 %r0, %r1, %r2, %r3;" W32, BITS, PAIR(({
        u64 h = of_h(fma(x, y, z));
        h == 0x8000 || (h & 0x8000 && h != 0x7fff) ? 0 : h;
    })))
ROW(set_u32_f16x2, "set.lt.u32.f16x2 %r0, %r1, %r2;" W32, BITS, PAIR(x < y ? 0xffff : 0))
ROW(set_f16x2, "set.geu.f16x2.f16x2 %r0, %r1, %r2;" W32, BITS, PAIR(!(x < y) ? 0x3c00 : 0))
ROW(set_u32_f16, "set.le.u32.f16 %r0, %h1, %h2;" W32, BITS,
    h_of(a & 0xffff) <= h_of(b & 0xffff) ? UINT32_MAX : 0)
ROW(set_u16_f16, "set.ne.u16.f16 %h0, %h1, %h2; cvt.u32.u16 %r0, %h0;" W32, BITS,
    h_of(a & 0xffff) < h_of(b & 0xffff) || h_of(a & 0xffff) > h_of(b & 0xffff) ? 0xffff : 0)
ROW(ex2_f16, "mov.b16 %h1, 0x4200; ex2.approx.f16 %h0, %h1; cvt.u32.u16 %r0, %h0;" W32, BITS,
    0x4800)

/* ---- memory of 128 bits, asynchronous copies: through shared memory */
#define SHARED_SLOT                                                                       \
    ".shared .align 16 .b8 sh[8192]; mov.u32 %r10, %tid.x; shl.b32 %r10, %r10, 5;\n"      \
    "mov.u32 %r11, sh; add.s32 %r10, %r10, %r11; mov.u64 %rd4, %rd20;\n"
ROW(cp_async_8, SHARED_SLOT "cp.async.ca.shared.global [%r10], [%rd4+8], 8;\n"
    "cp.async.commit_group; cp.async.wait_group 0; ld.shared.u64 %rd0, [%r10];", BITS, b)
ROW(cp_async_short, SHARED_SLOT "st.shared.u64 [%r10], %rd3; and.b32 %r12, %r3, 4;\n"
    "cp.async.ca.shared.global [%r10], [%rd4], 4, %r12; cp.async.wait_all;\n"
    "ld.shared.u64 %rd0, [%r10];", BITS, (c >> 32 << 32) | (c & 4 ? (u32)a : 0))
ROW(b128, SHARED_SLOT ".reg .b128 %q<2>; mov.b128 %q0, {%rd2, %rd3}; st.shared.b128 [%r10], %q0;\n"
    "ld.shared.b128 %q1, [%r10]; mov.b128 {%rd5, %rd6}, %q1; xor.b64 %rd0, %rd5, %rd6;", BITS,
    b ^ c)
ROW(atom_cas_b16, SHARED_SLOT "st.shared.u16 [%r10], %h1;\n"
    "atom.shared.cas.b16 %h4, [%r10], %h2, %h3; ld.shared.u16 %r4, [%r10]; cvt.u32.u16 %r5, %h4;\n"
    "shl.b32 %r5, %r5, 16; or.b32 %r0, %r4, %r5;" W32, BITS,
    (u32)(((u16)a == (u16)b ? (u16)c : (u16)a) | (u32)(u16)a << 16))
ROW(atom_exch_b128, SHARED_SLOT ".reg .b128 %q<3>; mov.b128 %q0, {%rd1, %rd2};\n"
    "st.shared.b128 [%r10], %q0; mov.b128 %q1, {%rd3, %rd1};\n"
    "atom.shared.exch.b128 %q2, [%r10], %q1; mov.b128 {%rd5, %rd6}, %q2;\n"
    "ld.shared.u64 %rd7, [%r10]; add.s64 %rd5, %rd5, %rd6; add.s64 %rd0, %rd5, %rd7;", BITS,
    a + b + c)

/* ---- spaces and registers that stand for nothing here */
ROW(no_cluster, "mov.u32 %r4, %cluster_nctarank; mov.u32 %r5, %cluster_ctarank;\n"
    "mov.u32 %r6, %clusterid.x; mov.u32 %r7, %ctaid.x; sub.s32 %r6, %r6, %r7;\n"
    "mov.u32 %r7, %envreg3; add.s32 %r0, %r4, %r5; add.s32 %r0, %r0, %r6; add.s32 %r0, %r0, %r7;"
    W32, BITS, 1)
ROW(elect, "elect.sync %r4|%p1, -1; mov.u32 %r5, %laneid; setp.eq.u32 %p2, %r5, 0;\n"
    "selp.b32 %r6, 1, 0, %p1; selp.b32 %r7, 1, 0, %p2; xor.b32 %r0, %r6, %r7;\n"
    "add.s32 %r0, %r0, %r4;" W32, BITS, 0)
ROW(param_space, "mov.b64 %rd4, in; cvta.param.u64 %rd5, %rd4; isspacep.param %p1, %rd5;\n"
    "isspacep.param %p2, %rd1; isspacep.const %p3, %rd5; selp.b32 %r4, 1, 0, %p1;\n"
    "selp.b32 %r5, 2, 0, %p2; selp.b32 %r6, 4, 0, %p3; add.s32 %r0, %r4, %r5;\n"
    "add.s32 %r0, %r0, %r6;" W32, BITS, 1)
/* A borrow from a constant whose low word is zero. */
ROW(sub_high_constant, "sub.s64 %rd0, %rd1, 0x700000000;", BITS, a - UINT64_C(0x700000000))
ROW(compare_high_constant,
    "sub.s64 %rd4, %rd1, 0x100000000; setp.lt.u64 %p1, %rd4, %rd2; selp.u64 %rd0, 1, 0, %p1;", BITS,
    a - UINT64_C(0x100000000) < b)
