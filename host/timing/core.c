/* core.c - one instance of the timing core, over the functions of XRT: its life, its parameters and
 * its counters; contracts in core.h. core_run.c has the rings, the runs and their events.
 *
 * An SM group (group.c) owns a core: it creates it on the driving thread of the fabric and runs it
 * on the thread that simulates the group. Unit tests call it as well. Cores share nothing.
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
#include "timing/core_command.h"
#include "timing/core_internal.h"

enum {
    DEFAULT_BEATS = 4096, /* size of a ring */
    LEAST_BEATS = 64,
};

/* ---------------------------------------------------------------------------- life */

/* A buffer in the memory bank of the kernel's argument `arg`, on the card or in the host's memory.
 * @return NULL: XRT has none, errno says why. */
static xrtBufferHandle allocate(const struct core *core, size_t bytes, int group, bool on_card) {
    return core->xrt.xrtBOAlloc(core->device, bytes, on_card ? 0 : XRT_BO_FLAGS_HOST_ONLY,
                                (xrtMemoryGroup)group);
}

/* Allocates, maps and zeroes a buffer of `beats` beats, for argument number `arg` of the kernel.
 * core_free() frees it, after an error as well. */
static heddle_err ring_create(struct core *core, struct ring *ring, uint32_t beats, int arg) {
    const size_t used = (size_t)beats * CORE_BEAT_BYTES, bytes = used < 4096 ? 4096 : used;
    bool *on_card = &core->info.rings_on_card;
    int group = core->xrt.xrtKernelArgGroupId(core->kernel, arg);
    if (group < 0) return core_fail(core, "xrtKernelArgGroupId");
    ring->beats = beats;
    ring->buffer = allocate(core, bytes, group, *on_card);
    if (!ring->buffer && core->rings == CORE_RINGS_ANY && ring == &core->commands) {
        errno = 0; /* the card does not reach the host's memory: no error, if its own is there */
        *on_card = true;
        ring->buffer = allocate(core, bytes, group, *on_card);
    }
    if (!ring->buffer) return core_fail(core, "xrtBOAlloc");
    ring->words = core->xrt.xrtBOMap(ring->buffer);
    if (!ring->words) return core_fail(core, "xrtBOMap");
    memset(ring->words, 0, used);
    return HEDDLE_OK;
}

/* Creates a run of the kernel with a report of its own, and sets the arguments that stay. */
static heddle_err flight_create(struct core *core, struct core_flight *flight) {
    const struct xrt *x = &core->xrt;
    heddle_err e = ring_create(core, &flight->report, 1, CORE_ARG_STATUS);
    if (e) return e;
    flight->run = x->xrtRunOpen(core->kernel);
    if (!flight->run) return core_fail(core, "xrtRunOpen");
    if (x->xrtRunSetArg(flight->run, CORE_ARG_COMMAND_RING, core->commands.buffer) ||
        x->xrtRunSetArg(flight->run, CORE_ARG_EVENT_RING, core->events.buffer) ||
        x->xrtRunSetArg(flight->run, CORE_ARG_STATUS, flight->report.buffer) ||
        x->xrtRunSetArg(flight->run, CORE_ARG_COMMAND_SIZE, core->commands.beats) ||
        x->xrtRunSetArg(flight->run, CORE_ARG_EVENT_SIZE, core->events.beats))
        return core_fail(core, "xrtRunSetArg");
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
#define SHAPE(number, emulation, reference) \
    case number:                            \
        return emulation;
#include "tables/core_shapes.def"
#undef SHAPE
    }
    return NULL;
}

