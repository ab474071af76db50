/* device.h - the kernel (verilated_kernel.h) with both of its ports: a slave (slave.h) behind its
 * AXI4 master, and register accesses through its AXI4-Lite port. The clock advances only inside
 * these calls.
 *
 * Breaking a rule of AXI is a bug of the kernel: it ends the process with a message.
 * Threads: one device from one thread at a time; different devices from different threads. */
#ifndef HEDDLE_SW_EMU_DEVICE_H
#define HEDDLE_SW_EMU_DEVICE_H

#include <cstdint>
#include <memory>

#include "sw_emu/slave.h"
extern "C" {
#include "timing/core_watch.h"
}

namespace sw_emu {

class Kernel;

/* The memory's behaviour in clocks of the kernel; a result must not depend on it. */
struct Timing {
    unsigned latency = 1; /* read address to first data, beside what the slave takes */
    unsigned stall = 0;   /* not 0: seed of random waiting on every channel */
    bool host = true;     /* the card reaches memory of the host */
    /* The number of a burst that memory answers with an error; 0: none. Counted from 1 over all
     * devices of the process, since devices come and go. */
    unsigned read_error = 0, write_error = 0;
};

/* A kernel and its ports. The constructor resets the kernel. Borrows the slave. */
class Device {
  public:
    Device(unsigned index, const Timing &timing, Slave &slave);
    ~Device();
    Device(const Device &) = delete;
    Device &operator=(const Device &) = delete;

    /* Register accesses over AXI4-Lite, at a byte offset; each takes a few clocks. @return false
     * when the kernel answers with an error */
    bool write_register(uint32_t offset, uint32_t value);
    bool read_register(uint32_t offset, uint32_t *value);
    /* Advances the clock until the kernel raises its interrupt (true) or `limit` clocks have
     * passed. */
    bool run(uint64_t limit);
    /* Advances by `limit` clocks, or to the first after which the interrupt is another. */
    void advance(uint64_t limit);
    bool interrupt() const;
    /* Whether no burst is under way. */
    bool quiet() const { return !reads_.count && !writes_.count && !answers_.count; }
    /* Tells from now on what the engine does (timing/core_watch.h). @return false: it cannot be
     * watched. */
    bool watch(const core_watch &watch);
    /* Clocks since the reset. */
    uint64_t clocks() const { return clocks_; }

  private:
    /* A burst that the slave has accepted, or the answer to a write. */
    struct Burst {
        uint64_t address;         /* of the next beat */
        unsigned beats;           /* left */
        uint64_t ready;           /* clock from which data or answer may come */
        uint8_t *place;           /* of the next beat, the slave's */
        Slave::Response response; /* of a read, of an answer */
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
    Slave &slave_;
    uint64_t clocks_ = 0;
    core_watch watch_ = {};
    Queue reads_, writes_; /* bursts in flight */
    Queue answers_;        /* to finished write bursts */
};

} // namespace sw_emu

#endif
