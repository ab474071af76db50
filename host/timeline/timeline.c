/* timeline.c - see timeline.h. The parts of the file, and what an event of each kind says.
 *
 * Several GPUs, and the programs, go ahead of each other as the run needs, so each has parts of its
 * own; within one, order follows from target time or the order of calls. */
#include "timeline/timeline.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/memory.h"
#include "timeline/event_tracks.h"
#include "timeline/timeline_counters.h"

/* Parts of a GPU, and the share of the file that those of all GPUs have together, percent. */
enum gpu_part { PART_KERNELS, PART_COPIES, PART_CTAS, PART_COUNTERS, NUM_GPU_PARTS };
static const struct {
    const char *what;
    unsigned percent;
} gpu_parts[NUM_GPU_PARTS] = {
    [PART_KERNELS] = {"kernels", 10},
    [PART_COPIES] = {"copies", 5},
    [PART_CTAS] = {"CTAs", 55},
    [PART_COUNTERS] = {"counters", 5},
};
enum { CALLS_PERCENT = 20, NODES_PERCENT = 5 };

/* Processes of the file: tracks that belong together. */
enum { GPU_PROCESSES = 10, PROCESS_COUNTERS = 0, PROCESS_KERNELS, PROCESS_COPIES, PROCESS_SMS };
enum { FIRST_NODE = 700, FIRST_PROGRAM = 1000 };
/* From 10 on: 0 is a process with a meaning of its own in Perfetto. */
static uint32_t process_of(uint32_t gpu, unsigned which) {
    return (gpu + 1) * GPU_PROCESSES + which;
}

