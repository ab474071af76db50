/* run_setup.c - builds and frees the parts of a `heddle run`: configuration, address space, GPUs
 * and server. cmd_run.c calls it on the main thread. GPUs call the callbacks on_progress(),
 * on_found() and heap_memory() during server_run(). Functions that return heddle_err explain an
 * error in *diag. */
#include "cli/run_setup.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/compile.h"
#include "cli/launcher.h"
#include "cli/resume.h"
#include "cli/run_monitor.h"
#include "cli/run_timeline.h"
#include "cli/sampling.h"
#include "cli/select.h"
#include "common/claim.h"
#include "common/wall_time.h"
#include "cuda/base/findings.h"
#include "node/node_work.h"
#include "report/report.h"
#include "sched/system.h"

/* Callback of a GPU (gpu_progress_fn): on the main thread between windows, or on the thread that
 * runs a kernel functionally while the main thread waits for it. Shows the progress, and looks for
 * programs that have died. */
static void on_progress(void *user, const struct gpu_progress *p) {
    struct run *r = user;
    const double left_s = progress_estimate(&r->estimate, p);
    progress_show(&r->progress, p, left_s);
    run_status_take(&r->progressed, p, left_s);
    r->progressed.wall_s = wall_seconds() - r->begin;
    r->progressed.paused_s = r->paused_s;
    r->progressed.launches_ended = report_launches_count(r->launches);
    status_file_show(&r->status, &r->progressed);
    monitor_tell(r->monitor, &r->progressed);
    if (r->server) server_look_for_deaths(r->server);
}

/* Callback of a GPU (gpu_found_fn), on the main thread: adds a finding to those of the run. */
static void on_found(void *user, const struct gpu_finding *f) {
    const struct run *r = user;
    findings_add(r->server, f);
}

/* Callback of the executor (exec_heap_fn), on the thread whose warp needs the heap of device malloc
 * first, under the lock of the GPU's device io: allocates device memory for it. @return its
 * address, 0 when there is no room. */
static uint64_t heap_memory(void *user, uint64_t bytes) {
    const struct heap *h = user;
    return address_space_alloc(h->space, REGION_DEVICE + h->device, bytes, 0, NULL);
}

gchar *run_core_file(const struct run *r) {
    const struct run_options *o = &r->o;
    const uint32_t sub_cores = (uint32_t)r->config->sm_subcores;
    if (!run_is_timed(o)) return NULL;
    if (o->backend || o->image) return g_strdup(o->backend ? o->backend : o->image);
    if (o->card) return NULL; /* what the cards hold */
    const char *name = run_is_reference(o) ? core_reference(sub_cores) : core_emulation(sub_cores);
    return name ? g_build_filename(r->paths.lib, name, NULL) : NULL;
}

/* Opens the directory of --checkpoint or --resume, if one was given; `path`: the program's file. */
static heddle_err set_up_checkpoint(struct run *r, const char *path, struct heddle_diag *diag) {
    const struct run_options *o = &r->o;
    if (!o->checkpoint && !o->resume) return HEDDLE_OK;
    const char *directory = o->resume ? o->resume : o->checkpoint;
    const char *option = o->resume ? "--resume" : "--checkpoint";
    int error = o->resume && access(directory, F_OK) != 0
                    ? 0 /* resume_open() says so */
                    : claim_directory(&r->checkpoints, directory, NULL);
    if (error == EWOULDBLOCK)
        return heddle_fail(diag, HEDDLE_ERR_ARGUMENT, "%s %s: another run is at work in it", option,
                           directory);
    if (error)
        return heddle_fail(diag, HEDDLE_ERR_IO, "%s: cannot make the directory %s: %s", option,
                           directory, strerror(error));
    gchar *core = run_core_file(r);
    const struct resume_run run = {.directory = directory,
                                   .resume = o->resume != NULL,
                                   .every = (unsigned)o->every,
                                   .program = o->program,
                                   .found = path,
                                   .library = core ? core : "",
                                   .memcheck = o->memcheck,
                                   .config = r->config,
                                   .space = r->space};
    const heddle_err e = resume_open(&r->checkpoint, &run, &r->every, diag);
    g_free(core);
    return e;
}

