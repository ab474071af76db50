/* test_sm_visits.cpp - rtl/sm/sm_visits.sv: what a visit brings is in each stage as it came, in the
 * same clock or a clock a stage later; from choose on what sm_choose made of it. */
#include "Vsm_visits.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_visits>;

enum { SEL, REL, MIN, CHO, FET, COD, LOO, UPD, RDY, ROW, STAGES };
enum { ID_BITS = SM_BITS + SUB_BITS + WARP_BITS, CTX_BITS = SLOT_BITS + SUB_BITS, ARG_BITS = 24 };
enum { EXTRA_BITS = TIME_BITS > 17 ? TIME_BITS : 17 };

struct Visit {
    unsigned kind, in_slot, ctx, id;
    uint64_t arg, at, extra;
    /* what choose makes of it */
    bool goes;
    unsigned go_id, late, late_bar;
    uint64_t go_arg, go_at, after;
};

static Visit random_visit(Bench &b) {
    return {b.pick(8),
            b.pick(2),
            b.pick(1 << CTX_BITS),
            b.pick(1 << ID_BITS),
            b.bits(ARG_BITS),
            b.bits(TIME_BITS),
            b.bits(EXTRA_BITS),
            b.chance(70),
            b.pick(1 << ID_BITS),
            b.pick(2),
            b.pick(8),
            b.bits(ARG_BITS),
            b.bits(TIME_BITS),
            b.bits(32)};
}

struct Flags {
    uint64_t is;
    bool should;
    Flags(uint64_t value, bool wanted) : is(value), should(wanted) {}
    Flags(uint64_t value, const Visit *visit) : is(value), should(visit != nullptr) {}
};

