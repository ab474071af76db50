/* kernel.h - the netlist of the whole kernel behind the functions of XRT: sw_emu::Kernel, in place
 * of the Verilated one (sw_emu/verilated_kernel.h).
 *
 * Given by the build: HEDDLE_PORTS (kernel_ports.def) and HEDDLE_NETLIST, the file. The environment
 * variable HEDDLE_NETLIST_SEED is the seed of the values of x (default 1). Each kernel reads the
 * netlist anew, so that different devices may be used by different threads. In the end it says on
 * stderr what it has done. */
#ifndef SYNTHESIS_NETSIM_KERNEL_H
#define SYNTHESIS_NETSIM_KERNEL_H

#include <chrono>

#include "tests/synthesis/netsim/ports.h"

namespace sw_emu {

class Kernel {
  public:
    netlist::Ports ports;

    Kernel() = default;
    Kernel(const Kernel &) = delete;
    Kernel &operator=(const Kernel &) = delete;
    ~Kernel() {
        const std::chrono::duration<double> time = Clock::now() - begun_;
        const netsim_work work = netsim_worked(sim_);
        std::size_t rows, reached;
        netsim_rows(design_, &rows, &reached);
        std::fprintf(stderr,
                     "%s: %llu clocks, %.0f s, %.0f clocks per second, %.0f cells evaluated in "
                     "each, %.1f %% of the rows of LUTs\n",
                     HEDDLE_NETLIST, (unsigned long long)work.clocks, time.count(),
                     (double)work.clocks / time.count(),
                     (double)work.evaluated / (double)(work.clocks ? work.clocks : 1),
                     100.0 * (double)reached / (double)rows);
        netsim_free(sim_);
        netsim_design_free(design_);
    }

    void start() {
        const char *seed = std::getenv("HEDDLE_NETLIST_SEED");
        sim_ = netsim_new(design_, seed ? std::strtoull(seed, nullptr, 0) : 1);
        begun_ = Clock::now();
    }
    void clock() {
        numbers_.put(sim_, ports, before_);
        netsim_clock(sim_);
        numbers_.get(sim_, ports);
    }
    bool interrupt() const { return ports.interrupt; }

  private:
    using Clock = std::chrono::steady_clock;
    netsim_design *const design_ = netsim_design_read(HEDDLE_NETLIST, "ap_clk");
    const netlist::PortNumbers numbers_{design_};
    netsim *sim_ = nullptr;
    netlist::Ports before_; /* its inputs: as they were put last */
    Clock::time_point begun_;
};

} // namespace sw_emu

#endif
