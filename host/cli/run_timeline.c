/* run_timeline.c - see run_timeline.h. */
#include "cli/run_timeline.h"

#include "report/report.h"
#include "timeline/timeline.h"

enum { DEFAULT_INTERVAL_PS = 500000 };

static void on_cta(void *user, const struct gpu_cta *c) {
    const struct run *r = user;
    timeline_add_cta(r->timeline, c);
}

/* The first GPU of a node tells of its node as well. */
static void on_interval(void *user, const struct gpu_interval *i) {
    const struct run *r = user;
    timeline_add_interval(r->timeline, i);
    if (!r->cluster || i->device % (uint32_t)r->o.devices) return;
    const uint32_t node = i->device / (uint32_t)r->o.devices;
    const uint64_t counted[TIMELINE_NUM_NODE_COUNTERS] = {
#define TIMELINE_NODE_COUNTER(name, unit, part, member, meaning) \
    cluster_statistic(r->cluster, node, NODE_STATISTIC_##part##_##member),
#include "tables/timeline_counters.def"
    };
    timeline_add_node(r->timeline, node, i->number, counted);
}

static void on_given_up(void *user, const struct gpu_kernel_record *k) {
    const struct run *r = user;
    timeline_add_given_up(r->timeline, k);
}

const struct gpu_timeline *run_timeline_hear(struct run *r) {
    if (!r->o.timeline) return NULL;
    const double interval_ps = r->o.interval_ps > 0 ? r->o.interval_ps : DEFAULT_INTERVAL_PS;
    r->hears = (struct gpu_timeline){.interval_ps = (uint64_t)interval_ps,
                                     .counters = timeline_core_counters(),
                                     .cta = on_cta,
                                     .interval = on_interval,
                                     .given_up = on_given_up,
                                     .user = r};
    return &r->hears;
}

void run_timeline_ended(void *user, const struct gpu_kernel_record *k) {
    const struct run *r = user;
    report_launches_add(r->launches, k);
    if (r->timeline) timeline_add_kernel(r->timeline, k);
}

void run_timeline_copied(void *user, const struct gpu_copy_record *c) {
    const struct run *r = user;
    report_launches_copy(r->launches, c);
    if (r->timeline) timeline_add_copy(r->timeline, c);
}

void run_timeline_called(void *user, const struct server_call *c) {
    const struct run *r = user;
    timeline_add_call(r->timeline, &(struct timeline_call){.name = c->name,
                                                           .result = c->result,
                                                           .program_name = c->program_name,
                                                           .program = (uint32_t)c->program,
                                                           .thread = c->thread,
                                                           .begin_ps = c->begin_ps,
                                                           .end_ps = c->end_ps,
                                                           .local = c->local});
}

heddle_err run_timeline_open(struct run *r, struct heddle_diag *diag) {
    if (!r->o.timeline) return HEDDLE_OK;
    const struct timeline_options options = {
        .directory = run_directory(&r->o),
        .most_bytes = (uint64_t)r->o.timeline_mb * 1000000,
        .interval_ps = r->hears.interval_ps,
        .fixed_interval = r->o.interval_ps > 0,
        .gpus = run_gpus(&r->o),
        .nodes = r->cluster ? (uint32_t)r->o.nodes : 0,
        .core_khz = (uint64_t)(r->config->clock_core_mhz * 1000 + 0.5)};
    return timeline_open(&r->timeline, &options, diag);
}

bool run_timeline_write(const struct run *r, uint64_t end_ps, char *note, size_t size) {
    struct heddle_diag diag = {0};
    *note = 0;
    if (!r->timeline) return true;
    if (!timeline_left_out(r->timeline, note, size)) *note = 0;
    heddle_err e = timeline_write(r->timeline, end_ps, HEDDLE_VERSION, &diag);
    if (e) cli_error("the timeline: %s", diag.text);
    if (*note) fprintf(stderr, "heddle: %s\n", note);
    return !e;
}
