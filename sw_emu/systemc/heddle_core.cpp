/* heddle_core.cpp - see heddle_core.h. The model and its ports are those of the emulation
 * (device.h); this file gives them SystemC time.
 *
 * The model's clock has a time of its own, local(): up to a quantum ahead of SystemC time in
 * work(), and behind it for as long as a call of the memory has waited. A register access may come
 * from any process, also while work() waits inside a call of the memory; Lock keeps them apart.
 *
 * A kernel that rests is not clocked, since nothing in it would change. Only its control register
 * tells that it rests, and reading that clears two bits: look_at_control() reads it now and then,
 * and keeps the bits for the platform's next read. */
#include "sw_emu/systemc/heddle_core.h"

#include <algorithm>
#include <array>
#include <deque>
#include <string>

#include "core_regs.h"
#include "sw_emu/device.h"

namespace heddle {

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using tlm::tlm_generic_payload;
using tlm::tlm_response_status;

namespace {
constexpr unsigned kLongestBurst = 4096; /* bytes */
constexpr unsigned kPlaces = 16;         /* bursts of each direction whose data this file keeps */
constexpr uint32_t kStart = 1, kDone = 2, kReady = 8; /* bits of kControl */
constexpr uint64_t kClocksPerLook = 1024;             /* between two reads of kControl */

/* `value` rounded up to a multiple of `step`, over step. */
uint64_t steps_up(const sc_time &value, const sc_time &step) {
    return (value.value() + step.value() - 1) / step.value();
}
sc_time times(const sc_time &step, uint64_t count) {
    return sc_time::from_value(step.value() * count);
}
} // namespace

/* The interrupt's level from a time on, in order. */
struct Core::Edges {
    struct Edge {
        sc_time at;
        bool level;
    };
    std::deque<Edge> waiting;
    bool shown = false; /* by the port */
    sc_core::sc_event due;
};

/* The model, and the slave behind its AXI4 master: a burst becomes a call of the memory socket. */
class Core::Port : public sw_emu::Slave {
  public:
    explicit Port(Core &core) : device(0, {1, core.stall_}, *this), core_(core) {}

    /* The whole burst comes with the call, and reaches the kernel beat by beat. */
    uint8_t *read(uint64_t address, unsigned bytes, Answer *answer) override {
        uint8_t *place = reads_[next_read_++ % kPlaces].data();
        std::fill_n(place, bytes, uint8_t(0)); /* what the kernel gets with an error */
        core_.statistics_.reads++;
        core_.statistics_.read_bytes += bytes;
        call(tlm::TLM_READ_COMMAND, address, place, bytes, answer);
        return place;
    }
    uint8_t *write(uint64_t address, unsigned bytes) override {
        Write &w = writes_[next_write_++ % kPlaces];
        w.address = address;
        w.bytes = bytes;
        return w.data.data();
    }
    /* The call comes with the last beat, since it needs all data. */
    void written(Answer *answer) override {
        Write &w = writes_[next_written_++ % kPlaces];
        core_.statistics_.writes++;
        core_.statistics_.written_bytes += w.bytes;
        call(tlm::TLM_WRITE_COMMAND, w.address, w.data.data(), w.bytes, answer);
    }

    sw_emu::Device device;

  private:
    using Data = std::array<uint8_t, kLongestBurst>;
    struct Write {
        uint64_t address;
        unsigned bytes;
        Data data;
    };

    void call(tlm::tlm_command command, uint64_t address, uint8_t *data, unsigned bytes,
              Answer *answer);

