/* ops_table.h - ROW(name, PTX, how results compare, C expression of a, b, c) */

/* ---- integers, 32 bits */
#define W32 " cvt.u64.u32 %rd0, %r0;"
ROW(add_s32, "add.s32 %r0, %r1, %r2;" W32, BITS, (u32)((u32)a + (u32)b))
ROW(sub_s32, "sub.s32 %r0, %r1, %r2;" W32, BITS, (u32)((u32)a - (u32)b))
ROW(sub_imm, "sub.s32 %r0, 100, %r1;" W32, BITS, (u32)(100 - (u32)a))
ROW(add_three, "add.s32 %r4, %r1, %r2; add.s32 %r0, %r4, %r3;" W32, BITS, (u32)(a + b + c))
ROW(sub_of_sum, "add.s32 %r4, %r1, %r2; sub.s32 %r0, %r3, %r4;" W32, BITS, (u32)(c - (u32)(a + b)))
ROW(add_consts, "add.s32 %r4, %r1, 5; sub.s32 %r5, %r4, 9; add.s32 %r0, %r5, %r2;" W32, BITS,
    (u32)(a + 5 - 9 + b))
ROW(mul_lo, "mul.lo.s32 %r0, %r1, %r2;" W32, BITS, (u32)((u32)a *(u32)b))
ROW(mul_hi_s, "mul.hi.s32 %r0, %r1, %r2;" W32, BITS, (u32)((s64)(s32)a *(s32)b >> 32))
ROW(mul_hi_u, "mul.hi.u32 %r0, %r1, %r2;" W32, BITS, (u64)(u32)a *(u32)b >> 32)
ROW(mul_wide_s, "mul.wide.s32 %rd0, %r1, %r2;", BITS, (s64)(s32)a *(s32)b)
ROW(mul_wide_u, "mul.wide.u32 %rd0, %r1, %r2;", BITS, (u64)(u32)a *(u32)b)
ROW(mad_lo, "mad.lo.s32 %r0, %r1, %r2, %r3;" W32, BITS, (u32)((u32)a *(u32)b + (u32)c))
ROW(mad_hi, "mad.hi.u32 %r0, %r1, %r2, %r3;" W32, BITS,
    (u32)(((u64)(u32)a * (u32)b >> 32) + (u32)c))
ROW(mad_wide_s, "mad.wide.s32 %rd0, %r1, %r2, %rd3;", BITS, (u64)((s64)(s32)a *(s32)b) + c)
ROW(mad_wide_u, "mad.wide.u32 %rd0, %r1, %r2, %rd3;", BITS, (u64)(u32)a *(u32)b + c)
ROW(mul_then_add, "mul.lo.s32 %r4, %r1, %r2; sub.s32 %r0, %r3, %r4;" W32, BITS,
    (u32)((u32)c - (u32)a * (u32)b))
ROW(shift_add, "shl.b32 %r4, %r1, 3; add.s32 %r0, %r4, %r2;" W32, BITS,
    (u32)(((u32)a << 3) + (u32)b))
ROW(mul24_lo_s, "mul24.lo.s32 %r0, %r1, %r2;" W32, BITS,
    (u32)((s64)((s32)((u32)a << 8) >> 8) * ((s32)((u32)b << 8) >> 8)))
ROW(mul24_hi_u, "mul24.hi.u32 %r0, %r1, %r2;" W32, BITS,
    (u32)((a & 0xffffff) * (b & 0xffffff) >> 16))
ROW(mad24_lo_u, "mad24.lo.u32 %r0, %r1, %r2, %r3;" W32, BITS,
    (u32)((a & 0xffffff) * (b & 0xffffff) + (u32)c))
ROW(sad_s, "sad.s32 %r0, %r1, %r2, %r3;" W32, BITS,
    (u32)((u32)c + ((s32)a < (s32)b ? (u32)b - (u32)a : (u32)a - (u32)b)))
ROW(div_s32, "div.s32 %r4, %r1, %r2; setp.eq.s32 %p1, %r2, 0; selp.b32 %r0, 0, %r4, %p1;" W32, BITS,
    (s32)b == 0    ? 0
    : (s32)b == -1 ? (u32) - (u32)a
                   : (u32)((s32)a / (s32)b))
ROW(div_u32, "div.u32 %r4, %r1, %r2; setp.eq.s32 %p1, %r2, 0; selp.b32 %r0, 0, %r4, %p1;" W32, BITS,
    (u32)b == 0 ? 0 : (u32)a / (u32)b)
ROW(rem_s32, "rem.s32 %r4, %r1, %r2; setp.eq.s32 %p1, %r2, 0; selp.b32 %r0, 0, %r4, %p1;" W32, BITS,
    (s32)b == 0 || (s32)b == -1 ? 0 : (u32)((s32)a % (s32)b))
ROW(rem_u32, "rem.u32 %r4, %r1, %r2; setp.eq.s32 %p1, %r2, 0; selp.b32 %r0, 0, %r4, %p1;" W32, BITS,
    (u32)b == 0 ? 0 : (u32)a % (u32)b)
ROW(div_by_imm, "div.u32 %r0, %r1, 10;" W32, BITS, (u32)a / 10)
ROW(rem_by_imm, "rem.s32 %r0, %r1, -7;" W32, BITS, (u32)((s32)a % -7))
ROW(abs_s32, "abs.s32 %r0, %r1;" W32, BITS, (u32)((s32)a < 0 ? -(u32)a : (u32)a))
ROW(neg_s32, "neg.s32 %r0, %r1;" W32, BITS, (u32) - (u32)a)
ROW(min_s32, "min.s32 %r0, %r1, %r2;" W32, BITS, (u32)((s32)a < (s32)b ? (s32)a : (s32)b))
ROW(max_u32, "max.u32 %r0, %r1, %r2;" W32, BITS, (u32)a > (u32)b ? (u32)a : (u32)b)
ROW(min_imm, "min.u32 %r0, 77, %r1;" W32, BITS, (u32)a < 77 ? (u32)a : 77)
ROW(add_sat, "add.sat.s32 %r0, %r1, %r2;" W32, BITS,
    (u32)((s64)(s32)a + (s32)b > INT32_MAX   ? INT32_MAX
          : (s64)(s32)a + (s32)b < INT32_MIN ? INT32_MIN
                                             : (s64)(s32)a + (s32)b))
ROW(sub_sat, "sub.sat.s32 %r0, %r1, %r2;" W32, BITS,
    (u32)((s64)(s32)a - (s32)b > INT32_MAX   ? INT32_MAX
          : (s64)(s32)a - (s32)b < INT32_MIN ? INT32_MIN
                                             : (s64)(s32)a - (s32)b))
