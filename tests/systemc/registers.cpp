/* registers.cpp - the rules of the SystemC module's sockets (sw_emu/systemc/heddle_core.h):
 * register accesses, right and wrong; runs, their end and their interrupt; memories that wait, that
 * refuse, and that lead back to the core. Prints what differs; the exit status says whether
 * anything did. */
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "core_regs.h"
#include "core_words.h"
#include "sw_emu/systemc/heddle_core.h"
#include "host/timing/core_check.h"

using sc_core::sc_time;
using sc_core::sc_time_stamp;
using tlm::tlm_generic_payload;
using tlm::tlm_response_status;

namespace {

const char *section = "";
unsigned checked, failed;

void expect(const std::string &found, const std::string &wanted, const char *what, int line) {
    checked++;
    if (found == wanted) return;
    failed++;
    printf("registers.cpp:%d, %s: %s: %s instead of %s\n", line, section, what, found.c_str(),
           wanted.c_str());
}
std::string text(uint64_t value) {
    char out[32];
    snprintf(out, sizeof out, "0x%llx", static_cast<unsigned long long>(value));
    return out;
}
std::string text(const sc_time &value) {
    return value.to_string();
}
std::string text(const std::string &value) {
    return value;
}
#define EQUAL(found, wanted) expect(text(found), text(wanted), #found, __LINE__)
#define HOLDS(condition) expect((condition) ? "true" : "false", "true", #condition, __LINE__)

/* What the core reported since the last look. */
std::vector<std::string> reports;
void keep_report(const sc_core::sc_report &report, const sc_core::sc_actions &) {
    if (!strcmp(report.get_msg_type(), heddle::kReport))
        reports.push_back(report.get_msg());
    else
        sc_core::sc_report_handler::default_handler(
            report, sc_core::sc_report_handler::get_new_action_id() | sc_core::SC_DISPLAY);
}

constexpr uint64_t kBase = UINT64_C(0x5000000000), kBytes = 1 << 20; /* the memory */
constexpr uint64_t kCommands = kBase, kEvents = kBase + 0x10000, kStatus = kBase + 0x20000;
constexpr uint64_t kElsewhere = UINT64_C(0x6000000000);
constexpr uint32_t kBeats = 64; /* of each ring */

/* A platform of one core: this module is its master and its memory. */
class Bench : public sc_core::sc_module {
  public:
    tlm_utils::simple_initiator_socket<Bench, 32> registers;
    tlm_utils::simple_target_socket<Bench, 512> memory;
    sc_core::sc_signal<bool> interrupt;
    heddle::Core core;

    explicit Bench(const sc_core::sc_module_name &name)
        : sc_module(name), registers("registers"), memory("memory"), interrupt("interrupt"),
          core("core", sc_time(3, sc_core::SC_NS)), bytes_(kBytes) {
        registers.bind(core.control);
        core.memory.bind(memory);
        core.interrupt(interrupt);
        memory.register_b_transport(this, &Bench::serve);
        SC_HAS_PROCESS(Bench);
        SC_THREAD(test);
        set_stack_size(1 << 20);
        SC_THREAD(other);
        set_stack_size(1 << 20);
    }

  private:
    /* An access to be varied before it is sent. */
    struct Access {
        tlm_generic_payload payload;
        uint32_t data[4] = {};
        Access(tlm::tlm_command command, uint64_t address, uint32_t value = 0) {
            data[0] = value;
            payload.set_command(command);
            payload.set_address(address);
            payload.set_data_ptr(reinterpret_cast<unsigned char *>(data));
            payload.set_data_length(4);
            payload.set_streaming_width(4);
        }
    };

    void serve(tlm_generic_payload &payload, sc_time &delay) { serve_(payload, delay); }
    void plain(tlm_generic_payload &payload, sc_time &);
    std::string send(Access &access);
    uint32_t read(uint32_t offset);
    void write(uint32_t offset, uint32_t value);
    void prepare(uint32_t tail);
    void wait_for_run();
    void fresh(const char *name);

