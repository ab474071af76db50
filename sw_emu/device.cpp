/* device.cpp - see device.h. xrt_exports.cpp calls the public functions on the thread of the SM
 * group that uses the device. Everything happens in tick(), one host clock: the model is evaluated,
 * and the slave behind its AXI4 port answers. These clocks are unrelated to simulated GPU time. */
#include "sw_emu/device.h"

#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>

/* Another kernel than the Verilated one: a header that defines sw_emu::Kernel. */
#ifndef HEDDLE_KERNEL_HEADER
#define HEDDLE_KERNEL_HEADER "sw_emu/verilated_kernel.h"
#endif
#include HEDDLE_KERNEL_HEADER
#include "sw_emu/watched_engine.h"

namespace sw_emu {

namespace {
using Ports = decltype(Kernel::ports);
constexpr unsigned kBeat = 64;
constexpr unsigned kSizeOfBeat = 6;  /* log2 */
constexpr unsigned kBoundary = 4096; /* no burst crosses a multiple of it */
constexpr unsigned kIncrement = 1;   /* the burst type */
constexpr unsigned kResetClocks = 16;
constexpr uint64_t kAnswerLimit = 1000;        /* clocks for a register access */
std::atomic<unsigned> read_count, write_count; /* bursts, while one shall end with an error */
} // namespace

/* Creates the model and holds it in reset for kResetClocks. */
Device::Device(unsigned index, const Timing &timing, Slave &slave)
    : index_(index), timing_(timing), random_(timing.stall * 2654435761u + index + 1),
      kernel_(new Kernel), slave_(slave) {
    Ports &k = kernel_->ports;
    k.ap_rst_n = 0;
    kernel_->start();
    for (unsigned i = 0; i < kResetClocks; i++) tick();
    k.ap_rst_n = 1;
    k.s_axi_control_bready = 1;
    k.m_axi_gmem_arready = 1;
    k.m_axi_gmem_awready = 1;
    k.m_axi_gmem_wready = 1;
    tick();
    clocks_ = 0;
}

Device::~Device() = default; /* here, where Kernel is known */

/* Ends the process: the kernel has broken a rule of AXI. */
void Device::fail(const char *what, uint64_t address) {
    fprintf(stderr,
            "heddle: device %u, clock %" PRIu64 ": the kernel breaks AXI: %s (address "
            "0x%" PRIx64 ")\n",
            index_, clocks_, what, address);
    abort();
}

/* Decides whether a channel of the memory waits in this clock: at random, one time in four, if
 * timing_.stall is set. Advances the random state. */
bool Device::wait() {
    if (!timing_.stall) return false;
    random_ ^= random_ << 13;
    random_ ^= random_ >> 17;
    random_ ^= random_ << 5;
    return (random_ & 3) == 0;
}

/* Simulates one clock of the kernel and its memory. A handshake counts if both signals are set just
 * before the rising edge; the memory's outputs change after it. */
void Device::tick() {
    Ports &k = kernel_->ports;
    bool ar = k.m_axi_gmem_arvalid && k.m_axi_gmem_arready;
    bool aw = k.m_axi_gmem_awvalid && k.m_axi_gmem_awready;
    bool w = k.m_axi_gmem_wvalid && k.m_axi_gmem_wready;
    bool b = k.m_axi_gmem_bvalid && k.m_axi_gmem_bready;
    bool r = k.m_axi_gmem_rvalid && k.m_axi_gmem_rready;
    if (ar)
        take_read(k.m_axi_gmem_araddr, k.m_axi_gmem_arlen + 1u, k.m_axi_gmem_arsize,
                  k.m_axi_gmem_arburst);
    if (aw)
        take_write(k.m_axi_gmem_awaddr, k.m_axi_gmem_awlen + 1u, k.m_axi_gmem_awsize,
                   k.m_axi_gmem_awburst);
    if (w) take_data();
    if (watch_.visited) WatchedEngine<Ports>::look(k, watch_);
    kernel_->clock();
    clocks_++;
    if (r | b | (reads_.count && !k.m_axi_gmem_rvalid) | answers_.count | timing_.stall | ar | aw)
        serve_memory(b, r);
}

/* Sets the memory's outputs after a clock: read data, write answers, and the ready signals. b, r:
 * the kernel took a write answer, or a beat of read data, in this clock. */
void Device::serve_memory(bool b, bool r) {
    Ports &k = kernel_->ports;
    if (r) {
        Burst &burst = reads_.front();
        burst.place += kBeat;
        if (!--burst.beats) reads_.pop();
        k.m_axi_gmem_rvalid = 0;
    }
    if (!k.m_axi_gmem_rvalid && reads_.count && reads_.front().ready <= clocks_ && !wait()) {
        const Burst &burst = reads_.front();
        memcpy(&k.m_axi_gmem_rdata, burst.place, kBeat);
        k.m_axi_gmem_rresp = burst.response;
        k.m_axi_gmem_rlast = burst.beats == 1;
        k.m_axi_gmem_rvalid = 1;
    }
    if (b) k.m_axi_gmem_bvalid = 0;
    if (!k.m_axi_gmem_bvalid && answers_.count && answers_.front().ready <= clocks_ && !wait()) {
        k.m_axi_gmem_bresp = answers_.front().response;
        k.m_axi_gmem_bvalid = 1;
        answers_.pop();
    }
    k.m_axi_gmem_arready = reads_.count < kBursts && !wait();
    k.m_axi_gmem_awready = writes_.count + answers_.count < kBursts && !wait();
    k.m_axi_gmem_wready = (k.m_axi_gmem_awready || writes_.count) && !wait();
}

/* Accepts a read burst of `beats` beats. Ends the process if it breaks AXI or leaves a buffer. */
void Device::take_read(uint64_t address, unsigned beats, unsigned size, unsigned burst) {
    if (size != kSizeOfBeat || burst != kIncrement) fail("read burst of another kind", address);
    if (address % kBeat) fail("read is not aligned", address);
    if (address % kBoundary + beats * kBeat > kBoundary) fail("read burst crosses 4 KiB", address);
    Slave::Answer answer;
    uint8_t *place = slave_.read(address, beats * kBeat, &answer);
    if (!place) fail("read outside of all buffers", address);
    if (timing_.read_error && ++read_count == timing_.read_error)
        answer.response = Slave::kSlaveError;
    reads_.push(
        {address, beats, clocks_ + timing_.latency + answer.clocks, place, answer.response});
}

/* Accepts the address of a write burst, with the same checks. */
void Device::take_write(uint64_t address, unsigned beats, unsigned size, unsigned burst) {
    if (size != kSizeOfBeat || burst != kIncrement) fail("write burst of another kind", address);
    if (address % kBeat) fail("write is not aligned", address);
    if (address % kBoundary + beats * kBeat > kBoundary) fail("write burst crosses 4 KiB", address);
    uint8_t *place = slave_.write(address, beats * kBeat);
    if (!place) fail("write outside of all buffers", address);
    writes_.push({address, beats, 0, place, Slave::kOkay});
}

/* Accepts a beat of write data: copies it to the slave's place, and owes the slave's answer after
 * the last one. */
void Device::take_data() {
    const Ports &k = kernel_->ports;
    if (!writes_.count) fail("write data before its address", 0);
    Burst &burst = writes_.front();
    if (k.m_axi_gmem_wlast != (burst.beats == 1)) fail("wlast at the wrong beat", burst.address);
    if (k.m_axi_gmem_wstrb != ~UINT64_C(0)) fail("write of part of a beat", burst.address);
    memcpy(burst.place, &k.m_axi_gmem_wdata, kBeat);
    burst.address += kBeat;
    burst.place += kBeat;
    if (!--burst.beats) {
        writes_.pop();
        Slave::Answer answer;
        slave_.written(&answer);
        if (timing_.write_error && ++write_count == timing_.write_error)
            answer.response = Slave::kSlaveError;
        answers_.push({0, 0, clocks_ + 1 + answer.clocks, nullptr, answer.response});
    }
}

/* Drives the AXI4-Lite write channels until the kernel answers: in the clock in which it has
 * accepted both address and data (rtl/top/heddle_control.sv). */
bool Device::write_register(uint32_t offset, uint32_t value) {
    Ports &k = kernel_->ports;
    k.s_axi_control_awaddr = static_cast<uint16_t>(offset);
    k.s_axi_control_wdata = value;
    k.s_axi_control_wstrb = 0xf;
    k.s_axi_control_awvalid = 1;
    k.s_axi_control_wvalid = 1;
    for (uint64_t i = 0; k.s_axi_control_awvalid || k.s_axi_control_wvalid; i++) {
        if (i > kAnswerLimit) fail("a register write is not accepted", offset);
        bool aw = k.s_axi_control_awvalid && k.s_axi_control_awready;
        bool w = k.s_axi_control_wvalid && k.s_axi_control_wready;
        tick();
        if (aw) k.s_axi_control_awvalid = 0;
        if (w) k.s_axi_control_wvalid = 0;
    }
    for (uint64_t i = 0; !k.s_axi_control_bvalid; i++) {
        if (i > kAnswerLimit) fail("a register write is not answered", offset);
        tick();
    }
    return k.s_axi_control_bresp == Slave::kOkay;
}

/* Drives the AXI4-Lite read channels until the kernel answers. */
bool Device::read_register(uint32_t offset, uint32_t *value) {
    Ports &k = kernel_->ports;
    k.s_axi_control_araddr = static_cast<uint16_t>(offset);
    k.s_axi_control_arvalid = 1;
    k.s_axi_control_rready = 1;
    for (uint64_t i = 0;; i++) {
        if (i > kAnswerLimit) fail("a register read is not answered", offset);
        bool ar = k.s_axi_control_arvalid && k.s_axi_control_arready;
        bool r = k.s_axi_control_rvalid;
        *value = k.s_axi_control_rdata;
        bool okay = k.s_axi_control_rresp == Slave::kOkay;
        tick();
        if (ar) k.s_axi_control_arvalid = 0;
        if (r) {
            k.s_axi_control_rready = 0;
            return okay;
        }
    }
}

bool Device::watch(const core_watch &watch) {
    if (WatchedEngine<Ports>::watchable) watch_ = watch;
    return WatchedEngine<Ports>::watchable;
}

bool Device::interrupt() const {
    return kernel_->interrupt();
}

void Device::advance(uint64_t limit) {
    const bool before = kernel_->interrupt();
    for (uint64_t i = 0; i < limit && kernel_->interrupt() == before; i++) tick();
}

bool Device::run(uint64_t limit) {
    for (uint64_t i = 0; i < limit; i++) {
        if (kernel_->interrupt()) return true;
        tick();
    }
    return kernel_->interrupt();
}

} // namespace sw_emu
