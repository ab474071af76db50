/* gpu_records.c - the figures of a GPU's report: a record per kernel, and the statistics of the
 * whole run.
 *
 * gpu_timed.c and gpu_immediate.c add records as kernels begin and end, the report code reads them;
 * all between windows, on the server's thread. The core counts for all kernels together, and a
 * reading between windows is exact only while no kernel runs. A kernel's figures are therefore the
 * counts of its period, the time of uninterrupted work in which it ran. Kernels that overlap share
 * one count, and each one's record shows it. */
#include <string.h>

#include "common/memory.h"
#include "common/wall_time.h"
#include "sched/gpu_internal.h"
#include "timing/clock.h"

/* *out: the sum of the counters of all groups' cores, read over XRT, and of replaced components. A
 * counter that cannot be read counts as 0, and its group has then failed. */
void gpu_counters(const struct gpu *gpu, struct timing_counters *out) {
    *out = gpu->past;
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++) {
        struct timing_counters c;
        if (!gpu->groups[i]) continue; /* the components could not be made anew */
        timing_group_counters(gpu->groups[i], &c);
        for (unsigned n = 0; n < CORE_NUM_COUNTERS; n++) out->of[n] += c.of[n];
        out->waits += c.waits;
        out->pins.begun += c.pins.begun;
        out->pins.refused += c.pins.refused;
        out->pins.dropped += c.pins.dropped;
        out->pins.cycles += c.pins.cycles;
    }
}

/* *out: the bytes between L1 and L2 since the components were made, if L1 had other capacities.
 * Complete only when the period that is counted is over: no later one has begun to execute then. */
static void l1_curve(const struct gpu *gpu, struct l1_curve_counts *out) {
    bool idle = scheduler_period(gpu->scheduler) != gpu->busy;
    *out = (struct l1_curve_counts){0};
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++)
        if (gpu->groups[i]) timing_group_l1(gpu->groups[i], idle, out);
}

/* *out: the lanes of atomics at each line since the components were made. */
static void atomics(const struct gpu *gpu, struct atomic_lines *out) {
    *out = (struct atomic_lines){0};
    for (uint32_t i = 0; i < gpu->wiring.num_groups; i++)
        if (gpu->groups[i]) timing_group_atomics(gpu->groups[i], out);
}

/* CTAs of a kernel that have come to their end. */
static uint64_t ctas_done(const struct kernel *k) {
    if (k->counts.ctas) return k->counts.ctas; /* it ran functionally */
    return exec_launch_cancelled(&k->launch.exec) ? k->retired_then : k->retired;
}

/* Adds a record to gpu->records, from the ended kernel and its operation. @return the record, to
 * which the caller adds what only a timed run has; valid as long as the list. */
struct gpu_kernel_record *gpu_record(struct gpu *gpu, const struct kernel *k) {
    gpu->records = heddle_grow(gpu->records, &gpu->cap_records, gpu->num_records + 1,
                               sizeof *gpu->records, "records of kernels");
    struct gpu_kernel_record *r = &gpu->records[gpu->num_records++];
    *r = (struct gpu_kernel_record){.name = k->name,
                                    .launch = k->number,
                                    .device = gpu->options.device,
                                    .stream = k->op->stream,
                                    .ctas_done = ctas_done(k),
                                    .regs = k->launch.exec.function->num_regs,
                                    .shared_bytes = k->launch.exec.shared_bytes,
                                    .shared_config = k->need.shared_size,
                                    .start_ps = k->op->start_ps,
                                    .end_ps = k->op->end_ps,
                                    .ptx_warp_inst = k->counts.ptx_warp_inst,
                                    .warp_inst = k->counts.warp_inst,
                                    .warp_cycles = k->warp_cycles,
                                    .special = k->launch.exec.special,
                                    .wall_s = wall_seconds() - k->wall_begin};
    if (r->special) r->num_special = k->launch.exec.function->num_special;
    r->resident_ctas = k->fit;
    r->occupancy_limit = k->limit;
    r->sm_cycles = k->sm_cycles;
#define FED(member, array) memcpy(&r->member, &k->counts.fed.member, sizeof r->member);
#include "tables/kernel_record.def"
    gpu_record_code(gpu, r, k);
    memcpy(r->thread_inst, k->counts.thread_inst, sizeof r->thread_inst);
    memcpy(r->grid, k->launch.exec.grid, sizeof r->grid);
    memcpy(r->block, k->launch.exec.block, sizeof r->block);
    return r;
}

