/* control_test.c - control information (stall counts, dependency barriers), which replaces
 * interlocks in hardware: the checker (ir/ptx_check.c) reports any missing piece, and the
 * compiler's choices follow ptxas's rules. */
#include "run_ptx.h"

#include <criterion/criterion.h>

#define HEAD                                                                    \
    ".version 7.5\n.target sm_70\n.address_size 64\n.entry k(.param .u64 a)\n{" \
    ".reg .pred %p<9>; .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>;\n"   \
    "ld.param.u64 %rd1, [a];\n"

/* The checker reports every single piece of control information that the test removes. */
Test(ptx_control, checker_notices_what_is_missing) {
    struct run r;
    struct ptx_options o;
    char why[256];
    ptx_options_default(&o);
    run_open(&r,
             HEAD
             "mov.u32 %r1, %tid.x;\n"
             "L: mul.wide.u32 %rd2, %r1, 4; add.s64 %rd3, %rd1, %rd2; ld.global.f32 %f1, [%rd3];\n"
             "rcp.approx.f32 %f2, %f1; fma.rn.f32 %f3, %f2, %f1, %f2; st.global.f32 [%rd3], %f3;\n"
             "add.s32 %r1, %r1, 32; setp.lt.u32 %p1, %r1, 999; @%p1 bra L; ret; }",
             &o);
    struct mir_function *f = &r.module->functions[0];
    struct ptx_latency l = {.guard = o.predicate_latency};
    for (unsigned i = 0; i < MIR_CLASS_COUNT; i++) l.of_class[i] = o.latency[i];
    unsigned found = 0;
    for (uint32_t i = 0; i < f->num_inst; i++) {
        struct mir_inst keep = f->code[i];
        for (unsigned b = 0; b < MIR_NUM_BARRIERS; b++)
            if (keep.wait >> b & 1) {
                f->code[i].wait &= (uint8_t) ~(1u << b);
                cr_expect_not(ptx_control_check(f->code, f->num_inst, &l, why, sizeof why),
                              "wait for barrier %u of instruction %u", b, i);
                found++;
                f->code[i] = keep;
            }
        if (keep.wbar != MIR_NO_BARRIER) {
            f->code[i].wbar = MIR_NO_BARRIER;
            cr_expect_not(ptx_control_check(f->code, f->num_inst, &l, why, sizeof why));
            found++;
            f->code[i] = keep;
        }
        if (keep.stall > 5) { /* shorter ones may belong to a branch */
            f->code[i].stall--;
            cr_expect_not(ptx_control_check(f->code, f->num_inst, &l, why, sizeof why),
                          "stall of instruction %u", i);
            found++;
            f->code[i] = keep;
        }
    }
    cr_expect_geq(found, 6u);
    cr_expect(ptx_control_check(f->code, f->num_inst, &l, why, sizeof why), "%s", why);
    run_close(&r);
}

/* A stall count has four bits, so a result that takes longer needs a dependency barrier. run_open()
 * runs the checker, which reports a missing one. */
Test(ptx_control, results_later_than_any_stall_have_a_barrier) {
    for (unsigned latency = 15; latency <= 16; latency++) {
        struct run r;
        struct ptx_options o;
        unsigned barriers = 0;
        ptx_options_default(&o);
        o.latency[MIR_CLASS_FP32] = (uint8_t)latency;
        run_open(&r,
                 HEAD "ld.global.f32 %f1, [%rd1]; fma.rn.f32 %f2, %f1, %f1, %f1;\n"
                      "setp.gt.f32 %p1, %f2, 0f00000000; @%p1 fma.rn.f32 %f2, %f2, %f2, %f1;\n"
                      "st.global.f32 [%rd1], %f2; ret; }",
                 &o);
        const struct mir_function *f = &r.module->functions[0];
        for (uint32_t i = 0; i < f->num_inst; i++)
            barriers += mir_op_class(f->code[i].op) == MIR_CLASS_FP32 &&
                        f->code[i].wbar != MIR_NO_BARRIER;
        cr_expect_eq(barriers, latency > 15 ? 2 : 0, "latency %u: %u", latency, barriers);
        run_close(&r);
    }
}

/* Cycles that a register of class `from`, of four cycles, takes to an instruction of class `to`. */
static unsigned way(const struct ptx_latency *l, mir_class from, mir_class to) {
    if (from == to) return 4;
    if (to == MIR_CLASS_SFU) return 4u + l->to_sfu;
    if (to == MIR_CLASS_SHARED) return 4u + l->to_memory;
    return 4u + l->crossing;
}