    Core &core_;
    std::array<Data, kPlaces> reads_;
    std::array<Write, kPlaces> writes_;
    uint64_t next_read_ = 0, next_write_ = 0, next_written_ = 0;
    tlm_generic_payload payload_;
};

/* Sends a burst at the clock edge that comes now, and turns the time that the platform took into
 * clocks. An error becomes AXI's answer, which ends the run with a fault, and a report. */
void Core::Port::call(tlm::tlm_command command, uint64_t address, uint8_t *data, unsigned bytes,
                      Answer *answer) {
    const sc_time edge = std::max(core_.local() + core_.period_, sc_time_stamp());
    sc_time delay = edge - sc_time_stamp();
    payload_.set_command(command);
    payload_.set_address(address);
    payload_.set_data_ptr(data);
    payload_.set_data_length(bytes);
    payload_.set_streaming_width(bytes);
    payload_.set_byte_enable_ptr(nullptr);
    payload_.set_dmi_allowed(false);
    payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    core_.memory->b_transport(payload_, delay);
    answer->clocks = steps_up(sc_time_stamp() + delay - edge, core_.period_);
    if (payload_.is_response_ok()) return;
    answer->response = payload_.get_response_status() == tlm::TLM_ADDRESS_ERROR_RESPONSE
                           ? kDecodeError
                           : kSlaveError;
    core_.statistics_.errors++;
    const bool is_read = command == tlm::TLM_READ_COMMAND;
    char at[32];
    snprintf(at, sizeof at, "0x%llx", static_cast<unsigned long long>(address));
    const std::string text = std::string(core_.name()) + ": " + (is_read ? "read" : "write") +
                             " of " + std::to_string(bytes) + " bytes at " + at +
                             ": the platform answers " + payload_.get_response_string() +
                             ". The run ends with fault Bus. Check the addresses in the kernel's "
                             "registers";
    SC_REPORT_ERROR(kReport, text.c_str());
}

/* Holds the model for the calling process; waits until no other one does. */
class Core::Lock {
  public:
    explicit Lock(Core &core) : core_(core) {
        core.waiting_++;
        while (core.locked_) sc_core::wait(core.unlocked_);
        core.waiting_--;
        core.locked_ = true;
        core.holder_ = sc_core::sc_get_current_process_handle();
    }
    ~Lock() {
        core_.locked_ = false;
        if (core_.waiting_) core_.unlocked_.notify(sc_core::SC_ZERO_TIME);
    }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    Core &core_;
};

Core::Core(const sc_core::sc_module_name &name, const sc_time &period)
    : sc_module(name), control("control"), memory("memory"), interrupt("interrupt"),
      period_(period), edges_(new Edges) {
    if (period == sc_core::SC_ZERO_TIME) {
        const std::string text = std::string(this->name()) +
                                 ": the period of its clock is 0; give another one";
        SC_REPORT_ERROR(kReport, text.c_str());
        return; /* where a report does not throw: a core without processes */
    }
    control.register_b_transport(this, &Core::b_transport);
    SC_HAS_PROCESS(Core);
    SC_THREAD(work);
    set_stack_size(1 << 20); /* for models without optimisation */
    SC_METHOD(drive_interrupt);
    sensitive << edges_->due;
    dont_initialize();
}

Core::~Core() = default; /* here, where Port and Edges are known */

/* Whether reset() and release() may take the model away. */
bool Core::is_free() const {
    if (!locked_) return true;
    const std::string text = std::string(name()) + ": reset while the core is in use, inside a "
                                                   "call of its memory; do it afterwards";
    SC_REPORT_ERROR(kReport, text.c_str());
    return false;
}

void Core::release() {
    if (!is_free()) return;
    port_.reset();
    running_ = false;
    kept_ = 0;
    looked_ = 0;
    edges_->waiting.clear();
    level_ = edges_->shown;
    note_interrupt();
    statistics_ = {};
}

void Core::reset() {
    if (!is_free()) return;
    release();
    make_model();
}

/* The model's reset takes no SystemC time. */
void Core::make_model() {
    port_ = std::make_unique<Port>(*this);
    origin_ = times(period_, steps_up(sc_time_stamp(), period_));
}

CoreStatistics Core::statistics() const {
    CoreStatistics s = statistics_;
    if (port_) s.clocks = port_->device.clocks();
    return s;
}

/* ---------------------------------------------------------------------------- time */

/* The time of the model's last clock edge. */
sc_time Core::local() const {
    return origin_ + times(period_, port_->device.clocks());
}

sc_time Core::quantum() const {
    sc_time q = quantum_;
    if (q == sc_core::SC_ZERO_TIME) q = tlm::tlm_global_quantum::instance().get();
    return std::max(q, period_);
}

/* Brings the model to `time`, or past it: clocks a kernel that runs, and moves the clocks of one
 * that rests. Stops where the interrupt changes. */
void Core::catch_up(const sc_time &time) {
    if (local() >= time) return;
    const uint64_t clocks = steps_up(time - local(), period_);
    if (!running_) {
        origin_ += times(period_, clocks);
        return;
    }
    port_->device.advance(clocks);
    note_interrupt();
    if (level_ || port_->device.clocks() - looked_ >= kClocksPerLook) look_at_control();
}

/* Reads kControl for this class. */
void Core::look_at_control() {
    uint32_t value;
    port_->device.read_register(kControl, &value);
    note_interrupt();
    kept_ |= value & (kDone | kReady);
    note_control(value);
}

/* Sets running_ from a value of kControl that was just read. */
void Core::note_control(uint32_t value) {
    looked_ = port_->device.clocks();
    running_ = (value & kStart) || !port_->device.quiet();
}

/* Has the port show the interrupt's level from local() on, if it has changed. */
void Core::note_interrupt() {
    const bool level = port_ && port_->device.interrupt();
    if (level == level_) return;
    level_ = level;
    const sc_time at = port_ ? std::max(local(), sc_time_stamp()) : sc_time_stamp();
    edges_->waiting.push_back({at, level});
    if (edges_->waiting.size() == 1) edges_->due.notify(at - sc_time_stamp());
}

void Core::drive_interrupt() {
    auto &waiting = edges_->waiting;
    while (!waiting.empty() && waiting.front().at <= sc_time_stamp()) {
        edges_->shown = waiting.front().level;
        interrupt.write(edges_->shown);
        waiting.pop_front();
    }
    if (!waiting.empty()) edges_->due.notify(waiting.front().at - sc_time_stamp());
}

/* Clocks the kernel while it runs, a quantum at a time. */
void Core::work() {
    for (;;) {
        if (!port_ || !running_) {
            wait(started_);
            continue;
        }
        {
            Lock lock(*this);
            if (port_ && running_) catch_up(sc_time_stamp() + quantum());
        }
        if (port_ && local() > sc_time_stamp()) wait(local() - sc_time_stamp());
    }
}

/* ---------------------------------------------------------------------------- registers */

/* Checks what the slave cannot do, then accesses a register at the time of the call. Never waits,
 * but for another process that uses the model. */
void Core::b_transport(tlm_generic_payload &payload, sc_time &delay) {
    payload.set_dmi_allowed(false); /* reading has effects */
    const unsigned bytes = 4;
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        return;
    }
    if (payload.get_data_length() != bytes || payload.get_streaming_width() < bytes) {
        payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
        return;
    }
    if (payload.get_address() >= kRegisterBytes || payload.get_address() % bytes) {
        payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
        return;
    }
    const unsigned char *enable = payload.get_byte_enable_ptr();
    const unsigned enables = payload.get_byte_enable_length();
    for (unsigned i = 0; enable && i < bytes; i++) {
        if (enables && enable[i % enables] != TLM_BYTE_DISABLED) continue;
        payload.set_response_status(tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE);
        return;
    }
    if (locked_ && holder_ == sc_core::sc_get_current_process_handle()) {
        /* a burst of the core has been sent to its own registers: it would wait for itself */
        payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
        return;
    }
    const sc_time time = sc_time_stamp() + delay;
    Lock lock(*this);
    if (!port_) make_model();
    while (local() < time) catch_up(time);
    payload.set_response_status(access(payload));
    delay = std::max({local(), time, sc_time_stamp()}) - sc_time_stamp();
}

/* Does the access over AXI4-Lite, which takes a few clocks. */
tlm_response_status Core::access(tlm_generic_payload &payload) {
    sw_emu::Device &device = port_->device;
    const uint32_t offset = static_cast<uint32_t>(payload.get_address());
    uint32_t value;
    bool okay;
    if (payload.is_read()) {
        statistics_.register_reads++;
        okay = device.read_register(offset, &value);
        note_interrupt();
        if (offset == kControl) {
            note_control(value);
            value |= kept_;
            kept_ = 0;
        }
        std::copy_n(reinterpret_cast<const uint8_t *>(&value), 4, payload.get_data_ptr());
    } else {
        statistics_.register_writes++;
        std::copy_n(payload.get_data_ptr(), 4, reinterpret_cast<uint8_t *>(&value));
        okay = device.write_register(offset, value);
        note_interrupt();
        if (offset == kControl && (value & kStart) && !running_) {
            running_ = true;
            looked_ = device.clocks();
            started_.notify(std::max(local(), sc_time_stamp()) - sc_time_stamp());
        }
    }
    return okay ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

} // namespace heddle