/* The same for the reference model. */
const char *core_reference(uint32_t sub_cores) {
    switch (sub_cores) {
#define SHAPE(number, emulation, reference) \
    case number:                            \
        return reference;
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

/* Opens the device, or the first one that is not in use, into core->device. @return false: there is
 * none; errno says why. */
static bool find_device(struct core *core, unsigned device) {
    const bool any = device == CORE_ANY_DEVICE;
    for (unsigned i = any ? 0 : device; !core->device; i++) {
        errno = 0;
        core->device = core->xrt.xrtDeviceOpen(i);
        if (!any || errno != EBUSY) break;
    }
    return core->device != NULL;
}

/* Opens the device, loads the image on a card, and opens the kernel exclusively.
 * @return HEDDLE_ERR_BACKEND, with text in diag; core_free() closes what was opened. */
static heddle_err open_device(struct core *core, const struct core_options *o,
                              struct heddle_diag *diag) {
    struct xrt *x = &core->xrt;
    xuid_t uuid;
    if (!find_device(core, o->device) && o->device == CORE_ANY_DEVICE)
        return heddle_fail(diag, HEDDLE_ERR_BACKEND,
                           "no device in %s is free: every SM group needs one (the emulation has "
                           "64)%s%s",
                           o->library ? o->library : core_emulation(o->sub_cores),
                           errno ? ": " : "", errno ? strerror(errno) : "");
    if (!core->device)
        return heddle_fail(
            diag, HEDDLE_ERR_BACKEND,
            "no device %u in %s%s%s: every SM group needs one (the emulation has 64); "
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
    core->pace.round_trip = options->round_trip;
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
        for (int i = 0; i < CORE_FLIGHTS && !r; i++) r = flight_create(core, &core->flight[i]);
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
    if (!e && options->policy &&
        (!core->xrt.policy || core->xrt.policy(core->kernel, options->policy) != 0))
        e = heddle_fail(diag, HEDDLE_ERR_CONFIG,
                        "the timing core in %s takes no policies of plug-ins: the reference model "
                        "does (--timing reference)",
                        options->library ? options->library : emulation);
    if (e) {
        core_free(core);
        return e;
    }
    *out = core;
    return HEDDLE_OK;
}

/* Closes the runs, the rings, the kernel and the device, unloads the library, and frees the core;
 * accepts NULL and a core that was partly made. */
void core_free(struct core *core) {
    if (!core) return;
    struct xrt *x = &core->xrt;
    if (core_ground(core)) { /* else the kernel still uses its buffers: they stay */
        for (int i = 0; i < CORE_FLIGHTS; i++) {
            if (core->flight[i].run) x->xrtRunClose(core->flight[i].run);
            if (core->flight[i].report.buffer) x->xrtBOFree(core->flight[i].report.buffer);
        }
        if (core->commands.buffer) x->xrtBOFree(core->commands.buffer);
        if (core->events.buffer) x->xrtBOFree(core->events.buffer);
    }
    if (core->kernel) x->xrtKernelClose(core->kernel);
    if (core->device) x->xrtDeviceClose(core->device);
    xrt_unload(x);
    free(core->made.word);
    free(core->shown.word);
    free(core->nowhere);
    free(core);
}

bool core_set_watch(struct core *core, const struct core_watch *watch) {
    return core->xrt.watch && core->xrt.watch(core->kernel, watch) == 0;
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
    if (group < 0) return core_fail(core, "xrtKernelArgGroupId");
    xrtBufferHandle buffer = allocate(core, bytes, group, true);
    if (!buffer) return core_fail(core, "xrtBOAlloc");
    void *copy = x->xrtBOMap(buffer);
    heddle_err e = copy ? HEDDLE_OK : core_fail(core, "xrtBOMap");
    if (!e) {
        memcpy(copy, words, bytes);
        if (x->xrtBOSync(buffer, XCL_BO_SYNC_BO_TO_DEVICE, bytes, 0))
            e = core_fail(core, "xrtBOSync to the card");
    }
    if (!e) {
        memset(copy, 0x5a, bytes); /* shows a copy that did not take place */
        if (x->xrtBOSync(buffer, XCL_BO_SYNC_BO_FROM_DEVICE, bytes, 0))
            e = core_fail(core, "xrtBOSync from the card");
    }
    if (!e) memcpy(words, copy, bytes);
    x->xrtBOFree(buffer);
    return e;
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

/* @return the counter, read as two registers over XRT; 0 if the core has failed. A read that fails
 * makes the core fail. */
uint64_t core_counter(struct core *core, enum core_counter number) {
    uint32_t low = 0, high = 0, offset = CORE_COUNTER_BASE + 8 * (uint32_t)number;
    if (core_land_all(core)) return 0;
    errno = 0;
    if ((core->xrt.xrtKernelReadRegister(core->kernel, offset, &low) ||
         core->xrt.xrtKernelReadRegister(core->kernel, offset + 4, &high)))
        core_fail(core, "xrtKernelReadRegister of a counter");
    return core->failed ? 0 : (uint64_t)high << 32 | low;
}

uint64_t core_waits(const struct core *core) {
    return core->pace.waits;
}

heddle_err core_failed(const struct core *core) {
    return core->failed;
}
