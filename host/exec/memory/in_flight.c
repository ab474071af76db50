/* in_flight.c - posted and pending operations of a warp in a timed launch, and what has to wait for
 * them; executes CS2R in all launches.
 *
 * The interpreter and operations call it on the thread that runs the warp; the SM group
 * (timing/group_feed.c) calls exec_complete() there when the timing model has performed an
 * operation. Functions read and write the warp: its operations in flight, wait state and sectors.
 * Those that return EX_HELD also set its status and the wait bits for exec_warp_wait(). None takes
 * a lock.
 *
 * Two kinds of state are kept apart. `inflight_*` says what is in flight. It depends on how far
 * timing has come, and decides only whether the warp can run on functionally. The wait bits of
 * records depend on program order alone: `posted` counts since the last drain, `pending_sb` holds
 * the dependency barriers of pending operations that no instruction has waited for since. So an
 * instruction that must wait says so in its record even if the operation was performed long ago. */
#include <string.h>

#include "exec/memory/in_flight.h"
#include "exec/memory/matrix_rows.h"
#include "exec/check/fault.h"
#include "exec/check/global_race.h"
#include "exec/memory/perform.h"
#include "exec/warp/operand_macros.h"
#include "exec/warp/cta_pool.h"
#include "exec/warp/record.h"

/* Sets w->attention: nonzero while any operation is in flight or not waited for. */
static void update_attention(struct exec_warp *w) {
    w->attention = w->inflight_all | w->posted | w->pending_sb;
}

/* ---- the set of sectors touched since the last drain */

/* Key of a sector of shared or global memory in the set, never 0. */
static uint64_t sector_tag(uint8_t space, uint64_t address) {
    return (address / EXEC_SECTOR) << 1 | (space == MIR_SPACE_SHARED) | UINT64_C(1) << 63;
}
/* First place to look for a key. */
static uint32_t sector_slot(uint64_t tag) {
    return (uint32_t)(tag * UINT64_C(0x9e3779b97f4a7c15) >> 55) & (SECTORS_SLOTS - 1);
}
/* Whether the key is in the set. */
static bool sectors_has(const struct exec_sectors *s, uint64_t tag) {
    for (uint32_t i = sector_slot(tag); s->tag[i]; i = (i + 1) & (SECTORS_SLOTS - 1))
        if (s->tag[i] == tag) return true;
    return false;
}
/* Adds a key, once. The caller has made sure that there is room (SECTORS_MAX). */
static void sectors_add(struct exec_sectors *s, uint64_t tag) {
    uint32_t i = sector_slot(tag);
    for (; s->tag[i]; i = (i + 1) & (SECTORS_SLOTS - 1))
        if (s->tag[i] == tag) return;
    s->tag[i] = tag;
    s->used[s->count++] = (uint16_t)i;
}
/* Empties the set. */
static void sectors_clear(struct exec_sectors *s) {
    while (s->count) s->tag[s->used[--s->count]] = 0;
}

/* ---- waiting */

/* Stops the warp: sets its status, the operations it waits for (all or any of them), and the wait
 * bits for exec_warp_wait(). @return EX_HELD. */
static exec_code held(struct exec_warp *w, exec_status status, uint32_t inflight, bool all,
                      uint8_t hold) {
    w->status = status;
    w->wait_inflight = inflight;
    w->wait_all = all;
    w->hold = hold;
    return EX_HELD;
}

/* True if two ranges of registers, by byte offset and number of words, have one in common. */
static bool overlap(uint32_t a, uint32_t a_words, uint32_t b, uint32_t b_words) {
    return a < b + b_words * sizeof(warp_reg) && b < a + a_words * sizeof(warp_reg);
}
/* True if op reads or writes a register that the pending operation will write. */
static bool touches(const struct exec_op *op, const struct exec_op *pending) {
    if (op->dst_words && overlap(op->dst, op->dst_words, pending->dst, pending->dst_words))
        return true;
    for (unsigned i = 0; i < MIR_MAX_SRC; i++)
        if (op->src_base[i] == BASE_REGS &&
            overlap(op->src[i], op->src_words[i], pending->dst, pending->dst_words))
            return true;
    return false;
}

/* Notes that, in program order, these dependency barriers have been waited for, and posted
 * operations too if `drained`. Clears the set of sectors when nothing is left. */
