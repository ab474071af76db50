/* ports.h - the ports of a netlist as members of a struct, as a Verilated model has them, and what
 * moves them into a simulation and out of it.
 *
 * Given by the build: HEDDLE_PORTS, the table of the ports without the clock (sm_engine_ports.def
 * beside this). */
#ifndef SYNTHESIS_NETSIM_PORTS_H
#define SYNTHESIS_NETSIM_PORTS_H

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "tests/synthesis/netsim/netsim.h"

namespace netlist {

/* As Verilator has them. */
template <unsigned Width>
using Port = std::conditional_t<
    Width <= 8, std::uint8_t,
    std::conditional_t<
        Width <= 16, std::uint16_t,
        std::conditional_t<Width <= 32, std::uint32_t,
                           std::conditional_t<Width <= 64, std::uint64_t,
                                              std::array<std::uint32_t, (Width + 31) / 32>>>>>;

struct Ports {
#define INPUT(name, bits) Port<bits> name{};
#define OUTPUT(name, bits) Port<bits> name{};
#include HEDDLE_PORTS
};

/* Where the ports are in a design. The program ends with a named error where it has others. */
class PortNumbers {
  public:
    explicit PortNumbers(const netsim_design *design)
        :
#define INPUT(name, bits) name(netsim_port(design, #name, false, bits)),
#define OUTPUT(name, bits) name(netsim_port(design, #name, true, bits)),
#include HEDDLE_PORTS
          count(0
#define INPUT(name, bits) +1
#define OUTPUT(name, bits) +1
#include HEDDLE_PORTS
          ) {
        if (netsim_num_ports(design) == count) return;
        std::fprintf(stderr, "the netlist has %u ports beside the clock, but %s has %u\n",
                     netsim_num_ports(design), HEDDLE_PORTS, count);
        std::exit(1);
    }

    /* Inputs that are not as `before` go into the simulation, and into `before`. */
    void put(netsim *sim, const Ports &now, Ports &before) const {
#define INPUT(name, bits) put_one(sim, name, now.name, before.name);
#define OUTPUT(name, bits)
#include HEDDLE_PORTS
    }
    /* Outputs as they were settled last. */
    void get(const netsim *sim, Ports &to) const {
#define INPUT(name, bits)
#define OUTPUT(name, bits) std::memcpy(&to.name, netsim_get(sim, name), sizeof to.name);
#include HEDDLE_PORTS
    }
    /* Inputs as they were put last. */
    void get_inputs(const netsim *sim, Ports &to) const {
#define INPUT(name, bits) std::memcpy(&to.name, netsim_get(sim, name), sizeof to.name);
#define OUTPUT(name, bits)
#include HEDDLE_PORTS
    }

  private:
#define INPUT(name, bits) const unsigned name;
#define OUTPUT(name, bits) const unsigned name;
#include HEDDLE_PORTS
    const unsigned count;

    template <class T> static void put_one(netsim *sim, unsigned port, const T &now, T &before) {
        if (std::memcmp(&now, &before, sizeof now) == 0) return;
        std::uint32_t words[(sizeof(T) + 3) / 4] = {};
        std::memcpy(words, &now, sizeof now);
        netsim_put(sim, port, words);
        before = now;
    }
};

} // namespace netlist

#endif