/* With --nodes: loads the network, which must have room for them, and checks that the timing core
 * can name all memory: it numbers lines with 32 bits. */
static heddle_err set_up_nodes(struct run *r, struct heddle_diag *diag) {
    const struct run_options *o = &r->o;
    const bool timed = run_is_timed(o);
    char nodes[40];
    const char *set = nodes;
    snprintf(nodes, sizeof nodes, "network.nodes=%d", o->nodes);
    heddle_err e = network_config_load(&r->network, o->network ? o->network : "star-100g",
                                       r->paths.networks, &set, 1, diag);
    if (!e)
        e = node_config_load(&r->node, o->node ? o->node : "modern", r->paths.nodes,
                             (const char *const *)o->node_sets,
                             o->node_sets ? g_strv_length(o->node_sets) : 0, diag);
    const uint64_t line = r->config->l1_line_bytes, most = line << 32;
    const uint64_t bytes = address_space_base(r->space, REGION_MANAGED) +
                           address_space_bytes(r->space, REGION_MANAGED) -
                           address_space_base(r->space, REGION_DEVICE);
    if (e || !timed || bytes <= most) return e;
    return heddle_fail(diag, HEDDLE_ERR_CONFIG,
                       "the %u GPUs of %d nodes have %llu GiB of memory, and the timing core "
                       "can tell %llu GiB apart: give each less, such as --set dram.size=%llu",
                       run_gpus(o), o->nodes, (unsigned long long)(bytes >> 30),
                       (unsigned long long)(most >> 30),
                       (unsigned long long)(((most >> 1) / (run_gpus(o) + 2)) >> 30 << 30));
}

/* server_options.pe_changed */
static void pe_changed(void *user, unsigned pe) {
    struct run *r = user;
    if (r->cluster) cluster_pe_changed(r->cluster, pe);
}

/* server_options.pe_refused */
static bool pe_refused(void *user, unsigned *pe, struct heddle_diag *diag) {
    struct run *r = user;
    return r->cluster && cluster_take_refused(r->cluster, pe, diag);
}

/* server_options.network_rests */
static bool network_rests(void *user, uint64_t *sent) {
    const struct run *r = user;
    *sent = 0;
    return !r->cluster || cluster_rests(r->cluster, sent);
}

/* server_options.network_story */
static bool network_story(void *user, unsigned pe, unsigned i, char *text, size_t size) {
    const struct run *r = user;
    return r->cluster && cluster_story(r->cluster, pe, i, text, size);
}

/* server_options.give_up */
static void give_up(void *user) {
    struct run *r = user;
    pes_give_up(&r->pes);
}

/* server_options.host_work */
static uint64_t host_work(void *user, uint64_t operations, uint64_t bytes, uint64_t touched) {
    const struct run *r = user;
    return node_work_ps(r->node, operations, bytes, touched);
}

/* The least time that anything of a CPU takes to reach a GPU or a NIC. */
static uint64_t look_ahead_ps(const struct run *r) {
    const uint64_t gpu = r->config->link_latency;
    const uint64_t nic = r->node ? (uint64_t)(r->node->host_latency * 1000) : gpu;
    return gpu < nic ? gpu : nic;
}

/* With --nodes and timing: joins the nodes. The first GPU of each has its PE. */
static heddle_err join_nodes(struct run *r, struct heddle_diag *diag) {
    struct gpu *first[ADDRESS_SPACE_MAX_DEVICES];
    for (int i = 0; i < r->o.nodes; i++) first[i] = r->gpu[i * r->o.devices];
    const struct cluster_options options = {.design = r->o.service,
                                            .node = r->node,
                                            .network = r->network,
                                            .system = r->system,
                                            .gpu = first,
                                            .nodes = (uint32_t)r->o.nodes,
                                            .pes = &r->pes_of_shmem};
    return cluster_create(&r->cluster, &options, diag);
}

/* server_mpi.post */
static heddle_err post_message(void *user, const struct server_message *m,
                               struct heddle_diag *diag) {
    const struct run *r = user;
    const struct cluster_message message = {.source = m->source,
                                            .target = m->target,
                                            .from = m->from,
                                            .to = m->to,
                                            .bytes = m->bytes,
                                            .at_ps = m->at_ps,
                                            .number = m->number,
                                            .data = m->data,
                                            .into = m->into};
    return cluster_post(r->cluster, &message, diag);
}

