/* dram_pick.c - the choice of a channel's next command: one pass over all banks with work finds the
 * command that can be issued soonest; among commands of one clock the rank decides.
 *
 * dram_channel_run() calls dram_pick() for each command, on the back end's thread. The choice does
 * not depend on the time of the call, except through the bound `now`: a second call without a new
 * request or command in between gives the same choice. The static functions read the channel and
 * offer commands to l->best, the best so far; only dram_pick() writes to the channel. All times are
 * clocks of the device. */
#include "models/hbm/dram_channel.h"

/* Order among commands of one clock, as listed in dram_channel.h; the upper bits of
 * dram_choice.rank. */
enum rank { RANK_BURST, RANK_FORCED, RANK_ROW, RANK_OTHER_ROW, RANK_REFRESH, RANK_IDLE };
enum { RANK_SHIFT = 56 };

/* One pass over a pseudo-channel. */
struct look {
    const struct dram_channel *c;
    const struct dram_queue *q;
    const struct dram_pc_time *time;
    uint32_t pc;
    uint64_t now;
    uint64_t act_floor, pre_floor, rd_floor, wr_floor; /* no bank's command can be sooner */
    struct dram_choice best;
    /* Refreshes stop requests: from sid_block[] on no command is issued for banks of the stack ID,
     * from bank_block[] on none for its bank blocked_bank[]. */
    uint64_t sid_block[DRAM_MAX_SIDS], bank_block[DRAM_MAX_SIDS];
    uint32_t blocked_bank[DRAM_MAX_SIDS];
};

/* Makes this command the choice if it comes before the best so far. */
static void offer(struct look *l, uint64_t at, enum rank rank, uint64_t sequence,
                  enum dram_command_kind kind, uint32_t bank, uint32_t entry) {
    uint64_t key = (uint64_t)rank << RANK_SHIFT | sequence;
    if (at > l->best.at || (at == l->best.at && key >= l->best.rank)) return;
    l->best = (struct dram_choice){
        .at = at, .rank = key, .kind = kind, .pc = l->pc, .bank = bank, .entry = entry};
}

/* The earliest clock of a PRE of the bank, no earlier than `from`. */
static uint64_t pre_at(const struct look *l, uint32_t bank, uint64_t from) {
    return dram_later(dram_pre_at(&l->c->timing, l->pc, bank), dram_later(from, l->now));
}

/* ---- refresh */

/* @return clocks for which a refresh may wait for its banks, less a refresh's time, in which they
 * are closed. `every`: the interval of refreshes. */
static uint64_t patience(const struct dram_spec *s, uint64_t every) {
    uint64_t most = s->postpone * every;
    return most > s->rfc ? most - s->rfc : 0;
}

/* All-bank refresh of a stack ID: offers to close its banks (mask `banks`), then to refresh them.
 * That happens when it is due if no request waits for the banks (mask `waiting`), else when it has
 * waited as long as it may; then it also sets sid_block. */
static void all_banks(struct look *l, uint32_t sid, uint64_t banks, uint64_t waiting) {
    const struct dram_spec *s = l->c->spec;
    uint64_t from = l->q->refresh[sid].due + (waiting ? patience(s, s->refi) : 0);
    enum rank rank = waiting ? RANK_FORCED : RANK_REFRESH;
    uint64_t open = l->time->open & banks;
    if (waiting) l->sid_block[sid] = from;
    if (!open) {
        uint64_t at = dram_later(dram_refab_at(&l->c->timing, l->pc, sid), from);
        uint32_t first = sid * s->groups * s->banks;
        offer(l, dram_later(at, l->now), rank, sid, DRAM_REFAB, first, DRAM_NONE);
    }
    for (; open; open &= open - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(open);
        offer(l, pre_at(l, bank, from), rank, bank, DRAM_PRE, bank, DRAM_NONE);
    }
}

/* Per-bank refresh of a stack ID: among the banks not yet refreshed in this round it chooses one
 * without requests, a closed one before an open one; else, any of them waits as long as it may and
 * is blocked from then on (bank_block). Offers to close or to refresh that bank. */
