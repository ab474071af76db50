/* reference_platform.cpp - the platform of libheddle_refemu.so: the reference model behind the
 * registers and rings of a kernel, for sw_emu/xrt_exports.cpp. A run is carried out at once, where
 * the caller waits for it.
 *
 * Commands, events and reports carry the checks of timing/core_check.h, as on a card. Errors of the
 * model throw; xrt_exports.cpp tells them. */
#include <cstring>

#include "reference/event_words.h"
#include "reference/reference_core.h"
#include "sw_emu/platform.h"
extern "C" {
#include "timing/core_check.h"
}

namespace sw_emu {

namespace {

using reference::Cycle;
using reference::Event;

constexpr unsigned kBeat = 64, kBeatEvents = 4;

class ReferencePlatform : public Platform {
  public:
    Memory &memory() override { return memory_; }
    bool write_register(uint32_t offset, uint32_t value) override;
    bool read_register(uint32_t offset, uint32_t *value) override;
    bool run(uint64_t limit) override;
    bool watch(const core_watch &watch) override {
        core_.set_watch(watch);
        return true;
    }
    bool set_policy(const heddle_policy &policy) override {
        core_.set_policy(policy);
        return true;
    }

  private:
    uint32_t argument(core_arg number) const { return value_[kOffset[number] / 4]; }
    uint64_t address(core_arg number) const {
        const uint32_t *low = value_ + kOffset[number] / 4;
        return (uint64_t)low[1] << 32 | low[0];
    }
    uint8_t *beat(core_arg ring, core_arg size, uint32_t number);
    bool take_commands();
    bool write_events();
    core_stop simulate();
    void report(core_stop stop);
    uint64_t counter(unsigned number) const;

    static constexpr uint32_t kOffset[] = {
#define X(number, offset, bits, buffer) offset,
        CORE_ARG_MAP(X)
#undef X
    };

