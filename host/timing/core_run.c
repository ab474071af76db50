/* core_run.c - the rings and the runs of a timing core, over the functions of XRT; contracts in
 * core.h.
 *
 * The host writes command beats of 64 bytes into one ring, the core writes event beats into
 * another, and each run its report into a buffer of one beat. A run is one start of the kernel
 * through XRT: its arguments say how far the command ring is filled, how far the event ring is
 * read, and up to which core cycle to simulate. XRT begins a run that is started while another one
 * is under way when that one has ended; so the host can look at the events of a run while the core
 * is busy with the next.
 *
 * Ring positions (tail, delivered, taken, head) count beats since reset modulo 2^32; a position
 * modulo the ring's size is its place. Every beat carries a check of its contents and its position
 * (core_check.h), which the other side verifies, and every report the number of its run: a beat
 * that was damaged, lost or delivered late ends the simulation, with a message. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "timing/core_check.h"
#include "timing/core_command.h"
#include "timing/core_internal.h"

enum { GROUND_MS = 1000 }; /* that the end of a core waits for its last runs */

heddle_err core_fail(struct core *core, const char *what) {
    core->failed = heddle_fail(&core->diag, HEDDLE_ERR_BACKEND, "timing core: %s failed%s%s%s",
                               what, errno ? ": " : "", errno ? strerror(errno) : "", core->advice);
    return core->failed;
}

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
            return core_fail(core, "xrtBOSync");
        from += n;
    }
    return HEDDLE_OK;
}

/* Appends the event beat at position core->head to core->made, without its check; advances both.
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

/* Finds the position behind the last command that is not Packets, new or old. The core must take
 * commands up to there before it simulates; it may take the packets behind them while it runs, and
 * leave some of them for the next run. */
static void find_first_part(struct core *core) {
    const struct ring *ring = &core->commands;
    uint32_t at = core->tail;
    while (at != core->delivered) {
        const uint64_t *beat = ring->words + (size_t)((at - 1) & (ring->beats - 1)) * BEAT_WORDS;
        uint32_t kind = core_command_kind(beat);
        if (kind != CORE_CMD_PACKETS && kind != CORE_CMD_NONE) break;
        at--;
    }
    if (at != core->delivered)
        core->first = at;
    else if ((int32_t)(core->first - core->taken) < 0) /* never farther behind than half of all */
        core->first = core->taken;
}

/* Writes their checks into the commands that the next run delivers. */
static void complete_commands(const struct core *core) {
    const struct ring *ring = &core->commands;
    for (uint32_t at = core->delivered; at != core->tail; at++)
        core_check_command(ring->words + (size_t)(at & (ring->beats - 1)) * BEAT_WORDS, at);
}

/* Starts the kernel once: delivers the new commands. `flags`: CORE_FLAG_*. Fewer than CORE_FLIGHTS
 * runs are under way. @return the error of XRT, also in core->failed. */
static heddle_err launch(struct core *core, uint32_t flags) {
    const struct xrt *x = &core->xrt;
    complete_commands(core);
    heddle_err e = sync_ring(core, &core->commands, core->delivered, core->tail,
                             XCL_BO_SYNC_BO_TO_DEVICE);
    if (e) return e;
    struct core_flight *flight = &core->flight[(core->started + 1) % CORE_FLIGHTS];
    find_first_part(core);
    core->delivered = core->tail;
    errno = 0;
    if (x->xrtRunSetArg(flight->run, CORE_ARG_COMMAND_TAIL, core->tail) ||
        x->xrtRunSetArg(flight->run, CORE_ARG_EVENT_HEAD, core->head) ||
        x->xrtRunSetArg(flight->run, CORE_ARG_RUN_UNTIL, core->run_until) ||
        x->xrtRunSetArg(flight->run, CORE_ARG_FLAGS, flags) ||
        x->xrtRunSetArg(flight->run, CORE_ARG_COMMAND_FIRST, core->first))
        return core_fail(core, "xrtRunSetArg");
    if (x->xrtRunStart(flight->run)) return core_fail(core, "xrtRunStart");
    core->started++;
    flight->flies = true;
    flight->from = core_pace_start(&core->pace);
    return HEDDLE_OK;
}

/* @return HEDDLE_ERR_PROTOCOL, also in core->failed: the report is not what the core wrote after
 * the run that landed last. */
static heddle_err check_report(struct core *core) {
    const uint64_t *report = core->report;
    const uint32_t run = core_report_run(report);
    if (run != core->landed)
        core->failed = heddle_fail(&core->diag, HEDDLE_ERR_PROTOCOL,
                                   "run %u of the timing core has ended, but its report did not "
                                   "come: there is that of run %u%s",
                                   core->landed, run, core->advice);
    else if (!core_check_events(report, core_report_events(report)))
        core->failed = heddle_fail(&core->diag, HEDDLE_ERR_PROTOCOL,
                                   "the report of run %u is not what the timing core wrote: its "
                                   "buffer is damaged%s",
                                   run, core->advice);
    return core->failed;
}

/* Blocks until the end of the oldest run (at most core->timeout_ms), appends its events to
 * core->made, and reads from its report how many commands the core has taken. @return
 * HEDDLE_ERR_PROTOCOL for a fault that the core reports, or a report or events that are not the
 * core's, or the error of XRT, also in core->failed. */
