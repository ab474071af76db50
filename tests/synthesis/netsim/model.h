/* model.h - a netlist in place of a Verilated model: class netlist::Model, with the same ports,
 * eval(), final().
 *
 * Given by the build: HEDDLE_PORTS (ports.h), and HEDDLE_NETLIST, the file. The environment
 * variable HEDDLE_NETLIST_SEED is the seed of the values of x (default 1). One thread. */
#ifndef SYNTHESIS_NETSIM_MODEL_H
#define SYNTHESIS_NETSIM_MODEL_H

#include <stdexcept>

#include "tests/synthesis/netsim/ports.h"

namespace netlist {

/* The netlist, read when the first model is made; and what all models have done. */
class Design {
  public:
    netsim_design *const design = netsim_design_read(HEDDLE_NETLIST, "clk_i");
    const PortNumbers ports{design};
    std::uint64_t seed = 1;
    std::uint64_t clock_limit = UINT64_MAX; /* of all models together: then they throw */
    netsim_work work{};

    static Design &get() {
        static Design one;
        return one;
    }
    /* A state after a reset, kept for the models to come; NULL: none. */
    const netsim *reset() const { return reset_; }
    void keep_reset(netsim *state) {
        netsim_free(reset_);
        reset_ = state;
    }
    Design(const Design &) = delete;
    Design &operator=(const Design &) = delete;

  private:
    netsim *reset_ = nullptr;

    Design() {
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

class Model : public Ports {
  public:
    std::uint8_t clk_i = 0;

    template <class Context> explicit Model(Context *) { design_.ports.get(sim_, *this); }
    ~Model() {
        const netsim_work work = netsim_worked(sim_);
        design_.work.clocks += work.clocks - begun_.clocks;
        design_.work.evaluated += work.evaluated - begun_.evaluated;
        netsim_free(sim_);
    }
    Model(const Model &) = delete;
    Model &operator=(const Model &) = delete;

    void eval() {
        design_.ports.put(sim_, *this, before_);
        if (clk_i && !clock_) {
            netsim_clock(sim_);
            if (design_.work.clocks + ++clocks_ > design_.clock_limit)
                throw std::runtime_error("the netlist takes more clocks than allowed");
        } else {
            netsim_settle(sim_);
        }
        clock_ = clk_i;
        design_.ports.get(sim_, *this);
    }
    void final() {}

    /* A reset takes long: this one's state is that of all models made later. */
    void keep_reset() { design_.keep_reset(netsim_copy(sim_)); }
    /* @return false: no reset has been kept; else the inputs are those of that time */
    bool restore_reset() {
        if (!design_.reset()) return false;
        netsim_free(sim_);
        sim_ = netsim_copy(design_.reset());
        begun_ = netsim_worked(sim_);
        design_.ports.get_inputs(sim_, before_);
        static_cast<Ports &>(*this) = before_;
        design_.ports.get(sim_, *this);
        return true;
    }

  protected:
    netsim *simulation() { return sim_; }

  private:
    Design &design_ = Design::get();
    netsim *sim_ = netsim_new(design_.design, design_.seed);
    Ports before_; /* its inputs: as they were put last */
    std::uint8_t clock_ = 0;
    netsim_work begun_{};
    std::uint64_t clocks_ = 0;
};

} // namespace netlist

#endif