ROW(popc_b32, "popc.b32 %r0, %r1;" W32, BITS, __builtin_popcount((u32)a))
ROW(clz_b32, "clz.b32 %r0, %r1;" W32, BITS, (u32)a ? __builtin_clz((u32)a) : 32)
ROW(bfind_u32, "bfind.u32 %r0, %r1;" W32, BITS,
    (u32)a ? 31u - (u32)__builtin_clz((u32)a) : UINT32_MAX)
ROW(bfind_s32, "bfind.s32 %r0, %r1;" W32, BITS,
    ((u32)a ^ (u32)((s32)a >> 31)) ? 31u - (u32)__builtin_clz((u32)a ^ (u32)((s32)a >> 31))
                                   : UINT32_MAX)
ROW(bfind_amount, "bfind.shiftamt.u32 %r0, %r1;" W32, BITS,
    (u32)a ? (u32)__builtin_clz((u32)a) : UINT32_MAX)
ROW(brev_b32, "brev.b32 %r4, %r1; brev.b32 %r5, %r4; xor.b32 %r0, %r5, %r4;" W32, BITS, ({
        u32 r = 0;
        for (unsigned i = 0; i < 32; i++) r |= ((u32)a >> i & 1) << (31 - i);
        r ^ (u32)a;
    }))
ROW(and_b32, "and.b32 %r0, %r1, %r2;" W32, BITS, (u32)(a &b))
ROW(logic_chain, "and.b32 %r4, %r1, %r2; not.b32 %r5, %r3; or.b32 %r0, %r4, %r5;" W32, BITS,
    (u32)((a & b) | ~c))
ROW(logic_imm, "xor.b32 %r4, %r1, -1; and.b32 %r5, %r4, 4080; or.b32 %r0, %r5, %r2;" W32, BITS,
    (u32)((~a & 4080) | b))
ROW(cnot_b32, "cnot.b32 %r0, %r1;" W32, BITS, (u32)a == 0)
ROW(lop3_b32, "lop3.b32 %r0, %r1, %r2, %r3, 0x96;" W32, BITS, (u32)(a ^ b ^ c))
ROW(lop3_sel, "lop3.b32 %r0, 255, %r2, %r3, 0xca;" W32, BITS, (u32)((255 & b) | (~255u & c)))
ROW(shl_b32, "shl.b32 %r0, %r1, %r2;" W32, BITS, (u32)b > 31 ? 0 : (u32)((u32)a << (u32)b))
ROW(shr_u32, "shr.u32 %r0, %r1, %r2;" W32, BITS, (u32)b > 31 ? 0 : (u32)a >> (u32)b)
ROW(shr_s32, "shr.s32 %r0, %r1, %r2;" W32, BITS, (u32)((s32)a >> ((u32)b > 31 ? 31 : (u32)b)))
ROW(shl_one, "shl.b32 %r0, 1, %r2;" W32, BITS, (u32)b > 31 ? 0 : (u32)(1u << (u32)b))
ROW(shf_l_wrap, "shf.l.wrap.b32 %r0, %r1, %r2, %r3;" W32, BITS,
    (u32)(((u64)(u32)b << 32 | (u32)a) << (c & 31) >> 32))
ROW(shf_l_clamp, "shf.l.clamp.b32 %r0, %r1, %r2, %r3;" W32, BITS,
    (u32)c >= 32 ? (u32)a : (u32)(((u64)(u32)b << 32 | (u32)a) << (u32)c >> 32))
ROW(shf_r_wrap, "shf.r.wrap.b32 %r0, %r1, %r2, %r3;" W32, BITS,
    (u32)(((u64)(u32)b << 32 | (u32)a) >> (c & 31)))
ROW(shf_r_clamp, "shf.r.clamp.b32 %r0, %r1, %r2, 40;" W32, BITS, (u32)b)
ROW(bfe_u32, "bfe.u32 %r0, %r1, %r2, %r3;" W32, BITS, ({
        u32 pos = b & 255, len = c & 255;
        u64 v = pos > 31 ? 0 : (u32)a >> pos;
        len > 31 ? v : v &((1u << len) - 1);
    }))
ROW(bfe_s32, "bfe.s32 %r0, %r1, %r2, %r3;" W32, BITS, ({
        u32 pos = b & 255, len = c & 255;
        s32 v = (s32)a >> (pos > 31 ? 31 : pos);
        len == 0 ? 0 : len > 31 ? (u32)v : (u32)((s32)((u32)v << (32 - len)) >> (32 - len));
    }))
ROW(bfi_b32, "bfi.b32 %r0, %r1, %r2, %r3, 9;" W32, BITS, ({
        u32 pos = c & 255;
        u32 mask = pos > 31 ? 0 : 511u << pos;
        (u32)((pos > 31 ? 0 : (u32)a << pos) & mask) | ((u32)b & ~mask);
    }))
ROW(bmsk, "bmsk.clamp.b32 %r0, %r1, %r2;" W32, BITS, ({
        u64 pos = (u32)a > 32 ? 32 : (u32)a, len = (u32)b > 32 ? 32 : (u32)b;
        (u32)(((UINT64_C(1) << len) - 1) << pos);
    }))
ROW(prmt, "prmt.b32 %r0, %r1, %r2, %r3;" W32, BITS, ({
        u64 bytes = (u64)(u32)b << 32 | (u32)a;
        u32 d = 0;
        for (unsigned i = 0; i < 4; i++) {
            u32 s = c >> 4 * i & 15, y = bytes >> 8 * (s & 7) & 255;
            if (s & 8) y = y & 128 ? 255 : 0;
            d |= y << 8 * i;
        }
        d;
    }))
ROW(prmt_b4e, "prmt.b32.b4e %r0, %r1, %r2, %r3;" W32, BITS, ({
        u64 bytes = (u64)(u32)b << 32 | (u32)a;
        u32 d = 0;
        for (unsigned i = 0; i < 4; i++)
            d |= (u32)(bytes >> 8 * (((c & 3) + 8 - i) & 7) & 255) << 8 * i;
        d;
    }))
ROW(dp4a_us, "dp4a.u32.s32 %r0, %r1, %r2, %r3;" W32, BITS, ({
        u32 d = (u32)c;
        for (unsigned i = 0; i < 4; i++) d += (u32)((s32)(a >> 8 * i & 255) * (int8_t)(b >> 8 * i));
        d;
    }))
ROW(dp2a_hi, "dp2a.hi.s32.u32 %r0, %r1, %r2, %r3;" W32, BITS,
    (u32)((u32)c + (u32)((s16)a * (s32)(b >> 16 & 255)) +
          (u32)((s16)(a >> 16) * (s32)(b >> 24 & 255))))
