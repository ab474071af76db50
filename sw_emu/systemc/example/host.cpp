/* host.cpp - see host.h. */
#include "sw_emu/systemc/example/host.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "sw_emu/systemc/example/bus.h"

namespace heddle::example {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

namespace {
/* Ends the process: the simulation cannot go on, and the caller is C. */
[[noreturn]] void give_up(const char *why) {
    fprintf(stderr, "libheddle_systemc: the SystemC platform stopped: %s. SystemC time: %s\n", why,
            sc_time_stamp().to_string().c_str());
    abort();
}
} // namespace

Host::Host(const sc_core::sc_module_name &name)
    : sc_module(name), bus("bus"), interrupt("interrupt") {
    SC_HAS_PROCESS(Host);
    SC_THREAD(work);
    set_stack_size(1 << 20); /* register accesses clock the model on this stack */
}

bool Host::read(uint32_t offset, uint32_t *value) {
    Request r = {Request::kRead, offset, 0, {}, false};
    carry_out(r);
    *value = r.value;
    return r.okay;
}

bool Host::write(uint32_t offset, uint32_t value) {
    Request r = {Request::kWrite, offset, value, {}, false};
    carry_out(r);
    return r.okay;
}

bool Host::wait_for_interrupt(const sc_time &limit) {
    Request r = {Request::kWait, 0, 0, limit, false};
    carry_out(r);
    return r.okay;
}

/* Outside of SystemC: runs its kernel until the thread has done the request. */
void Host::carry_out(Request &request) {
    request_ = &request;
    asked_.notify(sc_core::SC_ZERO_TIME);
    try {
        while (request_) {
            sc_core::sc_start();
            if (request_ && sc_core::sc_get_status() != sc_core::SC_PAUSED)
                give_up("nothing is left to simulate, and the host's request is not done");
        }
    } catch (const sc_core::sc_report &report) {
        give_up(report.get_msg());
    } catch (const std::exception &e) {
        give_up(e.what());
    }
}

void Host::work() {
    for (;;) {
        while (!request_) wait(asked_);
        local_ = std::max(local_, sc_time_stamp());
        if (request_->kind == Request::kWait)
            wait_here(*request_);
        else
            access(*request_);
        request_ = nullptr;
        sc_core::sc_pause(); /* takes effect when this thread waits */
    }
}

/* The thread's own time runs ahead: it need not wait for an access. */
void Host::access(Request &request) {
    tlm::tlm_generic_payload payload;
    payload.set_command(request.kind == Request::kRead ? tlm::TLM_READ_COMMAND
                                                       : tlm::TLM_WRITE_COMMAND);
    payload.set_address(Bus::kRegisters + request.offset);
    payload.set_data_ptr(reinterpret_cast<unsigned char *>(&request.value));
    payload.set_data_length(sizeof request.value);
    payload.set_streaming_width(sizeof request.value);
    sc_time delay = local_ - sc_time_stamp();
    bus->b_transport(payload, delay);
    local_ = sc_time_stamp() + delay;
    request.okay = payload.is_response_ok();
}

void Host::wait_here(Request &request) {
    if (local_ > sc_time_stamp()) wait(local_ - sc_time_stamp());
    if (!interrupt.read()) wait(request.limit, interrupt.posedge_event());
    local_ = sc_time_stamp();
    request.okay = interrupt.read();
}

} // namespace heddle::example
