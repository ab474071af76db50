/* test_sm_replies.cpp - rtl/sm/sm_replies.sv: when a reply takes effect (rule 7): it enters at
 * max(at, port free), occupies the port for its sectors, and fills fill_delay later; what it brings
 * goes along. */
#include <algorithm>

#include "Vsm_replies.h"
#include "sm_bench.h"

using Bench = ModuleBench<Vsm_replies>;

struct Reply {
    uint64_t at, word;
};

struct Sm {
    std::optional<Reply> shown;
    uint64_t free = RESET_TIME;
    bool goes_on = false; /* the reply before has left something to do: */
    uint64_t filled = 0;  /* it took effect at */
};

struct Visit {
    unsigned sm;
    std::optional<Reply> reply;
    bool more, take, scrub;
};

static Reply reply(Bench &b, uint64_t now) {
    Reply r = {now + b.pick(60), 0};
    core_reply_set_at(&r.word, (uint32_t)r.at);
    core_reply_set_warp(&r.word, b.pick(64));
    core_reply_set_bar(&r.word, b.pick(8));
    core_reply_set_mshr(&r.word, b.pick(512));
    core_reply_set_cached(&r.word, b.pick(2));
    core_reply_set_sectors(&r.word, b.pick(16));
    return r;
}

/* Cycles that it occupies the port: ceil(sectors / rate). */
static unsigned busy(const Reply &r, unsigned rate) {
    const unsigned sectors = (unsigned)__builtin_popcount(core_reply_sectors(&r.word));
    return (sectors + rate - 1) / rate;
}

static void check(Bench &b, Stages<Visit> &stages, const Sm *sms, unsigned rate, unsigned delay) {
    auto fill = [&](const Visit &v) {
        const Sm &sm = sms[v.sm];
        return v.more ? sm.filled : std::max(v.reply->at, sm.free) + busy(*v.reply, rate) + delay;
    };
    Visit *v = stages.at(KIN);
    if (v && !v->more) {
        const uint64_t bound = get_bits(b.v.kin_fill_o, 0, TIME_BITS + 1);
        b.expect("no reply", bound >> TIME_BITS, !v->reply);
        if (v->reply) b.expect("takes effect at", bound, kept(fill(*v)));
    }
    v = stages.at(MIS);
    if (v && v->take) {
        b.expect("MSHR", b.v.mis_mshr_o, core_reply_mshr(&v->reply->word));
        b.expect("warp in stage mis", b.v.mis_warp_o, core_reply_warp(&v->reply->word));
    }
    v = stages.at(ACT);
    if (v && (v->take || v->more)) b.expect("took effect at", b.v.act_fill_o, kept(fill(*v)));
    if (v && v->take) {
        const uint64_t *word = &v->reply->word;
        b.expect("code", b.v.act_code_o, core_reply_mshr(word) >> 8);
        b.expect("cached", b.v.act_cached_o, core_reply_cached(word));
        b.expect("warp", b.v.act_warp_o, core_reply_warp(word));
        b.expect("counter", b.v.act_bar_o, core_reply_bar(word));
        b.expect("sectors", b.v.act_come_o, core_reply_sectors(word));
    }
}

static void run(uint32_t seed, unsigned enter, unsigned shown, unsigned rate, unsigned delay) {
    Bench b(seed);
    Stages<Visit> stages(PASS_STAGES, PIPELINED);
    Sm sms[SMS];
    uint64_t now = FIRST_TIME, waited = 0;
    unsigned taken = 0;
    b.v.reply_rate_i = rate;
    b.v.fill_delay_i = delay;
    b.v.init_i = 1;
    for (unsigned sm = 0; sm < SMS; sm++) {
        b.v.init_sm_i = sm;
        b.tick();
    }
    b.v.init_i = 0;
    for (int i = 0; i < 30000; i++) {
        now += b.pick(2);
        const bool all = b.chance(1);
        b.v.scrub_all_i = all;
        b.v.scrub_floor_i = kept(now - 256);
        std::optional<Visit> next;
        if (b.chance(enter))
            if (auto number = free_sm(b, stages)) {
                Sm &sm = sms[*number];
                if (!sm.shown && b.chance(shown)) sm.shown = reply(b, now);
                const bool near = sm.free < now + 2000;
                next = Visit{*number, sm.shown, sm.goes_on,
                             !sm.goes_on && sm.shown && near && b.chance(70), false};
                next->scrub = !next->take && !sm.goes_on && b.chance(10);
            }
        stages.enter(next);
        b.v.visit_i = stages.at(NXT) != nullptr;
        Visit *nxt = stages.at(NXT);
        b.v.nxt_valid_i = nxt && nxt->reply;
        b.v.nxt_reply_i = nxt && nxt->reply ? nxt->reply->word : b.bits(64);
        if (Visit *v = stages.at(HED)) b.v.hed_sm_i = v->sm;
        if (Visit *v = stages.at(CMP)) {
            const unsigned goes_on[] = {PassWake, PassTell};
            b.v.cmp_more_i = v->more ? goes_on[b.pick(2)] : (unsigned)PassEnd;
        }
        Visit *act = stages.at(ACT);
        b.v.act_reply_i = act && act->take;
        b.v.act_scrub_i = act && act->scrub;
        if (act) b.v.act_sm_i = act->sm;
        b.settle();
        check(b, stages, sms, rate, delay);
        if (act) {
            Sm &sm = sms[act->sm];
            if (act->take) {
                const uint64_t enters = std::max(act->reply->at, sm.free);
                waited += enters > act->reply->at;
                sm.free = enters + busy(*act->reply, rate);
                sm.filled = sm.free + delay;
                sm.shown.reset();
                sm.goes_on = b.pick(2);
                taken++;
            } else if (act->more) {
                sm.goes_on = b.pick(2);
            } else if (act->scrub) {
                sm.free = fresh(sm.free, all, now - 256);
            }
        }
        b.tick();
        stages.step();
    }
    if (taken < 500 || !waited) b.fail("%u replies", taken);
}

int main() {
    uint32_t seed = 1;
    for (unsigned rate = 1; rate <= 4; rate++) {
        run(seed++, 100, 100, rate, 4);
        run(seed++, 50, 50, rate, 1);
    }
    printf("sm_replies: passed\n");
    return 0;
}
