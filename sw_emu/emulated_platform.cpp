/* emulated_platform.cpp - the platform of libheddle_swemu.so: a core, its memory at its port. */
#include "sw_emu/platform.h"

namespace sw_emu {

namespace {
class EmulatedPlatform : public Platform {
  public:
    EmulatedPlatform(unsigned index, const Timing &timing) : device_(index, timing, memory_) {}
    Memory &memory() override { return memory_; }
    bool write_register(uint32_t offset, uint32_t value) override {
        return device_.write_register(offset, value);
    }
    bool read_register(uint32_t offset, uint32_t *value) override {
        return device_.read_register(offset, value);
    }
    bool run(uint64_t limit) override { return device_.run(limit); }
    bool watch(const core_watch &watch) override { return device_.watch(watch); }

  private:
    Memory memory_;
    Device device_;
};
} // namespace

std::unique_ptr<Platform> make_platform(unsigned index, const Timing &timing) {
    return std::make_unique<EmulatedPlatform>(index, timing);
}

} // namespace sw_emu
