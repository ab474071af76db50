/* gpu_build.c - from the parameters of a GPU to its components: SM groups, memory, scheduler.
 *
 * gpu_create() calls gpu_wire() and gpu_build(), a reset or checkpoint gpu_tear_down() and
 * gpu_build() again, on the server's thread between windows. The functions above gpu_wire() turn
 * struct config (values in the units of gpu_params.def) into gpu->timing, gpu->scheduling and the
 * links; they return HEDDLE_ERR_CONFIG, with text, for values that the core cannot have. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "core_words.h"
#include "sched/gpu_internal.h"
#include "timing/clock.h"

/* The resources of one SM for the occupancy table. */
void gpu_limits(const struct config *c, struct occupancy_table_limits *out) {
    *out = (struct occupancy_table_limits){
        .ctas = (uint32_t)c->sm_ctas,
        .warps = (uint32_t)c->sm_warps,
        .registers = (uint32_t)c->sm_registers,
        .shared_bytes = (uint32_t)c->sm_shared_bytes,
        .barriers = (uint32_t)(c->sm_barriers * c->sm_ctas),
        .placement = warp_placement_of(c->sm_warp_placement),
        .subcores = (uint32_t)c->sm_subcores,
        .register_unit = (uint32_t)c->sm_register_unit,
        .shared_unit = (uint32_t)c->sm_shared_unit,
        .shared_reserved = (uint32_t)c->sm_shared_reserved,
    };
}

/* Appends a parameter of the core (tables/core_params.def) to the list that each group sets. */
static void param(struct timing_config *t, enum core_param number, uint64_t value) {
    t->param[t->num_params].number = number;
    t->param[t->num_params++].value = (uint32_t)value;
}

/* Flags of a latency class in the core: rules 2 and 12 of docs/timing-model.md. */
static uint32_t class_flags(mir_class c, const struct config *config) {
    enum { BLOCKING = 1, SLEEPING = 2, PORTS = 4, REUSE = 8 };
    uint32_t flags = 0;
    if (c == MIR_CLASS_FENCE || c == MIR_CLASS_FENCE_CTA || c == MIR_CLASS_FENCE_SYS)
        flags = BLOCKING;
    if (c == MIR_CLASS_SLEEP) flags = SLEEPING;
    if (config->sm_register_ports && mir_class_ports(c))
        flags |= config->sm_register_reuse ? PORTS | REUSE : PORTS;
    return flags;
}

/* Fills t->cls, the class table of the core, from the parameters pipe.NAME.latency and
 * pipe.NAME.interval (cycles); the memory pipe's interval stays 1. @return the error of
 * config_number(), with text: a parameter is missing. */
static heddle_err set_classes(struct timing_config *t, const struct config *c,
                              struct heddle_diag *diag) {
    const struct {
        const char *prefix;
        mir_pipe pipe;
        uint32_t flags;
    } rows[MIR_CLASS_COUNT] = {
#define CLASS(id, pipe, variable, param, text) {param, pipe, class_flags(MIR_CLASS_##id, c)},
#include "tables/mir_classes.def"
#undef CLASS
    };
    for (unsigned i = 0; i < MIR_CLASS_COUNT; i++) {
        char key[64];
        double latency, interval = 1;
        snprintf(key, sizeof key, "pipe.%s.latency", rows[i].prefix);
        heddle_err e = config_number(c, key, &latency);
        if (!e && rows[i].pipe != MIR_PIPE_MIO) {
            /* The memory pipe's rate is that of the address unit (docs/timing-model.md, rule 4). */
            snprintf(key, sizeof key, "pipe.%s.interval", rows[i].prefix);
            e = config_number(c, key, &interval);
        }
        if (e) return heddle_fail(diag, e, "the GPU's parameters lack %s", key);
        const bool joined = i == MIR_CLASS_FP16 && c->pipe_fp16_tensor;
        t->cls[i].pipe = joined ? MIR_PIPE_TENSOR : rows[i].pipe;
        t->cls[i].interval = (uint32_t)interval;
        t->cls[i].latency = (uint32_t)latency;
        t->cls[i].flags = rows[i].flags;
    }
    return HEDDLE_OK;
}

