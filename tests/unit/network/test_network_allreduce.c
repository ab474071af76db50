/* test_network_allreduce.c - a ring allreduce of 64 MiB takes the time that its bytes need on the
 * wire: in both models, for several numbers of nodes. */
#include <criterion/criterion.h>
#include <stdio.h>

#include "network_rig.h"

static const uint64_t size = 64 << 20;

/* Runs an allreduce and expects the wire's bound 2 (N - 1) / N * S / B, up to 1 % longer. */
static void expect_bound(const char *name, const char *model, unsigned nodes) {
    struct network_rig rig;
    char sets[100];
    snprintf(sets, sizeof sets, "network.model=%s network.nodes=%u", model, nodes);
    network_rig_create(&rig, NETWORKS, name, sets);
    const double time = (double)network_rig_allreduce(&rig, size);
    const double bound = 2.0 * (nodes - 1) / nodes * (double)size * 80;
    cr_expect(time >= bound && time < 1.01 * bound, "%s, %s, %u nodes: %g us, bound %g us", name,
              model, nodes, time * 1e-6, bound * 1e-6);
    cr_log_info("%s, %s, %u nodes: %.1f us, %.4f of the bound\n", name, model, nodes, time * 1e-6,
                time / bound);
    network_rig_free(&rig);
}

Test(allreduce, loggp) {
    for (unsigned nodes = 2; nodes <= 128; nodes *= 4) expect_bound("star-100g", "loggp", nodes);
    expect_bound("star-100g", "loggp", 32);
}

Test(allreduce, packets_on_a_star) {
    for (unsigned nodes = 2; nodes <= 128; nodes *= 4) expect_bound("star-100g", "packets", nodes);
    expect_bound("star-100g", "packets", 32);
}

Test(allreduce, packets_on_a_fat_tree) {
    expect_bound("fat-tree", "packets", 24);
}

Test(allreduce, packets_on_a_dragonfly) {
    expect_bound("dragonfly", "packets", 24);
}
