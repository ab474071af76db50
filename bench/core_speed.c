/* core_speed.c - speed of the timing core through its host interface (core.h), including ring
 * traffic. Part 1 sends packets of FFMA; parts 2 and 3 mix in loads that hit and miss L2.
 *
 *   core_speed [library [packets per warp]]
 *
 * Prints warp instructions per second, clocks of the core per warp instruction, nanoseconds per
 * clock. This file plays the host: it feeds packets and answers memory reads after 200 cycles. One
 * thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "timing/core.h"
#include "timing/core_command.h"

enum { NUM_SM = 80, NUM_WARPS = 64, ROOM = 64, LINE_ROOM = 64, WORDS = 3, ANSWER = 200, STEP = 64 };
enum { CLASS_FFMA = 2, CLASS_MEMORY = 9, PIPE_FP32 = 1, PIPE_MIO = 9 };

/* Packets and line words of a warp number. */
struct warp {
    unsigned sent, consumed, lines_sent, lines_consumed; /* since reset */
};

/* A run. */
struct bench {
    struct core *core;
    unsigned length; /* packets per warp */
    unsigned period; /* packets from one load to the next, 0: no loads */
    unsigned lines;  /* lines that the loads of all warps touch */
    struct warp warp[NUM_SM][NUM_WARPS];
    uint64_t ends, sent; /* CTAs that ended, packets sent */
    struct reply {       /* answers of memory that are due */
        uint32_t slice, id, at;
    } * reply;
    size_t replies, max_replies;
};

/* CPU seconds of this process. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* CPU time: the machine may be shared */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Whether packet n of a warp is a load. */
static bool is_load(const struct bench *b, unsigned n) {
    return b->period && n % b->period == 0 && n + 1 < b->length;
}

/* Writes packet n of a warp into *w. */
static void packet(const struct bench *b, uint64_t *w, unsigned n) {
    bool last = n + 1 == b->length, load = is_load(b, n);
    core_packet_set_cls(w, load ? CLASS_MEMORY : CLASS_FFMA);
    core_packet_set_stall(w, load ? 2 : 1);
    core_packet_set_wr_bar(w, load ? 0 : 7);
    core_packet_set_rd_bar(w, 7);
    core_packet_set_wait_mask(w, last ? 0x7f : b->period && n % b->period == b->period - 1 ? 1 : 0);
    core_packet_set_last(w, last);
    core_packet_set_mem(w, load ? CORE_MEM_LOAD : 0);
    core_packet_set_lines(w, load);
}

/* Sends commands that fill up a warp's buffers; the line word of a load precedes its packet. */
static void feed(struct bench *b, unsigned sm, unsigned warp) {
    struct warp *w = &b->warp[sm][warp];
    uint64_t *beat = NULL;
    unsigned words = 0, types = 0;
    while (w->sent < b->length && w->sent - w->consumed < ROOM &&
           w->lines_sent - w->lines_consumed < LINE_ROOM) {
        bool load = is_load(b, w->sent);
        for (int part = load ? 0 : 1; part < 2; part++) {
            if (!words) {
                beat = core_command(b->core, 1);
                core_make_packets(beat, &(struct core_cmd_packets){.sm = sm, .warp = warp});
            }
            uint64_t *word = beat + CORE_BEAT_PAYLOAD + 2 * words;
            if (part == 0) {
                uint32_t line = (w->lines_sent * NUM_SM * NUM_WARPS + sm * NUM_WARPS + warp) %
                                b->lines;
                core_line_set_addr(word, line);
                core_line_set_sectors(word, 15);
                core_line_set_turns(word, 32);
                core_line_set_step(word, 1);
                types |= 1u << 2 * words;
                w->lines_sent++;
            } else {
                packet(b, word, w->sent++);
                b->sent++;
            }
            if (++words == WORDS) {
                core_command_set_words(beat, words);
                core_command_set_types(beat, types);
                words = types = 0;
            }
        }
    }
    if (words) {
        core_command_set_words(beat, words);
        core_command_set_types(beat, types);
    }
}