static void run(uint32_t seed, unsigned enter) {
    Bench b(seed);
    Stages<Visit> stages(STAGES, PIPELINED);
    unsigned visits = 0, over = 0;
    for (int i = 0; i < 20000; i++) {
        std::optional<Visit> next;
        if (b.chance(enter)) next = random_visit(b);
        visits += next.has_value();
        stages.enter(next);
        Visit *s[STAGES];
        for (unsigned k = 0; k < STAGES; k++) {
            s[k] = stages.at(k);
            if (k > CHO && s[k] && !s[k]->goes) s[k] = nullptr;
        }
        b.v.sel_valid_i = next.has_value();
        const Visit in = next ? *next : random_visit(b); /* what is there without a visit */
        b.v.sel_kind_i = (uint8_t)in.kind;
        b.v.sel_in_slot_i = (uint8_t)in.in_slot;
        b.v.sel_ctx_i = (uint8_t)in.ctx;
        b.v.sel_id_i = (uint16_t)in.id;
        b.v.sel_arg_i = (uint32_t)in.arg;
        b.v.sel_at_i = in.at;
        b.v.sel_extra_i = in.extra;
        const Visit go = s[CHO] ? *s[CHO] : random_visit(b);
        b.v.go_i = s[CHO] && s[CHO]->goes;
        b.v.go_id_i = (uint16_t)go.go_id;
        b.v.go_arg_i = (uint32_t)go.go_arg;
        b.v.go_at_i = go.go_at;
        b.v.go_late_i = (uint8_t)go.late;
        b.v.go_late_bar_i = (uint8_t)go.late_bar;
        b.v.go_after_i = (uint32_t)go.after;
        b.settle();
        const auto kind = [&](unsigned stage, unsigned k) {
            return s[stage] && s[stage]->kind == k;
        };
        const unsigned taker = s[FET] ? s[FET]->kind : (unsigned)KindCount;
        const Flags flags[] = {{b.v.rel_valid_o, s[REL]},
                               {b.v.min_valid_o, s[MIN]},
                               {b.v.cho_valid_o, s[CHO]},
                               {b.v.fet_valid_o, s[FET]},
                               {b.v.cod_valid_o, s[COD]},
                               {b.v.loo_valid_o, s[LOO]},
                               {b.v.upd_valid_o, s[UPD]},
                               {b.v.rdy_valid_o, s[RDY]},
                               {b.v.row_valid_o, s[ROW]},
                               {b.v.rel_issue_o, kind(REL, KindIssue)},
                               {b.v.min_issue_o, kind(MIN, KindIssue)},
                               {b.v.cho_issue_o, kind(CHO, KindIssue)},
                               {b.v.fet_issue_o, kind(FET, KindIssue)},
                               {b.v.cod_issue_o, kind(COD, KindIssue)},
                               {b.v.loo_issue_o, kind(LOO, KindIssue)},
                               {b.v.upd_issue_o, kind(UPD, KindIssue)},
                               {b.v.cod_init_o, kind(COD, KindInit)},
                               {b.v.loo_init_o, kind(LOO, KindInit)},
                               {b.v.upd_init_o, kind(UPD, KindInit)},
                               {b.v.rdy_init_o, kind(RDY, KindInit)},
                               {b.v.row_init_o, kind(ROW, KindInit)},
                               {b.v.cod_scrub_o, kind(COD, KindScrub)},
                               {b.v.loo_scrub_o, kind(LOO, KindScrub)},
                               {b.v.upd_scrub_o, kind(UPD, KindScrub)},
                               {b.v.rdy_scrub_o, kind(RDY, KindScrub)},
                               {b.v.row_scrub_o, kind(ROW, KindScrub)},
                               {b.v.cod_come_o, kind(COD, KindCode)},
                               {b.v.loo_come_o, kind(LOO, KindCode)},
                               {b.v.upd_count_o, kind(UPD, KindCount)},
                               {b.v.fet_take_o, taker != KindCount && taker != KindResume}};
        unsigned n = 0;
        for (const Flags &f : flags) {
            if (f.is != f.should) b.fail("flag %u is %u", n, (unsigned)f.is);
            n++;
        }
#define IS(stage, STAGE, name, value) \
    if (s[STAGE]) b.expect(#stage " " #name, b.v.stage##_##name##_o, s[STAGE]->value)
        IS(rel, REL, kind, kind);
        IS(rel, REL, in_slot, in_slot);
        IS(rel, REL, ctx, ctx);
        IS(rel, REL, id, id);
        IS(rel, REL, at, at);
        IS(cho, CHO, ctx, ctx);
        IS(cho, CHO, id, id);
        IS(cho, CHO, arg, arg);
        IS(fet, FET, id, go_id);
        IS(cod, COD, id, go_id);
        IS(loo, LOO, id, go_id);
        IS(upd, UPD, id, go_id);
        IS(rdy, RDY, id, go_id);
        IS(row, ROW, id, go_id);
        IS(cod, COD, arg, go_arg);
        IS(loo, LOO, arg, go_arg);
        IS(upd, UPD, arg, go_arg);
        IS(rdy, RDY, arg, go_arg);
        IS(row, ROW, arg, go_arg);
        IS(cod, COD, at, go_at);
        IS(loo, LOO, at, go_at);
        IS(upd, UPD, at, go_at);
        IS(row, ROW, at, go_at);
        IS(cod, COD, after, after);
        IS(upd, UPD, after, after);
        IS(loo, LOO, extra, extra);
        IS(upd, UPD, extra, extra);
        IS(upd, UPD, kind, kind);
        IS(upd, UPD, late, late);
        IS(upd, UPD, late_bar, late_bar);
        IS(row, ROW, kind, kind);
        IS(row, ROW, in_slot, in_slot);
        IS(row, ROW, ctx, ctx);
#undef IS
        over += s[ROW] != nullptr;
        b.tick();
        stages.step();
    }
    if (over < visits / 2 || visits < 3000) b.fail("%u visits, %u to the end", visits, over);
}

int main() {
    run(1, 100);
    run(2, 60);
    run(3, 20);
    printf("sm_visits: passed\n");
    return 0;
}
