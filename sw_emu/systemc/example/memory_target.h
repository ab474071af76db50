/* memory_target.h - the memory of the example platforms: the emulated card's (sw_emu/memory.h) at a
 * TLM socket, with a latency. An address outside of all buffers is an address error. */
#ifndef HEDDLE_SW_EMU_SYSTEMC_EXAMPLE_MEMORY_TARGET_H
#define HEDDLE_SW_EMU_SYSTEMC_EXAMPLE_MEMORY_TARGET_H

#include <memory>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "sw_emu/memory.h"

namespace heddle::example {

class MemoryTarget : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<MemoryTarget, 512> socket;
    explicit MemoryTarget(const sc_core::sc_module_name &name);

    /* Makes an empty memory that takes `latency` for each transaction; throws std::bad_alloc. It is
     * there until release(). */
    void create(const sc_core::sc_time &latency);
    void release() { storage_.reset(); }
    sw_emu::Memory &storage() { return *storage_; }

  private:
    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned transport_dbg(tlm::tlm_generic_payload &payload);

    std::unique_ptr<sw_emu::Memory> storage_;
    sc_core::sc_time latency_ = sc_core::SC_ZERO_TIME;
};

} // namespace heddle::example

#endif
