/* memory.h - the memory that an emulated card sees: two windows of addresses, one for the card's
 * own memory, one for the host's. Addresses of both are far from 0, so that a kernel which drops
 * upper address bits fails. Buffers are whole pages.
 *
 * Threads: as the device that owns it. */
#ifndef HEDDLE_SW_EMU_MEMORY_H
#define HEDDLE_SW_EMU_MEMORY_H

#include <cstddef>
#include <cstdint>
#include <map>

#include "sw_emu/slave.h"

namespace sw_emu {

/* The memory of one device. */
class Memory : public Slave {
  public:
    static constexpr uint64_t kPage = 4096;
    Memory(); /* throws std::bad_alloc */
    ~Memory() override;
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    /* @return the address of `bytes` new bytes (zeros), 0 when there is no room. `host`: in the
     * host's window, else in the card's. */
    uint64_t allocate(size_t bytes, bool host);
    /* Frees the buffer that begins at the address. */
    void release(uint64_t address);
    /* @return the pointer to an address, or NULL when [address, address + bytes) is not inside one
     * buffer. */
    uint8_t *find(uint64_t address, size_t bytes);

    /* As an AXI4 slave: answers at once. */
    uint8_t *read(uint64_t address, unsigned bytes, Answer *) override {
        return find(address, bytes);
    }
    uint8_t *write(uint64_t address, unsigned bytes) override { return find(address, bytes); }
    void written(Answer *) override {}

  private:
    /* A range of addresses and the host memory behind it. */
    struct Window {
        uint64_t base;
        uint8_t *bytes;
        std::map<uint64_t, uint64_t> used; /* buffers: begin -> end, addresses */
    };
    Window window_[2]; /* card, host */
    /* The buffer of the last look-up; the next one is often in it, since rings are few and long. */
    uint64_t begin_ = 1, end_ = 0;
    uint8_t *place_ = nullptr;
};

} // namespace sw_emu

#endif
