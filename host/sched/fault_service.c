/* fault_service.c - see fault_service.h.
 *
 * Messages about accesses and touches come as the scheduler receives those of its window. They are
 * kept until the steps have come to their time, so that the length of windows changes nothing. */
#include "sched/fault_service.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "sched/block_prefetch.h"

enum { WORD = 64 };

struct fault {
    uint64_t at_ps;
    uint32_t block;
};

/* A message: the host touches blocks, or accesses of kernels fault. */
struct arrival {
    uint64_t at_ps, mask;
    uint32_t first, births;
    bool faults;
};

struct fault_service {
    struct fault_config config;
    struct managed_blocks *blocks;
    struct packet_link *link, *peer;
    fault_tell_fn tell;
    void *user;
    uint64_t *mine;          /* a bit for each block: `tell` has said that it is here */
    uint64_t *open;          /* a bit for each block: it is pending */
    uint64_t changes;        /* of the table, when `mine` was last compared with it */
    struct fault *pending;   /* by time and block */
    struct arrival *arrival; /* in order of time: from first_arrival on */
    uint32_t num_pending, first_arrival, num_arrivals;
    size_t cap_pending, cap_arrivals;
    /* the batch under way */
    bool busy;
    uint32_t *served; /* blocks that have faulted, ascending, */
    uint32_t *job;    /* and those to be brought here, ascending */
    uint32_t num_served, num_jobs, next_job;
    size_t cap_served, cap_jobs;
    uint64_t step_ps;           /* of its next block, or of its end */
    uint64_t ready_ps;          /* the driver has done its work for the next block */
    uint64_t arrives_ps;        /* the last byte so far is here */
    uint64_t open_ps;           /* since when faults are open without a pause */
    struct fault_counts counts; /* open_ps: up to the last time without faults */
};

struct fault_service *fault_service_create(const struct fault_config *config,
                                           struct managed_blocks *blocks, struct packet_link *link,
                                           struct packet_link *peer, fault_tell_fn tell,
                                           void *user) {
    struct fault_service *s = heddle_alloc(sizeof *s, "the service of page faults");
    const size_t words = blocks->count / WORD + 1;
    s->config = *config;
    s->blocks = blocks;
    s->link = link;
    s->peer = peer;
    s->tell = tell;
    s->user = user;
    s->mine = heddle_alloc_array(words, sizeof *s->mine, "blocks of managed memory");
    s->open = heddle_alloc_array(words, sizeof *s->open, "blocks of managed memory");
    s->changes = UINT64_MAX;
    return s;
}

void fault_service_free(struct fault_service *s) {
    if (!s) return;
    free(s->mine);
    free(s->open);
    free(s->pending);
    free(s->arrival);
    free(s->served);
    free(s->job);
    free(s);
}

const struct fault_counts *fault_service_counts(const struct fault_service *s) {
    return &s->counts;
}

/* ---------------------------------------------------------------------------- bits of blocks */

static bool has(const uint64_t *bits, uint32_t block) {
    return bits[block / WORD] >> block % WORD & 1;
}
static void set(uint64_t *bits, uint32_t block, bool on) {
    const uint64_t bit = UINT64_C(1) << block % WORD;
    bits[block / WORD] = on ? bits[block / WORD] | bit : bits[block / WORD] & ~bit;
}

/* A block that is not allocated keeps nobody waiting: it is padding, which the driver maps. */
static bool is_here(const struct fault_service *s, uint32_t block) {
    const struct managed_block *b = &s->blocks->block[block];
    return b->place == s->config.place || !b->pages;
}

/* Tells of a block. */
static void tell_one(struct fault_service *s, uint32_t block, uint64_t at_ps, bool here) {
    set(s->mine, block, here);
    s->tell(s->user, at_ps, block / MANAGED_RUN * MANAGED_RUN, UINT64_C(1) << block % MANAGED_RUN,
            here);
}

/* Tells that blocks are here, which ascend: once for each run of them. */
static void tell_of(struct fault_service *s, const uint32_t *block, uint32_t count,
                    uint64_t at_ps) {
    for (uint32_t i = 0; i < count;) {
        const uint32_t first = block[i] / MANAGED_RUN * MANAGED_RUN;
        uint64_t mask = 0;
        for (; i < count && block[i] - first < MANAGED_RUN; i++) {
            mask |= UINT64_C(1) << (block[i] - first);
            set(s->mine, block[i], true);
        }
        s->tell(s->user, at_ps, first, mask, true);
    }
}

