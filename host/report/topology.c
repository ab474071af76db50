/* topology.c - draws the simulated node or nodes as an SVG picture (`heddle run --topology`): a CPU
 * on top, below it a frame for each of its GPUs, side by side; below these, with several nodes,
 * what joins them (topology_nodes.c). cmd_run.c calls topology_write() on the main thread before
 * the program starts. Functions read the configuration and the GPU's components, and
 * write to the open file.
 *
 * In a GPU's frame the scheduler is on top, then the SM groups in rows, the crossbar as a bar, and
 * device memory at the bottom. Lines are drawn first, so that boxes cover them. All sizes are
 * pixels. Functions that return heddle_err explain an error in *diag. */
#include "report/topology_nodes.h"

#include <string.h>

#include "common/output_file.h"
#include "common/svg.h"

enum {
    GROUP_WIDTH = 310,
    GROUP_HEIGHT = 84,
    GROUPS_IN_ROW = 4,
    GAP = TOPOLOGY_GAP,
    BOX = TOPOLOGY_BOX,
    ROOM = TOPOLOGY_ROOM,
    CPU_TOP = 44,
    FRAME_TOP = CPU_TOP + BOX + 60,
    LEAST_WIDTH = 640, /* so that texts fit */
};

/* The frame of a GPU while it is drawn. */
struct frame {
    const struct config *config;
    const struct gpu *gpu;
    FILE *f;
    unsigned device, groups, rows; /* number of the GPU; its SM groups, and rows of them */
    unsigned left, width;          /* of the frame */
};

/* Core cycles in ns. */
static double ns_of(const struct config *c, uint64_t cycles) {
    return (double)cycles * 1000 / c->clock_core_mhz;
}

/* ---- positions */

/* SM groups in a row. */
static unsigned columns(unsigned groups) {
    return groups < GROUPS_IN_ROW ? groups : GROUPS_IN_ROW;
}

