/* xrt_exports.cpp - the C functions of XRT over platforms (platform.h): in the library
 * libheddle_swemu.so, which the host opens in place of libxrt_coreutil.so.2.
 *
 * Each exported function implements XRT's function of that name: on an error it sets errno and
 * returns -1, NULL or a failed state. It runs inside the host process, called by timing/core.c and
 * core_run.c; the kernel's clock advances only inside register accesses and xrtRunWaitFor().
 *
 * As on a card, a buffer of the card's memory has a copy in the host, and only xrtBOSync moves data
 * between the two: a program that forgets it fails here as well. Buffers in the host's memory are
 * shared. A run that is started while another one of the kernel is under way begins when that has
 * ended, as with XRT: then its arguments are written to their registers, if they have changed.
 *
 * xrtIniStringSet() and the environment variable HEDDLE_EMULATION set how the card's memory
 * behaves, for devices that are opened afterwards: set_option().
 * Threads: opening and closing from any; a device and its handles from one at a time. */
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core_regs.h"
#include "sw_emu/platform.h"
extern "C" {
#include "timing/xrt_abi.h"
}

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr unsigned kDevices = 64;            /* as many as GPUs of all nodes */
constexpr uint64_t kClocksPerLook = 1 << 16; /* between two looks at the wall clock */
constexpr char kKernelName[] = "heddle_kernel";

/* The arguments of the kernel: register offset, width, whether it is a buffer's address. */
struct Argument {
    uint32_t offset;
    unsigned bits;
    bool buffer;
};
constexpr Argument kArguments[CORE_NUM_ARGS] = {
#define X(number, offset, bits, buffer) {offset, bits, buffer},
    CORE_ARG_MAP(X)
#undef X
};

struct Run;

/* One card. It is its own device handle and kernel handle; buffers and runs point to it. */
struct Card {
    unsigned index;
    std::unique_ptr<sw_emu::Platform> platform;
    bool kernel_open = false;
    bool reaches_host;
    std::deque<Run *> runs; /* started and not ended; the first is under way */
    std::optional<uint64_t> argument[CORE_NUM_ARGS]; /* as the registers hold it */
    Card(unsigned i, const sw_emu::Timing &timing)
        : index(i), platform(sw_emu::make_platform(i, timing)), reaches_host(timing.host) {}
};

/* A buffer (xrtBufferHandle). */
struct Buffer {
    Card *card;
    uint64_t address; /* as the card sees it */
    size_t size;
    uint8_t *host;                   /* result of xrtBOMap */
    std::unique_ptr<uint8_t[]> copy; /* owner of `host` for the card's memory; else empty */
};

/* A run (xrtRunHandle): the arguments of the next start. */
struct Run {
    Card *card;
    uint64_t value[CORE_NUM_ARGS] = {};
    enum ert_cmd_state state = ERT_CMD_STATE_NEW;
};

/* What devices that will be opened are like. */
struct Options {
    sw_emu::Timing timing;
    unsigned devices = kDevices; /* that can be opened */
};

/* Sets `latency` (clocks of a read), `stall` (seed of random waiting of the memory, 0: none),
 * `read_error` or `write_error` (number of a burst that memory answers with an error, 0: none),
 * `memory` (host: rings may lie there; card: only the card's own, as of an image without a link to
 * the host) or `devices` (number, at most 64). @return false: another name or value. */
bool set_option(Options &options, const std::string &name, const char *value) {
    sw_emu::Timing &timing = options.timing;
    if (name == "memory") {
        timing.host = !strcmp(value, "host");
        return timing.host || !strcmp(value, "card");
    }
    char *end;
    const unsigned long number = strtoul(value, &end, 0);
    if (end == value || *end || number > UINT32_MAX) return false;
    if (name == "latency")
        timing.latency = static_cast<unsigned>(number);
    else if (name == "stall")
        timing.stall = static_cast<unsigned>(number);
    else if (name == "read_error")
        timing.read_error = static_cast<unsigned>(number);
    else if (name == "write_error")
        timing.write_error = static_cast<unsigned>(number);
    else if (name == "devices" && number <= kDevices)
        options.devices = static_cast<unsigned>(number);
    else
        return false;
    return true;
}

/* The only static state: the open devices, and the options of those to come. */
struct Table {
    std::mutex mutex;
    std::unique_ptr<Card> card[kDevices];
    Options options;
    bool valid = true; /* HEDDLE_EMULATION has been understood */