/* A block changes its place. */
static void move(struct fault_service *s, uint32_t block, uint8_t to, uint64_t at_ps) {
    struct managed_block *b = &s->blocks->block[block];
    const uint8_t own = s->config.place;
    if (b->place == to) return;
    if (b->place == own) tell_one(s, block, at_ps, false);
    if ((b->place >= MANAGED_DEVICE && b->place != own) || (to >= MANAGED_DEVICE && to != own))
        __atomic_fetch_add(&s->blocks->changes, 1, __ATOMIC_RELAXED);
    b->place = to;
    if (to >= MANAGED_DEVICE) b->told = false;
}

/* ---------------------------------------------------------------------------- faults */

/* A block that is not here faults. Of equal times the faults lie in order of blocks. */
static void add_fault(struct fault_service *s, uint32_t block, uint64_t at_ps) {
    if (has(s->open, block)) return;
    set(s->open, block, true);
    if (!s->busy && !s->num_pending) s->open_ps = at_ps;
    s->pending = heddle_grow(s->pending, &s->cap_pending, s->num_pending + 1, sizeof *s->pending,
                             "page faults");
    uint32_t i = s->num_pending++;
    for (; i && s->pending[i - 1].at_ps == at_ps && s->pending[i - 1].block > block; i--)
        s->pending[i] = s->pending[i - 1];
    s->pending[i] = (struct fault){at_ps, block};
}

bool fault_service_need(struct fault_service *s, uint32_t first, uint64_t mask, uint64_t at_ps) {
    bool all = true;
    for (; mask; mask &= mask - 1) {
        const uint32_t block = first + (uint32_t)__builtin_ctzll(mask);
        if (block >= s->blocks->count || is_here(s, block)) continue;
        add_fault(s, block, at_ps);
        all = false;
    }
    return all;
}

/* ---------------------------------------------------------------------------- messages */

static void add_arrival(struct fault_service *s, const struct arrival *a) {
    if (s->first_arrival == s->num_arrivals) s->first_arrival = s->num_arrivals = 0;
    s->arrival = heddle_grow(s->arrival, &s->cap_arrivals, s->num_arrivals + 1, sizeof *s->arrival,
                             "messages about managed memory");
    s->arrival[s->num_arrivals++] = *a;
}

void fault_service_report(struct fault_service *s, uint32_t block, uint64_t at_ps) {
    const uint32_t first = block / MANAGED_RUN * MANAGED_RUN;
    add_arrival(s, &(struct arrival){at_ps, UINT64_C(1) << (block - first), first, 0, true});
}

/* The blocks may have been freed, and the memory allocated again, before the message arrives. */
void fault_service_touch(struct fault_service *s, uint32_t first, uint64_t mask, uint32_t births,
                         uint64_t at_ps) {
    add_arrival(s, &(struct arrival){at_ps, mask, first, births, false});
}

/* The host touches a block. One of another GPU goes back by that one. */
static void take_touch(struct fault_service *s, uint32_t block, uint32_t births, uint64_t at_ps) {
    const uint8_t place = s->blocks->block[block].place;
    if (s->blocks->block[block].born > births) return;
    if (place == s->config.place)
        s->counts.out_bytes += managed_block_bytes(s->blocks, block);
    else if (place != MANAGED_NOWHERE)
        return;
    move(s, block, MANAGED_HOST, at_ps);
}

/* The time of the first message has come. A fault may concern a block that has come meanwhile. */
static void step_arrival(struct fault_service *s) {
    const struct arrival a = s->arrival[s->first_arrival++];
    for (uint64_t left = a.mask; left; left &= left - 1) {
        const uint32_t block = a.first + (uint32_t)__builtin_ctzll(left);
        if (block >= s->blocks->count) continue;
        if (!a.faults)
            take_touch(s, block, a.births, a.at_ps);
        else if (is_here(s, block))
            tell_one(s, block, a.at_ps, true);
        else
            add_fault(s, block, a.at_ps);
    }
}

/* ---------------------------------------------------------------------------- batches */

