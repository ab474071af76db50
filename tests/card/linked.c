/* linked.c - a program that is linked with libxrt_coreutil.so.2 and runs the kernel once. The
 * loader finds the emulation under that name (CMakeLists.txt), so this shows that the emulation
 * serves programs which do not open it as a library of their own. */
#include <stdint.h>
#include <stdio.h>

#include "core_regs.h"
#include "core_words.h"
#include "timing/xrt_abi.h"

#define X(result, name, parameters, arguments) extern result name parameters;
XRT_FUNCTIONS(X)
#undef X

/* Ends the process when a call has failed. */
#define NEED(condition)                                \
    do {                                               \
        if (!(condition)) {                            \
            fputs("failed: " #condition "\n", stderr); \
            return 1;                                  \
        }                                              \
    } while (0)

enum { RING_BEATS = 64, BEAT_BYTES = 64, PAGE = 4096 };

int main(void) {
    xuid_t uuid;
    uint32_t magic = 0;
    xrtBufferHandle ring[3]; /* commands, events, report */
    xrtIniStringSet("Runtime.runtime_log", "null");
    xrtDeviceHandle device = xrtDeviceOpen(0);
    NEED(device);
    NEED(!xrtDeviceGetXclbinUUID(device, uuid));
    xrtKernelHandle kernel = xrtPLKernelOpenExclusive(device, uuid, "heddle_kernel");
    NEED(kernel);
    NEED(!xrtKernelReadRegister(kernel, CORE_REG_MAGIC, &magic) && magic == CORE_MAGIC);
    xrtRunHandle run = xrtRunOpen(kernel);
    NEED(run);
    for (int i = 0; i < 3; i++) {
        int group = xrtKernelArgGroupId(kernel, i);
        NEED(group >= 0);
        ring[i] = xrtBOAlloc(device, PAGE, 0, (xrtMemoryGroup)group);
        NEED(ring[i] && xrtBOMap(ring[i]) && xrtBOAddress(ring[i]) % PAGE == 0);
        NEED(!xrtRunSetArg(run, i, ring[i]));
    }
    NEED(!xrtRunSetArg(run, CORE_ARG_COMMAND_SIZE, (uint32_t)RING_BEATS));
    NEED(!xrtRunSetArg(run, CORE_ARG_EVENT_SIZE, (uint32_t)RING_BEATS));
    NEED(!xrtRunSetArg(run, CORE_ARG_RUN_UNTIL, (uint32_t)1000));
    NEED(!xrtRunStart(run));
    NEED(xrtRunWaitFor(run, 60000) == ERT_CMD_STATE_COMPLETED);
    NEED(!xrtBOSync(ring[2], XCL_BO_SYNC_BO_FROM_DEVICE, BEAT_BYTES, 0));
    NEED(core_report_run(xrtBOMap(ring[2])) == 1);
    NEED(core_report_reached(xrtBOMap(ring[2])) == 1000);
    NEED(!xrtRunClose(run));
    for (int i = 0; i < 3; i++) NEED(!xrtBOFree(ring[i]));
    NEED(!xrtKernelClose(kernel) && !xrtDeviceClose(device));
    puts("one run of 1000 cycles");
    return 0;
}
