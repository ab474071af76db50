/* faulty_xrt.c - a library with XRT's C functions that goes wrong in one way: it passes every call
 * to the emulation (between_xrt.h) and changes what HEDDLE_FAULT names. For tests of what Heddle
 * says of a card that is broken; no card can be told to be. An unknown fault ends the process, so
 * that a test cannot pass by a name misspelt. */
#include "tests/support/between_xrt.h"

#include <errno.h>
#include <string.h>

/* The faults: X(name, what happens). */
#define FAULTS(X)                                                  \
    X(none, "nothing")                                             \
    X(no_device, "the device cannot be opened")                    \
    X(no_image, "the device holds no image")                       \
    X(bad_image, "the image cannot be loaded")                     \
    X(no_kernel, "the image has no such kernel")                   \
    X(off_the_bus, "registers read as ones")                       \
    X(other_kernel, "the magic number is another one")             \
    X(other_version, "the version is higher by one")               \
    X(other_tables, "the build id is another one")                 \
    X(other_shape, "an SM has two sub-cores")                      \
    X(no_memory, "no buffer can be allocated")                     \
    X(no_copy, "copies to the card are lost")                      \
    X(bad_copy, "a bit of each copy from the card is wrong")       \
    X(hang, "the third run never ends")                            \
    X(lost, "the third run cannot be started: the device is gone") \
    X(aborted, "the third run ends with an error")                 \
    X(bad_command, "a bit of each new command is wrong")           \
    X(bad_event, "a bit of each event is wrong")                   \
    X(lost_events, "the third run's events do not arrive")         \
    X(bad_report, "a bit of the third run's report is wrong")      \
    X(lost_report, "the third run's report does not arrive")       \
    X(wrong_hash, "the counter of the issue hash is another one")  \
    X(dead_counters, "counters cannot be read")                    \
    X(late_counters, "nor after HEDDLE_FAULT_AT reads of them")
enum fault {
#define X(name, what) name,
    FAULTS(X)
#undef X
};

static enum fault fault;
static unsigned runs;
static unsigned long reads, reads_before; /* of counters */

/* The rings, in the order in which the host maps them, and what they held before the third run. */
enum { COMMANDS, EVENTS, REPORT, OTHER_REPORT, NUM_RINGS };
static struct {
    unsigned char *bytes, *before;
    size_t size;
} ring[NUM_RINGS];
static unsigned num_rings;
static size_t last_size; /* of the buffer that was allocated last */

/* Sets errno. @return -1. */
static int fails(int error) {
    errno = error;
    return -1;
}

static xrtDeviceHandle open_device(unsigned index) {
    if (fault == no_device) {
        errno = ENODEV;
        return NULL;
    }
    return behind.xrtDeviceOpen(index);
}

static int load_image(xrtDeviceHandle device, const char *path) {
    return fault == bad_image ? fails(EINVAL) : behind.xrtDeviceLoadXclbinFile(device, path);
}

static int get_image(xrtDeviceHandle device, xuid_t out) {
    return fault == no_image ? fails(ENOENT) : behind.xrtDeviceGetXclbinUUID(device, out);
}

static xrtKernelHandle open_kernel(xrtDeviceHandle device, const xuid_t uuid, const char *name) {
    if (fault == no_kernel) {
        errno = ENOENT;
        return NULL;
    }
    return behind.xrtPLKernelOpenExclusive(device, uuid, name);
}

static int read_register(xrtKernelHandle kernel, uint32_t offset, uint32_t *value) {
    const bool counter = offset >= CORE_COUNTER_BASE;
    if (fault == dead_counters && counter) return fails(EIO);
    if (fault == late_counters && counter && ++reads > reads_before) return fails(EIO);
    int r = behind.xrtKernelReadRegister(kernel, offset, value);
    if (fault == off_the_bus) *value = UINT32_MAX;
    if (fault == other_kernel && offset == CORE_REG_MAGIC) *value = 0x12345678;
    if (fault == other_version && offset == CORE_REG_VERSION) *value += 1;
    if (fault == other_tables && offset == CORE_REG_BUILD_ID) *value ^= 1;
    if (fault == other_shape && offset == CORE_REG_SUB_CORES) *value = 2;
    if (fault == wrong_hash && offset == CORE_COUNTER_BASE + 8 * CORE_COUNTER_ISSUE_HASH)
        *value ^= 1;
    return r;
}

