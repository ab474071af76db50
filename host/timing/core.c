/* core.c - one instance of the timing core: its rings, its runs and their events, over the
 * functions of XRT; contracts in core.h.
 *
 * An SM group (group.c) owns a core: it creates it on the driving thread of the fabric and runs it
 * on the thread that simulates the group. Unit tests call it as well. Cores share nothing.
 *
 * The host writes command beats of 64 bytes into one ring, the core writes event beats into
 * another, and a third buffer of one beat holds its report on the last run. A run is one start of
 * the kernel through XRT: its arguments say how far the command ring is filled, how far the event
 * ring is read, and up to which core cycle to simulate. Ring positions (tail, delivered, taken,
 * head) count beats since reset modulo 2^32; a position modulo the ring's size is its place. Every
 * beat carries a check of its contents and its position (core_check.h), which the other side
 * verifies, and every report the number of its run: a beat that was damaged, lost or delivered late
 * ends the simulation, with a message.
 *
 * Errors: a function that fails after core_create() leaves its text in core->diag. An error of XRT
 * (HEDDLE_ERR_BACKEND) or of the core (PROTOCOL), and memory that runs out (NOMEM), also stay in
 * core->failed, and every later run returns it. */
#include "timing/core.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/memory.h"
#include "timing/core_check.h"
#include "timing/core_command.h"
#include "timing/xrt.h"

enum {
    BEAT_WORDS = 8,       /* 64-bit words of a beat */
    BEAT_EVENTS = 4,      /* events of a beat, 16 bytes each */
    DEFAULT_BEATS = 4096, /* size of a ring */
    LEAST_BEATS = 64,
};

/* A buffer that host and core share. */
struct ring {
    xrtBufferHandle buffer;
    uint64_t *words; /* the buffer mapped into this process */
    uint32_t beats;  /* size, a power of two */
};

/* A core: its library, its open device and its rings. One thread at a time. */
struct core {
    struct xrt xrt; /* the loaded library */
    xrtDeviceHandle device;
    xrtKernelHandle kernel;
    xrtRunHandle run;
    struct ring commands, events, report;
    enum core_rings rings;
    const char *advice;  /* end of a message of an XRT function that failed */
    uint32_t timeout_ms; /* of a run */
    uint32_t tail;       /* command beats appended since reset */
    uint32_t delivered;  /* of those, announced to the core by a run */
    uint32_t taken;      /* of those, taken by the core: their places are free */
    uint32_t head;       /* event beats read since reset */
    uint32_t run_until;  /* core cycle of the last core_run(), which deliveries repeat */
    uint32_t runs;       /* started since reset */
    struct events {
        uint64_t *word;    /* two per event */
        size_t count, max; /* events */
    } made, shown;         /* since the last core_run; of the last core_run */
    uint64_t *nowhere;     /* place of commands after an error */
    struct core_info info;
    struct heddle_diag diag;
    heddle_err failed;
};

/* Records in core->failed and core->diag that an XRT function failed, with errno's text if it is
 * set. The core is unusable after it. @return HEDDLE_ERR_BACKEND. */
static heddle_err fail(struct core *core, const char *what) {
    core->failed = heddle_fail(&core->diag, HEDDLE_ERR_BACKEND, "timing core: %s failed%s%s%s",
                               what, errno ? ": " : "", errno ? strerror(errno) : "", core->advice);
    return core->failed;
}

/* ---------------------------------------------------------------------------- life */

/* A buffer in the memory bank of the kernel's argument `arg`, on the card or in the host's memory.
 * @return NULL: XRT has none, errno says why. */
static xrtBufferHandle allocate(const struct core *core, size_t bytes, int group, bool on_card) {
    return core->xrt.xrtBOAlloc(core->device, bytes, on_card ? 0 : XRT_BO_FLAGS_HOST_ONLY,
                                (xrtMemoryGroup)group);
}

/* Allocates, maps and zeroes a buffer of `beats` beats, and passes it to the kernel as argument
 * number `arg`. core_free() frees it, after an error as well. */
