/* device.h - an emulated card: the kernel (verilated_kernel.h), an AXI4 memory behind its master
 * port, and register accesses through its AXI4-Lite port. The clock advances only inside these
 * calls.
 *
 * Breaking a rule of AXI is a bug of the kernel: it ends the process with a message.
 * Threads: one device from one thread at a time; different devices from different threads. */
#ifndef HEDDLE_SW_EMU_DEVICE_H
#define HEDDLE_SW_EMU_DEVICE_H

#include <cstdint>
#include <memory>

#include "sw_emu/memory.h"

namespace sw_emu {

class Kernel;

/* The memory's behaviour in clocks of the kernel; a result must not depend on it. */
struct Timing {
    unsigned latency = 1; /* read address to first data */
    unsigned stall = 0;   /* not 0: seed of random waiting on every channel */
    bool host = true;     /* the card reaches memory of the host */
};

/* An emulated card. The constructor resets the kernel. */
class Device {
  public:
    explicit Device(unsigned index, const Timing &timing);
    ~Device();
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    Memory &memory() { return memory_; }
    /* Register accesses over AXI4-Lite, at a byte offset; each takes a few clocks. */
    void write_register(uint32_t offset, uint32_t value);
    /* @return false when the kernel answers with an error */
    bool read_register(uint32_t offset, uint32_t *value);
    /* Advances the clock until the kernel raises its interrupt (true) or `limit` clocks have
     * passed. */
    bool run(uint64_t limit);
    /* Clocks since the reset. */
    uint64_t clocks() const { return clocks_; }

  private:
    /* A burst that the memory has accepted. */
    struct Burst {
        uint64_t address; /* of the next beat */
        unsigned beats;   /* left */
        uint64_t ready;   /* clock from which data may come */
    };
    static constexpr unsigned kBursts = 16; /* accepted and not finished, each way */
    /* Bursts in order, a ring. */
    struct Queue {
        Burst burst[kBursts];
        unsigned first = 0, count = 0;
        Burst &front() { return burst[first]; }
        void push(const Burst &b) { burst[(first + count++) % kBursts] = b; }
        void pop() { first = (first + 1) % kBursts, count--; }
    };

    void tick();
    void serve_memory(bool b, bool r);
    void take_read(uint64_t address, unsigned beats, unsigned size, unsigned burst);
    void take_write(uint64_t address, unsigned beats, unsigned size, unsigned burst);
    void take_data();
    bool wait();
    [[noreturn]] void fail(const char *what, uint64_t address);

    unsigned index_;
    Timing timing_;
    uint32_t random_; /* state of the random waiting */
    std::unique_ptr<Kernel> kernel_;
    Memory memory_;
    uint64_t clocks_ = 0;
    Queue reads_, writes_; /* bursts in flight */
    unsigned answers_ = 0; /* finished write bursts to acknowledge */
};

} // namespace sw_emu

#endif
