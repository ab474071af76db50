/* group_count.c - what an SM group counts of the instructions that its warps execute: for the CTA,
 * rows FED of tables/kernel_record.def; for each instruction of the launch, code_counts.def. And
 * single counters of its core, for the driving thread.
 *
 * run_warp() of group_feed.c calls group_count() for each record, on the thread that simulates the
 * group. All of this follows from records and coalesced requests, never from time, so it is the
 * same for any placement. Nothing is allocated here. */
#include "core_words.h"
#include "timing/group_internal.h"

enum { SECTOR_BYTES = 32, BANKS_BYTES = 128 /* that shared memory serves in a cycle */ };

static uint64_t round_up(uint64_t n, uint64_t unit) {
    return (n + unit - 1) / unit;
}

/* An access of a warp to memory outside of its SM. */
struct outside_access {
    enum exec_access_kind kind;
    unsigned sectors, excess, turns;
};

/* Fills in the kind of an access with coalesced requests. */
static enum exec_access_kind kind_of(const struct exec_record *r, unsigned mem) {
    if (r->texels) return EXEC_ACCESS_TEXTURE;
    if (r->space == MIR_SPACE_LOCAL)
        return mem == CORE_MEM_STORE ? EXEC_ACCESS_LOCAL_STORE : EXEC_ACCESS_LOCAL_LOAD;
    if (mem == CORE_MEM_RED || mem == CORE_MEM_ATOM) return EXEC_ACCESS_ATOMIC;
    return mem == CORE_MEM_STORE ? EXEC_ACCESS_GLOBAL_STORE : EXEC_ACCESS_GLOBAL_LOAD;
}

/* Measures an access with n > 0 coalesced requests at `line`. The fewest sectors are those that the
 * bytes of its active lanes would fill; lanes that read the same bytes need fewer still. */
static struct outside_access measure(const struct exec_record *r, const struct mir_inst *inst,
                                     unsigned mem, const uint64_t *line, unsigned n) {
    struct outside_access a = {.kind = kind_of(r, mem)};
    const uint64_t bytes = (uint64_t)__builtin_popcount(r->mask) * inst->width;
    const unsigned least = (unsigned)round_up(bytes, SECTOR_BYTES);
    for (unsigned i = 0; i < n; i++) {
        a.sectors += (unsigned)__builtin_popcount(core_line_sectors(&line[i]));
        if (a.kind == EXEC_ACCESS_ATOMIC) a.turns += core_line_turns(&line[i]);
    }
    if (a.kind != EXEC_ACCESS_TEXTURE && a.sectors > least) a.excess = a.sectors - least;
    return a;
}

/* Cycles for which an instruction of the memory pipe occupies the SM's stage, at least
 * (docs/timing-model.md, rule 5). */
static unsigned stage_cycles(const struct timing_group *g, const struct feed_packet *packet,
                             const uint64_t *line, unsigned n) {
    unsigned cycles = g->config->stage_interval, look_ups = 0;
    const unsigned passes = core_packet_passes(packet->w);
    for (unsigned i = 0; i < n; i++) look_ups += core_line_step(&line[i]);
    if (passes > cycles) cycles = passes;
    return look_ups > cycles ? look_ups : cycles;
}

/* Counts the waits of the warp for results of loads that end with this packet. A wait for a
 * dependency barrier waits for all loads that it covers. */
static void count_waits(struct group_warp *gw, const struct feed_packet *packet,
                        struct code_count *counts) {
    const unsigned ended = gw->loads & core_packet_wait_mask(packet->w);
    if (!ended) return;
    gw->cta->fed.memory_waits++;
    gw->loads &= (uint8_t)~ended;
    for (unsigned left = ended; counts && left; left &= left - 1)
        counts[gw->load_pc[__builtin_ctz(left)]].waits++;
}

void group_count(struct timing_group *g, struct group_warp *gw, const struct exec_record *r,
                 const struct feed_packet *packet, const uint64_t *line, unsigned n,
                 const struct exec_access *access) {
    const struct timing_launch *launch = gw->cta->launch;
    const struct mir_function *function = launch->exec.function;
    const struct mir_inst *inst = &function->code[r->pc];
    struct exec_fed_counts *fed = &gw->cta->fed;
    struct code_count *counts = launch->counts;
    struct code_count *own = &g->uncounted;
    const unsigned mem = core_packet_mem(packet->w);
    const struct feed_operands operands = launch->feed->operands[r->pc];
    const unsigned lanes = (unsigned)__builtin_popcount(r->mask);
    fed->register_reads += lanes * operands.reads;
    fed->register_writes += lanes * operands.writes;
    if (counts) {
        counts += (size_t)g->index * function->num_inst;
        own = &counts[r->pc];
        own->warps++;
        own->threads += lanes;
    }
    count_waits(gw, packet, counts);
    if (mem != CORE_MEM_NONE) fed->stage_cycles += stage_cycles(g, packet, line, n);
    if (inst->op == MIR_BRX || (inst->op == MIR_BRA && inst->guard != MIR_PT)) fed->branches++;
    if (r->flags & EXEC_REC_DIVERGED) {
        fed->divergent_branches++;
        own->divergent++;
    }
    if (n) {
        const struct outside_access a = measure(r, inst, mem, line, n);
        fed->l1_requests++;
        fed->l1_lines += n;
        fed->access_requests[a.kind]++;
        fed->access_sectors[a.kind] += a.sectors;
        fed->access_excess[a.kind] += a.excess;
        fed->spill_requests += (inst->flags & MIR_SPILL) != 0;
        own->requests++;
        own->sectors += a.sectors;
        own->excess_sectors += a.excess;
        own->atomic_turns += a.turns;
        if (a.kind == EXEC_ACCESS_ATOMIC)
            for (unsigned i = 0; i < n; i++)
                atomic_lines_count(&g->atomics, core_line_addr(&line[i]),
                                   core_line_turns(&line[i]));
        if (inst->wbar != MIR_NO_BARRIER) {
            gw->loads |= (uint8_t)(1u << inst->wbar);
            gw->load_pc[inst->wbar] = r->pc;
        }
    } else if (access && r->space == MIR_SPACE_SHARED) {
        const uint64_t bytes = (uint64_t)__builtin_popcount(r->mask) * inst->width;
        const uint64_t passes = core_packet_passes(packet->w), least = round_up(bytes, BANKS_BYTES);
        const uint64_t excess = passes > least && passes > 1 ? passes - (least ? least : 1) : 0;
        fed->shared_traffic_bytes += bytes;
        fed->shared_passes += passes;
        fed->conflict_passes += excess;
        own->shared_passes += passes;
        own->conflict_passes += excess;
    }
}

void group_count_pipes(struct timing_group *g, struct group_warp *gw) {
    const struct group_backlog *b = &gw->backlog;
    uint64_t *cycles = gw->cta->fed.pipe_cycles;
    for (uint32_t i = 0; i < b->count; i++) {
        const unsigned cls = core_packet_cls(b->packet[i].w);
        if (cls >= MIR_CLASS_COUNT) continue; /* a Hold */
        const unsigned pipe = g->config->cls[cls].pipe;
        cycles[pipe] += pipe == MIR_PIPE_MIO ? g->config->address_interval
                                             : g->config->cls[cls].interval;
    }
}

uint64_t timing_group_counter(struct timing_group *g, enum core_counter number) {
    const uint64_t count = core_counter(g->core, number);
    heddle_err e = core_failed(g->core);
    if (e && !g->failed) g->failed = heddle_fail(&g->diag, e, "%s", core_error(g->core));
    return count;
}
