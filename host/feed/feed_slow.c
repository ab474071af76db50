/* feed_slow.c - the packets of a slow path (docs/timing-model.md, slow paths). group_feed.c calls
 * feed_slow_make() for the record of a division or square root, on the thread of its SM group.
 *
 * The parts that lanes of the warp take run one after the other, as on a diverged warp. A step
 * waits for the previous result by its stall count; where that field is too narrow, by the
 * operation's own dependency barrier. While the warp is in the subroutine, only instructions issued
 * before it can hold that barrier as well, so a wait may be too long but never too short. From the
 * last step on, the barrier counts the operation's result. Nothing is kept between calls; only the
 * packets of the arguments are written. */
#include "core_words.h"
#include "feed/feed.h"
#include "mir/mir_slow.h"

enum {
    BARRIER_STALL = 2,     /* cycles until the warp sees a barrier that it has set */
    PREDICATE_LATENCY = 13 /* comparison to use of its predicate, as ptxas stalls for sm_70 */
};

/* @return core cycles from the issue of the step to that of the next. */
static unsigned wait_for(const struct mir_slow_step *step, const uint16_t *latency) {
    unsigned wait = 1;
    if (step->cls == MIR_CLASS_BRANCH) wait = MIR_BRANCH_STALL;
    if (step->cls == MIR_CLASS_BRANCH && latency[step->cls] > wait) wait = latency[step->cls];
    if (step->wait != MIR_SLOW_GO) wait = latency[step->cls];
    if (step->wait == MIR_SLOW_PREDICATE && wait < PREDICATE_LATENCY) wait = PREDICATE_LATENCY;
    return wait;
}

/* Sets the packet's stall count, and do_yield for a long one, as the compiler does. */
static void set_stall(struct feed_packet *p, unsigned stall) {
    core_packet_set_stall(p->w, stall);
    core_packet_set_do_yield(p->w, stall > MIR_YIELD_ABOVE);
}

/* Makes the packets of a record with EXEC_REC_SLOW. packet[0] is the operation's own, which
 * feed_packet_make() has made with its place in the code; it becomes the first step, and a packet
 * is appended for each further step that some lane runs (r->slow_parts), with class, place in the
 * code, and stall count or barrier. `packet` has room for MIR_SLOW_MOST; `latency`: core cycles
 * from issue to result, of each class. @return the number of packets, at least 1. */
unsigned feed_slow_make(struct feed_packet *packet, const struct mir_function *function,
                        const struct exec_record *r, const uint16_t latency[MIR_CLASS_COUNT]) {
    const struct mir_inst *inst = &function->code[r->pc];
    mir_slow slow = mir_slow_of(inst);
    unsigned count, n = 0, waits = 0;
    const struct mir_slow_part *part = mir_slow_parts(slow, &count);
    uint32_t here = core_packet_pc(packet->w), line = here / MIR_CODE_LINE;
    uint32_t behind = here - r->pc + function->slow_at[slow];
    unsigned barrier = inst->wbar == MIR_NO_BARRIER ? 0 : inst->wbar;
    struct feed_packet next = *packet;
    core_packet_set_wait_mask(next.w, 0);
    core_packet_set_wr_bar(next.w, MIR_NO_BARRIER);
    core_packet_set_rd_bar(next.w, MIR_NO_BARRIER);
    core_packet_set_dst(next.w, 0);
    core_packet_set_start(next.w, 0);
    core_packet_set_fetch(next.w, 0);
    core_packet_set_wr_bar(packet->w, MIR_NO_BARRIER);
    core_packet_set_dst(packet->w, 0);
    for (unsigned i = 0; i < count; i++) {
        struct mir_slow_step step;
        bool taken = r->slow_parts >> i & 1;
        for (const char *at = part[i].steps; (at = mir_slow_next(at, &step));) {
            uint32_t pc = part[i].behind ? behind++ : here;
            if (!taken) continue;
            struct feed_packet *p = &packet[n];
            if (n++) {
                *p = next;
                core_packet_set_pc(p->w, pc); /* mod 2^20 */
                core_packet_set_fetch(p->w, core_packet_pc(p->w) / MIR_CODE_LINE != line);
                core_packet_set_wait_mask(p->w, waits);
                line = core_packet_pc(p->w) / MIR_CODE_LINE;
            }
            unsigned stall = wait_for(&step, latency);
            waits = stall > MIR_MOST_STALL ? 1u << barrier : 0;
            if (waits) core_packet_set_wr_bar(p->w, barrier);
            core_packet_set_cls(p->w, step.cls);
            set_stall(p, waits ? BARRIER_STALL : stall);
        }
    }
    struct feed_packet *last = &packet[n - 1];
    core_packet_set_wr_bar(last->w, inst->wbar);
    if (core_packet_stall(last->w) < inst->stall) set_stall(last, inst->stall);
    return n;
}
