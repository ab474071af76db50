/* dram_channel.c - one channel of device memory: its queues, and the effect of each command on
 * them; dram_pick.c chooses the commands. Contracts in dram_channel.h.
 *
 * hbm_banked.c calls the public functions, on the thread that owns the back end (hbm.h). Functions
 * that take `c` change that channel alone; `e` is the index of an entry, `q` a queue of the
 * channel, clocks are those of the device. Entries come from heddle_grow(), which ends the process
 * when memory is out. */
#include "models/hbm/dram_channel.h"

#include <assert.h>
#include <stdlib.h>

#include "common/cycles.h"
#include "common/memory.h"

/* ---- entries and lists */

/* Doubles the entries and puts the new ones into the free list. */
static void grow(struct dram_channel *c) {
    size_t room = c->capacity;
    struct dram_entry *entry = heddle_grow(c->entry, &room, room ? 2 * room : 256, sizeof *entry,
                                           "requests to device memory");
    uint32_t capacity = (uint32_t)room;
    for (uint32_t i = c->capacity; i < capacity; i++)
        entry[i].next = i + 1 < capacity ? i + 1 : c->free;
    c->free = c->capacity;
    c->entry = entry;
    c->capacity = capacity;
}

/* Puts an entry at the end of a list. */
static void append(struct dram_channel *c, struct dram_list *l, uint32_t e) {
    c->entry[e].next = DRAM_NONE;
    c->entry[e].previous = l->tail;
    if (l->tail == DRAM_NONE)
        l->head = e;
    else
        c->entry[l->tail].next = e;
    l->tail = e;
}

/* Removes an entry from a list. */
static void take_out(struct dram_channel *c, struct dram_list *l, uint32_t e) {
    const struct dram_entry *x = &c->entry[e];
    if (x->previous == DRAM_NONE)
        l->head = x->next;
    else
        c->entry[x->previous].next = x->next;
    if (x->next == DRAM_NONE)
        l->tail = x->previous;
    else
        c->entry[x->next].previous = x->previous;
}

/* @return the first entry from e on whose request is for this row, or DRAM_NONE. */
static uint32_t find_row(const struct dram_channel *c, uint32_t e, uint32_t row) {
    while (e != DRAM_NONE && c->entry[e].row != row) e = c->entry[e].next;
    return e;
}

/* The direction under which an entry is queued. */
static enum dram_direction direction_of(const struct dram_channel *c, const struct dram_entry *x) {
    return x->request.write && !c->in_order ? DRAM_WRITES : DRAM_READS;
}

/* ---- directions */

/* Decides whether reads or writes go, after the counts have changed. */
static void choose_direction(const struct dram_channel *c, struct dram_queue *q) {
    const struct dram_spec *s = c->spec;
    uint32_t reads = q->count[DRAM_READS], writes = q->count[DRAM_WRITES];
    if (writes >= s->write_high) q->draining = true;
    if (writes <= s->write_low) q->draining = false;
    bool write = writes && (q->draining || !reads);
    q->direction = write ? DRAM_WRITES : DRAM_READS;
}

/* ---- a request's way through the queue */

/* Places of the queue in a direction. */
static uint32_t room(const struct dram_spec *s, enum dram_direction d) {
    return d == DRAM_WRITES ? s->write_queue : s->read_queue;
}

/* Puts an entry into the queue of pseudo-channel pc, which has a place for it, and updates the
 * queue's counts, row hits and direction. */
static void enter(struct dram_channel *c, uint32_t pc, uint32_t e) {
    struct dram_queue *q = &c->queue[pc];
    struct dram_entry *x = &c->entry[e];
    struct dram_bank_queue *b = &q->bank[x->bank];
    enum dram_direction d = direction_of(c, x);
    append(c, &b->list[d], e);
    q->changed = true;
    q->waiting[d] |= 1ull << x->bank;
    q->count[d]++;
    if (b->hit[d] == DRAM_NONE && c->timing.pc[pc].bank[x->bank].row == x->row) b->hit[d] = e;
    choose_direction(c, q);
}

/* Removes a served entry from the queue of pseudo-channel pc, puts it into the free list, and lets
 * the first one outside enter, if there is one; else renews the direction. */
static void leave(struct dram_channel *c, uint32_t pc, uint32_t e) {
    struct dram_queue *q = &c->queue[pc];
    struct dram_entry *x = &c->entry[e];
    struct dram_bank_queue *b = &q->bank[x->bank];
    enum dram_direction d = direction_of(c, x);
    if (b->hit[d] == e) b->hit[d] = find_row(c, x->next, x->row);
    take_out(c, &b->list[d], e);
    if (b->list[d].head == DRAM_NONE) q->waiting[d] &= ~(1ull << x->bank);
    q->count[d]--;
    c->queued--;
    x->next = c->free;
    c->free = e;
    uint32_t first = q->outside[d].head;
    if (first != DRAM_NONE) {
        take_out(c, &q->outside[d], first);
        enter(c, pc, first);
    } else {
        choose_direction(c, q);
    }
}