/* Integer and FMA pipe in turn, and from them to SFU and shared memory. */
Test(ptx_control, a_result_takes_longer_to_another_pipe) {
    static const struct {
        uint8_t crossing, to_sfu, to_memory;
    } all[] = {{0, 0, 0}, {1, 0, 1}, {1, 2, 4}};
    for (unsigned t = 0; t < sizeof all / sizeof *all; t++) {
        struct run r;
        struct ptx_options o;
        char why[256];
        unsigned seen = 0;
        ptx_options_default(&o);
        o.crossing = all[t].crossing;
        o.to_sfu = all[t].to_sfu;
        o.to_memory = all[t].to_memory;
        run_open(&r,
                 HEAD "ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4];\n"
                      "xor.b32 %r3, %r1, %r2; shf.l.wrap.b32 %r3, %r3, %r2, 5;\n"
                      "mad.lo.s32 %r3, %r3, %r1, %r2; mad.lo.s32 %r3, %r3, %r1, %r2;\n"
                      "shf.l.wrap.b32 %r3, %r3, %r2, 7; popc.b32 %r4, %r3;\n"
                      "shf.l.wrap.b32 %r4, %r4, %r2, 7; ld.shared.u32 %r5, [%r4];\n"
                      "mad.lo.s32 %r5, %r5, %r1, %r2; ld.shared.u32 %r6, [%r5];\n"
                      "st.global.u32 [%rd1], %r6; ret; }",
                 &o);
        struct mir_function *f = &r.module->functions[0];
        struct ptx_latency l = {.guard = o.predicate_latency,
                                .crossing = o.crossing,
                                .to_sfu = o.to_sfu,
                                .to_memory = o.to_memory};
        for (unsigned i = 0; i < MIR_CLASS_COUNT; i++) l.of_class[i] = o.latency[i];
        for (uint32_t i = 0; i + 1 < f->num_inst; i++) {
            struct mir_inst *in = &f->code[i];
            const mir_class from = mir_op_class(in->op), to = mir_op_class(in[1].op);
            bool reads = false;
            for (unsigned k = 0; k < MIR_MAX_SRC; k++)
                reads |= mir_src_words(in + 1, k) && in[1].src[k].reg == in->dst;
            if (!reads || (from != MIR_CLASS_INT && from != MIR_CLASS_IMAD)) continue;
            cr_expect_eq(in->stall, way(&l, from, to), "instruction %u", i);
            seen |= 1u << (from == MIR_CLASS_IMAD ? 4 : 0)
                       << (to == MIR_CLASS_INT    ? 0
                           : to == MIR_CLASS_IMAD ? 1
                           : to == MIR_CLASS_SFU  ? 2
                                                  : 3);
            in->stall--;
            cr_expect_not(ptx_control_check(f->code, f->num_inst, &l, why, sizeof why));
            in->stall++;
        }
        cr_expect_eq(seen, 0xbfu, "ways seen: %x", seen);
        run_close(&r);
    }
}

/* Loads whose addresses are computed one after another in the same registers, so that each address
 * must have been read before the next. */
Test(ptx_control, no_counter_has_both_operands_and_results) {
    struct run r;
    struct ptx_options o;
    char ptx[4096];
    ptx_options_default(&o);
    run_column_text(ptx, 24, 8);
    run_open(&r, ptx, &o);
    const struct mir_function *f = &r.module->functions[0];
    unsigned results = 0, operands = 0, counted = 0; /* masks */
    for (uint32_t i = 0; i < f->num_inst; i++) {
        const struct mir_inst *in = &f->code[i];
        results &= ~(unsigned)in->wait;
        operands &= ~(unsigned)in->wait;
        if (in->wbar != MIR_NO_BARRIER) results |= 1u << in->wbar;
        if (in->rbar != MIR_NO_BARRIER) operands |= 1u << in->rbar;
        counted += in->rbar != MIR_NO_BARRIER;
        cr_expect_eq(results & operands, 0, "instruction %u", i);
    }
    cr_expect_geq(counted, 10u, "%u instructions whose operands are waited for", counted);
    run_close(&r);
}

/* Cycles from the first product's issue to the first one of the next set, by the stall counts: four
 * steps of a set occupy the pipe for two cycles each, and the next set waits for the first of them.
 * A stall that counted from an earlier time would come on top of the wait for the pipe. */
Test(ptx_control, products_wait_for_their_pipe_in_the_stall_counts) {
    struct run r;
    struct ptx_options o;
    ptx_options_default(&o);
    for (unsigned interval = 0; interval <= 2; interval += 2) {
        o.interval[MIR_CLASS_HMMA884] = (uint8_t)interval;
        run_open(&r,
                 ".version 7.5\n.target sm_70\n.address_size 64\n.entry k(.param .u64 a)\n{"
                 ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<2>; ld.param.u64 %rd1, [a];\n"
                 "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 "
                 "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1];\n"
                 "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 "
                 "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, [%rd1+512];\n"
                 "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 "
                 "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, "
                 "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, "
                 "{%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, "
                 "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};\n"
                 "wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1+512], "
                 "{%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}; ret; }\n",
                 &o);
        const struct mir_function *f = &r.module->functions[0];
        unsigned seen = 0, cycles = 0, least = interval ? 2 : 1;
        for (uint32_t i = 0; i < f->num_inst && seen < 13; i++) {
            if (f->code[i].op != MIR_HMMA884) continue;
            /* of the sets behind the first, whose loads come when they come */
            if (++seen > 8 && seen < 13) cycles += f->code[i].stall;
            if (seen > 8 && seen < 12) cr_expect_eq(f->code[i].stall, least, "%u", i);
        }
        cr_expect_eq(cycles, o.latency[MIR_CLASS_HMMA884], "interval %u:\n%s", interval,
                     run_listing(f));
        run_close(&r);
    }
}
