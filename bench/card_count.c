/* card_count.c - a library between `heddle run` and the emulation (tests/support/between_xrt.h)
 * that counts what a card would have to do: runs, core clocks, ring traffic, register reads, and
 * the seconds that host and emulation take in turn. bench/card_model.sh computes a card's speed of
 * it. When the device is closed it appends to the file HEDDLE_CARD_COUNTS the line
 *
 *   runs clocks issued command_bytes event_bytes register_reads emulation_s host_s waits...
 *
 * host_s: from the first run to the last without the emulation. waits: clocks in which the card
 * would have waited for the host, for each of the round trips (clocks) that HEDDLE_CARD_TRIPS
 * lists. One SM group, one thread. */
#include "tests/support/between_xrt.h"

#include "common/wall_time.h"
#include "timing/core.h"
#include "timing/core_pace.h"

enum { BEAT_BYTES = 64, MOST_TRIPS = 32 };

static xrtKernelHandle kernel;
static uint64_t runs, register_reads;
static uint32_t commands, events;     /* beats since reset */
static double first, last, emulation; /* wall seconds */
static uint64_t ended;                /* runs */
static uint64_t clocks_ended;         /* of theirs */
static unsigned num_trips;
static struct trip {
    struct core_pace pace;
    uint64_t from[CORE_FLIGHTS]; /* of run n: from[n % CORE_FLIGHTS] */
} trip[MOST_TRIPS];

/* A counter of the core. */
static uint64_t counter(enum core_counter number) {
    uint32_t low = 0, high = 0, offset = CORE_COUNTER_BASE + 8 * (uint32_t)number;
    behind.xrtKernelReadRegister(kernel, offset, &low);
    behind.xrtKernelReadRegister(kernel, offset + 4, &high);
    return (uint64_t)high << 32 | low;
}

static xrtKernelHandle open_kernel(xrtDeviceHandle device, const xuid_t uuid, const char *name) {
    return kernel = behind.xrtPLKernelOpenExclusive(device, uuid, name);
}

static int read_register(xrtKernelHandle handle, uint32_t offset, uint32_t *value) {
    register_reads++;
    return behind.xrtKernelReadRegister(handle, offset, value);
}

static int set_argument(xrtRunHandle run, int number, ...) {
    va_list arguments;
    int r;
    va_start(arguments, number);
    if (number <= CORE_ARG_STATUS) {
        r = behind.xrtRunSetArg(run, number, va_arg(arguments, void *));
    } else {
        const uint32_t value = va_arg(arguments, uint32_t);
        if (number == CORE_ARG_COMMAND_TAIL) commands = value;
        if (number == CORE_ARG_EVENT_HEAD) events = value;
        r = behind.xrtRunSetArg(run, number, value);
    }
    va_end(arguments);
    return r;
}

static int start(xrtRunHandle run) {
    if (!runs++) first = wall_seconds();
    for (unsigned i = 0; i < num_trips; i++)
        trip[i].from[runs % CORE_FLIGHTS] = core_pace_start(&trip[i].pace);
    return behind.xrtRunStart(run);
}

static enum ert_cmd_state wait_for(xrtRunHandle run, unsigned milliseconds) {
    const double begun = wall_seconds();
    enum ert_cmd_state state = behind.xrtRunWaitFor(run, milliseconds);
    last = wall_seconds();
    emulation += last - begun;
    const uint64_t clocks = counter(CORE_COUNTER_CLOCKS);
    ended++;
    for (unsigned i = 0; i < num_trips; i++)
        core_pace_end(&trip[i].pace, trip[i].from[ended % CORE_FLIGHTS], clocks - clocks_ended);
    clocks_ended = clocks;
    return state;
}

static int close_device(xrtDeviceHandle device) {
    const char *path = getenv("HEDDLE_CARD_COUNTS");
    FILE *file = path ? fopen(path, "a") : NULL;
    if (!file) {
        fprintf(stderr, "card_count: HEDDLE_CARD_COUNTS=%s cannot be written\n", path ? path : "");
        abort();
    }
    fprintf(file, "%lu %lu %lu %lu %lu %lu %.6f %.6f", runs, counter(CORE_COUNTER_CLOCKS),
            counter(CORE_COUNTER_ISSUED), (uint64_t)commands * BEAT_BYTES,
            (uint64_t)events * BEAT_BYTES, register_reads, emulation, last - first - emulation);
    for (unsigned i = 0; i < num_trips; i++) fprintf(file, " %lu", trip[i].pace.waits);
    fprintf(file, "\n");
    fclose(file);
    return behind.xrtDeviceClose(device);
}

/* Takes the place of the functions that count, and reads the round trips. */
static void between_loaded(void) {
    char *at = getenv("HEDDLE_CARD_TRIPS"), *end;
    for (; at && *at && num_trips < MOST_TRIPS; at = end) {
        trip[num_trips++].pace.round_trip = strtoul(at, &end, 10);
        if (end == at) abort();
    }
    front.xrtDeviceClose = close_device;
    front.xrtPLKernelOpenExclusive = open_kernel;
    front.xrtKernelReadRegister = read_register;
    front.xrtRunSetArg = set_argument;
    front.xrtRunStart = start;
    front.xrtRunWaitFor = wait_for;
}