static xrtBufferHandle allocate(xrtDeviceHandle device, size_t size, xrtBufferFlags flags,
                                xrtMemoryGroup group) {
    if (fault == no_memory) {
        errno = ENOMEM;
        return NULL;
    }
    last_size = size;
    return behind.xrtBOAlloc(device, size, flags, group);
}

static int copy(xrtBufferHandle buffer, enum xclBOSyncDirection direction, size_t size,
                size_t offset) {
    if (fault == no_copy && direction == XCL_BO_SYNC_BO_TO_DEVICE) return 0;
    int r = behind.xrtBOSync(buffer, direction, size, offset);
    if (fault == bad_copy && direction == XCL_BO_SYNC_BO_FROM_DEVICE)
        ((unsigned char *)behind.xrtBOMap(buffer))[offset + size / 2] ^= 8;
    return r;
}

static void *map(xrtBufferHandle buffer) {
    void *bytes = behind.xrtBOMap(buffer);
    if (bytes && num_rings < NUM_RINGS) {
        ring[num_rings].bytes = bytes;
        ring[num_rings].before = malloc(last_size);
        ring[num_rings++].size = last_size;
    }
    return bytes;
}

/* Flips a bit of each beat of a ring. */
static void damage(unsigned of) {
    for (size_t at = 0; at < ring[of].size; at += 64) ring[of].bytes[at + 21] ^= 16;
}

/* Gives a ring what it held before the third run. */
static void lose(unsigned of) {
    memcpy(ring[of].bytes, ring[of].before, ring[of].size);
}

static int start(xrtRunHandle run) {
    if (++runs >= 3 && fault == lost) return fails(ENODEV);
    if (runs == 3)
        for (unsigned i = 0; i < num_rings; i++)
            memcpy(ring[i].before, ring[i].bytes, ring[i].size);
    if (runs == 3 && fault == bad_command) damage(COMMANDS);
    return behind.xrtRunStart(run);
}

static enum ert_cmd_state wait_for(xrtRunHandle run, unsigned milliseconds) {
    enum ert_cmd_state state = behind.xrtRunWaitFor(run, milliseconds);
    if (runs >= 3 && fault == hang) return ERT_CMD_STATE_TIMEOUT;
    if (runs >= 3 && fault == aborted) return ERT_CMD_STATE_ERROR;
    if (runs >= 3 && fault == bad_event) damage(EVENTS);
    if (runs == 3 && fault == lost_events) lose(EVENTS);
    if (runs == 3 && fault == bad_report) damage(REPORT), damage(OTHER_REPORT);
    if (runs == 3 && fault == lost_report) lose(REPORT), lose(OTHER_REPORT);
    return state;
}

/* Reads the fault, and takes the place of the functions that it may change. */
static void between_loaded(void) {
    const char *name = getenv("HEDDLE_FAULT");
    bool known = false;
#define X(fault_name, what) \
    if (name && !strcmp(name, #fault_name)) fault = fault_name, known = true;
    FAULTS(X)
#undef X
    if (!known) {
        fprintf(stderr, "faulty_xrt: HEDDLE_FAULT=%s\n", name ? name : "");
        abort();
    }
    const char *at = getenv("HEDDLE_FAULT_AT");
    reads_before = at ? strtoul(at, NULL, 10) : 0;
    front.xrtDeviceOpen = open_device;
    front.xrtDeviceLoadXclbinFile = load_image;
    front.xrtDeviceGetXclbinUUID = get_image;
    front.xrtPLKernelOpenExclusive = open_kernel;
    front.xrtKernelReadRegister = read_register;
    front.xrtBOAlloc = allocate;
    front.xrtBOMap = map;
    front.xrtBOSync = copy;
    front.xrtRunStart = start;
    front.xrtRunWaitFor = wait_for;
}
