/* bus.cpp - see bus.h. */
#include "sw_emu/systemc/example/bus.h"

#include <algorithm>

#include "sw_emu/systemc/heddle_core.h"

namespace heddle::example {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {
bool is_register(uint64_t address) {
    return address >= Bus::kRegisters && address - Bus::kRegisters < kRegisterBytes;
}
} // namespace

Bus::Bus(const sc_core::sc_module_name &name, const sc_time &beat)
    : sc_module(name), masters("masters"), registers("registers"), memory("memory"), beat_(beat) {
    masters.register_b_transport(this, &Bus::b_transport);
    masters.register_transport_dbg(this, &Bus::transport_dbg);
}

void Bus::b_transport(int master, tlm::tlm_generic_payload &payload, sc_time &delay) {
    const uint64_t address = payload.get_address();
    payload.set_dmi_allowed(false);
    if (is_register(address)) {
        payload.set_address(address - kRegisters);
        registers->b_transport(payload, delay);
        payload.set_address(address);
        return;
    }
    Traffic &traffic = traffic_[static_cast<unsigned>(master)];
    traffic.transactions++;
    traffic.bytes += payload.get_data_length();
    if (beat_ != sc_core::SC_ZERO_TIME) {
        const sc_time asked = sc_time_stamp() + delay, begin = std::max(asked, free_);
        traffic.waited += begin - asked;
        free_ = begin + beat_ * ((payload.get_data_length() + 63) / 64);
        delay = free_ - sc_time_stamp();
    }
    memory->b_transport(payload, delay);
}

unsigned Bus::transport_dbg(int, tlm::tlm_generic_payload &payload) {
    const uint64_t address = payload.get_address();
    if (!is_register(address)) return memory->transport_dbg(payload);
    payload.set_address(address - kRegisters);
    const unsigned bytes = registers->transport_dbg(payload);
    payload.set_address(address);
    return bytes;
}

} // namespace heddle::example
