/* model.h - a netlist in place of a Verilated model: class netlist::Model, with the same ports,
 * eval(), final().
 *
 * Given by the build: HEDDLE_PORTS, the table of the ports (sm_engine_ports.def beside this), and
 * HEDDLE_NETLIST, the file. The environment variable HEDDLE_NETLIST_SEED is the seed of the values
 * of x (default 1). The program ends with a named error where the netlist has other ports than the
 * table. One thread. */
#ifndef SYNTHESIS_NETSIM_MODEL_H
#define SYNTHESIS_NETSIM_MODEL_H

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
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

/* The netlist, read when the first model is made; and what all models have done. */
class Design {
  public:
    netsim_design *const design = netsim_design_read(HEDDLE_NETLIST, "clk_i");
#define INPUT(name, bits) const unsigned name = netsim_port(design, #name, false, bits);
#define OUTPUT(name, bits) const unsigned name = netsim_port(design, #name, true, bits);
#include HEDDLE_PORTS
    std::uint64_t seed = 1;
    std::uint64_t clock_limit = UINT64_MAX; /* of all models together: then they throw */
    netsim_work work{};

    static Design &get() {
        static Design one;
        return one;
    }
    /* A state after a reset, kept for the models to come; NULL: none. */
    const netsim *reset() const {
        return reset_;
    }
    void keep_reset(netsim *state) {
        netsim_free(reset_);
        reset_ = state;
    }
    Design(const Design &) = delete;
    Design &operator=(const Design &) = delete;

  private:
    netsim *reset_ = nullptr;

    Design() {
        constexpr unsigned ports = 0
#define INPUT(name, bits) +1
#define OUTPUT(name, bits) +1
#include HEDDLE_PORTS
            ;
        if (netsim_num_ports(design) != ports) {
            std::fprintf(stderr, "%s: %u ports beside the clock, but %s has %u\n", HEDDLE_NETLIST,
                         netsim_num_ports(design), HEDDLE_PORTS, ports);
            std::exit(1);
        }
        if (const char *text = std::getenv("HEDDLE_NETLIST_SEED"))
            seed = std::strtoull(text, nullptr, 0);
    }
    ~Design() {
        std::size_t rows, reached;
        netsim_rows(design, &rows, &reached);
        std::printf("%s: %llu clocks, %.0f cells evaluated in each, %.1f %% of the rows of LUTs\n",
                    HEDDLE_NETLIST, (unsigned long long)work.clocks,
                    (double)work.evaluated / (double)(work.clocks ? work.clocks : 1),
                    100.0 * (double)reached / (double)rows);
        netsim_free(reset_);
        netsim_design_free(design);
    }
};

class Model {
  public:
    std::uint8_t clk_i = 0;
#define INPUT(name, bits) Port<bits> name{};
#define OUTPUT(name, bits) Port<bits> name{};
#include HEDDLE_PORTS

    template <class Context> explicit Model(Context *) {
        get_all();
    }
    ~Model() {
        const netsim_work work = netsim_worked(sim_);
        design_.work.clocks += work.clocks - begun_.clocks;
        design_.work.evaluated += work.evaluated - begun_.evaluated;
        netsim_free(sim_);
    }
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    void eval() {
#define INPUT(name, bits) put(design_.name, name, before_.name);
#define OUTPUT(name, bits)
#include HEDDLE_PORTS
        if (clk_i && !clock_) {
            netsim_clock(sim_);
            if (design_.work.clocks + ++clocks_ > design_.clock_limit)
                throw std::runtime_error("the netlist takes more clocks than allowed");
        } else {
            netsim_settle(sim_);
        }
        clock_ = clk_i;
        get_all();
    }
    void final() {}

    /* A reset takes long: this one's state is that of all models made later. */
    void keep_reset() {
        design_.keep_reset(netsim_copy(sim_));
    }
    /* @return false: no reset has been kept; else the inputs are those of that time */
    bool restore_reset() {
        if (!design_.reset()) return false;
        netsim_free(sim_);
        sim_ = netsim_copy(design_.reset());
        begun_ = netsim_worked(sim_);
#define INPUT(name, bits) take(design_.name, name, before_.name);
#define OUTPUT(name, bits)
#include HEDDLE_PORTS
        get_all();
        return true;
    }

  private:
    struct Inputs {
#define INPUT(name, bits) Port<bits> name{};
#define OUTPUT(name, bits)
#include HEDDLE_PORTS
    };
    Design &design_ = Design::get();
    netsim *sim_ = netsim_new(design_.design, design_.seed);
    Inputs before_;
    std::uint8_t clock_ = 0;
    netsim_work begun_{};
    std::uint64_t clocks_ = 0;

    template <class T> void put(unsigned port, const T &now, T &before) {
        if (std::memcmp(&now, &before, sizeof now) == 0) return;
        std::uint32_t words[(sizeof(T) + 3) / 4] = {};
        std::memcpy(words, &now, sizeof now);
        netsim_put(sim_, port, words);
        before = now;
    }
    template <class T> void take(unsigned port, T &now, T &before) {
        std::memcpy(&before, netsim_get(sim_, port), sizeof before);
        now = before;
    }
    void get_all() {
#define INPUT(name, bits)
#define OUTPUT(name, bits) std::memcpy(&name, netsim_get(sim_, design_.name), sizeof name);
#include HEDDLE_PORTS
    }
};

} // namespace netlist

#endif
