/* test_fifo.cpp - rtl/cell/fifo.sv: words come out once, in order, whatever the pushes and pops. */
#include <deque>

#include "Vfifo.h"
#include "module_bench.h"

enum { WIDTH = 24, DEPTH = 8 };

/* Random pushes and pops, a clock each. */
static void run(uint32_t seed, unsigned push, unsigned pop) {
    ModuleBench<Vfifo> b(seed);
    std::deque<uint32_t> words;
    unsigned most = 0;
    for (int i = 0; i < 20000; i++) {
        b.settle();
        if (b.v.count_o != words.size()) b.fail("count %u, not %zu", b.v.count_o, words.size());
        if (b.v.valid_o != !words.empty()) b.fail("valid %u", b.v.valid_o);
        if (!words.empty() && b.v.word_o != words.front())
            b.fail("word %x, not %x", b.v.word_o, words.front());
        b.v.push_i = words.size() < DEPTH && b.chance(push);
        b.v.pop_i = !words.empty() && b.chance(pop);
        b.v.word_i = (uint32_t)b.bits(WIDTH);
        if (b.v.pop_i) words.pop_front();
        if (b.v.push_i) words.push_back(b.v.word_i);
        if (words.size() > most) most = (unsigned)words.size();
        b.tick();
    }
    if (push > pop && most != DEPTH) b.fail("it was never full: %u words", most);
}

int main() {
    const unsigned chances[][2] = {{100, 100}, {50, 50}, {90, 30}, {30, 90}, {100, 50}, {5, 100}};
    uint32_t seed = 1;
    for (const auto &c : chances) run(seed++, c[0], c[1]);
    printf("fifo: passed\n");
    return 0;
}
