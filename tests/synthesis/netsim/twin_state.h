/* twin_state.h - class netlist::TwinState: registers and memories of a netlist beside those of a
 * Verilated model of the same RTL, found by their names in the source, without a list of them. The
 * model must be built with --public-flat-rw.
 *
 * Most flip-flops keep their names through synthesis. What has no namesake, or another shape, is
 * left out, and told. Bits in which the two ever differ while `learn` is set are left out from
 * then on: registers that synthesis has given another meaning. */
#ifndef SYNTHESIS_NETSIM_TWIN_STATE_H
#define SYNTHESIS_NETSIM_TWIN_STATE_H

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/synthesis/netsim/netsim.h"
#include "verilated.h"
#include "verilated_sym_props.h"

namespace netlist {

/* Of a design, for all its simulations: which bits are compared. */
struct Compared {
    std::vector<std::vector<std::uint64_t>> signals; /* by signal: mask; empty: not compared */
    std::vector<bool> memories;
    bool learn = true;

    explicit Compared(const netsim_design *d)
        : signals(netsim_num_signals(d)), memories(netsim_num_memories(d), true) {
        for (unsigned i = 0; i < signals.size(); i++) {
            const netsim_signal s = netsim_signal_at(d, i);
            signals[i].assign(s.present, s.present + (s.bits + 63) / 64);
        }
    }
    std::size_t bits() const {
        std::size_t count = 0;
        for (const auto &mask : signals)
            for (std::uint64_t word : mask) count += (std::size_t)__builtin_popcountll(word);
        return count;
    }
    void leave_all_out() {
        for (auto &mask : signals) mask.assign(mask.size(), 0);
        memories.assign(memories.size(), false);
    }
    std::size_t num_memories() const {
        std::size_t count = 0;
        for (bool m : memories) count += m;
        return count;
    }
};

class TwinState {
  public:
    /* @param top scope of the top module: TOP.MODULE */
    TwinState(const VerilatedContext &context, const std::string &top, const netsim_design *design,
              Compared &compared)
        : compared_(compared) {
        for (unsigned i = 0; i < compared.signals.size(); i++) {
            const netsim_signal s = netsim_signal_at(design, i);
            const Place p = find(context, top, s.name, 0);
            if (p.data && p.bits >= s.bits)
                signals_.push_back({i, p.data, p.bytes});
            else
                compared.signals[i].assign(compared.signals[i].size(), 0);
        }
        for (unsigned i = 0; i < compared.memories.size(); i++) {
            const netsim_memory m = netsim_memory_at(design, i);
            const Place p = find(context, top, m.name, 1);
            if (p.data && p.bits == m.width && p.elements == m.size && p.low == m.offset)
                memories_.push_back({i, p.data, p.bytes});
            else
                compared.memories[i] = false;
        }
    }

    /* @return the number of a signal that differs, -1: none */
    int compare_signals(const netsim *sim) {
        for (const Pair &p : signals_) {
            std::vector<std::uint64_t> &mask = compared_.signals[p.number];
            const std::uint64_t *value = netsim_signal_value(sim, p.number);
            for (std::size_t i = 0; i < mask.size(); i++) {
                std::uint64_t twin = 0;
                const std::size_t left = p.bytes - 8 * i;
                std::memcpy(&twin, p.data + 8 * i, left < 8 ? left : 8);
                const std::uint64_t other = (twin ^ value[i]) & mask[i];
                if (!other) continue;
                if (!compared_.learn) return (int)p.number;
                mask[i] &= ~other;
            }
        }
        return -1;
    }
    /* @return the number of a memory that differs, -1: none */
    int compare_memories(const netsim *sim, const netsim_design *design) {
        for (const Pair &p : memories_) {
            if (!compared_.memories[p.number]) continue;
            const netsim_memory m = netsim_memory_at(design, p.number);
            const std::uint64_t *word = netsim_memory_word(sim, p.number, m.offset);
            const std::uint8_t *twin = p.data;
            for (std::uint32_t at = 0; at < m.size; at++, word += (m.width + 63) / 64) {
                const bool same = std::memcmp(twin, word, p.bytes) == 0;
                twin += p.bytes;
                if (same) continue;
                if (!compared_.learn) return (int)p.number;
                compared_.memories[p.number] = false;
            }
        }
        return -1;
    }

  private:
    struct Place {
        const std::uint8_t *data; /* NULL: there is none */
        std::uint32_t bits, bytes, elements, low;
    };
    struct Pair {
        unsigned number;
        const std::uint8_t *data;
        std::uint32_t bytes;
    };
    Compared &compared_;
    std::vector<Pair> signals_, memories_;

    /* INSTANCE.NAME or INSTANCE.NAME[INDEX], with `dims` unpacked dimensions left. */
    static Place find(const VerilatedContext &context, const std::string &top, std::string name,
                      int dims) {
        int index = -1;
        if (!name.empty() && name.back() == ']') {
            const std::size_t bracket = name.rfind('[');
            index = std::atoi(name.c_str() + bracket + 1);
            name.resize(bracket);
            dims++;
        }
        const std::size_t dot = name.rfind('.');
        std::string scope = top;
        if (dot != name.npos) scope += "." + name.substr(0, dot), name.erase(0, dot + 1);
        const VerilatedScope *found = context.scopeFind(scope.c_str());
        VerilatedVar *var = found && found->varsp() ? found->varFind(name.c_str()) : nullptr;
        if (!var) return {};
        const std::uint8_t *data = static_cast<std::uint8_t *>(var->datap());
        /* an array of bits has its dimension in the place of a vector's, but bytes for elements */
        const VerilatedRange &range = var->packed();
        if (dims == 1 && index < 0 && !var->udims() && var->vltype() == VLVT_UINT8 &&
            range.elements() > 8)
            return {data, 1, 1, (std::uint32_t)range.elements(), (std::uint32_t)range.low()};
        if (var->udims() != dims) return {};
        const std::uint32_t bytes = var->entSize();
        std::uint32_t elements = 1, low = 0;
        if (dims) elements = (std::uint32_t)var->elements(1), low = (std::uint32_t)var->low(1);
        if (index >= 0) data += bytes * ((std::uint32_t)index - low);
        const std::uint32_t bits = var->dims() > dims ? (std::uint32_t)range.elements() : 1;
        return {data, bits, bytes, elements, low};
    }
};

} // namespace netlist

#endif
