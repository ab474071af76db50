/* topology_nodes.c - draws what joins several nodes: command processors, NICs and the network; see
 * topology_nodes.h.
 *
 * Below the first frame of a node's GPUs are the command processor and, to the right, the NIC;
 * below all nodes a bar, the network. */
#include "report/topology_nodes.h"

enum {
    HEIGHT = TOPOLOGY_BOX + 18, /* of a box with three lines */
    WAYS = TOPOLOGY_ROOM + 14,  /* between rows, with two labels */
    NODES_TOP = WAYS,           /* from the frames to the boxes */
    NETWORK_TOP = NODES_TOP + HEIGHT + WAYS,
};

unsigned topology_nodes_height(void) {
    return NETWORK_TOP + HEIGHT + TOPOLOGY_GAP;
}

/* Draws a connection, with its labels at (x, y). */
static void connect(FILE *f, const char *points, const struct topology_way *w, unsigned x,
                    unsigned y) {
    fprintf(f,
            "<polyline class=\"wire\" points=\"%s\" fill=\"none\" stroke=\"#805ad5\" "
            "stroke-width=\"2\"><title>%s</title></polyline>\n",
            points, w->name);
    for (unsigned i = 0; i < 2; i++)
        if (*w->label[i]) topology_label(f, x, y + 14 * i, w->label[i]);
}
static void connect_down(FILE *f, unsigned x, unsigned from, unsigned to,
                         const struct topology_way *w) {
    char points[80];
    snprintf(points, sizeof points, "%u,%u %u,%u", x, from, x, to);
    connect(f, points, w, x + 8, from + 22);
}

static void draw_box(FILE *f, struct rect r, const char *fill, const char *class,
                     const struct topology_text *text) {
    topology_box(f, r, fill, class);
    for (unsigned i = 0; i < 3; i++) topology_line(f, r, i, text->line[i]);
}

/* From the CPU, to the right of the node's GPUs, to the NIC. */
static void connect_cpu(FILE *f, struct rect cpu, struct rect nic, const struct topology_way *w) {
    const unsigned x = cpu.x + cpu.width + TOPOLOGY_GAP / 2;
    const unsigned from = cpu.y + cpu.height / 2, to = nic.y + nic.height / 2;
    char points[120];
    snprintf(points, sizeof points, "%u,%u %u,%u %u,%u %u,%u", cpu.x + cpu.width, from, x, from, x,
             to, nic.x + nic.width, to);
    connect(f, points, w, nic.x, nic.y + nic.height + 14);
}

void topology_draw_node(FILE *f, const struct topology_nodes *n, unsigned node, struct rect cpu,
                        unsigned left, unsigned width, unsigned bottom) {
    const unsigned each = (width - TOPOLOGY_GAP) / 2;
    const struct rect cp = {left, bottom + NODES_TOP, each, HEIGHT};
    const struct rect nic = {left + each + TOPOLOGY_GAP, bottom + NODES_TOP, each, HEIGHT};
    char points[80];
    fprintf(f, "<text class=\"node\" x=\"%u\" y=\"%u\" font-weight=\"bold\">Node %u</text>\n", left,
            cpu.y - 6, node);
    if (n->has_threads) {
        connect_down(f, cp.x + each / 2, bottom, cp.y, &n->to_l2);
        snprintf(points, sizeof points, "%u,%u %u,%u", cp.x + each, cp.y + HEIGHT / 2, nic.x,
                 nic.y + HEIGHT / 2);
        connect(f, points, &n->doorbell, cp.x + each - 80, cp.y - 6);
        draw_box(f, cp, "#faf5ff", "component", &n->command_processor);
    }
    connect_down(f, nic.x + each / 2, bottom, nic.y, &n->to_gpu);
    connect_down(f, nic.x + each / 2, nic.y + HEIGHT, bottom + NETWORK_TOP, &n->to_network);
    connect_cpu(f, cpu, nic, &n->to_cpu);
    draw_box(f, nic, "#fff5f5", "component", &n->nic);
}

void topology_draw_network(FILE *f, const struct topology_nodes *n, unsigned left, unsigned width,
                           unsigned bottom) {
    draw_box(f, (struct rect){left, bottom + NETWORK_TOP, width, HEIGHT}, "#e6fffa", "network",
             &n->network);
}
