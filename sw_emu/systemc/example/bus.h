/* bus.h - the interconnect of the example platforms: an address decoder between masters and two
 * slaves, and a data path of 64 bytes that one transaction at a time occupies.
 *
 * A transaction to the memory occupies the path for a time for each beat of 64 bytes; one that
 * finds it occupied waits. Masters run ahead of SystemC time by their quanta, so that who comes
 * first is exact only within a quantum. */
#ifndef HEDDLE_SW_EMU_SYSTEMC_EXAMPLE_BUS_H
#define HEDDLE_SW_EMU_SYSTEMC_EXAMPLE_BUS_H

#include <cstdint>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/multi_passthrough_target_socket.h>
#include <tlm_utils/simple_initiator_socket.h>

namespace heddle::example {

/* What a master has sent through the bus to the memory. */
struct Traffic {
    uint64_t transactions = 0, bytes = 0;
    sc_core::sc_time waited = sc_core::SC_ZERO_TIME; /* for the path, all transactions together */
};

class Bus : public sc_core::sc_module {
  public:
    static constexpr uint64_t kRegisters = 0x10000000; /* address of the core's first register */

    /* Numbered in the order in which they are bound, from 0. */
    tlm_utils::multi_passthrough_target_socket<Bus, 512> masters;
    tlm_utils::simple_initiator_socket<Bus, 32> registers;
    tlm_utils::simple_initiator_socket<Bus, 512> memory; /* gets all other addresses */

    /* `beat`: how long 64 bytes occupy the path; 0: no time, and nobody waits. */
    Bus(const sc_core::sc_module_name &name, const sc_core::sc_time &beat);
    /* By master, since clear(). */
    const std::vector<Traffic> &traffic() const { return traffic_; }
    void clear() { traffic_.assign(masters.size(), {}); }

  private:
    void b_transport(int master, tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    unsigned transport_dbg(int master, tlm::tlm_generic_payload &payload);
    void end_of_elaboration() override { clear(); }

    const sc_core::sc_time beat_;
    sc_core::sc_time free_ = sc_core::SC_ZERO_TIME; /* the path is, from this time on */
    std::vector<Traffic> traffic_;
};

} // namespace heddle::example

#endif
