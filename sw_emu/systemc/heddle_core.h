/* heddle_core.h - the timing core as a SystemC module, loosely timed, with TLM-2.0 sockets. Library
 * libheddle_systemc_core.so; docs/systemc.md is its page.
 *
 *   control    target, 32 bits: the registers of rtl/top/heddle_kernel.v, at addresses 0 to 0xfff
 *              (docs/core-registers.md)
 *   memory     initiator, 512 bits: the bursts of the AXI4 master, whole beats of 64 bytes, at most
 *              4 KiB, at the addresses that the registers hold. Blocking calls only.
 *   interrupt  as in the kernel: high until register 0xc is written
 *
 * SystemC time is the time of the platform in which the core stands. It is unrelated to simulated
 * GPU time, which the core counts by itself: results do not depend on the clock, the quantum, or
 * the time that the platform takes.
 *
 * Threads: that of the SystemC kernel. This header needs SystemC and the C++ library alone. */
#ifndef HEDDLE_SW_EMU_SYSTEMC_HEDDLE_CORE_H
#define HEDDLE_SW_EMU_SYSTEMC_HEDDLE_CORE_H

#include <cstdint>
#include <memory>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace heddle {

/* The registers of ap_ctrl_hs, byte offsets. All others: build/generated/core_regs.h. */
enum ControlRegister : uint32_t {
    kControl = 0x0,      /* bit 0 start, 1 done (cleared by reading), 2 idle, 3 ready (the same) */
    kInterruptsOn = 0x4, /* bit 0 */
    kInterruptEnable = 0x8, /* bit 0: when a run is done */
    kInterruptStatus = 0xc, /* bit 0; writing 1 toggles it */
};
constexpr uint32_t kRegisterBytes = 0x1000; /* what a platform's decoder gives to `control` */

/* Name of the reports (SC_ERROR) that a core makes. */
constexpr char kReport[] = "/heddle/core";

/* What a core has done since its last reset. */
struct CoreStatistics {
    uint64_t clocks = 0; /* of the model; while the kernel rests, the model has none */
    uint64_t register_reads = 0, register_writes = 0;
    uint64_t reads = 0, writes = 0; /* bursts */
    uint64_t read_bytes = 0, written_bytes = 0;
    uint64_t errors = 0; /* bursts that the platform answered with an error */
};

/* The module. Bind both sockets and the port. */
class Core : public sc_core::sc_module {
  public:
    tlm_utils::simple_target_socket<Core, 32> control;
    tlm_utils::simple_initiator_socket<Core, 512> memory;
    sc_core::sc_out<bool> interrupt;

    /* `period`: of the core's clock, not 0 (else SC_ERROR). The clock's edges are at multiples of
     * it. */
    Core(const sc_core::sc_module_name &name, const sc_core::sc_time &period);
    ~Core() override;

    /* How far the core's clock may run ahead of SystemC time. 0, the default: TLM's global quantum;
     * if that is 0 too, not at all, which is slow. */
    void set_quantum(const sc_core::sc_time &quantum) { quantum_ = quantum; }
    /* Not 0: seed of random waiting on every channel of the AXI4 port, from the next reset on. */
    void set_stall(unsigned seed) { stall_ = seed; }

    /* A new model, just out of reset, with registers as after power-on; throws std::bad_alloc. The
     * first register access does it if nobody has. It must not come while a call of `memory` has
     * not returned (else SC_ERROR). */
    void reset();
    /* Frees the model's memory, some tens of MB, as reset() does before it makes a new one. */
    void release();

    const sc_core::sc_time &period() const { return period_; }
    /* Whether a run was started that has not ended, as far as the core has been clocked. */
    bool running() const { return running_; }
    CoreStatistics statistics() const;

  private:
    class Port;
    class Lock;
    struct Edges;

    bool is_free() const;
    void make_model();
    void work();
    void drive_interrupt();
    void b_transport(tlm::tlm_generic_payload &payload, sc_core::sc_time &delay);
    tlm::tlm_response_status access(tlm::tlm_generic_payload &payload);
    sc_core::sc_time local() const;
    sc_core::sc_time quantum() const;
    void catch_up(const sc_core::sc_time &time);
    void look_at_control();
    void note_interrupt();
    void note_control(uint32_t value);

    const sc_core::sc_time period_;
    sc_core::sc_time quantum_ = sc_core::SC_ZERO_TIME;
    unsigned stall_ = 0;
    std::unique_ptr<Port> port_; /* the model; NULL: none yet */
    sc_core::sc_time origin_;    /* of the model's clock 0, in SystemC time */
    bool running_ = false;
    uint32_t kept_ = 0;    /* bits of kControl that this class has cleared by reading */
    uint64_t looked_ = 0;  /* clock of its last read of kControl */
    bool level_ = false;   /* of the interrupt, as far as the core has been clocked */
    bool locked_ = false;  /* a process uses the model */
    unsigned waiting_ = 0; /* processes that want it as well */
    sc_core::sc_process_handle holder_; /* the process that uses it */
    sc_core::sc_event started_, unlocked_;
    std::unique_ptr<Edges> edges_; /* of the interrupt, which the port does not show yet */
    CoreStatistics statistics_;
};

} // namespace heddle

#endif