ROW(vabsdiff4, "vabsdiff4.u32.u32.u32.add %r0, %r1, %r2, %r3;" W32, BITS, ({
        u32 d = (u32)c;
        for (unsigned i = 0; i < 4; i++) {
            s32 x = (s32)(a >> 8 * i & 255) - (s32)(b >> 8 * i & 255);
            d += (u32)(x < 0 ? -x : x);
        }
        d;
    }))

/* ---- carry chains */
ROW(add_cc, "add.cc.u32 %r4, %r1, %r2; addc.u32 %r5, %r3, 0; mov.b64 %rd0, {%r4, %r5};", BITS, ({
        u64 s = (u64)(u32)a + (u32)b;
        (u32) s | (u64)(u32)((u32)c + (s >> 32)) << 32;
    }))
ROW(sub_cc, "sub.cc.u32 %r4, %r1, %r2; subc.u32 %r5, %r3, 7; mov.b64 %rd0, {%r4, %r5};", BITS, ({
        u64 s = (u64)(u32)a - (u32)b;
        (u32) s | (u64)(u32)((u32)c - 7 - (s >> 32 & 1)) << 32;
    }))
ROW(addc_chain,
    "add.cc.u32 %r4, %r1, %r2; addc.cc.u32 %r5, %r1, %r1; addc.u32 %r6, 0, 0;"
    "mov.b64 %rd0, {%r5, %r6};",
    BITS, ({
        u64 s = ((u64)(u32)a + (u32)b) >> 32;
        u64 t = 2 * (u64)(u32)a + s;
        t;
    }))
ROW(madc,
    "mad.lo.cc.u32 %r4, %r1, %r2, %r3; madc.hi.u32 %r5, %r1, %r2, 0; mov.b64 %rd0, {%r4, %r5};",
    BITS, (u64)(u32)a *(u32)b + (u32)c)
ROW(add_cc_64, "add.cc.u64 %rd4, %rd1, %rd2; addc.u64 %rd0, 0, 0;", BITS, a + b < a)

/* ---- 64 bits */
ROW(add_s64, "add.s64 %rd0, %rd1, %rd2;", BITS, a + b)
ROW(add_s64_imm, "add.s64 %rd0, %rd1, -12;", BITS, a - 12)
ROW(add_s64_big, "add.s64 %rd0, %rd1, 81985529216486895;", BITS, a + 81985529216486895)
ROW(sub_s64, "sub.s64 %rd0, %rd1, %rd2;", BITS, a - b)
ROW(sub_s64_imm, "sub.s64 %rd0, %rd1, 1000;", BITS, a - 1000)
ROW(sub_from_imm, "sub.s64 %rd0, 1000, %rd1;", BITS, 1000 - a)
ROW(add_in_place, "mov.u64 %rd0, %rd1; add.s64 %rd0, %rd0, %rd2; sub.s64 %rd0, %rd3, %rd0;", BITS,
    c - (a + b))
ROW(mul_lo_s64, "mul.lo.s64 %rd0, %rd1, %rd2;", BITS, a *b)
ROW(mul_in_place, "mov.u64 %rd0, %rd1; mul.lo.s64 %rd0, %rd2, %rd0;", BITS, a *b)
ROW(mul_hi_u64, "mul.hi.u64 %rd0, %rd1, %rd2;", BITS, (u64)((unsigned __int128)a *b >> 64))
ROW(mul_hi_s64, "mul.hi.s64 %rd0, %rd1, %rd2;", BITS, (u64)((__int128)(s64)a *(s64)b >> 64))
ROW(mad_lo_s64, "mad.lo.s64 %rd0, %rd1, %rd2, %rd3;", BITS, a *b + c)
ROW(div_u64, "div.u64 %rd4, %rd1, %rd2; setp.eq.u64 %p1, %rd2, 0; selp.b64 %rd0, 0, %rd4, %p1;",
    BITS, b ? a / b : 0)
ROW(rem_u64, "rem.u64 %rd4, %rd1, %rd2; setp.eq.u64 %p1, %rd2, 0; selp.b64 %rd0, 0, %rd4, %p1;",
    BITS, b ? a % b : 0)
ROW(div_s64, "div.s64 %rd4, %rd1, %rd2; setp.eq.s64 %p1, %rd2, 0; selp.b64 %rd0, 0, %rd4, %p1;",
    BITS,
    b == 0         ? 0
    : (s64)b == -1 ? -a
                   : (u64)((s64)a / (s64)b))
ROW(rem_s64, "rem.s64 %rd4, %rd1, %rd2; setp.eq.s64 %p1, %rd2, 0; selp.b64 %rd0, 0, %rd4, %p1;",
    BITS, b == 0 || (s64)b == -1 ? 0 : (u64)((s64)a % (s64)b))
ROW(abs_s64, "abs.s64 %rd0, %rd1;", BITS, (s64)a < 0 ? -a : a)
ROW(neg_s64, "neg.s64 %rd0, %rd1;", BITS, -a)
ROW(min_s64, "min.s64 %rd0, %rd1, %rd2;", BITS, (s64)a < (s64)b ? a : b)
ROW(max_u64, "max.u64 %rd0, %rd1, %rd2;", BITS, a > b ? a : b)
ROW(popc_b64, "popc.b64 %r0, %rd1;" W32, BITS, __builtin_popcountll(a))
ROW(clz_b64, "clz.b64 %r0, %rd1;" W32, BITS, a ? __builtin_clzll(a) : 64)
ROW(bfind_u64, "bfind.u64 %r0, %rd1;" W32, BITS, a ? 63u - (u32)__builtin_clzll(a) : UINT32_MAX)
ROW(bfind_amount64, "bfind.shiftamt.u64 %r0, %rd1;" W32, BITS,
    a ? (u32)__builtin_clzll(a) : UINT32_MAX)
ROW(brev_b64, "brev.b64 %rd0, %rd1;", BITS, ({
        u64 r = 0;
        for (unsigned i = 0; i < 64; i++) r |= (a >> i & 1) << (63 - i);
        r;
    }))
ROW(logic64, "and.b64 %rd4, %rd1, %rd2; not.b64 %rd5, %rd3; xor.b64 %rd0, %rd4, %rd5;", BITS,
    (a & b) ^ ~c)