/* ---- handing over */

/* Keeps a record, which is final, for the next checkpoint. */
static void keep_for_checkpoint(struct gpu *gpu, const struct gpu_kernel_record *r,
                                const struct kernel *k) {
    gpu->since = heddle_grow(gpu->since, &gpu->cap_since, gpu->num_since + 1, sizeof *gpu->since,
                             "launches of a checkpoint");
    struct checkpoint_launch *l = &gpu->since[gpu->num_since++];
    *l = (struct checkpoint_launch){.record = *r,
                                    .name_sum = checkpoint_name_sum(r->name),
                                    .first_cycle = k->first_cycle,
                                    .last_cycle = k->last_cycle,
                                    .end_cycle = k->end_cycle,
                                    .heard_cycle = k->heard_cycle};
    l->record.name = NULL;
    l->record.special = NULL; /* a resumed run counts them again */
    l->record.code = NULL;
}

/* Hands the first `count` records, which are final, to gpu_options.ended and to the next
 * checkpoint; without either they stay. Marks their kernels, which gpu_trim() may then free. */
void gpu_records_hand_over(struct gpu *gpu, size_t count) {
    if (!count || (!gpu->options.ended && !gpu->options.checkpoint)) return;
    for (size_t i = 0; i < count; i++) {
        const struct gpu_kernel_record *r = &gpu->records[i];
        struct kernel *k = gpu->kernels[r->launch & gpu->launches.mask];
        if (gpu->options.checkpoint && !r->stopped) keep_for_checkpoint(gpu, r, k);
        if (gpu->options.ended) gpu->options.ended(gpu->options.report_user, r);
        k->reported = true;
    }
    gpu->num_records -= count;
    memmove(gpu->records, gpu->records + count, gpu->num_records * sizeof *gpu->records);
    gpu->busy_records = gpu->busy_records > count ? gpu->busy_records - count : 0;
}

/* The counts of a period are final when it is over. */
void gpu_records_settle(struct gpu *gpu) {
    uint64_t period = scheduler_period(gpu->scheduler);
    bool over = !period || period != gpu->busy;
    gpu_records_hand_over(gpu, over ? gpu->num_records : gpu->busy_records);
}

/* Hands the record of a copy or fill that has ended to gpu_options.copied. Other operations, and
 * copies that took no time, have none. */
void gpu_copy_hand_over(struct gpu *gpu, const struct op *op) {
    if (!gpu->options.copied || op->kind != OP_COPY || op->state != OP_ENDED || op->given_up ||
        op->copy.kind == GPU_COPY_HOST_TO_HOST || op->copy.kind == GPU_WRITE)
        return;
    const struct gpu_copy_record r = {.kind = op->copy.kind,
                                      .device = gpu->options.device,
                                      .stream = op->stream,
                                      .bytes = op->copy.bytes,
                                      .start_ps = op->start_ps,
                                      .end_ps = op->end_ps};
    gpu->options.copied(gpu->options.report_user, &r);
}

/* A kernel has begun in the last window: reads the counters into k->begin. The first kernel of a
 * period begins gpu->busy. */