    Memory memory_;
    reference::ReferenceCore core_;
    uint32_t value_[CORE_COUNTER_BASE / 4] = {}; /* of the control registers and arguments */
    bool started_ = false, done_ = false;
    uint32_t runs_ = 0, taken_ = 0, written_ = 0;
    core_fault fault_ = CORE_FAULT_NONE;
    uint64_t visited_before_ = 0; /* this run */
    std::vector<Event> events_;   /* made; those from `told_` on are not in the ring yet */
    size_t told_ = 0;
};

constexpr uint32_t ReferencePlatform::kOffset[];

/* What the model is built for. Words and the ranges of their numbers are its only limits. */
constexpr struct {
    uint32_t offset, value;
} kIdentity[] = {{CORE_REG_MAGIC, CORE_MAGIC},
                 {CORE_REG_VERSION, CORE_VERSION},
                 {CORE_REG_BUILD_ID, CORE_BUILD_ID},
                 {CORE_REG_MAX_SMS, CORE_FIRST_CUSTOMER},
                 {CORE_REG_MAX_SLICES, CORE_FIRST_OUTSIDE},
                 {CORE_REG_MAX_SETS, UINT32_MAX},
                 {CORE_REG_MAX_PACKETS, 64},
                 {CORE_REG_MAX_REQUESTS, UINT32_MAX},
                 {CORE_REG_SUB_CORES, reference::SUB_CORES},
                 {CORE_REG_TIME_BITS, 32}};

bool ReferencePlatform::write_register(uint32_t offset, uint32_t value) {
    if (offset >= CORE_REG_MAGIC) return false;
    if (offset == 0x0 && value & 1) started_ = true;
    if (offset == 0xc && value & 1) done_ = false;
    value_[offset / 4] = value;
    return true;
}

bool ReferencePlatform::read_register(uint32_t offset, uint32_t *value) {
    for (const auto &r : kIdentity)
        if (r.offset == offset) {
            *value = r.value;
            return true;
        }
    if (offset >= CORE_COUNTER_BASE && offset < CORE_COUNTER_BASE + 8 * CORE_NUM_COUNTERS) {
        const uint64_t c = counter((offset - CORE_COUNTER_BASE) / 8);
        *value = (uint32_t)(offset & 4 ? c >> 32 : c);
        return true;
    }
    *value = offset < CORE_REG_MAGIC ? value_[offset / 4] : CORE_UNMAPPED;
    return offset < CORE_REG_MAGIC;
}

uint64_t ReferencePlatform::counter(unsigned number) const {
    const reference::Counters c = core_.counters();
    switch (number) {
    case CORE_COUNTER_CLOCKS:
    case CORE_COUNTER_WINDOWS: return core_.visited(); /* cycles that it has not skipped */
    case CORE_COUNTER_ISSUED: return c.issued;
    case CORE_COUNTER_ISSUE_HASH: return c.issue_hash;
    case CORE_COUNTER_L1_ACCESSES: return c.l1_accesses;
    case CORE_COUNTER_L1_HITS: return c.l1_hits;
    case CORE_COUNTER_L2_ACCESSES: return c.l2_accesses;
    case CORE_COUNTER_L2_HITS: return c.l2_hits;
    case CORE_COUNTER_DRAM_READS: return c.dram_reads;
    case CORE_COUNTER_DRAM_WRITES: return c.dram_writes;
    case CORE_COUNTER_SLICE_HASH: return c.slice_hash;
    case CORE_COUNTER_RUNS: return runs_;
    case CORE_COUNTER_FETCH_MISSES: return c.fetch_misses;
    case CORE_COUNTER_CONSTANT_MISSES: return c.constant_misses;
    default: return c.wait[number];
    }
}

/* A beat of a ring. Outside of all buffers: a bug of the host. */
uint8_t *ReferencePlatform::beat(core_arg ring, core_arg size, uint32_t number) {
    const uint32_t place = number & (argument(size) - 1);
    uint8_t *at = memory_.find(address(ring) + (uint64_t)place * kBeat, kBeat);
    if (!at) throw std::logic_error("reference: a ring lies outside of all buffers");
    return at;
}

/* @return false: a beat is not the one that the host wrote */
bool ReferencePlatform::take_commands() {
    for (; taken_ != argument(CORE_ARG_COMMAND_TAIL); taken_++) {
        uint64_t words[8];
        memcpy(words, beat(CORE_ARG_COMMAND_RING, CORE_ARG_COMMAND_SIZE, taken_), sizeof words);
        if (core_check_fold(words, taken_)) return false;
        core_.command(words);
    }
    return true;
}

/* As many events as there is room for. @return all have been written */
bool ReferencePlatform::write_events() {
    const uint32_t head = argument(CORE_ARG_EVENT_HEAD), size = argument(CORE_ARG_EVENT_SIZE);
    for (; told_ < events_.size(); written_++) {
        if (written_ - head == size) return false;
        uint64_t words[8] = {};
        for (unsigned i = 0; i < kBeatEvents && told_ < events_.size(); i++, told_++)
            reference::encode_event(events_[told_], words + 2 * i);
        core_check_stamp(words, written_);
        memcpy(beat(CORE_ARG_EVENT_RING, CORE_ARG_EVENT_SIZE, written_), words, sizeof words);
    }
    events_.clear();
    told_ = 0;
    return true;
}

core_stop ReferencePlatform::simulate() {
    if (!write_events()) return CORE_STOP_EVENTS_FULL;
    if (!take_commands()) {
        fault_ = CORE_FAULT_RING;
        return CORE_STOP_FAULT;
    }
    bool parked = false;
    if (!(argument(CORE_ARG_FLAGS) & CORE_FLAG_DELIVER)) {
        const uint32_t ahead = argument(CORE_ARG_RUN_UNTIL) - (uint32_t)core_.now();
        parked = core_.run(core_.now() + (ahead >> 31 ? 0 : ahead)).parked;
    }
    core_.take_events(events_);
    if (!write_events()) return CORE_STOP_EVENTS_FULL;
    if (argument(CORE_ARG_FLAGS) & CORE_FLAG_DELIVER) return CORE_STOP_DELIVERED;
    return parked ? CORE_STOP_PARKED : CORE_STOP_REACHED;
}

void ReferencePlatform::report(core_stop stop) {
    const Cycle next = core_.next();
    uint64_t words[8] = {};
    core_report_set_run(words, runs_);
    core_report_set_stop(words, stop);
    core_report_set_fault(words, fault_);
    core_report_set_never(words, next == reference::NEVER);
    core_report_set_next(words, (uint32_t)next);
    core_report_set_reached(words, (uint32_t)core_.now());
    core_report_set_commands(words, taken_);
    core_report_set_events(words, written_);
    core_report_set_clocks(words, (uint32_t)(core_.visited() - visited_before_));
    core_check_stamp(words, written_);
    uint8_t *to = memory_.find(address(CORE_ARG_STATUS), sizeof words);
    if (!to) throw std::logic_error("reference: the report lies outside of all buffers");
    memcpy(to, words, sizeof words);
}

bool ReferencePlatform::run(uint64_t) {
    if (!started_) return done_;
    started_ = false;
    runs_++;
    visited_before_ = core_.visited();
    report(simulate());
    return done_ = true;
}

} // namespace

/* It has no bus whose behaviour could be set. */
std::unique_ptr<Platform> make_platform(unsigned, const Timing &timing) {
    const Timing plain;
    if (timing.latency != plain.latency || timing.stall || timing.read_error || timing.write_error)
        throw std::invalid_argument("libheddle_refemu: HEDDLE_EMULATION: the reference model has "
                                    "no bus: memory=host|card and devices=N alone have an effect");
    return std::make_unique<ReferencePlatform>();
}

} // namespace sw_emu
