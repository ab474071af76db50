/* slave.h - what answers the bursts of the kernel's AXI4 master (device.h): the memory of an
 * emulated card (memory.h), or whatever a platform has there.
 *
 * Bursts of a direction are answered in the order in which they were accepted; at most 16 are under
 * way in each. Threads: as the device. */
#ifndef HEDDLE_SW_EMU_SLAVE_H
#define HEDDLE_SW_EMU_SLAVE_H

#include <cstdint>

namespace sw_emu {

class Slave {
  public:
    /* RRESP and BRESP of AXI. An error ends the kernel's run with fault Bus. */
    enum Response : uint8_t { kOkay = 0, kSlaveError = 2, kDecodeError = 3 };
    /* The answer to a burst. */
    struct Answer {
        Response response = kOkay;
        uint64_t clocks = 0; /* of the kernel, until data or answer come; 0: as soon as possible */
    };
    virtual ~Slave() = default;
    /* Accepts a read burst. @return its data, which the slave leaves there until it has been asked
     * for 16 more bursts; NULL: no memory is there, which ends the process */
    virtual uint8_t *read(uint64_t address, unsigned bytes, Answer *answer) = 0;
    /* Accepts a write burst. @return where its data go; NULL as in read() */
    virtual uint8_t *write(uint64_t address, unsigned bytes) = 0;
    /* All data of the oldest burst that write() accepted are at its place. */
    virtual void written(Answer *answer) = 0;
};

} // namespace sw_emu

#endif