void gpu_record_begin(struct gpu *gpu, struct kernel *k) {
    k->wall_begin = wall_seconds();
    /* Its first CTA becomes live half a look-ahead after its start, in a later window. */
    gpu_counters(gpu, &k->begin);
    if (k->period == gpu->busy) return;
    gpu->busy = k->period;
    gpu->busy_begin = k->begin;
    memory_port_curve(gpu->memory, &gpu->busy_curve);
    l1_curve(gpu, &gpu->busy_l1);
    atomics(gpu, &gpu->busy_atomics);
    gpu->busy_outside = (struct outside_counts){0};
    scheduler_outside_counts(gpu->scheduler, &gpu->busy_outside);
    gpu->busy_faults = (struct fault_counts){0};
    scheduler_fault_counts(gpu->scheduler, &gpu->busy_faults);
    gpu->busy_records = gpu->num_records;
    gpu->busy_first = UINT64_MAX;
    gpu->busy_last = 0;
}

/* Difference of a counter between two readings. */
static uint64_t counted(unsigned counter, const struct timing_counters *from,
                        const struct timing_counters *now) {
    return now->of[counter] - from->of[counter];
}

/* Fills the record's CPI stack, in sub-core cycles of the period. The core counts what warps wait
 * for; wait[0], no warp, is the rest of the period. */
static void stack(const struct gpu *gpu, struct gpu_kernel_record *r,
                  const struct timing_counters *from, const struct timing_counters *now) {
    r->issued = counted(CORE_COUNTER_ISSUED, from, now);
    const struct config *c = gpu->options.config;
    r->sub_core_cycles = (gpu->busy_last - gpu->busy_first) * c->sm_subcores * c->sm_count;
    r->wait[0] = r->sub_core_cycles - r->issued;
    for (unsigned i = 1; i < CORE_NUM_WAITS; i++) {
        r->wait[i] = counted(CORE_COUNTER_WAIT_NO_WARP + i, from, now);
        r->wait[0] -= r->wait[i];
    }
}

/* Fills the record's bytes behind other caches, of the period up to `now`. */
static void curves(const struct gpu *gpu, struct gpu_kernel_record *r,
                   const struct cache_curve_counts *now, const struct l1_curve_counts *l1) {
    const struct cache_curve_counts *from = &gpu->busy_curve;
    for (unsigned i = 0; i < CACHE_POINTS; i++) {
        r->curve_read_bytes[i] = now->read_bytes[i] - from->read_bytes[i];
        r->curve_write_bytes[i] = now->write_bytes[i] - from->write_bytes[i];
    }
    for (unsigned i = 0; i < L1_POINTS; i++)
        r->l1_curve_bytes[i] = l1->bytes[i] - gpu->busy_l1.bytes[i];
}

/* Fills the record's bytes of memory outside the GPU. */
static void outside(struct gpu_kernel_record *r, const struct outside_counts *from,
                    const struct outside_counts *now) {
    r->host_read_bytes = now->read_bytes[OUTSIDE_HOST] - from->read_bytes[OUTSIDE_HOST];
    r->host_write_bytes = now->write_bytes[OUTSIDE_HOST] - from->write_bytes[OUTSIDE_HOST];
    r->peer_read_bytes = now->read_bytes[OUTSIDE_PEER] - from->read_bytes[OUTSIDE_PEER];
    r->peer_write_bytes = now->write_bytes[OUTSIDE_PEER] - from->write_bytes[OUTSIDE_PEER];
}

/* Fills the record's page faults. */
static void faults(const struct gpu *gpu, struct gpu_kernel_record *r,
                   const struct fault_counts *now) {
    const struct fault_counts *from = &gpu->busy_faults;
    r->page_faults = now->faults - from->faults;
    r->fault_batches = now->batches - from->batches;
    r->migrated_in_bytes = now->in_bytes - from->in_bytes;
    r->zeroed_bytes = now->zero_bytes - from->zero_bytes;
    r->migrated_out_bytes = now->out_bytes - from->out_bytes;
    r->fault_cycles = clock_cycle_from(now->open_ps - from->open_ps, gpu->timing.khz);
}

/* Writes the counts of the current period, up to now, into all its timed records. Reads the
 * counters of the cores. */