/* When data of this clock are at the L2 slice, ps. */
static uint64_t data_ps(const struct dram_channel *c, uint64_t clock) {
    return clock_ps(clock, c->spec->khz) + c->path_ps;
}

/* @return the sectors of a read that must come from the device. The others lie in writes that wait
 * in the queue. */
static uint8_t forward(const struct dram_channel *c, uint32_t pc, const struct dram_place *place,
                       const struct hbm_request *r) {
    uint8_t sectors = r->sectors;
    if (c->in_order || !c->queue[pc].count[DRAM_WRITES]) return sectors;
    uint32_t e = c->queue[pc].bank[place->bank].list[DRAM_WRITES].head;
    for (; e != DRAM_NONE; e = c->entry[e].next)
        if (c->entry[e].request.line == r->line) sectors &= (uint8_t)~c->entry[e].request.sectors;
    return sectors;
}

/* The mask of a line's bursts that hold these sectors. */
static uint8_t bursts_of(const struct dram_spec *s, uint8_t sectors) {
    if (s->atom == 32) return sectors;
    return (uint8_t)(((sectors & 3) != 0) | ((sectors & 12) != 0) << 1);
}

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Catches up on the refreshes of a device that was idle until clock `now`: counts all but the last
 * few rounds, which dram_channel_run() issues. The state is the same as if every command were
 * issued. With a command callback or without refreshes it does nothing, so that every command is
 * issued. */
static void skip_refreshes(struct dram_channel *c, uint64_t now) {
    const struct dram_spec *s = c->spec;
    enum { KEPT = 3 };
    if (c->config->command || s->refresh == DRAM_REFRESH_NONE) return;
    uint32_t banks = s->refresh == DRAM_REFRESH_PER_BANK ? s->groups * s->banks : 1;
    uint64_t round = (uint64_t)banks * (banks > 1 ? s->refi_pb : s->refi);
    for (uint32_t pc = 0; pc < s->pcs; pc++)
        for (uint32_t sid = 0; sid < s->sids; sid++) {
            struct dram_refresh_state *r = &c->queue[pc].refresh[sid];
            if (r->due >= now || (now - r->due) / round <= KEPT) continue;
            uint64_t rounds = (now - r->due) / round - KEPT;
            r->due += rounds * round;
            c->queue[pc].changed = true;
            c->stats.refreshes += rounds * banks;
        }
}

/* Runs the channel up to clock `at`, counts the request, and queues it. A read whose sectors all
 * lie in waiting writes is answered at once instead. `at` is no earlier than the clock of the last
 * dram_channel_run(). May call `done` and `written` for requests that end before. */
void dram_channel_add(struct dram_channel *c, const struct hbm_request *r,
                      const struct dram_place *place, uint64_t at) {
    const struct dram_spec *s = c->spec;
    uint32_t pc = place->unit % s->pcs;
    uint32_t bytes = 32 * (uint32_t)__builtin_popcount(r->sectors);
    if (!c->queued) skip_refreshes(c, at);
    dram_channel_run(c, at, true);
    if (r->write) {
        c->stats.writes++;
        c->stats.write_bytes += bytes;
    } else {
        c->stats.reads++;
        c->stats.read_bytes += bytes;
    }
    uint8_t sectors = r->write ? r->sectors : forward(c, pc, place, r);
    if (!sectors) {
        c->stats.forwarded++;
        c->done(c->user, r, data_ps(c, at + s->cl + s->bl));
        return;
    }
    if (c->free == DRAM_NONE) grow(c);
    uint32_t e = c->free;
    struct dram_entry *x = &c->entry[e];
    c->free = x->next;
    *x = (struct dram_entry){.request = *r,
                             .at = at,
                             .sequence = c->sequence++,
                             .row = place->row,
                             .column = place->column,
                             .bank = place->bank,
                             .bursts = bursts_of(s, sectors)};
    c->queued++;
    c->wake = least(c->wake, at);
    struct dram_queue *q = &c->queue[pc];
    enum dram_direction d = direction_of(c, x);
    if (q->count[d] < room(s, d))
        enter(c, pc, e);
    else
        append(c, &q->outside[d], e);
}

/* ---- commands */

/* Effect of an RD or WR at clock `at`: one burst of the entry. With its last burst, the entry is
 * counted, answered (`done`, `written`) and removed. */
static void burst(struct dram_channel *c, const struct dram_choice *k, uint64_t at) {
    struct dram_entry *x = &c->entry[k->entry];
    const struct dram_spec *s = c->spec;
    struct dram_queue *q = &c->queue[k->pc];
    c->bursts++;
    if (q->was_write != x->request.write) c->stats.turn_arounds++;
    q->was_write = x->request.write;
    x->bursts &= (uint8_t)(x->bursts - 1);
    if (x->bursts) return;
    if (x->closed)
        c->stats.row_conflicts++;
    else if (x->opened)
        c->stats.row_misses++;
    else
        c->stats.row_hits++;
    if (!x->request.write)
        c->done(c->user, &x->request, data_ps(c, at + s->cl + s->bl));
    else if (c->config->written)
        c->config->written(c->user, &x->request, clock_ps(at + s->cwl + s->bl, s->khz));
    leave(c, k->pc, k->entry);
}