static heddle_err ring_create(struct core *core, struct ring *ring, uint32_t beats, int arg) {
    const size_t used = (size_t)beats * CORE_BEAT_BYTES, bytes = used < 4096 ? 4096 : used;
    bool *on_card = &core->info.rings_on_card;
    int group = core->xrt.xrtKernelArgGroupId(core->kernel, arg);
    if (group < 0) return fail(core, "xrtKernelArgGroupId");
    ring->beats = beats;
    ring->buffer = allocate(core, bytes, group, *on_card);
    if (!ring->buffer && core->rings == CORE_RINGS_ANY && ring == &core->commands) {
        errno = 0; /* the card does not reach the host's memory: no error, if its own is there */
        *on_card = true;
        ring->buffer = allocate(core, bytes, group, *on_card);
    }
    if (!ring->buffer) return fail(core, "xrtBOAlloc");
    ring->words = core->xrt.xrtBOMap(ring->buffer);
    if (!ring->words) return fail(core, "xrtBOMap");
    memset(ring->words, 0, used);
    if (core->xrt.xrtRunSetArg(core->run, arg, ring->buffer)) return fail(core, "xrtRunSetArg");
    return HEDDLE_OK;
}

/* Reads a register at a byte offset. Sets *ok to false, and returns 0, when XRT fails. */
static uint32_t read_register(const struct core *core, uint32_t offset, bool *ok) {
    uint32_t value = 0;
    if (core->xrt.xrtKernelReadRegister(core->kernel, offset, &value)) *ok = false;
    return value;
}

/* @return the library's file name from the row of tables/core_shapes.def, NULL: there is no
 * emulation with this number of sub-cores per SM. */
const char *core_emulation(uint32_t sub_cores) {
    switch (sub_cores) {
#define SHAPE(number, library) \
    case number:               \
        return library;
#include "tables/core_shapes.def"
#undef SHAPE
    }
    return NULL;
}

/* Reads the identity registers into core->info. Refuses a kernel that is no Heddle core or was
 * built from other sources (HEDDLE_ERR_PROTOCOL), has another number of sub-cores per SM (CONFIG),
 * or cannot be read (BACKEND); text in diag. */
static heddle_err check_identity(struct core *core, const struct core_options *o,
                                 struct heddle_diag *diag) {
    bool ok = true;
    uint32_t magic = read_register(core, CORE_REG_MAGIC, &ok);
    struct core_info *info = &core->info;
    info->version = read_register(core, CORE_REG_VERSION, &ok);
    info->build_id = read_register(core, CORE_REG_BUILD_ID, &ok);
    info->max_sms = read_register(core, CORE_REG_MAX_SMS, &ok);
    info->max_slices = read_register(core, CORE_REG_MAX_SLICES, &ok);
    info->max_sets = read_register(core, CORE_REG_MAX_SETS, &ok);
    info->max_packets = read_register(core, CORE_REG_MAX_PACKETS, &ok);
    info->max_requests = read_register(core, CORE_REG_MAX_REQUESTS, &ok);
    info->sub_cores = read_register(core, CORE_REG_SUB_CORES, &ok);
    info->time_bits = read_register(core, CORE_REG_TIME_BITS, &ok);
    if (!ok)
        return heddle_fail(diag, HEDDLE_ERR_BACKEND,
                           "the registers of kernel " CORE_KERNEL_NAME " could not be read");
    if (magic == UINT32_MAX)
        return heddle_fail(diag, HEDDLE_ERR_BACKEND,
                           "all registers of device %u read as ones: the card has left the bus, or "
                           "was never programmed (xbutil examine)",
                           o->device);
    if (magic != CORE_MAGIC)
        return heddle_fail(diag, HEDDLE_ERR_PROTOCOL,
                           "the kernel is no Heddle core: magic 0x%08x instead of 0x%08x", magic,
                           CORE_MAGIC);
    if (info->version != CORE_VERSION)
        return heddle_fail(diag, HEDDLE_ERR_PROTOCOL,
                           "the timing core has version %u, this program speaks version %u: build "
                           "both from the same sources",
                           info->version, CORE_VERSION);
    if (info->build_id != CORE_BUILD_ID)
        return heddle_fail(diag, HEDDLE_ERR_PROTOCOL,
                           "the timing core was made from other tables (build id 0x%08x, this "
                           "program 0x%08x): build both from the same sources",
                           info->build_id, CORE_BUILD_ID);
    if (!info->max_sms || info->max_sms > 256 || !info->max_slices || info->max_slices > 256)
        return heddle_fail(diag, HEDDLE_ERR_PROTOCOL,
                           "the timing core says that it has %u SMs and %u slices", info->max_sms,
                           info->max_slices);
    if (info->time_bits < 16 || info->time_bits > 32)
        return heddle_fail(diag, HEDDLE_ERR_PROTOCOL,
                           "the timing core says that it keeps %u bits of a time", info->time_bits);
    if (o->sub_cores && info->sub_cores != o->sub_cores)
        return heddle_fail(
            diag, HEDDLE_ERR_CONFIG,
            "the GPU's SMs have %u sub-cores (sm.subcores), those of the timing core "
            "in %s have %u: leave --backend out, and the emulation that fits is used",
            o->sub_cores, o->library ? o->library : core_emulation(o->sub_cores), info->sub_cores);
    return HEDDLE_OK;
}

