/* verilated_kernel.h - the kernel of an emulated card (device.h), as a Verilated model.
 *
 * Whatever is called sw_emu::Kernel can take its place: `ports` has the ports of rtl/top/
 * heddle_kernel.v except ap_clk and interrupt, start() comes once, before the first clock(), with
 * ap_rst_n low, and a clock() changes the outputs. tests/synthesis/netsim/kernel.h has another
 * one. Threads: as the device. */
#ifndef HEDDLE_SW_EMU_VERILATED_KERNEL_H
#define HEDDLE_SW_EMU_VERILATED_KERNEL_H

#include "Vheddle_kernel.h"
#ifdef HEDDLE_ONE_EVALUATION
#include "Vheddle_kernel___024root.h"
#endif
#include "sw_emu/rising_edge.h"
#include "verilated.h"

HEDDLE_CLOCKED(Vheddle_kernel, ap_clk)

namespace sw_emu {

class Kernel {
  private:
    VerilatedContext context_;

  public:
    Vheddle_kernel ports{&context_, "kernel"};

    Kernel() = default;
    Kernel(const Kernel &) = delete;
    Kernel &operator=(const Kernel &) = delete;
    ~Kernel() {
        /* The model's destructor uses the thread's context, which may be another kernel's. */
        Verilated::threadContextp(&context_);
        ports.final();
    }

    void start() { start_clock(ports); }
    void clock() { clock_model(ports); }
    /* Verilator renames the port `interrupt`, whose name Vitis prescribes. */
    bool interrupt() const { return ports.__SYM__interrupt; }
};

} // namespace sw_emu

#endif
