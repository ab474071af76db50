/* platform.h - what XRT's functions (xrt_exports.cpp) drive: a core, its registers and the memory
 * that it shares with the host. emulated_platform.cpp has the plain one.
 *
 * Threads: one platform from one thread at a time; different platforms from different threads. */
#ifndef HEDDLE_SW_EMU_PLATFORM_H
#define HEDDLE_SW_EMU_PLATFORM_H

#include <memory>
#include <mutex>

#include "sw_emu/device.h"
#include "sw_emu/memory.h"
extern "C" {
#include "timing/core_policy.h"
}

namespace sw_emu {

class Platform {
  public:
    virtual ~Platform() = default;
    virtual Memory &memory() = 0;
    /* Keeps whatever else uses the memory away from it while the result lives. */
    virtual std::unique_lock<std::mutex> hold() { return {}; }
    /* As those of Device. */
    virtual bool write_register(uint32_t offset, uint32_t value) = 0;
    virtual bool read_register(uint32_t offset, uint32_t *value) = 0;
    virtual bool run(uint64_t limit) = 0;
    virtual bool watch(const core_watch &) { return false; }
    /* As core_policy_function. @return false: it takes none */
    virtual bool set_policy(const heddle_policy &) { return false; }
};

/* @return the platform of device `index`, its core just reset. The library is linked with one such
 * function. Throws std::bad_alloc. */
std::unique_ptr<Platform> make_platform(unsigned index, const Timing &timing);

} // namespace sw_emu

#endif