/* Finds the emulation's library: beside the running program, else in ../lib of it, else the plain
 * name, which leaves the search to the loader. Reads /proc/self/exe. */
static void find_emulation(const char *name, char path[PATH_MAX]) {
    static const char *const place[] = {"", "../lib/"};
    char program[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", program, sizeof program - 1);
    char *slash = NULL;
    if (n > 0) {
        program[n] = 0;
        slash = strrchr(program, '/');
    }
    for (int i = 0; slash && i < 2; i++) {
        slash[1] = 0;
        int length = snprintf(path, PATH_MAX, "%s%s%s", program, place[i], name);
        if (length < PATH_MAX && !access(path, R_OK)) return;
    }
    snprintf(path, PATH_MAX, "%s", name);
}

/* Whether a ring may have this many beats. */
static bool is_size(uint32_t beats) {
    return beats >= LEAST_BEATS && !(beats & (beats - 1));
}

/* Opens the device, loads the image on a card, opens the kernel exclusively and creates its run.
 * @return HEDDLE_ERR_BACKEND, with text in diag; core_free() closes what was opened. */
static heddle_err open_device(struct core *core, const struct core_options *o,
                              struct heddle_diag *diag) {
    struct xrt *x = &core->xrt;
    xuid_t uuid;
    errno = 0;
    core->device = x->xrtDeviceOpen(o->device);
    if (!core->device)
        return heddle_fail(
            diag, HEDDLE_ERR_BACKEND,
            "no device %u in %s%s%s: every SM group needs one (the emulation has 16); "
            "is a card there, and does its driver run (heddle doctor)?",
            o->device, o->library ? o->library : core_emulation(o->sub_cores), errno ? ": " : "",
            errno ? strerror(errno) : "");
    if (o->image && x->xrtDeviceLoadXclbinFile(core->device, o->image))
        return heddle_fail(diag, HEDDLE_ERR_BACKEND, "the image %s could not be loaded: %s",
                           o->image, errno ? strerror(errno) : "no reason given");
    if (x->xrtDeviceGetXclbinUUID(core->device, uuid))
        return heddle_fail(diag, HEDDLE_ERR_BACKEND,
                           "device %u holds no image: give one with --image", o->device);
    core->kernel = x->xrtPLKernelOpenExclusive(core->device, uuid, CORE_KERNEL_NAME);
    if (!core->kernel)
        return heddle_fail(diag, HEDDLE_ERR_BACKEND,
                           "the image of device %u has no kernel " CORE_KERNEL_NAME
                           ", or another process uses it",
                           o->device);
    core->run = x->xrtRunOpen(core->kernel);
    if (!core->run) return heddle_fail(diag, HEDDLE_ERR_BACKEND, "xrtRunOpen failed");
    return HEDDLE_OK;
}

/* Loads the library (options->library or the emulation), opens and checks the device, and allocates
 * rings and event lists. Options are read only now. @return HEDDLE_ERR_ARGUMENT (ring sizes, number
 * of sub-cores), BACKEND, PROTOCOL, CONFIG or NOMEM, with text in diag; *out is then NULL, and
 * everything is released. */
heddle_err core_create(struct core **out, const struct core_options *options,
                       struct heddle_diag *diag) {
    struct core *core = heddle_alloc(sizeof *core, "a timing core");
    uint32_t commands = options->command_beats ? options->command_beats : DEFAULT_BEATS;
    uint32_t events = options->event_beats ? options->event_beats : DEFAULT_BEATS;
    *out = NULL;
    core->rings = options->rings;
    core->info.rings_on_card = core->rings == CORE_RINGS_ON_CARD;
    core->advice = options->library && !strcmp(options->library, CORE_CARD_LIBRARY)
                       ? "; `heddle card check` says what of the card works"
                       : "";
    core->timeout_ms = options->run_timeout_ms ? options->run_timeout_ms : CORE_RUN_TIMEOUT_MS;
    heddle_err e = HEDDLE_OK;
    if (!is_size(commands) || !is_size(events))
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT,
                        "ring sizes %u and %u: powers of two of at least %u beats are needed",
                        commands, events, LEAST_BEATS);
    char path[PATH_MAX];
    const char *emulation = core_emulation(options->sub_cores);
    if (!e && !options->library && !emulation)
        e = heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "there is no emulation of SMs with %u sub-cores",
                        options->sub_cores);
    if (!e && !options->library) find_emulation(emulation, path);
    if (!e) e = xrt_load(&core->xrt, options->library ? options->library : path, diag);
    if (!e) e = open_device(core, options, diag);
    if (!e) e = check_identity(core, options, diag);
    if (!e) {
        heddle_err r = ring_create(core, &core->commands, commands, CORE_ARG_COMMAND_RING);
        if (!r) r = ring_create(core, &core->events, events, CORE_ARG_EVENT_RING);
        if (!r) r = ring_create(core, &core->report, 1, CORE_ARG_STATUS);
        if (!r && (core->xrt.xrtRunSetArg(core->run, CORE_ARG_COMMAND_SIZE, commands) ||
                   core->xrt.xrtRunSetArg(core->run, CORE_ARG_EVENT_SIZE, events)))
            r = fail(core, "xrtRunSetArg");
        if (r) {
            if (diag) *diag = core->diag;
            e = r;
        }
    }
    if (!e) {
        core->made.max = core->shown.max = (size_t)events * BEAT_EVENTS;
        core->made.word = malloc(core->made.max * 16);
        core->shown.word = malloc(core->shown.max * 16);
        core->nowhere = malloc((size_t)commands * CORE_BEAT_BYTES / 2);
        if (!core->made.word || !core->shown.word || !core->nowhere)
            e = heddle_fail(diag, HEDDLE_ERR_NOMEM, "out of memory for events");
    }
    if (e) {
        core_free(core);
        return e;
    }
    *out = core;
    return HEDDLE_OK;
}

