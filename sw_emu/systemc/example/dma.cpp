/* dma.cpp - see dma.h. */
#include "sw_emu/systemc/example/dma.h"

namespace heddle::example {

using sc_core::sc_time;

Dma::Dma(const sc_core::sc_module_name &name, const sc_time &interval)
    : sc_module(name), bus("bus"), interval_(interval) {
    SC_HAS_PROCESS(Dma);
    SC_THREAD(work);
}

void Dma::start(uint64_t from, uint64_t to, unsigned blocks) {
    from_ = from;
    to_ = to;
    blocks_ = blocks;
    next_ = 0;
    order_++;
    statistics_ = {};
    begun_.notify(sc_core::SC_ZERO_TIME);
}

void Dma::stop() {
    blocks_ = 0;
    order_++;
}

/* Waits after each transfer for the time that it took: the engine has no time of its own ahead of
 * SystemC's. */
void Dma::work() {
    for (;;) {
        while (!blocks_) wait(begun_);
        const unsigned order = order_;
        const uint64_t offset = static_cast<uint64_t>(next_) * kBlock;
        next_ = (next_ + 1) % blocks_;
        sc_time delay = sc_core::SC_ZERO_TIME;
        transfer(tlm::TLM_READ_COMMAND, from_ + offset, &delay);
        wait(delay);
        if (order != order_) continue;
        delay = sc_core::SC_ZERO_TIME;
        transfer(tlm::TLM_WRITE_COMMAND, to_ + offset, &delay);
        wait(delay);
        if (order != order_) continue;
        statistics_.blocks++;
        wait(interval_ - sc_time::from_value(sc_core::sc_time_stamp().value() % interval_.value()));
    }
}

void Dma::transfer(tlm::tlm_command command, uint64_t address, sc_time *delay) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data_.data());
    payload.set_data_length(kBlock);
    payload.set_streaming_width(kBlock);
    bus->b_transport(payload, *delay);
    if (!payload.is_response_ok()) statistics_.errors++;
}

} // namespace heddle::example
