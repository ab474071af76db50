/* minimal.cpp - the smallest platform with a core, and a program for it: a processor that is a
 * thread, and a memory of 64 KiB. It starts a run without commands up to core cycle 1000, waits for
 * the interrupt, and prints the core's report. docs/systemc.md explains it. */
#include <cinttypes>
#include <cstdio>
#include <cstring>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "core_regs.h"
#include "core_words.h"
#include "sw_emu/systemc/heddle_core.h"

using sc_core::sc_time;

struct Memory : sc_core::sc_module {
    tlm_utils::simple_target_socket<Memory, 512> socket{"socket"};
    unsigned char bytes[0x10000] = {};

    explicit Memory(const sc_core::sc_module_name &name) : sc_module(name) {
        socket.register_b_transport(this, &Memory::b_transport);
    }
    void b_transport(tlm::tlm_generic_payload &payload, sc_time &delay) {
        const uint64_t at = payload.get_address(), length = payload.get_data_length();
        if (at >= sizeof bytes || length > sizeof bytes - at) {
            payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
            return;
        }
        if (payload.is_read())
            memcpy(payload.get_data_ptr(), bytes + at, length);
        else
            memcpy(bytes + at, payload.get_data_ptr(), length);
        delay += sc_time(50, sc_core::SC_NS);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
    }
};

struct Processor : sc_core::sc_module {
    tlm_utils::simple_initiator_socket<Processor, 32> socket{"socket"};
    sc_core::sc_in<bool> interrupt{"interrupt"};
    const Memory &memory;

    Processor(const sc_core::sc_module_name &name, const Memory &m) : sc_module(name), memory(m) {
        SC_HAS_PROCESS(Processor);
        SC_THREAD(work);
        set_stack_size(1 << 20); /* register accesses clock the model on this stack */
    }
    void write(uint32_t offset, uint32_t value) {
        tlm::tlm_generic_payload payload;
        payload.set_command(tlm::TLM_WRITE_COMMAND);
        payload.set_address(offset);
        payload.set_data_ptr(reinterpret_cast<unsigned char *>(&value));
        payload.set_data_length(sizeof value);
        payload.set_streaming_width(sizeof value);
        sc_time delay = sc_core::SC_ZERO_TIME;
        socket->b_transport(payload, delay);
        sc_assert(payload.is_response_ok());
        wait(delay);
    }
    void work() {
        write(heddle::kInterruptsOn, 1);
        write(heddle::kInterruptEnable, 1);
        /* the upper halves of the addresses are 0 after reset */
        write(CORE_REG_COMMAND_RING, 0x0);
        write(CORE_REG_EVENT_RING, 0x4000);
        write(CORE_REG_STATUS, 0x8000);
        write(CORE_REG_COMMAND_SIZE, 64);
        write(CORE_REG_EVENT_SIZE, 64);
        write(CORE_REG_RUN_UNTIL, 1000);
        write(heddle::kControl, 1);
        if (!interrupt.read()) wait(interrupt.posedge_event());
        uint64_t report[8];
        memcpy(report, memory.bytes + 0x8000, sizeof report);
        printf("run %" PRIu32 ": reached core cycle %" PRIu32 " at %s of SystemC time\n",
               core_report_run(report), core_report_reached(report),
               sc_core::sc_time_stamp().to_string().c_str());
        write(heddle::kInterruptStatus, 1);
        sc_core::sc_stop();
    }
};

int sc_main(int, char **) {
    sc_core::sc_signal<bool> interrupt("interrupt");
    heddle::Core core("core", sc_time(4, sc_core::SC_NS));
    Memory memory("memory");
    Processor processor("processor", memory);
    core.memory.bind(memory.socket);
    core.interrupt(interrupt);
    processor.socket.bind(core.control);
    processor.interrupt(interrupt);
    tlm::tlm_global_quantum::instance().set(sc_time(1, sc_core::SC_US));
    sc_core::sc_start();
    return 0;
}