/* server_mpi.take */
static bool take_event(void *user, uint32_t *number, bool *arrived, uint64_t *at_ps) {
    const struct run *r = user;
    struct cluster_event event;
    if (!cluster_take_event(r->cluster, &event)) return false;
    *number = event.number;
    *arrived = event.kind == CLUSTER_ARRIVED;
    *at_ps = event.at_ps;
    return true;
}

/* Without nodes a program is a process of MPI all alone, whose calls cost what those of CUDA do. */
static struct server_mpi mpi_of(struct run *r) {
    const struct node_config *n = r->node;
    struct server_mpi mpi = {.call_ps = r->config->cpu_api_cost * 1000, .user = r};
    if (!mpi.call_ps) mpi.call_ps = 1000;
    if (!n) return mpi;
    mpi.call_ps = (uint64_t)llround(n->mpi_call * 1000);
    mpi.send_ps = (uint64_t)llround(n->mpi_send * 1000);
    mpi.receive_ps = (uint64_t)llround(n->mpi_receive * 1000);
    mpi.copy_ps = 1000 / n->mpi_copy;
    mpi.eager = n->mpi_eager;
    mpi.header = n->mpi_header;
    if (r->cluster) mpi.post = post_message;
    if (r->cluster) mpi.take = take_event;
    return mpi;
}

/* The most groups, up to so many, into which a GPU can be divided. */
static gint fitting_groups(const struct config *c, gint groups) {
    while (groups > 1 && ((uint64_t)groups > c->sm_count ||
                          (c->l2_partitions > 1 && c->l2_slices / 2 % (uint64_t)groups)))
        groups--;
    return groups;
}

/* Fills *r, whose options are read: paths, configuration, address space, checkpoints, GPUs and
 * server, in this order. `path`: the program's file, NULL: there is none, and no checkpoints.
 * @return the first error; whatever the result, run_tear_down() frees *r. */