static heddle_err land(struct core *core) {
    struct core_flight *flight = &core->flight[++core->landed % CORE_FLIGHTS];
    errno = 0;
    enum ert_cmd_state state = core->xrt.xrtRunWaitFor(flight->run, core->timeout_ms);
    if (state == ERT_CMD_STATE_TIMEOUT) return core_fail(core, "waiting for a run (it hangs)");
    flight->flies = false;
    if (state != ERT_CMD_STATE_COMPLETED) return core_fail(core, "xrtRunWaitFor");
    heddle_err e = sync_ring(core, &flight->report, 0, 1, XCL_BO_SYNC_BO_FROM_DEVICE);
    const uint64_t *report = core->report = flight->report.words;
    if (!e) e = check_report(core);
    if (e) return e;
    core_pace_end(&core->pace, flight->from, core_report_clocks(report));
    core->taken = core_report_commands(report);
    /* A fault counts before the events, which may not have arrived for that reason; one that came
     * with the last of them did not stop the run. */
    const uint32_t fault = core_report_fault(report);
    if (fault == CORE_FAULT_NONE) {
        e = take_events(core, core_report_events(report));
    } else {
        e = core->failed = heddle_fail(&core->diag, HEDDLE_ERR_PROTOCOL,
                                       "the timing core stopped at cycle %u: %s",
                                       core_report_reached(report), fault_text(fault));
    }
    return e;
}

bool core_ground(struct core *core) {
    bool all = true;
    for (int i = 0; i < CORE_FLIGHTS; i++) {
        struct core_flight *flight = &core->flight[i];
        if (flight->flies) /* an end with an error is an end */
            flight->flies = core->xrt.xrtRunWaitFor(flight->run, GROUND_MS) ==
                            ERT_CMD_STATE_TIMEOUT;
        all &= !flight->flies;
    }
    return all;
}

heddle_err core_land_all(struct core *core) {
    while (!core->failed && core->landed != core->started) land(core);
    return core->failed;
}

/* Waits for all runs, and repeats the last one while it stops for a full event ring, which its end
 * empties. `more`: there is one to be started first. */
static heddle_err run_out(struct core *core, bool more, uint32_t flags) {
    core_land_all(core);
    while (!core->failed && (more || core_report_stop(core->report) == CORE_STOP_EVENTS_FULL)) {
        more = false;
        if (!launch(core, flags)) land(core);
    }
    return core->failed;
}

/* @return the place in the command ring for `beats` command beats of 8 words, which the caller
 * fills before the next call. A batch wraps by filling the rest of the ring with empty beats. When
 * the core has not taken enough old beats, waits for the runs under way, and then delivers (a run
 * that simulates nothing); events go to core->made. After an error, which may be one of this call
 * and stays in core->failed, the place is core->nowhere. */
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
    const uint32_t need = core->tail + skip + beats - ring->beats;   /* so many must be taken */
    if ((int32_t)(need - core->taken) > 0) core_land_all(core);
    if ((int32_t)(need - core->taken) > 0 && !core->failed) run_out(core, true, CORE_FLAG_DELIVER);
    if (core->failed) return core->nowhere;
    for (; skip; skip--, core->tail++)
        memset(ring->words + (size_t)(core->tail & (ring->beats - 1)) * BEAT_WORDS, 0,
               CORE_BEAT_BYTES);
    uint64_t *place = ring->words + (size_t)(core->tail & (ring->beats - 1)) * BEAT_WORDS;
    core->tail += beats;
    return place;
}

bool core_has_commands(const struct core *core) {
    return core->tail != core->delivered;
}

unsigned core_under_way(const struct core *core) {
    return core->untold;
}

heddle_err core_start(struct core *core, uint32_t run_until) {
    if (core->failed) return core->failed;
    if (core->untold == CORE_FLIGHTS)
        return core->failed = heddle_fail(&core->diag, HEDDLE_ERR_ARGUMENT,
                                          "more than %d runs at once", CORE_FLIGHTS);
    core->run_until = run_until;
    core->untold++;
    return launch(core, 0);
}

/* The new events, with those of deliveries since the last call, which are in core->made already,
 * become core_events(): the two lists swap. A run that core_command() has waited for has ended
 * before; then the report may be that of a later one, which says more. */
heddle_err core_finish(struct core *core, struct core_status *status) {
    if (!core->failed && !core->untold)
        core->failed = heddle_fail(&core->diag, HEDDLE_ERR_ARGUMENT, "no run is under way");
    if (!core->failed && core->started - core->landed == core->untold) land(core);
    if (!core->failed && core->landed == core->started) run_out(core, false, 0);
    if (core->failed) return core->failed;
    core->untold--;
    struct events shown = core->shown;
    core->shown = core->made;
    core->made = shown;
    core->made.count = 0;
    const uint64_t *report = core->report;
    status->stop = (enum core_stop)core_report_stop(report);
    status->parked = status->stop == CORE_STOP_PARKED;
    status->reached = core_report_reached(report);
    status->next = core_report_never(report) ? CORE_NEVER : core_report_next(report);
    return HEDDLE_OK;
}

heddle_err core_run(struct core *core, uint32_t run_until, struct core_status *status) {
    heddle_err e = core_start(core, run_until);
    return e ? e : core_finish(core, status);
}

/* @return the list of the last core_finish() itself, two words per event; *count: events. */
const uint64_t *core_events(const struct core *core, size_t *count) {
    *count = core->shown.count;
    return core->shown.word;
}
