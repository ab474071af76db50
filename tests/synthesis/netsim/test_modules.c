/* test_modules.c - small modules (modules/), mapped by yosys as the engines are, against what they
 * say, written down in C. HEDDLE_NETLISTS: the folder of the netlists. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/synthesis/netsim/netsim.h"

enum { CLOCKS = 20000 };

struct bench {
    struct netsim_design *d;
    struct netsim *s;
    uint64_t random;
};

static uint64_t draw(struct bench *b) {
    b->random ^= b->random << 13;
    b->random ^= b->random >> 7;
    return b->random ^= b->random << 17;
}

static struct bench begin(const char *module, uint64_t seed) {
    char path[1024];
    const char *dir = getenv("HEDDLE_NETLISTS");
    cr_assert(dir, "HEDDLE_NETLISTS is not set");
    snprintf(path, sizeof path, "%s/%s.blif", dir, module);
    struct bench b = {netsim_design_read(path, "clk_i"), NULL, seed * 77777 + 1};
    b.s = netsim_new(b.d, seed);
    return b;
}

static void end(struct bench *b) {
    netsim_free(b->s);
    netsim_design_free(b->d);
}

static void put(struct bench *b, const char *port, unsigned width, uint64_t value) {
    const uint32_t words[2] = {(uint32_t)value, (uint32_t)(value >> 32)};
    netsim_put(b->s, netsim_port(b->d, port, false, width), words);
}

static uint64_t get(struct bench *b, const char *port, unsigned width) {
    return *netsim_get(b->s, netsim_port(b->d, port, true, width));
}

static void reset(struct bench *b) {
    put(b, "rst_ni", 1, 0);
    netsim_clock(b->s);
    netsim_clock(b->s);
    put(b, "rst_ni", 1, 1);
}

Test(modules, counter) {
    struct bench b = begin("counter", 1);
    const uint64_t mask = 0xfffff;
    uint64_t up = 0, down = mask, idle = 1, less = 1;
    reset(&b);
    for (unsigned i = 0; i < CLOCKS; i++) {
        cr_assert_eq(get(&b, "up_o", 20), up, "clock %u", i);
        cr_assert_eq(get(&b, "down_o", 20), down, "clock %u", i);
        cr_assert_eq(get(&b, "idle_o", 1), idle, "clock %u", i);
        cr_assert_eq(get(&b, "less_o", 1), less, "clock %u", i);
        const uint64_t en = draw(&b) % 4 != 0, step = draw(&b) & mask, down_reset = i % 997 == 996;
        put(&b, "en_i", 1, en);
        put(&b, "step_i", 20, step);
        put(&b, "rst_ni", 1, !down_reset);
        netsim_clock(b.s);
        less = up < down;
        if (down_reset)
            up = 0, down = mask, idle = 1;
        else {
            idle = !en;
            if (en) up = (up + step) & mask, down = (down - step) & mask;
        }
    }
    end(&b);
}

Test(modules, memory) {
    struct bench b = begin("memory", 2);
    uint64_t mem[128] = {0}, known[128] = {0}, old = 0, old_known = 0;
    unsigned raddr = 0;
    reset(&b);
    old_known = ~0ull >> 16;
    for (unsigned i = 0; i < CLOCKS; i++) {
        const unsigned we = draw(&b) & 7, waddr = draw(&b) % 100, re = draw(&b) & 1;
        const uint64_t data = draw(&b) >> 16;
        raddr = draw(&b) % 3 ? waddr : draw(&b) % 100;
        put(&b, "we_i", 3, we);
        put(&b, "waddr_i", 7, waddr);
        put(&b, "wdata_i", 48, data);
        put(&b, "re_i", 1, re);
        put(&b, "raddr_i", 7, raddr);
        netsim_settle(b.s);
        cr_assert_eq(get(&b, "now_o", 48) & known[raddr], mem[raddr], "clock %u, before", i);
        netsim_clock(b.s);
        if (re) old = mem[raddr], old_known = known[raddr];
        for (unsigned k = 0; k < 3; k++) {
            const uint64_t lane = 0xffffull << 16 * k;
            if (!(we >> k & 1)) continue;
            mem[waddr] = (mem[waddr] & ~lane) | (data & lane);
            known[waddr] |= lane;
        }
        cr_assert_eq(get(&b, "now_o", 48) & known[raddr], mem[raddr], "clock %u, after", i);
        cr_assert_eq(get(&b, "new_o", 48) & known[raddr], mem[raddr], "clock %u", i);
        cr_assert_eq(get(&b, "old_o", 48) & old_known, old & old_known, "clock %u", i);
    }
    end(&b);
}

Test(modules, machine) {
    enum { LOOK = 0, READ = 3, ADD = 5, DONE = 6 };
    struct bench b = begin("machine", 3);
    unsigned state = LOOK, bit = 0;
    uint8_t slot[16], sum = 0;
    bool bit_known = false;
    reset(&b);
    for (unsigned i = 0; i < 16; i++) slot[i] = (uint8_t)i;
    for (unsigned i = 0; i < CLOCKS; i++) {
        cr_assert_eq(get(&b, "state_o", 3), state, "clock %u", i);
        cr_assert_eq(get(&b, "sum_o", 8), sum, "clock %u", i);
        if (bit_known) cr_assert_eq(get(&b, "bit_o", 1), bit, "clock %u", i);
        const unsigned go = draw(&b) & 1, a = draw(&b) & 15, c = draw(&b) & 15;
        const uint64_t word = draw(&b);
        put(&b, "go_i", 1, go);
        put(&b, "a_i", 4, a);
        put(&b, "b_i", 4, c);
        put(&b, "word_i", 64, word);
        netsim_clock(b.s);
        bit = word >> (a << 2 | (c & 3)) & 1, bit_known = true;
        const uint8_t before = slot[c];
        if (!(state == LOOK && go)) slot[a]++;
        switch (state) {
        case LOOK: state = go ? READ : LOOK; break;
        case READ: state = go ? ADD : DONE; break;
        case ADD:
            sum = (uint8_t)(sum + before);
            slot[c] = (uint8_t)word;
            state = DONE;
            break;
        default: state = LOOK;
        }
    }
    end(&b);
}
