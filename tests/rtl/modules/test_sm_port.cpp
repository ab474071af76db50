/* test_sm_port.cpp - rtl/sm/sm_port.sv: requests leave in the order of the look-ups, at
 * max(look-up + miss_delay, port free), with what their operation says; the port is busy for as
 * many pieces as rule 6 names; unanswered requests are counted. */
#include <algorithm>
#include <cstring>
#include <deque>

#include "Vsm_port.h"
#include "sm_bench.h"

enum What { NOTHING, LINE, CODE, ANSWER, SCRUB };

using Bench = ModuleBench<Vsm_port>;

struct Sm {
    uint64_t free = RESET_TIME; /* the port */
    unsigned order = 0, unanswered = 0;
};

struct Visit {
    unsigned sm;
    What what;
    MemOp op;
    uint64_t line; /* line_t */
    unsigned send, sub, mshr;
    uint64_t at; /* look-up or ask */
    unsigned code_line, way;
};

struct Request {
    uint64_t word[2] = {0, 0};
};

struct Parameters {
    unsigned delay, shift, credits;
    uint32_t code_base;
};

static Visit visit(Bench &b, unsigned number, const Sm &sm, uint64_t now, const Parameters &p) {
    Visit v = {};
    v.sm = number;
    v.what = (What)b.pick(5);
    const bool bypass = b.pick(2);
    const unsigned kinds[] = {CORE_MEM_LOAD_STRONG, CORE_MEM_STORE, CORE_MEM_RED, CORE_MEM_ATOM};
    v.op = random_op(b);
    v.op.mem = bypass ? kinds[b.pick(4)] : (unsigned)CORE_MEM_LOAD;
    v.line = b.bits(64);
    v.send = 1 + b.pick(15);
    v.sub = b.pick(SUBS);
    v.mshr = b.pick(256);
    v.at = now + b.pick(40);
    v.code_line = b.pick(1 << 17);
    v.way = b.pick(16);
    if (v.what == LINE && bypass && sm.unanswered >= p.credits) v.what = ANSWER;
    if (v.what == ANSWER && !sm.unanswered) v.what = NOTHING;
    if ((v.what == LINE || v.what == CODE) && sm.free > now + 2000) v.what = NOTHING;
    return v;
}

/* Rules 6 and 13: the request of a visit, and what the port is busy for. */
static Request request(Sm &sm, const Visit &v, const Parameters &p) {
    Request r;
    const uint64_t at = std::max(v.at + p.delay, sm.free);
    unsigned pieces = 1;
    core_request_set_at(r.word, (uint32_t)at);
    core_request_set_sm(r.word, v.sm);
    core_request_set_order(r.word, sm.order++ % 4096);
    if (v.what == CODE) {
        core_request_set_warp(r.word, v.code_line % 64);
        core_request_set_bar(r.word, 7);
        core_request_set_kind(r.word, CORE_REQ_READ);
        core_request_set_mshr(r.word, 256 + v.way);
        core_request_set_cached(r.word, 1);
        core_request_set_sectors(r.word, 15);
        core_request_set_addr(r.word, (uint32_t)(p.code_base + v.code_line));
    } else {
        const unsigned mem = v.op.mem;
        core_request_set_warp(r.word, v.op.warp * SUBS + v.sub);
        core_request_set_bar(r.word, v.op.bar);
        core_request_set_kind(r.word, mem == CORE_MEM_STORE ? CORE_REQ_WRITE
                                      : mem == CORE_MEM_RED || mem == CORE_MEM_ATOM
                                          ? CORE_REQ_ATOMIC
                                          : CORE_REQ_READ);
        core_request_set_perform(r.word, mem != CORE_MEM_LOAD && v.op.perform);
        core_request_set_slot(r.word, v.op.slot);
        core_request_set_mshr(r.word, mem == CORE_MEM_STORE ? core_line_locked(&v.line) : v.mshr);
        core_request_set_cached(r.word, mem == CORE_MEM_LOAD);
        core_request_set_sectors(r.word, v.send);
        core_request_set_full(r.word, core_line_full(&v.line));
        core_request_set_turns(r.word, core_line_turns(&v.line));
        core_request_set_addr(r.word, core_line_addr(&v.line));
        if (mem == CORE_MEM_STORE) pieces = 1 + (unsigned)__builtin_popcount(v.send);
        if (mem == CORE_MEM_RED || mem == CORE_MEM_ATOM) pieces = 2;
        sm.unanswered += mem != CORE_MEM_LOAD;
    }
    sm.free = at + pieces * (1u << p.shift);
    return r;
}

