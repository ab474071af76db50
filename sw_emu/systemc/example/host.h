/* host.h - the host of an example platform: a thread that accesses the core's registers through the
 * bus and waits for its interrupt. It does what a caller outside of SystemC asks for, with the
 * functions below; they run the SystemC kernel until it is done.
 *
 * Threads: one call at a time of all hosts together (machine.cpp has the lock). */
#ifndef HEDDLE_SW_EMU_SYSTEMC_EXAMPLE_HOST_H
#define HEDDLE_SW_EMU_SYSTEMC_EXAMPLE_HOST_H

#include <cstdint>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

namespace heddle::example {

class Host : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<Host, 512> bus;
    sc_core::sc_in<bool> interrupt;

    explicit Host(const sc_core::sc_module_name &name);

    /* Accesses the register at a byte offset. @return false: an error response */
    bool read(uint32_t offset, uint32_t *value);
    bool write(uint32_t offset, uint32_t value);
    /* Waits until the interrupt is high (true) or `limit` has passed. */
    bool wait_for_interrupt(const sc_core::sc_time &limit);

  private:
    /* What the thread is to do. */
    struct Request {
        enum { kRead, kWrite, kWait } kind;
        uint32_t offset, value;
        sc_core::sc_time limit;
        bool okay;
    };

    void carry_out(Request &request);
    void work();
    void access(Request &request);
    void wait_here(Request &request);

    Request *request_ = nullptr; /* not NULL: to be done */
    sc_core::sc_event asked_;
    sc_core::sc_time local_ = sc_core::SC_ZERO_TIME; /* of the thread, SystemC time or later */
};

} // namespace heddle::example

#endif