static int ascending(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Takes the faults of a batch off the list, into s->served, in order of blocks. */
static void take_faults(struct fault_service *s) {
    const uint32_t most = s->config.batch_faults, n = s->num_pending < most ? s->num_pending : most;
    s->served = heddle_grow(s->served, &s->cap_served, n, sizeof *s->served, "page faults");
    for (uint32_t i = 0; i < n; i++) {
        s->served[i] = s->pending[i].block;
        set(s->open, s->served[i], false);
    }
    s->num_served = n;
    s->num_pending -= n;
    memmove(s->pending, s->pending + n, s->num_pending * sizeof *s->pending);
    qsort(s->served, n, sizeof *s->served, ascending);
}

/* Appends the blocks of a piece that are to be brought here, of which those of `faulted` have
 * faulted. The driver has a tree for each program. @return those of `faulted` that belong to other
 * programs than the first one, which are left. */
static uint32_t add_jobs(struct fault_service *s, uint32_t piece, uint32_t faulted) {
    const struct managed_block *block = &s->blocks->block[piece];
    const void *owner = block[__builtin_ctz(faulted)].owner;
    uint32_t own = 0, there = 0, exist = 0;
    for (unsigned i = 0; i < PREFETCH_BLOCKS && piece + i < s->blocks->count; i++) {
        if (block[i].owner != owner) continue;
        own |= UINT32_C(1) << i;
        exist |= (uint32_t)(block[i].pages != 0) << i;
        there |= (uint32_t)(block[i].pages && block[i].place == s->config.place) << i;
    }
    uint32_t wanted = block_prefetch(there, faulted & exist, s->config.prefetch_threshold);
    for (wanted &= exist & ~there; wanted; wanted &= wanted - 1) {
        s->job = heddle_grow(s->job, &s->cap_jobs, s->num_jobs + 1, sizeof *s->job,
                             "blocks that migrate");
        s->job[s->num_jobs++] = piece + (uint32_t)__builtin_ctz(wanted);
    }
    return faulted & ~own;
}

static void begin_batch(struct fault_service *s, uint64_t at_ps) {
    take_faults(s);
    s->num_jobs = s->next_job = 0;
    for (uint32_t i = 0; i < s->num_served;) {
        const uint32_t piece = s->served[i] / PREFETCH_BLOCKS * PREFETCH_BLOCKS;
        uint32_t faulted = 0;
        for (; i < s->num_served && s->served[i] - piece < PREFETCH_BLOCKS; i++)
            faulted |= UINT32_C(1) << (s->served[i] - piece);
        while (faulted) faulted = add_jobs(s, piece, faulted);
    }
    if (s->num_jobs) qsort(s->job, s->num_jobs, sizeof *s->job, ascending);
    s->busy = true;
    s->counts.faults += s->num_served;
    s->counts.batches++;
    s->ready_ps = s->arrives_ps = at_ps + s->config.batch_ps;
    if (s->num_jobs) s->ready_ps += s->config.block_ps;
    s->step_ps = s->ready_ps;
}

/* Sends a block over a link to this GPU. Beside a copy it takes turns with it, packet by packet.
 * @return when it has left. */
static uint64_t send(struct packet_link *l, uint64_t at_ps, uint64_t bytes) {
    const uint64_t piece = l->way[LINK_BACK].copy_ps > at_ps ? l->config.payload : bytes;
    uint64_t left_ps = at_ps;
    for (uint64_t n; bytes; bytes -= n) {
        n = bytes < piece ? bytes : piece;
        left_ps = packet_link_send(l, LINK_BACK, at_ps, n);
    }
    return left_ps;
}

/* The next block of the batch sets out. The one behind it follows when it has left, and when the
 * driver has done its work for that. */
static void step_job(struct fault_service *s) {
    const uint32_t block = s->job[s->next_job++];
    const uint8_t place = s->blocks->block[block].place;
    const uint64_t bytes = managed_block_bytes(s->blocks, block), now_ps = s->step_ps;
    uint64_t left_ps = now_ps, arrives_ps;
    if (place == s->config.place) { /* a prefetch or copy of the program was faster */
        arrives_ps = now_ps;
    } else if (place == MANAGED_NOWHERE) {
        arrives_ps = now_ps + packet_link_transfer_ps(bytes, s->config.fill_bytes_per_s);
        s->counts.zero_bytes += bytes;
    } else {
        const bool host = place == MANAGED_HOST;
        left_ps = send(host ? s->link : s->peer, now_ps, bytes);
        arrives_ps = left_ps + (host ? s->config.link_latency_ps : s->config.peer_latency_ps);
        s->counts.in_bytes += bytes;
    }
    if (arrives_ps > s->arrives_ps) s->arrives_ps = arrives_ps;
    s->ready_ps += s->config.block_ps;
    if (s->next_job == s->num_jobs)
        s->step_ps = s->arrives_ps > now_ps ? s->arrives_ps : now_ps;
    else
        s->step_ps = s->ready_ps > left_ps ? s->ready_ps : left_ps;
}

/* Faults of blocks that have come meanwhile do not occur when the accesses are repeated. */
static void drop_served(struct fault_service *s) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < s->num_pending; i++) {
        if (is_here(s, s->pending[i].block))
            set(s->open, s->pending[i].block, false);
        else
            s->pending[kept++] = s->pending[i];
    }
    s->num_pending = kept;
}

