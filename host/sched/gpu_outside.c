/* gpu_outside.c - which lines of a GPU are memory outside it or managed memory, and how they are
 * reached: the part of gpu_build.c's configuration that outside_port.h and fault_service.h need.
 * gpu_wire() calls it on the server's thread
 * at creation.
 *
 * The address space numbers lines from the first device's memory on (exec/memory/device_memory.h):
 * the devices, addresses for mappings, host memory, managed memory. Outside are the other devices
 * and the host. Regions begin at multiples of a piece of lines (GROUP_PIECE_BITS), 1 GiB. */
#include <math.h>
#include <string.h>

#include "sched/gpu_internal.h"
#include "timing/clock.h"

enum { LINE = 128, PIECE_SHIFT = GROUP_PIECE_BITS + 7, LEAST_LOCAL = 16 };

static uint64_t pieces_to(uint64_t bytes) {
    return (bytes + (UINT64_C(1) << PIECE_SHIFT) - 1) >> PIECE_SHIFT;
}

/* Marks pieces first .. end - 1 as outside. */
static void mark(struct timing_config *t, uint64_t first, uint64_t end) {
    for (; first < end; first++) t->outside[first / 64] |= UINT64_C(1) << first % 64;
}

/* Marks the memory of other devices, and of the host. @return HEDDLE_ERR_CONFIG: it has lines that
 * the core cannot tell from others. */
static heddle_err find_outside(struct gpu *gpu, struct heddle_diag *diag) {
    const struct exec_memory *m = gpu->options.memory;
    const struct gpu_host_memory *host = &gpu->options.host;
    struct timing_config *t = &gpu->timing;
    const uint64_t devices = m->devices > 1 ? pieces_to(m->devices * m->stride) : 0;
    const uint64_t own = gpu->options.device * m->stride >> PIECE_SHIFT;
    const uint64_t host_first = host->bytes ? (host->address - m->base) >> PIECE_SHIFT : 0;
    const uint64_t host_end = host->bytes ? host_first + pieces_to(host->bytes) : 0;
    const uint64_t most = devices > host_end ? devices : host_end;
    if (most >= GROUP_PIECES)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "devices and host have addresses for %llu GiB of memory, and the timing "
                           "core can tell %u GiB apart: give each device less, such as --set "
                           "dram.size=%llu",
                           (unsigned long long)most, GROUP_PIECES - 1,
                           (unsigned long long)((GROUP_PIECES - 1) / (m->devices + 2)) << 30);
    if (devices) {
        mark(t, 0, own);
        mark(t, own + pieces_to(m->stride), devices);
    }
    mark(t, host_first, host_end);
    return HEDDLE_OK;
}

/* Whether local memory may have a piece: it is not outside, nor of managed memory that migrates. */
static bool is_free(const struct timing_config *t, unsigned piece) {
    const struct managed_blocks *m = t->managed;
    if (group_is_outside(t->outside, piece << GROUP_PIECE_BITS)) return false;
    if (!m) return true;
    const uint64_t end = m->first_line + ((uint64_t)m->count << MANAGED_LINE_BITS);
    const uint64_t line = (uint64_t)piece << GROUP_PIECE_BITS,
                   next = line + (1 << GROUP_PIECE_BITS);
    return next <= m->first_line || line >= end;
}

/* The longest row of pieces from `first` on that are free; its length. */
static unsigned longest_row(const struct timing_config *t, unsigned first, unsigned *begin) {
    unsigned best = 0;
    for (unsigned i = first; i < GROUP_PIECES; i++) {
        unsigned n = 0;
        while (i + n < GROUP_PIECES && is_free(t, i + n)) n++;
        if (n > best) {
            best = n;
            *begin = i;
        }
        i += n;
    }
    return best;
}

/* Local memory has free lines: from GROUP_LOCAL_LINES on, unless there are few. @return whether
 * these are enough. */
static bool find_local(struct timing_config *t) {
    const unsigned usual = GROUP_LOCAL_LINES >> GROUP_PIECE_BITS;
    unsigned begin = usual, count = 0;
    while (usual + count < GROUP_PIECES && is_free(t, usual + count)) count++;
    if (count < LEAST_LOCAL) count = longest_row(t, usual, &begin);
    const uint64_t end = (uint64_t)(begin + count) << GROUP_PIECE_BITS;
    t->local_line = begin << GROUP_PIECE_BITS;
    t->local_end = end < TIMING_CODE_BASE ? (uint32_t)end : TIMING_CODE_BASE;
    return count >= LEAST_LOCAL;
}

/* Managed memory migrates if it has lines of its own: where there are too many of other memory, it
 * shares some with local memory, and stays each GPU's. */