/* Handles an event of the core: refills buffers, counts ended CTAs, queues answers of memory. */
static void handle(struct bench *b, const uint64_t *ev) {
    switch (core_event_kind(ev)) {
    case CORE_EV_WANT: {
        struct core_ev_credit c = core_read_credit(ev);
        struct warp *w = &b->warp[c.sm][c.warp];
        w->consumed += (uint16_t)(c.packets - w->consumed);
        w->lines_consumed += (uint16_t)(c.lines - w->lines_consumed);
        feed(b, c.sm, c.warp);
        break;
    }
    case CORE_EV_CTA_DONE: b->ends++; break;
    case CORE_EV_DRAM_READ: {
        if (b->replies == b->max_replies) {
            b->max_replies = b->max_replies ? 2 * b->max_replies : 1024;
            b->reply = realloc(b->reply, b->max_replies * sizeof *b->reply);
        }
        struct core_ev_dram_read read = core_read_dram_read(ev);
        b->reply[b->replies++] = (struct reply){read.slice, read.id, core_event_at(ev) + ANSWER};
        break;
    }
    default: break;
    }
}

/* Sends all queued answers of memory. */
static void answer(struct bench *b) {
    for (size_t i = 0; i < b->replies; i++)
        core_make_dram_reply(core_command(b->core, 1),
                             &(struct core_cmd_dram_reply){.slice = b->reply[i].slice,
                                                           .id = b->reply[i].id,
                                                           .at = b->reply[i].at});
    b->replies = 0;
}

/* Runs one part to the end of all CTAs and prints a line. @return 1 after an error. */
static int run_part(const char *name, const char *library, unsigned length, unsigned period,
                    unsigned lines) {
    struct core_options options = {.library = library, .sub_cores = 4};
    struct heddle_diag diag;
    struct bench *b = calloc(1, sizeof *b);
    b->length = length;
    b->period = period;
    b->lines = lines ? lines : 1;
    if (core_create(&b->core, &options, &diag)) {
        fprintf(stderr, "%s\n", diag.text);
        return 1;
    }
    core_set_param(b->core, CORE_PARAM_NUM_SM, NUM_SM);
    core_set_class(b->core, CLASS_FFMA, PIPE_FP32, 2, 4, 0);
    core_set_class(b->core, CLASS_MEMORY, PIPE_MIO, 2, 4, 0);
    for (unsigned sm = 0; sm < NUM_SM; sm++)
        for (unsigned w = 0; w < NUM_WARPS; w++)
            core_make_launch(core_command(b->core, 1),
                             &(struct core_cmd_launch){
                                 .sm = sm, .warp = w, .slot = w / 32, .warps = 32, .at = 10});
    for (unsigned sm = 0; sm < NUM_SM; sm++)
        for (unsigned w = 0; w < NUM_WARPS; w++) feed(b, sm, w);
    double begin = now();
    uint64_t runs = 0;
    uint32_t until = STEP;
    while (b->ends < NUM_SM * NUM_WARPS / 32) {
        struct core_status status;
        size_t count;
        if (core_run(b->core, until, &status)) {
            fprintf(stderr, "%s\n", core_error(b->core));
            return 1;
        }
        const uint64_t *ev = core_events(b->core, &count);
        for (size_t i = 0; i < count; i++) handle(b, ev + 2 * i);
        answer(b);
        runs++;
        if (!status.parked) until += STEP;
    }
    double seconds = now() - begin;
    uint64_t issued = core_counter(b->core, CORE_COUNTER_ISSUED);
    uint64_t clocks = core_counter(b->core, CORE_COUNTER_CLOCKS);
    printf("%-12s %9lu warp instructions, %6u cycles, %6.2f M/s, %5.2f clocks each, %5.1f ns per "
           "clock, %lu runs, %lu windows, L2 %lu sectors\n",
           name, issued, until, (double)issued / seconds / 1e6, (double)clocks / (double)issued,
           seconds / (double)clocks * 1e9, runs, core_counter(b->core, CORE_COUNTER_WINDOWS),
           core_counter(b->core, CORE_COUNTER_L2_ACCESSES));
    core_free(b->core);
    free(b->reply);
    free(b);
    return 0;
}

int main(int argc, char **argv) {
    const char *library = argc > 1 ? argv[1] : NULL;
    unsigned length = argc > 2 ? (unsigned)atoi(argv[2]) : 400;
    int failed = run_part("FFMA", library, length, 0, 0);
    failed |= run_part("load L2 hit", library, length / 4, 8, 20000);
    failed |= run_part("load DRAM", library, length / 4, 8, 4000000);
    return failed;
}