static void per_bank(struct look *l, uint32_t sid, uint64_t banks, uint64_t waiting) {
    const struct dram_spec *s = l->c->spec;
    const struct dram_refresh_state *r = &l->q->refresh[sid];
    uint64_t left = banks & ~r->done, free = left & ~waiting, closed = free & ~l->time->open;
    uint64_t choice = closed ? closed : free ? free : left;
    uint32_t bank = (uint32_t)__builtin_ctzll(choice);
    uint64_t from = r->due + (free ? 0 : patience(s, s->refi_pb));
    enum rank rank = free ? RANK_REFRESH : RANK_FORCED;
    if (!free) {
        l->bank_block[sid] = from;
        l->blocked_bank[sid] = bank;
    }
    if (l->time->open >> bank & 1) {
        offer(l, pre_at(l, bank, from), rank, bank, DRAM_PRE, bank, DRAM_NONE);
    } else {
        uint64_t at = dram_later(dram_refpb_at(&l->c->timing, l->pc, bank), from);
        offer(l, dram_later(at, l->now), rank, bank, DRAM_REFPB, bank, DRAM_NONE);
    }
}

/* Offers the refreshes of all stack IDs, by the kind of refresh of the device, and sets
 * l->sid_block, bank_block and blocked_bank. */
static void refreshes(struct look *l) {
    const struct dram_spec *s = l->c->spec;
    uint32_t per_sid = s->groups * s->banks;
    uint64_t all = l->q->waiting[DRAM_READS] | l->q->waiting[DRAM_WRITES];
    for (uint32_t sid = 0; sid < s->sids; sid++) {
        uint64_t banks = (per_sid == 64 ? ~0ull : (1ull << per_sid) - 1) << sid * per_sid;
        l->sid_block[sid] = l->bank_block[sid] = DRAM_NEVER;
        l->blocked_bank[sid] = 0;
        if (s->refresh == DRAM_REFRESH_ALL_BANK) all_banks(l, sid, banks, all & banks);
        if (s->refresh == DRAM_REFRESH_PER_BANK) per_bank(l, sid, banks, all & banks);
    }
}

/* The clock from which a refresh stops the requests of this bank. */
static uint64_t block_of(const struct look *l, uint32_t bank) {
    uint32_t sid = dram_bank_sid(l->c->spec, bank);
    return l->blocked_bank[sid] == bank && l->bank_block[sid] < l->sid_block[sid]
               ? l->bank_block[sid]
               : l->sid_block[sid];
}

/* ---- requests */

/* Offers to open the row of an entry, or to close its bank's open row, from clock `from` on; not if
 * a refresh blocks the bank by then. */
static void want_row(struct look *l, uint32_t bank, uint32_t e, enum rank rank, uint64_t from) {
    bool open = l->time->open >> bank & 1;
    if ((open ? l->pre_floor : l->act_floor) > l->best.at) return;
    uint64_t at = open ? dram_pre_at(&l->c->timing, l->pc, bank)
                       : dram_act_at(&l->c->timing, l->pc, bank);
    if (at > l->best.at) return;
    const struct dram_entry *x = &l->c->entry[e];
    if (!open) from = dram_later(from, x->at + l->c->spec->act - 1); /* it starts no sooner */
    at = dram_later(dram_later(at, from), l->now);
    if (at < block_of(l, bank))
        offer(l, at, rank, x->sequence, open ? DRAM_PRE : DRAM_ACT, bank, e);
}

/* Offers the entry's next RD or WR if it can be issued before clock `before`. */
static void want_burst(struct look *l, uint32_t bank, uint32_t e, uint64_t before) {
    const struct dram_entry *x = &l->c->entry[e];
    if ((x->request.write ? l->wr_floor : l->rd_floor) > l->best.at) return;
    uint64_t at = x->request.write ? dram_wr_at(&l->c->timing, l->pc, bank)
                                   : dram_rd_at(&l->c->timing, l->pc, bank);
    at = dram_later(at, l->now);
    if (at < before)
        offer(l, at, RANK_BURST, x->sequence, x->request.write ? DRAM_WR : DRAM_RD, bank, e);
}

/* Offers for a bank in the current direction: the oldest hit, unless an older request has waited
 * for longer than age_cap; else the row of the oldest request. */