    void test();
    void other();
    void identity();
    void wrong_accesses();
    void arguments();
    void run_and_interrupt();
    void run_without_interrupt();
    void quanta();
    void memory_that_is_slow();
    void memory_that_waits();
    void memory_that_refuses();
    void memory_that_leads_back();
    void reset_in_use();

    std::vector<unsigned char> bytes_;
    std::function<void(tlm_generic_payload &, sc_time &)> serve_;
    std::function<void()> other_; /* what the other process does when it is woken */
    sc_core::sc_event wake_other_, other_done_;
    sc_time delay_ = sc_core::SC_ZERO_TIME; /* this process is ahead of SystemC time by it */
};

/* The memory: takes no time. */
void Bench::plain(tlm_generic_payload &payload, sc_time &) {
    const uint64_t address = payload.get_address(), length = payload.get_data_length();
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (address < kBase || address - kBase + length > kBytes) return;
    unsigned char *place = &bytes_[address - kBase];
    if (payload.is_read())
        memcpy(payload.get_data_ptr(), place, length);
    else
        memcpy(place, payload.get_data_ptr(), length);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

/* @return the response's name */
std::string Bench::send(Access &access) {
    registers->b_transport(access.payload, delay_);
    return access.payload.get_response_string();
}

uint32_t Bench::read(uint32_t offset) {
    Access a(tlm::TLM_READ_COMMAND, offset);
    EQUAL(send(a), "TLM_OK_RESPONSE");
    return a.data[0];
}

void Bench::write(uint32_t offset, uint32_t value) {
    Access a(tlm::TLM_WRITE_COMMAND, offset, value);
    EQUAL(send(a), "TLM_OK_RESPONSE");
}

/* Writes the arguments of a run up to cycle 100, with `tail` commands. */
void Bench::prepare(uint32_t tail) {
    const std::map<uint32_t, uint64_t> value = {
        {CORE_REG_COMMAND_RING, kCommands},
        {CORE_REG_EVENT_RING, kEvents},
        {CORE_REG_STATUS, kStatus},
        {CORE_REG_COMMAND_SIZE, kBeats},
        {CORE_REG_EVENT_SIZE, kBeats},
        {CORE_REG_COMMAND_TAIL, tail},
        {CORE_REG_EVENT_HEAD, 0},
        {CORE_REG_RUN_UNTIL, 100},
        {CORE_REG_FLAGS, 0},
        {CORE_REG_COMMAND_FIRST, tail},
    };
    for (const auto &[offset, v] : value) write(offset, static_cast<uint32_t>(v));
    for (uint32_t i = 0; i < tail; i++) { /* empty commands */
        uint64_t beat[8] = {};
        core_check_command(beat, i);
        memcpy(&bytes_[kCommands - kBase + i * sizeof beat], beat, sizeof beat);
    }
#define X(number, offset, bits, buffer) \
    if (bits == 64) write(offset + 4, static_cast<uint32_t>(value.at(offset) >> 32));
    CORE_ARG_MAP(X)
#undef X
}

/* Catches up with this process' own time, and waits for the interrupt. */
void Bench::wait_for_run() {
    wait(delay_);
    delay_ = sc_core::SC_ZERO_TIME;
    if (!interrupt.read()) wait(sc_time(1, sc_core::SC_MS), interrupt.posedge_event());
    HOLDS(interrupt.read());
}

/* Begins a section with a new core, an empty memory, and no report. */
void Bench::fresh(const char *name) {
    wait(delay_);
    delay_ = sc_core::SC_ZERO_TIME;
    section = name;
    serve_ = [this](tlm_generic_payload &payload, sc_time &delay) { plain(payload, delay); };
    std::fill(bytes_.begin(), bytes_.end(), 0);
    reports.clear();
    core.set_quantum(sc_core::SC_ZERO_TIME);
    core.reset();
    wait(sc_core::SC_ZERO_TIME);
}

void Bench::identity() {
    fresh("identity");
    EQUAL(read(CORE_REG_MAGIC), CORE_MAGIC);
    EQUAL(read(CORE_REG_VERSION), CORE_VERSION);
    EQUAL(read(CORE_REG_BUILD_ID), CORE_BUILD_ID);
    EQUAL(read(CORE_REG_SUB_CORES), 4);
    EQUAL(read(heddle::kControl), 4); /* idle */
    /* an access takes clocks, and ends at a clock edge */
    HOLDS(delay_ >= core.period() * 4);
    EQUAL((sc_time_stamp() + delay_).value() % core.period().value(), 0);
    EQUAL(core.statistics().register_reads, 5);
    /* also from a time between two edges on */
    wait(delay_ + core.period() * 7 / 2);
    delay_ = sc_core::SC_ZERO_TIME;
    read(CORE_REG_MAGIC);
    EQUAL((sc_time_stamp() + delay_).value() % core.period().value(), 0);
    EQUAL(delay_, core.period() * 11 / 2);
}

void Bench::wrong_accesses() {
    fresh("wrong accesses");
    const auto response = [this](tlm::tlm_command command, uint64_t address, unsigned length,
                                 unsigned width, unsigned char *enable, unsigned enables) {
        Access a(command, address, 0x12345678);
        a.payload.set_data_length(length);
        a.payload.set_streaming_width(width);
        a.payload.set_byte_enable_ptr(enable);
        a.payload.set_byte_enable_length(enables);
        return send(a);
    };
    const tlm::tlm_command reads = tlm::TLM_READ_COMMAND, writes = tlm::TLM_WRITE_COMMAND;
    read(CORE_REG_MAGIC); /* makes the delay a whole number of clocks */
    const uint64_t clocks = core.statistics().clocks;
    const sc_time before = delay_;
    for (const auto command : {reads, writes}) {
        for (const unsigned length : {1, 2, 8, 64})
            EQUAL(response(command, CORE_REG_RUN_UNTIL, length, length, nullptr, 0),
                  "TLM_BURST_ERROR_RESPONSE");
        EQUAL(response(command, CORE_REG_RUN_UNTIL, 4, 2, nullptr, 0), "TLM_BURST_ERROR_RESPONSE");
        EQUAL(response(command, CORE_REG_RUN_UNTIL + 2, 4, 4, nullptr, 0),
              "TLM_ADDRESS_ERROR_RESPONSE");
        for (const uint64_t address : {UINT64_C(0x1000), UINT64_C(0x100000000)})
            EQUAL(response(command, address + CORE_REG_RUN_UNTIL, 4, 4, nullptr, 0),
                  "TLM_ADDRESS_ERROR_RESPONSE");
        unsigned char half[] = {0xff, 0xff, 0, 0}, one[] = {0};
        EQUAL(response(command, CORE_REG_RUN_UNTIL, 4, 4, half, 4),
              "TLM_BYTE_ENABLE_ERROR_RESPONSE");
        EQUAL(response(command, CORE_REG_RUN_UNTIL, 4, 4, one, 1),
              "TLM_BYTE_ENABLE_ERROR_RESPONSE");
        EQUAL(response(command, CORE_REG_RUN_UNTIL, 4, 4, half, 0),
              "TLM_BYTE_ENABLE_ERROR_RESPONSE");
    }
    EQUAL(response(tlm::TLM_IGNORE_COMMAND, CORE_REG_RUN_UNTIL, 4, 4, nullptr, 0),
          "TLM_OK_RESPONSE");
    /* nothing of this has reached the kernel, or taken time */
    EQUAL(core.statistics().clocks, clocks);
    EQUAL(delay_, before);
    EQUAL(read(CORE_REG_RUN_UNTIL), 0);

    /* all bytes enabled, and a wider stream, are whole words */
    unsigned char all[] = {0xff, 0xff};
    EQUAL(response(writes, CORE_REG_RUN_UNTIL, 4, 64, all, 2), "TLM_OK_RESPONSE");
    EQUAL(read(CORE_REG_RUN_UNTIL), 0x12345678);

    /* addresses without a register: the kernel answers SLVERR */
    Access a(reads, 0xff0);
    EQUAL(send(a), "TLM_ADDRESS_ERROR_RESPONSE");
    EQUAL(a.data[0], CORE_UNMAPPED);
    EQUAL(response(writes, 0xff0, 4, 4, nullptr, 0), "TLM_ADDRESS_ERROR_RESPONSE");
    EQUAL(response(writes, CORE_REG_MAGIC, 4, 4, nullptr, 0), "TLM_ADDRESS_ERROR_RESPONSE");

    /* neither debug accesses nor direct memory */
    EQUAL(registers->transport_dbg(a.payload), 0);
    tlm::tlm_dmi dmi;
    HOLDS(!registers->get_direct_mem_ptr(a.payload, dmi));
    EQUAL(reports.size(), 0);
}

void Bench::arguments() {
    fresh("arguments");
#define X(number, offset, bits, buffer)  \
    write(offset, 0xa5000000u + number); \
    if (bits == 64) write(offset + 4, 0x5a000000u + number);
    CORE_ARG_MAP(X)
#undef X
#define X(number, offset, bits, buffer)                                                  \
    EQUAL(read(offset),                                                                  \
          number == CORE_ARG_FLAGS ? number & CORE_FLAG_DELIVER : 0xa5000000u + number); \
    if (bits == 64) EQUAL(read(offset + 4), 0x5a000000u + number);
    CORE_ARG_MAP(X)
#undef X
}

void Bench::run_and_interrupt() {
    fresh("run, interrupt");
    write(heddle::kInterruptsOn, 1);
    write(heddle::kInterruptEnable, 1);
    prepare(3); /* three empty commands */
    write(heddle::kControl, 1);
    HOLDS(core.running());
    wait_for_run();
    EQUAL(sc_time_stamp().value() % core.period().value(), 0);
    wait(core.period() * 10);
    HOLDS(!core.running());
    uint64_t report[8];
    memcpy(report, &bytes_[kStatus - kBase], sizeof report);
    EQUAL(core_report_run(report), 1);
    EQUAL(core_report_stop(report), CORE_STOP_REACHED);
    EQUAL(core_report_reached(report), 100);
    EQUAL(core_report_commands(report), 3);
    /* idle, done and ready, once */
    EQUAL(read(heddle::kControl), 0xe);
    EQUAL(read(heddle::kControl), 4);
    HOLDS(!core.running());
    EQUAL(read(heddle::kInterruptStatus), 1);
    HOLDS(interrupt.read());
    write(heddle::kInterruptStatus, 1);
    wait(delay_);
    delay_ = sc_core::SC_ZERO_TIME;
    wait(sc_core::SC_ZERO_TIME);
    HOLDS(!interrupt.read());
    EQUAL(core.statistics().errors, 0);
    HOLDS(core.statistics().reads > 0);
    EQUAL(core.statistics().written_bytes, 64);

    /* a kernel that rests has no clocks */
    const uint64_t clocks = core.statistics().clocks;
    wait(sc_time(1, sc_core::SC_MS));
    EQUAL(core.statistics().clocks, clocks);
}

/* The module reads kControl by itself to see whether the kernel rests, and must not lose bits. */
void Bench::run_without_interrupt() {
    fresh("run, no interrupt");
    prepare(0);
    write(heddle::kControl, 1);
    wait(sc_time(1, sc_core::SC_MS));
    delay_ = sc_core::SC_ZERO_TIME;
    HOLDS(!core.running());
    EQUAL(read(heddle::kControl), 0xe);
    EQUAL(read(heddle::kControl), 4);
    HOLDS(!interrupt.read());
    /* an access far ahead of SystemC time finds the core at that time */
    write(heddle::kControl, 1);
    delay_ += sc_time(1, sc_core::SC_MS);
    EQUAL(read(heddle::kControl), 0xe);
    wait(delay_);
    delay_ = sc_core::SC_ZERO_TIME;
    /* polled from the start */
    write(CORE_REG_RUN_UNTIL, 200);
    write(heddle::kControl, 1);
    unsigned polls = 1;
    uint32_t seen;
    while (!((seen = read(heddle::kControl)) & 2) && polls < 1000) polls++;
    EQUAL(seen, 0xe);
    HOLDS(polls > 1);
    EQUAL(read(heddle::kControl), 4);
}

/* The core's own clocks of a run do not depend on how far it runs ahead. */
void Bench::quanta() {
    std::string clocks;
    for (const unsigned quantum : {0, 1, 3, 100, 100000}) {
        fresh("quanta");
        core.set_quantum(sc_time(quantum, sc_core::SC_NS));
        write(heddle::kInterruptsOn, 1);
        write(heddle::kInterruptEnable, 1);
        prepare(40);
        write(heddle::kControl, 1);
        wait_for_run();
        const std::string found = text(read(CORE_COUNTER_BASE + 8 * CORE_COUNTER_CLOCKS));
        if (clocks.empty()) clocks = found;
        EQUAL(found, clocks);
    }
}

/* The memory adds to the delay, and does not wait. */
void Bench::memory_that_is_slow() {
    sc_time took[2];
    for (const unsigned slow : {0, 1}) {
        fresh("memory that is slow");
        unsigned calls = 0;
        serve_ = [&](tlm_generic_payload &payload, sc_time &delay) {
            calls++;
            plain(payload, delay);
            delay += sc_time(100 * slow, sc_core::SC_US);
        };
        write(heddle::kInterruptsOn, 1);
        write(heddle::kInterruptEnable, 1);
        /* in the first run the core prepares its memories meanwhile */
        for (const uint32_t tail : {3, 6}) {
            prepare(tail);
            const sc_time begun = sc_time_stamp() + delay_;
            write(heddle::kControl, 1);
            wait_for_run();
            took[slow] = sc_time_stamp() - begun;
            write(heddle::kInterruptStatus, 1);
            wait(delay_);
            delay_ = sc_core::SC_ZERO_TIME;
        }
        EQUAL(calls, 4);
    }
    /* the commands, then the report: 100 us each, in whole clocks */
    const uint64_t late = (took[1] - took[0]).value() / core.period().value();
    EQUAL(late, 2 * ((100000 + 2) / 3));
}

/* The memory waits inside its calls; another process reads registers meanwhile. */
void Bench::memory_that_waits() {
    fresh("memory that waits");
    unsigned calls = 0, inside = 0;
    serve_ = [&](tlm_generic_payload &payload, sc_time &delay) {
        calls++;
        inside++;
        wake_other_.notify(sc_time(100, sc_core::SC_NS));
        wait(delay + sc_time(1, sc_core::SC_US));
        delay = sc_core::SC_ZERO_TIME;
        plain(payload, delay);
        inside--;
    };
    unsigned others = 0;
    other_ = [&] {
        HOLDS(inside == 1);
        Access a(tlm::TLM_READ_COMMAND, CORE_REG_MAGIC);
        sc_time delay = sc_core::SC_ZERO_TIME;
        registers->b_transport(a.payload, delay);
        EQUAL(a.data[0], CORE_MAGIC);
        EQUAL(a.payload.get_response_string(), "TLM_OK_RESPONSE");
        HOLDS(inside == 0);
        others++;
    };
    write(heddle::kInterruptsOn, 1);
    write(heddle::kInterruptEnable, 1);
    prepare(3);
    const sc_time begun = sc_time_stamp() + delay_;
    write(heddle::kControl, 1);
    wait_for_run();
    HOLDS(sc_time_stamp() - begun > sc_time(1, sc_core::SC_US) * calls);
    HOLDS(calls >= 2);
    HOLDS(others >= 1);
    EQUAL(core_report_commands(reinterpret_cast<uint64_t *>(&bytes_[kStatus - kBase])), 3);
    EQUAL(reports.size(), 0);
}

/* Errors of the platform are reported, and counted. */
void Bench::memory_that_refuses() {
    fresh("memory that refuses");
    prepare(1);
    write(CORE_REG_COMMAND_RING + 4, kElsewhere >> 32);
    write(CORE_REG_STATUS + 4, kElsewhere >> 32);
    write(heddle::kControl, 1);
    wait(sc_time(1, sc_core::SC_MS));
    delay_ = sc_core::SC_ZERO_TIME;
    EQUAL(core.statistics().errors, 2);
    EQUAL(reports.size(), 2);
    if (reports.size() != 2) return;
    const std::string rest = ": the platform answers TLM_ADDRESS_ERROR_RESPONSE. The run ends with "
                             "fault Bus. Check the addresses in the kernel's registers";
    EQUAL(reports[0], "bench.core: read of 64 bytes at 0x6000000000" + rest);
    EQUAL(reports[1], "bench.core: write of 64 bytes at 0x6000020000" + rest);
}

/* A burst to the core's own registers gets an error, whole and cut into words; nothing hangs. */
void Bench::memory_that_leads_back() {
    for (const unsigned length : {64u, 4u}) {
        fresh("memory that leads back");
        serve_ = [&](tlm_generic_payload &payload, sc_time &delay) {
            Access a(payload.get_command(), CORE_REG_RUN_UNTIL);
            std::vector<unsigned char> data(length);
            a.payload.set_data_ptr(data.data());
            a.payload.set_data_length(length);
            a.payload.set_streaming_width(length);
            registers->b_transport(a.payload, delay);
            payload.set_response_status(a.payload.get_response_status());
        };
        prepare(1);
        write(heddle::kControl, 1);
        wait(sc_time(1, sc_core::SC_MS));
        delay_ = sc_core::SC_ZERO_TIME;
        HOLDS(!core.running());
        EQUAL(core.statistics().errors, 2);
        if (reports.empty()) continue;
        const std::string response = length == 4 ? "TLM_GENERIC_ERROR_RESPONSE"
                                                 : "TLM_BURST_ERROR_RESPONSE";
        EQUAL(reports[0], "bench.core: read of 64 bytes at 0x5000000000: the platform answers " +
                              response +
                              ". The run ends with fault Bus. Check the addresses in the kernel's "
                              "registers");
    }
}

void Bench::reset_in_use() {
    fresh("reset in use");
    bool tried = false;
    serve_ = [&](tlm_generic_payload &payload, sc_time &delay) {
        if (!tried) core.reset();
        tried = true;
        plain(payload, delay);
    };
    write(heddle::kInterruptsOn, 1);
    write(heddle::kInterruptEnable, 1);
    prepare(1);
    write(heddle::kControl, 1);
    wait_for_run();
    EQUAL(reports.size(), 1);
    if (reports.size() == 1)
        EQUAL(reports[0],
              "bench.core: reset while the core is in use, inside a call of its memory; "
              "do it afterwards");
    /* and afterwards: everything is as after power-on, the interrupt too */
    EQUAL(read(CORE_REG_RUN_UNTIL), 100);
    core.reset();
    wait(sc_core::SC_ZERO_TIME);
    wait(sc_core::SC_ZERO_TIME);
    HOLDS(!interrupt.read());
    EQUAL(read(CORE_REG_RUN_UNTIL), 0);
    EQUAL(read(heddle::kControl), 4);
    EQUAL(read(CORE_COUNTER_BASE + 8 * CORE_COUNTER_RUNS), 0);
}

void Bench::test() {
    identity();
    wrong_accesses();
    arguments();
    run_and_interrupt();
    run_without_interrupt();
    quanta();
    memory_that_is_slow();
    memory_that_waits();
    memory_that_refuses();
    memory_that_leads_back();
    reset_in_use();
    sc_core::sc_stop();
}

void Bench::other() {
    for (;;) {
        wait(wake_other_);
        if (other_) other_();
    }
}

} // namespace

int sc_main(int, char **) {
    sc_core::sc_report_handler::set_handler(keep_report);
    section = "a period of 0";
    {
        heddle::Core unclocked("unclocked", sc_core::SC_ZERO_TIME);
        EQUAL(reports.size(), 1);
        EQUAL(reports.at(0), "unclocked: the period of its clock is 0; give another one");
    }
    Bench bench("bench");
    sc_core::sc_start();
    printf("%u checks, %u failed\n", checked, failed);
    return failed || checked < 100;
}