/* Converts a latency of the memory pipe, in cycles, from `seen` (issue to use, as a program
 * measures it) to *out (the part behind the memory stage, as the core counts it:
 * docs/timing-model.md, rules 4 to 6). `before`: cycles up to the end of the stage. */
static heddle_err behind_stage(uint64_t seen, uint64_t before, const char *key, uint64_t *out,
                               struct heddle_diag *diag) {
    enum { LEAST_BEHIND = 7 }; /* the bounds of rule 10 */
    if (seen < before + LEAST_BEHIND)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "%s is %llu cycles, but address unit, memory stage and the way back "
                           "take at least %llu",
                           key, (unsigned long long)seen,
                           (unsigned long long)before + LEAST_BEHIND);
    *out = seen - before;
    return HEDDLE_OK;
}

/* Appends to gpu->timing.param everything that the groups set in their cores, and fills its class
 * table; set_up_config() has set sizes and windows. Latencies of the memory pipe are converted by
 * behind_stage(). @return HEDDLE_ERR_CONFIG, with text. */
static heddle_err set_params(struct gpu *gpu, struct heddle_diag *diag) {
    const struct config *c = gpu->options.config;
    struct timing_config *t = &gpu->timing;
    enum { AU_DELAY = 3, TO_STAGE = 8, AU_RELEASE = 8, MISS_DELAY = 4, FILL_DELAY = 4 };
    uint64_t stage = c->sm_lsu_interval, before = AU_DELAY + TO_STAGE + stage;
    uint64_t l1 = 0, shared = 0, shuffle = 0, constant = 0;
    heddle_err e = behind_stage(c->pipe_mio_latency, before, "pipe.mio.latency", &l1, diag);
    if (!e) e = behind_stage(c->pipe_shared_latency, before, "pipe.shared.latency", &shared, diag);
    if (!e)
        e = behind_stage(c->pipe_shuffle_latency, before, "pipe.shuffle.latency", &shuffle, diag);
    if (!e) e = behind_stage(c->pipe_const_latency, before, "pipe.const.latency", &constant, diag);
    if (e) return e;
    unsigned policy = !strcmp(c->sm_scheduler, "gto") ? 1 : !strcmp(c->sm_scheduler, "lrr") ? 2 : 0;
    uint64_t slice_bytes = c->l2_bytes / c->l2_slices;
    param(t, CORE_PARAM_NUM_SM, c->sm_count);
    param(t, CORE_PARAM_NUM_SLICES, c->l2_slices);
    param(t, CORE_PARAM_WINDOW, t->window);
    param(t, CORE_PARAM_BUFFER_PACKETS, t->run_ahead);
    param(t, CORE_PARAM_POLICY, policy);
    param(t, CORE_PARAM_AU_DELAY, AU_DELAY);
    param(t, CORE_PARAM_AU_INTERVAL, c->sm_address_interval);
    param(t, CORE_PARAM_AU_RELEASE, AU_RELEASE);
    param(t, CORE_PARAM_STAGE_INTERVAL, stage);
    param(t, CORE_PARAM_L1_LATENCY, l1);
    param(t, CORE_PARAM_SHARED_LATENCY, shared);
    param(t, CORE_PARAM_SHUFFLE_LATENCY, shuffle);
    param(t, CORE_PARAM_CONST_LATENCY, constant);
    param(t, CORE_PARAM_BARRIER_LATENCY, c->pipe_ctabar_latency);
    param(t, CORE_PARAM_L1_WAYS, c->l1_ways);
    param(t, CORE_PARAM_L1_SETS, c->l1_sets);
    param(t, CORE_PARAM_MISS_DELAY, MISS_DELAY);
    param(t, CORE_PARAM_FILL_DELAY, FILL_DELAY);
    param(t, CORE_PARAM_NET_REQUEST, c->network_request_latency);
    param(t, CORE_PARAM_NET_REPLY, c->network_reply_latency);
    param(t, CORE_PARAM_REPLY_RATE, c->network_reply_bytes / c->l1_sector_bytes);
    param(t, CORE_PARAM_L2_LATENCY, c->l2_latency);
    /* L2 reports a miss to memory at once, and its reply leaves as late after the data as a hit's
     * after the look-up. So replies leave in the order in which they are decided; dram.latency is
     * the rest. */
    param(t, CORE_PARAM_L2_MISS, 1);
    param(t, CORE_PARAM_L2_FILL, c->l2_latency);
    param(t, CORE_PARAM_L2_SETS, slice_bytes / (c->l2_ways * c->l1_line_bytes));
    param(t, CORE_PARAM_HASH, t->l2_layout.hash);
    param(t, CORE_PARAM_INTERLEAVE, t->l2_layout.interleave);
    param(t, CORE_PARAM_LOOKAHEAD, t->lookahead);
    const double l2_cycle = 256 * c->clock_core_mhz / c->network_clock_mhz;
    param(t, CORE_PARAM_ATOMIC_TIME, (uint64_t)llround((double)c->l2_atomic_interval * l2_cycle));
    param(t, CORE_PARAM_PARTITIONS, c->l2_partitions);
    param(t, CORE_PARAM_NET_CROSS, c->network_partition_latency);
    param(t, CORE_PARAM_FLIT_SECTORS, c->l2_slice_bytes / c->l1_sector_bytes);
    param(t, CORE_PARAM_FLIT_TIME, (uint64_t)llround(l2_cycle));
    param(t, CORE_PARAM_PORT_TIME, t->port_time);
    param(t, CORE_PARAM_L2_FETCH, c->l2_fetch_bytes / c->l1_sector_bytes);
    param(t, CORE_PARAM_L2_DIRTY_WAYS, c->l2_dirty_ways);
    const uint64_t pinned = c->l2_max_pinned_ways;
    param(t, CORE_PARAM_L2_PINNED_WAYS, c->l2_partitions > 1 && pinned > 7 ? 7 : pinned);
    param(t, CORE_PARAM_DRAM_ENTRIES, c->l2_dram_entries);
    param(t, CORE_PARAM_PORT_CREDITS, c->network_credits);
    param(t, CORE_PARAM_INSTANCES, t->num_groups);
    param(t, CORE_PARAM_CODE_WAYS, c->icache_ways);
    param(t, CORE_PARAM_CODE_SETS, c->icache_sets);
    param(t, CORE_PARAM_CODE_PREFETCH, c->icache_prefetch);
    param(t, CORE_PARAM_CODE_WAY, c->icache_way);
    param(t, CORE_PARAM_CODE_SHARED, c->icache_shared);
    param(t, CORE_PARAM_CODE_BASE, TIMING_CODE_BASE);
    param(t, CORE_PARAM_CONST_WAYS, c->ccache_ways);
    param(t, CORE_PARAM_CONST_SETS, c->ccache_sets);
    param(t, CORE_PARAM_CONST_MISS, c->ccache_miss);
    param(t, CORE_PARAM_CONST_HOLD, c->ccache_hold);
    param(t, CORE_PARAM_CONST_SHARED, c->ccache_shared);
    param(t, CORE_PARAM_CONST_FILL, c->ccache_shared_miss);
    param(t, CORE_PARAM_WRITE_PORTS, c->sm_register_write_ports);
    return set_classes(t, c, diag);
}