ROW(shl_b64, "shl.b64 %rd0, %rd1, %r2;", BITS, (u32)b > 63 ? 0 : a << (u32)b)
ROW(shl_b64_imm, "shl.b64 %rd0, %rd1, 5;", BITS, a << 5)
ROW(shl_b64_far, "shl.b64 %rd0, %rd1, 44;", BITS, a << 44)
ROW(shr_u64, "shr.u64 %rd0, %rd1, %r2;", BITS, (u32)b > 63 ? 0 : a >> (u32)b)
ROW(shr_s64, "shr.s64 %rd0, %rd1, %r2;", BITS, (u64)((s64)a >> ((u32)b > 63 ? 63 : (u32)b)))
ROW(shr_s64_imm, "shr.s64 %rd0, %rd1, 33;", BITS, (u64)((s64)a >> 33))
ROW(lea64, "shl.b64 %rd4, %rd1, 4; add.s64 %rd0, %rd4, %rd2;", BITS, (a << 4) + b)
ROW(index_s, "cvt.s64.s32 %rd4, %r1; shl.b64 %rd5, %rd4, 2; add.s64 %rd0, %rd3, %rd5;", BITS,
    c + ((u64)(s64)(s32)a << 2))
ROW(index_u, "cvt.u64.u32 %rd4, %r1; add.s64 %rd0, %rd3, %rd4;", BITS, c + (u32)a)
ROW(index_wide, "mul.wide.s32 %rd4, %r1, 8; add.s64 %rd5, %rd3, %rd4; add.s64 %rd0, %rd5, 24;",
    BITS, c + (u64)((s64)(s32)a * 8) + 24)
ROW(bfe_u64, "bfe.u64 %rd0, %rd1, %r2, %r3;", BITS, ({
        u32 pos = b & 255, len = c & 255;
        u64 v = pos > 63 ? 0 : a >> pos;
        len > 63 ? v : v &((UINT64_C(1) << len) - 1);
    }))
ROW(bfe_s64, "bfe.s64 %rd0, %rd1, 5, %r3;", BITS, ({
        u32 len = c & 255;
        s64 v = (s64)a >> 5;
        len == 0 ? 0 : len > 63 ? (u64)v : (u64)((s64)((u64)v << (64 - len)) >> (64 - len));
    }))
ROW(bfi_b64, "bfi.b64 %rd0, %rd1, %rd2, 20, 30;", BITS, ({
        u64 mask = ((UINT64_C(1) << 30) - 1) << 20;
        (a << 20 & mask) | (b & ~mask);
    }))

/* ---- 16 bits */
#define W16 " cvt.u64.u16 %rd0, %h0;"
ROW(add_s16, "add.s16 %h0, %h1, %h2;" W16, BITS, (u16)(a + b))
ROW(mul_lo_s16, "mul.lo.s16 %h0, %h1, %h2;" W16, BITS, (u16)((u32)(u16)a *(u16)b))
ROW(mul_hi_s16, "mul.hi.s16 %h0, %h1, %h2;" W16, BITS, (u16)((s32)(s16)a *(s16)b >> 16))
ROW(mul_wide_s16, "mul.wide.s16 %r0, %h1, %h2;" W32, BITS, (u32)((s32)(s16)a *(s16)b))
ROW(mul_wide_u16, "mul.wide.u16 %r0, %h1, %h2;" W32, BITS, (u32)(u16)a *(u16)b)
ROW(shr_s16, "shr.s16 %h0, %h1, 3;" W16, BITS, (u16)((s16)a >> 3))
ROW(shl_b16, "shl.b16 %h0, %h1, %r2;" W16, BITS, (u32)b > 15 ? 0 : (u16)((u32)(u16)a << (u32)b))
ROW(min_u16, "min.u16 %h0, %h1, %h2;" W16, BITS, (u16)a < (u16)b ? (u16)a : (u16)b)
ROW(max_s16, "max.s16 %h0, %h1, %h2;" W16, BITS, (u16)((s16)a > (s16)b ? (s16)a : (s16)b))
ROW(div_s16, "div.s16 %h4, %h1, %h2; setp.eq.s16 %p1, %h2, 0; selp.b16 %h0, 0, %h4, %p1;" W16, BITS,
    (u16)b == 0 ? 0 : (u16)((s16)a / (s16)b))
ROW(abs_s16, "abs.s16 %h0, %h1;" W16, BITS, (u16)((s16)a < 0 ? -(s16)a : (s16)a))
ROW(not_b16, "not.b16 %h0, %h1;" W16, BITS, (u16)~a)
ROW(setp_s16, "setp.lt.s16 %p1, %h1, -5; selp.u64 %rd0, 1, 0, %p1;", BITS, (s16)a < -5)

/* ---- conversions of integers */
ROW(cvt_s64_s32, "cvt.s64.s32 %rd0, %r1;", BITS, (s64)(s32)a)
ROW(cvt_u64_u32, "cvt.u64.u32 %rd0, %r1;", BITS, (u32)a)
ROW(cvt_s32_s8, "cvt.s32.s8 %r0, %r1;" W32, BITS, (u32)(int8_t)a)
ROW(cvt_u32_u8, "cvt.u32.u8 %r0, %r1;" W32, BITS, (uint8_t)a)
ROW(cvt_s32_s16, "cvt.s32.s16 %r0, %h1;" W32, BITS, (u32)(s16)a)
ROW(cvt_u16_u32, "cvt.u16.u32 %h0, %r1;" W16, BITS, (u16)a)
ROW(cvt_s8_s32, "cvt.s8.s32 %h0, %r1; cvt.s64.s16 %rd0, %h0;", BITS, (s64)(int8_t)a)
ROW(cvt_s64_s16, "cvt.s64.s16 %rd0, %h1;", BITS, (s64)(s16)a)
ROW(cvt_sat_u8, "cvt.sat.u8.s32 %r0, %r1;" W32, BITS, (s32)a<0 ? 0 : (s32)a> 255 ? 255 : (u32)a)
ROW(cvt_sat_s16, "cvt.sat.s16.s32 %h0, %r1;" W16, BITS,
    (u16)((s32)a<-32768 ? -32768 : (s32)a> 32767 ? 32767 : (s32)a))
ROW(cvt_sat_s32_s64, "cvt.sat.s32.s64 %r0, %rd1;" W32, BITS,
    (u32)((s64)a<INT32_MIN ? INT32_MIN : (s64)a> INT32_MAX ? INT32_MAX : (s64)a))
ROW(cvt_sat_u32_s64, "cvt.sat.u32.s64 %r0, %rd1;" W32, BITS,
    (s64)a<0 ? 0 : (s64)a> UINT32_MAX ? UINT32_MAX : a)
ROW(cvt_u16_in_32, "cvt.u16.u32 %r4, %r1; add.u32 %r0, %r4, 1;" W32, BITS, (u32)(u16)a + 1)