/* Closes the run, the rings, the kernel and the device, unloads the library, and frees the core;
 * accepts NULL and a core that was partly made. */
void core_free(struct core *core) {
    if (!core) return;
    struct xrt *x = &core->xrt;
    struct ring *ring[] = {&core->commands, &core->events, &core->report};
    if (core->run) x->xrtRunClose(core->run);
    for (int i = 0; i < 3; i++)
        if (ring[i]->buffer) x->xrtBOFree(ring[i]->buffer);
    if (core->kernel) x->xrtKernelClose(core->kernel);
    if (core->device) x->xrtDeviceClose(core->device);
    xrt_unload(x);
    free(core->made.word);
    free(core->shown.word);
    free(core->nowhere);
    free(core);
}

const struct core_info *core_info(const struct core *core) {
    return &core->info;
}

const char *core_error(const struct core *core) {
    return core->diag.text;
}

/* Allocates a buffer on the card for one round trip of the words, and frees it. */
heddle_err core_echo(struct core *core, uint64_t *words, size_t bytes) {
    const struct xrt *x = &core->xrt;
    if (core->failed) return core->failed;
    errno = 0;
    int group = x->xrtKernelArgGroupId(core->kernel, CORE_ARG_COMMAND_RING);
    if (group < 0) return fail(core, "xrtKernelArgGroupId");
    xrtBufferHandle buffer = allocate(core, bytes, group, true);
    if (!buffer) return fail(core, "xrtBOAlloc");
    void *copy = x->xrtBOMap(buffer);
    heddle_err e = copy ? HEDDLE_OK : fail(core, "xrtBOMap");
    if (!e) {
        memcpy(copy, words, bytes);
        if (x->xrtBOSync(buffer, XCL_BO_SYNC_BO_TO_DEVICE, bytes, 0))
            e = fail(core, "xrtBOSync to the card");
    }
    if (!e) {
        memset(copy, 0x5a, bytes); /* shows a copy that did not take place */
        if (x->xrtBOSync(buffer, XCL_BO_SYNC_BO_FROM_DEVICE, bytes, 0))
            e = fail(core, "xrtBOSync from the card");
    }
    if (!e) memcpy(words, copy, bytes);
    x->xrtBOFree(buffer);
    return e;
}