    /* Reads HEDDLE_EMULATION, a list NAME=VALUE,... */
    Table() {
        const char *list = getenv("HEDDLE_EMULATION");
        std::istringstream items(list ? list : "");
        for (std::string item; std::getline(items, item, ',');) {
            const size_t equals = item.find('=');
            if (equals != std::string::npos &&
                set_option(options, item.substr(0, equals), item.c_str() + equals + 1))
                continue;
            fprintf(stderr,
                    "libheddle_swemu: HEDDLE_EMULATION: '%s' is none of latency=CLOCKS, "
                    "stall=SEED, memory=host|card, devices=N, read_error=N, write_error=N\n",
                    item.c_str());
            valid = false;
        }
    }
};
Table &table() {
    static Table t;
    return t;
}

/* Sets errno. @return -1. */
int refuse(int error) {
    errno = error;
    return -1;
}

/* Sets errno. @return NULL. */
template <class T> T *null(int error) {
    errno = error;
    return nullptr;
}

/* Calls make(); out of memory becomes NULL with ENOMEM, which the host's message reports, and what
 * a platform refuses EINVAL, behind its reason. */
template <class T, class Make> T *null_without_memory(Make make) {
    try {
        return make();
    } catch (const std::bad_alloc &) {
        return null<T>(ENOMEM);
    } catch (const std::invalid_argument &e) {
        fprintf(stderr, "%s\n", e.what());
        return null<T>(EINVAL);
    }
}

} // namespace

/* ---------------------------------------------------------------------------- device and kernel */

/* Sets the timing of devices that are opened later. */
EXPORT int xrtIniStringSet(const char *key, const char *value) {
    if (!key || !value) return refuse(EINVAL);
    Table &t = table();
    std::lock_guard<std::mutex> lock(t.mutex);
    if (strncmp(key, "heddle.", 7) != 0) return 0; /* XRT's own keys have no effect */
    return set_option(t.options, key + 7, value) ? 0 : refuse(EINVAL);
}

/* Creates and resets the model of device `index` and enables its interrupt. EBUSY: it is open;
 * EINVAL: HEDDLE_EMULATION was not understood. */
EXPORT xrtDeviceHandle xrtDeviceOpen(unsigned index) {
    Table &t = table();
    std::lock_guard<std::mutex> lock(t.mutex);
    if (!t.valid) return null<Card>(EINVAL);
    if (index >= t.options.devices) return null<Card>(ENODEV);
    if (t.card[index]) return null<Card>(EBUSY);
    t.card[index].reset(
        null_without_memory<Card>([&] { return new Card(index, t.options.timing); }));
    if (!t.card[index]) return nullptr;
    sw_emu::Platform &platform = *t.card[index]->platform;
    platform.write_register(0x4, 1); /* interrupts on, */
    platform.write_register(0x8, 1); /* when a run is done */
    return t.card[index].get();
}

/* Destroys the model. */
EXPORT int xrtDeviceClose(xrtDeviceHandle device) {
    Card *card = static_cast<Card *>(device);
    if (!card) return refuse(EINVAL);
    Table &t = table();
    std::lock_guard<std::mutex> lock(t.mutex);
    t.card[card->index].reset();
    return 0;
}

/* Accepts any image: the model is linked in. */
EXPORT int xrtDeviceLoadXclbinFile(xrtDeviceHandle device, const char *) {
    return device ? 0 : refuse(EINVAL);
}

EXPORT int xrtDeviceGetXclbinUUID(xrtDeviceHandle device, xuid_t out) {
    if (!device || !out) return refuse(EINVAL);
    memset(out, 0, sizeof(xuid_t));
    return 0;
}

/* ENOENT: another name; EBUSY: it is open. */
EXPORT xrtKernelHandle xrtPLKernelOpenExclusive(xrtDeviceHandle device, const xuid_t,
                                                const char *name) {
    Card *card = static_cast<Card *>(device);
    if (!card || !name) return null<Card>(EINVAL);
    if (strcmp(name, kKernelName) != 0) return null<Card>(ENOENT);
    if (card->kernel_open) return null<Card>(EBUSY);
    card->kernel_open = true;
    return card;
}

EXPORT int xrtKernelClose(xrtKernelHandle kernel) {
    if (!kernel) return refuse(EINVAL);
    static_cast<Card *>(kernel)->kernel_open = false;
    return 0;
}

