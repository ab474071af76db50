/* shadow.c - the check of shared memory (--memcheck): reads of bytes never written
 * (EXEC_CHECK_INIT), and races between the warps of a CTA (EXEC_CHECK_RACE); shadow.h defines a
 * race. cta.c creates and frees a CTA's shadow memory when launch->checks has one of the two flags;
 * access.c and op_barrier.c call the other functions only then, on the thread that runs the CTA.
 * They change w->cta->shadow. What an access shows is a finding (fault.h, exec_found()): the access
 * is noted and the warp goes on, or without a list of findings it stops with a fault.
 *
 * Order is tracked by vector clocks with a component per warp, as in FastTrack: an access happened
 * before the present of warp w if its clock is at most w's component for the other warp. Clocks are
 * kept in any case, words of the check only as launch->checks says. */
#include "exec/check/shadow.h"

#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "exec/check/fault.h"

/* State of four bytes: the last write, the last read. Bit i of a mask stands for byte i. */
struct word {
    uint32_t write_clock, write_pc, read_pc; /* clock: the writer's own at the write */
    uint8_t writer, write_lane, written;     /* warp, lane and bytes of the last write */
    uint8_t reader, read_lane;               /* of the last read, for the message */
    uint8_t known;                           /* bytes that have ever been written */
};

/* The last reads of a word by one warp. */
struct reads {
    uint32_t clock; /* the warp's own */
    uint8_t bytes;
};

/* The shadow memory of a CTA, with its vector clocks: [warp] is the component of a warp. */
struct exec_shadow {
    uint32_t warps;
    uint32_t clock[EXEC_MAX_WARPS][EXEC_MAX_WARPS]; /* what a warp knows of each other one */
    uint32_t order[EXEC_MAX_WARPS];                 /* clock of fences, atomics, strong accesses */
    uint32_t barrier[CTA_BARRIERS][EXEC_MAX_WARPS]; /* clock of the warps that have arrived */
    struct word *word;                              /* [word of shared memory] */
    struct reads *reads;                            /* [word][warps] */
};

/* Allocates shadow memory of the launch's shared memory size, all bytes unwritten, for one CTA; the
 * launch is prepared. @return HEDDLE_OK with *out set, or HEDDLE_ERR_NOMEM with *out NULL. */
heddle_err exec_shadow_create(struct exec_shadow **out, const struct exec_launch *launch) {
    size_t words = launch->shared_bytes / 4 + 1;
    struct exec_shadow *s = heddle_alloc(sizeof *s, "shadow memory");
    *out = s;
    s->warps = launch->program->num_warps;
    s->word = calloc(words, sizeof *s->word);
    s->reads = calloc(words * s->warps, sizeof *s->reads);
    for (uint32_t i = 0; i < s->warps; i++) s->clock[i][i] = 1;
    if (s->word && s->reads) return HEDDLE_OK;
    exec_shadow_free(s);
    *out = NULL;
    return HEDDLE_ERR_NOMEM;
}

/* Frees the shadow memory. Accepts NULL. */
void exec_shadow_free(struct exec_shadow *s) {
    if (!s) return;
    free(s->word);
    free(s->reads);
    free(s);
}

/* Raises the n components of `to` to those of `from`. */
static void join(uint32_t *to, const uint32_t *from, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (from[i] > to[i]) to[i] = from[i];
}

/* A fence, atomic or strong access of the warp, before it is performed: the warp comes behind all
 * earlier ones of the CTA, and later ones come behind it. */
void exec_shadow_order(struct exec_warp *w) {
    struct exec_shadow *s = w->cta->shadow;
    uint32_t *own = s->clock[w->index];
    join(s->order, own, s->warps);
    join(own, s->order, s->warps);
    own[w->index]++; /* later accesses of the warp are not covered by this order */
}

/* The warp arrives at a CTA barrier (0 to 15): the barrier learns what the warp knows and has
 * done. */
void exec_shadow_arrive(struct exec_warp *w, unsigned barrier) {
    struct exec_shadow *s = w->cta->shadow;
    join(s->barrier[barrier], s->clock[w->index], s->warps);
    s->clock[w->index][w->index]++;
}

/* A warp that waited at the barrier leaves: it learns what the barrier knows. */
void exec_shadow_leave(struct exec_warp *w, unsigned barrier) {
    struct exec_shadow *s = w->cta->shadow;
    join(s->clock[w->index], s->barrier[barrier], s->warps);
}

/* All warps have left: the barrier forgets, for its next use. */
void exec_shadow_renew(struct exec_cta *cta, unsigned barrier) {
    memset(cta->shadow->barrier[barrier], 0, sizeof cta->shadow->barrier[barrier]);
}

/* ---- accesses */

/* A finding of one lane's access to shared memory. @return EX_NEXT: go on; EX_FAULT: the launch
 * keeps no findings, so it is the CTA's fault. */