static void run(uint32_t seed, unsigned enter, unsigned ready, const Parameters &p) {
    Bench b(seed);
    Stages<Visit> stages(PASS_STAGES, PIPELINED);
    Sm sms[SMS];
    std::deque<Request> queue;
    uint64_t now = FIRST_TIME, left = 0, full = 0, halves = 0;
    b.v.miss_delay_i = p.delay;
    b.v.port_shift_i = p.shift;
    b.v.credits_i = p.credits;
    b.v.code_base_i = p.code_base;
    b.v.init_i = 1;
    for (unsigned sm = 0; sm < SMS; sm++) {
        b.v.init_sm_i = sm;
        b.tick();
    }
    b.v.init_i = 0;
    for (int i = 0; i < 30000; i++) {
        now += b.pick(2);
        b.v.reached_i = (uint32_t)now;
        b.v.scrub_all_i = 0;
        b.v.scrub_floor_i = kept(now - 256);
        std::optional<Visit> next;
        if (!b.v.half_o && b.chance(enter))
            if (auto sm = free_sm(b, stages)) next = visit(b, *sm, sms[*sm], now, p);
        stages.enter(next);
        b.v.visit_i = stages.at(NXT) != nullptr;
        if (Visit *v = stages.at(HED)) b.v.hed_sm_i = v->sm;
        if (Visit *v = stages.at(TAG)) b.v.tag_sm_i = v->sm;
        Visit *act = stages.at(ACT);
        const What what = act ? act->what : NOTHING;
        b.v.act_line_i = what == LINE;
        b.v.act_code_i = what == CODE;
        b.v.act_answer_i = what == ANSWER;
        b.v.act_scrub_i = what == SCRUB;
        b.v.act_send_i = what == LINE ? act->send : 0;
        b.v.act_sectors_i = (uint8_t)__builtin_popcount(b.v.act_send_i);
        if (act) {
            b.v.act_sm_i = act->sm;
            b.v.act_word_i = act->line;
            b.v.act_op_i = act->op.word();
            b.v.act_warp_i = act->op.warp * SUBS + act->sub;
            b.v.act_keep_i = what == LINE && act->op.mem == CORE_MEM_LOAD;
            b.v.act_mshr_i = act->mshr;
            b.v.act_look_i = kept(act->at);
            b.v.act_ask_i = kept(what == CODE ? act->at : b.bits(32));
            b.v.act_code_line_i = act->code_line;
            b.v.act_code_way_i = act->way;
        }
        b.v.req_ready_i = b.chance(ready);
        b.settle();
        b.expect("a request", b.v.req_valid_o, !queue.empty());
        b.expect("half full", b.v.half_o, queue.size() >= 16);
        halves += b.v.half_o;
        if (!queue.empty() && memcmp(queue.front().word, &b.v.req_o, sizeof(Request)))
            b.fail("request %016llx %08x%08x, not %016llx %016llx",
                   (unsigned long long)get_bits(b.v.req_o, 64, 64), b.v.req_o[1], b.v.req_o[0],
                   (unsigned long long)queue.front().word[1],
                   (unsigned long long)queue.front().word[0]);
        if (Visit *v = stages.at(CMP)) b.expect("port", b.v.cmp_port_o, kept(sms[v->sm].free));
        if (act) {
            b.expect("credits", b.v.act_full_o, sms[act->sm].unanswered >= p.credits);
            full += b.v.act_full_o;
        }
        if (!queue.empty() && b.v.req_ready_i) {
            queue.pop_front();
            left++;
        }
        if (what == LINE || what == CODE) queue.push_back(request(sms[act->sm], *act, p));
        if (what == ANSWER) sms[act->sm].unanswered--;
        if (what == SCRUB) sms[act->sm].free = fresh(sms[act->sm].free, false, now - 256);
        b.tick();
        stages.step();
    }
    if (left < 500 || !full || (ready < 20 && !halves))
        b.fail("%llu requests", (unsigned long long)left);
}

int main() {
    uint32_t seed = 1;
    run(seed++, 100, 100, {4, 0, 3, 0});
    run(seed++, 100, 5, {1, 1, 2, 0x12345});
    run(seed++, 50, 50, {20, 2, 4, 0xffffff00});
    run(seed++, 20, 90, {4, 0, 2, 7});
    printf("sm_port: passed\n");
    return 0;
}