/* Effect of an issued refresh: counts it and moves the due time of its stack ID on; a per-bank
 * refresh also marks its bank as done in this round. */
static void refreshed(struct dram_channel *c, const struct dram_choice *k) {
    const struct dram_spec *s = c->spec;
    uint32_t sid = dram_bank_sid(s, k->bank);
    struct dram_refresh_state *r = &c->queue[k->pc].refresh[sid];
    c->stats.refreshes++;
    if (k->kind == DRAM_REFAB) {
        r->due += s->refi;
        return;
    }
    r->due += s->refi_pb;
    r->done |= 1ull << k->bank;
    if ((uint32_t)__builtin_popcountll(r->done) == s->groups * s->banks) r->done = 0;
}

/* Issues a command: calls the command callback, if there is one, moves the device's times, and
 * applies its effect on the queue, which may answer a request. */
static void give(struct dram_channel *c, const struct dram_choice *k) {
    struct dram_bank_queue *b = &c->queue[k->pc].bank[k->bank];
    struct dram_entry *x = k->entry == DRAM_NONE ? NULL : &c->entry[k->entry];
    uint32_t row = x ? x->row : 0;
    if (c->config->command) {
        uint32_t column = x && x->bursts ? x->column + (uint32_t)__builtin_ctz(x->bursts) : 0;
        c->config->command(c->config->command_user, &(struct dram_command){.at = k->at,
                                                                           .channel = c->number,
                                                                           .pc = k->pc,
                                                                           .bank = k->bank,
                                                                           .row = row,
                                                                           .column = column,
                                                                           .kind = k->kind});
    }
    c->queue[k->pc].changed = true;
    dram_timing_issue(&c->timing, k->kind, k->pc, k->bank, row, k->at);
    switch (k->kind) {
    case DRAM_ACT:
        x->opened = true;
        c->stats.activates++;
        for (int d = 0; d < DRAM_DIRECTIONS; d++) b->hit[d] = find_row(c, b->list[d].head, row);
        break;
    case DRAM_PRE:
        if (x) x->closed = true;
        b->hit[DRAM_READS] = b->hit[DRAM_WRITES] = DRAM_NONE;
        break;
    case DRAM_RD:
    case DRAM_WR: burst(c, k, k->at); break;
    case DRAM_REFAB:
    case DRAM_REFPB: refreshed(c, k); break;
    case DRAM_NUM_COMMANDS: break;
    }
}

/* Issues commands in the order of dram_pick() until the next one is at clock `to` or later; calls
 * `done` and `written` for requests whose last burst is among them. Without requests it issues none
 * unless `idle`. Leaves the next command's clock in c->wake. */
void dram_channel_run(struct dram_channel *c, uint64_t to, bool idle) {
    while (c->wake < to && (c->queued || idle)) {
        struct dram_choice k = dram_pick(c, c->wake);
        c->wake = k.at;
        if (k.at >= to) return;
        give(c, &k);
    }
}

/* ---- life */

/* Numbers the channel, whose members up to path_ps the caller has set and whose others are zeros;
 * empties the queues, sets the first refreshes, and allocates entries, which dram_channel_clear()
 * frees. */
void dram_channel_init(struct dram_channel *c, uint32_t number) {
    const struct dram_spec *s = c->spec;
    c->number = number;
    c->free = DRAM_NONE;
    dram_timing_init(&c->timing, s);
    for (uint32_t pc = 0; pc < DRAM_MAX_PCS; pc++) {
        struct dram_queue *q = &c->queue[pc];
        for (int d = 0; d < DRAM_DIRECTIONS; d++)
            q->outside[d] = (struct dram_list){DRAM_NONE, DRAM_NONE};
        q->changed = true;
        for (uint32_t b = 0; b < DRAM_MAX_BANKS; b++)
            for (int d = 0; d < DRAM_DIRECTIONS; d++) {
                q->bank[b].list[d] = (struct dram_list){DRAM_NONE, DRAM_NONE};
                q->bank[b].hit[d] = DRAM_NONE;
            }
        /* Refreshes are spread evenly over the stack's parts, to spare its power supply. */
        uint64_t every = s->refresh == DRAM_REFRESH_PER_BANK ? s->refi_pb : s->refi;
        for (uint32_t sid = 0; sid < s->sids; sid++) {
            uint64_t part = ((uint64_t)number * s->pcs + pc) * s->sids + sid;
            uint64_t parts = (uint64_t)s->channels * s->pcs * s->sids;
            q->refresh[sid].due = s->refresh == DRAM_REFRESH_NONE ? DRAM_NEVER
                                                                  : (part + 1) * every / parts;
        }
    }
    grow(c);
}

void dram_channel_clear(struct dram_channel *c) {
    free(c->entry);
    c->entry = NULL;
}
