/* memory_target.cpp - see memory_target.h. */
#include "sw_emu/systemc/example/memory_target.h"

#include <cstring>

namespace heddle::example {

MemoryTarget::MemoryTarget(const sc_core::sc_module_name &name)
    : sc_module(name), socket("socket") {
    socket.register_b_transport(this, &MemoryTarget::b_transport);
    socket.register_transport_dbg(this, &MemoryTarget::transport_dbg);
}

void MemoryTarget::create(const sc_core::sc_time &latency) {
    latency_ = latency;
    storage_ = std::make_unique<sw_emu::Memory>();
}

void MemoryTarget::b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay) {
    if (payload.get_byte_enable_ptr())
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
    else if (payload.get_streaming_width() < payload.get_data_length())
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
    else if (transport_dbg(payload) != payload.get_data_length())
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    else
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    delay += latency_;
}

/* Copies all of the data or nothing. */
unsigned MemoryTarget::transport_dbg(tlm::tlm_generic_payload &payload) {
    const unsigned bytes = payload.get_data_length();
    uint8_t *place = storage_ ? storage_->find(payload.get_address(), bytes) : nullptr;
    if (!place) return 0;
    if (payload.is_read())
        memcpy(payload.get_data_ptr(), place, bytes);
    else if (payload.is_write())
        memcpy(place, payload.get_data_ptr(), bytes);
    return bytes;
}

} // namespace heddle::example