static void share(struct gpu *gpu) {
    struct timing_counters now;
    const struct timing_counters *from = &gpu->busy_begin;
    struct cache_curve_counts now_curve;
    struct l1_curve_counts now_l1;
    struct atomic_lines now_atomics;
    gpu_counters(gpu, &now);
    memory_port_curve(gpu->memory, &now_curve);
    l1_curve(gpu, &now_l1);
    atomics(gpu, &now_atomics);
    uint64_t atomic_turns = atomic_lines_most(&gpu->busy_atomics, &now_atomics);
    struct outside_counts now_outside = {0};
    scheduler_outside_counts(gpu->scheduler, &now_outside);
    struct fault_counts now_faults = {0};
    scheduler_fault_counts(gpu->scheduler, &now_faults);
    for (size_t i = gpu->busy_records; i < gpu->num_records; i++) {
        struct gpu_kernel_record *r = &gpu->records[i];
        if (r->untimed || r->estimated) continue;
#define COUNTED(member, COUNTER, scale) \
    r->member = scale * counted(CORE_COUNTER_##COUNTER, from, &now);
#include "tables/kernel_record.def"
        stack(gpu, r, from, &now);
        curves(gpu, r, &now_curve, &now_l1);
        outside(r, &gpu->busy_outside, &now_outside);
        faults(gpu, r, &now_faults);
        r->atomic_turns = atomic_turns;
    }
}

/* A timed kernel has ended: the period lasts until then, and so do the counts of its records. */
static void extend_period(struct gpu *gpu, const struct kernel *k) {
    if (k->first_cycle < gpu->busy_first) gpu->busy_first = k->first_cycle;
    if (k->last_cycle > gpu->busy_last) gpu->busy_last = k->last_cycle;
    share(gpu);
}

/* Fills the record's cycles of a timed or estimated kernel. */
static void put_cycles(struct gpu_kernel_record *r, const struct kernel *k) {
    r->launch_cycles = k->begin_overhead + (k->end_cycle - k->last_cycle);
    r->cycles = r->launch_cycles + (k->last_cycle - k->first_cycle);
}

/* A kernel has ended in the last window: adds its record. A past one (before the checkpoint) is
 * copied from the checkpoint; an untimed or estimated one has no counts; a timed one extends the
 * period and updates the counts of all the period's records. */
void gpu_record_end(struct gpu *gpu, const struct kernel *k) {
    struct gpu_kernel_record *r = gpu_record(gpu, k);
    if (k->past) { /* in a resumed run, which has executed it again */
        const struct gpu_kernel_record again = *r;
        *r = k->past->record;
        r->name = again.name;
        r->launch = again.launch;
        r->device = again.device;
        r->special = again.special;
        r->num_special = again.num_special;
        r->code = again.code;
        r->replayed_warp_inst = r->warp_inst;
        r->replayed_ptx_warp_inst = r->ptx_warp_inst;
        return;
    }
    r->untimed = k->untimed;
    if (k->untimed) return;
    put_cycles(r, k);
    r->estimated = k->way == SAMPLE_ESTIMATED;
    r->stratum = k->stratum;
    if (r->estimated) return;
    r->counted_cycles = r->cycles - r->launch_cycles;
    extend_period(gpu, k);
}

void gpu_record_stopped(struct gpu *gpu, struct kernel *k) {
    const bool functional = gpu->options.timing == GPU_TIMING_NONE || launch_way_is_functional(k);
    gpu->num_stopped += gpu->options.timing != GPU_TIMING_NONE;
    if (!functional && !k->dispatched) {
        k->reported = true;
        return;
    }
    struct gpu_kernel_record *r = gpu_record(gpu, k);
    r->stopped = true;
    r->untimed = functional && gpu->options.timing != GPU_TIMING_NONE;
    if (functional) return;
    put_cycles(r, k);
    r->counted_cycles = r->cycles - r->launch_cycles;
    extend_period(gpu, k);
}

bool gpu_sampled(const struct gpu *gpu, uint32_t stratum, struct sample_result *out) {
    return gpu->sampler && sampler_result(gpu->sampler, stratum, out);
}

/* The list gpu->records itself. */
const struct gpu_kernel_record *gpu_kernels(const struct gpu *gpu, size_t *count) {
    *count = gpu->num_records;
    return gpu->records;
}

enum statistic_row_number {
#define STATISTIC(id, name, unit, scope, meaning) ROW_##id,
#include "tables/statistics.def"
};

/* @return the value of row `row` of statistics.def for the whole run; 0 for the rows that the CUDA
 * layer counts (HOST_*), and for those of the cores with timing off. With timing on it reads the
 * cores' counters. */
uint64_t gpu_statistic(const struct gpu *gpu, unsigned row) {
    struct timing_counters c = {0};
    uint64_t ended_ps, to_device = gpu->to_device, to_host = gpu->to_host;
    struct outside_counts outside = gpu->outside;
    struct fault_counts faults = gpu->faults;
    bool timed = gpu->options.timing == GPU_TIMING_RTL && gpu->scheduler;
    ops_oldest(gpu->ops, &ended_ps);
    if (timed) {
        gpu_counters(gpu, &c);
        scheduler_link_bytes(gpu->scheduler, &to_device, &to_host);
        scheduler_outside_counts(gpu->scheduler, &outside);
        scheduler_fault_counts(gpu->scheduler, &faults);
        to_device += gpu->to_device;
        to_host += gpu->to_host;
    }
    switch ((enum statistic_row_number)row) { /* no default: the compiler asks for each new row */
    case ROW_CORE_CLOCKS: return c.of[CORE_COUNTER_CLOCKS];
    case ROW_CORE_RUNS: return c.of[CORE_COUNTER_RUNS];
    case ROW_CORE_WAITS: return c.waits;
    case ROW_CORE_CYCLES: return timed ? clock_cycle_from(ended_ps, gpu->timing.khz) : 0;
    case ROW_L1_ACCESSES: return c.of[CORE_COUNTER_L1_ACCESSES];
    case ROW_L1_HITS: return c.of[CORE_COUNTER_L1_HITS];
    case ROW_L2_ACCESSES: return c.of[CORE_COUNTER_L2_ACCESSES];
    case ROW_L2_HITS: return c.of[CORE_COUNTER_L2_HITS];
    case ROW_DRAM_READS: return 32 * c.of[CORE_COUNTER_DRAM_READS];
    case ROW_DRAM_WRITES: return 32 * c.of[CORE_COUNTER_DRAM_WRITES];
    case ROW_LINK_TO_DEVICE: return to_device;
    case ROW_LINK_TO_HOST: return to_host;
    case ROW_PINS: return c.pins.begun;
    case ROW_PINS_REFUSED: return c.pins.refused;
    case ROW_PINS_DROPPED: return c.pins.dropped;
    case ROW_PIN_CYCLES: return c.pins.cycles;
    case ROW_KERNEL_HOST_READS: return outside.read_bytes[OUTSIDE_HOST];
    case ROW_KERNEL_HOST_WRITES: return outside.write_bytes[OUTSIDE_HOST];
    case ROW_KERNEL_PEER_READS: return outside.read_bytes[OUTSIDE_PEER];
    case ROW_KERNEL_PEER_WRITES: return outside.write_bytes[OUTSIDE_PEER];
    case ROW_PAGE_FAULTS: return faults.faults;
    case ROW_FAULT_BATCHES: return faults.batches;
    case ROW_MIGRATED_IN: return faults.in_bytes;
    case ROW_MIGRATED_OUT: return faults.out_bytes;
    case ROW_ZEROED: return faults.zero_bytes;
    case ROW_FAULT_TIME: return faults.open_ps;
    case ROW_HOST_CALLS: /* the CUDA layer counts these */
    case ROW_HOST_TIME:
    case ROW_HOST_PROGRAMS:
    case ROW_HOST_DROPPED: return 0;
    }
    return 0;
}