/* CORE_WATCH_FUNCTION, which XRT does not have. */
EXPORT int heddleWatch(void *kernel, const struct core_watch *watch) {
    return static_cast<Card *>(kernel)->platform->watch(*watch) ? 0 : -1;
}

/* CORE_POLICY_FUNCTION, likewise. */
EXPORT int heddlePolicy(void *kernel, const struct heddle_policy *policy) {
    return static_cast<Card *>(kernel)->platform->set_policy(*policy) ? 0 : -1;
}

/* The memory bank of a buffer argument: the emulation has one, 0. */
EXPORT int xrtKernelArgGroupId(xrtKernelHandle kernel, int number) {
    if (!kernel || number < 0 || number >= CORE_NUM_ARGS || !kArguments[number].buffer)
        return refuse(EINVAL);
    return 0;
}

EXPORT uint32_t xrtKernelArgOffset(xrtKernelHandle kernel, int number) {
    if (!kernel || number < 0 || number >= CORE_NUM_ARGS) return UINT32_MAX;
    return kArguments[number].offset;
}

EXPORT int xrtKernelReadRegister(xrtKernelHandle kernel, uint32_t offset, uint32_t *value) {
    if (!kernel || !value || offset > 0xffc || offset % 4) return refuse(EINVAL);
    return static_cast<Card *>(kernel)->platform->read_register(offset, value) ? 0 : refuse(EIO);
}

EXPORT int xrtKernelWriteRegister(xrtKernelHandle kernel, uint32_t offset, uint32_t value) {
    if (!kernel || offset > 0xffc || offset % 4) return refuse(EINVAL);
    static_cast<Card *>(kernel)->platform->write_register(offset, value);
    return 0;
}

/* ---------------------------------------------------------------------------- buffers */

/* Allocates memory of the card, with a copy in the host, or host memory that the card sees. */
EXPORT xrtBufferHandle xrtBOAlloc(xrtDeviceHandle device, size_t size, xrtBufferFlags flags,
                                  xrtMemoryGroup) {
    Card *card = static_cast<Card *>(device);
    if (!card || !size) return null<Buffer>(EINVAL);
    bool in_host = flags & XRT_BO_FLAGS_HOST_ONLY;
    if (in_host && !card->reaches_host) return null<Buffer>(EINVAL);
    sw_emu::Memory &memory = card->platform->memory();
    const auto held = card->platform->hold();
    return null_without_memory<Buffer>([&]() -> Buffer * {
        std::unique_ptr<Buffer> b(new Buffer{card, 0, size, nullptr, nullptr});
        if (!in_host) b->copy.reset(new uint8_t[size]());
        b->address = memory.allocate(size, in_host);
        if (!b->address) return null<Buffer>(ENOMEM);
        b->host = in_host ? memory.find(b->address, size) : b->copy.get();
        return b.release();
    });
}

/* Releases the buffer's addresses and its copy. */
EXPORT int xrtBOFree(xrtBufferHandle buffer) {
    Buffer *b = static_cast<Buffer *>(buffer);
    if (!b) return refuse(EINVAL);
    const auto held = b->card->platform->hold();
    b->card->platform->memory().release(b->address);
    delete b;
    return 0;
}

EXPORT void *xrtBOMap(xrtBufferHandle buffer) {
    return buffer ? static_cast<Buffer *>(buffer)->host : nullptr;
}

EXPORT uint64_t xrtBOAddress(xrtBufferHandle buffer) {
    return buffer ? static_cast<Buffer *>(buffer)->address : UINT64_MAX;
}

/* Copies between a buffer of the card and its copy in the host; nothing for the host's memory. */
EXPORT int xrtBOSync(xrtBufferHandle buffer, enum xclBOSyncDirection direction, size_t size,
                     size_t offset) {
    Buffer *b = static_cast<Buffer *>(buffer);
    if (!b || offset > b->size || size > b->size - offset) return refuse(EINVAL);
    if (!b->copy) return 0;
    const auto held = b->card->platform->hold();
    uint8_t *card = b->card->platform->memory().find(b->address + offset, size);
    if (direction == XCL_BO_SYNC_BO_TO_DEVICE)
        memcpy(card, b->host + offset, size);
    else
        memcpy(b->host + offset, card, size);
    return 0;
}

/* ---------------------------------------------------------------------------- runs */