static void waited(struct exec_warp *w, uint8_t barriers, bool drained) {
    w->pending_sb &= (uint8_t)~barriers;
    w->acquire_sb &= (uint8_t)~barriers;
    if (!w->pending_sb) w->pending = 0;
    if (drained) w->posted = 0;
    if (w->sectors && !w->pending_sb && !w->posted) sectors_clear(w->sectors);
    update_attention(w);
}

/* The interpreter calls it before any instruction while w->attention is set. Waits for pending
 * operations whose result op reads or overwrites in lanes of mask; notes the dependency barriers
 * that op waits for. @return EX_NEXT, or EX_HELD: op must not be executed yet. */
exec_code exec_hazard(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (w->pending_sb & op->wait) waited(w, op->wait, false);
    uint32_t blocking = 0;
    EACH_SET(s, w->inflight_pending) {
        const struct exec_inflight *inflight = w->inflight[s];
        if (inflight->lanes & mask && touches(op, inflight->op)) blocking |= UINT32_C(1) << s;
    }
    return blocking ? held(w, EXEC_WAIT_INFLIGHT, blocking, true, op->wait) : EX_NEXT;
}

/* Waits for the posted operations (drain) and the barriers of `sb`; functionally also for the
 * operations of `need` and for `room` free numbers. Once nothing holds the warp up, notes the wait
 * (waited()) and sets *wait to the record's wait bits. */
static exec_code wait_for(struct exec_warp *w, const struct exec_op *op, bool drain, uint8_t sb,
                          uint32_t need, unsigned room, uint8_t *wait) {
    uint8_t bits = (sb & 0x3f) | (drain ? EXEC_WAIT_POSTED : 0), hold = op->wait | bits;
    uint32_t posted = w->inflight_all & ~w->inflight_pending;
    if (drain && posted) return held(w, EXEC_WAIT_DRAIN, posted, true, hold);
    if (need & w->inflight_all)
        return held(w, EXEC_WAIT_INFLIGHT, need & w->inflight_all, true, hold);
    if (EXEC_MAX_INFLIGHT - (unsigned)__builtin_popcount(w->inflight_all) < room)
        return held(w, EXEC_WAIT_INFLIGHT, w->inflight_all, false, hold);
    waited(w, bits & 0x3f, drain);
    *wait = bits;
    return EX_NEXT;
}

/* A fence, barrier or exit waits for pending operations, with HAZARD_DRAIN in `what` for posted
 * ones, with HAZARD_CLOCKS for clock registers. @return EX_NEXT, with *wait set to the record's
 * wait bits, or EX_HELD. */
exec_code exec_order_point(struct exec_warp *w, const struct exec_op *op, unsigned what,
                           uint8_t *wait) {
    *wait = 0;
    if (!w->attention) return EX_NEXT;
    uint32_t need = w->inflight_pending;
    if (!(what & HAZARD_CLOCKS)) need &= ~w->inflight_clock;
    return wait_for(w, op, what & HAZARD_DRAIN && w->posted, w->pending_sb, need, 0, wait);
}

/* Decides what a memory instruction waits for: release, acquire, limits on posted and pending
 * operations, and earlier operations on the same sectors. Then waits (wait_for()). `address` holds
 * the lanes' addresses, as offsets in shared memory. @return EX_NEXT, with *wait set to the
 * record's wait bits and numbers free for all parts, or EX_HELD. */
exec_code exec_order_access(struct exec_warp *w, const struct exec_op *op,
                            const struct exec_part *part, unsigned parts, const uint64_t *address,
                            uint8_t *wait) {
    bool drain = false, all = false;
    unsigned posted = 0, pending = 0;
    *wait = 0;
    for (unsigned i = 0; i < parts; i++) {
        posted += part[i].memory_class == MIR_POSTED;
        pending += part[i].memory_class == MIR_PENDING;
    }
    if (!w->attention && posted + pending == 0) return EX_NEXT;
    if (op->order & ORDER_BEFORE) drain = all = true;
    if (w->posted + posted > POSTED_MAX) drain = true;
    if (w->pending + pending > PENDING_MAX) all = true;
    if (w->sectors && w->sectors->count) {
        if (w->sectors->count + 32 * (posted + pending) > SECTORS_MAX) drain = all = true;
        for (unsigned i = 0; i < parts; i++) {
            if (part[i].memory_class == MIR_AHEAD) continue; /* not strong, so not in the set */
            EACH_SET(l, part[i].mask) {
                if (!sectors_has(w->sectors, sector_tag(part[i].space, address[l]))) continue;
                drain = all = true;
                break;
            }
        }
    }
    uint32_t need = w->inflight_acquire | (all ? w->inflight_pending & ~w->inflight_clock : 0);
    uint8_t sb = w->acquire_sb | (all ? w->pending_sb : 0);
    exec_code code = wait_for(w, op, drain && w->posted, sb, need, posted + pending, wait);
    if (op->order & ORDER_BEFORE && exec_is_wide(op)) *wait |= EXEC_WAIT_POSTED;
    return code;
}

