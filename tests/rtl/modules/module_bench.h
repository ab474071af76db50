/* module_bench.h - what the benches of single modules share: clock, reset, random choices, and how
 * a difference ends the test. */
#ifndef HEDDLE_TESTS_MODULE_BENCH_H
#define HEDDLE_TESTS_MODULE_BENCH_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>

#include "tests/support/traced_model.h"

/* A module under test; inputs change between two calls of tick(). */
template <class Model> class ModuleBench {
  public:
    TracedModel<Model> v;
    uint64_t clocks = 0;

    explicit ModuleBench(uint32_t seed) : seed_(seed), random_(seed) {
        v.rst_ni = 0;
        for (int i = 0; i < 4; i++) tick();
        v.rst_ni = 1;
    }

    /* Outputs follow the inputs of this clock. */
    void settle() { v.eval(); }

    void tick() {
        v.clk_i = 0;
        v.eval();
        v.clk_i = 1;
        v.eval();
        clocks++;
    }

    uint32_t pick(uint32_t below) { return (uint32_t)(random_() % below); }
    uint64_t bits(unsigned n) { return n == 64 ? random_() : random_() & ((UINT64_C(1) << n) - 1); }
    bool chance(unsigned percent) { return pick(100) < percent; }

    [[noreturn]] void fail(const char *format, ...) {
        va_list arguments;
        va_start(arguments, format);
        fprintf(stderr, "seed %u, clock %llu: ", seed_, (unsigned long long)clocks);
        vfprintf(stderr, format, arguments);
        fprintf(stderr, "\n");
        va_end(arguments);
        exit(1);
    }

  private:
    uint32_t seed_;
    std::mt19937_64 random_;
};

#endif