/* A run, with no argument set. */
EXPORT xrtRunHandle xrtRunOpen(xrtKernelHandle kernel) {
    if (!kernel) return null<Run>(EINVAL);
    Run *run = new (std::nothrow) Run;
    if (!run) return null<Run>(ENOMEM);
    run->card = static_cast<Card *>(kernel);
    return run;
}

/* Keeps an argument for the next start: a buffer's address or a 32-bit value. */
EXPORT int xrtRunSetArg(xrtRunHandle handle, int number, ...) {
    Run *run = static_cast<Run *>(handle);
    if (!run || number < 0 || number >= CORE_NUM_ARGS) return refuse(EINVAL);
    uint64_t value;
    va_list arguments;
    va_start(arguments, number);
    if (kArguments[number].buffer) {
        Buffer *buffer = static_cast<Buffer *>(va_arg(arguments, void *));
        value = buffer ? buffer->address : 0;
    } else {
        value = va_arg(arguments, uint32_t);
    }
    va_end(arguments);
    run->value[number] = value;
    return 0;
}

/* Writes changed arguments to the kernel's registers and starts it (ap_start). */
static void begin(Run *run) {
    sw_emu::Platform &platform = *run->card->platform;
    for (int i = 0; i < CORE_NUM_ARGS; i++) {
        const uint64_t value = run->value[i];
        if (run->card->argument[i] == value) continue;
        platform.write_register(kArguments[i].offset, static_cast<uint32_t>(value));
        if (kArguments[i].bits == 64)
            platform.write_register(kArguments[i].offset + 4, static_cast<uint32_t>(value >> 32));
        run->card->argument[i] = value;
    }
    platform.write_register(0x0, 1);
    run->state = ERT_CMD_STATE_RUNNING;
}

/* Begins the run, or puts it behind those of the card that have not ended. */
EXPORT int xrtRunStart(xrtRunHandle handle) {
    Run *run = static_cast<Run *>(handle);
    if (!run) return refuse(EINVAL);
    if (run->state == ERT_CMD_STATE_RUNNING || run->state == ERT_CMD_STATE_QUEUED)
        return refuse(EBUSY);
    std::deque<Run *> &runs = run->card->runs;
    runs.push_back(run);
    run->state = ERT_CMD_STATE_QUEUED;
    if (runs.size() == 1) begin(run);
    return 0;
}

/* Simulates clocks until the card's first run has ended, on the calling thread, and begins the
 * next. @return false: `milliseconds` have passed; 0: no limit. */
static bool end_first(Card &card, unsigned milliseconds) {
    using Clock = std::chrono::steady_clock;
    sw_emu::Platform &platform = *card.platform;
    if (!platform.run(kClocksPerLook)) {
        Clock::time_point end = Clock::now() + std::chrono::milliseconds(milliseconds);
        while (!platform.run(kClocksPerLook))
            if (milliseconds && Clock::now() >= end) return false;
    }
    platform.write_register(0xc, 1); /* clears the interrupt */
    card.runs.front()->state = ERT_CMD_STATE_COMPLETED;
    card.runs.pop_front();
    if (!card.runs.empty()) begin(card.runs.front());
    return true;
}

/* Simulates until the run has ended; `milliseconds` for each that is before it. */
EXPORT enum ert_cmd_state xrtRunWaitFor(xrtRunHandle handle, unsigned milliseconds) {
    Run *run = static_cast<Run *>(handle);
    if (!run) {
        errno = EINVAL;
        return ERT_CMD_STATE_ABORT;
    }
    try {
        while (run->state == ERT_CMD_STATE_RUNNING || run->state == ERT_CMD_STATE_QUEUED)
            if (!end_first(*run->card, milliseconds)) return ERT_CMD_STATE_TIMEOUT;
    } catch (const std::logic_error &e) { /* of a platform without a kernel: it cannot go on */
        fprintf(stderr, "heddle: %s\n", e.what());
        errno = EIO;
        return run->state = ERT_CMD_STATE_ERROR;
    }
    return run->state;
}

EXPORT enum ert_cmd_state xrtRunState(xrtRunHandle handle) {
    return handle ? static_cast<Run *>(handle)->state : ERT_CMD_STATE_ABORT;
}

EXPORT int xrtRunClose(xrtRunHandle handle) {
    Run *run = static_cast<Run *>(handle);
    if (!run) return refuse(EINVAL);
    std::deque<Run *> &runs = run->card->runs;
    runs.erase(std::remove(runs.begin(), runs.end(), run), runs.end());
    delete run;
    return 0;
}
