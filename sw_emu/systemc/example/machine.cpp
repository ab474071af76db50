/* machine.cpp - the SystemC kernel inside a library: 64 cards (card.h) behind XRT's functions
 * (xrt_exports.cpp).
 *
 * There is one SystemC kernel in a process, and its modules must exist before it starts. So all
 * cards are made when the first device is opened, each without model and memory, and remain until
 * the process ends. A call runs the kernel, on the calling thread, until the host module of its
 * card has done it; time passes for all cards then. A lock keeps calls of several threads apart.
 *
 * Environment: HEDDLE_PLATFORM_CLOCK, HEDDLE_PLATFORM_QUANTUM (ps) replace those of the library;
 * HEDDLE_PLATFORM_REPORT names a file to which a card appends its statistics when it is closed. */
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>

#include <systemc>
#include <tlm>

#include "sw_emu/platform.h"
#include "sw_emu/systemc/example/card.h"

/* SystemC's library has a main() that calls this function, so it must exist; nobody runs it. */
int sc_main(int, char **) {
    return 1;
}

namespace sw_emu {

namespace {
using heddle::example::Card;
using heddle::example::card_options;
using heddle::example::CardOptions;
using sc_core::sc_time;

constexpr unsigned kCards = 64;
constexpr double kClocksPerQuantum = 1000;

/* @return the picoseconds in an environment variable, or `otherwise`. Ends the process when it
 * holds something else. */
sc_time from_environment(const char *variable, const sc_time &otherwise) {
    const char *text = getenv(variable);
    if (!text) return otherwise;
    char *end;
    errno = 0;
    const unsigned long long ps = strtoull(text, &end, 10);
    if (errno || *end || end == text || !ps || *text == '-') {
        fprintf(stderr, "libheddle_systemc: %s=%s: it must be a number of picoseconds\n", variable,
                text);
        exit(1);
    }
    return sc_time(static_cast<double>(ps), sc_core::SC_PS);
}

/* All cards, and the lock of the SystemC kernel. */
struct Machine {
    std::mutex mutex;
    std::array<std::unique_ptr<Card>, kCards> card;

    Machine() {
        CardOptions options = card_options();
        options.clock = from_environment("HEDDLE_PLATFORM_CLOCK", options.clock);
        tlm::tlm_global_quantum::instance().set(
            from_environment("HEDDLE_PLATFORM_QUANTUM", options.clock * kClocksPerQuantum));
        for (unsigned i = 0; i < kCards; i++)
            card[i] = std::make_unique<Card>(("card" + std::to_string(i)).c_str(), options);
    }
};

/* Never destroyed: SystemC's modules must not be, once its kernel has started. */
Machine &machine() {
    static Machine *m = new Machine;
    return *m;
}

class SystemCPlatform : public Platform {
  public:
    SystemCPlatform(unsigned index, const Timing &timing) : card_(*machine().card[index]) {
        const auto held = hold();
        card_.power_on(timing);
    }
    ~SystemCPlatform() override {
        const auto held = hold();
        const char *path = getenv("HEDDLE_PLATFORM_REPORT");
        if (path) report(path);
        card_.power_off();
    }
    Memory &memory() override { return card_.memory.storage(); }
    std::unique_lock<std::mutex> hold() override {
        return std::unique_lock<std::mutex>(machine().mutex);
    }
    bool write_register(uint32_t offset, uint32_t value) override {
        const auto held = hold();
        return card_.host.write(offset, value);
    }
    bool read_register(uint32_t offset, uint32_t *value) override {
        const auto held = hold();
        return card_.host.read(offset, value);
    }
    bool run(uint64_t limit) override {
        const auto held = hold();
        return card_.host.wait_for_interrupt(card_.core.period() * static_cast<double>(limit));
    }

  private:
    void report(const char *path) {
        FILE *out = fopen(path, "a");
        if (out) card_.report(out);
        if (!out || fclose(out))
            fprintf(stderr, "libheddle_systemc: HEDDLE_PLATFORM_REPORT=%s: %s\n", path,
                    strerror(errno));
    }

    Card &card_;
};
} // namespace

std::unique_ptr<Platform> make_platform(unsigned index, const Timing &timing) {
    return std::make_unique<SystemCPlatform>(index, timing);
}

} // namespace sw_emu