static exec_code find_at(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                         uint64_t address, heddle_err err, bool write) {
    exec_status before = w->status;
    exec_raise_access(w, op, lane, MIR_SPACE_SHARED, address, err, NULL);
    w->cta->fault.write = write;
    return exec_found(w, before);
}

/* The same, HEDDLE_ERR_RACE, with the other access: its warp, lane and instruction. */
static exec_code find_race(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                           uint64_t address, bool write, bool other_write, unsigned warp,
                           unsigned other_lane, uint32_t pc) {
    exec_status before = w->status;
    exec_raise_access(w, op, lane, MIR_SPACE_SHARED, address, HEDDLE_ERR_RACE, NULL);
    w->cta->fault.write = write;
    exec_fault_other(w->cta, other_write, warp * MIR_WARP_SIZE + other_lane, pc);
    return exec_found(w, before);
}

/* @return a warp whose read of some of the bytes warp w does not know; UINT32_MAX: none. */
static uint32_t unordered_reader(const struct exec_shadow *s, const struct exec_warp *w,
                                 const struct reads *reads, uint8_t bytes) {
    for (uint32_t i = 0; i < s->warps; i++)
        if (i != w->index && reads[i].bytes & bytes && reads[i].clock > s->clock[w->index][i])
            return i;
    return UINT32_MAX;
}

/* Checks the bytes of one access that lie in word `at`, then notes them in the word. `clock`: of
 * warp w at the access. A read of an unwritten byte is a finding with EXEC_CHECK_INIT, a race with
 * EXEC_CHECK_RACE. @return EX_NEXT or EX_FAULT. */
static exec_code touch(struct exec_warp *w, const struct exec_op *op, unsigned lane,
                       uint64_t address, uint64_t at, uint8_t bytes, uint32_t clock) {
    struct exec_shadow *s = w->cta->shadow;
    struct word *d = &s->word[at];
    struct reads *reads = &s->reads[at * s->warps];
    unsigned checks = w->cta->launch->checks;
    bool write = op->mem != MIR_MEM_LOAD,
         read = op->mem == MIR_MEM_LOAD || op->mem == MIR_MEM_ATOM || op->mem == MIR_MEM_RED;
    exec_code code = EX_NEXT;
    if (read && checks & EXEC_CHECK_INIT && bytes & ~d->known)
        code = find_at(w, op, lane, address, HEDDLE_ERR_UNINITIALISED, false);
    if (code == EX_NEXT && checks & EXEC_CHECK_RACE) {
        uint32_t reader = write ? unordered_reader(s, w, reads, bytes) : UINT32_MAX;
        if (d->written & bytes && d->writer != w->index &&
            d->write_clock > s->clock[w->index][d->writer])
            code = find_race(w, op, lane, address, write, true, d->writer, d->write_lane,
                             d->write_pc);
        else if (reader != UINT32_MAX) /* only the last reader's thread is known */
            code = find_race(w, op, lane, address, true, false, reader,
                             reader == d->reader ? d->read_lane : 0, d->read_pc);
    }
    if (code != EX_NEXT) return code;
    if (read) {
        struct reads *r = &reads[w->index];
        r->bytes = r->clock == clock ? r->bytes | bytes : bytes;
        r->clock = clock;
        d->reader = (uint8_t)w->index;
        d->read_lane = (uint8_t)lane;
        d->read_pc = exec_pc(w, op);
    }
    if (write) {
        bool same = d->writer == w->index && d->write_clock == clock;
        d->written = same ? d->written | bytes : bytes;
        d->write_clock = clock;
        d->writer = (uint8_t)w->index;
        d->write_lane = (uint8_t)lane;
        d->write_pc = exec_pc(w, op);
        d->known |= bytes;
    }
    return EX_NEXT;
}

/* Checks and notes an access of the lanes of mask, word by word, lowest lane first. `address`: byte
 * offsets of the lanes, in bounds. `strong`: exec_shadow_order() was called for it. A race
 * (HEDDLE_ERR_RACE) or, with EXEC_CHECK_INIT, a read before any write (HEDDLE_ERR_UNINITIALISED)
 * becomes a finding, or the CTA's fault; then later lanes are not noted. @return EX_NEXT or
 * EX_FAULT. */
exec_code exec_shadow_access(struct exec_warp *w, const struct exec_op *op, uint32_t mask,
                             const uint64_t *address, bool strong) {
    /* A strong access counts as before its own order, so all that come later know it. */
    uint32_t clock = w->cta->shadow->clock[w->index][w->index] - strong;
    EACH_SET(l, mask) {
        for (uint64_t a = address[l], end = a + op->width; a < end;) {
            uint64_t next = (a / 4 + 1) * 4 < end ? (a / 4 + 1) * 4 : end;
            uint8_t bytes = (uint8_t)(((1u << (next - a)) - 1) << a % 4);
            if (touch(w, op, l, address[l], a / 4, bytes, clock) != EX_NEXT) return EX_FAULT;
            a = next;
        }
    }
    return EX_NEXT;
}