/* ---- operations */

/* Fills *s for the part of op: lanes, addresses, and operands from the registers as they are now.
 * Writes *s only. */
void exec_inflight_capture(struct exec_inflight *s, const struct exec_warp *w,
                           const struct exec_op *op, const struct exec_part *part,
                           const uint64_t *address) {
    warp_reg tmp[2];
    s->op = op;
    s->lanes = s->todo = part->mask;
    s->space = part->space;
    s->posted = part->memory_class == MIR_POSTED;
    s->check = 0;
    s->text = 0;
    memcpy(s->address, address, sizeof s->address);
    if (op->mem == MIR_MEM_LOAD || op->mem == MIR_MEM_SYS) return;
    for (unsigned i = 1; i < 3; i++) {
        const warp_reg *r = exec_src(w, op, i, tmp);
        memcpy(&s->data[4 * (i - 1)], r, (op->width < 8 ? 1 : op->width / 4u) * sizeof(warp_reg));
        if (op->mem == MIR_MEM_STORE) break;
    }
}

/* Sets the strong bit of a sector, in the CTA's shared memory or in device memory, and the region's
 * `touched` entry. */
static void mark_strong(struct exec_warp *w, uint8_t space, uint64_t address) {
    if (space == MIR_SPACE_SHARED) {
        w->cta->shared_state[address / EXEC_SECTOR] = EXEC_SECTOR_STRONG;
        w->cta->shared_strong = true;
        return;
    }
    struct exec_memory *m = w->cta->launch->memory;
    uint64_t offset = address - m->base;
    uint8_t *state = &m->state[offset / EXEC_SECTOR], *touched = &m->touched[offset / EXEC_REGION];
    if (__atomic_load_n(state, __ATOMIC_RELAXED) & EXEC_SECTOR_STRONG) return;
    __atomic_fetch_or(state, EXEC_SECTOR_STRONG, __ATOMIC_RELAXED);
    __atomic_store_n(touched, 1, __ATOMIC_RELAXED);
}

/* Takes an operation from the pool and gives it the lowest free number, *index. */
static struct exec_inflight *take(struct exec_warp *w, uint8_t *index) {
    struct exec_inflight *s = exec_pool_inflight(w->cta->pool);
    *index = (uint8_t)__builtin_ctz(~w->inflight_all);
    w->inflight[*index] = s;
    w->inflight_all |= UINT32_C(1) << *index;
    return s;
}

/* Puts a part in flight: takes an operation from the CTA's pool (allocates it if none is free),
 * captures its operands, marks its sectors strong in shared or device memory, adds them to the
 * warp's set unless the launch is in_order, tells the race check, and counts the operation.
 * exec_order_access() has made sure that there is room. @return the operation's number. */
uint8_t exec_inflight_add(struct exec_warp *w, const struct exec_op *op,
                          const struct exec_part *part, const uint64_t *address) {
    bool list = !w->cta->launch->in_order;
    if (list && !w->sectors) w->sectors = exec_pool_sectors(w->cta->pool);
    uint8_t index;
    struct exec_inflight *s = take(w, &index);
    exec_inflight_capture(s, w, op, part, address);
    EACH_SET(l, part->mask) {
        mark_strong(w, part->space, address[l]);
        if (list) sectors_add(w->sectors, sector_tag(part->space, address[l]));
    }
    if (EXEC_UNLIKELY(w->cta->race) && part->space == MIR_SPACE_GLOBAL)
        s->check = exec_race_follow(w, op, part->mask, address);
    if (s->posted) {
        w->posted++;
    } else {
        w->inflight_pending |= UINT32_C(1) << index;
        w->pending++;
        if (op->wbar < MIR_NUM_BARRIERS) w->pending_sb |= (uint8_t)(1u << op->wbar);
        if (op->order & ORDER_AFTER) {
            w->inflight_acquire |= UINT32_C(1) << index;
            if (op->wbar < MIR_NUM_BARRIERS) w->acquire_sb |= (uint8_t)(1u << op->wbar);
        }
    }
    update_attention(w);
    return index;
}