/* ---------------------------------------------------------------------------- runs */

/* Copies beats from .. to of a ring between host and card, in two pieces where they wrap. Does
 * nothing when the ring lies in the host's memory. */
static heddle_err sync_ring(struct core *core, struct ring *ring, uint32_t from, uint32_t to,
                            enum xclBOSyncDirection direction) {
    if (!core->info.rings_on_card) return HEDDLE_OK;
    while (from != to) {
        uint32_t at = from & (ring->beats - 1), n = to - from;
        if (n > ring->beats - at) n = ring->beats - at;
        if (core->xrt.xrtBOSync(ring->buffer, direction, (size_t)n * CORE_BEAT_BYTES,
                                (size_t)at * CORE_BEAT_BYTES))
            return fail(core, "xrtBOSync");
        from += n;
    }
    return HEDDLE_OK;
}

/* Appends the event beat at position core->head to core->made, without its check, and advances both.
 * @return HEDDLE_ERR_PROTOCOL: it is not what the core wrote. */
static heddle_err take_beat(struct core *core) {
    const uint64_t *beat = core->events.words +
                           (size_t)(core->head & (core->events.beats - 1)) * BEAT_WORDS;
    uint64_t *to = core->made.word + 2 * core->made.count;
    memcpy(to, beat, CORE_BEAT_BYTES);
    if (!core_check_events(to, core->head))
        return core->failed = heddle_fail(&core->diag, HEDDLE_ERR_PROTOCOL,
                                          "beat %u of the timing core's events is not what the "
                                          "core wrote: the ring is damaged, or a write was lost%s",
                                          core->head, core->advice);
    for (int i = 0; i < BEAT_EVENTS; i++) core_event_set_check(to + 2 * i, 0);
    core->made.count += BEAT_EVENTS;
    core->head++;
    return HEDDLE_OK;
}

/* Appends to core->made the event beats up to position `written`, less the filler at their end, and
 * advances core->head. core->made grows when a run has filled the ring more than once. @return
 * HEDDLE_ERR_PROTOCOL (more beats than the ring has, or another one than the core wrote), NOMEM or
 * BACKEND, also in core->failed. */
static heddle_err take_events(struct core *core, uint32_t written) {
    struct events *made = &core->made;
    uint32_t beats = written - core->head;
    size_t need = made->count + (size_t)beats * BEAT_EVENTS;
    if (beats > core->events.beats) {
        core->failed = heddle_fail(&core->diag, HEDDLE_ERR_PROTOCOL,
                                   "the timing core wrote %u beats into an event ring of %u", beats,
                                   core->events.beats);
        return core->failed;
    }
    if (need > made->max) {
        uint64_t *more = realloc(made->word, 2 * need * 16);
        if (!more) return core->failed = heddle_fail(&core->diag, HEDDLE_ERR_NOMEM, "events");
        made->word = more;
        made->max = 2 * need;
    }
    heddle_err e = sync_ring(core, &core->events, core->head, written, XCL_BO_SYNC_BO_FROM_DEVICE);
    while (!e && core->head != written) e = take_beat(core);
    if (e) return e;
    while (made->count && core_event_kind(made->word + 2 * (made->count - 1)) == CORE_EV_NONE)
        made->count--;
    return HEDDLE_OK;
}

