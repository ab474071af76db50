/* dma_card.cpp - the cards of libheddle_systemc_dma.so: a DMA engine shares the bus and the memory
 * with the core. */
#include "sw_emu/systemc/example/card.h"

namespace heddle::example {

CardOptions card_options() {
    using sc_core::sc_time;
    return {sc_time(4, sc_core::SC_NS), sc_time(60, sc_core::SC_NS), sc_time(4, sc_core::SC_NS),
            sc_time(1, sc_core::SC_US)};
}

} // namespace heddle::example