/* d = clock register sub. With timing a pending operation, which the timing model performs at
 * issue; it may first wait for a free number. In an immediate launch w->clock advances with every
 * read. */
exec_code exec_op_CS2R(struct exec_warp *w, const struct exec_op *op, uint32_t mask) {
    if (op->sub < MIR_SR_CLOCK_LO || op->sub > MIR_SR_GLOBALTIMER)
        return exec_raise(w, op, mask, HEDDLE_ERR_PTX_UNSUPPORTED, "CS2R of this register");
    struct exec_inflight now;
    if (!w->timed) { /* the clock advances with every read, so that loops on it end */
        enum { STEP = 64, LONGEST = 1 << 16 };
        uint64_t more = w->clock / 8; /* growing steps, so that long waits end soon */
        w->clock += STEP + (more < LONGEST ? more : LONGEST);
        now.op = op;
        now.lanes = mask;
        now.space = MIR_SPACE_CONST;
        EACH_LANE(l) now.address[l] = 0;
        exec_inflight_perform(&now, w->cta, mask, w->clock);
        warp_reg *d = exec_dst(w, op);
        for (unsigned i = 0; i < op->dst_words; i++) reg_put(d + i, &now.data[i], mask);
        return EX_NEXT;
    }
    uint8_t wait;
    exec_code c = wait_for(w, op, false, 0, 0, 1, &wait);
    if (c != EX_NEXT) return c;
    uint8_t index;
    struct exec_inflight *s = take(w, &index);
    s->op = op;
    s->lanes = s->todo = mask;
    s->space = MIR_SPACE_CONST;
    s->posted = 0;
    memset(s->address, 0, sizeof s->address);
    w->inflight_pending |= UINT32_C(1) << index;
    w->inflight_clock |= UINT32_C(1) << index;
    update_attention(w);
    exec_record_plain(w, op, mask, wait, 0);
    if (w->trace) w->trace->record[w->trace->num_records - 1].inflight = index;
    return EX_DONE;
}

/* These lanes of operation `inflight` have been performed. After the last one writes its result to
 * the warp's registers, tells the race check, frees its number and returns it to the pool. @return
 * true when the number became free. */
bool exec_complete(struct exec_warp *w, uint8_t inflight, uint32_t lanes) {
    struct exec_inflight *s = w->inflight[inflight];
    s->todo &= ~lanes;
    if (s->todo) return false;
    if (!s->posted) {
        warp_reg *d = exec_dst(w, s->op);
        if (rows_of_matrices(s->op)) rows_deal(s->op, s->data);
        for (unsigned i = 0; i < s->op->dst_words; i++) reg_put(d + i, &s->data[i], s->lanes);
    }
    if (EXEC_UNLIKELY(s->check)) exec_race_unfollow(w->cta, s->check, true);
    uint32_t keep = ~(UINT32_C(1) << inflight);
    w->inflight_all &= keep;
    w->inflight_pending &= keep;
    w->inflight_acquire &= keep;
    w->inflight_clock &= keep;
    w->inflight[inflight] = NULL;
    exec_pool_inflight_free(w->cta->pool, s);
    update_attention(w);
    return true;
}

/* @return the lanes of the operation that access the sector (32-byte aligned address). Reads
 * only. */
uint32_t exec_inflight_lanes(const struct exec_warp *w, uint8_t inflight, uint64_t sector) {
    const struct exec_inflight *s = w->inflight[inflight];
    uint32_t lanes = 0;
    EACH_SET(l, s->lanes) {
        if ((s->address[l] & ~(uint64_t)(EXEC_SECTOR - 1)) == sector) lanes |= UINT32_C(1) << l;
    }
    return lanes;
}