/* Fills gpu->timing and gpu->scheduling from the GPU's parameters and options; no window is longer
 * than the network's latencies. @return HEDDLE_ERR_CONFIG, with text: the SMs or slices do not
 * divide among the groups, or the error of set_params(). */
static heddle_err set_up_config(struct gpu *gpu, struct heddle_diag *diag) {
    const struct config *c = gpu->options.config;
    struct timing_config *t = &gpu->timing;
    struct scheduler_config *s = &gpu->scheduling;
    t->cards = gpu->options.cards;
    t->watch = gpu->options.count_code && !gpu->options.checkpoint;
    t->first_core = gpu->options.first_core;
    t->sub_cores = (uint32_t)c->sm_subcores;
    t->barrier_interval = (uint32_t)c->pipe_ctabar_interval;
    t->address_interval = (uint32_t)c->sm_address_interval;
    t->stage_interval = (uint32_t)c->sm_lsu_interval;
    t->khz = (uint64_t)llround(c->clock_core_mhz * 1000);
    t->num_sms = (uint32_t)c->sm_count;
    t->num_slices = (uint32_t)c->l2_slices;
    t->num_groups = gpu->options.sm_groups;
    t->l2_layout = (struct l2_layout){.slices = t->num_slices,
                                      .interleave = (uint32_t)(c->l2_interleave / c->l1_line_bytes),
                                      .hash = strcmp(c->l2_hash, "linear") != 0};
    t->port_time = (uint32_t)(c->l1_sector_bytes / c->network_request_bytes);
    if (t->num_groups > t->num_sms)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG, "%u SM groups cannot be made of %u SMs",
                           t->num_groups, t->num_sms);
    t->run_ahead = (uint32_t)(c->exec_run_ahead < c->core_packets ? c->exec_run_ahead
                                                                  : c->core_packets);
    t->hold_place = t->run_ahead < c->core_packets;
    t->texture_lanes = (uint32_t)c->sm_texture_lanes;
    t->replay = (uint32_t)c->pipe_const_replay;
    const double turn = (double)c->l2_atomic_interval / 256;
    t->repeat[0] = (uint16_t)llround(c->l2_atomic_repeat / turn);
    t->repeat[1] = (uint16_t)llround(c->l2_atomic_repeat_float / turn);
    t->code_launched = (uint32_t)(c->icache_launch_bytes / MIR_INST_BYTES);
    t->lookahead = (uint32_t)c->core_look_ahead;
    t->window = (uint32_t)c->core_window;
    param(t, CORE_PARAM_SCRUB, (uint32_t)c->core_scrub);
    t->delay_seed = (uint32_t)c->test_host_delay_seed;
    if (t->window > c->network_request_latency) t->window = (uint32_t)c->network_request_latency;
    if (t->window > c->network_reply_latency) t->window = (uint32_t)c->network_reply_latency;
    if (c->l2_partitions > 1) {
        if (t->window > c->network_partition_latency)
            t->window = (uint32_t)c->network_partition_latency;
        if (c->l2_slices / 2 % t->num_groups)
            return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                               "%u SM groups cannot be made of %llu slices in two partitions: half "
                               "the slices must divide among them",
                               t->num_groups, (unsigned long long)c->l2_slices);
    }
    uint64_t half = t->lookahead / 2;
    *s = (struct scheduler_config){
        .dispatch = {.khz = t->khz,
                     .half_lookahead = half,
                     .replace = c->launch_replace,
                     .num_sms = t->num_sms,
                     .limits = gpu->limits,
                     .gpu = c,
                     .placement = strcmp(c->sched_placement, "depth")
                                      ? OCCUPANCY_TABLE_BREADTH_FIRST
                                      : OCCUPANCY_TABLE_DEPTH_FIRST,
                     .log = gpu->ctas},
        .copies = {.link_latency_ps = c->link_latency,
                   .link_page = c->link_page,
                   .dram_bytes_per_s = (uint64_t)(c->dram_bandwidth * 1e9),
                   .memory_base = gpu->options.memory->base,
                   .memory_bytes = gpu->options.memory->size},
        .copy_allocates = c->l2_copy_allocates != 0,
        .kernel_flush = c->l2_kernel_flush != 0,
        .l2_bytes = c->l2_bytes,
        .memory_base = gpu->options.memory->base,
        .look_interval_ps = c->launch_word_interval * 1000,
        .ways = {.checkpoint = gpu->options.checkpoint,
                 .sampler = gpu->sampler,
                 .khz = t->khz,
                 .half_lookahead = half},
    };
    heddle_err e = gpu_set_up_outside(gpu, diag);
    return e ? e : set_params(gpu, diag);
}

