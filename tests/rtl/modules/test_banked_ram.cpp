/* test_banked_ram.cpp - rtl/cell/banked_ram.sv: up to three words a clock are written, in any banks
 * that differ, and one is read: what was written last before the clock in which it is asked for. */
#include "Vbanked_ram.h"
#include "module_bench.h"

enum { WIDTH = 40, WORDS = 64 };

static void run(uint32_t seed, unsigned write) {
    ModuleBench<Vbanked_ram> b(seed);
    uint64_t words[WORDS];
    auto put = [&](unsigned port, unsigned at) {
        const uint64_t word = b.bits(WIDTH);
        b.v.we_i |= 1u << port;
        (port == 0 ? b.v.at0_i : port == 1 ? b.v.at1_i : b.v.at2_i) = (uint8_t)at;
        (port == 0 ? b.v.word0_i : port == 1 ? b.v.word1_i : b.v.word2_i) = word;
        return word;
    };
    for (unsigned at = 0; at < WORDS; at++) {
        b.v.we_i = 0;
        words[at] = put(at % 3, at);
        b.tick();
    }
    unsigned together = 0;
    for (int i = 0; i < 30000; i++) {
        /* Places of a few words meet reads of the same clock. */
        const unsigned range = i % 2 ? WORDS : 8;
        b.v.at_i = (uint8_t)b.pick(range);
        b.v.hint_i = b.chance(50);
        b.v.hint_at_i = (uint8_t)b.pick(WORDS);
        b.v.we_i = 0;
        /* ports that do not write show anything */
        b.v.at0_i = (uint8_t)b.pick(WORDS);
        b.v.at1_i = (uint8_t)b.pick(WORDS);
        b.v.at2_i = (uint8_t)b.pick(WORDS);
        std::pair<unsigned, uint64_t> written[3];
        unsigned count = 0, banks = 0;
        for (unsigned port = 0; port < 3; port++) {
            const unsigned at = b.pick(range);
            if (banks >> at % 4 & 1 || !b.chance(write)) continue;
            banks |= 1u << at % 4;
            written[count++] = {at, put(port, at)};
        }
        together += count == 3;
        const uint64_t expected = words[b.v.at_i];
        if (!PIPELINED) {
            b.settle();
            b.expect("word", b.v.word_o, expected);
        }
        for (unsigned n = 0; n < count; n++) words[written[n].first] = written[n].second;
        b.tick();
        if (PIPELINED) {
            b.v.at_i = (uint8_t)b.pick(WORDS); /* the word of the clock before stays */
            b.settle();
            b.expect("word", b.v.word_o, expected);
        }
    }
    if (write > 50 && together < 1000) b.fail("three words at once %u times", together);
}

int main() {
    uint32_t seed = 1;
    for (unsigned write : {100, 60, 20, 5}) run(seed++, write);
    printf("banked_ram: passed\n");
    return 0;
}