/* ---- packing */
ROW(pack32, "mov.b64 %rd0, {%r2, %r1};", BITS, (u64)(u32)a << 32 | (u32)b)
ROW(unpack32, "mov.b64 {%r4, %r5}, %rd1; mov.b64 %rd0, {%r5, %r4};", BITS, a << 32 | a >> 32)
ROW(pack16, "mov.b32 %r0, {%h1, %h2};" W32, BITS, (u32)(u16)a | (u32)(u16)b << 16)
ROW(unpack16, "mov.b32 {%h4, %h5}, %r1; mov.b64 %rd0, {%h5, %h4, %h2, %h3};", BITS,
    (a >> 16 & 0xffff) | (a & 0xffff) << 16 | (b & 0xffff) << 32 | (c & 0xffff) << 48)
ROW(swap_in_place,
    "mov.b64 {%r1, %r2}, %rd1; mov.b64 %rd1, {%r2, %r1}; mov.b64 {%r1, _}, %rd1;"
    "cvt.u64.u32 %rd0, %r1;",
    BITS, a >> 32)

/* ---- comparison and selection */
ROW(setp_lt_s32, "setp.lt.s32 %p1, %r1, %r2; selp.u64 %rd0, 1, 0, %p1;", BITS, (s32)a < (s32)b)
ROW(setp_hi_u32, "setp.hi.u32 %p1, %r1, %r2; selp.u64 %rd0, 1, 0, %p1;", BITS, (u32)a > (u32)b)
ROW(setp_ls_u64, "setp.ls.u64 %p1, %rd1, %rd2; selp.u64 %rd0, 1, 0, %p1;", BITS, a <= b)
ROW(setp_imm_first, "setp.gt.s32 %p1, 100, %r1; selp.u64 %rd0, 1, 0, %p1;", BITS, 100 > (s32)a)
ROW(setp_s64, "setp.ge.s64 %p1, %rd1, %rd2; selp.u64 %rd0, %rd3, 9, %p1;", BITS,
    (s64)a >= (s64)b ? c : 9)
ROW(setp_eq_64, "setp.eq.b64 %p1, %rd1, %rd2; selp.u64 %rd0, 1, 0, %p1;", BITS, a == b)
ROW(setp_ne_64, "setp.ne.s64 %p1, %rd1, %rd2; selp.u64 %rd0, 1, 0, %p1;", BITS, a != b)
ROW(setp_two,
    "setp.lt.s32 %p1|%p2, %r1, %r2; selp.u64 %rd4, 2, 0, %p1; selp.u64 %rd5, 1, 0, %p2;"
    "or.b64 %rd0, %rd4, %rd5;",
    BITS, (s32)a < (s32)b ? 2 : 1)
ROW(setp_and,
    "setp.lt.s32 %p1, %r1, %r2; setp.ne.and.u32 %p2|%p3, %r3, 0, %p1;"
    "selp.u64 %rd4, 2, 0, %p2; selp.u64 %rd5, 1, 0, %p3; or.b64 %rd0, %rd4, %rd5;",
    BITS, ((u32)c != 0 && (s32)a < (s32)b) * 2 | ((u32)c == 0 && (s32)a < (s32)b))
ROW(setp_or_not,
    "setp.lt.s32 %p1, %r1, %r2; setp.eq.or.u32 %p2, %r3, 0, !%p1; selp.u64 %rd0, 1, 0, %p2;", BITS,
    (u32)c == 0 || !((s32)a < (s32)b))
ROW(pred_logic,
    "setp.lt.s32 %p1, %r1, %r2; setp.gt.u32 %p2, %r3, 50; and.pred %p3, %p1, %p2;"
    "not.pred %p4, %p3; xor.pred %p5, %p4, %p2; selp.u64 %rd0, 1, 0, %p5;",
    BITS, (!((s32)a < (s32)b && (u32)c > 50)) ^ ((u32)c > 50))
ROW(pred_or_not,
    "setp.lt.s32 %p1, %r1, %r2; not.pred %p2, %p1; setp.gt.f32 %p3, %f1, %f3;"
    "or.pred %p4, %p2, %p3; selp.u64 %rd0, 1, 0, %p4;",
    BITS, !((s32)a < (s32)b) || f_of(a) > f_of(c))
ROW(pred_mov, "setp.lt.s32 %p1, %r1, %r2; mov.pred %p2, %p1; selp.u64 %rd0, 3, 4, %p2;", BITS,
    (s32)a < (s32)b ? 3 : 4)
ROW(setp_f32,
    "setp.lt.f32 %p1, %f1, %f2; setp.ltu.f32 %p2, %f1, %f2; setp.num.f32 %p3, %f1, %f2;"
    "selp.u64 %rd4, 1, 0, %p1; selp.u64 %rd5, 2, 0, %p2; selp.u64 %rd6, 4, 0, %p3;"
    "or.b64 %rd4, %rd4, %rd5; or.b64 %rd0, %rd4, %rd6;",
    BITS,
    (f_of(a) < f_of(b)) | !(f_of(a) >= f_of(b)) << 1 |
        (f_of(a) == f_of(a) && f_of(b) == f_of(b)) << 2)
ROW(setp_f64,
    "setp.neu.f64 %p1, %fd1, %fd2; setp.ge.f64 %p2, %fd1, %fd2; selp.u64 %rd4, 1, 0, %p1;"
    "selp.u64 %rd5, 2, 0, %p2; or.b64 %rd0, %rd4, %rd5;",
    BITS, (d_of(a) != d_of(b)) | (d_of(a) >= d_of(b)) << 1)
ROW(set_u32, "set.gt.u32.s32 %r0, %r1, %r2;" W32, BITS, (s32)a > (s32)b ? UINT32_MAX : 0)
ROW(set_f32, "set.le.f32.f32 %f0, %f1, %f2; mov.b32 %r0, %f0;" W32, BITS,
    f_of(a) <= f_of(b) ? 0x3f800000 : 0)
ROW(slct, "slct.u64.s32 %rd0, %rd1, %rd2, %r3;", BITS, (s32)c >= 0 ? a : b)
ROW(slct_f, "slct.b32.f32 %r0, %r1, %r2, %f3;" W32, BITS, (u32)(f_of(c) >= 0 ? a : b))

/* ---- single precision */
#define WF " mov.b32 %r0, %f0;" W32
ROW(add_f32, "add.f32 %f0, %f1, %f2;" WF, F32, of_f(f_of(a) + f_of(b)))
ROW(sub_f32, "sub.f32 %f0, %f1, %f2;" WF, F32, of_f(f_of(a) - f_of(b)))
ROW(mul_f32, "mul.f32 %f0, %f1, %f2;" WF, F32, of_f(f_of(a) * f_of(b)))
ROW(fma_f32, "fma.rn.f32 %f0, %f1, %f2, %f3;" WF, F32, of_f(fmaf(f_of(a), f_of(b), f_of(c))))
ROW(fma_neg, "neg.f32 %f4, %f1; fma.rn.f32 %f0, %f4, %f2, %f3;" WF, F32,
    of_f(fmaf(-f_of(a), f_of(b), f_of(c))))