/* Links the components: half a look-ahead between scheduler or memory and each group, and between
 * scheduler and memory, a window between two groups, the CPU-GPU link's latency from the CPU to the
 * scheduler; of the first two half, with core_cards.overlap. @return HEDDLE_ERR_CONFIG, with text:
 * a window is too short for that. */
static heddle_err join(struct gpu *gpu, struct heddle_diag *diag) {
    struct timing_wiring *w = &gpu->wiring;
    const uint64_t khz = gpu->timing.khz;
    /* a group with two runs under way speaks a window late */
    const unsigned parts = gpu->timing.cards.overlap ? 2 : 1;
    const uint64_t half = clock_ps(gpu->scheduling.dispatch.half_lookahead / parts, khz) -
                          1; /* rounding of cycles to ps */
    const uint64_t window = clock_ps(gpu->timing.window / parts, khz) - 1;
    if (w->num_groups > 1 && gpu->timing.window < parts)
        return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                           "core.window is %u: several SM groups on cards need at least %u",
                           gpu->timing.window, parts);
    heddle_err e = fabric_link(gpu->fabric, w->scheduler_id, w->memory_id, half, diag);
    for (uint32_t i = 0; i < w->num_groups && !e; i++) {
        e = fabric_link(gpu->fabric, w->scheduler_id, w->group_id[i], half, diag);
        if (!e) e = fabric_link(gpu->fabric, w->memory_id, w->group_id[i], half, diag);
        for (uint32_t k = 0; k < i && !e; k++)
            e = fabric_link(gpu->fabric, w->group_id[k], w->group_id[i], window, diag);
    }
    if (e) return e;
    fabric_link_driver(gpu->fabric, w->host_id, w->scheduler_id, gpu->link_latency_ps);
    return HEDDLE_OK;
}