static void first_ready(struct look *l, uint32_t bank, enum dram_direction d) {
    const struct dram_bank_queue *b = &l->q->bank[bank];
    uint32_t oldest = b->list[d].head, hit = b->hit[d];
    if (hit == DRAM_NONE) {
        want_row(l, bank, oldest, RANK_ROW, 0);
        return;
    }
    uint64_t block = block_of(l, bank);
    if (hit == oldest) {
        want_burst(l, bank, hit, block);
        return;
    }
    uint64_t cap = l->c->entry[oldest].at + l->c->spec->age_cap;
    want_burst(l, bank, hit, cap < block ? cap : block);
    want_row(l, bank, oldest, RANK_ROW, cap);
}

/* Offers for a bank of an in-order channel: its oldest request. */
static void in_order(struct look *l, uint32_t bank) {
    uint32_t e = l->q->bank[bank].list[DRAM_READS].head;
    if (l->time->bank[bank].row == l->c->entry[e].row)
        want_burst(l, bank, e, block_of(l, bank));
    else
        want_row(l, bank, e, RANK_ROW, 0);
}

/* Offers to close rows of banks without requests that have been idle for row_idle. */
static void idle_rows(struct look *l, uint64_t waiting) {
    for (uint64_t m = l->time->open & ~waiting; m; m &= m - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(m);
        uint64_t from = l->time->bank[bank].last_used + l->c->spec->row_idle;
        offer(l, pre_at(l, bank, from), RANK_IDLE, bank, DRAM_PRE, bank, DRAM_NONE);
    }
}

/* Sets lower bounds for the commands of all banks, which save looking at most of them. */
static void set_floors(struct look *l) {
    const struct dram_timing *t = &l->c->timing;
    l->act_floor = dram_later(l->time->act, l->time->faw[l->time->faw_at]);
    l->act_floor = dram_later(l->act_floor, t->row_bus + l->c->spec->act - 1);
    l->pre_floor = dram_later(l->time->pre, t->row_bus);
    l->rd_floor = dram_later(l->time->rd, t->column_bus);
    l->wr_floor = dram_later(l->time->wr, t->column_bus);
}

/* @return the best command of a pseudo-channel, at `now` or later; at DRAM_NEVER: there is none.
 * Changes nothing. */
static struct dram_choice look_at(const struct dram_channel *c, uint32_t pc, uint64_t now) {
    struct look l = {.c = c,
                     .q = &c->queue[pc],
                     .time = &c->timing.pc[pc],
                     .pc = pc,
                     .now = now,
                     .best = {.at = DRAM_NEVER, .rank = UINT64_MAX}};
    enum dram_direction d = l.q->direction, other = !d;
    uint64_t own = l.q->waiting[d], rest = l.q->waiting[other] & ~own;
    set_floors(&l);
    refreshes(&l);
    for (uint64_t m = own; m; m &= m - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(m);
        if (c->in_order)
            in_order(&l, bank);
        else
            first_ready(&l, bank, d);
    }
    for (; rest; rest &= rest - 1) {
        uint32_t bank = (uint32_t)__builtin_ctzll(rest);
        const struct dram_bank_queue *b = &l.q->bank[bank];
        if (b->hit[other] == DRAM_NONE) want_row(&l, bank, b->list[other].head, RANK_OTHER_ROW, 0);
    }
    idle_rows(&l, own | l.q->waiting[other]);
    return l.best;
}

/* True if an earlier choice is still valid, where nothing has changed in its pseudo-channel: the
 * other one's commands have not taken its bus. They can only delay the alternatives. */
static bool still_holds(const struct dram_channel *c, const struct dram_choice *k) {
    if (k->at == DRAM_NEVER) return true;
    if (k->kind == DRAM_RD || k->kind == DRAM_WR) return k->at >= c->timing.column_bus;
    return k->at >= c->timing.row_bus + (k->kind == DRAM_ACT ? c->spec->act - 1 : 0);
}

/* @return the best command of the channel, at `now` or later; at DRAM_NEVER: there is none. Renews
 * the stored choice of each pseudo-channel whose old one is not valid. */
struct dram_choice dram_pick(struct dram_channel *c, uint64_t now) {
    uint32_t best = 0;
    for (uint32_t pc = 0; pc < c->spec->pcs; pc++) {
        struct dram_queue *q = &c->queue[pc];
        if (q->changed || !still_holds(c, &q->choice)) q->choice = look_at(c, pc, now);
        q->changed = false;
        const struct dram_choice *b = &c->queue[best].choice, *k = &q->choice;
        if (k->at < b->at || (k->at == b->at && k->rank < b->rank)) best = pc;
    }
    return c->queue[best].choice;
}
