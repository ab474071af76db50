/* network.c - the network between nodes: events per second of wall time, and the time of a ring
 * allreduce of 64 MiB by model, topology and number of nodes.
 *
 *   network DIRECTORY_OF_NETWORKS [NODES]
 *
 * NODES: only runs of at most so many. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "unit/network/network_rig.h"

static const struct {
    const char *name, *model;
    unsigned nodes;
} runs[] = {{"star-100g", "loggp", 32},    {"star-100g", "loggp", 1024},
            {"star-100g", "packets", 32},  {"star-100g", "packets", 1024},
            {"fat-tree", "packets", 1024}, {"dragonfly", "packets", 1024}};

/* Wall time in seconds. */
static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Prints what a run did in `wall` seconds: `time` of the target in ps, `bound` its least. */
static void print(const char *traffic, const char *name, const char *model,
                  const struct network_rig *rig, double time, double bound, double wall) {
    const struct network_counters c = network_get_counters(rig->network);
    const uint32_t nodes = network_nodes(rig->network);
    printf("%-10s %-10s %-8s %7u %10llu %11llu %12llu %8.2f %12.0f %12.1f %8.4f %9zu\n", traffic,
           name, model, nodes, (unsigned long long)c.delivered, (unsigned long long)c.packets,
           (unsigned long long)c.events, wall, (double)c.events / wall, time * 1e-6, time / bound,
           network_memory(rig->network) / nodes);
    fflush(stdout);
}

/* A ring allreduce of 64 MiB; its bound is that of the wire. */
static void run_allreduce(const char *directory, unsigned i) {
    struct network_rig rig;
    char sets[100];
    const double size = 64 << 20, nodes = runs[i].nodes;
    snprintf(sets, sizeof sets, "network.model=%s network.nodes=%u", runs[i].model, runs[i].nodes);
    network_rig_create(&rig, directory, runs[i].name, sets);
    const double begin = seconds();
    const double time = (double)network_rig_allreduce(&rig, 64 << 20);
    print("allreduce", runs[i].name, runs[i].model, &rig, time, 2 * (nodes - 1) / nodes * size * 80,
          seconds() - begin);
    network_rig_free(&rig);
}

/* Each node sends 64 messages of 16 KiB to random others; the bound is that of the sending link. */
static void run_random(const char *directory, unsigned i) {
    enum { EACH = 64, BYTES = 16384 };
    struct network_rig rig;
    char sets[100];
    uint64_t state = 1;
    snprintf(sets, sizeof sets, "network.model=%s network.nodes=%u", runs[i].model, runs[i].nodes);
    network_rig_create(&rig, directory, runs[i].name, sets);
    rig.forget = true;
    const double begin = seconds();
    for (unsigned k = 0; k < EACH; k++)
        for (uint32_t node = 0; node < runs[i].nodes; node++)
            network_rig_send(&rig, node, (uint32_t)(network_rig_random(&state) % runs[i].nodes),
                             BYTES, 0, k);
    network_rig_run(&rig);
    print("random", runs[i].name, runs[i].model, &rig, (double)network_now_ps(rig.network),
          (double)EACH * BYTES * 80, seconds() - begin);
    network_rig_free(&rig);
}

int main(int argc, char **argv) {
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: network DIRECTORY_OF_NETWORKS [NODES]\n");
        return EXIT_FAILURE;
    }
    const unsigned most = argc > 2 ? (unsigned)atoi(argv[2]) : 100000;
    printf("%-10s %-10s %-8s %7s %10s %11s %12s %8s %12s %12s %8s %9s\n", "traffic", "network",
           "model", "nodes", "messages", "packets", "events", "wall s", "events/s", "target us",
           "/bound", "B/node");
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++)
        if (runs[i].nodes <= most) run_random(argv[1], i);
    for (unsigned i = 0; i < sizeof runs / sizeof *runs; i++)
        if (runs[i].nodes <= most) run_allreduce(argv[1], i);
    return EXIT_SUCCESS;
}
