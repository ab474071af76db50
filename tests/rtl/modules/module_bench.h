/* module_bench.h - what the benches of single modules share: clock, reset, random choices, bits of
 * ports, visits in their stages, and how a difference ends the test. */
#ifndef HEDDLE_TESTS_MODULE_BENCH_H
#define HEDDLE_TESTS_MODULE_BENCH_H

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/support/traced_model.h"

/* Bits of a port or a word, of whatever width. */
template <class Port> uint64_t get_bits(const Port &p, unsigned at, unsigned width) {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; i++)
        if constexpr (std::is_integral_v<Port>)
            value |= (uint64_t)((uint64_t)p >> (at + i) & 1) << i;
        else
            value |= (uint64_t)(p[(at + i) / 32] >> (at + i) % 32 & 1) << i;
    return value;
}

template <class Port> void set_bits(Port &p, unsigned at, unsigned width, uint64_t value) {
    for (unsigned i = 0; i < width; i++) {
        const uint64_t bit = value >> i & 1;
        if constexpr (std::is_integral_v<Port>)
            p = (Port)((p & ~((uint64_t)1 << (at + i))) | bit << (at + i));
        else
            p[(at + i) / 32] = (p[(at + i) / 32] & ~(1u << (at + i) % 32)) |
                               (uint32_t)(bit << (at + i) % 32);
    }
}

template <class Model, class = void> struct HasReset : std::false_type {};
template <class Model>
struct HasReset<Model, std::void_t<decltype(std::declval<Model &>().rst_ni)>> : std::true_type {};

/* A module under test; inputs change between two calls of tick(). */
template <class Model> class ModuleBench {
  public:
    TracedModel<Model> v;
    uint64_t clocks = 0;

    explicit ModuleBench(uint32_t seed) : seed_(seed), random_(seed) {
        if constexpr (HasReset<Model>::value) {
            v.rst_ni = 0;
            for (int i = 0; i < 4; i++) tick();
            v.rst_ni = 1;
        }
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

    /* An output has the value that the reference has. */
    void expect(const char *what, uint64_t is, uint64_t should) {
        if (is != should)
            fail("%s is %llx, not %llx", what, (unsigned long long)is, (unsigned long long)should);
    }

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

/* Whether each case that a bench has to reach came so many times; says which did not. */
inline bool all_reached(std::initializer_list<unsigned> counts, unsigned least) {
    unsigned n = 0;
    for (unsigned count : counts) {
        if (count < least) return fprintf(stderr, "rare case %u: %u\n", n, count), false;
        n++;
    }
    return true;
}

/* Visits on their way through a module. Pipelined, one enters each clock and is a stage further in
 * the next; else all stages see the one of this clock. */
template <class Visit> class Stages {
  public:
    Stages(unsigned stages, bool pipelined) : stages_(stages), pipelined_(pipelined) {}

    /* The visit that enters in this clock, or none. */
    void enter(const std::optional<Visit> &visit) { at_.insert(at_.begin(), visit); }
    /* The visit in a stage, null if none. */
    Visit *at(unsigned stage) {
        const size_t i = pipelined_ ? stage : 0;
        return i < at_.size() && at_[i] ? &*at_[i] : nullptr;
    }
    /* The clock is over. */
    void step() {
        if (!pipelined_)
            at_.clear();
        else if (at_.size() == stages_)
            at_.pop_back();
    }
    template <class Predicate> bool any(Predicate predicate) {
        for (auto &visit : at_)
            if (visit && predicate(*visit)) return true;
        return false;
    }

  private:
    size_t stages_;
    bool pipelined_;
    std::vector<std::optional<Visit>> at_;
};

#endif
