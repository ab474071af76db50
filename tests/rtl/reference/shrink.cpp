/* shrink.cpp - see shrink.h. */
#include "tests/rtl/reference/shrink.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace reference {

namespace {

using Differs = std::function<bool(const Stream &)>;

/* The host waits for no more Perform events than there are. */
void mend_gates(Stream &s) {
    for (Phase &p : s.phases)
        for (CtaProgram &c : p.ctas)
            for (WarpProgram &w : c.warps) {
                unsigned performed = 0;
                for (Item &i : w.items) {
                    i.gate = std::min(i.gate, performed);
                    if (core_packet_perform(i.packet))
                        performed += i.lines.empty() ? 1 : (unsigned)i.lines.size();
                }
            }
}

bool attempt(Stream &best, Stream &&candidate, const Differs &differs) {
    mend_gates(candidate);
    if (!differs(candidate)) return false;
    best = std::move(candidate);
    return true;
}

void drop_cta(Phase &phase, int number) {
    const int after = phase.ctas[(std::size_t)number].after;
    phase.ctas.erase(phase.ctas.begin() + number);
    for (CtaProgram &c : phase.ctas) {
        if (c.after == number) c.after = after;
        if (c.after > number) c.after--;
    }
}

/* Customers that are no SMs, then their accesses. */
void customers(Stream &best, const Differs &differs) {
    for (std::size_t p = 0; p < best.phases.size(); p++)
        for (std::size_t c = best.phases[p].customers.size(); c-- > 0;) {
            Stream s = best;
            auto &list = s.phases[p].customers;
            list.erase(list.begin() + (std::ptrdiff_t)c);
            if (attempt(best, std::move(s), differs)) continue;
            for (std::size_t i = best.phases[p].customers[c].accesses.size(); i-- > 0;) {
                s = best;
                auto &accesses = s.phases[p].customers[c].accesses;
                accesses.erase(accesses.begin() + (std::ptrdiff_t)i);
                attempt(best, std::move(s), differs);
            }
        }
}

bool is_hold(const Item &i) {
    return core_packet_cls(i.packet) == CORE_CLASS_HOLD;
}

void no_gates(Stream &s) {
    for (Phase &p : s.phases)
        for (CtaProgram &c : p.ctas)
            for (WarpProgram &w : c.warps) {
                w.items.erase(std::remove_if(w.items.begin(), w.items.end(), is_hold),
                              w.items.end());
                for (Item &i : w.items) i.gate = 0;
            }
}

void kernels(Stream &best, const Differs &differs) {
    for (std::size_t i = best.phases.size(); i-- > 0 && best.phases.size() > 1;) {
        Stream s = best;
        s.phases.erase(s.phases.begin() + (std::ptrdiff_t)i);
        attempt(best, std::move(s), differs);
    }
    for (std::size_t p = 0; p < best.phases.size(); p++)
        for (std::size_t i = best.phases[p].ctas.size();
             i-- > 0 && best.phases[p].ctas.size() > 1;) {
            Stream s = best;
            drop_cta(s.phases[p], (int)i);
            attempt(best, std::move(s), differs);
        }
}

/* Pieces of each warp's program, the last instruction excepted; large pieces first. */
void instructions(Stream &best, const Differs &differs) {
    for (std::size_t p = 0; p < best.phases.size(); p++)
        for (std::size_t c = 0; c < best.phases[p].ctas.size(); c++)
            for (std::size_t w = 0; w < best.phases[p].ctas[c].warps.size(); w++)
                for (std::size_t n = best.phases[p].ctas[c].warps[w].items.size(); n >= 1; n /= 2)
                    for (std::size_t at = 0;;) {
                        Stream s = best;
                        auto &items = s.phases[p].ctas[c].warps[w].items;
                        if (at + 1 >= items.size()) break;
                        const std::size_t end = std::min(at + n, items.size() - 1);
                        items.erase(items.begin() + (std::ptrdiff_t)at,
                                    items.begin() + (std::ptrdiff_t)end);
                        if (!attempt(best, std::move(s), differs)) at += n;
                    }
}

bool is_barrier(const Item &i, unsigned id) {
    return core_packet_mem(i.packet) == CORE_MEM_BARRIER &&
           core_packet_cls(i.packet) == CLASS_CTABAR && core_packet_bar_id(i.packet) == id;
}

/* All uses of a CTA barrier, which match only together. */
void barriers(Stream &best, const Differs &differs) {
    for (std::size_t p = 0; p < best.phases.size(); p++)
        for (std::size_t c = 0; c < best.phases[p].ctas.size(); c++)
            for (unsigned id = 0; id < 16; id++) {
                Stream s = best;
                bool any = false;
                for (WarpProgram &w : s.phases[p].ctas[c].warps) {
                    auto end = std::remove_if(w.items.begin(), w.items.end(),
                                              [id](const Item &i) { return is_barrier(i, id); });
                    any |= end != w.items.end();
                    w.items.erase(end, w.items.end());
                }
                if (any) attempt(best, std::move(s), differs);
            }
}

/* Fields of an instruction that may not matter. */
void fields(Stream &best, const Differs &differs) {
    for (std::size_t p = 0; p < best.phases.size(); p++)
        for (std::size_t c = 0; c < best.phases[p].ctas.size(); c++)
            for (std::size_t w = 0; w < best.phases[p].ctas[c].warps.size(); w++)
                for (std::size_t i = 0; i + 1 < best.phases[p].ctas[c].warps[w].items.size(); i++)
                    for (int field = 0; field < 6; field++) {
                        Stream s = best;
                        Item &item = s.phases[p].ctas[c].warps[w].items[i];
                        std::uint64_t *k = item.packet;
                        const std::uint64_t before[2] = {k[0], k[1]};
                        if (field == 0) core_packet_set_stall(k, 2);
                        if (field == 1) core_packet_set_do_yield(k, 0);
                        if (field == 2) core_packet_set_wait_mask(k, 0);
                        if (field == 3) core_packet_set_rd_bar(k, NO_BAR);
                        if (field == 4) core_packet_set_perform(k, 0);
                        if (field == 5) core_packet_set_passes(k, 1);
                        if (k[0] != before[0] || k[1] != before[1])
                            attempt(best, std::move(s), differs);
                    }
}

/* Warps of a CTA: the count is that of the programs left, here and at the barriers it was at. */
void warps(Stream &best, const Differs &differs) {
    for (std::size_t p = 0; p < best.phases.size(); p++)
        for (std::size_t c = 0; c < best.phases[p].ctas.size(); c++)
            for (std::size_t w = best.phases[p].ctas[c].warps.size(); w-- > 0;) {
                if (best.phases[p].ctas[c].warps.size() < 2) break;
                Stream s = best;
                auto &list = s.phases[p].ctas[c].warps;
                bool at[16] = {};
                for (unsigned id = 0; id < 16; id++)
                    for (const Item &i : list[w].items) at[id] |= is_barrier(i, id);
                list.erase(list.begin() + (std::ptrdiff_t)w);
                for (WarpProgram &other : list)
                    for (Item &i : other.items)
                        for (unsigned id = 0; id < 16; id++) {
                            const unsigned n = core_packet_bar_warps(i.packet);
                            if (at[id] && n && is_barrier(i, id))
                                core_packet_set_bar_warps(i.packet, n - 1);
                        }
                attempt(best, std::move(s), differs);
            }
}

void lines(Stream &best, const Differs &differs) {
    for (std::size_t p = 0; p < best.phases.size(); p++)
        for (std::size_t c = 0; c < best.phases[p].ctas.size(); c++)
            for (std::size_t w = 0; w < best.phases[p].ctas[c].warps.size(); w++)
                for (std::size_t i = 0; i < best.phases[p].ctas[c].warps[w].items.size(); i++)
                    for (std::size_t n = 16; n >= 1; n /= 2) {
                        Stream s = best;
                        Item &item = s.phases[p].ctas[c].warps[w].items[i];
                        if (item.lines.size() < n) continue;
                        item.lines.resize(item.lines.size() - n);
                        core_packet_set_lines(item.packet, item.lines.size());
                        if (item.lines.empty()) core_packet_set_perform(item.packet, 0);
                        attempt(best, std::move(s), differs);
                    }
}

void settings(Stream &best, const Differs &differs) {
    for (std::size_t i = best.params.size(); i-- > 0;) {
        const unsigned number = best.params[i].first;
        if (number == CORE_PARAM_NUM_SM || number == CORE_PARAM_LOOKAHEAD ||
            number == CORE_PARAM_NET_REQUEST || number == CORE_PARAM_NET_REPLY)
            continue; /* others depend on them */
        Stream s = best;
        s.params.erase(s.params.begin() + (std::ptrdiff_t)i);
        attempt(best, std::move(s), differs);
    }
    Stream s = best;
    s.classes.clear();
    add_default_classes(s);
    attempt(best, std::move(s), differs);
}

std::string text(const char *format, ...) __attribute__((format(printf, 1, 2)));
std::string text(const char *format, ...) {
    char buffer[256];
    va_list args;
    va_start(args, format);
    std::vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    return buffer;
}

} // namespace