ROW(add_abs, "abs.f32 %f4, %f1; neg.f32 %f5, %f4; add.f32 %f0, %f5, %f2;" WF, F32,
    of_f(-fabsf(f_of(a)) + f_of(b)))
ROW(abs_f32, "abs.f32 %f0, %f1;" WF, F32, of_f(fabsf(f_of(a))))
ROW(neg_f32, "neg.f32 %f0, %f1;" WF, F32, of_f(-f_of(a)))
ROW(mul_imm, "mul.f32 %f0, %f1, 0f40490FDB;" WF, F32, of_f(f_of(a) * f_of(0x40490fdb)))
ROW(sub_from_one, "sub.f32 %f0, 0f3F800000, %f1;" WF, F32, of_f(1.0f - f_of(a)))
ROW(div_f32, "div.rn.f32 %f0, %f1, %f2;" WF, F32, of_f(f_of(a) / f_of(b)))
ROW(div_by_const, "div.rn.f32 %f0, %f1, 0f40400000;" WF, F32, of_f(f_of(a) / 3.0f))
ROW(rcp_f32, "rcp.rn.f32 %f0, %f1;" WF, F32, of_f(1.0f / f_of(a)))
ROW(sqrt_f32, "sqrt.rn.f32 %f0, %f1;" WF, F32, of_f(sqrtf(f_of(a))))
ROW(div_rz, "div.rz.f32 %f0, %f1, %f2;" WF, F32, ({
        fesetround(FE_TOWARDZERO);
        volatile float q = f_of(a) / f_of(b);
        fesetround(FE_TONEAREST);
        of_f(q);
    }))
ROW(add_rp, "add.rp.f32 %f0, %f1, %f2;" WF, F32, ({
        fesetround(FE_UPWARD);
        volatile float x = f_of(a), q = x + f_of(b);
        fesetround(FE_TONEAREST);
        of_f(q);
    }))
ROW(min_f32, "min.f32 %f0, %f1, %f2;" WF, F32,
    of_f(f_of(a) != f_of(a)                                              ? f_of(b)
         : f_of(b) != f_of(b)                                            ? f_of(a)
         : f_of(a) < f_of(b) || (f_of(a) == f_of(b) && signbit(f_of(a))) ? f_of(a)
                                                                         : f_of(b)))
ROW(max_f32, "max.f32 %f0, %f1, %f2;" WF, F32,
    of_f(f_of(a) != f_of(a)                                               ? f_of(b)
         : f_of(b) != f_of(b)                                             ? f_of(a)
         : f_of(a) > f_of(b) || (f_of(a) == f_of(b) && !signbit(f_of(a))) ? f_of(a)
                                                                          : f_of(b)))
ROW(selp_f32, "setp.lt.s32 %p1, %r1, %r2; selp.f32 %f0, %f3, 0f3F800000, %p1;" WF, F32,
    (s32)a < (s32)b ? of_f(f_of(c)) : 0x3f800000)
ROW(testp,
    "testp.subnormal.f32 %p1, %f1; testp.normal.f32 %p2, %f1; testp.notanumber.f32 %p3, %f1;"
    "testp.infinite.f32 %p4, %f1; selp.u64 %rd4, 1, 0, %p1; selp.u64 %rd5, 2, 0, %p2;"
    "selp.u64 %rd6, 4, 0, %p3; selp.u64 %rd7, 8, 0, %p4; or.b64 %rd4, %rd4, %rd5;"
    "or.b64 %rd4, %rd4, %rd6; or.b64 %rd0, %rd4, %rd7;",
    BITS,
    (fpclassify(f_of(a)) == FP_SUBNORMAL) | (fpclassify(f_of(a)) == FP_NORMAL) << 1 |
        (fpclassify(f_of(a)) == FP_NAN) << 2 | (fpclassify(f_of(a)) == FP_INFINITE) << 3)
ROW(copysign_f32, "copysign.f32 %f0, %f1, %f2;" WF, F32, of_f(copysignf(f_of(b), f_of(a))))

/* ---- double precision */
#define WD " mov.b64 %rd0, %fd0;"
ROW(add_f64, "add.f64 %fd0, %fd1, %fd2;" WD, F64, of_d(d_of(a) + d_of(b)))
ROW(sub_f64, "sub.f64 %fd0, %fd1, %fd2;" WD, F64, of_d(d_of(a) - d_of(b)))
ROW(mul_f64, "mul.f64 %fd0, %fd1, %fd2;" WD, F64, of_d(d_of(a) * d_of(b)))
ROW(fma_f64, "fma.rn.f64 %fd0, %fd1, %fd2, %fd3;" WD, F64, of_d(fma(d_of(a), d_of(b), d_of(c))))
ROW(fma_f64_neg, "neg.f64 %fd4, %fd1; fma.rn.f64 %fd0, %fd4, %fd2, 0d3FF0000000000000;" WD, F64,
    of_d(fma(-d_of(a), d_of(b), 1.0)))
ROW(mul_f64_imm, "mul.f64 %fd0, %fd1, 0d3FF999999999999A;" WD, F64, of_d(d_of(a) * 1.6))
ROW(abs_f64, "abs.f64 %fd0, %fd1;" WD, F64, of_d(fabs(d_of(a))))
ROW(neg_f64, "neg.f64 %fd0, %fd1;" WD, F64, of_d(-d_of(a)))
ROW(abs_add_f64, "abs.f64 %fd4, %fd1; add.f64 %fd0, %fd4, %fd2;" WD, F64,
    of_d(fabs(d_of(a)) + d_of(b)))
ROW(div_f64, "div.rn.f64 %fd0, %fd1, %fd2;" WD, F64, of_d(d_of(a) / d_of(b)))
ROW(div_by_const64, "div.rn.f64 %fd0, 0d4008000000000000, %fd1;" WD, F64, of_d(3.0 / d_of(a)))
ROW(rcp_f64, "rcp.rn.f64 %fd0, %fd1;" WD, F64, of_d(1.0 / d_of(a)))
ROW(sqrt_f64, "sqrt.rn.f64 %fd0, %fd1;" WD, F64, of_d(sqrt(d_of(a))))
ROW(min_f64, "min.f64 %fd0, %fd1, %fd2;" WD, F64,
    of_d(d_of(a) != d_of(a)                                              ? d_of(b)
         : d_of(b) != d_of(b)                                            ? d_of(a)
         : d_of(a) < d_of(b) || (d_of(a) == d_of(b) && signbit(d_of(a))) ? d_of(a)
                                                                         : d_of(b)))
ROW(copysign_f64, "copysign.f64 %fd0, %fd1, %fd2;" WD, F64, of_d(copysign(d_of(b), d_of(a))))