/* Creates gpu->warming, with room for as many lines as L2, for the scheduler as well; lines of
 * local memory have been placed. @return HEDDLE_ERR_NOMEM. */
static heddle_err make_warming(struct gpu *gpu) {
    const struct config *c = gpu->options.config;
    const struct exec_warming_options o = {.cache = (uint32_t)(c->l2_bytes / WARMING_LINE),
                                           .local_line = gpu->timing.local_line,
                                           .sms = (uint32_t)c->sm_count,
                                           .sm_warps = TIMING_MAX_WARPS};
    heddle_err e = exec_warming_create(&gpu->warming, gpu->options.memory, &o);
    gpu->scheduling.ways.warming = gpu->warming;
    return e;
}

/* Once, at creation. Sets gpu->timing, scheduling, wiring, fabric and own_system, lets gpu->ops
 * travel, and adds and links the GPU's components on the fabric, without attaching any. @return
 * HEDDLE_ERR_CONFIG, with text in diag; gpu_unwire() frees what was made. */
heddle_err gpu_wire(struct gpu *gpu, struct heddle_diag *diag) {
    struct timing_wiring *w = &gpu->wiring;
    uint32_t n = gpu->options.sm_groups;
    heddle_err e = set_up_config(gpu, diag);
    if (e) return e;
    if (gpu->sampler && gpu->options.sample->warm && (e = make_warming(gpu)))
        return heddle_fail(diag, e, "out of memory for a GPU");
    struct system *system = gpu->options.system;
    if (!system) {
        system = gpu->own_system = system_create(gpu->options.threads);
    }
    gpu->fabric = w->fabric = system_fabric(system);
    w->launches = &gpu->launches;
    w->num_groups = n;
    w->group_id = heddle_alloc_array(n, sizeof *w->group_id, "SM groups");
    gpu->groups = heddle_alloc_array(n, sizeof(struct timing_group *), "SM groups");
    w->host_id = system_host(system);
    for (uint32_t i = 0; i < TIMING_CUSTOMERS; i++) w->customer_id[i] = TIMING_NO_CUSTOMER;
    for (uint32_t i = 0; i < n; i++)
        w->group_id[i] = fabric_add(gpu->fabric, "SM group", &timing_group_ops, NULL, i);
    w->memory_id = fabric_add(gpu->fabric, "device memory", &memory_port_ops, NULL, 0);
    w->scheduler_id = fabric_add(gpu->fabric, "GPU scheduler", &scheduler_ops, NULL, 0);
    ops_let_travel(gpu->ops);
    return join(gpu, diag);
}