heddle_err run_set_up(struct run *r, const char *path, struct heddle_diag *diag) {
    const struct run_options *o = &r->o;
    if (!cli_find_paths(&r->paths))
        return heddle_fail(diag, HEDDLE_ERR_IO, "cannot find out where Heddle is installed");
    heddle_err e = launcher_check(r->paths.lib, diag);
    if (!e)
        e = config_load(&r->config, o->gpu ? o->gpu : "v100", r->paths.gpus,
                        (const char *const *)o->sets, o->sets ? g_strv_length(o->sets) : 0, diag);
    if (!e && (o->kernels || o->launches))
        e = selection_create(&r->selection, o->kernels, o->launches, diag);
    if (!e && o->plugins) e = plugins_load(&r->plugins, o->plugins, &r->paths, diag);
    if (!e && o->sample) e = sampling_create(&r->sampling, o->sample, o->compare, diag);
    if (e) return e;
    const struct address_space_size size = {.device_bytes = r->config->dram_bytes,
                                            .pinned_bytes = r->config->host_pinned_bytes,
                                            .managed_bytes = r->config->dram_bytes,
                                            .devices = run_gpus(o),
                                            .guard = o->guard,
                                            .track = o->checks & EXEC_CHECK_INIT};
    e = address_space_create(&r->space, &size, diag);
    if (!e && o->nodes) e = set_up_nodes(r, diag);
    if (!e && path) e = set_up_checkpoint(r, path, diag);
    if (e) return e;
    bool timed = run_is_timed(o);
    if (o->auto_groups && !o->card) r->o.sm_groups = fitting_groups(r->config, o->sm_groups);
    r->launches = report_launches_create(r->config, o->timing ? o->timing : "rtl");
    struct gpu_options gpu = {.config = r->config,
                              .memory = address_space_memory(r->space),
                              .host = {address_space_base(r->space, REGION_PINNED),
                                       address_space_bytes(r->space, REGION_PINNED)},
                              .timing = timed ? GPU_TIMING_RTL : GPU_TIMING_NONE,
                              .sm_groups = (unsigned)o->sm_groups,
                              .threads = (unsigned)o->threads,
                              .checks = o->checks | EXEC_CHECK_SYNC, /* which costs nothing */
                              .found = o->stop ? NULL : on_found,
                              .found_user = r,
                              .timeout_ps = (uint64_t)o->timeout_ps,
                              .sample = sampling_options(r->sampling),
                              .checkpoint = r->checkpoint,
                              .progress = on_progress,
                              .moment = run_monitor_hear(r),
                              .progress_user = r,
                              .heap = heap_memory,
                              .simulating = &r->simulating,
                              .ended = run_timeline_ended,
                              .copied = run_timeline_copied,
                              .report_user = r,
                              .timeline = run_timeline_hear(r),
                              .count_code = !o->no_code_counts};
    if (timed) r->system = system_create(gpu.threads);
    gpu.system = r->system;
    gpu.cards = o->card ? cards_cores(o->cards, o->backend, o->image)
                        : (struct core_cards){.library = o->backend};
    if (run_is_reference(o)) gpu.cards.library = r->core = run_core_file(r);
    if (r->plugins) gpu.cards.policy = plugins_policy(r->plugins);
    if (o->inject_latency >= 0) { /* as on a card */
        gpu.cards.overlap = true;
        gpu.cards.round_trip = (uint32_t)llround(o->inject_latency * CARDS_MHZ);
    }
    for (int i = 0; i < (int)run_gpus(o) && !e; i++) {
        r->heap[i] = (struct heap){r->space, (unsigned)i};
        gpu.heap_user = &r->heap[i];
        gpu.device = (uint32_t)i;
        gpu.first_core = (unsigned)(i * o->sm_groups);
        e = gpu_create(&r->gpu[i], &gpu, diag);
    }
    r->pes_of_shmem.count = o->nodes ? (uint32_t)o->nodes : 1;
    if (!e && o->nodes && timed) e = join_nodes(r, diag);
    if (e) return e;
    struct server_options server = {
        .config = r->config,
        .space = r->space,
        .gpu = r->gpu[0],
        .more = r->gpu + 1,
        .num_more = run_gpus(o) - 1,
        .nodes = (unsigned)o->nodes,
        .look_ahead_ps = look_ahead_ps(r),
        .pes = &r->pes_of_shmem,
        .pe_changed = pe_changed,
        .pe_refused = pe_refused,
        .network_rests = network_rests,
        .network_story = network_story,
        .give_up = give_up,
        .pe_user = r,
        .queues_at_host = o->service == DESIGN_DGPU && r->node && r->node->cpu_queues,
        .no_service = o->service >= DESIGN_INTER_KERNEL ? o->design : NULL,
        .host_work = r->node ? host_work : NULL,
        .mpi = mpi_of(r),
        .times = r->selection ? selection_times : NULL,
        .times_user = r->selection,
        .answer = r->checkpoint ? checkpoint_answer : NULL,
        .answer_user = r->checkpoint,
        .compile = compile_texts,
        .called = o->timeline ? run_timeline_called : NULL,
        .called_user = r,
        .leaks = o->leaks,
        .strict_target = o->strict_target};
    return server_create(&r->server, &server, diag);
}

/* Frees everything that run_set_up() made, all or a part, and the options; with the GPUs their
 * timing cores and threads. Unfinished operations are dropped. */
void run_tear_down(struct run *r) {
    /* GPUs before the server: they may hold copies that have not been carried out */
    monitor_free(r->monitor);
    cluster_free(r->cluster);
    for (int i = 0; i < ADDRESS_SPACE_MAX_DEVICES; i++) gpu_free(r->gpu[i]);
    system_free(r->system);
    server_free(r->server);
    pes_free(&r->pes);
    network_config_free(r->network);
    node_config_free(r->node);
    checkpoint_free(r->checkpoint);
    report_launches_free(r->launches);
    timeline_free(r->timeline);
    address_space_free(r->space);
    selection_free(r->selection);
    sampling_free(r->sampling);
    g_free(r->core);
    plugins_free(r->plugins);
    json_decref(r->inputs);
    json_decref(r->host);
    config_free(r->config);
    claim_end(&r->report);
    claim_end(&r->checkpoints);
    run_options_clear(&r->o);
}