/* The counters of a GPU. */
enum form { FORM_RATE, FORM_LESS, FORM_SHARE, FORM_SECTORS };
static const struct {
    const char *name, *unit;
    enum form form;
    enum core_counter counter, other;
} counters[] = {
#define TIMELINE_COUNTER(name, unit, form, counter, other, meaning) \
    {name, unit, FORM_##form, CORE_COUNTER_##counter, CORE_COUNTER_##other},
#include "tables/timeline_counters.def"
};
enum { NUM_COUNTERS = sizeof counters / sizeof *counters };
static const struct {
    const char *name, *unit;
} node_counters[] = {
#define TIMELINE_NODE_COUNTER(name, unit, part, member, meaning) {name, unit},
#include "tables/timeline_counters.def"
};
/* Each has two places in the intervals of its GPU: counter and other. */
static_assert(2 * NUM_COUNTERS <= SERIES_MOST &&
                  (int)TIMELINE_NUM_NODE_COUNTERS <= (int)SERIES_MOST,
              "the counts of an interval have room");

struct timeline_gpu {
    struct event_part part[NUM_GPU_PARTS];
    struct series series;
};
struct timeline_node {
    struct series series;
    uint64_t before[TIMELINE_NUM_NODE_COUNTERS]; /* at the end of the interval before */
};

struct timeline {
    char *path;
    uint64_t core_khz;
    uint32_t num_gpus, num_nodes;
    struct timeline_gpu *gpus;
    struct timeline_node *nodes;
    struct event_part calls, node_part, names;
    struct event_tracks *tracks;
    uint8_t *named; /* by program: it has a name */
    size_t cap_named, num_named;
};

/* ---- counters */

/* series_write_fn of a GPU. */
static void write_counters(void *user, const struct series *s, const uint64_t *counted,
                           uint64_t begin_ps, double us) {
    struct timeline *t = user;
    struct event_part *part = &t->gpus[s->index].part[PART_COUNTERS];
    const uint32_t process = process_of(s->index, PROCESS_COUNTERS);
    const double cycles = us * (double)t->core_khz * 1e-3;
    for (unsigned i = 0; i < NUM_COUNTERS; i++) {
        const double n = counted ? (double)counted[2 * i] : 0;
        const double other = counted ? (double)counted[2 * i + 1] : 0;
        double value = 0;
        switch (counters[i].form) {
        case FORM_RATE: value = n / cycles; break;
        case FORM_LESS: value = (n - other) / cycles; break;
        case FORM_SHARE: value = other > 0 ? 100 * n / other : 0; break;
        case FORM_SECTORS: value = n * 32 / us * 1e-3; break;
        }
        event_count(part, process, counters[i].name, counters[i].unit, begin_ps, value);
    }
}

/* series_write_fn of a node. */
static void write_node(void *user, const struct series *s, const uint64_t *counted,
                       uint64_t begin_ps, double us) {
    struct timeline *t = user;
    for (unsigned i = 0; i < TIMELINE_NUM_NODE_COUNTERS; i++) {
        const double scale = strcmp(node_counters[i].unit, "GB/s") ? 1 : 1e-3;
        event_count(&t->node_part, FIRST_NODE + s->index, node_counters[i].name,
                    node_counters[i].unit, begin_ps, counted ? (double)counted[i] / us * scale : 0);
    }
}

uint32_t timeline_core_counters(void) {
    uint32_t all = 0;
    for (unsigned i = 0; i < NUM_COUNTERS; i++)
        all |= UINT32_C(1) << counters[i].counter | UINT32_C(1) << counters[i].other;
    return all;
}

void timeline_add_interval(void *user, const struct gpu_interval *interval) {
    struct timeline *t = user;
    uint64_t counted[2 * NUM_COUNTERS];
    for (unsigned i = 0; i < NUM_COUNTERS; i++) {
        counted[2 * i] = interval->counted[counters[i].counter];
        counted[2 * i + 1] = interval->counted[counters[i].other];
    }
    series_add(&t->gpus[interval->device].series, interval->number, counted);
}

void timeline_add_node(struct timeline *t, uint32_t node, uint64_t number,
                       const uint64_t counted[TIMELINE_NUM_NODE_COUNTERS]) {
    struct timeline_node *n = &t->nodes[node];
    uint64_t more[TIMELINE_NUM_NODE_COUNTERS];
    for (unsigned i = 0; i < TIMELINE_NUM_NODE_COUNTERS; i++) more[i] = counted[i] - n->before[i];
    memcpy(n->before, counted, sizeof n->before);
    series_add(&n->series, number, more);
}

/* ---- the file */

heddle_err timeline_open(struct timeline **out, const struct timeline_options *o,
                         struct heddle_diag *diag) {
    static const char WHAT[] = "a timeline";
    struct timeline *t = heddle_alloc(sizeof *t, WHAT);
    const size_t length = strlen(o->directory) + sizeof "/trace.json";
    const uint64_t percent = o->most_bytes / 100;
    t->path = heddle_alloc(length, WHAT);
    snprintf(t->path, length, "%s/trace.json", o->directory);
    t->core_khz = o->core_khz;
    t->num_gpus = o->gpus;
    t->num_nodes = o->nodes;
    t->gpus = heddle_alloc_array(o->gpus, sizeof *t->gpus, WHAT);
    t->nodes = heddle_alloc_array(o->nodes, sizeof *t->nodes, WHAT);
    t->tracks = event_tracks_create();
    const struct series series = {
        .interval_ps = o->interval_ps, .fixed = o->fixed_interval, .user = t};
    heddle_err e = event_part_open(&t->names, o->directory, "names", UINT64_MAX, diag);
    if (!e) e = event_part_open(&t->calls, o->directory, "calls", CALLS_PERCENT * percent, diag);
    if (!e)
        e = event_part_open(&t->node_part, o->directory, "counters of nodes",
                            NODES_PERCENT * percent, diag);
    for (uint32_t g = 0; g < o->gpus && !e; g++) {
        struct series *s = &t->gpus[g].series;
        *s = series;
        s->counts = 2 * NUM_COUNTERS;
        s->write = write_counters;
        s->index = g;
        series_begin(s);
        for (unsigned i = 0; i < NUM_GPU_PARTS && !e; i++)
            e = event_part_open(&t->gpus[g].part[i], o->directory, gpu_parts[i].what,
                                gpu_parts[i].percent * percent / o->gpus, diag);
    }
    for (uint32_t n = 0; n < o->nodes; n++) {
        struct series *s = &t->nodes[n].series;
        *s = series;
        s->counts = TIMELINE_NUM_NODE_COUNTERS;
        s->write = write_node;
        s->index = n;
        series_begin(s);
    }
    if (e) {
        timeline_free(t);
        t = NULL;
    }
    *out = t;
    return e;
}

void timeline_free(struct timeline *t) {
    if (!t) return;
    for (uint32_t g = 0; g < t->num_gpus; g++) {
        for (unsigned i = 0; i < NUM_GPU_PARTS; i++) event_part_close(&t->gpus[g].part[i]);
        series_free(&t->gpus[g].series);
    }
    for (uint32_t n = 0; n < t->num_nodes; n++) series_free(&t->nodes[n].series);
    event_part_close(&t->calls);
    event_part_close(&t->node_part);
    event_part_close(&t->names);
    event_tracks_free(t->tracks);
    free(t->named);
    free(t->gpus);
    free(t->nodes);
    free(t->path);
    free(t);
}

/* The name of a GPU, and with nodes of its node, behind which `what` stands. */
static void name_gpu(const struct timeline *t, uint32_t gpu, const char *what, char *out,
                     size_t size) {
    const uint32_t each = t->num_nodes ? t->num_gpus / t->num_nodes : t->num_gpus;
    if (t->num_nodes)
        snprintf(out, size, "node %u GPU %u: %s", gpu / each, gpu % each, what);
    else
        snprintf(out, size, "GPU %u: %s", gpu, what);
}

static void name_processes(struct timeline *t) {
    static const char *const of_gpu[] = {
        [PROCESS_COUNTERS] = "counters",
        [PROCESS_KERNELS] = "kernels",
        [PROCESS_COPIES] = "copies",
        [PROCESS_SMS] = "CTAs by SM",
    };
    char name[80];
    for (uint32_t g = 0; g < t->num_gpus; g++)
        for (unsigned i = 0; i < sizeof of_gpu / sizeof *of_gpu; i++) {
            const uint32_t process = process_of(g, i);
            name_gpu(t, g, of_gpu[i], name, sizeof name);
            event_name_process(&t->names, process, name, FIRST_PROGRAM + process);
        }
    for (uint32_t n = 0; n < t->num_nodes; n++) {
        snprintf(name, sizeof name, "node %u: network", n);
        event_name_process(&t->names, FIRST_NODE + n, name, FIRST_PROGRAM + FIRST_NODE + n);
    }
    event_tracks_name(t->tracks, &t->names);
}

heddle_err timeline_write(struct timeline *t, uint64_t end_ps, const char *heddle,
                          struct heddle_diag *diag) {
    const size_t most = 3 + (size_t)t->num_gpus * NUM_GPU_PARTS;
    struct event_part **parts = heddle_alloc_array(most, sizeof(struct event_part *),
                                                   "the parts of a timeline");
    unsigned n = 0;
    name_processes(t);
    parts[n++] = &t->names;
    parts[n++] = &t->calls;
    for (uint32_t g = 0; g < t->num_gpus; g++) {
        series_end(&t->gpus[g].series);
        for (unsigned i = 0; i < NUM_GPU_PARTS; i++) parts[n++] = &t->gpus[g].part[i];
    }
    for (uint32_t i = 0; i < t->num_nodes; i++) series_end(&t->nodes[i].series);
    parts[n++] = &t->node_part;
    heddle_err e = event_file_write(t->path, parts, n, end_ps, heddle, diag);
    free(parts);
    return e;
}

/* Adds to a sentence what a part leaves out. */
static void add_left_out(const struct event_part *p, char *text, size_t size) {
    const size_t used = strlen(text);
    if (!p->left_out || used >= size) return;
    snprintf(text + used, size - used, "%s%" PRIu64 " %s from %.3f us on", used ? ", " : "",
             p->left_out, p->what, (double)p->left_from_ps * 1e-6);
}

bool timeline_left_out(const struct timeline *t, char *text, size_t size) {
    char list[400] = "";
    add_left_out(&t->calls, list, sizeof list);
    for (uint32_t g = 0; g < t->num_gpus; g++)
        for (unsigned i = 0; i < NUM_GPU_PARTS; i++)
            add_left_out(&t->gpus[g].part[i], list, sizeof list);
    add_left_out(&t->node_part, list, sizeof list);
    snprintf(text, size, "trace.json has reached its limit (--timeline-limit) and leaves out: %s",
             list);
    return list[0];
}

/* ---- events */

void timeline_add_call(struct timeline *t, const struct timeline_call *c) {
    const uint32_t process = FIRST_PROGRAM + c->program;
    const struct event_row row = {"host thread", process, c->thread, c->thread};
    while (t->num_named <= c->program) {
        t->named = heddle_grow(t->named, &t->cap_named, t->num_named + 1, 1, "programs");
        t->named[t->num_named++] = 0;
    }
    if (!t->named[c->program]) {
        char name[200];
        t->named[c->program] = 1;
        snprintf(name, sizeof name, "program %u: %s", c->program, c->program_name);
        event_name_process(&t->names, process, name, c->program);
    }
    const struct event_track track = event_tracks_lane(t->tracks, &row, 0);
    if (!event_span(&t->calls, track, c->local ? "answered in the program" : c->name, c->begin_ps,
                    c->end_ps))
        return;
    if (c->local)
        event_span_number(&t->calls, "calls", c->local);
    else
        event_span_text(&t->calls, "result", c->result);
    event_span_end(&t->calls);
}

/* Writes an extent of a grid or block, "4x2x1". */
static void put_extent(struct event_part *p, const char *name, const uint32_t v[3]) {
    char text[40];
    snprintf(text, sizeof text, "%ux%ux%u", v[0], v[1], v[2]);
    event_span_text(p, name, text);
}

/* Begins a launch's span. @return its part; NULL: it is left out. */
static struct event_part *begin_kernel(struct timeline *t, const struct gpu_kernel_record *k) {
    struct event_part *p = &t->gpus[k->device].part[PART_KERNELS];
    const struct event_row row = {"stream", process_of(k->device, PROCESS_KERNELS), k->stream,
                                  k->stream};
    const struct event_track track = event_tracks_take(t->tracks, &row, k->start_ps, k->end_ps);
    if (!event_span(p, track, k->name, k->start_ps, k->end_ps)) return NULL;
    event_span_number(p, "launch", k->launch);
    put_extent(p, "grid", k->grid);
    put_extent(p, "block", k->block);
    return p;
}

void timeline_add_kernel(struct timeline *t, const struct gpu_kernel_record *k) {
    if (k->stopped) return; /* timeline_add_given_up() */
    struct event_part *p = begin_kernel(t, k);
    if (!p) return;
    if (k->untimed)
        event_span_text(p, "cycles", "not timed");
    else
        event_span_number(p, "cycles", k->cycles);
    if (k->estimated) event_span_text(p, "estimated", "yes");
    event_span_number(p, "warp_instructions", k->warp_inst);
    event_span_number(p, "registers", k->regs);
    event_span_number(p, "shared_bytes", k->shared_bytes);
    event_span_number(p, "resident_ctas", k->resident_ctas);
    event_span_end(p);
}

void timeline_add_given_up(struct timeline *t, const struct gpu_kernel_record *k) {
    struct event_part *p = begin_kernel(t, k);
    if (!p) return;
    event_span_text(p, "given_up", "yes");
    event_span_end(p);
}

void timeline_add_copy(struct timeline *t, const struct gpu_copy_record *c) {
    static const char *const kinds[] = {
        [GPU_COPY_HOST_TO_DEVICE] = "host to device",
        [GPU_COPY_DEVICE_TO_HOST] = "device to host",
        [GPU_COPY_DEVICE_TO_DEVICE] = "device to device",
        [GPU_MEMSET] = "fill",
        [GPU_COPY_HOST_TO_HOST] = "host to host",
        [GPU_WRITE] = "write",
    };
    struct event_part *p = &t->gpus[c->device].part[PART_COPIES];
    const struct event_row row = {kinds[c->kind], process_of(c->device, PROCESS_COPIES),
                                  (uint32_t)c->kind, EVENT_NO_NUMBER};
    const struct event_track track = event_tracks_take(t->tracks, &row, c->start_ps, c->end_ps);
    if (!event_span(p, track, kinds[c->kind], c->start_ps, c->end_ps)) return;
    event_span_number(p, "bytes", c->bytes);
    event_span_number(p, "stream", c->stream);
    event_span_end(p);
}

/* A kernel's name without its types: "void scale<float>(float *)" is "scale". */
static void short_name(const char *name, char *out, size_t size) {
    if (!strncmp(name, "void ", 5)) name += 5;
    size_t n = strcspn(name, "<(");
    if (!n) n = strlen(name); /* "(anonymous namespace)::scale" */
    snprintf(out, size, "%.*s", (int)(n < size ? n : size - 1), name);
}

void timeline_add_cta(void *user, const struct gpu_cta *c) {
    struct timeline *t = user;
    struct event_part *p = &t->gpus[c->device].part[PART_CTAS];
    const struct event_row row = {"SM", process_of(c->device, PROCESS_SMS), c->sm, c->sm};
    char name[64];
    short_name(c->kernel, name, sizeof name);
    const struct event_track track = event_tracks_lane(t->tracks, &row, c->slot);
    if (!event_span(p, track, name, c->begin_ps, c->end_ps)) return;
    event_span_number(p, "launch", c->launch);
    event_span_number(p, "cta", c->number);
    event_span_end(p);
}
