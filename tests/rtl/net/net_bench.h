/* net_bench.h - one net_engine, driven as heddle_run and sm_engine drive it: HEDDLE_MODEL of
 * HEDDLE_MODEL_HEADER, by default a Verilated one. */
#ifndef HEDDLE_TESTS_NET_BENCH_H
#define HEDDLE_TESTS_NET_BENCH_H

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#ifndef HEDDLE_MODEL
#define HEDDLE_MODEL Vnet_engine
#define HEDDLE_MODEL_HEADER "Vnet_engine.h"
#endif
#include HEDDLE_MODEL_HEADER
#include "core_words.h"
#include "tests/rtl/net/net_model.h"
#include "verilated.h"

class Bench {
  public:
    std::vector<Reply> replies; /* taken by the SMs, in order of taking */
    struct Raw {
        uint64_t word[2];
    };
    std::vector<Raw> events; /* since the last look */
    uint64_t clocks = 0;

    explicit Bench(uint32_t seed) : random_(seed) {
        v.rst_ni = 0;
        v.ev_ready_i = 1;
        for (int i = 0; i < 4; i++) tick();
        v.rst_ni = 1;
        wait_idle();
    }

    void command(const uint64_t beat[8]) {
        memcpy(&v.cmd_i, beat, 64);
        v.cmd_valid_i = 1;
        while (!settled(v.cmd_ready_o)) tick();
        tick();
        v.cmd_valid_i = 0;
    }

    void set(uint32_t number, uint32_t value) {
        uint64_t beat[8] = {};
        core_command_set_kind(beat, CORE_CMD_SET);
        core_command_set_id(beat, number);
        core_command_set_value(beat, value);
        command(beat);
    }

    void simple(uint32_t kind, uint32_t at, uint32_t value) {
        uint64_t beat[8] = {};
        core_command_set_kind(beat, kind);
        core_command_set_at(beat, at);
        core_command_set_value(beat, value);
        command(beat);
    }

    void wait_idle() {
        for (int i = 0; !settled(v.idle_o); i++) {
            if (i > 10000000) fail("the engine is never idle");
            tick();
        }
        if (v.fault_o) fail("fault");
    }

    void set_reached(uint32_t at) { v.reached_i = at; }
    uint64_t next() { return v.next_o; } /* bit 32: never; while idle */
    HEDDLE_MODEL &model() { return v; }

    void begin_window(uint32_t end) {
        v.go_i = 1;
        v.window_end_i = end;
        tick();
        v.go_i = 0;
        for (int i = 0; !settled(v.replied_o); i++) {
            if (i > 1000000) fail("no replies");
            tick();
        }
    }

    /* SM `sm` takes what arrives before `end`: looked at in one clock, popped in the next. */
    void take_replies(uint32_t sm, uint32_t end) {
        for (;;) {
            v.reply_sm_i = sm;
            v.reply_pop_i = 0;
            tick();
            v.eval();
            uint64_t w = v.reply_o;
            if (!v.reply_valid_o || (int32_t)((uint32_t)core_reply_at(&w) - end) >= 0) return;
            replies.push_back({core_reply_at(&w), 0, sm, core_reply_warp(&w), core_reply_bar(&w),
                               core_reply_mshr(&w), core_reply_cached(&w), core_reply_sectors(&w)});
            v.reply_pop_i = 1;
            v.reply_pop_sm_i = sm;
            tick();
            v.reply_pop_i = 0;
            for (int i = 0; i < 2; i++) tick(); /* with the look before it four clocks a reply */
        }
    }

    void request(const Request &r) {
        uint64_t w[2] = {};
        core_request_set_at(w, r.at);
        core_request_set_sm(w, r.sm);
        core_request_set_warp(w, r.warp);
        core_request_set_bar(w, r.bar);
        core_request_set_kind(w, r.kind);
        core_request_set_perform(w, r.perform);
        core_request_set_slot(w, r.slot);
        core_request_set_mshr(w, r.mshr);
        core_request_set_cached(w, r.cached);
        core_request_set_sectors(w, r.sectors);
        core_request_set_full(w, r.full);
        core_request_set_turns(w, r.lanes);
        core_request_set_addr(w, r.addr);
        while (random_() % 8 == 0) tick();
        memcpy(&v.req_i, w, 16);
        v.req_valid_i = 1;
        while (!settled(v.req_ready_o)) tick();
        tick();
        v.req_valid_i = 0;
    }

    [[noreturn]] void fail(const char *what) {
        printf("FAILED: %s (clock %lu, fault %u)\n", what, (unsigned long)clocks, v.fault_o);
        exit(1);
    }

  private:
    VerilatedContext context_;
    HEDDLE_MODEL v{&context_};
    std::mt19937 random_;

    template <class T> T settled(T &signal) {
        v.clk_i = 0;
        v.eval();
        return signal;
    }

    void tick() {
        v.clk_i = 0;
        v.ev_ready_i = random_() % 4 != 0;
        v.eval();
        if (v.rst_ni && v.ev_valid_o && v.ev_ready_i) { /* before the reset: any value */
            Raw e;
            memcpy(e.word, &v.ev_o, 16);
            events.push_back(e);
        }
        v.clk_i = 1;
        v.eval();
        clocks++;
    }
};

#endif