/* @return the meaning of a fault that the core reports (enum core_fault), for a message; static
 * text. */
static const char *fault_text(uint32_t fault) {
    switch (fault) {
#define FAULT(name, text) \
    case CORE_FAULT_##name: return text
        FAULT(COMMAND, "a command of unknown kind");
        FAULT(REQUEST_POOL, "more requests in flight than the core can hold");
        FAULT(DRAM_ORDER, "memory replies out of order, or for a time that is past");
        FAULT(DRAM_ID, "a memory reply for no request in flight");
        FAULT(PARAMETER, "a parameter that the core is not built for");
        FAULT(REQUEST_ORDER, "requests of an SM or replies of a slice out of order");
        FAULT(REQUEST, "a request for no sector");
        FAULT(LAUNCH, "a Launch for a time that is past, or too far ahead");
        FAULT(BUS, "memory answered a burst of the rings with an error: an uncorrectable error of "
                   "the card's memory, or no memory at that address");
        FAULT(RING, "a beat of the command ring is not the one that the host wrote: the ring is "
                    "damaged, or a write was lost");
#undef FAULT
    }
    return "an unknown fault";
}

/* @return the position behind the last new command that is not Packets. The core must take commands
 * up to there before it simulates; it may take the packets behind them while it runs. */
static uint32_t first_part(const struct core *core) {
    const struct ring *ring = &core->commands;
    uint32_t at = core->tail;
    while (at != core->delivered) {
        const uint64_t *beat = ring->words + (size_t)((at - 1) & (ring->beats - 1)) * BEAT_WORDS;
        uint32_t kind = core_command_kind(beat);
        if (kind != CORE_CMD_PACKETS && kind != CORE_CMD_NONE) break;
        at--;
    }
    return at;
}

/* Writes their checks into the commands that the next run delivers. */
static void complete_commands(const struct core *core) {
    const struct ring *ring = &core->commands;
    for (uint32_t at = core->delivered; at != core->tail; at++)
        core_check_command(ring->words + (size_t)(at & (ring->beats - 1)) * BEAT_WORDS, at);
}

/* @return HEDDLE_ERR_PROTOCOL, also in core->failed: the report is not what the core wrote after
 * the run that was started last. */
static heddle_err check_report(struct core *core) {
    const uint64_t *report = core->report.words;
    const uint32_t run = core_report_run(report);
    if (run != core->runs)
        core->failed = heddle_fail(&core->diag, HEDDLE_ERR_PROTOCOL,
                                   "run %u of the timing core has ended, but its report did not "
                                   "come: there is that of run %u%s",
                                   core->runs, run, core->advice);
    else if (!core_check_events(report, core_report_events(report)))
        core->failed = heddle_fail(&core->diag, HEDDLE_ERR_PROTOCOL,
                                   "the report of run %u is not what the timing core wrote: its "
                                   "buffer is damaged%s",
                                   run, core->advice);
    return core->failed;
}

/* Starts the kernel once and blocks until its end (at most core->timeout_ms): delivers the new
 * commands, appends the events to core->made, and reads from the report how many commands the core
 * has taken. `flags`: CORE_FLAG_*. @return HEDDLE_ERR_PROTOCOL for a fault that the core reports,
 * or a report or events that are not the core's, or the error of XRT, also in core->failed. */
