/* topology.h - a picture of the simulated node or nodes: their components and the connections
 * between them. */
#ifndef HEDDLE_REPORT_TOPOLOGY_H
#define HEDDLE_REPORT_TOPOLOGY_H

#include "common/config.h"
#include "common/error.h"
#include "sched/gpu.h"

/* The lines of a box's text. */
struct topology_text {
    char line[3][200];
};
/* A connection: its name, and one or two lines beside it. */
struct topology_way {
    char name[120], label[2][120];
};

/* Several nodes, in words: what each has besides its GPUs, and what joins them. */
struct topology_nodes {
    unsigned count;
    char cpu[200];    /* about the service threads, if they run on the CPU; or "" */
    bool has_threads; /* there is a command processor */
    struct topology_text command_processor, nic, network;
    struct topology_way to_l2, doorbell;            /* of the command processor */
    struct topology_way to_gpu, to_cpu, to_network; /* of the NIC */
};

/* Draws `devices` timed GPUs of one kind into the SVG file `path`: components as built, connections
 * with their latencies, and parameters. `nodes`: they belong to these, in order, equally many each;
 * NULL: to one without a network. @return HEDDLE_ERR_IO. */
heddle_err topology_write(const struct config *config, struct gpu *const *gpus, unsigned devices,
                          const struct topology_nodes *nodes, const char *path,
                          struct heddle_diag *diag);

#endif