/* Width of the frame of a GPU. */
static unsigned frame_width(unsigned groups) {
    unsigned width = columns(groups) * (GROUP_WIDTH + GAP) + GAP;
    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

/* Position of a component: groups are 0..n-1, memory n, the scheduler n + 1. The CPU is drawn
 * apart. */
static struct rect rect_of(const struct frame *fr, uint32_t place) {
    unsigned in_row = columns(fr->groups), below = FRAME_TOP + 30 + BOX + ROOM;
    unsigned used = in_row * (GROUP_WIDTH + GAP) - GAP, first = fr->left + (fr->width - used) / 2;
    if (place < fr->groups)
        return (struct rect){first + place % in_row * (GROUP_WIDTH + GAP),
                             below + place / in_row * (GROUP_HEIGHT + GAP), GROUP_WIDTH,
                             GROUP_HEIGHT};
    struct rect wide = {fr->left + GAP, FRAME_TOP + 30, fr->width - 2 * GAP, BOX};
    if (place == fr->groups)
        wide.y = below + fr->rows * (GROUP_HEIGHT + GAP) + BOX + 2 * ROOM - GAP;
    return wide;
}

/* Position of the crossbar, above device memory. */
static struct rect crossbar_of(const struct frame *fr) {
    struct rect r = rect_of(fr, fr->groups);
    r.y -= BOX + ROOM;
    return r;
}

static unsigned frame_height(const struct frame *fr) {
    return rect_of(fr, fr->groups).y + BOX + GAP - FRAME_TOP;
}

/* ---- drawing */

/* Draws the CPU-GPU link, from the CPU down to the scheduler. */
static void draw_link(const struct frame *fr, const struct gpu_join *join) {
    const struct config *c = fr->config;
    unsigned middle = fr->left + fr->width / 2;
    char text[200];
    fprintf(fr->f,
            "<line class=\"link\" x1=\"%u\" x2=\"%u\" y1=\"%d\" y2=\"%d\" stroke=\"#1a202c\" "
            "stroke-width=\"2\"/>\n",
            middle, middle, CPU_TOP + BOX, FRAME_TOP + 30);
    snprintf(text, sizeof text, "%.5g ns, %.4g GB/s each way, pages of %llu bytes",
             (double)join->latency_ps / 1000, c->link_bandwidth, (unsigned long long)c->link_page);
    topology_label(fr->f, middle + 8, CPU_TOP + BOX + 34, text);
}

/* Draws a connection of the fabric: down from a, along, down or up to b. Groups connect through the
 * crossbar. The first connection of each kind gets a label. */
static void draw_join(const struct frame *fr, const struct gpu_join *join) {
    struct gpu_place a, b;
    if (!gpu_get_place(fr->gpu, join->a, &a) || !gpu_get_place(fr->gpu, join->b, &b)) return;
    if (a.kind == GPU_PLACE_HOST) {
        draw_link(fr, join);
        return;
    }
    struct rect from = rect_of(fr, join->a), to = rect_of(fr, join->b), bar = crossbar_of(fr);
    bool both = a.kind == GPU_PLACE_GROUP && b.kind == GPU_PLACE_GROUP;
    bool memory = a.kind == GPU_PLACE_MEMORY;
    /* lines to memory are beside those to the crossbar */
    unsigned x = to.x + to.width / 2 + (memory ? 30 : 0);
    unsigned from_x = both ? from.x + from.width / 2 : x;
    unsigned from_y = both ? from.y + from.height : memory ? from.y : from.y + from.height;
    unsigned level = both ? bar.y + BOX / 2 : memory ? to.y + to.height : to.y;
    fprintf(fr->f,
            "<polyline class=\"join\" points=\"%u,%u %u,%u %u,%u %u,%u\" fill=\"none\" "
            "stroke=\"%s\"><title>%s %u - %s %u: %.3f ns</title></polyline>\n",
            from_x, from_y, from_x, level, x, level, x, both ? to.y + to.height : level,
            both     ? "#2b6cb0"
            : memory ? "#2e8b57"
                     : "#d97706",
            a.name, join->a, b.name, join->b, (double)join->latency_ps / 1000);
    char text[60];
    snprintf(text, sizeof text, "at least %.1f ns", (double)join->latency_ps / 1000);
    if (!both && !memory && join->b == 0) topology_label(fr->f, x + 6, from_y + 14, text);
    if (memory && join->b == 0) topology_label(fr->f, x + 6, from.y - 8, text);
    if (both && join->a == 0 && join->b == 1) topology_label(fr->f, from_x - 86, bar.y - 8, text);
}

/* Draws an SM group with its parameters, and its line to the crossbar. */
static void draw_group(const struct frame *fr, uint32_t index, const struct gpu_place *p) {
    const struct config *c = fr->config;
    struct rect r = rect_of(fr, index), bar = crossbar_of(fr);
    char text[200];
    fprintf(fr->f, "<line x1=\"%u\" x2=\"%u\" y1=\"%u\" y2=\"%u\" stroke=\"#2b6cb0\"/>\n",
            r.x + r.width / 2, r.x + r.width / 2, r.y + r.height, bar.y);
    topology_box(fr->f, r, "#ebf4ff", "component");
    snprintf(text, sizeof text, "%s %u: %u SMs, thread %u", p->name, index, p->num_sms, p->thread);
    topology_line(fr->f, r, 0, text);
    snprintf(text, sizeof text, "%llu sub-cores, %llu warps an SM, %.5g MHz",
             (unsigned long long)c->sm_subcores, (unsigned long long)c->sm_warps,
             c->clock_core_mhz);
    topology_line(fr->f, r, 1, text);
    snprintf(text, sizeof text, "L1 %g KiB, hit %llu cycles (%.1f ns)",
             (double)(c->l1_sets * c->l1_ways * c->l1_line_bytes) / 1024,
             (unsigned long long)c->pipe_mio_latency, ns_of(c, c->pipe_mio_latency));
    topology_line(fr->f, r, 2, text);
    snprintf(text, sizeof text, "%u slices of L2, %g KiB each, hit %llu cycles", p->slices,
             (double)c->l2_bytes / 1024 / (double)c->l2_slices, (unsigned long long)c->l2_latency);
    topology_line(fr->f, r, 3, text);
}

/* Draws the crossbar with its parameters. */
static void draw_crossbar(const struct frame *fr) {
    const struct config *c = fr->config;
    struct rect r = crossbar_of(fr);
    char text[200];
    topology_box(fr->f, r, "#e6fffa", "network");
    snprintf(text, sizeof text, "Network: request %llu cycles (%.1f ns), reply %llu (%.1f ns)%s",
             (unsigned long long)c->network_request_latency, ns_of(c, c->network_request_latency),
             (unsigned long long)c->network_reply_latency, ns_of(c, c->network_reply_latency),
             c->l2_partitions > 1 ? ", two partitions of L2" : "");
    topology_line(fr->f, r, 0, text);
    snprintf(text, sizeof text,
             "an SM sends %llu and receives %llu bytes a cycle; a slice %llu at %.5g MHz",
             (unsigned long long)c->network_request_bytes,
             (unsigned long long)c->network_reply_bytes, (unsigned long long)c->l2_slice_bytes,
             c->network_clock_mhz);
    topology_line(fr->f, r, 1, text);
}

/* Draws the box of component `index` of the GPU with its parameters: an SM group, memory or the
 * scheduler. */
static void draw_place(const struct frame *fr, uint32_t index, const struct gpu_place *p) {
    const struct config *c = fr->config;
    struct rect r = rect_of(fr, index);
    char text[200];
    if (p->kind == GPU_PLACE_GROUP) {
        draw_group(fr, index, p);
        return;
    }
    topology_box(fr->f, r, p->kind == GPU_PLACE_MEMORY ? "#f0fff4" : "#fffaf0", "component");
    if (p->kind == GPU_PLACE_MEMORY) {
        snprintf(text, sizeof text, "%s, model %s: %g GiB in %llu channels", p->name, c->dram_model,
                 (double)c->dram_bytes / 1073741824, (unsigned long long)c->dram_channels);
        topology_line(fr->f, r, 0, text);
        if (strcmp(c->dram_model, "simple"))
            snprintf(text, sizeof text, "%.4g ns from L2 and back, commands at %.5g MHz",
                     c->dram_latency, c->hbm_clock);
        else
            snprintf(text, sizeof text,
                     "%.4g ns from L2 and back, %.4g GB/s read, %.4g GB/s written", c->dram_latency,
                     c->dram_bandwidth, c->dram_write_bandwidth);
    } else {
        snprintf(text, sizeof text, "%s: kernel queue, SM table of %llu times %llu CTA slots",
                 p->name, (unsigned long long)c->sm_count, (unsigned long long)c->sm_ctas);
        topology_line(fr->f, r, 0, text);
        snprintf(text, sizeof text, "a launch: %.5g cycles, then a CTA of 256 threads every %.3g",
                 c->launch_constant,
                 c->launch_alpha * 65536 + c->launch_beta * 256 + c->launch_gamma);
    }
    topology_line(fr->f, r, 1, text);
}

/* Draws the frame of a GPU with its connections and components. */
static void draw_gpu(const struct frame *fr) {
    const struct config *c = fr->config;
    struct gpu_place place;
    struct gpu_join join;
    fprintf(fr->f,
            "<rect class=\"gpu\" x=\"%u\" y=\"%d\" width=\"%u\" height=\"%u\" rx=\"6\" "
            "fill=\"none\" stroke=\"#1a202c\"/>\n<text x=\"%u\" y=\"%d\" font-weight=\"bold\">GPU "
            "%u: ",
            fr->left, FRAME_TOP, fr->width, frame_height(fr), fr->left + GAP, FRAME_TOP + 20,
            fr->device);
    svg_text(fr->f, c->gpu_name, 30);
    fputs("</text>\n", fr->f);
    for (uint32_t i = 0; gpu_get_join(fr->gpu, i, &join); i++) draw_join(fr, &join);
    draw_crossbar(fr);
    for (uint32_t i = 0; gpu_get_place(fr->gpu, i, &place); i++)
        if (place.kind != GPU_PLACE_HOST) draw_place(fr, i, &place);
}

/* Number of SM groups of a GPU. */
static unsigned count_groups(const struct gpu *gpu) {
    struct gpu_place place;
    unsigned count = 0;
    for (uint32_t i = 0; gpu_get_place(gpu, i, &place); i++) count += place.kind == GPU_PLACE_GROUP;
    return count;
}

/* Draws a CPU above the frames of its GPUs. `nodes`: NULL: there is one node. */
static void draw_cpu(const struct config *config, const struct topology_nodes *nodes,
                     struct rect cpu, FILE *f) {
    char text[160];
    topology_box(f, cpu, "#f7fafc", "component");
    topology_line(f, cpu, 0, "CPU: runs the program");
    snprintf(text, sizeof text, "a CUDA call costs %llu ns",
             (unsigned long long)config->cpu_api_cost);
    topology_line(f, cpu, 1, nodes && *nodes->cpu ? nodes->cpu : text);
}

/* Draws the whole picture into `f`: for each node the frames of its GPUs and the CPU, then what
 * joins the nodes. */
static void draw(const struct config *config, struct gpu *const *gpus, unsigned devices,
                 const struct topology_nodes *nodes, FILE *f) {
    const unsigned groups = count_groups(gpus[0]), width = frame_width(groups);
    const unsigned each = nodes ? devices / nodes->count : devices;
    struct frame fr = {.config = config,
                       .f = f,
                       .groups = groups,
                       .rows = (groups + columns(groups) - 1) / columns(groups),
                       .left = GAP,
                       .width = width};
    const unsigned all = devices * (width + GAP) - GAP;
    const unsigned bottom = FRAME_TOP + frame_height(&fr);
    svg_begin(f, all + 2 * GAP, bottom + GAP + (nodes ? topology_nodes_height() : 0));
    fprintf(f, "<text x=\"24\" y=\"%d\" font-size=\"15\">The simulated %s</text>\n",
            nodes ? 20 : 28, nodes ? "nodes" : "node");
    for (unsigned d = 0; d < devices; d++) {
        fr.device = d;
        fr.gpu = gpus[d];
        fr.left = GAP + d * (width + GAP);
        draw_gpu(&fr);
        if (d % each) continue;
        const struct rect cpu = {fr.left, CPU_TOP, each * (width + GAP) - GAP, BOX};
        draw_cpu(config, nodes, cpu, f);
        if (nodes) topology_draw_node(f, nodes, d / each, cpu, fr.left, width, bottom);
    }
    if (nodes) topology_draw_network(f, nodes, GAP, all, bottom);
    fputs("</svg>\n", f);
}

/* Creates the SVG file `path` and draws the picture. @return HEDDLE_ERR_IO, with text in diag: it
 * cannot be written. */
heddle_err topology_write(const struct config *config, struct gpu *const *gpus, unsigned devices,
                          const struct topology_nodes *nodes, const char *path,
                          struct heddle_diag *diag) {
    struct output_file o;
    heddle_err e = output_file_open(&o, path, OUTPUT_GIVEN, diag);
    if (e) return e;
    draw(config, gpus, devices, nodes, o.f);
    return output_file_commit(&o, false, diag);
}