static heddle_err one_run(struct core *core, uint32_t flags) {
    struct xrt *x = &core->xrt;
    complete_commands(core);
    heddle_err e = sync_ring(core, &core->commands, core->delivered, core->tail,
                             XCL_BO_SYNC_BO_TO_DEVICE);
    if (e) return e;
    uint32_t first = first_part(core);
    core->delivered = core->tail;
    errno = 0;
    if (x->xrtRunSetArg(core->run, CORE_ARG_COMMAND_TAIL, core->tail) ||
        x->xrtRunSetArg(core->run, CORE_ARG_EVENT_HEAD, core->head) ||
        x->xrtRunSetArg(core->run, CORE_ARG_RUN_UNTIL, core->run_until) ||
        x->xrtRunSetArg(core->run, CORE_ARG_FLAGS, flags) ||
        x->xrtRunSetArg(core->run, CORE_ARG_COMMAND_FIRST, first))
        return fail(core, "xrtRunSetArg");
    if (x->xrtRunStart(core->run)) return fail(core, "xrtRunStart");
    core->runs++;
    enum ert_cmd_state state = x->xrtRunWaitFor(core->run, core->timeout_ms);
    if (state == ERT_CMD_STATE_TIMEOUT) return fail(core, "waiting for a run (it hangs)");
    if (state != ERT_CMD_STATE_COMPLETED) return fail(core, "xrtRunWaitFor");
    e = sync_ring(core, &core->report, 0, 1, XCL_BO_SYNC_BO_FROM_DEVICE);
    if (!e) e = check_report(core);
    if (e) return e;
    const uint64_t *report = core->report.words;
    core->taken = core_report_commands(report);
    e = take_events(core, core_report_events(report));
    if (!e && core_report_stop(report) == CORE_STOP_FAULT) {
        uint32_t fault = core_report_fault(report);
        e = core->failed = heddle_fail(&core->diag, HEDDLE_ERR_PROTOCOL,
                                       "the timing core stopped at cycle %u: %s",
                                       core_report_reached(report), fault_text(fault));
    }
    return e;
}

/* Repeats one_run() while the core stops for a full event ring, which each run empties. */
static heddle_err run(struct core *core, uint32_t flags) {
    heddle_err e;
    do e = one_run(core, flags);
    while (!e && core_report_stop(core->report.words) == CORE_STOP_EVENTS_FULL);
    return e;
}

/* @return the place in the command ring for `beats` command beats of 8 words, which the caller
 * fills before the next call. A batch wraps by filling the rest of the ring with empty beats.
 * Delivers (a run that simulates nothing; its events go to core->made) when the core has not taken
 * enough old beats. After an error, which may be one of this call and stays in core->failed, the
 * place is core->nowhere. */
uint64_t *core_command(struct core *core, uint32_t beats) {
    struct ring *ring = &core->commands;
    if (beats > ring->beats / 2) {
        if (!core->failed)
            core->failed = heddle_fail(&core->diag, HEDDLE_ERR_ARGUMENT,
                                       "%u command beats at once, the ring has %u", beats,
                                       ring->beats);
        return core->nowhere;
    }
    uint32_t at = core->tail & (ring->beats - 1);
    uint32_t skip = at + beats > ring->beats ? ring->beats - at : 0; /* beats must not wrap */
    if (core->tail + skip + beats - core->taken > ring->beats && !core->failed)
        run(core, CORE_FLAG_DELIVER);
    if (core->failed) return core->nowhere;
    for (; skip; skip--, core->tail++)
        memset(ring->words + (size_t)(core->tail & (ring->beats - 1)) * BEAT_WORDS, 0,
               CORE_BEAT_BYTES);
    uint64_t *place = ring->words + (size_t)(core->tail & (ring->beats - 1)) * BEAT_WORDS;
    core->tail += beats;
    return place;
}

/* Leaves the text of a value above the core's limit in core->diag; the core stays usable. */
static heddle_err refuse(struct core *core, const char *what, uint32_t value, uint32_t limit) {
    return heddle_fail(&core->diag, HEDDLE_ERR_CONFIG,
                       "%u %s: this timing core is built for at most %u", value, what, limit);
}

/* Checks the value of parameter `number` (tables/core_params.def) against the core's limits and
 * appends a Set command. @return HEDDLE_ERR_ARGUMENT (no such parameter) or CONFIG (above a limit),
 * with the text in core->diag and the core usable; or core->failed. */
