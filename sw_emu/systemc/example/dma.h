/* dma.h - a DMA engine of an example platform: copies blocks of 4 KiB of the same memory through
 * the same bus, one after the other, at a rate of its own, as long as the platform simulates. */
#ifndef HEDDLE_SW_EMU_SYSTEMC_EXAMPLE_DMA_H
#define HEDDLE_SW_EMU_SYSTEMC_EXAMPLE_DMA_H

#include <array>
#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

namespace heddle::example {

class Dma : public sc_core::sc_module {
  public:
    static constexpr unsigned kBlock = 4096; /* bytes */

    tlm_utils::simple_initiator_socket<Dma, 512> bus;

    /* Begins a block at every multiple of `interval`, or when the one before is done. */
    Dma(const sc_core::sc_module_name &name, const sc_core::sc_time &interval);

    /* Copies the `blocks` blocks at address `from` to address `to`, again and again. */
    void start(uint64_t from, uint64_t to, unsigned blocks);
    void stop();

    struct Statistics {
        uint64_t blocks = 0;
        uint64_t errors = 0; /* transactions with another response than OK */
    };
    const Statistics &statistics() const { return statistics_; }

  private:
    void work();
    void transfer(tlm::tlm_command command, uint64_t address, sc_core::sc_time *delay);

    const sc_core::sc_time interval_;
    sc_core::sc_event begun_;
    uint64_t from_ = 0, to_ = 0;
    unsigned blocks_ = 0, next_ = 0;
    unsigned order_ = 0; /* counts start() and stop(): a block of an older one is given up */
    std::array<unsigned char, kBlock> data_;
    Statistics statistics_;
};

} // namespace heddle::example

#endif