/* Frees what gpu_wire() allocated, also after its error. A system of its own goes with its fabric
 * and threads; the places on a shared fabric stay, empty. */
void gpu_unwire(struct gpu *gpu) {
    system_free(gpu->own_system);
    free(gpu->groups);
    gpu->groups = NULL;
    free(gpu->wiring.group_id);
    gpu->own_system = NULL;
    gpu->fabric = NULL;
    gpu->wiring = (struct timing_wiring){0};
}

/* Creates the SM groups (opens their cores), memory port and scheduler, and attaches them to the
 * places of gpu_wire(). @return an error with text in diag (CONFIG, BACKEND, PROTOCOL, NOMEM,
 * ARGUMENT); gpu_tear_down() then frees the part that was built. */
heddle_err gpu_build(struct gpu *gpu, struct heddle_diag *diag) {
    struct timing_wiring *w = &gpu->wiring;
    const struct config *c = gpu->options.config;
    heddle_err e = HEDDLE_OK;
    for (uint32_t i = 0; i < w->num_groups && !e; i++)
        e = timing_group_create(&gpu->groups[i], &gpu->timing, w, i, gpu->options.memory, diag);
    struct dram_spec spec = {0};
    bool simple = strcmp(c->dram_model, "simple") == 0;
    if (!e && !simple) e = dram_spec_create(&spec, c, diag);
    struct hbm_config hbm = {
        .spec = simple ? NULL : &spec,
        .num_channels = (uint32_t)c->dram_channels,
        .num_slices = (uint32_t)c->l2_slices,
        .latency_ps = (uint64_t)llround(c->dram_latency * 1000),
        .channel_bytes_per_s = (uint64_t)(c->dram_bandwidth * 1e9 / (double)c->dram_channels),
        .channel_write_bytes_per_s = (uint64_t)(c->dram_write_bandwidth * 1e9 /
                                                (double)c->dram_channels),
        .turnaround = c->dram_turnaround,
        .drain_sectors = (uint32_t)c->dram_drain,
        .pause_ps = (uint64_t)llround(c->dram_pause * 1000),
        .pause_interval_ps = (uint64_t)llround(c->dram_pause_interval * 1000)};
    if (!e)
        e = memory_port_create(&gpu->memory, c->dram_model, &hbm, gpu->timing.khz,
                               gpu->scheduling.dispatch.half_lookahead, &gpu->timing.l2_layout, w,
                               cache_curve_create(c->l2_bytes, c->l2_dirty_ways), diag);
    const struct managed_blocks *managed = gpu->timing.managed;
    if (!e && managed) memory_port_migrate(gpu->memory, managed->first_line, managed->count);
    if (!e) {
        e = scheduler_create(&gpu->scheduler, &gpu->scheduling, w, gpu->ops);
        if (e) heddle_fail(diag, e, "the scheduler could not be made: %s", heddle_err_text(e));
    }
    if (e) return e;
    for (uint32_t i = 0; i < TIMING_CUSTOMERS; i++)
        if (w->customer_id[i] != TIMING_NO_CUSTOMER) scheduler_set_customers(gpu->scheduler);
    if (gpu->watched) scheduler_set_watcher(gpu->scheduler, gpu->watcher);
    if (gpu->served_end) scheduler_set_served(gpu->scheduler, gpu->served_first, gpu->served_end);
    for (uint32_t i = 0; i < w->num_groups; i++)
        fabric_attach(gpu->fabric, w->group_id[i], gpu->groups[i]);
    fabric_attach(gpu->fabric, w->memory_id, gpu->memory);
    fabric_attach(gpu->fabric, w->scheduler_id, gpu->scheduler);
    return HEDDLE_OK;
}