Stream shrink(const Stream &stream, const Differs &differs) {
    Stream best = stream, plain = stream;
    no_gates(plain);
    attempt(best, std::move(plain), differs);
    for (int round = 0; round < 3; round++) {
        kernels(best, differs);
        customers(best, differs);
        barriers(best, differs);
        instructions(best, differs);
        warps(best, differs);
        lines(best, differs);
        fields(best, differs);
        settings(best, differs);
    }
    return best;
}

std::string stream_text(const Stream &stream) {
    static const char *const param[] = {
#define PARAM(number, name, def, text) #name,
#include "tables/core_params.def"
#undef PARAM
    };
    static const char *const mem[] = {"",           "Load",    "LoadStrong", "Store",
                                      "Red",        "Atom",    "SharedLoad", "SharedStore",
                                      "SharedAtom", "Shuffle", "Const",      "Barrier"};
    std::string out = "parameters:";
    for (auto &p : stream.params) out += text(" %s=%u", param[p.first], p.second);
    out += "\nclasses {latency, interval, pipe, flags}:";
    for (auto &c : stream.classes)
        out += text(" %u:{%u,%u,%u,%u}", c.first, c.second >> 16, c.second >> 8 & 255,
                    c.second >> 4 & 15, c.second & 15);
    out += "\n";
    for (const Phase &p : stream.phases) {
        out += text("kernel: flush L1 %d, L2 %d, unpin %d, fill %u lines from %#x\n", p.flush_l1,
                    p.flush_l2, p.unpin_l2, p.fill_lines, p.fill_line);
        for (std::size_t sm = 0; p.flush_l1 && sm < p.l1_lines.size(); sm++)
            out += text(" SM %zu: L1 of %u lines\n", sm, p.l1_lines[sm]);
        for (const CustomerProgram &c : p.customers)
            for (const CustomerAccess &a : c.accesses)
                out += text(" customer %u: kind %u %#x:%x bar %u%s, %u cycles after %s\n", c.number,
                            a.kind, a.line.addr, a.line.sectors, a.bar, a.perform ? " perform" : "",
                            (unsigned)a.delay, a.after ? "all answers" : "the one before");
        for (const CtaProgram &c : p.ctas) {
            out += text(" CTA on SM %u slot %u, after %d, delay %u\n", c.sm, c.slot, c.after,
                        (unsigned)c.delay);
            for (const WarpProgram &w : c.warps) {
                out += text("  warp %u\n", w.warp);
                for (const Item &i : w.items) {
                    const Packet k = decode_packet(i.packet);
                    out += text("   cls %2u %-11s stall %2u%s wait %02x wr %u rd %u%s%s", k.cls,
                                k.mem < 12 ? mem[k.mem] : "?", k.stall, k.do_yield ? " yield" : "",
                                k.wait_mask, k.wr_bar, k.rd_bar, k.perform ? " perform" : "",
                                k.last ? " last" : "");
                    for (unsigned n = 0; n < 3; n++)
                        if ((k.even | k.odd) >> n & 1)
                            out += text(" R%u%s%s%s", 2 * k.src[n], k.even >> n & 1 ? "" : "+1",
                                        k.even & k.odd & 1u << n ? ".64" : "",
                                        k.reuse >> n & 1 ? ".reuse" : "");
                    if (k.mem >= CORE_MEM_SHARED_LOAD && k.mem <= CORE_MEM_SHARED_ATOM)
                        out += text(" passes %u", k.passes);
                    if (k.mem == CORE_MEM_BARRIER)
                        out += text(" bar %u warps %u%s", k.bar_id, k.bar_warps,
                                    k.bar_arrive ? " arrive" : "");
                    for (std::uint64_t word : i.lines)
                        out += text(" %#x:%x", core_line_addr(&word), core_line_sectors(&word));
                    out += "\n";
                }
            }
        }
    }
    return out;
}

} // namespace reference
