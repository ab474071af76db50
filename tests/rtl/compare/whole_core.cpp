/* whole_core.cpp - see whole_core.h. */
#include "tests/rtl/compare/whole_core.h"

#include <cstring>
#include <stdexcept>

extern "C" {
#include "timing/core.h"
}

namespace reference {

WholeCore::WholeCore(const char *library) {
    core_options options{};
    heddle_diag diag{};
    options.library = library;
    if (core_create(&core_, &options, &diag)) throw std::runtime_error(diag.text);
}

WholeCore::~WholeCore() { core_free(core_); }

void WholeCore::command(const std::uint64_t beat[8]) {
    heddle_err e = HEDDLE_OK;
    switch (core_command_kind(beat)) {
    case CORE_CMD_SET: /* checked against what the core was built for */
        e = core_set_param(core_, core_command_id(beat), core_command_value(beat));
        if (e) throw std::runtime_error(core_error(core_));
        break;
    default: std::memcpy(core_command(core_, 1), beat, 64);
    }
}

Status WholeCore::run(Cycle until) {
    core_status status{};
    if (core_run(core_, (std::uint32_t)until, &status)) throw std::runtime_error(core_error(core_));
    std::size_t count = 0;
    const std::uint64_t *words = core_events(core_, &count);
    for (std::size_t i = 0; i < count; i++)
        if (core_event_kind(words + 2 * i)) events_.push_back(decode_event(words + 2 * i));
    const Cycle reached = until + (Cycle)(std::int64_t)(std::int32_t)((std::uint32_t)status.reached -
                                                                     (std::uint32_t)until);
    return {reached, status.parked};
}

void WholeCore::take_events(std::vector<Event> &out) {
    out.insert(out.end(), events_.begin(), events_.end());
    events_.clear();
}

Counters WholeCore::counters() const {
    Counters c{};
    c.issued = core_counter(core_, CORE_COUNTER_ISSUED);
    c.issue_hash = core_counter(core_, CORE_COUNTER_ISSUE_HASH);
    c.l1_accesses = core_counter(core_, CORE_COUNTER_L1_ACCESSES);
    c.l1_hits = core_counter(core_, CORE_COUNTER_L1_HITS);
    c.l2_accesses = core_counter(core_, CORE_COUNTER_L2_ACCESSES);
    c.l2_hits = core_counter(core_, CORE_COUNTER_L2_HITS);
    c.dram_reads = core_counter(core_, CORE_COUNTER_DRAM_READS);
    c.dram_writes = core_counter(core_, CORE_COUNTER_DRAM_WRITES);
    c.slice_hash = core_counter(core_, CORE_COUNTER_SLICE_HASH);
    return c;
}

} // namespace reference
