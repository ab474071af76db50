/* card.cpp - see card.h. */
#include "sw_emu/systemc/example/card.h"

#include <cinttypes>
#include <new>

namespace heddle::example {

using sc_core::sc_time;

namespace {
/* The byte at a place of what the DMA engine copies. */
uint8_t pattern(unsigned place) {
    return static_cast<uint8_t>(place * 2654435761u >> 24);
}
} // namespace

Card::Card(const sc_core::sc_module_name &name, const CardOptions &options)
    : sc_module(name), host("host"), bus("bus", options.beat), memory("memory"),
      core("core", options.clock), options_(options), interrupt_("interrupt") {
    host.bus.bind(bus.masters);
    core.memory.bind(bus.masters);
    bus.registers.bind(core.control);
    bus.memory.bind(memory.socket);
    core.interrupt(interrupt_);
    host.interrupt(interrupt_);
    if (options.dma_interval == sc_core::SC_ZERO_TIME) return;
    dma_ = std::make_unique<Dma>("dma", options.dma_interval);
    dma_->bus.bind(bus.masters);
}

void Card::power_on(const sw_emu::Timing &timing) {
    const sc_time more = core.period() * (timing.latency > 1 ? timing.latency - 1 : 0);
    memory.create(options_.latency + more);
    core.set_stall(timing.stall);
    try {
        core.reset();
    } catch (const std::bad_alloc &) {
        memory.release();
        throw;
    }
    bus.clear();
    on_since_ = sc_core::sc_time_stamp();
    if (!dma_) return;
    from_ = memory.storage().allocate(kBlocks * Dma::kBlock, false);
    to_ = memory.storage().allocate(kBlocks * Dma::kBlock, false);
    uint8_t *bytes = memory.storage().find(from_, kBlocks * Dma::kBlock);
    for (unsigned i = 0; i < kBlocks * Dma::kBlock; i++) bytes[i] = pattern(i);
    dma_->start(from_, to_, kBlocks);
}

void Card::power_off() {
    if (dma_) dma_->stop();
    core.release();
    memory.release();
}

/* @return how many bytes the DMA engine has copied wrongly, where it has been. */
uint64_t Card::wrong_bytes() {
    const uint8_t *bytes = memory.storage().find(to_, kBlocks * Dma::kBlock);
    const uint64_t copied = dma_->statistics().blocks;
    const unsigned blocks = copied < kBlocks ? static_cast<unsigned>(copied) : kBlocks;
    uint64_t wrong = 0;
    for (unsigned i = 0; i < blocks * Dma::kBlock; i++) wrong += bytes[i] != pattern(i);
    return wrong;
}

void Card::report(FILE *out) {
    const sc_time ps(1, sc_core::SC_PS);
    const auto line = [&](const char *what, uint64_t value) {
        fprintf(out, "%s.%s %" PRIu64 "\n", name(), what, value);
    };
    const auto traffic = [&](const std::string &master, Master number) {
        const Traffic &t = bus.traffic()[number];
        line(("bus." + master + ".transactions").c_str(), t.transactions);
        line(("bus." + master + ".bytes").c_str(), t.bytes);
        line(("bus." + master + ".waited_ps").c_str(), static_cast<uint64_t>(t.waited / ps));
    };
    const CoreStatistics s = core.statistics();
    line("time_ps", static_cast<uint64_t>((sc_core::sc_time_stamp() - on_since_) / ps));
    line("core.clocks", s.clocks);
    line("core.register_reads", s.register_reads);
    line("core.register_writes", s.register_writes);
    line("core.reads", s.reads);
    line("core.read_bytes", s.read_bytes);
    line("core.writes", s.writes);
    line("core.written_bytes", s.written_bytes);
    line("core.errors", s.errors);
    traffic("core", kCore);
    if (!dma_) return;
    traffic("dma", kDma);
    line("dma.blocks", dma_->statistics().blocks);
    line("dma.errors", dma_->statistics().errors);
    line("dma.wrong_bytes", wrong_bytes());
}

} // namespace heddle::example
