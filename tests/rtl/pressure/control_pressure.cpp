/* control_pressure.cpp - heddle_control with a slow host: addresses and data of writes come in any
 * order, answers and data that was read are taken late, and a run ends at any time. Each write and
 * read has the answer that the map of registers gives it. With assertions.
 *
 *   control_pressure [OPERATIONS]     20000 when left out */
#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "Vheddle_control.h"
#include "core_regs.h"
#include "verilated.h"

namespace {

enum { Okay = 0, SlaveError = 2 };

class Bench {
  public:
    Bench() {
        v_.rst_ni = 0;
        for (int i = 0; i < 4; i++) tick();
        v_.rst_ni = 1;
        tick();
        /* after reset; writable ones */
        for (uint32_t at : {CORE_REG_COMMAND_RING, CORE_REG_EVENT_RING, CORE_REG_STATUS})
            memory_[at] = memory_[at + 4] = 0;
        for (uint32_t at : {CORE_REG_COMMAND_TAIL, CORE_REG_EVENT_HEAD, CORE_REG_RUN_UNTIL,
                            CORE_REG_FLAGS, CORE_REG_COMMAND_FIRST})
            memory_[at] = 0;
        memory_[CORE_REG_COMMAND_SIZE] = memory_[CORE_REG_EVENT_SIZE] = 1;
    }
    ~Bench() { v_.final(); }

    void operation() {
        if (v_.start_o) { /* arguments are stable: reads only, until the run ends */
            if (random_() % 3 == 0)
                end_run();
            else
                read(address());
        } else if (random_() % 16 == 0) {
            write(0, 1);
            if (!v_.start_o) fail("no run starts", 0);
        } else if (random_() % 2) {
            write(address(), random_());
        } else {
            read(address());
        }
    }

    uint64_t clocks() const { return clocks_; }

  private:
    VerilatedContext context_;
    Vheddle_control v_{&context_};
    std::mt19937 random_{1};
    std::map<uint32_t, uint32_t> memory_;
    uint64_t clocks_ = 0;

    [[noreturn]] void fail(const char *what, uint32_t at) {
        std::printf("FAILED: clock %lu, register 0x%x: %s\n", (unsigned long)clocks_, at, what);
        std::exit(1);
    }

    void tick() {
        v_.clk_i = 0;
        v_.eval();
        v_.clk_i = 1;
        v_.eval();
        if (++clocks_ > 100000000) fail("hangs", 0);
    }

    /* A register that can be written, or read only, or none. */
    uint32_t address() {
        static const uint32_t other[] = {CORE_REG_MAGIC, CORE_REG_VERSION, 0x60, 0xff0};
        if (random_() % 4 == 0) return other[random_() % 4];
        auto i = memory_.begin();
        std::advance(i, random_() % memory_.size());
        return i->first;
    }

    void write(uint32_t at, uint32_t value) {
        bool address = true, data = true, answered = false;
        while (!answered) {
            if (address && random_() % 3 == 0) v_.awvalid_i = 1;
            if (data && random_() % 3 == 0) v_.wvalid_i = 1;
            v_.awaddr_i = v_.awvalid_i ? at : random_() & 0xfff;
            v_.wdata_i = v_.wvalid_i ? value : random_();
            v_.bready_i = random_() % 4 == 0;
            const bool aw = v_.awvalid_i && v_.awready_o, w = v_.wvalid_i && v_.wready_o;
            answered = v_.bvalid_o && v_.bready_i;
            if (answered) {
                const bool known = at == 0 || memory_.count(at);
                if (v_.bresp_o != (known ? Okay : SlaveError)) fail("another answer", at);
            }
            tick();
            if (aw) v_.awvalid_i = address = 0;
            if (w) v_.wvalid_i = data = 0;
        }
        v_.bready_i = 0;
        if (memory_.count(at)) memory_[at] = at == CORE_REG_FLAGS ? value & 1 : value;
    }

    void read(uint32_t at) {
        bool address = true, answered = false;
        while (!answered) {
            if (address && random_() % 3 == 0) v_.arvalid_i = 1;
            v_.araddr_i = v_.arvalid_i ? at : random_() & 0xfff;
            v_.rready_i = random_() % 4 == 0;
            const bool ar = v_.arvalid_i && v_.arready_o;
            answered = v_.rvalid_o && v_.rready_i;
            if (answered) check(at);
            tick();
            if (ar) v_.arvalid_i = address = 0;
        }
        v_.rready_i = 0;
    }

    void check(uint32_t at) {
        uint32_t want = CORE_UNMAPPED, response = Okay;
        if (at == CORE_REG_MAGIC)
            want = CORE_MAGIC;
        else if (at == CORE_REG_VERSION)
            want = CORE_VERSION;
        else if (memory_.count(at))
            want = memory_[at];
        else
            response = SlaveError;
        if (v_.rdata_o != want) fail("another value is read", at);
        if (v_.rresp_o != response) fail("another answer is read", at);
    }

    void end_run() {
        v_.done_i = 1;
        tick();
        v_.done_i = 0;
        if (v_.start_o) fail("the run does not end", 0);
    }
};

} // namespace

int main(int argc, char **argv) {
    const unsigned long operations = argc > 1 ? std::strtoul(argv[1], nullptr, 0) : 20000;
    Bench bench;
    for (unsigned long i = 0; i < operations; i++) bench.operation();
    std::printf("%lu operations in %lu clocks\n", operations, (unsigned long)bench.clocks());
}