/* All blocks of the batch are here. Faults that wait are served at once. */
static void end_batch(struct fault_service *s) {
    const uint64_t now_ps = s->step_ps;
    for (uint32_t i = 0; i < s->num_jobs; i++) move(s, s->job[i], s->config.place, now_ps);
    tell_of(s, s->job, s->num_jobs, now_ps);
    for (uint32_t i = 0; i < s->num_served; i++) /* some were here before, or are freed */
        if (!has(s->mine, s->served[i])) tell_one(s, s->served[i], now_ps, true);
    s->busy = false;
    drop_served(s);
    if (s->num_pending)
        begin_batch(s, now_ps);
    else
        s->counts.open_ps += now_ps - s->open_ps;
}

static uint64_t driver_next(const struct fault_service *s) {
    if (s->busy) return s->step_ps;
    return s->num_pending ? s->pending[0].at_ps + s->config.latency_ps : UINT64_MAX;
}

static uint64_t arrival_next(const struct fault_service *s) {
    return s->first_arrival < s->num_arrivals ? s->arrival[s->first_arrival].at_ps : UINT64_MAX;
}

uint64_t fault_service_next(const struct fault_service *s) {
    const uint64_t driver_ps = driver_next(s), arrival_ps = arrival_next(s);
    return arrival_ps < driver_ps ? arrival_ps : driver_ps;
}

bool fault_service_step(struct fault_service *s) {
    const uint64_t driver_ps = driver_next(s);
    if (arrival_next(s) <= driver_ps) {
        step_arrival(s);
        return false;
    }
    if (!s->busy) {
        begin_batch(s, driver_ps);
        return false;
    }
    if (s->next_job < s->num_jobs) {
        step_job(s);
        return false;
    }
    end_batch(s);
    return true;
}

/* ---------------------------------------------------------------------------- others that move */

void fault_service_begin(struct fault_service *s, uint64_t at_ps) {
    const uint64_t changes = __atomic_load_n(&s->blocks->changes, __ATOMIC_RELAXED);
    if (s->changes == changes) return;
    s->changes = changes;
    for (uint32_t w = 0; w <= s->blocks->end / WORD; w++)
        for (uint64_t left = s->mine[w]; left; left &= left - 1) {
            const uint32_t block = w * WORD + (uint32_t)__builtin_ctzll(left);
            if (s->blocks->block[block].place != s->config.place) tell_one(s, block, at_ps, false);
        }
}

uint64_t fault_service_moves(const struct fault_service *s, uint64_t address, uint64_t bytes,
                             uint8_t place) {
    const struct managed_range r = managed_range_of(s->blocks, address, bytes);
    uint64_t sum = 0;
    for (uint32_t b = r.first; b < r.end; b++) {
        const uint8_t now = s->blocks->block[b].place;
        if (now != place && now != MANAGED_NOWHERE) sum += managed_block_bytes(s->blocks, b);
    }
    return sum;
}

void fault_service_moved(struct fault_service *s, uint64_t address, uint64_t bytes, uint8_t place,
                         uint64_t at_ps) {
    const struct managed_range r = managed_range_of(s->blocks, address, bytes);
    for (uint32_t b = r.first; b < r.end; b++) {
        if (!s->blocks->block[b].pages) continue;
        move(s, b, place, at_ps);
        if (place == s->config.place) tell_one(s, b, at_ps, true);
    }
}

void fault_service_written(struct fault_service *s, uint64_t address, uint64_t bytes,
                           uint64_t at_ps) {
    fault_service_moved(s, address, bytes, s->config.place, at_ps);
}
