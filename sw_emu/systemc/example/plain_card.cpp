/* plain_card.cpp - the cards of libheddle_systemc.so: bus and memory take no time, so that the core
 * takes as many clocks as in the emulation. */
#include "sw_emu/systemc/example/card.h"

namespace heddle::example {

CardOptions card_options() {
    return {sc_core::sc_time(4, sc_core::SC_NS), sc_core::SC_ZERO_TIME, sc_core::SC_ZERO_TIME,
            sc_core::SC_ZERO_TIME};
}

} // namespace heddle::example