/* ---- conversions of floats */
ROW(cvt_f64_f32, "cvt.f64.f32 %fd0, %f1;" WD, F64, of_d(f_of(a)))
ROW(cvt_f32_f64, "cvt.rn.f32.f64 %f0, %fd1;" WF, F32, of_f((float)d_of(a)))
ROW(cvt_f32_s32, "cvt.rn.f32.s32 %f0, %r1;" WF, F32, of_f((float)(s32)a))
ROW(cvt_f32_u16, "cvt.rn.f32.u16 %f0, %h1;" WF, F32, of_f((float)(u16)a))
ROW(cvt_f32_s8, "cvt.rn.f32.s8 %f0, %r1;" WF, F32, of_f((float)(int8_t)a))
ROW(cvt_f64_s64, "cvt.rn.f64.s64 %fd0, %rd1;" WD, F64, of_d((double)(s64)a))
ROW(cvt_f32_u64, "cvt.rn.f32.u64 %f0, %rd1;" WF, F32, of_f((float)a))
ROW(cvt_s32_f32, "cvt.rzi.s32.f32 %r0, %f1;" W32, BITS, ({
        float f = f_of(a);
        f != f               ? 0
        : f >= 2147483648.0f ? 0x7fffffff
        : f < -2147483648.0f ? 0x80000000
                             : (u32)(s32)f;
    }))
ROW(cvt_u32_f32_rni, "cvt.rni.u32.f32 %r0, %f1;" W32, BITS, ({
        float f = rintf(f_of(a));
        f != f ? 0 : f >= 4294967296.0f ? UINT32_MAX : f <= 0 ? 0 : (u32)f;
    }))
ROW(cvt_s64_f64, "cvt.rmi.s64.f64 %rd0, %fd1;", BITS, ({
        double f = floor(d_of(a));
        f != f                       ? UINT64_C(0x8000000000000000)
        : f >= 9223372036854775808.0 ? INT64_MAX
        : f < -9223372036854775808.0 ? (u64)INT64_MIN
                                     : (u64)(s64)f;
    }))
ROW(cvt_s16_f32, "cvt.rzi.s16.f32 %h0, %f1;" W16, BITS, ({
        float f = f_of(a);
        (u16)(f != f ? 0 : f >= 32767 ? 32767 : f <= -32768 ? -32768 : (s32)f);
    }))
ROW(cvt_rni_f32, "cvt.rni.f32.f32 %f0, %f1;" WF, F32, of_f(rintf(f_of(a))))
ROW(cvt_rpi_f64, "cvt.rpi.f64.f64 %fd0, %fd1;" WD, F64, of_d(ceil(d_of(a))))
ROW(cvt_sat_f32, "cvt.sat.f32.f32 %f0, %f1;" WF, F32,
    f_of(a) > 0 ? (f_of(a) > 1 ? 0x3f800000 : of_f(f_of(a))) : 0)

/* ---- guards */
ROW(guarded_mov, "setp.lt.s32 %p1, %r1, %r2; mov.u64 %rd0, %rd3; @%p1 mov.u64 %rd0, %rd2;", BITS,
    (s32)a < (s32)b ? b : c)
ROW(guarded_alu, "setp.lt.s32 %p1, %r1, %r2; mov.u64 %rd0, %rd3; @!%p1 add.s64 %rd0, %rd1, %rd2;",
    BITS, (s32)a < (s32)b ? c : a + b)
ROW(guarded_32,
    "setp.lt.s32 %p1, %r1, %r2; mov.u32 %r0, %r3; @%p1 mad.lo.s32 %r0, %r1, %r2, %r0;" W32, BITS,
    (s32)a < (s32)b ? (u32)((u32)a * (u32)b + (u32)c) : (u32)c)
ROW(guarded_div, "setp.gt.s32 %p1, %r2, 0; mov.u32 %r0, %r3; @%p1 div.s32 %r0, %r1, %r2;" W32, BITS,
    (s32)b > 0 ? (u32)((s32)a / (s32)b) : (u32)c)
ROW(guarded_setp,
    "setp.lt.s32 %p1, %r1, %r2; setp.eq.s32 %p2, %r1, %r1; @%p1 setp.gt.s32 %p2, %r3, 7;"
    "selp.u64 %rd0, 1, 0, %p2;",
    BITS, (s32)a < (s32)b ? (s32)c > 7 : 1)
ROW(guarded_load,
    "setp.lt.s32 %p1, %r1, %r2; mov.u64 %rd0, 5; @%p1 ld.global.u64 %rd0, [%rd20+16];", BITS,
    (s32)a < (s32)b ? c : 5)
ROW(guarded_vector,
    "setp.lt.s32 %p1, %r1, %r2; mov.u32 %r4, 1; mov.u32 %r5, 2;"
    "@%p1 ld.global.v2.u32 {%r4, %r5}, [%rd20]; mov.b64 %rd0, {%r5, %r4};",
    BITS, (s32)a < (s32)b ? a << 32 | a >> 32 : (u64)1 << 32 | 2)

/* ---- control */
ROW(branch,
    "setp.lt.s32 %p1, %r1, %r2; @%p1 bra L; mov.u64 %rd0, %rd3; bra M; L: mov.u64 %rd0, %rd2; M:",
    BITS, (s32)a < (s32)b ? b : c)
ROW(loop,
    "and.b32 %r4, %r1, 31; mov.u64 %rd0, 0; L: setp.eq.s32 %p1, %r4, 0; @%p1 bra M;"
    "add.s64 %rd0, %rd0, %rd2; sub.s32 %r4, %r4, 1; bra L; M:",
    BITS, (a & 31) * b)
ROW(loop_break,
    "mov.u32 %r4, 0; mov.u64 %rd0, %rd1; L: setp.gt.u64 %p1, %rd0, 1000; @%p1 bra M;"
    "setp.ge.s32 %p2, %r4, 20; @%p2 bra M; add.s64 %rd0, %rd0, 77; add.s32 %r4, %r4, 1; bra L; M:"
    "cvt.u64.u32 %rd4, %r4; add.s64 %rd0, %rd0, %rd4;",
    BITS, ({
        u64 n = 0, v = a;
        while (v <= 1000 && n < 20) v += 77, n++;
        v + n;
    }))
ROW(brx,
    "and.b32 %r4, %r1, 3; T: .branchtargets A, B, C, D; brx.idx %r4, T; A: mov.u64 %rd0, 10; bra E;"
    "B: mov.u64 %rd0, 20; bra E; C: mov.u64 %rd0, 30; bra E; D: mov.u64 %rd0, 40; E:",
    BITS, ((a & 3) + 1) * 10)
