/* lockstep.h - class netlist::Lockstep: a netlist (model.h) beside the Verilated model of the same
 * RTL with the same parameters, with the same inputs. Outside of a reset, every output must be
 * equal whenever the two are evaluated, every register after every edge, and every memory every so
 * often (twin_state.h).
 *
 * Given by the build: HEDDLE_TWIN, HEDDLE_TWIN_HEADER, HEDDLE_TWIN_SCOPE, the Verilated model. For
 * equal values of what was never written the seed must be 0. */
#ifndef SYNTHESIS_NETSIM_LOCKSTEP_H
#define SYNTHESIS_NETSIM_LOCKSTEP_H

#include <functional>
#include <set>

#include HEDDLE_TWIN_HEADER
#include "tests/synthesis/netsim/model.h"
#include "tests/synthesis/netsim/twin_state.h"

namespace netlist {

/* Of all models together. */
struct Lockstepped {
    /* The two differ in an output, register, memory of this name. Does not return. */
    std::function<void(const char *kind, const char *name)> differ;
    /* Before each edge outside of a reset; all is settled. */
    std::function<void(netsim *)> before_edge;
    Compared compared{Design::get().design};
    std::set<netsim *> simulations; /* that exist */
    std::uint64_t clocks = 0;

    static Lockstepped &get() {
        static Lockstepped one;
        return one;
    }
};

class Lockstep : public Model {
  public:
    template <class Context> explicit Lockstep(Context *context) : Model(context) {
        netsim_in_reset(simulation(), true);
        all_.simulations.insert(simulation());
    }
    ~Lockstep() {
        compare_memories();
        all_.simulations.erase(simulation());
        twin_.final();
    }

    void eval() {
        const bool edge = clk_i && !twin_.clk_i;
        if (in_reset_ && rst_ni) netsim_in_reset(simulation(), in_reset_ = false);
        if (edge && rst_ni && all_.before_edge) all_.before_edge(simulation());
        twin_.clk_i = clk_i;
#define INPUT(name, bits) std::memcpy(&twin_.name, &name, sizeof name);
#define OUTPUT(name, bits)
#include HEDDLE_PORTS
        twin_.eval();
        Model::eval();
        if (rst_ni) compare_outputs();
        if (!edge || !rst_ni) return;
        const int signal = state_.compare_signals(simulation());
        if (signal >= 0) all_.differ("register", netsim_signal_at(design_, (unsigned)signal).name);
        if (++all_.clocks % kClocksPerMemories == 0) compare_memories();
    }

    /* A twin has no copies, so that each begins with a reset. */
    void keep_reset() = delete;
    bool restore_reset() = delete;

  private:
    static constexpr std::uint64_t kClocksPerMemories = 1 << 13;
    Lockstepped &all_ = Lockstepped::get();
    const netsim_design *const design_ = Design::get().design;
    /* Without threads, which a child process would not have (flips.cpp). */
    struct Context : VerilatedContext {
        Context() { threads(1); }
    } context_;
    HEDDLE_TWIN twin_{&context_};
    TwinState state_{context_, HEDDLE_TWIN_SCOPE, design_, all_.compared};
    bool in_reset_ = true;

    void compare_outputs() {
#define INPUT(name, bits)
#define OUTPUT(name, bits) \
    if (std::memcmp(&twin_.name, &name, sizeof name) != 0) all_.differ("output", #name);
#include HEDDLE_PORTS
    }
    void compare_memories() {
        const int memory = state_.compare_memories(simulation(), design_);
        if (memory >= 0) all_.differ("memory", netsim_memory_at(design_, (unsigned)memory).name);
    }
};

} // namespace netlist

#endif