/* Round-robin share of one group. */
static uint32_t share(uint64_t all, uint32_t groups, uint32_t index) {
    return (uint32_t)((all + groups - 1 - index) / groups);
}

/* Component number of a GPU's place. Places are numbered: groups from 0, memory, scheduler, CPU. */
static uint32_t place_id(const struct timing_wiring *w, uint32_t index) {
    return index < w->num_groups        ? w->group_id[index]
           : index == w->num_groups     ? w->memory_id
           : index == w->num_groups + 1 ? w->scheduler_id
                                        : w->host_id;
}

/* Fills *out with component `index` of the GPU for pictures; reads wiring and configuration.
 * @return false: there is none of that number; with timing off there are none. */
bool gpu_get_place(const struct gpu *gpu, uint32_t index, struct gpu_place *out) {
    const struct timing_wiring *w = &gpu->wiring;
    const struct config *c = gpu->options.config;
    struct fabric_place place;
    if (!gpu->fabric || index > w->num_groups + 2 ||
        !fabric_get_place(gpu->fabric, place_id(w, index), &place))
        return false;
    *out = (struct gpu_place){.name = place.name, .thread = place.thread};
    out->kind = index < w->num_groups        ? GPU_PLACE_GROUP
                : index == w->num_groups     ? GPU_PLACE_MEMORY
                : index == w->num_groups + 1 ? GPU_PLACE_SCHEDULER
                                             : GPU_PLACE_HOST;
    if (out->kind == GPU_PLACE_GROUP) {
        out->num_sms = share(c->sm_count, w->num_groups, index);
        out->slices = share(c->l2_slices, w->num_groups, index);
    }
    return true;
}

/* Finds the place of a component number on this GPU. @return false: it is another GPU's. */
static bool place_of(const struct timing_wiring *w, uint32_t id, uint32_t *index) {
    for (*index = 0; *index <= w->num_groups + 2; ++*index)
        if (place_id(w, *index) == id) return true;
    return false;
}

/* Fills *out with the GPU's index-th link, found among the links of the fabric. @return false:
 * there is none of that number; with timing off there are none. */
bool gpu_get_join(const struct gpu *gpu, uint32_t index, struct gpu_join *out) {
    struct fabric_join join;
    if (!gpu->fabric) return false;
    for (uint32_t i = 0; fabric_get_join(gpu->fabric, i, &join); i++) {
        if (!place_of(&gpu->wiring, join.a, &out->a) || !place_of(&gpu->wiring, join.b, &out->b))
            continue;
        out->latency_ps = join.latency_ps;
        if (!index--) return true;
    }
    return false;
}

/* Detaches and frees the components, all or a part; closes their cores. Messages under way are
 * lost. Kernels and operations stay. Does nothing with timing off. */
void gpu_tear_down(struct gpu *gpu) {
    struct timing_wiring *w = &gpu->wiring;
    for (uint32_t i = 0; gpu->groups && i < w->num_groups; i++) {
        fabric_detach(gpu->fabric, w->group_id[i]);
        timing_group_free(gpu->groups[i]);
        gpu->groups[i] = NULL;
    }
    if (gpu->groups) {
        fabric_detach(gpu->fabric, w->memory_id);
        fabric_detach(gpu->fabric, w->scheduler_id);
    }
    scheduler_free(gpu->scheduler);
    memory_port_free(gpu->memory);
    gpu->scheduler = NULL;
    gpu->memory = NULL;
}