static void place_local(struct gpu *gpu) {
    struct timing_config *t = &gpu->timing;
    struct managed_blocks *m = gpu->options.memory->managed;
    const bool migrates = m && gpu->options.config->managed_migrate && !gpu->options.sample &&
                          !gpu->options.checkpoint &&
                          m->first_line + ((uint64_t)m->count << MANAGED_LINE_BITS) <=
                              TIMING_CODE_BASE;
    t->managed = migrates ? m : NULL;
    if (migrates && !find_local(t)) t->managed = NULL;
    if (!t->managed) find_local(t);
    gpu->scheduling.managed = t->managed ? m : NULL;
}

/* How page faults are served. */
static struct fault_config faults_of(const struct gpu *gpu, uint64_t peer_latency_ps) {
    const struct config *c = gpu->options.config;
    /* the way of an access to the scheduler is a part of the latency */
    const uint64_t way = clock_ps(gpu->timing.lookahead, gpu->timing.khz);
    const uint64_t latency = c->managed_fault_latency * 1000;
    return (struct fault_config){.latency_ps = latency > way ? latency - way : 0,
                                 .batch_ps = c->managed_batch_time * 1000,
                                 .block_ps = c->managed_block_time * 1000,
                                 .batch_faults = (uint32_t)c->managed_batch_faults,
                                 .prefetch_threshold = (unsigned)c->managed_prefetch_threshold,
                                 .link_latency_ps = c->link_latency,
                                 .peer_latency_ps = peer_latency_ps,
                                 .fill_bytes_per_s = (uint64_t)(c->dram_bandwidth * 1e9),
                                 .place = (uint8_t)(MANAGED_DEVICE + gpu->options.device)};
}

/* A latency of the link, ns, that leaves time for messages between core and host. */
static heddle_err latency(const struct gpu *gpu, uint64_t ns, const char *key, uint64_t *out,
                          struct heddle_diag *diag) {
    const uint64_t least = clock_ps(gpu->timing.lookahead, gpu->timing.khz);
    *out = ns * 1000;
    if (*out >= least) return HEDDLE_OK;
    return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                       "%s is %llu ns, but core.look_ahead alone is %llu ps: lower core.look_ahead",
                       key, (unsigned long long)ns, (unsigned long long)least);
}

heddle_err gpu_set_up_outside(struct gpu *gpu, struct heddle_diag *diag) {
    const struct config *c = gpu->options.config;
    struct timing_config *t = &gpu->timing;
    struct scheduler_config *s = &gpu->scheduling;
    const struct gpu_host_memory *host = &gpu->options.host;
    heddle_err e = find_outside(gpu, diag);
    if (e) return e;
    place_local(gpu);
    memcpy(s->outside_pieces, t->outside, sizeof t->outside);
    s->link = (struct packet_link_config){.bytes_per_s = (uint64_t)(c->link_bandwidth * 1e9),
                                          .payload = (uint32_t)c->link_payload,
                                          .request_header = (uint32_t)c->link_request_header,
                                          .answer_header = (uint32_t)c->link_answer_header};
    s->peer_link = (struct packet_link_config){.bytes_per_s = (uint64_t)(c->peer_bandwidth * 1e9),
                                               .payload = (uint32_t)c->peer_payload,
                                               .request_header = (uint32_t)c->peer_request_header,
                                               .answer_header = (uint32_t)c->peer_answer_header};
    const uint64_t l2_cycles = c->network_request_latency + c->l2_latency +
                               c->network_reply_latency;
    s->outside = (struct outside_config){
        .khz = t->khz,
        .half_lookahead = (uint32_t)s->dispatch.half_lookahead,
        .net_request = (uint32_t)c->network_request_latency,
        .net_reply = (uint32_t)c->network_reply_latency,
        .memory = gpu->options.memory,
        .of = {[OUTSIDE_HOST] = {.access_ps = (uint64_t)llround(c->host_memory_latency * 1000),
                                 .bytes_per_s = (uint64_t)(c->host_memory_bandwidth * 1e9),
                                 .places = (uint32_t)c->link_reads},
               [OUTSIDE_PEER] = {
                   .access_ps = clock_ps(l2_cycles, t->khz),
                   .bytes_per_s = (uint64_t)(c->network_clock_mhz * 1e6) * c->l2_slices *
                                  c->l2_slice_bytes,
                   .places = (uint32_t)(c->peer_bandwidth > 0 ? c->peer_reads : c->link_reads)}}};
    if (host->bytes) {
        s->outside.host_first = (host->address - gpu->options.memory->base) / LINE;
        s->outside.host_end = s->outside.host_first + (host->bytes + LINE - 1) / LINE;
    }
    const bool own_link = c->peer_bandwidth > 0; /* else by way of the host */
    e = latency(gpu, c->link_access_latency, "link.access_latency",
                &s->outside.of[OUTSIDE_HOST].latency_ps, diag);
    if (!e)
        e = latency(gpu, own_link ? c->peer_latency : 2 * c->link_access_latency, "peer.latency",
                    &s->outside.of[OUTSIDE_PEER].latency_ps, diag);
    s->copies.peer_latency_ps = s->outside.of[OUTSIDE_PEER].latency_ps;
    s->faults = faults_of(gpu, s->copies.peer_latency_ps);
    return e;
}
