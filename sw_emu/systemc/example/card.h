/* card.h - an example platform: host, bus, memory and core, and a DMA engine where the options say
 * so.
 *
 *     host --+-- bus --+-- core, registers       the core's interrupt goes to the host
 *     core --+         +-- memory
 *     dma ---+
 *
 * A card is off at first; its model and its memory exist while it is on. */
#ifndef HEDDLE_SW_EMU_SYSTEMC_EXAMPLE_CARD_H
#define HEDDLE_SW_EMU_SYSTEMC_EXAMPLE_CARD_H

#include <cstdio>
#include <memory>

#include <systemc>

#include "sw_emu/device.h"
#include "sw_emu/systemc/example/bus.h"
#include "sw_emu/systemc/example/dma.h"
#include "sw_emu/systemc/example/host.h"
#include "sw_emu/systemc/example/memory_target.h"
#include "sw_emu/systemc/heddle_core.h"

namespace heddle::example {

struct CardOptions {
    sc_core::sc_time clock;        /* the core's */
    sc_core::sc_time latency;      /* of the memory, added to that of sw_emu::Timing */
    sc_core::sc_time beat;         /* see Bus */
    sc_core::sc_time dma_interval; /* see Dma; 0: there is no DMA engine */
};

/* What the library's cards are; each library is linked with one such function. */
CardOptions card_options();

class Card : public sc_core::sc_module {
  public:
    Host host;
    Bus bus;
    MemoryTarget memory;
    Core core;

    Card(const sc_core::sc_module_name &name, const CardOptions &options);

    /* Throws std::bad_alloc; the card is then off. */
    void power_on(const sw_emu::Timing &timing);
    void power_off();
    /* Writes a line for each statistic since power_on(): its name and its value. */
    void report(FILE *out);

  private:
    static constexpr unsigned kBlocks = 16; /* that the DMA engine copies */
    enum Master { kHost, kCore, kDma };     /* at the bus */

    uint64_t wrong_bytes();

    const CardOptions options_;
    sc_core::sc_signal<bool> interrupt_;
    std::unique_ptr<Dma> dma_;   /* NULL: none */
    uint64_t from_ = 0, to_ = 0; /* its buffers */
    sc_core::sc_time on_since_ = sc_core::SC_ZERO_TIME;
};

} // namespace heddle::example

#endif