ROW(irreducible,
    "and.b32 %r4, %r1, 7; add.s32 %r4, %r4, 1; setp.lt.s32 %p1, %r2, 0; @%p1 bra B;"
    "A: add.s64 %rd0, %rd0, 3; sub.s32 %r4, %r4, 1; setp.le.s32 %p2, %r4, 0; @%p2 bra E;"
    "B: add.s64 %rd0, %rd0, 5; sub.s32 %r4, %r4, 1; setp.gt.s32 %p2, %r4, 0; @%p2 bra A; E:",
    BITS, ({
        u64 v = 0;
        int n = (int)(a & 7) + 1;
        bool at_b = (s32)b < 0;
        while (n > 0) {
            v += at_b ? 5 : 3;
            at_b = !at_b;
            n--;
        }
        v;
    }))

/* ---- memory */
ROW(local_array,
    "{ .local .align 8 .b8 L[32]; .reg .b64 %x; mov.u64 %x, L; and.b32 %r4, %r3, 3;"
    "st.local.u64 [L], %rd1; st.local.u64 [L+8], %rd2; st.local.u64 [L+16], %rd3; st.local.u64 "
    "[L+24], 5;"
    "mul.wide.u32 %rd4, %r4, 8; add.s64 %rd5, %x, %rd4; ld.local.u64 %rd0, [%rd5]; }",
    BITS,
    (c & 3) == 0   ? a
    : (c & 3) == 1 ? b
    : (c & 3) == 2 ? c
                   : 5)
ROW(generic_local,
    "{ .local .align 8 .b8 L[16]; .reg .b64 %x; mov.u64 %rd4, L; cvta.local.u64 %x, %rd4;"
    "st.u64 [%x+8], %rd2; ld.local.u64 %rd0, [L+8]; isspacep.local %p1, %x; isspacep.global %p2, "
    "%rd20;"
    "@!%p1 mov.u64 %rd0, 1; @!%p2 mov.u64 %rd0, 2; }",
    BITS, b)
ROW(shared_word,
    "{ .shared .align 8 .b8 S[2048]; mov.u32 %r4, %tid.x; shl.b32 %r5, %r4, 3;"
    "mov.u32 %r6, S; add.s32 %r7, %r6, %r5; st.shared.u64 [%r7], %rd1; bar.sync 0;"
    "ld.shared.u32 %r0, [%r7+4]; cvt.u64.u32 %rd0, %r0; }",
    BITS, a >> 32)
ROW(load_bytes,
    "ld.global.u8 %h4, [%rd20+1]; ld.global.s8 %r4, [%rd20+2]; cvt.u64.u16 %rd4, %h4;"
    "cvt.s64.s32 %rd5, %r4; shl.b64 %rd5, %rd5, 8; or.b64 %rd0, %rd4, %rd5;",
    BITS, (a >> 8 & 255) | (u64)(s64)(int8_t)(a >> 16) << 8)
ROW(load_wide_reg,
    "ld.global.u16 %rd4, [%rd20+2]; ld.global.s16 %rd5, [%rd20+4]; add.s64 %rd0, %rd4, %rd5;", BITS,
    (a >> 16 & 0xffff) + (u64)(s64)(s16)(a >> 32))
ROW(load_v4_u8,
    "ld.global.v4.u8 {%h4, %h5, %h6, %h7}, [%rd20]; cvt.u32.u16 %r4, %h4; cvt.u32.u16 %r5, %h5;"
    "cvt.u32.u16 %r6, %h6; cvt.u32.u16 %r7, %h7; shl.b32 %r5, %r5, 16; shl.b32 %r7, %r7, 16;"
    "or.b32 %r4, %r4, %r5; or.b32 %r6, %r6, %r7; mov.b64 %rd0, {%r4, %r6};",
    BITS, (a & 255) | (a >> 8 & 255) << 16 | (a >> 16 & 255) << 32 | (a >> 24 & 255) << 48)
ROW(load_v4_s16,
    "ld.global.v4.s16 {%h4, %h5, %h6, %h7}, [%rd20]; cvt.s64.s16 %rd4, %h7; cvt.s64.s16 %rd5, %h4;"
    "add.s64 %rd0, %rd4, %rd5;",
    BITS, (u64)(s64)(s16)(a >> 48) + (u64)(s64)(s16)a)
ROW(load_v2_u64,
    "{ .local .align 16 .b8 L[16]; st.local.v2.u64 [L], {%rd2, %rd3}; ld.local.v2.u64 {%rd4, "
    "%rd5}, [L];"
    "sub.s64 %rd0, %rd4, %rd5; }",
    BITS, b - c)
ROW(store_v4,
    "{ .local .align 16 .b8 L[16]; st.local.v4.u32 [L], {%r1, %r2, %r3, 7};"
    "ld.local.v4.u32 {%r4, %r5, _, %r6}, [L]; add.s32 %r4, %r4, %r6; mov.b64 %rd0, {%r5, %r4}; }",
    BITS, (u64)(u32)(a + 7) << 32 | (u32)b)
ROW(store_v4_u8,
    "{ .local .align 4 .b8 L[4]; st.local.v4.u8 [L], {%h1, %h2, %h3, %h1};"
    "ld.local.u32 %r0, [L]; cvt.u64.u32 %rd0, %r0; }",
    BITS, (a & 255) | (b & 255) << 8 | (c & 255) << 16 | (a & 255) << 24)
ROW(atomics,
    "{ .shared .align 4 .b8 S[1024]; mov.u32 %r4, %tid.x; shl.b32 %r5, %r4, 2; mov.u32 %r6, S;"
    "add.s32 %r7, %r6, %r5; st.shared.u32 [%r7], %r1; atom.shared.add.u32 %r8, [%r7], %r2;"
    "red.shared.xor.b32 [%r7], %r3; atom.shared.cas.b32 %r9, [%r7], %r1, %r2; ld.shared.u32 %r0, "
    "[%r7];"
    "mov.b64 %rd0, {%r0, %r8}; }",
    BITS, ({
        u32 v = (u32)((u32)a + (u32)b) ^ (u32)c;
        if (v == (u32)a) v = (u32)b;
        (u64)(u32) a << 32 | v;
    }))
ROW(shuffle, "shfl.sync.bfly.b32 %r0|%p1, %r1, 0, 31, -1; selp.b32 %r0, %r0, 1, %p1;" W32, BITS,
    (u32)a)
ROW(ballot_self,
    "setp.lt.s32 %p1, %r1, %r2; vote.sync.ballot.b32 %r4, %p1, -1; mov.u32 %r5, %laneid;"
    "shr.u32 %r6, %r4, %r5; and.b32 %r0, %r6, 1;" W32,
    BITS, (s32)a < (s32)b)