heddle_err core_set_param(struct core *core, uint32_t number, uint32_t value) {
    if (core->failed) return core->failed;
    if (number >= CORE_NUM_PARAMS)
        return heddle_fail(&core->diag, HEDDLE_ERR_ARGUMENT, "no parameter %u", number);
    if (number == CORE_PARAM_NUM_SM && value > core->info.max_sms)
        return refuse(core, "SMs", value, core->info.max_sms);
    if (number == CORE_PARAM_NUM_SLICES && value > core->info.max_slices)
        return refuse(core, "L2 slices", value, core->info.max_slices);
    if (number == CORE_PARAM_BUFFER_PACKETS && value > core->info.max_packets)
        return refuse(core, "packets per warp", value, core->info.max_packets);
    core_make_set(core_command(core, 1), &(struct core_cmd_set){.param = number, .value = value});
    return core->failed;
}

/* Checks row `id` of the class table against the command's fields and the core's width of time, and
 * appends a Class command. `interval` and `latency`: cycles. @return HEDDLE_ERR_CONFIG, with the
 * text in core->diag and the core usable, or core->failed. */
heddle_err core_set_class(struct core *core, uint32_t id, uint32_t pipe, uint32_t interval,
                          uint32_t latency, uint32_t flags) {
    if (core->failed) return core->failed;
    if (latency > UINT16_MAX || interval > UINT8_MAX || pipe > 15 || flags > 15)
        return heddle_fail(&core->diag, HEDDLE_ERR_CONFIG,
                           "class %u: pipe %u, interval %u, latency %u or flags %u out of range",
                           id, pipe, interval, latency, flags);
    uint32_t bits = core->info.time_bits < 30 ? core->info.time_bits : 30, ahead = 1u << (bits - 3);
    if (latency >= ahead)
        return heddle_fail(&core->diag, HEDDLE_ERR_CONFIG,
                           "class %u: latency %u: this timing core keeps %u bits of a time, and "
                           "nothing may lie %u cycles ahead",
                           id, latency, core->info.time_bits, ahead);
    core_make_class_row(core_command(core, 1),
                        &(struct core_cmd_class_row){
                            .cls = id, .row = latency << 16 | interval << 8 | pipe << 4 | flags});
    return core->failed;
}

/* Delivers the batch and simulates up to core cycle `run_until`, or until a warp starves; blocks.
 * *status: how the run ended (core.h). The new events, with those of deliveries since the last run,
 * which are in core->made already, become core_events(): the two lists swap. @return the sticky
 * error; *status is then untouched. */
heddle_err core_run(struct core *core, uint32_t run_until, struct core_status *status) {
    if (core->failed) return core->failed;
    core->run_until = run_until;
    heddle_err e = run(core, 0);
    if (e) return e;
    struct events shown = core->shown;
    core->shown = core->made;
    core->made = shown;
    core->made.count = 0;
    const uint64_t *report = core->report.words;
    status->stop = (enum core_stop)core_report_stop(report);
    status->parked = status->stop == CORE_STOP_PARKED;
    status->reached = core_report_reached(report);
    status->next = core_report_never(report) ? CORE_NEVER : core_report_next(report);
    return HEDDLE_OK;
}

/* @return the list of the last core_run() itself, two words per event; *count: events. */
const uint64_t *core_events(const struct core *core, size_t *count) {
    *count = core->shown.count;
    return core->shown.word;
}

/* @return the counter, read as two registers over XRT; 0 if the core has failed. A read that fails
 * makes the core fail. */
uint64_t core_counter(struct core *core, enum core_counter number) {
    uint32_t low = 0, high = 0, offset = CORE_COUNTER_BASE + 8 * (uint32_t)number;
    errno = 0;
    if (!core->failed && (core->xrt.xrtKernelReadRegister(core->kernel, offset, &low) ||
                          core->xrt.xrtKernelReadRegister(core->kernel, offset + 4, &high)))
        fail(core, "xrtKernelReadRegister of a counter");
    return core->failed ? 0 : (uint64_t)high << 32 | low;
}

heddle_err core_failed(const struct core *core) {
    return core->failed;
}
